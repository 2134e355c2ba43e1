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
 * 5 Mbit/s is the rate of a host that knows nothing of its paths. Where the path is slower, the
 * segments fill its queue, or are lost there: docs/algorithms/onramp.md has what this costs on
 * lines of 1 to 10 Mbit/s, and what other rates cost and gain.
 */
#ifndef ONRAMP_FIRST_ROUND_H
#define ONRAMP_FIRST_ROUND_H

#include <stdint.h>

/* Payload of 5 Mbit/s: 1448 of 1514 bytes, rounded. */
#define FIRST_ROUND_BYTES_PER_S UINT64_C(600000)

#endif
