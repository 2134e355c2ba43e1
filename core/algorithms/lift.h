/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * lift: slow start whose cwnd is lifted to half of the BDP at the peak delivery rate, as picoquic's
 * CUBIC starts.
 *
 * C. Huitema: picoquic, the start of its CUBIC (picoquic/cubic.c, cc_common.c and frames.c, August
 * 2026, MIT license). None of its code is used here.
 *
 * In one sentence: the densest ACKs show the rate of the bottleneck long before cwnd does, so cwnd
 * is at least half of what that rate carries in a round trip.
 *
 *   peak  = maximum of delivered / max(ack interval, send interval), each over more than 1 ms
 *   cwnd  = max(cwnd, peak * srtt / 2) + acked
 *   pacing rate = 1.25 * cwnd / srtt, once cwnd was lifted
 *
 *      +------------+   7 successive minima of 7 RTT samples exceed     +------+
 *      | SLOW START | ------------------------------------------------> | DONE |
 *      +------------+   the base RTT by a quarter (exit: delay)         +------+
 *        |        ^                                                        ^
 *        | a loss | repaired                                               |
 *        v        |                                                        |
 *      +------------+   the smoothed loss rate is above 15 % (exit: loss)  |
 *      |   REPAIR   | -----------------------------------------------------+
 *      +------------+   an RTO (exit: timeout) or an ECN mark (exit: loss), here and in SLOW START
 *
 * The base RTT is the lowest maximum of 7 successive RTT samples. Samples are at least 1 ms apart.
 * At a delay exit cwnd was raised for a round trip too long: it is halved on a short path. On a
 * path of more than 100 ms it loses half of its share beyond that of a path of 100 ms (610 ms: it
 * keeps the share of one of 610 ms), and ssthresh is that cwnd.
 *
 * Differences from picoquic
 * - The first flight leaves at once in both: picoquic's token bucket holds 32 kB. Later picoquic
 *   paces with a bucket of a quarter of cwnd. Here the host paces, in shorter bursts, and only
 *   after the first lift: paced, a flight shows no rate above its own.
 * - One-way delays are not used: TCP's timestamps are too coarse.
 * - A loss exit takes the ssthresh of the host's congestion avoidance, not picoquic's 7/8 of cwnd.
 * - The smoothed loss rate counts segments by bytes. picoquic counts packet numbers.
 * - After an exit, congestion avoidance is the host's, not picoquic's CUBIC, which grows as beyond
 *   W_max at once.
 * - An ssthresh that the host has from the beginning ends slow start. One that it sets later
 *   (HyStart) is not used.
 */
#ifndef ONRAMP_LIFT_H
#define ONRAMP_LIFT_H

#include "startup.h"

/* A rate is measured over more than 1 ms, and RTT samples of the delay exit are as far apart. */
#define LIFT_INTERVAL_NS UINT64_C(1000000)
/* cwnd is at least this part of the BDP at the peak rate, which a burst may overstate. */
#define LIFT_BDP_DIVISOR 2
/* 1.25 * cwnd / srtt, in percent */
#define LIFT_PACING_PERCENT 125
/* PICOQUIC_MIN_MAX_RTT_SCOPE: RTT samples of a minimum, and minima of an exit */
#define LIFT_RTT_SAMPLES 7
/* The delay counts from a quarter of the base RTT on. */
#define LIFT_DELAY_DIVISOR 4
/* The RTT of a path on which slow start's window is fair to others, and of a satellite path */
#define LIFT_SHORT_RTT_NS UINT64_C(100000000)
#define LIFT_SATELLITE_RTT_NS UINT64_C(610000000)
/* Each segment changes the smoothed loss rate by 1/16, and 32 segments without a loss are enough to
 * forget the ones before. Above 15 % slow start ends, which takes three losses in a row. */
#define LIFT_ONE_PPM UINT64_C(1000000)
#define LIFT_SMOOTHING 16
#define LIFT_LOSS_SCOPE 32
#define LIFT_MAX_LOSS_PPM 150000
/* More successive losses than that are above the limit in any case. */
#define LIFT_LOSSES 4

struct lift {
	uint64_t rtts_ns[LIFT_RTT_SAMPLES]; /* in turn */
	uint64_t rtt_sample_ns;             /* when the latest was taken */
	uint64_t base_rtt_ns;               /* 0: not yet */
	uint64_t peak_bytes_per_s;
	uint64_t peak_delivered_bytes; /* at the last rate sample */
	uint64_t peak_ack_ns;
	uint64_t peak_left_ns;
	uint64_t loss_ppm;
	uint64_t gone_bytes; /* delivered or lost, at the last loss */
	uint64_t lost_bytes; /* at the last ACK or loss */
	uint64_t host_ssthresh_bytes;
	uint64_t cwnd_bytes;
	uint64_t loss_cwnd_bytes;     /* at the loss that is repaired */
	uint64_t loss_ssthresh_bytes; /* congestion avoidance's, then */
	uint64_t event_ns;
	uint32_t rtt_turn;  /* the place of the next RTT sample */
	uint32_t rtt_count; /* RTT samples so far, up to LIFT_RTT_SAMPLES */
	uint32_t excess_rtts;
	uint32_t is_lifted;
	uint32_t is_repairing;
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct lift);

static inline void lift_start(struct lift *state, const struct startup_start *start,
			      struct startup_decision *decision)
{
	state->host_ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* Take a rate sample, if the last one is more than a millisecond ago. */
static inline void lift_measure(struct lift *state, const struct startup_ack *ack)
{
	uint64_t left_ns = ack->now_ns - min_u64(ack->rtt_ns, ack->now_ns);
	uint64_t elapsed_ns = ack->now_ns - state->peak_ack_ns;
	bool is_first = !state->peak_ack_ns;

	if (!ack->rtt_ns || left_ns < state->peak_left_ns ||
	    ack->delivered_bytes < state->peak_delivered_bytes)
		return;
	if (!is_first && elapsed_ns <= LIFT_INTERVAL_NS)
		return;
	if (!is_first)
		state->peak_bytes_per_s = max_u64(
			state->peak_bytes_per_s,
			rate_bytes_per_s(ack->delivered_bytes - state->peak_delivered_bytes,
					 max_u64(elapsed_ns, left_ns - state->peak_left_ns)));
	state->peak_delivered_bytes = ack->delivered_bytes;
	state->peak_ack_ns = ack->now_ns;
	state->peak_left_ns = left_ns;
}

/* 1.25 * cwnd / srtt */
static inline uint64_t lift_pacing_bytes_per_s(const struct startup_ack *ack, uint64_t cwnd_bytes)
{
	return mul_div(rate_bytes_per_s(cwnd_bytes, ack->srtt_ns), LIFT_PACING_PERCENT, 100);
}

/* The delay of the pipe has risen and stays: take an RTT sample and look. */
static inline bool lift_is_delayed(struct lift *state, const struct startup_ack *ack)
{
	uint64_t min_ns = ack->rtt_ns, max_ns = ack->rtt_ns, margin_ns;

	if (!ack->rtt_ns || ack->now_ns - state->rtt_sample_ns <= LIFT_INTERVAL_NS)
		return false;
	state->rtt_sample_ns = ack->now_ns;
	/* Constant indices only: the verifier of Linux 6.1 does not see that the turn is bounded.
	 */
	for (uint32_t i = 0; i < LIFT_RTT_SAMPLES; i++) {
		if (i == state->rtt_turn)
			state->rtts_ns[i] = ack->rtt_ns;
		min_ns = min_u64(min_ns, state->rtts_ns[i]);
		max_ns = max_u64(max_ns, state->rtts_ns[i]);
	}
	state->rtt_turn = state->rtt_turn + 1 < LIFT_RTT_SAMPLES ? state->rtt_turn + 1 : 0;
	state->rtt_count = (uint32_t)min_u64(state->rtt_count + 1, LIFT_RTT_SAMPLES);
	if (state->rtt_count < LIFT_RTT_SAMPLES)
		return false;
	state->base_rtt_ns = state->base_rtt_ns ? min_u64(state->base_rtt_ns, max_ns) : max_ns;
	margin_ns = max_u64(
		state->base_rtt_ns / LIFT_DELAY_DIVISOR,
		rate_bytes_per_s(ack->mss_bytes,
				 max_u64(lift_pacing_bytes_per_s(ack, ack->cwnd_bytes), 1)));
	if (min_ns <= state->base_rtt_ns)
		state->excess_rtts = 0;
	else if (min_ns > state->base_rtt_ns + margin_ns)
		state->excess_rtts++;
	return state->excess_rtts >= LIFT_RTT_SAMPLES;
}

/* The cwnd of a delay exit */
static inline uint64_t lift_reduced_cwnd(const struct lift *state, uint64_t cwnd_bytes,
					 uint64_t mss_bytes)
{
	uint64_t rtt_ns = state->base_rtt_ns, share_bytes;

	if (rtt_ns <= LIFT_SHORT_RTT_NS) {
		cwnd_bytes /= 2;
	} else {
		share_bytes = mul_div(cwnd_bytes,
				      rtt_ns > LIFT_SATELLITE_RTT_NS ? LIFT_SATELLITE_RTT_NS
								     : LIFT_SHORT_RTT_NS,
				      rtt_ns);
		cwnd_bytes -= (cwnd_bytes - min_u64(share_bytes, cwnd_bytes)) / 2;
	}
	return max_u64(cwnd_bytes, 2 * mss_bytes);
}

/* The smoothed loss rate after so many segments without a loss, at most 63. By squares of 15/16,
 * in millionths, because the verifier walks a loop of 32. */
static inline uint64_t lift_forget(uint64_t loss_ppm, uint64_t segments)
{
	uint64_t power_ppm = LIFT_ONE_PPM - LIFT_ONE_PPM / LIFT_SMOOTHING;

	for (uint32_t bit = 0; bit < 6; bit++) {
		loss_ppm =
			loss_ppm * (segments >> bit & 1 ? power_ppm : LIFT_ONE_PPM) / LIFT_ONE_PPM;
		power_ppm = power_ppm * power_ppm / LIFT_ONE_PPM;
	}
	return loss_ppm;
}

/* Losses were found: `lost_bytes` and `delivered_bytes` since the start. Returns true if the
 * smoothed loss rate is too high. */
static inline bool lift_loses(struct lift *state, uint64_t lost_bytes, uint64_t delivered_bytes,
			      uint64_t mss_bytes)
{
	uint64_t losses, gone_bytes = delivered_bytes + lost_bytes, segments;

	if (lost_bytes <= state->lost_bytes)
		return false;
	mss_bytes = max_u64(mss_bytes, 1);
	losses = max_u64((lost_bytes - state->lost_bytes) / mss_bytes, 1);
	segments =
		gone_bytes > state->gone_bytes ? (gone_bytes - state->gone_bytes) / mss_bytes : 0;
	segments = max_u64(segments > losses ? segments - losses : 0, 1);
	state->loss_ppm = lift_forget(state->loss_ppm, min_u64(segments, LIFT_LOSS_SCOPE));
	for (uint32_t i = 0; i < LIFT_LOSSES; i++) {
		uint64_t forgotten_ppm = i ? lift_forget(state->loss_ppm, 1) : state->loss_ppm;

		state->loss_ppm =
			i < losses ? forgotten_ppm + (LIFT_ONE_PPM - forgotten_ppm) / LIFT_SMOOTHING
				   : state->loss_ppm;
	}
	state->lost_bytes = lost_bytes;
	state->gone_bytes = gone_bytes;
	return state->loss_ppm > LIFT_MAX_LOSS_PPM;
}

/* cwnd after this ACK */
static inline void lift_grow(struct lift *state, const struct startup_ack *ack)
{
	uint64_t target_bytes =
		mul_div(state->peak_bytes_per_s, ack->srtt_ns, NS_PER_S) / LIFT_BDP_DIVISOR;

	target_bytes = min_u64(target_bytes, state->host_ssthresh_bytes);
	if (target_bytes > state->cwnd_bytes) {
		state->cwnd_bytes = target_bytes;
		state->is_lifted = true;
	}
	if (ack->flags & STARTUP_ACK_CWND_LIMITED)
		state->cwnd_bytes =
			max_u64(state->cwnd_bytes, min_u64(state->cwnd_bytes + ack->acked_bytes,
							   state->host_ssthresh_bytes));
}

static inline void lift_decide(const struct lift *state, struct startup_decision *decision)
{
	startup_begin_slow_start(decision, state->cwnd_bytes, state->host_ssthresh_bytes);
	decision->estimate_bytes_per_s = state->peak_bytes_per_s;
	if (state->is_repairing)
		decision->phase = STARTUP_PHASE_REPAIR;
}

static inline void lift_ack(struct lift *state, const struct startup_ack *ack,
			    struct startup_decision *decision)
{
	bool is_delayed = lift_is_delayed(state, ack);
	bool is_lossy = lift_loses(state, ack->lost_bytes, ack->delivered_bytes, ack->mss_bytes);
	uint64_t rate;

	state->is_repairing = state->is_repairing && ack->flags & STARTUP_ACK_RECOVERING;
	if (!state->is_repairing)
		state->cwnd_bytes = ack->cwnd_bytes;
	lift_measure(state, ack);
	lift_grow(state, ack);
	lift_decide(state, decision);
	rate = lift_pacing_bytes_per_s(ack, state->cwnd_bytes);
	if (state->is_lifted && rate && startup_can_pace(state->event_ns, rate, ack->mss_bytes))
		decision->pacing_bytes_per_s = rate;
	if (is_lossy && state->is_repairing) {
		decision->ssthresh_bytes =
			max_u64(mul_div(state->cwnd_bytes, state->loss_ssthresh_bytes,
					state->loss_cwnd_bytes),
				2 * (uint64_t)ack->mss_bytes);
		startup_finish(decision, STARTUP_EXIT_LOSS);
	} else if (is_delayed) {
		decision->cwnd_bytes = lift_reduced_cwnd(state, state->cwnd_bytes, ack->mss_bytes);
		decision->ssthresh_bytes = decision->cwnd_bytes;
		startup_finish(decision, STARTUP_EXIT_DELAY);
	} else if (state->cwnd_bytes >= state->host_ssthresh_bytes) {
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
	}
}

static inline void lift_loss(struct lift *state, const struct startup_loss *loss,
			     struct startup_decision *decision)
{
	bool is_mark = startup_is_mark(loss, state->lost_bytes);
	bool is_lossy =
		lift_loses(state, loss->lost_bytes, loss->acknowledged_bytes, loss->mss_bytes);
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (state->is_repairing)
		ssthresh_bytes = min_u64(ssthresh_bytes, state->loss_ssthresh_bytes);
	else
		state->cwnd_bytes = loss->cwnd_bytes;
	if (loss->kind == STARTUP_LOSS_RECOVERY && !is_lossy && !is_mark) {
		state->loss_cwnd_bytes = max_u64(loss->cwnd_bytes, 1);
		state->loss_ssthresh_bytes = ssthresh_bytes;
		state->is_repairing = true;
		lift_decide(state, decision);
		return;
	}
	state->is_repairing = false;
	lift_decide(state, decision);
	decision->cwnd_bytes = loss->cwnd_bytes;
	decision->ssthresh_bytes = ssthresh_bytes;
	startup_finish(decision, startup_loss_exit(loss));
}

#endif
