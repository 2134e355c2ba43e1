/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rates that sockets reserve (TCP_QOS), and what an operator allows: maps that a start-up and the
 * programs of the option share.
 *
 * A reservation counts against every limit of the cgroups that it was asked for in, from the moment
 * at which its connection is established until it ends, is cleared, or has broken.
 */
#ifndef ONRAMP_RESERVATIONS_H
#define ONRAMP_RESERVATIONS_H

#include "kernel.h"
#include "shared.h"

#include <bpf/bpf_helpers.h>

#define MOST_LIMITS 4096

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct onramp_reservation);
} onramp_reserved SEC(".maps");

/* By the id of the cgroup. Written by the operator alone. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST_LIMITS);
	__type(key, __u64);
	__type(value, struct onramp_limit);
} onramp_limits SEC(".maps");

/* By the same ids; made by the operator, and written by the programs alone. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST_LIMITS);
	__type(key, __u64);
	__type(value, struct onramp_usage);
} onramp_usage SEC(".maps");

/* The limit and the usage of a reservation's level; false where there are no more. */
static inline bool level_of(const struct onramp_reservation *reservation, int level,
			    struct onramp_limit **limit, struct onramp_usage **usage)
{
	__u64 id = reservation->limits[level];

	*limit = NULL;
	*usage = NULL;
	if (!id)
		return false;
	*limit = bpf_map_lookup_elem(&onramp_limits, &id);
	*usage = bpf_map_lookup_elem(&onramp_usage, &id);
	return *limit && *usage;
}

/* Count so much of it no longer, on its first levels. */
static inline void give_back(const struct onramp_reservation *reservation, int levels, __u64 rate)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && level < levels; level++) {
		if (!level_of(reservation, level, &limit, &usage))
			break;
		__sync_fetch_and_sub(&usage->bytes_per_s, rate);
	}
}

/* Count so much more of it, where there is room on all levels: 0, or an error, and then nothing has
 * changed. */
static inline int count_more(const struct onramp_reservation *reservation, __u64 rate)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS; level++) {
		if (!level_of(reservation, level, &limit, &usage))
			return level ? 0 : EPERM; /* what no limit counts, nobody has allowed */
		if (__sync_fetch_and_add(&usage->bytes_per_s, rate) + rate > limit->bytes_per_s) {
			__sync_fetch_and_add(&usage->refused, 1);
			give_back(reservation, level + 1, rate);
			return EBUSY;
		}
	}
	return 0;
}

/* Is there room for it? Then it counts, and is granted. */
static inline void grant(struct onramp_reservation *reservation)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	if (count_more(reservation, reservation->rate_bytes_per_s)) {
		reservation->state = ONRAMP_RESERVATION_REFUSED;
		return;
	}
	reservation->state = ONRAMP_RESERVATION_GRANTED;
	for (int level = 0;
	     level < ONRAMP_LIMIT_LEVELS && level_of(reservation, level, &limit, &usage); level++)
		__sync_fetch_and_add(&usage->granted, 1);
}

/* It ends, in this state. */
static inline void end_reservation(struct onramp_reservation *reservation, __u32 state)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	if (reservation->state != ONRAMP_RESERVATION_GRANTED)
		return;
	give_back(reservation, ONRAMP_LIMIT_LEVELS, reservation->rate_bytes_per_s);
	for (int level = 0; state == ONRAMP_RESERVATION_BROKEN && level < ONRAMP_LIMIT_LEVELS;
	     level++) {
		if (!level_of(reservation, level, &limit, &usage))
			break;
		__sync_fetch_and_add(&usage->broken, 1);
	}
	reservation->state = state;
}

#endif
