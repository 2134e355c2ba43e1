/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Ensembles: how many connections of this host to one destination are starting up now.
 *
 * Connections of one host to one destination share a path. RFC 9040 calls them an ensemble, and
 * RFC 3124 lets them share one congestion state. Each of them measures the rate of the whole path
 * in its first round trip, and would fill the whole BDP in the next one. Ten of them would fill ten
 * BDPs. An algorithm that knows their number fills its share only (`siblings` of
 * struct startup_ack).
 *
 * A host keeps one entry for each path. A path is a source and a destination address within a
 * network namespace, as for the path memory (core/parts/path_memory.h). The host asks here:
 *
 *   event                                         function
 *   a connection starts, or an ACK is reported    ensemble_renew(), then ensemble_siblings()
 *   its start-up ends for the first time,
 *   or the connection ends before                 ensemble_leave()
 *
 * - A connection is counted from its start until its start-up ends for the first time. Afterwards
 *   it shares the path as congestion avoidance does, and others find their share by its queue.
 * - A connection is counted only while it receives ACKs. Browsers open connections that they do not
 *   use yet, and such a connection takes no share. So the count is kept by periods of a second. A
 *   connection is counted in the period of its start or of its latest ACK. The entry has the counts
 *   of the present period and of the previous one. Older ones are forgotten.
 * - So every mistake of the count ends after two periods. A host may lose an entry (a full map), or
 *   never say that a connection has ended.
 * - An entry counts up to 65535 connections in a period. Further ones are not counted, but see the
 *   others.
 * - Only connections of the same algorithm, under the same registration, count each other.
 *
 * Differences from the RFCs: only the number is shared, no cwnd, RTT or ssthresh. RFC 9040 shares
 * those with connections that begin later, as the path memory does.
 *
 * Hosts with several processors: the counts are one number of 64 bits, and compare-and-swap changes
 * it. A processor that fails too often gives up, which is a mistake of the kind above.
 */
#ifndef ONRAMP_ENSEMBLE_H
#define ONRAMP_ENSEMBLE_H

#include "math.h"

#include <stdbool.h>
#include <stdint.h>

/* A connection without an ACK is counted for one period at least, and for two at most. A second is
 * an RTO before the first RTT sample (RFC 6298), so a connection that waits for its first ACK is
 * still counted. */
#define ENSEMBLE_PERIOD_NS NS_PER_S
/* The most connections that a period counts. */
#define ENSEMBLE_MAX_MEMBERS UINT64_C(0xffff)
/* How often a processor tries to change the counts. Others change them in the same nanoseconds. */
#define ENSEMBLE_TRIES 8

/* The connections of a path that are starting up. All zero: none. */
struct ensemble_entry {
	/* From the highest bits to the lowest: the number of the present period (32 bits), the
	 * connections whose latest ACK was in the previous period (16 bits), and those of the
	 * present period (16 bits). */
	uint64_t counts;
};

/* The number of the period of this time. Period 0 is none. */
static inline uint32_t ensemble_period(uint64_t now_ns)
{
	return (uint32_t)(now_ns / ENSEMBLE_PERIOD_NS + 1);
}

static inline uint32_t ensemble_period_of(uint64_t counts)
{
	return (uint32_t)(counts >> 32);
}

static inline uint64_t ensemble_previous(uint64_t counts)
{
	return counts >> 16 & ENSEMBLE_MAX_MEMBERS;
}

static inline uint64_t ensemble_present(uint64_t counts)
{
	return counts & ENSEMBLE_MAX_MEMBERS;
}

static inline uint64_t ensemble_counts(uint32_t period, uint64_t previous, uint64_t present)
{
	return (uint64_t)period << 32 | previous << 16 | present;
}

/* The counts in this period. One processor may read the clock a little later than another, so a
 * period before the present one changes nothing. */
static inline uint64_t ensemble_advance(uint64_t counts, uint32_t period)
{
	uint32_t present = ensemble_period_of(counts);

	if (period <= present)
		return counts;
	return ensemble_counts(period, period - present == 1 ? ensemble_present(counts) : 0, 0);
}

/* The counts without a connection that was counted in this period; 0: it was not counted. */
static inline uint64_t ensemble_without(uint64_t counts, uint32_t member_period)
{
	uint32_t present = ensemble_period_of(counts);

	if (!member_period || member_period > present || present - member_period > 1)
		return counts;
	if (member_period == present)
		return counts - (ensemble_present(counts) ? 1 : 0);
	return counts - (ensemble_previous(counts) ? UINT64_C(1) << 16 : 0);
}

/* A connection starts, or an ACK has arrived for it: count it in the present period.
 * `member_period` is the connection's own, and 0 at first: the period in which it is counted. */
static inline void ensemble_renew(struct ensemble_entry *entry, uint32_t *member_period,
				  uint64_t now_ns)
{
	uint32_t period = ensemble_period(now_ns);

	for (int i = 0; i < ENSEMBLE_TRIES; i++) {
		uint64_t before = entry->counts;
		uint64_t after = ensemble_advance(before, period);
		bool has_room;

		if (ensemble_period_of(after) == *member_period)
			return;
		after = ensemble_without(after, *member_period);
		has_room = ensemble_present(after) < ENSEMBLE_MAX_MEMBERS;
		if (__sync_val_compare_and_swap(&entry->counts, before, after + has_room) != before)
			continue;
		*member_period = has_room ? ensemble_period_of(after) : 0;
		return;
	}
}

/* The start-up of a connection has ended, or the connection itself. */
static inline void ensemble_leave(struct ensemble_entry *entry, uint32_t *member_period)
{
	for (int i = 0; i < ENSEMBLE_TRIES && *member_period; i++) {
		uint64_t before = entry->counts;

		if (__sync_val_compare_and_swap(&entry->counts, before,
						ensemble_without(before, *member_period)) == before)
			*member_period = 0;
	}
	*member_period = 0;
}

/* The number of other connections that are starting up. `member_period` as above. */
static inline uint64_t ensemble_siblings(const struct ensemble_entry *entry, uint32_t member_period,
					 uint64_t now_ns)
{
	uint64_t others = ensemble_without(ensemble_advance(entry->counts, ensemble_period(now_ns)),
					   member_period);

	return ensemble_previous(others) + ensemble_present(others);
}

#endif
