/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policies in force.
 *
 * User space changes all of them at once. Keys begin with a generation, so the maps hold the
 * entries of two generations side by side: the one in force, and the next one while user space
 * writes it. Then user space raises onramp_active, one word, and the next connection is matched
 * against the next generation. The entries of the generation before are removed with the change
 * after that.
 */
#ifndef ONRAMP_POLICY_MAPS_H
#define ONRAMP_POLICY_MAPS_H

#include "intf.h"
#include "kernel.h"
#include "policy/destination.h"

#include <bpf/bpf_helpers.h>

/* Keys of two generations */
#define MAX_PREFIXES 65536
#define MAX_MATCHES 262144
#define MAX_CGROUP_NAMES 4096

/* The generation in force */
MAP(ARRAY, 1, __u32, __u32) onramp_active SEC(".maps");

/* The table of an even generation, and that of an odd one */
MAP(ARRAY, 2, __u32, struct onramp_table) onramp_tables SEC(".maps");

/* Destinations: the policies of the longest prefix that contains an address, with those of the
 * shorter ones and those for any destination */
SPARSE_MAP(LPM_TRIE, MAX_PREFIXES, struct onramp_prefix, __u64) onramp_prefixes SEC(".maps");

/* Ports and users, with the policies for any of them; cgroups, without */
SPARSE_MAP(HASH, MAX_MATCHES, struct onramp_match, __u64) onramp_matches SEC(".maps");

/* Is a cgroup of this level named, by a path or a unit? Those of the even generation, and those of
 * the odd one. User space and the programs add levels at the same time, so each is a word. */
MAP(ARRAY, 2 * ONRAMP_CGROUP_LEVELS, __u32, __u32) onramp_levels SEC(".maps");

/* The policies for a cgroup by its path or by the last part of its path, the systemd unit */
SPARSE_MAP(HASH, MAX_CGROUP_NAMES, struct onramp_cgroup_name, __u64) onramp_cgroups SEC(".maps");

MAP(PERCPU_ARRAY, 1, __u32, struct onramp_policy_totals) onramp_policied SEC(".maps");

static __always_inline __u32 active_generation(void)
{
	__u32 only = 0, *active = bpf_map_lookup_elem(&onramp_active, &only);

	return active ? *active : 0;
}

static __always_inline struct onramp_table *table_of(__u32 generation)
{
	__u32 index = generation & 1;

	return bpf_map_lookup_elem(&onramp_tables, &index);
}

static __always_inline __u32 *level_of(__u32 generation, __u32 level)
{
	__u32 index = (generation & 1) * ONRAMP_CGROUP_LEVELS + level;

	return bpf_map_lookup_elem(&onramp_levels, &index);
}

static __always_inline struct onramp_policy_totals *policy_totals(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&onramp_policied, &only);
}

#endif
