/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * hystart: HyStart++, which leaves slow start when the RTT rises, and first checks that it stays.
 *
 * P. Balasubramanian, Y. Huang, M. Olson: HyStart++: Modified Slow Start for TCP. RFC 9406, 2023.
 * The RFC's names are used below. This code is written from its text.
 *
 * In one sentence: a round whose minimum RTT is an eighth above that of the round before ends slow
 * start; for five more rounds cwnd grows a quarter as fast, and if the RTT falls again, slow start
 * goes on.
 *
 *   round       from an ACK to the ACK of what was sent before it           windowEnd
 *   RttThresh   = max(4 ms, min(lastRoundMinRTT / 8, 16 ms))
 *   slow start  cwnd += min(acked, 8 * SMSS)
 *               ends if currentRoundMinRTT >= lastRoundMinRTT + RttThresh   after 8 samples
 *   CSS         cwnd += min(acked, 8 * SMSS) / 4
 *               ends if currentRoundMinRTT < cssBaselineMinRtt              after 8 samples
 *
 *   +------------+      the RTT rose       +--------------+  5 rounds   +------+
 *   | SLOW START | ----------------------> | CONSERVATIVE | ----------> | DONE |
 *   |            | <---------------------- |    (CSS)     |  (delay)    |      |
 *   +------------+  the RTT fell below the +--------------+             +------+
 *         |         baseline                      |                        ^
 *         +----- cwnd >= ssthresh, a loss --------+------------------------+
 *
 * Differences from the RFC, and its open points
 * - L is 8, the RFC's value for a sender that does not pace: this start-up decides no pacing rate.
 *   (A sender that paces has L = infinity.) Where a host acknowledges more than 8 segments at once
 *   (GRO), L slows the growth, as the RFC wants.
 * - Rounds are counted in delivered bytes, so selective acknowledgements end a round too.
 * - The ACK that ends a round adds its RTT sample to that round.
 * - CSS grows by whole segments. What remains of the division by 4 counts later.
 * - A cwnd that does not limit the sender does not grow, as in Linux.
 * - An ssthresh that the host sets meanwhile (Linux's own HyStart) is not used: this algorithm
 *   replaces it. An ssthresh from before the start (a route's metric) still ends slow start.
 * - A loss sets the host's ssthresh. The RFC leaves that to the congestion control too.
 */
#ifndef ONRAMP_HYSTART_H
#define ONRAMP_HYSTART_H

#include "startup.h"

/* MIN_RTT_THRESH: less is noise. MAX_RTT_THRESH: more is a queue on any path. MIN_RTT_DIVISOR: an
 * eighth of the RTT between them. (RFC 9406, section 4.3) */
#define HYSTART_MIN_THRESH_NS (4 * UINT64_C(1000000))
#define HYSTART_MAX_THRESH_NS (16 * UINT64_C(1000000))
#define HYSTART_RTT_DIVISOR 8
/* N_RTT_SAMPLE: so many samples make a minimum that delayed ACKs have not raised. */
#define HYSTART_SAMPLES 8
/* CSS_GROWTH_DIVISOR and CSS_ROUNDS */
#define HYSTART_CSS_DIVISOR 4
#define HYSTART_CSS_ROUNDS 5
/* L, in segments: "L SHOULD be 8" for a sender that does not pace. */
#define HYSTART_LIMIT_SEGMENTS 8

#define HYSTART_PARAMETERS(P)                                                                      \
	P(hystart, min_rtt_thresh_ns, HYSTART_MIN_THRESH_NS, 0, NS_PER_S,                          \
	  "MIN_RTT_THRESH: a rise of the RTT of less is noise.")                                   \
	P(hystart, max_rtt_thresh_ns, HYSTART_MAX_THRESH_NS, 0, NS_PER_S,                          \
	  "MAX_RTT_THRESH: a rise of the RTT of more is a queue.")                                 \
	P(hystart, min_rtt_divisor, HYSTART_RTT_DIVISOR, 1, 64,                                    \
	  "MIN_RTT_DIVISOR: between them, a rise by this part of the RTT is a queue.")             \
	P(hystart, n_rtt_sample, HYSTART_SAMPLES, 1, 64,                                           \
	  "N_RTT_SAMPLE: the number of RTT samples in a round that decide.")                       \
	P(hystart, css_growth_divisor, HYSTART_CSS_DIVISOR, 1, 64,                                 \
	  "CSS_GROWTH_DIVISOR: conservative slow start grows by this part of slow start's "        \
	  "growth.")                                                                               \
	P(hystart, css_rounds, HYSTART_CSS_ROUNDS, 1, 100,                                         \
	  "CSS_ROUNDS: rounds of conservative slow start before the exit.")                        \
	P(hystart, limit_segments, HYSTART_LIMIT_SEGMENTS, 1, 1000000,                             \
	  "L: the segments of an ACK that count for growth.")
STARTUP_PARAMETERS(hystart, HYSTART_PARAMETERS);

struct hystart {
	struct hystart_parameters parameters;
	uint64_t ssthresh_bytes;  /* the host's at the start */
	uint64_t round_end_bytes; /* windowEnd, in the count of delivered_bytes */
	uint64_t last_min_ns;     /* lastRoundMinRTT; STARTUP_UNLIMITED: none */
	uint64_t current_min_ns;  /* currentRoundMinRTT; STARTUP_UNLIMITED: none */
	uint64_t baseline_ns;     /* cssBaselineMinRtt */
	uint64_t css_bytes;       /* CSS: acknowledged and not used for growth yet */
	uint32_t samples;         /* rttSampleCount */
	uint32_t css_round;       /* 1 to 5: the round of CSS; 0: slow start */
};
STARTUP_ASSERT_STATE(struct hystart);

static inline void hystart_start(struct hystart *state, const struct startup_start *start,
				 struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->last_min_ns = STARTUP_UNLIMITED;
	state->current_min_ns = STARTUP_UNLIMITED;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* The cwnd after this ACK. */
static inline uint64_t hystart_cwnd(struct hystart *state, const struct startup_ack *ack)
{
	struct startup_ack counted = *ack;
	uint64_t mss = ack->mss_bytes;
	uint64_t divisor = state->parameters.css_growth_divisor;

	counted.acked_bytes = min_u64(ack->acked_bytes, state->parameters.limit_segments * mss);
	if (state->css_round && ack->flags & STARTUP_ACK_CWND_LIMITED) {
		state->css_bytes += counted.acked_bytes;
		counted.acked_bytes = state->css_bytes / divisor / mss * mss;
		state->css_bytes -= counted.acked_bytes * divisor;
	}
	return startup_slow_start(&counted, state->ssthresh_bytes);
}

/* The RTT rose from the last round to this one. */
static inline bool hystart_rtt_rose(const struct hystart *state)
{
	const struct hystart_parameters *set = &state->parameters;
	uint64_t thresh_ns =
		max_u64(set->min_rtt_thresh_ns,
			min_u64(state->last_min_ns / set->min_rtt_divisor, set->max_rtt_thresh_ns));

	return state->last_min_ns != STARTUP_UNLIMITED &&
	       state->current_min_ns >= state->last_min_ns + thresh_ns;
}

/* Enter or leave CSS, as soon as this round has enough samples. */
static inline void hystart_compare(struct hystart *state, const struct startup_ack *ack)
{
	if (ack->rtt_ns) {
		state->current_min_ns = min_u64(state->current_min_ns, ack->rtt_ns);
		state->samples++;
	}
	if (state->samples < state->parameters.n_rtt_sample)
		return;
	if (state->css_round && state->current_min_ns < state->baseline_ns) {
		state->css_round = 0;
	} else if (!state->css_round && hystart_rtt_rose(state)) {
		state->baseline_ns = state->current_min_ns;
		state->css_bytes = 0;
		state->css_round = 1;
	}
}

/* This ACK ends a round: begin the next one. */
static inline void hystart_begin_round(struct hystart *state, const struct startup_ack *ack)
{
	state->round_end_bytes = ack->delivered_bytes + ack->inflight_bytes;
	state->last_min_ns = state->current_min_ns;
	state->current_min_ns = STARTUP_UNLIMITED;
	state->samples = 0;
	if (state->css_round)
		state->css_round++;
}

static inline void hystart_ack(struct hystart *state, const struct startup_ack *ack,
			       struct startup_decision *decision)
{
	hystart_compare(state, ack);
	startup_begin_slow_start(decision, hystart_cwnd(state, ack), state->ssthresh_bytes);
	if (ack->delivered_bytes >= state->round_end_bytes)
		hystart_begin_round(state, ack);
	if (state->css_round)
		decision->phase = STARTUP_PHASE_CONSERVATIVE;
	if (decision->cwnd_bytes >= state->ssthresh_bytes) {
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
	} else if (state->css_round > state->parameters.css_rounds) {
		decision->ssthresh_bytes = decision->cwnd_bytes;
		startup_finish(decision, STARTUP_EXIT_DELAY);
	}
}

static inline void hystart_loss(struct hystart *state, const struct startup_loss *loss,
				struct startup_decision *decision)
{
	(void)state;
	startup_end_at_loss(loss, decision);
}

#endif
