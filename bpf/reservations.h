/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting of reserved rates (TCP_QOS): the maps with the sockets' reservations and the
 * operator's limits. The start-up `qos` and the programs of the socket option (qos.bpf.c) share
 * them.
 *
 * A reservation counts against the limits of all cgroups that enclosed the process when it asked.
 * It counts from the time its connection is established until it ends, is cleared, or breaks.
 */
#ifndef ONRAMP_RESERVATIONS_H
#define ONRAMP_RESERVATIONS_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#define MAX_LIMITS 4096

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct onramp_reservation);
} onramp_reserved SEC(".maps");

/* The key is the id of the cgroup. Only user space writes to this map. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_LIMITS);
	__type(key, __u64);
	__type(value, struct onramp_limit);
} onramp_limits SEC(".maps");

/* The same keys. User space creates the entries; only the programs change them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_LIMITS);
	__type(key, __u64);
	__type(value, struct onramp_usage);
} onramp_usage SEC(".maps");

/* Find the limit that a reservation counts against on this level, and its usage. False: there are
 * no more levels. */
static inline bool limit_of(const struct onramp_reservation *reservation, int level,
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

/* Subtract a rate from the usage of a reservation's first `levels` limits. */
static inline void give_back(const struct onramp_reservation *reservation, int levels, __u64 rate)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && level < levels; level++) {
		if (!limit_of(reservation, level, &limit, &usage))
			break;
		__sync_fetch_and_sub(&usage->bytes_per_s, rate);
	}
}

/* Add a rate to the usage of all limits of a reservation. Returns 0, or an errno if one of them has
 * no room; then the usage is unchanged. */
static inline int count_more(const struct onramp_reservation *reservation, __u64 rate)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS; level++) {
		/* A process that no limit covers has no permission to reserve. */
		if (!limit_of(reservation, level, &limit, &usage))
			return level ? 0 : EPERM;
		if (__sync_fetch_and_add(&usage->bytes_per_s, rate) + rate > limit->bytes_per_s) {
			__sync_fetch_and_add(&usage->refused, 1);
			give_back(reservation, level + 1, rate);
			return EBUSY;
		}
	}
	return 0;
}

/* Grant a reservation and count it, or refuse it. */
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
	     level < ONRAMP_LIMIT_LEVELS && limit_of(reservation, level, &limit, &usage); level++)
		__sync_fetch_and_add(&usage->granted, 1);
}

/* End a granted reservation. `state`: ONRAMP_RESERVATION_NONE or ONRAMP_RESERVATION_BROKEN */
static inline void end_reservation(struct onramp_reservation *reservation, __u32 state)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	if (reservation->state != ONRAMP_RESERVATION_GRANTED)
		return;
	give_back(reservation, ONRAMP_LIMIT_LEVELS, reservation->rate_bytes_per_s);
	for (int level = 0; state == ONRAMP_RESERVATION_BROKEN && level < ONRAMP_LIMIT_LEVELS;
	     level++) {
		if (!limit_of(reservation, level, &limit, &usage))
			break;
		__sync_fetch_and_add(&usage->broken, 1);
	}
	reservation->state = state;
}

#endif
