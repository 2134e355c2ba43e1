/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * onramp: measure the bottleneck rate in the first round trip, fill most of the pipe with paced
 * segments, and trust only what ACKs confirm.
 *
 * In one sentence: the ACKs of the first flight give the bottleneck rate; three quarters of the BDP
 * leave in the next round trip, paced; their ACKs show whether the path carries them; from then on
 * cwnd grows, slowly at first, until the delay rises and stays.
 *
 *   rate = slope of the line through a flight's ACKs   Hoe; Aron & Druschel; measure/ack_train.h
 *   BDP  = rate * RTT_min * share                      share: see "competing flows" below
 *   w    = min(BDP, 3/4 BDP + 10 segments)             sent within RTT_min: PACING
 *
 *   growth for each acknowledged byte                  APPROACH; raised as in Wang et al.
 *       1                  below w: the receiver held cwnd back, or the host reduced it
 *       1/3                in the round trip that validates w, where w is below 7/8 BDP
 *       1/8, 1/4, 1/2, 1   in the round trips after it
 *
 *   +------------+  (1)  +--------+  (2)  +----------+  (3)  +------+  (5)  +------+
 *   | SLOW START | ----> | PACING | ----> | APPROACH | ----> | HOLD | ----> | DONE |
 *   +------------+       +--------+       +----------+ <---- +------+       +------+
 *                                            |    ^     (4)                     ^
 *                                        (6) |    | (7)                         |
 *                                            v    |                             |
 *                                         +---------+            (8)            |
 *                                         | RETREAT | --------------------------+
 *                                         +---------+
 *
 *   - (1) A flight's ACKs give a rate, or the remembered BDP is used.
 *   - (2) The first paced segment is acknowledged.
 *   - (3) 8 samples are delayed. From SLOW START too, by 8 samples at the beginning of a flight.
 *   - (4) A sample is not delayed, or the delivery rate grew, or the path did not carry w. Back to
 *     SLOW START, if no BDP is known.
 *   - (5) The delay stayed for a round trip, and the rate did not grow: the pipe is full (delay).
 *   - (6) A loss that ACKs found, in every phase.
 *   - (7) The loss was light: back to the phase before. Or it met a queue of a window that no ACK
 *     has validated.
 *   - (8) The repair of any other loss has ended (loss).
 *
 * DONE is for good, unless the pipe was full: then AVOIDANCE is in its place, until an RTO. A pause
 * is followed by what filled the pipe before, or by what congestion avoidance has left of it.
 *
 * APPROACH leads to DONE too, where cwnd reaches the share beside siblings (estimate), or where it
 * exceeds twice the BDP with a queue, and becomes twice the BDP (delay). Every ECN mark and every
 * RTO lead to DONE (loss, timeout).
 *
 * The first round trip: the initial window leaves at once. Behind it, up to 90 segments leave at
 * the host's initial rate (core/parts/first_round.h), as many as this rate sends in the handshake's
 * RTT: up to 190 at a rate that is higher than that of a host that knows nothing. Siblings share
 * the rate. Where they are fewer than half of the initial window, none leave: slow start is faster.
 * A flight that is measured is what leaves at once: of the first round trip, the initial window.
 * Where the application has little to send at first, as in a handshake of TLS, the rest may leave
 * later: after an idle time too, but not behind 16 exchanges of small messages, or behind one
 * beside siblings. Small messages give a rate like other flights.
 *
 * SLOW START: as in RFC 5681. While a flight arrives whose ACKs give a rate, cwnd grows up to the
 * BDP at that rate and no further.
 *
 * A probe: where ACKs are aggregated, or the path is fast, a flight gives no rate, but a lower
 * bound of it (core/algorithms/onramp/evidence.h). The next flight is then three quarters of the
 * BDP at that bound, and leaves faster than at the bound. So the next ACKs show more of the rate.
 * A probe is a flight of SLOW START, measured without what leaves before and behind it. Its
 * decisions have a phase of their own (PROBE), until the flight is acknowledged.
 * The bound makes a probe as safe as a flight of slow start, which leaves at twice the rate at
 * which the last one arrived. A flight of slow start behind a paced one leaves within RTT_min,
 * until a loss.
 *
 * ACKs give a rate only where the segments left in at most three quarters of the time in which the
 * ACKs arrived. Other segments may have arrived as they left: those of a probe, of an application
 * that writes in parts, or of a host that paces its initial window.
 *
 * PACING: w is sent within RTT_min. This bounds the harm that w can do to the path and to competing
 * flows.
 *
 * APPROACH: ACKs clock the sender again, and segments are paced.
 *
 * HOLD: cwnd stays for a round trip. A queue of the sender's own stays too, and the delivery rate
 * does not grow with cwnd. A delay with another cause passes, or the rate grows in spite of it. If
 * the pipe is full, congestion avoidance takes over cwnd, as HyStart leaves it. If the path did not
 * carry w, cwnd becomes what was carried, and APPROACH goes on. If the queue was the sender's own,
 * it is gone then. If not, the delay leads to HOLD again, and the start-up ends. Where a loss has
 * met a queue before, cwnd becomes the BDP of the delivery rate: others may need the queue.
 *
 * RETREAT: a loss is being repaired, and its size decides:
 *
 *   loss                                 ssthresh                           afterwards
 *   light: at most 5 segments, or 1/20   cwnd, or the BDP if that is more   the phase before
 *   of the flight
 *   light, and a queue of a window that  as in the next line                the phase before
 *   no ACK has validated
 *   light, and a queue of a window that  BDP of the delivery rate, or       the end
 *   ACKs have validated                  congestion avoidance's if more
 *   heavy, and a queue before that, of   1/4 of what arrived                APPROACH
 *   a paced window
 *   heavy                                7/8 of what arrived                the end
 *
 * The smoothed RTT shows whether the loss met a queue. If the host takes the loss
 * back, because all segments have arrived after all, the phase before goes on. A loss before the
 * first sample of the RTT ends the start-up, whatever its size.
 *
 * A path loses some segments without congestion. Whoever exceeds a queue or a policer loses far
 * more. "What arrived" is the flight without its losses. The last segments of a message are a part
 * of a flight: of what a round trip has carried, up to cwnd. Of a heavy loss, ssthresh is at most
 * congestion avoidance's. Before validation, it is at least the cwnd before w, and in slow start
 * the initial window.
 *
 * The queue of a window that no ACK has validated may be that of competing flows. So cwnd falls to
 * a quarter. APPROACH then fills what arrived, as in slow start, until HOLD ends the start-up as
 * above.
 *
 * Competing flows that start at the same time have sent initial windows too. The queue in front of
 * this connection's first segments is theirs. It made the first RTT longer than the handshake's. On
 * average there is as much behind the first segments:
 *
 *   share = 10 / (10 + 2 q)     q: segments served in RTT_first - RTT_handshake - 1 ms - t
 *                               t: serialisation time of the bytes that the first ACK covers, and
 *                                  of one segment more
 *
 * A first RTT of more than twice the handshake's leaves no share: a proxy has answered the
 * handshake, and the difference is no queue. Nor does the rate of a later flight: the queue of the
 * first one is gone.
 *
 * Siblings are connections of this host to the same destination that start up at this time. The
 * host counts them (core/parts/ensemble.h), and each takes an equal share of the BDP. Where a
 * sibling begins later, the others give it its share: their cwnd falls. With a validated window,
 * their start-up ends there.
 *
 * A remembered path (core/parts/path_memory.h; RFC 9959, its sections in brackets) has a BDP R that
 * another connection has filled. Half of R may be sent before it is validated (3.3), paced. At once
 * it is less, if the path memory bounds it (jump_bytes):
 *
 *   carefully   when the initial window is acknowledged (3.2) and has given no rate. A rate that it
 *               has given is newer than R. Nor is R used where half of it is less than twice a
 *               probe, because a probe measures too. R may be a lower bound of the BDP only.
 *   at once     behind the initial window. If the initial window gives a rate, its BDP replaces R.
 *               If that BDP is 2 R at most, the two confirm each other, and w is the whole BDP.
 *
 * Up to R, cwnd grows as in slow start (3.4). It grows beyond R when a round trip has been carried.
 * A loss before that is a Safe Retreat (3.5). Until every segment is acknowledged or marked lost,
 * ssthresh is half of the bytes delivered since the jump. Then ssthresh is these bytes, reduced by
 * the factor of congestion avoidance, and at most the cwnd of the loss. The host then forgets R. It
 * also forgets R if the first flight shows that the BDP is below what has been sent.
 *
 * An application that sends in parts, as most do behind a handshake of TLS, needs the measured rate
 * more than once: w stays where the application did not use all of it. For five minutes (RFC 7661)
 * an idle time leaves min(cwnd, w), paced. Of a remembered BDP, what was not used is lost (3.3).
 * Where the start-up has ended at a full pipe, w is that of this pipe, and at most the ssthresh of
 * later losses. Up to ssthresh cwnd then grows as in slow start, paced. A pause shorter than the
 * RTO leaves cwnd as it is: a window leaves at the rate of the pipe then, and not in one burst. An
 * RTO, or 16 MiB without an ACK below ssthresh, end this (core/host.h).
 *
 * The connection learns the maximum that was acknowledged in a round trip, without its queue. From
 * a paced flight it learns the BDP at the delivery rate, once enough has arrived to be worth
 * remembering. From a full pipe it learns the BDP. It reports this where the pipe was full, and
 * where it is half of R or more. A connection that did not fill the pipe knows only a lower bound
 * of the BDP, which may replace R or confirm it.
 *
 * The constants and their reasons are in core/algorithms/onramp/state.h.
 *
 * The receiver's clock: with timestamps, every ACK shows when the receiver sent it, to a
 * millisecond (core/measure/receiver_clock.h). With packet pairs, where the user wants them and the
 * peer supports them, the receiver reports nanoseconds. The rate of a flight is then the rate at
 * which the receiver saw it arrive, and the delays are those of the forward path alone
 * (core/measure/pair_rate.h).
 *
 * A receiver may lie to get more than its share. By its timestamps it may show a rate that no path
 * has, so a rate of more than eight times what this host's own clock shows is none. It may hide a
 * queue, so they explain no more of a delay than the increase that is a queue. (Packet pairs may
 * explain all of it: the user runs both ends.) It may hide losses too: then the queue stays full,
 * and the delivery rate grows with cwnd. So a window of twice the BDP fills the pipe where this
 * host's own clock shows a queue throughout a round trip.
 *
 * The receiver's window may be the limit, as with the default buffers of Linux. It then opens by
 * leaps. Below the BDP, segments leave no faster than at the measured rate, and a loss shows
 * nothing about the rate of the path.
 *
 * A path with a minimum RTT of less than 4 ms is left to the host's own start-up once cwnd is 16
 * segments (exit: path). A queue of a quarter of its BDP would be too short to be seen.
 *
 * An ssthresh that the host has from the beginning (a route's metric) ends the start-up. One that
 * it lowers meanwhile (HyStart) does not.
 */
#ifndef ONRAMP_ONRAMP_H
#define ONRAMP_ONRAMP_H

#include "algorithms/onramp/retreat.h"
#include "parts/first_round.h"
#include "startup.h"

/* The numbers of the essay */
_Static_assert(ONRAMP_UNVALIDATED_QUARTERS == 3 && ONRAMP_UNVALIDATED_SEGMENTS == 10, "w");
_Static_assert(ONRAMP_VALIDATING_GROWTH_DIVISOR == 3 && ONRAMP_CARRIED_EIGHTHS == 7 &&
		       ONRAMP_FIRST_GROWTH_SHIFT == 3,
	       "growth");
_Static_assert(TRAIN_LEAVING_QUARTERS == 3, "ACKs give a rate");
_Static_assert(ONRAMP_CREDIBLE_GAIN == 8, "a receiver may lie");
_Static_assert(ONRAMP_GROUP_SAMPLES == 8 && ONRAMP_OVERFULL_BDPS == 2, "(3), twice the BDP");
_Static_assert(ONRAMP_FIRST_SEGMENTS == 90 && ONRAMP_KNOWN_FIRST_SEGMENTS == 190 &&
		       ONRAMP_FIRST_EXCHANGES == 16,
	       "first round trip");
_Static_assert(ONRAMP_LIGHT_LOSS_SEGMENTS == 5 && ONRAMP_LIGHT_LOSS_DIVISOR == 20 &&
		       ONRAMP_HEAVY_LOSS_EIGHTHS == 7 && ONRAMP_COMPETING_DIVISOR == 4,
	       "RETREAT");
_Static_assert(STARTUP_BURST_SEGMENTS == 10 && ONRAMP_COMPETING_SIDES == 2 &&
		       ONRAMP_MIN_DELAY_NS == 1000000 && ONRAMP_PROXY_FACTOR == 2,
	       "share");
_Static_assert(ONRAMP_PROBE_WORTH == 2 && ONRAMP_AGREEMENT_FACTOR == 2 &&
		       ONRAMP_SAFE_RETREAT_DIVISOR == 2,
	       "a remembered path");
_Static_assert(ONRAMP_MIN_PATH_NS == 4000000 && ONRAMP_HANDED_SEGMENTS == 16, "a short path");

/* What the host permits behind the initial window leaves in the first round trip, at its rate. */
static inline void onramp_begin_first_round(struct onramp *state, const struct startup_start *start,
					    struct startup_decision *decision)
{
	/* Siblings share the rate. */
	uint64_t rate = start->variant & ONRAMP_WITHOUT_SHARING
				? start->initial_bytes_per_s
				: start->initial_bytes_per_s / (1 + start->siblings);
	uint64_t segments = rate > FIRST_ROUND_BYTES_PER_S ? ONRAMP_KNOWN_FIRST_SEGMENTS
							   : ONRAMP_FIRST_SEGMENTS;
	uint64_t bytes =
		min_u64(mul_div(rate, start->srtt_ns, NS_PER_S), segments * start->mss_bytes);

	if (bytes < start->cwnd_bytes / 2)
		return;
	state->first_bytes_per_s = rate;
	/* Losses beside siblings say nothing about the path. */
	state->initial_bytes_per_s = start->siblings ? 0 : rate;
	decision->cwnd_bytes = min_u64(start->cwnd_bytes + bytes, start->ssthresh_bytes);
	decision->pacing_bytes_per_s = state->first_bytes_per_s;
	decision->burst_bytes = (uint32_t)min_u64(start->cwnd_bytes, UINT32_MAX);
	decision->restart_bytes = decision->cwnd_bytes;
}

static inline void onramp_start(struct onramp *state, const struct startup_start *start,
				struct startup_decision *decision)
{
	state->phase = STARTUP_PHASE_SLOW_START;
	state->options = start->options;
	state->variant = start->variant;
	state->handshake_rtt_ns = start->srtt_ns;
	state->host_ssthresh_bytes = start->ssthresh_bytes;
	state->flight.last_is_delayed = start->options & STARTUP_OPTION_DELAYED_ACKS;
	receiver_clock_begin(&state->clock, start);
	state->initial_cwnd_bytes = start->cwnd_bytes;
	state->measured_end_bytes = start->cwnd_bytes;
	state->remembered_bdp_bytes = start->remembered_bytes;
	state->remembered_rtt_ns = start->remembered_rtt_ns;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
	decision->pair = pair_rate_request(start->options, decision);
	/* The initial window leaves at once, as Linux does not pace the first ten segments. The
	 * segments behind it are paced. */
	if (!start->remembered_bytes || !start->jump_bytes) {
		onramp_begin_first_round(state, start, decision);
		return;
	}
	state->has_resumed = true;
	state->phase = STARTUP_PHASE_PACING;
	/* Slow start would double the initial window in this round trip. */
	state->prior_cwnd_bytes = 2 * start->cwnd_bytes;
	decision->cwnd_bytes =
		min_u64(start->cwnd_bytes + start->jump_bytes, state->host_ssthresh_bytes);
	decision->pacing_bytes_per_s =
		max_u64(rate_bytes_per_s(decision->cwnd_bytes, start->srtt_ns), 1);
	decision->burst_bytes = (uint32_t)min_u64(start->cwnd_bytes, UINT32_MAX);
	decision->phase = state->phase;
}

/* cwnd and its growth leave in a round trip. Up to the measured BDP, no faster than measured: where
 * the receiver's window was the limit, it opens by leaps. */
static inline uint64_t onramp_clocked_rate(const struct onramp *state,
					   const struct startup_ack *ack, uint64_t cwnd_bytes)
{
	uint64_t growth_bytes = onramp_growth_bytes(state, ack, cwnd_bytes, cwnd_bytes);
	uint64_t rate = rate_bytes_per_s(cwnd_bytes + growth_bytes,
					 max_u64(ack->srtt_ns, state->min_rtt_ns));

	if (cwnd_bytes < state->target_bytes && state->bottleneck_bytes_per_s &&
	    ack->peer_window_bytes && ack->peer_window_bytes < cwnd_bytes)
		rate = min_u64(rate, state->bottleneck_bytes_per_s);
	return max_u64(rate, 1);
}

/* What an idle time leaves of cwnd, paced: the first round that has not begun; then as much as may
 * be sent into a path whose rate ACKs have shown. */
static inline uint64_t onramp_restart_bytes(const struct onramp *state,
					    const struct startup_ack *ack, uint64_t cwnd_bytes)
{
	switch (state->phase) {
	case STARTUP_PHASE_SLOW_START:
		return state->first_bytes_per_s ? cwnd_bytes : 0;
	case STARTUP_PHASE_PACING:
	case STARTUP_PHASE_APPROACH:
	case STARTUP_PHASE_HOLD:
	case STARTUP_PHASE_AVOIDANCE:
		return state->bottleneck_bytes_per_s || state->pipe_is_validated
			       ? min_u64(cwnd_bytes,
					 onramp_unvalidated_bytes(state, state->target_bytes,
								  ack->mss_bytes))
			       : 0;
	default:
		return 0;
	}
}

/* The rate at which the segments that the decided cwnd permits leave. */
static inline uint64_t onramp_pacing_rate(const struct onramp *state, const struct startup_ack *ack,
					  const struct startup_decision *decision)
{
	uint64_t cwnd_bytes = decision->cwnd_bytes;
	uint64_t rate;

	if (state->variant & ONRAMP_WITHOUT_SPACING)
		return STARTUP_UNLIMITED;
	switch (state->phase) {
	case STARTUP_PHASE_PACING:
		/* Slow start would have sent up to the prior cwnd too: that needs no pacing, except
		 * after a pause, when no ACK clocks it. */
		return cwnd_bytes > state->prior_cwnd_bytes || !ack->inflight_bytes
			       ? max_u64(rate_bytes_per_s(cwnd_bytes, state->min_rtt_ns), 1)
			       : STARTUP_UNLIMITED;
	case STARTUP_PHASE_APPROACH:
	case STARTUP_PHASE_HOLD:
		return onramp_clocked_rate(state, ack, cwnd_bytes);
	case STARTUP_PHASE_RETREAT:
		return state->min_rtt_ns
			       ? max_u64(rate_bytes_per_s(ack->ssthresh_bytes, state->min_rtt_ns),
					 1)
			       : STARTUP_UNLIMITED;
	case STARTUP_PHASE_SLOW_START:
		rate = state->probe_bytes_per_s ? state->probe_bytes_per_s
						: state->first_bytes_per_s;
		if (!rate)
			return STARTUP_UNLIMITED;
		/* Between flights the probe leaves. */
		return state->flight.end_bytes ? ONRAMP_ARRIVAL_GAIN * rate : rate;
	case STARTUP_PHASE_AVOIDANCE:
		/* Above ssthresh this is the rate after a pause, whatever cwnd is by then. */
		if (cwnd_bytes >= decision->ssthresh_bytes)
			cwnd_bytes = state->target_bytes;
		return decision->restart_bytes
			       ? max_u64(rate_bytes_per_s(cwnd_bytes, state->min_rtt_ns), 1)
			       : STARTUP_UNLIMITED;
	default:
		return STARTUP_UNLIMITED;
	}
}

/* What the host does with the decided cwnd: until the next ACK, and after an idle time. */
static inline void onramp_pace(const struct onramp *state, const struct startup_ack *ack,
			       struct startup_decision *decision)
{
	decision->restart_bytes = onramp_restart_bytes(state, ack, decision->cwnd_bytes);
	decision->pacing_bytes_per_s = onramp_pacing_rate(state, ack, decision);
	decision->estimate_bytes_per_s = state->bottleneck_bytes_per_s;
	decision->phase = state->phase == STARTUP_PHASE_SLOW_START && state->is_probing
				  ? STARTUP_PHASE_PROBE
				  : state->phase;
}

/* Follow the flights. The initial window is one, or several of small messages, and a probe is one:
 * without what leaves behind them. Returns whether this ACK completes a flight. */
static inline bool onramp_flight_ends(struct onramp *state, const struct startup_ack *ack)
{
	struct flight *flight = &state->flight;
	uint64_t prior_bytes = ack->delivered_bytes - ack->acked_bytes;

	if (ack->delivered_bytes <= state->unmeasured_bytes)
		return false;
	if (flight_ends(flight, ack))
		return true;
	if (flight->acks > 1)
		return false;
	if (prior_bytes < state->measured_end_bytes)
		flight->end_bytes = max_u64(min_u64(flight->end_bytes, state->measured_end_bytes),
					    ack->delivered_bytes);
	/* What left when nothing was in flight has not left while the flight before arrived. */
	if (prior_bytes + ack->lost_bytes <= state->quiet_bytes)
		flight->sent_app_limited = false;
	return false;
}

/* Follow what every phase measures: flights, minimum RTT, losses before RETREAT. Sets
 * state->ack to the ACK with the RTT sample of the forward path. Returns whether the ACK completes
 * a flight. */
static inline bool onramp_observe(struct onramp *state, const struct startup_ack *ack)
{
	struct startup_ack *seen = &state->ack;
	bool flight_ended = onramp_flight_ends(state, ack);

	if (!state->first_rtt_ns)
		onramp_begin_round(state, ack);
	state->min_rtt_ns = startup_min_rtt(state->min_rtt_ns, ack);
	*seen = *ack;
	if (ack->pair_interval_ns && !state->has_pairs) {
		state->has_pairs = true;
		state->pairs = (struct pair_rate){};
		state->clock.tick_ns = 0;
	}
	if (!state->has_pairs && !(state->variant & ONRAMP_WITHOUT_CLOCK)) {
		seen->pair_interval_ns = receiver_clock_ns(&state->clock, ack);
		seen->pair_bytes = ack->delivered_bytes;
	}
	seen->rtt_ns = pair_rate_rtt(&state->pairs, seen, state->min_rtt_ns);
	/* A receiver whose clock is read unasked explains no more of a delay than the increase that
	 * is a queue. */
	if (!state->has_pairs)
		seen->rtt_ns = max_u64(seen->rtt_ns,
				       ack->rtt_ns - min_u64(onramp_queue_ns(state), ack->rtt_ns));
	state->round.own_rtt_ns = startup_min_rtt(state->round.own_rtt_ns, ack);
	if (state->phase != STARTUP_PHASE_RETREAT)
		state->prior_lost_bytes = ack->lost_bytes;
	if (!state->first_rtt_ns) {
		state->first_rtt_ns = seen->rtt_ns;
		state->first_acked_bytes = ack->acked_bytes;
	}
	return flight_ended;
}

/* Process an ACK in the current phase. */
static inline void onramp_follow_phase(struct onramp *state, const struct startup_ack *ack,
				       bool flight_ended, struct startup_decision *decision)
{
	switch (state->phase) {
	case STARTUP_PHASE_SLOW_START:
		onramp_slow_start(state, ack, flight_ended, decision);
		break;
	case STARTUP_PHASE_PACING:
		if (state->target_bytes)
			onramp_pacing(state, ack, decision);
		else
			onramp_resumed(state, ack, flight_ended, decision);
		break;
	case STARTUP_PHASE_APPROACH:
		onramp_approach(state, ack, decision);
		break;
	case STARTUP_PHASE_HOLD:
		onramp_hold(state, ack, decision);
		break;
	case STARTUP_PHASE_RETREAT:
		onramp_retreat(state, ack, decision);
		break;
	}
}

/* An ACK after an idle time, below ssthresh: what has filled the pipe before fills it again. */
static inline void onramp_go_on(const struct onramp *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	*decision = (struct startup_decision){
		.cwnd_bytes = startup_slow_start(ack, ack->ssthresh_bytes),
		.ssthresh_bytes = ack->ssthresh_bytes,
		.exit = state->exit,
	};
	onramp_pace(state, ack, decision);
}

static inline void onramp_ack(struct onramp *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	bool flight_ended;

	if (state->phase == STARTUP_PHASE_AVOIDANCE) {
		onramp_go_on(state, ack, decision);
		return;
	}
	flight_ended = onramp_observe(state, ack);
	ack = &state->ack;
	*decision = (struct startup_decision){
		.cwnd_bytes = ack->cwnd_bytes,
		.ssthresh_bytes = STARTUP_UNLIMITED,
	};
	onramp_follow_phase(state, ack, flight_ended, decision);
	onramp_yield(state, ack, decision);
	if (decision->cwnd_bytes >= state->host_ssthresh_bytes &&
	    state->phase != STARTUP_PHASE_DONE && state->phase != STARTUP_PHASE_RETREAT) {
		decision->cwnd_bytes = state->host_ssthresh_bytes;
		decision->ssthresh_bytes = state->host_ssthresh_bytes;
		state->exit = STARTUP_EXIT_SSTHRESH;
		state->phase = STARTUP_PHASE_DONE;
	}
	onramp_pace(state, ack, decision);
	decision->pair = pair_rate_request(state->options, decision);
	if (startup_is_over(decision))
		decision->exit = state->exit;
	onramp_judge_first_round(state, ack);
	onramp_report(state, decision);
}

static inline void onramp_loss(struct onramp *state, const struct startup_loss *loss,
			       struct startup_decision *decision)
{
	/* Congestion avoidance has found the end of the pipe. An RTO may mean another path. */
	if (state->phase == STARTUP_PHASE_AVOIDANCE) {
		startup_end_at_loss(loss, decision);
		decision->exit = state->exit;
		state->target_bytes = min_u64(state->target_bytes, loss->ssthresh_bytes);
		if (loss->kind == STARTUP_LOSS_RECOVERY)
			onramp_pace(state, &state->ack, decision);
		return;
	}
	state->retreat_is_safe = state->has_resumed && !state->pipe_is_validated;
	state->memory_is_wrong |= state->retreat_is_safe;
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = min_u64(loss->ssthresh_bytes, onramp_used_bytes(state, loss)),
		.pacing_bytes_per_s = STARTUP_UNLIMITED,
		.estimate_bytes_per_s = state->bottleneck_bytes_per_s,
		.phase = STARTUP_PHASE_RETREAT,
	};
	/* A timeout in the first round, or of its segments. */
	if (!state->first_round && state->initial_bytes_per_s &&
	    loss->kind == STARTUP_LOSS_TIMEOUT &&
	    (state->first_bytes_per_s || loss->acknowledged_bytes < state->first_end_bytes))
		state->first_round = STARTUP_FIRST_ROUND_TOO_FAST;
	onramp_report(state, decision);
	/* An ECN mark ends the start-up: the path says that it is full. */
	if (loss->kind != STARTUP_LOSS_RECOVERY || startup_is_mark(loss, state->prior_lost_bytes) ||
	    state->variant & ONRAMP_WITHOUT_RETREAT)
		startup_finish(decision, startup_loss_exit(loss));
	else
		onramp_begin_retreat(state, loss, decision);
}

#endif
