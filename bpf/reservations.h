/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting of reserved rates (TCP_QOS): the maps with the sockets' reservations and the
 * operator's limits. The start-up `qos` and the programs of the socket option (qos.bpf.c) share
 * them.
 *
 * A reservation counts against the limits of all cgroups that enclosed the process when it asked.
 * Where only the host had a limit, it also counts against that of the user. It counts from the time
 * its connection is established until it ends, is cleared, or breaks.
 */
#ifndef ONRAMP_RESERVATIONS_H
#define ONRAMP_RESERVATIONS_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#define MAX_LIMITS 4096
#define MAX_USERS 16384

/* The rate in an entry of onramp_users that is being deleted: no limit is as large. */
#define USER_LEAVES (UINT64_C(1) << 63)

SOCKET_MAP(struct onramp_reservation, BPF_F_CLONE) onramp_reserved SEC(".maps");

/* The key is the id of the cgroup. Only user space writes to this map. */
MAP(HASH, MAX_LIMITS, __u64, struct onramp_limit) onramp_limits SEC(".maps");

/* The same keys. User space creates the entries; only the programs change them. */
MAP(HASH, MAX_LIMITS, __u64, struct onramp_usage) onramp_usage SEC(".maps");

/* The rate that each user has reserved where only the host had a limit. The key is the owner of the
 * reservations (ONRAMP_OWNER_USER). An entry exists while its rate is not 0. */
SPARSE_MAP(HASH, MAX_USERS, __u64, __u64) onramp_users SEC(".maps");

static inline bool owner_is_user(__u64 owner)
{
	return owner & ONRAMP_OWNER_USER;
}

/* The rate that each user may reserve. */
static inline __u64 user_limit(void)
{
	__u64 id = ONRAMP_OWNER_USER;
	struct onramp_limit *limit = bpf_map_lookup_elem(&onramp_limits, &id);

	return limit && limit->bytes_per_s < USER_LEAVES ? limit->bytes_per_s : USER_LEAVES - 1;
}

/* Subtract a rate from what a user has reserved. Whoever subtracts the last one deletes the entry:
 * while it is marked, no other program can add to it or delete it. */
static inline void give_back_user(__u64 owner, __u64 rate)
{
	__u64 *reserved;

	if (!owner_is_user(owner))
		return;
	reserved = bpf_map_lookup_elem(&onramp_users, &owner);
	if (reserved && __sync_fetch_and_sub(reserved, rate) == rate &&
	    __sync_val_compare_and_swap(reserved, 0, USER_LEAVES) == 0)
		bpf_map_delete_elem(&onramp_users, &owner);
}

/* Add a rate to what a user has reserved. Returns 0, or an errno; then nothing is added. */
static inline int count_more_of_user(__u64 owner, __u64 rate)
{
	__u64 *reserved, none = 0;

	if (!owner_is_user(owner))
		return 0;
	reserved = bpf_map_lookup_elem(&onramp_users, &owner);
	if (!reserved) {
		bpf_map_update_elem(&onramp_users, &owner, &none, BPF_NOEXIST);
		reserved = bpf_map_lookup_elem(&onramp_users, &owner);
	}
	if (!reserved)
		return ENOMEM;
	if (__sync_fetch_and_add(reserved, rate) + rate <= user_limit())
		return 0;
	give_back_user(owner, rate);
	return EBUSY;
}

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
static inline void give_back_limits(const struct onramp_reservation *reservation, int levels,
				    __u64 rate)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && level < levels; level++) {
		if (!limit_of(reservation, level, &limit, &usage))
			break;
		__sync_fetch_and_sub(&usage->bytes_per_s, rate);
	}
}

/* Subtract a rate from everything that a reservation counts against. */
static inline void give_back(const struct onramp_reservation *reservation, __u64 rate)
{
	give_back_limits(reservation, ONRAMP_LIMIT_LEVELS, rate);
	give_back_user(reservation->owner, rate);
}

/* Add a rate to everything that a reservation counts against. Returns 0, or an errno if a limit has
 * no room; then the usage is unchanged. */
static inline int count_more(const struct onramp_reservation *reservation, __u64 rate)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;
	int error;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS; level++) {
		if (!limit_of(reservation, level, &limit, &usage)) {
			/* A process that no limit covers has no permission to reserve. */
			if (!level)
				return EPERM;
			break;
		}
		if (__sync_fetch_and_add(&usage->bytes_per_s, rate) + rate > limit->bytes_per_s) {
			__sync_fetch_and_add(&usage->refused, 1);
			give_back_limits(reservation, level + 1, rate);
			return EBUSY;
		}
	}
	error = count_more_of_user(reservation->owner, rate);
	if (error)
		give_back_limits(reservation, ONRAMP_LIMIT_LEVELS, rate);
	return error;
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
	reservation->granted_ns = bpf_ktime_get_ns();
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
	give_back(reservation, reservation->rate_bytes_per_s);
	for (int level = 0; state == ONRAMP_RESERVATION_BROKEN && level < ONRAMP_LIMIT_LEVELS;
	     level++) {
		if (!limit_of(reservation, level, &limit, &usage))
			break;
		__sync_fetch_and_add(&usage->broken, 1);
	}
	reservation->state = state;
}

#endif
