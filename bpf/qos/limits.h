/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which limits a request for a reservation counts against, and whether they allow it. The
 * accounting itself is in reservations.h.
 */
#ifndef ONRAMP_QOS_LIMITS_H
#define ONRAMP_QOS_LIMITS_H

#include "kernel.h"
#include "reservations.h"

#include <bpf/bpf_helpers.h>

/* Depth of the cgroup hierarchy that is searched. Real hierarchies are not deeper. */
#define MAX_CGROUP_DEPTH 32

/* Find the limits of the asking process, and the owner of what it reserves. The first limit is that
 * of its own cgroup, or of the nearest enclosing cgroup that has one. The limits of the cgroups
 * around it follow, outwards. */
static void find_limits(struct onramp_reservation *reservation)
{
	struct onramp_limit *limit = NULL;
	__u64 id = 0;

	/* If the loop ends, only the host has a limit, or nobody. */
	reservation->owner = ONRAMP_OWNER_USER | (__u32)bpf_get_current_uid_gid();
	for (int depth = MAX_CGROUP_DEPTH - 1; depth >= 0; depth--) {
		id = bpf_get_current_ancestor_cgroup_id(depth);
		limit = id ? bpf_map_lookup_elem(&onramp_limits, &id) : NULL;
		if (limit && depth)
			reservation->owner = id;
		if (limit)
			break;
	}
	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && limit; level++) {
		reservation->limits[level] = id;
		id = limit->outer;
		limit = id ? bpf_map_lookup_elem(&onramp_limits, &id) : NULL;
	}
}

/* check_limits() for the limit of each user. */
static int check_user_limit(__u64 owner, __u64 rate, bool now)
{
	__u64 max = user_limit(), *reserved;

	if (!owner_is_user(owner))
		return 0;
	if (rate > max)
		return EPERM;
	reserved = now ? bpf_map_lookup_elem(&onramp_users, &owner) : NULL;
	return reserved && *reserved + rate > max ? EBUSY : 0;
}

/* Can this rate be reserved? Returns 0, or an errno. With `now` false, checks only whether the
 * limits are large enough, not whether there is room at present. */
static int check_limits(const struct onramp_reservation *reservation, __u64 rate, bool now)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;
	int error = reservation->limits[0] ? 0 : EPERM;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && !error; level++) {
		if (!limit_of(reservation, level, &limit, &usage))
			break;
		if (rate > limit->bytes_per_s)
			error = EPERM;
		else if (now && usage->bytes_per_s + rate > limit->bytes_per_s)
			error = EBUSY;
		if (error)
			__sync_fetch_and_add(&usage->refused, 1);
	}
	return error ?: check_user_limit(reservation->owner, rate, now);
}

/* Change the counted rate of a granted reservation. Returns 0, or an errno if a limit has no room
 * for the difference; then the usage is unchanged. */
static int recount(const struct onramp_reservation *reservation, __u64 rate)
{
	__u64 prior_rate = reservation->rate_bytes_per_s;

	if (rate > prior_rate)
		return count_more(reservation, rate - prior_rate);
	give_back(reservation, prior_rate - rate);
	return 0;
}

#endif
