/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * suss: slow start that quadruples cwnd while the next round would double it anyway.
 *
 * M. Arghavani, H. Zhang, D. Eyers, A. Arghavani: SUSS: Improving TCP Performance by Speeding Up
 * Slow-Start. SIGCOMM 2024.
 *
 * In one sentence: where HyStart would let slow start go on for this round and the next, send the
 * next round's data in this one, behind the data that ACKs clock, and paced.
 *
 * A round's ACKs and data have two parts. Blue: each ACK lets twice its bytes leave, as in slow
 * start. Their ACKs keep the spacing of the bottleneck, which is what HyStart measures. Red: the
 * rest, paced, whose ACKs measure nothing.
 *
 *   W      = what the last round sent (its blue and red data)
 *   dt_bat = time of the round's blue ACKs
 *   dt_at  = dt_bat * W / blue of the last round           as if all W were blue
 *   G      = 4 if  dt_at <= minRTT / 4                     condition 1
 *            and   moRTT + (moRTT - minRTT) / r <= 9/8 minRTT        condition 2
 *            else 2, for the rest of the start-up
 *   red    = 4 W - 2 blue            at the end of the blue ACKs, if G is 4
 *   pacing = minRTT * red / (4 W)    guard = (minRTT - dt_bat - pacing) / 2
 *
 * moRTT is the round's minimum RTT, r the number of rounds since minRTT was measured. The
 * conditions are HyStart's, for the next round: a train twice as long may fill half of minRTT, and
 * the RTT may rise by an eighth.
 *
 * HyStart ends the growth, on blue ACKs. If a train, stretched to W, is longer than minRTT / 2,
 * cwnd grows only to the window at the end of the whole train. If the RTT is higher than minRTT by
 * minRTT / 8 (4 to 16 ms), growth ends at once. Where red data had been sent twice or more, what is
 * in flight becomes cwnd.
 *
 *   +------------+  G = 4   +--------+
 *   | SLOW START | -------> | PACING |       SLOW START: ACK clock. PACING: red data
 *   | (blue, G=2)| <------- | (red)  |
 *   +------------+  next    +--------+
 *      |            round       |
 *      +--- cap (estimate), delay, ssthresh, a loss ----> DONE
 *
 * Differences from the paper
 * - The kernel of the paper ignores the receiver's window while it quadruples. This code does not:
 *   a sender must not exceed the window that the receiver advertises (RFC 9293, section 3.8.6).
 * - The guard interval before the red data needs a timer, which algorithms do not have. The red
 *   data leaves at once, at a rate that is lower by as much: spread over guard + pacing, it ends
 *   when the paper's ends, with the guard interval before the next blue ACKs.
 * - The limits of three rounds with G = 4 and of a minRTT above 10 ms are from the defaults of the
 *   authors' implementation. Its prediction of dt_at by the last two rounds is not in the paper.
 * - HyStart's allowance for GRO (at most 1 ms) is left out.
 * - A host that cannot pace the red data (startup_can_pace()), or that is app-limited, keeps G = 2.
 *   So does a round whose 4 W would reach ssthresh.
 * - An ssthresh that the host sets meanwhile (its own HyStart, which red data would mislead) is not
 *   used.
 */
#ifndef ONRAMP_SUSS_H
#define ONRAMP_SUSS_H

#include "startup.h"

/* HyStart: a train of minRTT / 2 fills the pipe. Twice the train of this round must stay below. */
#define SUSS_TRAIN_DIVISOR 2
#define SUSS_TRAIN_AHEAD_DIVISOR 4
/* HyStart: the RTT may rise by an eighth of minRTT, at least 4 ms and at most 16 ms. */
#define SUSS_RTT_DIVISOR 8
#define SUSS_MIN_RISE_NS (4 * UINT64_C(1000000))
#define SUSS_MAX_RISE_NS (16 * UINT64_C(1000000))
/* HyStart: the samples of a round that give moRTT, the gap that ends an ACK train, and the cwnd
 * below which it ends nothing. */
#define SUSS_SAMPLES 8
#define SUSS_TRAIN_GAP_NS (2 * UINT64_C(1000000))
#define SUSS_LOW_WINDOW_SEGMENTS 16
/* The growth factor of a round with red data. */
#define SUSS_GROWTH 4
/* Rounds with red data, and the minRTT that makes them worthwhile: defaults of the authors. */
#define SUSS_MAX_JUMPS 3
#define SUSS_MIN_RTT_NS (10 * UINT64_C(1000000))

#define SUSS_PARAMETERS(P)                                                                         \
	P(suss, rtt_divisor, SUSS_RTT_DIVISOR, 1, 64,                                              \
	  "HyStart: the RTT may rise by this part of minRTT.")                                     \
	P(suss, min_rise_ns, SUSS_MIN_RISE_NS, 0, NS_PER_S, "HyStart: by at least this.")          \
	P(suss, max_rise_ns, SUSS_MAX_RISE_NS, 0, NS_PER_S, "HyStart: by at most this.")           \
	P(suss, samples, SUSS_SAMPLES, 1, 64, "HyStart: the RTT samples of a round that decide.")  \
	P(suss, max_jumps, SUSS_MAX_JUMPS, 0, 10, "Rounds with red data, at most.")                \
	P(suss, min_rtt_ns, SUSS_MIN_RTT_NS, 0, 10 * NS_PER_S,                                     \
	  "Red data is sent only where minRTT is longer.")
STARTUP_PARAMETERS(suss, SUSS_PARAMETERS);

struct suss {
	struct suss_parameters parameters;
	uint64_t ssthresh_bytes;    /* the host's at the start, or HyStart's cap */
	uint64_t min_rtt_ns;        /* STARTUP_UNLIMITED: no sample yet */
	uint64_t round_min_ns;      /* moRTT; STARTUP_UNLIMITED: no sample in this round */
	uint64_t round_ns;          /* when the first ACK of this round arrived */
	uint64_t round_first_bytes; /* delivered_bytes of that ACK */
	uint64_t round_end_bytes;   /* delivered_bytes beyond which the next round begins */
	uint64_t sent_bytes;        /* W */
	uint64_t blue_bytes;        /* the blue part of W */
	uint64_t blue_end_bytes;    /* delivered_bytes that end this round's blue ACKs */
	uint64_t train_ns;          /* the last ACK of HyStart's train */
	uint64_t red_bytes_per_s;   /* PACING: its rate */
	uint64_t event_ns;          /* the host's scheduling granularity */
	uint32_t samples;           /* of this round */
	uint32_t rounds;            /* since minRTT was measured */
	uint32_t jumps;             /* rounds with G = 4 */
	uint32_t blue_is_over;      /* this round's blue ACKs have ended */
	uint32_t grows_by_two;      /* G = 2 for the rest of the start-up */
	uint32_t is_capped;         /* ssthresh_bytes is HyStart's cap */
	uint32_t phase;
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct suss);

static inline void suss_start(struct suss *state, const struct startup_start *start,
			      struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->min_rtt_ns = STARTUP_UNLIMITED;
	state->event_ns = start->clock.event_ns;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* The first ACK of a round: what is blue in it, and where it ends. */
static inline void suss_begin_round(struct suss *state, const struct startup_ack *ack)
{
	uint64_t begin_bytes = state->round_end_bytes;
	bool is_first = !begin_bytes;

	if (is_first)
		begin_bytes =
			ack->delivered_bytes - min_u64(ack->acked_bytes, ack->delivered_bytes);
	state->round_end_bytes = ack->delivered_bytes + ack->inflight_bytes;
	state->sent_bytes = state->round_end_bytes - begin_bytes;
	/* Blue data is twice the blue data of the round before, and nothing else without red data.
	 */
	if (is_first || !state->jumps)
		state->blue_bytes = state->sent_bytes;
	else
		state->blue_bytes = min_u64(2 * state->blue_bytes, state->sent_bytes);
	state->blue_end_bytes = begin_bytes + state->blue_bytes;
	state->round_ns = ack->now_ns;
	state->round_first_bytes = ack->delivered_bytes;
	state->round_min_ns = STARTUP_UNLIMITED;
	state->train_ns = ack->now_ns;
	state->samples = 0;
	state->blue_is_over = false;
	state->rounds++;
	state->phase = STARTUP_PHASE_SLOW_START;
}

static inline void suss_sample(struct suss *state, const struct startup_ack *ack)
{
	if (!ack->rtt_ns)
		return;
	state->samples++;
	state->round_min_ns = min_u64(state->round_min_ns, ack->rtt_ns);
	if (ack->rtt_ns < state->min_rtt_ns) {
		state->min_rtt_ns = ack->rtt_ns;
		state->rounds = 0;
	}
}

/* A time of blue ACKs, as if all of W were blue. */
static inline uint64_t suss_stretched_ns(const struct suss *state, uint64_t blue_ns)
{
	return mul_div(blue_ns, state->sent_bytes, state->blue_bytes);
}

static inline bool suss_window_is_low(const struct startup_ack *ack)
{
	return ack->cwnd_bytes < SUSS_LOW_WINDOW_SEGMENTS * (uint64_t)ack->mss_bytes;
}

/* HyStart on the ACK train: cap cwnd where the whole train would end growth. */
static inline void suss_cap(struct suss *state, const struct startup_ack *ack)
{
	uint64_t acked_bytes = ack->delivered_bytes - state->round_first_bytes;

	if (state->is_capped || ack->now_ns - state->train_ns > SUSS_TRAIN_GAP_NS ||
	    suss_window_is_low(ack))
		return;
	state->train_ns = ack->now_ns;
	if (suss_stretched_ns(state, ack->now_ns - state->round_ns) <=
	    state->min_rtt_ns / SUSS_TRAIN_DIVISOR)
		return;
	state->is_capped = true;
	state->ssthresh_bytes =
		min_u64(state->ssthresh_bytes,
			ack->cwnd_bytes + suss_stretched_ns(state, acked_bytes) - acked_bytes);
}

/* HyStart on the delay: the RTT of this round is higher. */
static inline bool suss_rtt_rose(const struct suss *state, const struct startup_ack *ack)
{
	const struct suss_parameters *set = &state->parameters;
	uint64_t rise_ns = max_u64(set->min_rise_ns,
				   min_u64(state->min_rtt_ns / set->rtt_divisor, set->max_rise_ns));

	return state->samples >= set->samples && !suss_window_is_low(ack) &&
	       state->round_min_ns > state->min_rtt_ns + rise_ns;
}

/* Condition 2: moRTT + (moRTT - minRTT) / r <= 9/8 minRTT, without the division. */
static inline bool suss_rtt_will_stay(const struct suss *state)
{
	uint64_t rise_ns = state->round_min_ns - state->min_rtt_ns;

	return state->samples &&
	       rise_ns * (state->rounds + 1) <=
		       state->min_rtt_ns / state->parameters.rtt_divisor * state->rounds;
}

/* The blue ACKs have ended: send the next round's data too, if the next round would. */
static inline void suss_jump(struct suss *state, const struct startup_ack *ack)
{
	uint64_t min_rtt_ns = state->min_rtt_ns;
	uint64_t acked_bytes = ack->delivered_bytes - state->round_first_bytes;
	/* The first ACK of the blue ones begins the time, and so does not count. */
	uint64_t blue_ns =
		mul_div(ack->now_ns - state->round_ns, state->blue_bytes, max_u64(acked_bytes, 1));
	uint64_t cwnd_bytes = SUSS_GROWTH * state->sent_bytes;
	uint64_t red_bytes = cwnd_bytes - 2 * state->blue_bytes;
	uint64_t pacing_ns = mul_div(min_rtt_ns, red_bytes, cwnd_bytes);

	state->grows_by_two = true;
	if (state->is_capped || state->jumps >= state->parameters.max_jumps ||
	    min_rtt_ns <= state->parameters.min_rtt_ns ||
	    !(ack->flags & STARTUP_ACK_CWND_LIMITED) || ack->flags & STARTUP_ACK_APP_LIMITED)
		return;
	if (suss_stretched_ns(state, blue_ns) > min_rtt_ns / SUSS_TRAIN_AHEAD_DIVISOR ||
	    !suss_rtt_will_stay(state) || blue_ns + pacing_ns >= min_rtt_ns ||
	    cwnd_bytes >= state->ssthresh_bytes)
		return;
	/* guard + pacing */
	pacing_ns += (min_rtt_ns - blue_ns - pacing_ns) / 2;
	state->red_bytes_per_s = max_u64(rate_bytes_per_s(red_bytes, pacing_ns), 1);
	if (!startup_can_pace(state->event_ns, state->red_bytes_per_s, ack->mss_bytes))
		return;
	state->grows_by_two = false;
	state->jumps++;
	state->phase = STARTUP_PHASE_PACING;
}

/* Follow the rounds. */
static inline void suss_measure(struct suss *state, const struct startup_ack *ack)
{
	/* A change of the totals makes rounds incomparable: begin again. */
	if (ack->delivered_bytes > state->round_end_bytes ||
	    ack->delivered_bytes < state->round_first_bytes)
		suss_begin_round(state, ack);
	suss_sample(state, ack);
	if (state->min_rtt_ns == STARTUP_UNLIMITED || state->blue_is_over)
		return;
	suss_cap(state, ack);
	state->blue_is_over = ack->delivered_bytes >= state->blue_end_bytes;
	if (state->blue_is_over && !state->grows_by_two)
		suss_jump(state, ack);
}

/* HyStart has ended growth. After two rounds with red data, cwnd may be far above what is in
 * flight, as pacing has held data back. */
static inline void suss_finish(const struct suss *state, const struct startup_ack *ack,
			       struct startup_decision *decision, enum startup_exit exit)
{
	if (state->jumps > 1)
		decision->cwnd_bytes =
			min_u64(decision->cwnd_bytes,
				max_u64(ack->inflight_bytes, 2 * (uint64_t)ack->mss_bytes));
	decision->ssthresh_bytes = decision->cwnd_bytes;
	startup_finish(decision, exit);
}

static inline void suss_ack(struct suss *state, const struct startup_ack *ack,
			    struct startup_decision *decision)
{
	suss_measure(state, ack);
	startup_begin_slow_start(decision, startup_slow_start(ack, state->ssthresh_bytes),
				 state->ssthresh_bytes);
	decision->phase = state->phase;
	if (state->phase == STARTUP_PHASE_PACING) {
		decision->cwnd_bytes = max_u64(SUSS_GROWTH * state->sent_bytes, ack->cwnd_bytes);
		decision->pacing_bytes_per_s = state->red_bytes_per_s;
	}
	if (suss_rtt_rose(state, ack))
		suss_finish(state, ack, decision, STARTUP_EXIT_DELAY);
	else if (decision->cwnd_bytes >= state->ssthresh_bytes && state->is_capped)
		suss_finish(state, ack, decision, STARTUP_EXIT_ESTIMATE);
	else if (decision->cwnd_bytes >= state->ssthresh_bytes)
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
}

static inline void suss_loss(struct suss *state, const struct startup_loss *loss,
			     struct startup_decision *decision)
{
	(void)state;
	startup_end_at_loss(loss, decision);
}

#endif
