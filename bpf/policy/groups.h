/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The groups of policies: which group a connection belongs to, and what the connections of each
 * group did. The policy program (policy.bpf.c) and the start-ups of `onramp serve` share these
 * maps. A start-up adds what it alone knows: its exit, its time and its estimate (exits.h).
 *
 * Each processor has its own counters. Additions are atomic, because an interrupt may find its
 * processor within an addition.
 */
#ifndef ONRAMP_POLICY_GROUPS_H
#define ONRAMP_POLICY_GROUPS_H

#include "intf.h"
#include "kernel.h"
#include "math.h"

#include <bpf/bpf_helpers.h>

SOCKET_MAP(struct onramp_tag, 0) onramp_tags SEC(".maps");

/* Two elements for each slot. User space chooses the number of slots before it loads the first
 * program. */
MAP(PERCPU_ARRAY, 2, __u32, struct onramp_group_counts) onramp_groups SEC(".maps");

/* The counts of a connection's group on this processor. NULL: the slot has another policy or
 * start-up by now, and is judged by its own connections alone. */
static __always_inline struct onramp_group_counts *group_of(const struct onramp_tag *tag)
{
	__u32 index = tag->slot * 2 + tag->group;
	struct onramp_group_counts *group = bpf_map_lookup_elem(&onramp_groups, &index);

	return group && group->epoch == tag->epoch ? group : NULL;
}

static inline void add_to(uint64_t *counter, __u64 by)
{
	__sync_fetch_and_add(counter, by);
}

/* The bucket of a value in a histogram; crates/onramp-service/src/counts/histogram.rs has the
 * same. */
static inline __u32 bucket_of(__u64 value, __u32 last_octave, __u32 octave_log2)
{
	const __u32 first = ONRAMP_HISTOGRAM_FIRST_OCTAVE;
	__u32 octave;

	if (value >> first == 0)
		return 0;
	if (value >> last_octave)
		return ((last_octave - first) << octave_log2) + 1;
	octave = bit_length(value) - 1;
	return 1 + ((octave - first) << octave_log2) +
	       (__u32)((value >> (octave - octave_log2)) & ((1 << octave_log2) - 1));
}

static inline void add_time(struct onramp_times *times, __u64 us)
{
	__u32 bucket = bucket_of(us, ONRAMP_TIME_LAST_OCTAVE, ONRAMP_TIME_OCTAVE_LOG2);

	if (bucket < ONRAMP_TIME_BUCKETS)
		add_to(&times->counts[bucket], 1);
	add_to(&times->sum_us, us);
}

static inline void add_rate(struct onramp_rates *rates, __u64 bytes_per_s)
{
	__u32 bucket = bucket_of(bytes_per_s, ONRAMP_RATE_LAST_OCTAVE, ONRAMP_RATE_OCTAVE_LOG2);

	if (bucket < ONRAMP_RATE_BUCKETS)
		add_to(&rates->counts[bucket], 1);
	add_to(&rates->sum_bytes_per_s, bytes_per_s);
}

/* A connection has sent its first megabyte, or has ended. */
static inline void add_segments(struct onramp_segments *segments, __u64 sent, __u64 retransmitted)
{
	add_to(&segments->connections, 1);
	add_to(&segments->sent, sent);
	add_to(&segments->sent_squares, sent * sent);
	if (!retransmitted)
		return;
	add_to(&segments->connections_retransmitting, 1);
	add_to(&segments->retransmitted, retransmitted);
	add_to(&segments->retransmitted_squares, retransmitted * retransmitted);
	add_to(&segments->products, sent * retransmitted);
}

#endif
