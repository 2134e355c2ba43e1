/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * onramp: what the ACKs of a flight show of the bottleneck rate.
 *
 * - A rate, where the ACKs lie on a line that the bottleneck has spaced. The receiver's clock takes
 *   precedence where the flight is long enough for its ticks.
 * - Otherwise a lower bound: the flight arrived within a time that is known up to the time that
 *   aggregation may hide.
 */
#ifndef ONRAMP_ONRAMP_EVIDENCE_H
#define ONRAMP_ONRAMP_EVIDENCE_H

#include "algorithms/onramp/round.h"

/* The flight's ACKs lie on a line. */
static inline bool onramp_train_is_usable(const struct onramp *state)
{
	const struct ack_train *train = &state->flight.train;

	return train->points >= ONRAMP_MIN_POINTS &&
	       (state->variant & ONRAMP_WITHOUT_LINE || train_is_line(train));
}

/* The receiver's reports of this flight last for at least this number of its ticks. */
static inline bool onramp_reports_last(const struct onramp *state, uint32_t min_ticks)
{
	const struct ack_train *train = &state->pairs.train;

	return pair_rate_has_points(&state->pairs, ONRAMP_MIN_POINTS) &&
	       train->last_ns - train->first_ns >= min_ticks * state->clock.tick_ns;
}

/* The rate at which the flight's ACKs arrived; 0: faster than a host can measure. */
static inline uint64_t onramp_ack_rate(const struct onramp *state, const struct startup_ack *ack)
{
	uint64_t rate = train_bytes_per_s(&state->flight.train, ack->mss_bytes, state->variant);

	return rate > ack->mss_bytes * NS_PER_S / ONRAMP_MIN_SPACING_NS ? 0 : rate;
}

/* The receiver reports when segments arrived: by packet pairs, or by a clock whose tick is known.
 */
static inline bool onramp_receiver_reports(const struct onramp *state)
{
	return state->has_pairs || state->clock.tick_ns;
}

/* This host's own clock shows that the flight was at least this fast. */
static inline uint64_t onramp_seen_bound(const struct onramp *state, uint32_t mss_bytes)
{
	const struct ack_train *train = &state->flight.train;
	uint64_t silence_ns = state->flight.silence_ns;
	uint64_t time_ns = train->last_ns - train->first_ns;
	/* Three aggregates or more are as far apart as the longest silence, and hide no more. */
	bool is_spread = silence_ns >= ONRAMP_MIN_SILENCE_NS && time_ns >= 2 * silence_ns;

	time_ns += is_spread ? silence_ns : ONRAMP_HIDDEN_ACK_NS;
	return rate_bytes_per_s((uint64_t)train->segments * mss_bytes, time_ns);
}

/* No rate that the receiver's clock shows is higher: it may lie. */
static inline uint64_t onramp_credible_rate(const struct onramp *state, uint32_t mss_bytes)
{
	return state->has_pairs ? STARTUP_UNLIMITED
				: ONRAMP_CREDIBLE_GAIN * onramp_seen_bound(state, mss_bytes);
}

/* The receiver's reports show that what it has seen of the flight was at least this fast; 0: it
 * reports nothing. Its clock may have been recognised while the flight arrived. */
static inline uint64_t onramp_reported_bound(const struct onramp *state, uint32_t mss_bytes)
{
	const struct ack_train *reports = &state->pairs.train;

	if (!reports->points || !onramp_receiver_reports(state))
		return 0;
	return min_u64(
		rate_bytes_per_s((uint64_t)reports->segments * mss_bytes,
				 reports->last_ns - reports->first_ns +
					 max_u64(state->clock.tick_ns, ONRAMP_HIDDEN_DATA_NS)),
		onramp_credible_rate(state, mss_bytes));
}

/* The flight that has arrived was at least this fast; 0: nothing is known. */
static inline uint64_t onramp_lower_bound(const struct onramp *state, uint32_t mss_bytes)
{
	if (state->flight.sent_app_limited || flight_app_limited(&state->flight))
		return 0;
	return max_u64(onramp_seen_bound(state, mss_bytes),
		       onramp_reported_bound(state, mss_bytes));
}

/* The rate at which the receiver saw the flight arrive; 0: its reports give no rate. */
static inline uint64_t onramp_reported_rate(const struct onramp *state,
					    const struct startup_ack *ack)
{
	const struct ack_train *train = &state->pairs.train;

	uint64_t rate = train->last_ns - train->first_ns < ONRAMP_MIN_REPORTS_NS
				? 0
				: pair_rate_bytes_per_s(&state->pairs, ack->mss_bytes);

	return rate > onramp_credible_rate(state, ack->mss_bytes) ? 0 : rate;
}

/* The rate of the present flight; 0: unknown. The ACK that ends the flight sets the lower bound
 * too.
 */
static inline uint64_t onramp_measure(struct onramp *state, const struct startup_ack *ack,
				      bool flight_ended)
{
	/* The rate of arrival, and the same rate if the bottleneck has caused it */
	uint64_t arrival = 0, rate = 0;

	pair_rate_add(&state->pairs, ack);
	if (onramp_reports_last(state, ONRAMP_MIN_TICKS)) {
		arrival = onramp_reported_rate(state, ack);
		rate = pair_rate_is_of_path(&state->pairs, state->clock.tick_ns) ? arrival : 0;
	} else if (onramp_train_is_usable(state)) {
		arrival = onramp_ack_rate(state, ack);
		rate = flight_is_of_path(&state->flight) ? arrival : 0;
	}
	if (!state->min_rtt_ns || state->variant & ONRAMP_WITHOUT_MEASURING)
		arrival = rate = 0;
	state->bound_bytes_per_s = 0;
	if (flight_ended) {
		state->bound_bytes_per_s = onramp_lower_bound(state, ack->mss_bytes);
		state->bound_is_line = arrival > state->bound_bytes_per_s;
		state->bound_bytes_per_s = max_u64(state->bound_bytes_per_s, arrival);
		pair_rate_end(&state->pairs);
	}
	return rate;
}

#endif
