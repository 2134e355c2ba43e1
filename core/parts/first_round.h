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
 *   were carried, eight or more             twice as high, up to 40 Mbit/s; 17/16 of it, if an
 *                                           earlier connection's were too fast
 *   an eighth was lost, less than half      a half of it, down to an eighth of 5 Mbit/s
 *   of their rate was measured, or a
 *   timeout came
 *   none has told anything for an hour      5 Mbit/s
 *
 * While every connection's segments are carried, three connections find the maximum, as slow start
 * finds a window. From the first one on whose segments were too fast, one such connection undoes
 * eleven that were carried. So the rate stays where one of twelve paths is slower than it: a low
 * quantile of the rates of these paths, without a list of them.
 *
 * A prefix of addresses has a rate of its own: 24 bits of an IPv4 address and 48 of an IPv6
 * address, the longest prefixes that networks announce to each other (RFC 7454, section 6.1.3).
 * Its clients often share a provider and an access technology, and most servers meet a single
 * address once. The first connection of a prefix begins at the host's rate, and what it tells
 * counts for both. What the prefix's next connections tell counts for the prefix only. So the
 * host's rate is learned from one connection of each prefix in an hour, and is the rate for a
 * prefix that nothing is known of: a prefix with many connections moves no other.
 */
#ifndef ONRAMP_FIRST_ROUND_H
#define ONRAMP_FIRST_ROUND_H

#include "startup.h"

/* Payload of 5 Mbit/s: 1448 of 1514 bytes, rounded. */
#define FIRST_ROUND_BYTES_PER_S UINT64_C(600000)
#define FIRST_ROUND_MAX_BYTES_PER_S (8 * FIRST_ROUND_BYTES_PER_S)
#define FIRST_ROUND_MIN_BYTES_PER_S (FIRST_ROUND_BYTES_PER_S / 8)
/* Until a rate was too fast, a clean start multiplies it. */
#define FIRST_ROUND_SEARCH_FACTOR 2
/* Afterwards a clean start raises the rate by this part of it. */
#define FIRST_ROUND_RISE_DIVISOR 16
#define FIRST_ROUND_FALL_DIVISOR 2
#define FIRST_ROUND_LIFETIME_NS (3600 * NS_PER_S)
/* So few segments tell nothing. */
#define FIRST_ROUND_MIN_SEGMENTS 8
/* They were too fast where more than this part of them is lost. */
#define FIRST_ROUND_LOSS_DIVISOR 8
/* They were too fast where the path's rate is lower than theirs by more than this factor. A lower
 * rate within it is often a moment of a radio link, and its queue carries the segments. */
#define FIRST_ROUND_CREDIBLE_FACTOR 2

/* What the connections of a host or of a prefix have told. All zero: nothing. */
struct first_round {
	uint64_t bytes_per_s;
	/* When a connection last told something. */
	uint64_t learned_ns;
	/* Not 0: a rate was too fast. */
	uint64_t was_too_fast;
};

/* The prefix of an address, as the key of what is known of it. An IPv4 address has the form
 * ::ffff:192.0.2.1. */
static inline uint64_t first_round_prefix(const uint8_t address[16])
{
	uint64_t high = 0, low = 0;

	for (int i = 0; i < 8; i++) {
		high = high << 8 | address[i];
		low = low << 8 | address[8 + i];
	}
	/* An IPv4 address is below 2^24 here, with the bit 48 that no IPv6 prefix has. */
	return !high && low >> 32 == 0xffff ? UINT64_C(1) << 48 | (low & 0xffffff00) >> 8
					    : high >> 16;
}

/* One processor may read the clock a little later than another. */
static inline bool first_round_is_known(const struct first_round *learned, uint64_t now_ns)
{
	uint64_t age_ns = now_ns > learned->learned_ns ? now_ns - learned->learned_ns : 0;

	return learned->bytes_per_s && age_ns <= FIRST_ROUND_LIFETIME_NS;
}

/* The rate of a connection that starts now. */
static inline uint64_t first_round_rate(const struct first_round *host,
					const struct first_round *prefix, uint64_t now_ns)
{
	if (first_round_is_known(prefix, now_ns))
		return prefix->bytes_per_s;
	return first_round_is_known(host, now_ns) ? host->bytes_per_s : FIRST_ROUND_BYTES_PER_S;
}

/* What is known after a connection that started at this rate. */
static inline struct first_round first_round_after(const struct first_round *known, uint64_t rate,
						   enum startup_first_round outcome,
						   uint64_t now_ns)
{
	struct first_round next = {
		.learned_ns = now_ns,
		.was_too_fast = first_round_is_known(known, now_ns) ? known->was_too_fast : 0,
	};

	if (outcome != STARTUP_FIRST_ROUND_CARRIED) {
		next.was_too_fast = 1;
		next.bytes_per_s =
			max_u64(rate / FIRST_ROUND_FALL_DIVISOR, FIRST_ROUND_MIN_BYTES_PER_S);
		return next;
	}
	next.bytes_per_s = min_u64(next.was_too_fast ? rate + rate / FIRST_ROUND_RISE_DIVISOR
						     : rate * FIRST_ROUND_SEARCH_FACTOR,
				   FIRST_ROUND_MAX_BYTES_PER_S);
	return next;
}

/* A connection of the prefix knows what became of its early segments. */
static inline void first_round_learn(struct first_round *host, struct first_round *prefix,
				     enum startup_first_round outcome, uint64_t now_ns)
{
	uint64_t rate = first_round_rate(host, prefix, now_ns);

	if (outcome == STARTUP_FIRST_ROUND_UNKNOWN)
		return;
	if (!first_round_is_known(prefix, now_ns))
		*host = first_round_after(host, rate, outcome, now_ns);
	*prefix = first_round_after(prefix, rate, outcome, now_ns);
}

#endif
