/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp, SLOW START and PACING: measure the bottleneck rate, then fill most of the pipe, paced. */
#ifndef ONRAMP_ONRAMP_FILL_H
#define ONRAMP_ONRAMP_FILL_H

#include "algorithms/onramp/evidence.h"
#include "algorithms/onramp/grow.h"
#include "algorithms/onramp/share.h"
#include "parts/path_memory.h"

/* The cwnd that slow start would have without the segments of the first round that have left behind
 * the initial window. */
static inline uint64_t onramp_prior_cwnd(const struct onramp *state, const struct startup_ack *ack,
					 uint64_t cwnd_bytes)
{
	return state->first_bytes_per_s
		       ? min_u64(cwnd_bytes, state->initial_cwnd_bytes + ack->delivered_bytes)
		       : cwnd_bytes;
}

/* Send a window that no ACK has validated, paced over the next round trip. */
static inline void onramp_begin_pacing(struct onramp *state, const struct startup_ack *ack,
				       uint64_t target_bytes, uint64_t cwnd_bytes,
				       struct startup_decision *decision)
{
	state->prior_cwnd_bytes = onramp_prior_cwnd(state, ack, decision->cwnd_bytes);
	onramp_end_first_round(state, ack);
	state->target_bytes = target_bytes;
	decision->cwnd_bytes = max_u64(decision->cwnd_bytes, cwnd_bytes);
	decision->ssthresh_bytes = STARTUP_UNLIMITED;
	state->last_round_bytes_per_s = 0;
	state->pipe_is_validated = false;
	state->phase = STARTUP_PHASE_PACING;
	onramp_begin_round(state, ack);
}

/* A flight has shown the rate of the whole path. */
static inline void onramp_set_rate(struct onramp *state, uint64_t rate)
{
	state->bottleneck_bytes_per_s = rate;
	state->path_bytes_per_s = rate;
}

/* Fill the share of the BDP as far as that is allowed without validation. Fill at least min_bytes
 * of it, which the remembered BDP confirms. */
static inline void onramp_fill(struct onramp *state, const struct startup_ack *ack,
			       uint64_t min_bytes, struct startup_decision *decision)
{
	uint64_t target_bytes = onramp_fair_share(
		state, ack, onramp_bdp_bytes(state, state->bottleneck_bytes_per_s, ack->mss_bytes));

	onramp_begin_pacing(state, ack, target_bytes,
			    max_u64(onramp_unvalidated_bytes(state, target_bytes, ack->mss_bytes),
				    min_u64(min_bytes, target_bytes)),
			    decision);
}

/* The size of the probe that the flight's lower bound permits; 0: no larger than slow start's
 * flight.
 */
static inline uint64_t onramp_probe_bytes(const struct onramp *state, const struct startup_ack *ack,
					  uint64_t cwnd_bytes)
{
	uint64_t bytes = onramp_unvalidated_bytes(
		state,
		onramp_own_bytes(state, ack,
				 mul_div(state->bound_bytes_per_s, state->min_rtt_ns, NS_PER_S)),
		ack->mss_bytes);

	if (!state->bound_is_line)
		bytes = min_u64(bytes, ONRAMP_MAX_PROBE_GROWTH * cwnd_bytes);
	return bytes <= cwnd_bytes ||
			       state->variant & (ONRAMP_WITHOUT_MEASURING | ONRAMP_WITHOUT_PROBING)
		       ? 0
		       : bytes;
}

/* No rate is known, but a lower bound of it: send a larger flight than slow start's, paced, to
 * measure more. */
static inline void onramp_probe(struct onramp *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t bytes = onramp_probe_bytes(state, ack, decision->cwnd_bytes);

	state->is_probing = bytes != 0;
	if (!bytes) {
		/* What an application has not sent of the first round may still leave. */
		if (flight_app_limited(&state->flight)) {
			state->probe_bytes_per_s = state->first_bytes_per_s;
			return;
		}
		/* The next flight has left while this one arrived. It is slow start's, and until a
		 * loss it leaves no later than slow start's does. */
		state->probe_bytes_per_s = state->first_bytes_per_s
						   ? state->first_bytes_per_s
						   : ONRAMP_ARRIVAL_GAIN * state->probe_bytes_per_s;
		if (state->probe_bytes_per_s && !ack->lost_bytes)
			state->probe_bytes_per_s =
				max_u64(state->probe_bytes_per_s,
					rate_bytes_per_s(decision->cwnd_bytes, state->min_rtt_ns));
		onramp_end_first_round(state, ack);
		return;
	}
	state->prior_cwnd_bytes = onramp_prior_cwnd(state, ack, decision->cwnd_bytes);
	state->unmeasured_bytes = ack->delivered_bytes + ack->inflight_bytes;
	state->measured_end_bytes = ack->delivered_bytes + bytes;
	onramp_end_first_round(state, ack);
	decision->cwnd_bytes = bytes;
	state->probe_bytes_per_s =
		state->bound_bytes_per_s / 8 *
		(state->bound_is_line ? ONRAMP_LINE_PACING_EIGHTHS : ONRAMP_BOUND_PACING_EIGHTHS);
}

/* The remembered BDP permits so little more than a probe that the probe is worth more: its ACKs
 * show the rate. */
static inline bool onramp_prefers_probe(const struct onramp *state, const struct startup_ack *ack,
					uint64_t cwnd_bytes, uint64_t jump_bytes)
{
	return jump_bytes / ONRAMP_PROBE_WORTH <= onramp_probe_bytes(state, ack, cwnd_bytes);
}

/* The initial window is acknowledged, and no rate is known: use the remembered BDP, once. */
static inline void onramp_resume(struct onramp *state, const struct startup_ack *ack,
				 struct startup_decision *decision)
{
	uint64_t jump_bytes = state->remembered_bdp_bytes / PATH_MEMORY_JUMP_DIVISOR;

	if (!state->remembered_bdp_bytes || state->has_resumed)
		return;
	/* The RTT is another path's. */
	if (!path_memory_fits(state->remembered_rtt_ns, state->min_rtt_ns)) {
		state->remembered_bdp_bytes = 0;
		return;
	}
	if (onramp_prefers_probe(state, ack, decision->cwnd_bytes, jump_bytes))
		return;
	state->has_resumed = true;
	state->resume_delivered_bytes = ack->delivered_bytes - ack->inflight_bytes;
	onramp_begin_pacing(state, ack, state->remembered_bdp_bytes, jump_bytes, decision);
}

/* The jump has left behind the initial window. Wait until the initial window is acknowledged. */
static inline void onramp_resumed(struct onramp *state, const struct startup_ack *ack,
				  bool flight_ended, struct startup_decision *decision)
{
	uint64_t rate = onramp_measure(state, ack, flight_ended), used_bytes, pipe_bytes;
	uint64_t half_bytes = state->remembered_bdp_bytes / PATH_MEMORY_JUMP_DIVISOR;

	if (!flight_ended)
		return;
	/* The unused part of cwnd is lost (RFC 9959, section 3.3). */
	used_bytes = min_u64(ack->cwnd_bytes, ack->inflight_bytes + ack->acked_bytes);
	decision->cwnd_bytes = min_u64(ack->cwnd_bytes, state->prior_cwnd_bytes);
	if (!rate) {
		/* The path memory may have allowed less than half of the BDP. Now the initial
		 * window is acknowledged, and the rest may follow, as it does carefully. */
		if (!(ack->flags & STARTUP_ACK_APP_LIMITED) &&
		    path_memory_fits(state->remembered_rtt_ns, state->min_rtt_ns)) {
			if (onramp_prefers_probe(state, ack, used_bytes, half_bytes)) {
				state->phase = STARTUP_PHASE_SLOW_START;
				onramp_probe(state, ack, decision);
				return;
			}
			used_bytes = max_u64(used_bytes, half_bytes);
		}
		onramp_begin_pacing(state, ack, state->remembered_bdp_bytes, used_bytes, decision);
		return;
	}
	onramp_set_rate(state, rate);
	pipe_bytes = onramp_bdp_bytes(state, rate, ack->mss_bytes);
	state->memory_is_wrong = used_bytes > pipe_bytes;
	/* The measured rate confirms the remembered BDP within a factor of two: fill all of it. */
	onramp_fill(state, ack,
		    state->remembered_bdp_bytes >= pipe_bytes / ONRAMP_AGREEMENT_FACTOR ? pipe_bytes
											: 0,
		    decision);
}

/* The path is too short to be measured, and the host's own slow start would watch it now. */
static inline bool onramp_path_is_short(const struct onramp *state, const struct startup_ack *ack,
					uint64_t cwnd_bytes)
{
	return state->min_rtt_ns && state->min_rtt_ns < ONRAMP_MIN_PATH_NS &&
	       cwnd_bytes >= ONRAMP_HANDED_SEGMENTS * (uint64_t)ack->mss_bytes;
}

/* Behind many small messages, or the first one beside siblings, the first round is over: what may
 * leave in it leaves no more. At its rate, a message of the initial window would leave later than
 * in slow start. */
static inline void onramp_watch_exchanges(struct onramp *state, const struct startup_ack *ack,
					  struct startup_decision *decision)
{
	if (!state->first_bytes_per_s || ack->inflight_bytes ||
	    (++state->exchanges < ONRAMP_FIRST_EXCHANGES && !ack->siblings))
		return;
	decision->cwnd_bytes = onramp_prior_cwnd(state, ack, decision->cwnd_bytes);
	state->first_bytes_per_s = 0;
	state->probe_bytes_per_s = 0;
}

/* Slow start, until the ACKs of a flight give the bottleneck rate. */
static inline void onramp_slow_start(struct onramp *state, const struct startup_ack *ack,
				     bool flight_ended, struct startup_decision *decision)
{
	/* Segments that left before the probe belong to no flight. */
	uint64_t rate = ack->delivered_bytes > state->unmeasured_bytes
				? onramp_measure(state, ack, flight_ended)
				: 0;
	uint64_t pipe_bytes;

	if (flight_ended) {
		onramp_end_round(state, ack);
		state->sample_count = 0;
	} else if (state->sample_count < ONRAMP_GROUP_SAMPLES &&
		   onramp_group_is_complete(state, ack)) {
		/* A flight leaves in bursts. Only its first segments meet the queue that was there
		 * before; the later ones meet the flight's own. So take one group of a flight. */
		state->sample_count = ONRAMP_GROUP_SAMPLES;
		if (state->baseline_rtt_ns && onramp_group_is_delayed(state)) {
			/* ACKs have validated slow start's window, and it grows at full speed. */
			state->pipe_is_validated = true;
			state->growth_shift = 0;
			onramp_begin_hold(state, ack);
			return;
		}
	}
	decision->cwnd_bytes = startup_slow_start(ack, STARTUP_UNLIMITED);
	onramp_watch_exchanges(state, ack, decision);
	if (onramp_path_is_short(state, ack, decision->cwnd_bytes)) {
		state->exit = STARTUP_EXIT_PATH;
		state->phase = STARTUP_PHASE_DONE;
		return;
	}
	if (!rate) {
		if (flight_ended)
			onramp_resume(state, ack, decision);
		if (flight_ended && state->phase == STARTUP_PHASE_SLOW_START)
			onramp_probe(state, ack, decision);
		return;
	}
	pipe_bytes = onramp_own_bytes(state, ack, onramp_bdp_bytes(state, rate, ack->mss_bytes));
	decision->cwnd_bytes = max_u64(ack->cwnd_bytes, min_u64(decision->cwnd_bytes, pipe_bytes));
	if (flight_ended) {
		onramp_set_rate(state, rate);
		onramp_fill(state, ack, 0, decision);
	}
}

/* PACING, until the first paced segment is acknowledged. */
static inline void onramp_pacing(struct onramp *state, const struct startup_ack *ack,
				 struct startup_decision *decision)
{
	uint64_t pipe_bytes;

	if (ack->delivered_bytes <= state->round.end_delivered_bytes)
		return;
	state->baseline_rtt_ns = state->min_rtt_ns;
	state->paced_bytes_per_s = rate_bytes_per_s(ack->cwnd_bytes, state->min_rtt_ns);
	/* Of a remembered BDP, the part that the application did not use is lost (RFC 9959, section
	 * 3.3). */
	if (ack->flags & STARTUP_ACK_APP_LIMITED && !state->bottleneck_bytes_per_s)
		decision->cwnd_bytes =
			min_u64(ack->cwnd_bytes, max_u64(state->prior_cwnd_bytes,
							 ack->inflight_bytes + ack->acked_bytes));
	/* A window of 7/8 of the measured BDP or more fills the pipe: growth starts at 1/8. A
	 * remembered BDP is first validated by a whole round trip. */
	pipe_bytes =
		state->bottleneck_bytes_per_s
			? onramp_bdp_bytes(state, state->bottleneck_bytes_per_s, ack->mss_bytes)
			: state->target_bytes;
	if (state->variant & ONRAMP_WITHOUT_VALIDATING ||
	    (decision->cwnd_bytes >= pipe_bytes / 8 * ONRAMP_CARRIED_EIGHTHS &&
	     !state->has_resumed))
		onramp_validate(state);
	onramp_begin_approach(state);
	onramp_begin_round(state, ack);
}

#endif
