/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * bbrstart: BBRv3's STARTUP and DRAIN, followed by the host's congestion avoidance.
 *
 * N. Cardwell, I. Swett, J. Beshay: BBR Congestion Control. draft-ietf-ccwg-bbr, the version of
 * August 2026. Code components of the draft: Revised BSD license (IETF Trust). None is used here.
 *
 * In one sentence: pace at 2.77 times the highest delivery rate until that rate stops growing, then
 * drain the queue that this built.
 *
 *   max_bw       = highest delivery rate sample (core/measure/delivery_rate.h)
 *   bdp          = max_bw * min_rtt
 *   pacing rate  = gain * max_bw * 99 %         gain: 2.77 in STARTUP, 0.5 in DRAIN
 *   max_inflight = 2 * bdp + extra_acked        cwnd grows by what is acknowledged, up to this
 *
 *      +------------+  3 rounds in which the rate grew by less than 25 %  +-------+
 *      | SLOW START | --------------------------------------------------> | DRAIN |
 *      | (STARTUP)  |                                                     +-------+
 *      +------------+        a whole round of the recovery lost more         ^  |
 *        |        ^          than 2 %, with 6 ACKs that showed losses        |  |
 *        | a loss | repaired   ______________________________________________|  |
 *        v        |           |                                                 |
 *      +------------+ ________|       in flight <= bdp, or more than 3 rounds   v
 *      |   REPAIR   |                 (exit: estimate, loss)               +------+
 *      +------------+ ---------------------------------------------------> | DONE |
 *        an RTO (exit: timeout) or an ECN mark (exit: loss), in all phases +------+
 *
 * A loss alone does not end STARTUP: cwnd and the pacing rate go on as without it (REPAIR). At the
 * end, cwnd and ssthresh are the BDP, and CUBIC begins there. If STARTUP has lost segments, the BDP
 * is paced at max_bw until they are repaired, as ProbeBW would. CUBIC would take the losses that
 * are found late for its own, and lower cwnd for them.
 *
 * Differences from the draft
 * - After DRAIN the draft probes for bandwidth (ProbeBW). Here congestion avoidance follows.
 * - An RTO ends the start-up, with the ssthresh of congestion avoidance. In the draft STARTUP goes
 *   on. So does an ECN mark (RFC 3168), for which the draft has no response.
 * - Losses are counted by ACKs that showed any, as in Google's Linux code, not by sequence ranges.
 * - Neither the inflight_longterm of a loss exit nor its undo: both act in ProbeBW.
 * - No ProbeRTT in a STARTUP of more than ten seconds. extra_acked is the maximum of this round and
 *   the one before.
 * - An ssthresh that the host has from the beginning (a route's metric) ends STARTUP. One that it
 *   sets later (HyStart) is not used.
 * - A host with coarse timers does not pace: cwnd alone is the limit.
 */
#ifndef ONRAMP_BBRSTART_H
#define ONRAMP_BBRSTART_H

#include "measure/delivery_rate.h"
#include "startup.h"

/* StartupPacingGain: 4 ln 2, the least gain that doubles the rate in a round. In percent. */
#define BBRSTART_STARTUP_GAIN_PERCENT 277
/* DrainPacingGain: drains the queue of STARTUP in less than a round. */
#define BBRSTART_DRAIN_GAIN_PERCENT 50
/* DefaultCwndGain */
#define BBRSTART_CWND_GAIN 2
/* PacingMarginPercent: pace at 1 % below the rate, so that queues drain. */
#define BBRSTART_MARGIN_PERCENT 1
/* The rate grows if it is 1.25 times the rate of the last growth. */
#define BBRSTART_GROWTH_PERCENT 125
/* "Three packet-timed round trips [...] to allow the receiver the chance to grow its receive
 * window." DRAIN takes no more rounds than that either. */
#define BBRSTART_FULL_ROUNDS 3
#define BBRSTART_DRAIN_ROUNDS 3
/* The losses of STARTUP are repaired in the second round after the last of them was found. If more
 * are found again and again, they are not STARTUP's. */
#define BBRSTART_CALM_ROUNDS 2
#define BBRSTART_REPAIR_ROUNDS (2 * BBRSTART_DRAIN_ROUNDS)
/* LossThresh: 2 % of a round, with at least BBRStartupFullLossCnt ACKs that showed losses. */
#define BBRSTART_LOSS_DIVISOR 50
#define BBRSTART_LOSS_EVENTS 6
/* MinPipeCwnd */
#define BBRSTART_MIN_SEGMENTS 4
/* The send quantum is what leaves in a millisecond, between 2 segments and 64 kB. Three of them may
 * be in the hosts: one waits, one leaves, one arrives. */
#define BBRSTART_QUANTUM_DIVISOR 1000
#define BBRSTART_MAX_QUANTUM_BYTES (64 * 1024)
#define BBRSTART_QUANTA 3
/* The RTT of a connection that has none: InitPacingRate() */
#define BBRSTART_NOMINAL_RTT_NS UINT64_C(1000000)

struct bbrstart {
	struct delivery_rate rate;
	uint64_t max_bytes_per_s;
	uint64_t full_bytes_per_s; /* at the last growth */
	uint64_t pacing_bytes_per_s;
	uint64_t min_rtt_ns;
	uint64_t cwnd_bytes;
	uint64_t initial_cwnd_bytes;
	uint64_t initial_ssthresh_bytes;
	uint64_t event_ns;             /* the host's scheduling granularity */
	uint64_t extra_acked_bytes[2]; /* maximum of this round, of the one before */
	uint64_t epoch_ns;             /* the epoch of extra_acked: its begin */
	uint64_t epoch_bytes;          /* and what was acknowledged since */
	uint64_t round_delivered_bytes;
	uint64_t round_lost_bytes;
	uint64_t lost_bytes;          /* at the last ACK or loss */
	uint64_t loss_ssthresh_bytes; /* congestion avoidance's, at the loss that is repaired */
	uint32_t full_rounds;         /* rounds without growth */
	uint32_t loss_events;         /* of this round */
	uint32_t drain_rounds;
	uint32_t calm_rounds; /* rounds without a loss since the last one */
	uint32_t is_draining;
	uint32_t is_drained; /* but losses are not repaired yet */
	uint32_t is_repairing;
	uint32_t exit; /* once it is draining */
	uint32_t mss_bytes;
};
STARTUP_ASSERT_STATE(struct bbrstart);

static inline uint64_t bbrstart_bdp(const struct bbrstart *state, uint32_t mss_bytes)
{
	return bdp_bytes(state->max_bytes_per_s, state->min_rtt_ns, mss_bytes);
}

/* QuantizationBudget() */
static inline uint64_t bbrstart_quantize(const struct bbrstart *state, uint64_t inflight_bytes,
					 uint64_t mss_bytes)
{
	uint64_t quantum_bytes =
		max_u64(min_u64(state->pacing_bytes_per_s / BBRSTART_QUANTUM_DIVISOR,
				BBRSTART_MAX_QUANTUM_BYTES),
			2 * mss_bytes);

	inflight_bytes = max_u64(inflight_bytes, BBRSTART_QUANTA * quantum_bytes);
	return max_u64(inflight_bytes, BBRSTART_MIN_SEGMENTS * mss_bytes);
}

/* gain * bw, less the margin */
static inline uint64_t bbrstart_gained(uint64_t bytes_per_s, uint32_t gain_percent)
{
	return mul_div(bytes_per_s, (uint64_t)gain_percent * (100 - BBRSTART_MARGIN_PERCENT),
		       100 * 100);
}

static inline void bbrstart_decide(const struct bbrstart *state, struct startup_decision *decision)
{
	bool can_pace =
		startup_can_pace(state->event_ns, state->pacing_bytes_per_s, state->mss_bytes);

	*decision = (struct startup_decision){
		.cwnd_bytes = state->cwnd_bytes,
		.ssthresh_bytes = state->initial_ssthresh_bytes,
		.pacing_bytes_per_s = can_pace ? state->pacing_bytes_per_s : STARTUP_UNLIMITED,
		.estimate_bytes_per_s = state->max_bytes_per_s,
		.phase = state->is_repairing  ? STARTUP_PHASE_REPAIR
			 : state->is_draining ? STARTUP_PHASE_DRAIN
					      : STARTUP_PHASE_SLOW_START,
	};
}

static inline void bbrstart_start(struct bbrstart *state, const struct startup_start *start,
				  struct startup_decision *decision)
{
	uint64_t rtt_ns = start->srtt_ns ? start->srtt_ns : BBRSTART_NOMINAL_RTT_NS;
	uint64_t nominal = rate_bytes_per_s(start->cwnd_bytes, rtt_ns);

	state->mss_bytes = start->mss_bytes;
	state->cwnd_bytes = start->cwnd_bytes;
	state->initial_cwnd_bytes = start->cwnd_bytes;
	state->initial_ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->epoch_ns = start->now_ns;
	state->pacing_bytes_per_s =
		max_u64(bbrstart_gained(nominal, BBRSTART_STARTUP_GAIN_PERCENT), 1);
	bbrstart_decide(state, decision);
}

/* CheckFullBWReached(): a round has begun. */
static inline void bbrstart_check_growth(struct bbrstart *state)
{
	uint64_t sample = state->rate.bytes_per_s;

	if (!sample || state->rate.is_app_limited)
		return;
	if (sample >= mul_div(state->full_bytes_per_s, BBRSTART_GROWTH_PERCENT, 100)) {
		state->full_bytes_per_s = sample;
		state->full_rounds = 0;
	} else if (++state->full_rounds >= BBRSTART_FULL_ROUNDS) {
		state->is_draining = true;
		state->exit = STARTUP_EXIT_ESTIMATE;
	}
}

/* CheckStartupHighLoss(): a round of a recovery has ended. */
static inline void bbrstart_check_loss(struct bbrstart *state, const struct startup_ack *ack)
{
	uint64_t lost_bytes = ack->lost_bytes - state->round_lost_bytes;
	uint64_t gone_bytes = ack->delivered_bytes - state->round_delivered_bytes + lost_bytes;

	if (ack->flags & STARTUP_ACK_RECOVERING && state->loss_events >= BBRSTART_LOSS_EVENTS &&
	    lost_bytes > gone_bytes / BBRSTART_LOSS_DIVISOR) {
		state->is_draining = true;
		state->exit = STARTUP_EXIT_LOSS;
	}
}

/* UpdateACKAggregation(): what was acknowledged beyond the delivery rate */
static inline void bbrstart_count_aggregation(struct bbrstart *state, const struct startup_ack *ack)
{
	uint64_t expected_bytes =
		mul_div(state->max_bytes_per_s, ack->now_ns - state->epoch_ns, NS_PER_S);

	if (state->epoch_bytes <= expected_bytes) {
		state->epoch_bytes = 0;
		state->epoch_ns = ack->now_ns;
		expected_bytes = 0;
	}
	state->epoch_bytes += ack->acked_bytes;
	if (state->epoch_bytes > expected_bytes)
		state->extra_acked_bytes[0] =
			max_u64(state->extra_acked_bytes[0],
				min_u64(state->epoch_bytes - expected_bytes, state->cwnd_bytes));
}

/* SetCwnd() in STARTUP and DRAIN */
static inline void bbrstart_set_cwnd(struct bbrstart *state, const struct startup_ack *ack)
{
	uint64_t mss_bytes = ack->mss_bytes, bdp, max_bytes;

	bdp = state->max_bytes_per_s && state->min_rtt_ns ? bbrstart_bdp(state, ack->mss_bytes)
							  : state->initial_cwnd_bytes;
	max_bytes =
		bbrstart_quantize(state,
				  BBRSTART_CWND_GAIN * bdp + max_u64(state->extra_acked_bytes[0],
								     state->extra_acked_bytes[1]),
				  mss_bytes);
	if (state->is_draining)
		state->cwnd_bytes = min_u64(state->cwnd_bytes + ack->acked_bytes, max_bytes);
	else if (state->cwnd_bytes < max_bytes || ack->delivered_bytes < state->initial_cwnd_bytes)
		state->cwnd_bytes += ack->acked_bytes;
	state->cwnd_bytes = max_u64(state->cwnd_bytes, BBRSTART_MIN_SEGMENTS * mss_bytes);
}

/* SetPacingRate() in STARTUP and DRAIN */
static inline void bbrstart_set_pacing(struct bbrstart *state)
{
	uint64_t rate = bbrstart_gained(state->max_bytes_per_s,
					state->is_drained    ? 100
					: state->is_draining ? BBRSTART_DRAIN_GAIN_PERCENT
							     : BBRSTART_STARTUP_GAIN_PERCENT);

	if (state->is_draining || rate > state->pacing_bytes_per_s)
		state->pacing_bytes_per_s = max_u64(rate, 1);
}

/* A round ends with this ACK, and the next one begins. */
static inline void bbrstart_end_round(struct bbrstart *state, const struct startup_ack *ack)
{
	if (state->is_draining) {
		state->drain_rounds++;
	} else {
		bbrstart_check_growth(state);
		bbrstart_check_loss(state, ack);
	}
	state->calm_rounds = state->loss_events ? 0 : state->calm_rounds + 1;
	state->extra_acked_bytes[1] = state->extra_acked_bytes[0];
	state->extra_acked_bytes[0] = 0;
	state->round_delivered_bytes = ack->delivered_bytes;
	state->round_lost_bytes = ack->lost_bytes;
	state->loss_events = 0;
}

/* CheckDrainDone(): the queue of STARTUP is drained. `bdp`: quantized */
static inline bool bbrstart_drain_is_done(const struct bbrstart *state,
					  const struct startup_ack *ack, uint64_t bdp)
{
	return state->is_drained ||
	       (state->is_draining &&
		(ack->inflight_bytes <= bdp || state->drain_rounds > BBRSTART_DRAIN_ROUNDS));
}

/* Congestion avoidance can take over: it does not meet a loss of STARTUP as its own. */
static inline bool bbrstart_is_repaired(const struct bbrstart *state)
{
	return !state->lost_bytes || state->drain_rounds > BBRSTART_REPAIR_ROUNDS ||
	       (state->calm_rounds >= BBRSTART_CALM_ROUNDS && !state->is_repairing);
}

static inline void bbrstart_ack(struct bbrstart *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t bdp;

	state->is_repairing = state->is_repairing && ack->flags & STARTUP_ACK_RECOVERING;
	if (!state->is_repairing)
		state->cwnd_bytes = ack->cwnd_bytes;
	state->loss_events += ack->lost_bytes > state->lost_bytes;
	state->lost_bytes = ack->lost_bytes;
	state->min_rtt_ns = startup_min_rtt(state->min_rtt_ns, ack);
	delivery_rate_add(&state->rate, ack, state->min_rtt_ns);
	if (!state->rate.is_app_limited || state->rate.bytes_per_s > state->max_bytes_per_s)
		state->max_bytes_per_s = max_u64(state->max_bytes_per_s, state->rate.bytes_per_s);
	bbrstart_count_aggregation(state, ack);
	if (state->rate.round_begins)
		bbrstart_end_round(state, ack);
	bdp = bbrstart_quantize(state, bbrstart_bdp(state, ack->mss_bytes), ack->mss_bytes);
	state->is_drained = bbrstart_drain_is_done(state, ack, bdp);
	bbrstart_set_pacing(state);
	bbrstart_set_cwnd(state, ack);
	/* On a path of microseconds, the quanta are more than cwnd ever was. */
	if (state->is_drained)
		state->cwnd_bytes = min_u64(state->cwnd_bytes, bdp);
	bbrstart_decide(state, decision);
	if (state->is_drained && bbrstart_is_repaired(state)) {
		decision->ssthresh_bytes = bdp;
		startup_finish(decision, state->exit);
	} else if (state->cwnd_bytes >= state->initial_ssthresh_bytes) {
		decision->cwnd_bytes = max_u64(ack->cwnd_bytes, state->initial_ssthresh_bytes);
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
	}
}

static inline void bbrstart_loss(struct bbrstart *state, const struct startup_loss *loss,
				 struct startup_decision *decision)
{
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (state->is_repairing)
		ssthresh_bytes = min_u64(ssthresh_bytes, state->loss_ssthresh_bytes);
	if (loss->kind == STARTUP_LOSS_RECOVERY && !startup_is_mark(loss, state->lost_bytes)) {
		/* A whole round must be in the recovery, and this loss counts to it. */
		delivery_begin_round(&state->rate, loss->acknowledged_bytes + loss->inflight_bytes +
							   state->lost_bytes);
		state->round_delivered_bytes = loss->acknowledged_bytes;
		state->round_lost_bytes = state->lost_bytes;
		state->loss_events = 0;
		state->cwnd_bytes = loss->cwnd_bytes;
		state->loss_ssthresh_bytes = ssthresh_bytes;
		state->is_repairing = true;
		bbrstart_decide(state, decision);
		return;
	}
	state->is_repairing = false;
	bbrstart_decide(state, decision);
	decision->cwnd_bytes = loss->cwnd_bytes;
	decision->ssthresh_bytes = ssthresh_bytes;
	startup_finish(decision, startup_loss_exit(loss));
}

#endif
