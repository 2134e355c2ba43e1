/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
#ifndef ONRAMP_ONRAMP_H
#define ONRAMP_ONRAMP_H

#include "flight.h"
#include "startup.h"

#define ONRAMP_ONRAMP_LEAST_POINTS 4
#define ONRAMP_ONRAMP_LEAST_SPACING_NS (32 * UINT64_C(1000))
#define ONRAMP_ONRAMP_SAMPLES 8
#define ONRAMP_ONRAMP_DELAY_PART 16
#define ONRAMP_ONRAMP_LEAST_DELAY_NS UINT64_C(1000000)
#define ONRAMP_ONRAMP_MOST_DELAY_NS (16 * UINT64_C(1000000))
#define ONRAMP_ONRAMP_STEPS 4

struct onramp_onramp {
	struct onramp_flight flight;
	uint64_t path_bytes_per_s; /* of the bottleneck; 0: not yet measured */
	uint64_t rtt_min_ns;       /* 0: none yet */
	uint64_t base_ns;          /* the least of the round before this one */
	uint64_t round_least_ns;   /* the least of this one; 0: none yet */
	uint64_t least_ns;         /* the least of the latest samples */
	uint64_t round_cwnd_bytes; /* when it began */
	uint64_t last_cwnd_bytes;  /* of the round before */
	uint64_t last_bytes_per_s;
	uint64_t paced_bytes_per_s;   /* PACING: at this rate */
	uint64_t mark_bytes;          /* when so much is delivered, in total or lost, a round ends */
	uint64_t round_ns;            /* when it began */
	uint64_t round_bytes;         /* delivered in total by then */
	uint64_t lost_bytes;          /* taken for lost by then */
	uint64_t before_bytes;        /* PACING: the window before it */
	uint64_t grown_bytes;         /* less than a segment of growth */
	uint64_t ssthresh_bytes;      /* RETREAT: the host's for the loss */
	uint64_t handshake_ns;        /* its round trip; 0: not known */
	uint64_t first_ns;            /* of the first data; 0: not yet */
	uint64_t first_bytes;         /* so much they were */
	uint64_t drained_ns;          /* DRAIN: the least round trip of the round before */
	uint64_t carried_bytes_per_s; /* of what was too much; 0: not yet known */
	uint32_t samples;
	uint32_t step;
	uint32_t phase;
	uint32_t options;
	uint32_t exit;
	uint32_t is_second;
	uint32_t is_known;
	uint32_t reserved;
};
ONRAMP_ASSERT_STATE(struct onramp_onramp);

static inline void onramp_onramp_start(struct onramp_onramp *state, const struct onramp_start *start,
				       struct onramp_decision *decision)
{
	state->phase = ONRAMP_PHASE_SLOW_START;
	state->options = start->options;
	state->handshake_ns = start->srtt_ns;
	onramp_start_slowly(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* What the path holds, in bytes, by what was measured; without limit before that. */
static inline uint64_t onramp_onramp_path(const struct onramp_onramp *state, uint32_t mss_bytes)
{
	if (!state->path_bytes_per_s || !state->rtt_min_ns)
		return ONRAMP_UNLIMITED;
	return onramp_path_bytes(state->path_bytes_per_s, state->rtt_min_ns, mss_bytes);
}

/* What of it is filled before an acknowledgement has said that it carries so much. */
static inline uint64_t onramp_onramp_unvalidated(uint64_t path_bytes, uint32_t mss_bytes)
{
	return onramp_min(path_bytes, path_bytes / 4 * 3 + ONRAMP_BURST_SEGMENTS * (uint64_t)mss_bytes);
}

static inline void onramp_onramp_begin_round(struct onramp_onramp *state, const struct onramp_ack *ack)
{
	state->mark_bytes = ack->delivered_bytes + ack->inflight_bytes;
	state->round_ns = ack->now_ns;
	state->round_bytes = ack->delivered_bytes;
	state->lost_bytes = ack->lost_bytes;
	state->round_least_ns = 0;
	state->round_cwnd_bytes = ack->cwnd_bytes;
}

/* What was delivered since the round began, as a rate. */
static inline uint64_t onramp_onramp_round_bytes_per_s(const struct onramp_onramp *state, const struct onramp_ack *ack)
{
	return onramp_bytes_per_s(ack->delivered_bytes - state->round_bytes, ack->now_ns - state->round_ns);
}

/* A round trip of more than this has a queue that the round before had not. */
static inline uint64_t onramp_onramp_delay_ns(const struct onramp_onramp *state)
{
	return state->base_ns +
	       onramp_min(onramp_max(state->rtt_min_ns / ONRAMP_ONRAMP_DELAY_PART, ONRAMP_ONRAMP_LEAST_DELAY_NS),
			  ONRAMP_ONRAMP_MOST_DELAY_NS);
}

/* Were the latest samples all delayed? */
static inline bool onramp_onramp_is_delayed(struct onramp_onramp *state, const struct onramp_ack *ack)
{
	if (!ack->rtt_ns)
		return false;
	state->round_least_ns = onramp_least_rtt(state->round_least_ns, ack);
	if (!state->samples || ack->rtt_ns < state->least_ns)
		state->least_ns = ack->rtt_ns;
	if (++state->samples < ONRAMP_ONRAMP_SAMPLES)
		return false;
	if (state->phase != ONRAMP_PHASE_SLOW_START)
		state->samples = 0;
	return state->least_ns > onramp_onramp_delay_ns(state);
}

/* The round ends: what it delivered, with which window, is what the next ones are compared with. */
static inline void onramp_onramp_end_round(struct onramp_onramp *state, const struct onramp_ack *ack)
{
	state->base_ns = state->round_least_ns ? state->round_least_ns : state->base_ns;
	state->last_bytes_per_s = onramp_onramp_round_bytes_per_s(state, ack);
	state->last_cwnd_bytes = state->round_cwnd_bytes;
	onramp_onramp_begin_round(state, ack);
}

/* What of it is this connection's, where others begin at the same time: the queue before its first segments is theirs,
 * and as many come behind as before it. */
static inline uint64_t onramp_onramp_share(const struct onramp_onramp *state, const struct onramp_ack *ack,
					   uint64_t path_bytes)
{
	uint64_t own_bytes = ONRAMP_BURST_SEGMENTS * (uint64_t)ack->mss_bytes;
	uint64_t expected_ns =
		state->handshake_ns + ONRAMP_ONRAMP_LEAST_DELAY_NS +
		onramp_share(state->first_bytes + ack->mss_bytes, ONRAMP_NS_PER_S, state->path_bytes_per_s);
	uint64_t ahead_bytes;

	if (!state->handshake_ns || state->first_ns <= expected_ns || state->is_second)
		return path_bytes;
	ahead_bytes = onramp_share(state->first_ns - expected_ns, state->path_bytes_per_s, ONRAMP_NS_PER_S);
	return onramp_share(path_bytes, own_bytes, own_bytes + 2 * ahead_bytes);
}

/* Fill what the path holds, as far as that may be done without having been validated. */
static inline void onramp_onramp_begin_pacing(struct onramp_onramp *state, const struct onramp_ack *ack,
					      struct onramp_decision *decision)
{
	uint64_t path_bytes = onramp_onramp_path(state, ack->mss_bytes);

	state->before_bytes = decision->cwnd_bytes;
	path_bytes = onramp_onramp_share(state, ack, path_bytes);
	decision->cwnd_bytes = onramp_max(decision->cwnd_bytes, onramp_onramp_unvalidated(path_bytes, ack->mss_bytes));
	state->last_bytes_per_s = 0;
	decision->ssthresh_bytes = ONRAMP_UNLIMITED;
	state->step = 0;
	state->phase = ONRAMP_PHASE_PACING;
	onramp_onramp_begin_round(state, ack);
}

/* Slow start, until the acknowledgements of a flight have told the path's rate. */
static inline void onramp_onramp_measure(struct onramp_onramp *state, const struct onramp_ack *ack, bool flight_ends,
					 struct onramp_decision *decision)
{
	const struct onramp_ack_train *train = &state->flight.train;
	uint64_t rate = onramp_flight_bytes_per_s(&state->flight, ack, state->options);
	uint64_t path_bytes;

	decision->cwnd_bytes = onramp_slow_start(ack, ONRAMP_UNLIMITED);
	if (!state->round_ns)
		onramp_onramp_begin_round(state, ack);
	if (flight_ends) {
		onramp_onramp_end_round(state, ack);
		state->samples = 0;
	} else if (state->base_ns && state->samples < ONRAMP_ONRAMP_SAMPLES && onramp_onramp_is_delayed(state, ack)) {
		state->phase = ONRAMP_PHASE_HOLD;
		state->step = ONRAMP_ONRAMP_STEPS;
		decision->cwnd_bytes = ack->cwnd_bytes;
		onramp_onramp_begin_round(state, ack);
		return;
	}
	if (!rate || !onramp_train_is_line(train) || train->points < ONRAMP_ONRAMP_LEAST_POINTS ||
	    rate > ack->mss_bytes * ONRAMP_NS_PER_S / ONRAMP_ONRAMP_LEAST_SPACING_NS)
		return;
	state->path_bytes_per_s = rate;
	path_bytes = onramp_onramp_path(state, ack->mss_bytes);
	decision->cwnd_bytes = onramp_max(ack->cwnd_bytes, onramp_min(decision->cwnd_bytes, path_bytes));
	if (!flight_ends) {
		state->path_bytes_per_s = 0;
		return;
	}
	onramp_onramp_begin_pacing(state, ack, decision);
}

/* So much of growth for this acknowledgement. */
static inline uint64_t onramp_onramp_growth(const struct onramp_onramp *state, const struct onramp_ack *ack)
{
	uint64_t path_bytes = onramp_onramp_path(state, ack->mss_bytes);

	if (ack->cwnd_bytes < onramp_onramp_unvalidated(path_bytes, ack->mss_bytes) && !state->step)
		return ack->acked_bytes;
	return state->step ? ack->acked_bytes >> (ONRAMP_ONRAMP_STEPS - state->step) : ack->acked_bytes / 3;
}

static inline void onramp_onramp_approach(struct onramp_onramp *state, const struct onramp_ack *ack,
					  struct onramp_decision *decision)
{
	if (onramp_onramp_is_delayed(state, ack)) {
		state->phase = ONRAMP_PHASE_HOLD;
		if (state->step)
			onramp_onramp_begin_round(state, ack);
		return;
	}
	if (ack->flags & ONRAMP_ACK_CWND_LIMITED)
		state->grown_bytes += onramp_onramp_growth(state, ack);
	decision->cwnd_bytes += state->grown_bytes / ack->mss_bytes * ack->mss_bytes;
	state->grown_bytes %= ack->mss_bytes;
	if (ack->delivered_bytes >= state->mark_bytes) {
		onramp_onramp_end_round(state, ack);
		if (ack->cwnd_bytes >= onramp_onramp_path(state, ack->mss_bytes) / 8 * 7)
			state->step += state->step < ONRAMP_ONRAMP_STEPS;
	}
}

/* A round trip long all were delayed: does the path give more nevertheless? */
static inline bool onramp_onramp_gives_more(const struct onramp_onramp *state, uint64_t rate)
{
	uint64_t more;

	if (!state->last_bytes_per_s)
		return rate > state->paced_bytes_per_s / 8 * 7;
	if (state->round_cwnd_bytes <= state->last_cwnd_bytes)
		return false;
	more = onramp_share(state->last_bytes_per_s, state->round_cwnd_bytes - state->last_cwnd_bytes,
			    state->last_cwnd_bytes);
	return rate > state->last_bytes_per_s + more / 2;
}

/* Send half of what was carried, and see whether the queue was our own. */
static inline void onramp_onramp_begin_drain(struct onramp_onramp *state, const struct onramp_ack *ack)
{
	state->phase = ONRAMP_PHASE_DRAIN;
	state->drained_ns = ONRAMP_UNLIMITED;
	state->samples = 0;
	onramp_onramp_begin_round(state, ack);
}

static inline void onramp_onramp_drain(struct onramp_onramp *state, const struct onramp_ack *ack,
				       struct onramp_decision *decision)
{
	uint64_t accuracy_ns = onramp_onramp_delay_ns(state) - state->base_ns;

	decision->ssthresh_bytes = ack->ssthresh_bytes;
	/* What was sent before is acknowledged first; then the queue may take its time. */
	if (ack->delivered_bytes < state->mark_bytes)
		return;
	onramp_onramp_is_delayed(state, ack);
	if (state->samples)
		return;
	if (state->least_ns > state->base_ns + accuracy_ns && state->least_ns + accuracy_ns < state->drained_ns) {
		state->drained_ns = state->least_ns;
		return;
	}
	/* As long as before the first flight, to the accuracy with which a queue is told: nobody else is there. */
	if (!state->is_second && state->least_ns <= state->base_ns + accuracy_ns &&
	    state->base_ns <= state->least_ns + accuracy_ns) {
		state->is_second = true;
		state->path_bytes_per_s = state->carried_bytes_per_s;
		onramp_onramp_begin_pacing(state, ack, decision);
		return;
	}
	decision->ssthresh_bytes = onramp_max(
		onramp_path_bytes(state->carried_bytes_per_s, state->rtt_min_ns, ack->mss_bytes) / 4, ack->cwnd_bytes);
	state->phase = ONRAMP_PHASE_DONE;
}

static inline void onramp_onramp_hold(struct onramp_onramp *state, const struct onramp_ack *ack,
				      struct onramp_decision *decision)
{
	uint64_t rate;

	state->round_least_ns = onramp_least_rtt(state->round_least_ns, ack);
	if (ack->rtt_ns && ack->rtt_ns <= onramp_onramp_delay_ns(state)) {
		state->phase = ONRAMP_PHASE_APPROACH;
		state->samples = 0;
		return;
	}
	if (ack->delivered_bytes < state->mark_bytes &&
	    (state->step || ack->now_ns - state->round_ns < state->rtt_min_ns / 2))
		return;
	rate = onramp_onramp_round_bytes_per_s(state, ack);
	if (onramp_onramp_gives_more(state, rate)) {
		onramp_onramp_end_round(state, ack);
		state->phase = ONRAMP_PHASE_APPROACH;
		state->samples = 0;
		state->step += state->step && state->step < ONRAMP_ONRAMP_STEPS;
		return;
	}
	state->exit = ONRAMP_EXIT_DELAY;
	if (!state->step) {
		state->carried_bytes_per_s = rate;
		decision->cwnd_bytes = onramp_min(decision->cwnd_bytes, state->before_bytes);
		onramp_onramp_begin_drain(state, ack);
		return;
	}
	state->path_bytes_per_s = rate;
	decision->cwnd_bytes = onramp_onramp_path(state, ack->mss_bytes);
	decision->cwnd_bytes += decision->cwnd_bytes / 16 + 2 * ack->mss_bytes;
	decision->ssthresh_bytes = decision->cwnd_bytes;
	decision->is_full = true;
	state->phase = ONRAMP_PHASE_DONE;
}

/* A loss is being repaired: what of the flight arrived tells what the path carries. */
static inline void onramp_onramp_retreat(struct onramp_onramp *state, const struct onramp_ack *ack,
					 struct onramp_decision *decision)
{
	uint64_t carried_bytes;

	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (!state->round_ns) {
		state->round_ns = ack->now_ns;
		state->round_bytes = ack->delivered_bytes;
	}
	if (!(ack->flags & ONRAMP_ACK_RECOVERING)) {
		/* A window that is below its threshold has had a time-out meanwhile. */
		if (state->carried_bytes_per_s && !state->step && ack->cwnd_bytes >= ack->ssthresh_bytes)
			onramp_onramp_begin_drain(state, ack);
		else
			state->phase = ONRAMP_PHASE_DONE;
		return;
	}
	if (state->is_known || ack->now_ns - state->round_ns < state->rtt_min_ns / 2 ||
	    ack->delivered_bytes + (ack->lost_bytes - state->lost_bytes) < state->mark_bytes)
		return;
	state->is_known = true;
	if (!state->carried_bytes_per_s)
		state->carried_bytes_per_s = onramp_onramp_round_bytes_per_s(state, ack);
	/* A flight that arrived as fast as it left has lost what it lost for another reason than its rate. */
	if (onramp_onramp_gives_more(state, state->carried_bytes_per_s))
		state->step += !state->step;
	carried_bytes = onramp_path_bytes(state->carried_bytes_per_s, state->rtt_min_ns, ack->mss_bytes);
	decision->ssthresh_bytes =
		onramp_min(state->ssthresh_bytes,
			   state->step ? carried_bytes : onramp_max(carried_bytes / 4, state->before_bytes));
}

static inline uint64_t onramp_onramp_pace(const struct onramp_onramp *state, const struct onramp_ack *ack,
					  uint64_t cwnd_bytes)
{
	switch (state->phase) {
	case ONRAMP_PHASE_PACING:
		return onramp_bytes_per_s(cwnd_bytes, state->rtt_min_ns);
	case ONRAMP_PHASE_APPROACH:
	case ONRAMP_PHASE_HOLD:
		return onramp_bytes_per_s(
			cwnd_bytes + (state->step ? cwnd_bytes >> (ONRAMP_ONRAMP_STEPS - state->step) : cwnd_bytes / 3),
			ack->srtt_ns);
	default:
		return ONRAMP_UNLIMITED;
	}
}

static inline void onramp_onramp_ack(struct onramp_onramp *state, const struct onramp_ack *ack,
				     struct onramp_decision *decision)
{
	bool flight_ends = onramp_flight_ends(&state->flight, ack);

	state->rtt_min_ns = onramp_least_rtt(state->rtt_min_ns, ack);
	if (!state->first_ns) {
		state->first_ns = ack->rtt_ns;
		state->first_bytes = ack->acked_bytes;
	}
	*decision = (struct onramp_decision){
		.cwnd_bytes = ack->cwnd_bytes,
		.ssthresh_bytes = ONRAMP_UNLIMITED,
	};
	switch (state->phase) {
	case ONRAMP_PHASE_SLOW_START:
		onramp_onramp_measure(state, ack, flight_ends, decision);
		break;
	case ONRAMP_PHASE_PACING:
		if (ack->delivered_bytes <= state->mark_bytes)
			break;
		state->phase = ONRAMP_PHASE_APPROACH;
		state->samples = 0;
		state->base_ns = state->rtt_min_ns;
		state->paced_bytes_per_s = onramp_bytes_per_s(ack->cwnd_bytes, state->rtt_min_ns);
		if (ack->flags & ONRAMP_ACK_APP_LIMITED)
			decision->cwnd_bytes =
				onramp_min(ack->cwnd_bytes,
					   onramp_max(state->before_bytes, ack->inflight_bytes + ack->acked_bytes));
		state->step = decision->cwnd_bytes >= onramp_onramp_path(state, ack->mss_bytes) / 8 * 7;
		onramp_onramp_begin_round(state, ack);
		break;
	case ONRAMP_PHASE_APPROACH:
		onramp_onramp_approach(state, ack, decision);
		break;
	case ONRAMP_PHASE_HOLD:
		onramp_onramp_hold(state, ack, decision);
		break;
	case ONRAMP_PHASE_DRAIN:
		onramp_onramp_drain(state, ack, decision);
		break;
	case ONRAMP_PHASE_RETREAT:
		onramp_onramp_retreat(state, ack, decision);
		break;
	}
	decision->pacing_bytes_per_s = onramp_max(onramp_onramp_pace(state, ack, decision->cwnd_bytes), 1);
	decision->estimate_bytes_per_s = state->path_bytes_per_s;
	decision->phase = state->phase;
	if (state->phase == ONRAMP_PHASE_DONE)
		onramp_finish(decision, (enum onramp_exit)state->exit);
}

static inline void onramp_onramp_loss(struct onramp_onramp *state, const struct onramp_loss *loss,
				      struct onramp_decision *decision)
{
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	/* Of what was never sent nothing is halved. */
	if (state->phase == ONRAMP_PHASE_PACING && loss->cwnd_bytes > loss->inflight_bytes)
		ssthresh_bytes = onramp_share(ssthresh_bytes, loss->inflight_bytes, loss->cwnd_bytes);
	*decision = (struct onramp_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.pacing_bytes_per_s = ONRAMP_UNLIMITED,
		.estimate_bytes_per_s = state->path_bytes_per_s,
		.phase = ONRAMP_PHASE_RETREAT,
	};
	if (loss->kind != ONRAMP_LOSS_RECOVERY || !state->rtt_min_ns) {
		onramp_finish(decision, onramp_loss_exit(loss));
		return;
	}
	/* What slow start sent is validated by acknowledgements. */
	if (state->phase == ONRAMP_PHASE_SLOW_START || state->phase == ONRAMP_PHASE_PACING)
		state->step = ONRAMP_ONRAMP_STEPS;
	/* In DRAIN the window is not what was lost from. */
	state->ssthresh_bytes = state->phase == ONRAMP_PHASE_DRAIN ? ONRAMP_UNLIMITED : ssthresh_bytes;
	if (!state->step)
		decision->ssthresh_bytes = onramp_min(ssthresh_bytes, state->before_bytes);
	state->exit = ONRAMP_EXIT_LOSS;
	if (state->phase != ONRAMP_PHASE_DRAIN)
		state->carried_bytes_per_s = 0;
	state->phase = ONRAMP_PHASE_RETREAT;
	state->mark_bytes = loss->acknowledged_bytes + loss->inflight_bytes;
	state->round_ns = 0;
	state->is_known = false;
	state->lost_bytes = loss->lost_bytes;
}

#endif
