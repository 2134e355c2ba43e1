/* SPDX-License-Identifier: GPL-2.0-only */
/* What a start-up of `onramp serve` adds to the counts of its connection's group. */
#ifndef ONRAMP_POLICY_EXITS_H
#define ONRAMP_POLICY_EXITS_H

#include "intf.h"
#include "kernel.h"
#include "policy/groups.h"

#include <bpf/bpf_helpers.h>

/* A start-up ended, or its connection before it. `startup_ns`: how long it took; 0: it never ran.
 * `estimate_bytes_per_s`: 0: none. Not inlined, as few calls of its callers need it. */
static __attribute__((noinline)) int count_group_exit(struct sock *sk, __u32 exit, __u64 startup_ns,
						      __u64 estimate_bytes_per_s)
{
	struct onramp_tag *tag = bpf_sk_storage_get(&onramp_tags, sk, 0, 0);
	struct onramp_group_counts *group;

	if (!tag)
		return 0; /* A program has chosen the start-up by its name. */
	group = group_of(tag);
	if (!group)
		return 0;
	if (exit < ONRAMP_TOTALS_EXITS)
		add_to(&group->exits[exit], 1);
	if (!startup_ns)
		return 0;
	add_time(&group->startup_time, startup_ns / 1000);
	if (estimate_bytes_per_s)
		add_rate(&group->estimate, estimate_bytes_per_s);
	return 0;
}

#endif
