/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which policy is a connection's? Each kind of match gives a set of policies, a bit each. Their
 * intersection has the connection's policies, and its lowest bit is the first one of the
 * configuration. A kind that no policy uses costs a comparison and no lookup.
 */
#ifndef ONRAMP_POLICY_MATCH_H
#define ONRAMP_POLICY_MATCH_H

#include "intf.h"
#include "kernel.h"
#include "policy/destination.h"
#include "policy/maps.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

static inline __u64 policies_for(__u32 generation, __u32 kind, __u64 value, __u64 otherwise)
{
	struct onramp_match match = {.generation = generation, .kind = kind, .value = value};
	__u64 *policies = bpf_map_lookup_elem(&onramp_matches, &match);

	return policies ? *policies : otherwise;
}

/* Policies that name the socket's cgroup or one that encloses it */
static inline __u64 policies_of_cgroup(struct tcp_sock *tp, const struct onramp_table *table)
{
	struct cgroup *own = tp->inet_conn.icsk_inet.sk.sk_cgrp_data.cgroup, *cgroup = NULL;
	__u64 policies = table->any_cgroup;
	__u32 *is_named;
	int own_level;

	if (!own)
		return policies;
	own_level = BPF_CORE_READ(own, level);
	for (int level = 0; level < ONRAMP_CGROUP_LEVELS; level++) {
		if (level > own_level)
			break;
		is_named = level_of(table->generation, level);
		if (!is_named || !*is_named)
			continue;
		if (bpf_core_read(&cgroup, sizeof(cgroup), &own->ancestors[level]) || !cgroup)
			break;
		policies |= policies_for(table->generation, ONRAMP_MATCH_CGROUP,
					 BPF_CORE_READ(cgroup, kn, id), 0);
	}
	return policies;
}

/* The policies of a connection */
static inline __u64 policies_of(struct bpf_sock_ops *ctx, struct tcp_sock *tp,
				const struct onramp_table *table)
{
	struct onramp_prefix prefix = {.generation = table->generation};
	bool is_ipv4 = fill_prefix(ctx, &prefix);
	__u64 policies = is_ipv4 ? table->ipv4 : table->ipv6;
	__u64 *of_prefix;

	if (policies & ~table->any_port)
		policies &= policies_for(table->generation, ONRAMP_MATCH_PORT, ctx->local_port,
					 table->any_port);
	if (policies & ~table->any_destination) {
		of_prefix = bpf_map_lookup_elem(&onramp_prefixes, &prefix);
		policies &= of_prefix ? *of_prefix : table->any_destination;
	}
	if (policies & ~table->any_user)
		policies &= policies_for(table->generation, ONRAMP_MATCH_USER,
					 tp->inet_conn.icsk_inet.sk.sk_uid.val, table->any_user);
	if (policies & ~table->any_cgroup)
		policies &= policies_of_cgroup(tp, table);
	return policies;
}

/* The number of the lowest bit of a set that is not empty */
static inline __u32 first_of(__u64 policies)
{
	return bit_length(policies & -policies) - 1;
}

#endif
