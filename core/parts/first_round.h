/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The first round trip: what a host lets leave behind the initial window before any ACK.
 *
 * A connection that starts knows nothing of its path, and sends ten segments (RFC 6928). Its ACKs
 * need a round trip, in which the path is idle. Most paths would carry more, and a paced segment
 * harms no queue of a path that is faster than the pace. So the bound is a rate, not a number of
 * segments: what leaves in the first round trip beyond the initial window leaves at this rate.
 * Short paths gain little by it, and get few segments.
 *
 * The host learns the rate from its own connections. It begins at 5 Mbit/s. Where the path is
 * slower, the segments fill its queue, or are lost there: docs/algorithms/onramp.md has what this
 * costs on lines of 1 to 10 Mbit/s, and what other rates cost and gain.
 *
 *   a connection's early segments           the rate of the next connections
 *   were carried, eight or more             17/16 of it, up to 40 Mbit/s
 *   an eighth was lost, or the path has     a half of it, down to an eighth of 5 Mbit/s
 *   a lower rate, or a timeout came
 *   none has told anything for an hour      5 Mbit/s
 *
 * One connection that is too fast undoes eleven that were carried. So the rate stays where one of
 * twelve paths is slower than it: a low quantile of the rates of the host's paths, without a list
 * of them. It is one rate for all paths, because most servers meet a client's address once.
 */
#ifndef ONRAMP_FIRST_ROUND_H
#define ONRAMP_FIRST_ROUND_H

#include "startup.h"

/* Payload of 5 Mbit/s: 1448 of 1514 bytes, rounded. */
#define FIRST_ROUND_BYTES_PER_S UINT64_C(600000)
#define FIRST_ROUND_MAX_BYTES_PER_S (8 * FIRST_ROUND_BYTES_PER_S)
#define FIRST_ROUND_MIN_BYTES_PER_S (FIRST_ROUND_BYTES_PER_S / 8)
/* A clean start raises the rate by this part of it. */
#define FIRST_ROUND_RISE_DIVISOR 16
#define FIRST_ROUND_FALL_DIVISOR 2
#define FIRST_ROUND_LIFETIME_NS (3600 * NS_PER_S)
/* So few segments tell nothing. */
#define FIRST_ROUND_MIN_SEGMENTS 8
/* They were too fast where more than this part of them is lost. */
#define FIRST_ROUND_LOSS_DIVISOR 8

/* What a host has learned. All zero: nothing. */
struct first_round {
	uint64_t bytes_per_s;
	/* When a connection last told something. */
	uint64_t learned_ns;
};

/* The rate of a connection that starts now. One processor may read the clock a little later than
 * another. */
static inline uint64_t first_round_rate(const struct first_round *learned, uint64_t now_ns)
{
	uint64_t age_ns = now_ns > learned->learned_ns ? now_ns - learned->learned_ns : 0;

	return learned->bytes_per_s && age_ns <= FIRST_ROUND_LIFETIME_NS ? learned->bytes_per_s
									 : FIRST_ROUND_BYTES_PER_S;
}

/* A connection knows what became of its early segments. */
static inline void first_round_learn(struct first_round *learned, enum startup_first_round outcome,
				     uint64_t now_ns)
{
	uint64_t rate = first_round_rate(learned, now_ns);

	if (outcome == STARTUP_FIRST_ROUND_UNKNOWN)
		return;
	learned->bytes_per_s =
		outcome == STARTUP_FIRST_ROUND_CARRIED
			? min_u64(rate + rate / FIRST_ROUND_RISE_DIVISOR,
				  FIRST_ROUND_MAX_BYTES_PER_S)
			: max_u64(rate / FIRST_ROUND_FALL_DIVISOR, FIRST_ROUND_MIN_BYTES_PER_S);
	learned->learned_ns = now_ns;
}

#endif
