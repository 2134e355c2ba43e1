/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls that a connection asks of the programs on its cgroup. */
#ifndef ONRAMP_POLICY_FLAGS_H
#define ONRAMP_POLICY_FLAGS_H

#include "kernel.h"

#include <bpf/bpf_helpers.h>

static inline void set_flags(struct bpf_sock_ops *ctx, __u32 set, __u32 clear)
{
	__u32 flags = (ctx->bpf_sock_ops_cb_flags | set) & ~clear;

	if (flags != ctx->bpf_sock_ops_cb_flags)
		bpf_sock_ops_cb_flags_set(ctx, (int)flags);
}

#endif
