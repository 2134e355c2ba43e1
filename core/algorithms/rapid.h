/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * rapid: slow start that triples cwnd in each round as long as no queue builds up.
 *
 * K. Oku: Rapid Startup of Congestion Control. draft-kazuho-ccwg-rapid-start-02, 2026. Its author's
 * implementation is h2o/quicly (MIT license). No code of either is used here.
 *
 * In one sentence: while the lowest RTT of the last round trip is near the minimum RTT, cwnd grows
 * by twice what is acknowledged, and the recovery from the first loss undoes an overshoot by the
 * data that arrived.
 *
 *   cwnd += 2 * acked    if rtt_floor <= min(min_rtt + 4 ms, 1.1 * min_rtt)     x3 in a round
 *   cwnd += acked        otherwise                                              x2
 *
 *   at the first loss:  cwnd *= silence             silence = loss = beta + K (1 - beta)
 *   in its recovery:    cwnd -= ack * acked         ack     = K (1 - beta)
 *                       cwnd -= loss * lost         K       = 11 / 18
 *                       cwnd >= (silence - ack / 3 - 2 / 3 loss) * cwnd at the loss
 *
 * A flight of W bytes of which D arrive and W - D are lost leaves beta * D: what congestion
 * avoidance would make of a flight of D. The sender is silent until the flight is below
 * silence * W, and then sends less than what arrives.
 *
 *      +------------+  first loss   +--------+  repaired (exit: loss)   +------+
 *      | SLOW START | ------------> | REPAIR | -----------------------> | DONE |
 *      +------------+               +--------+                          +------+
 *            |                          |       an RTO (exit: timeout)      ^
 *            |__________________________|___________________________________|
 *              cwnd >= the host's first ssthresh (exit: ssthresh)
 *
 * The first flight has 2 * IW and is paced over a round trip, so it leaves no faster than paced
 * slow start's.
 *
 * Differences from the draft, and its open points
 * - beta is ssthresh / cwnd of the host's congestion avoidance at the loss: 0.7 for CUBIC, 0.5 for
 *   Reno. It is kept between these two.
 * - The RTT floor is the minimum of the last four to five quarters of min_rtt, as in quicly. quicly
 *   has max(min_rtt + 4 ms, 35 / 32 * min_rtt) where the draft has the minimum of two terms.
 * - The flight at the loss is what is reduced for. TCP's recovery lasts longer, until the
 *   retransmissions arrive: cwnd stays then. The losses that began the recovery count too.
 * - Without an RTT from the handshake, or on a host with coarse timers, the first flight has IW and
 *   is not paced. Later flights are not paced by the algorithm.
 * - Only the first recovery, as in the draft. An ECN mark that begins a recovery counts as a loss.
 * - A reduction that the host undoes because the loss was none lets slow start go on.
 * - An ssthresh that the host sets later (HyStart) is not used. The draft allows HyStart++.
 */
#ifndef ONRAMP_RAPID_H
#define ONRAMP_RAPID_H

#include "startup.h"

#define RAPID_ONE_PPM UINT64_C(1000000)
/* beta of CUBIC and of Reno */
#define RAPID_MAX_BETA_PPM 700000
#define RAPID_MIN_BETA_PPM 500000
/* K = 11 / 18 */
#define RAPID_K_NUMERATOR 11
#define RAPID_K_DIVISOR 18
/* The RTT floor is near min_rtt: "tolerance for typical jitter while keeping Rapid Start out of the
 * range where early queueing-detection algorithms such as HyStart++ are known to trigger". */
#define RAPID_TOLERANCE_NS UINT64_C(4000000)
#define RAPID_TOLERANCE_DIVISOR 10
/* The initial window may be 2 * IW: paced over a round trip, it leaves at 2 * IW / RTT, as Linux
 * paces slow start. */
#define RAPID_INITIAL_WINDOWS 2
/* Parts of min_rtt in which the RTT floor is kept */
#define RAPID_SLOTS 4

struct rapid {
	uint64_t floors_ns[RAPID_SLOTS]; /* of the present slot and those before; 0: no sample */
	uint64_t slot_ns;                /* when the present slot began */
	uint64_t min_rtt_ns;
	uint64_t host_ssthresh_bytes; /* from the beginning */
	uint64_t initial_cwnd_bytes;
	uint64_t delivered_bytes; /* at the last ACK; in REPAIR, at the loss */
	uint64_t lost_bytes;      /* likewise, without the loss itself */
	uint64_t end_bytes;       /* the flight at the loss is accounted for */
	uint64_t flight_cwnd_bytes;
	uint64_t least_cwnd_bytes;
	uint64_t cwnd_bytes; /* in REPAIR; also ssthresh */
	uint64_t beta_ppm;
	uint32_t is_repairing;
	uint32_t is_accounted_for;
};
STARTUP_ASSERT_STATE(struct rapid);

static inline void rapid_start(struct rapid *state, const struct startup_start *start,
			       struct startup_decision *decision)
{
	uint64_t jump_bytes = min_u64(RAPID_INITIAL_WINDOWS * start->cwnd_bytes,
				      max_u64(start->ssthresh_bytes, start->cwnd_bytes));
	uint64_t rate = rate_bytes_per_s(jump_bytes, start->srtt_ns);

	state->host_ssthresh_bytes = start->ssthresh_bytes;
	state->initial_cwnd_bytes = start->cwnd_bytes;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
	if (!rate || !startup_can_pace(max_u64(start->clock.event_ns, 1), rate, start->mss_bytes))
		return;
	decision->cwnd_bytes = jump_bytes;
	decision->pacing_bytes_per_s = rate;
}

/* Take an RTT sample into the floors. After a silence, each ACK ends one slot. */
static inline void rapid_add_rtt(struct rapid *state, const struct startup_ack *ack)
{
	uint64_t *floors_ns = state->floors_ns;
	uint64_t age_ns = ack->now_ns - state->slot_ns;

	state->min_rtt_ns = startup_min_rtt(state->min_rtt_ns, ack);
	if (!ack->rtt_ns)
		return;
	if (age_ns >= state->min_rtt_ns) {
		for (uint32_t i = 0; i < RAPID_SLOTS; i++)
			floors_ns[i] = 0;
		state->slot_ns = ack->now_ns;
	} else if (age_ns >= state->min_rtt_ns / RAPID_SLOTS) {
		for (uint32_t i = RAPID_SLOTS - 1; i > 0; i--)
			floors_ns[i] = floors_ns[i - 1];
		floors_ns[0] = 0;
		state->slot_ns += state->min_rtt_ns / RAPID_SLOTS;
	}
	floors_ns[0] = floors_ns[0] ? min_u64(floors_ns[0], ack->rtt_ns) : ack->rtt_ns;
}

/* The floor of the last round trip shows no queue. */
static inline bool rapid_path_is_free(const struct rapid *state)
{
	uint64_t floor_ns = STARTUP_UNLIMITED;

	/* 0 less 1 is larger than any RTT. */
	for (uint32_t i = 0; i < RAPID_SLOTS; i++)
		floor_ns = min_u64(floor_ns, state->floors_ns[i] - 1);
	return floor_ns < state->min_rtt_ns + min_u64(RAPID_TOLERANCE_NS,
						      state->min_rtt_ns / RAPID_TOLERANCE_DIVISOR);
}

/* K (1 - beta), in millionths */
static inline uint64_t rapid_ack_factor_ppm(const struct rapid *state)
{
	return (RAPID_ONE_PPM - state->beta_ppm) * RAPID_K_NUMERATOR / RAPID_K_DIVISOR;
}

/* cwnd after what was delivered and lost of the flight until now */
static inline uint64_t rapid_repair_cwnd(const struct rapid *state, uint64_t acked_bytes,
					 uint64_t lost_bytes)
{
	uint64_t ack_ppm = rapid_ack_factor_ppm(state), silence_ppm = state->beta_ppm + ack_ppm;
	uint64_t less_bytes = mul_div(acked_bytes, ack_ppm, RAPID_ONE_PPM) +
			      mul_div(lost_bytes, silence_ppm, RAPID_ONE_PPM);
	uint64_t cwnd_bytes = mul_div(state->flight_cwnd_bytes, silence_ppm, RAPID_ONE_PPM);

	return max_u64(cwnd_bytes > less_bytes ? cwnd_bytes - less_bytes : 0,
		       state->least_cwnd_bytes);
}

static inline void rapid_decide_repair(const struct rapid *state, struct startup_decision *decision)
{
	startup_begin_slow_start(decision, state->cwnd_bytes, state->cwnd_bytes);
	decision->phase = STARTUP_PHASE_REPAIR;
}

/* An ACK in REPAIR, of the recovery */
static inline void rapid_repair(struct rapid *state, const struct startup_ack *ack)
{
	uint64_t acked_bytes = ack->delivered_bytes - state->delivered_bytes;
	uint64_t lost_bytes = ack->lost_bytes - state->lost_bytes;
	uint64_t gone_bytes = ack->delivered_bytes + lost_bytes;

	if (state->is_accounted_for)
		return;
	/* What the last ACK delivers beyond the flight is not part of it. */
	if (gone_bytes >= state->end_bytes) {
		state->is_accounted_for = true;
		acked_bytes -= min_u64(acked_bytes, gone_bytes - state->end_bytes);
	}
	state->cwnd_bytes = rapid_repair_cwnd(state, acked_bytes, lost_bytes);
}

/* An ACK outside of recovery */
static inline void rapid_grow(struct rapid *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	uint64_t ssthresh_bytes = state->host_ssthresh_bytes;
	uint64_t cwnd_bytes = startup_slow_start(ack, ssthresh_bytes);

	if (rapid_path_is_free(state))
		cwnd_bytes = max_u64(ack->cwnd_bytes,
				     min_u64(2 * cwnd_bytes - ack->cwnd_bytes, ssthresh_bytes));
	state->delivered_bytes = ack->delivered_bytes;
	state->lost_bytes = ack->lost_bytes;
	startup_begin_slow_start(decision, cwnd_bytes, ssthresh_bytes);
	if (cwnd_bytes >= ssthresh_bytes)
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
}

static inline void rapid_ack(struct rapid *state, const struct startup_ack *ack,
			     struct startup_decision *decision)
{
	bool loss_was_none = ack->ssthresh_bytes > state->cwnd_bytes;

	rapid_add_rtt(state, ack);
	if (state->is_repairing && ack->flags & STARTUP_ACK_RECOVERING) {
		rapid_repair(state, ack);
		rapid_decide_repair(state, decision);
	} else if (state->is_repairing && !loss_was_none) {
		rapid_decide_repair(state, decision);
		startup_finish(decision, STARTUP_EXIT_LOSS);
	} else {
		state->is_repairing = false;
		rapid_grow(state, ack, decision);
	}
}

/* The first loss */
static inline void rapid_begin_repair(struct rapid *state, const struct startup_loss *loss)
{
	uint64_t share_ppm =
		mul_div(loss->ssthresh_bytes, RAPID_ONE_PPM, max_u64(loss->cwnd_bytes, 1));
	uint64_t ack_ppm, silence_ppm, beta_window_bytes;

	state->beta_ppm = max_u64(min_u64(share_ppm, RAPID_MAX_BETA_PPM), RAPID_MIN_BETA_PPM);
	ack_ppm = rapid_ack_factor_ppm(state);
	silence_ppm = state->beta_ppm + ack_ppm;
	beta_window_bytes = mul_div(state->initial_cwnd_bytes, state->beta_ppm, RAPID_ONE_PPM);
	state->is_repairing = true;
	state->is_accounted_for = false;
	state->flight_cwnd_bytes = loss->cwnd_bytes;
	/* A flight of x3 loses two thirds at most: silence - ack / 3 - 2 / 3 loss, with loss =
	 * silence. RFC 5681 demands two segments. */
	state->least_cwnd_bytes =
		max_u64(max_u64(mul_div(loss->cwnd_bytes, silence_ppm - ack_ppm, 3 * RAPID_ONE_PPM),
				beta_window_bytes),
			2 * (uint64_t)loss->mss_bytes);
	state->end_bytes = loss->acknowledged_bytes + loss->inflight_bytes;
	state->cwnd_bytes = rapid_repair_cwnd(
		state, 0, loss->lost_bytes - min_u64(state->lost_bytes, loss->lost_bytes));
}

static inline void rapid_loss(struct rapid *state, const struct startup_loss *loss,
			      struct startup_decision *decision)
{
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (loss->kind == STARTUP_LOSS_RECOVERY && !state->is_repairing) {
		rapid_begin_repair(state, loss);
		rapid_decide_repair(state, decision);
		return;
	}
	if (state->is_repairing)
		ssthresh_bytes = min_u64(ssthresh_bytes, state->cwnd_bytes);
	startup_begin_slow_start(decision, loss->cwnd_bytes, ssthresh_bytes);
	startup_finish(decision, startup_loss_exit(loss));
}

#endif
