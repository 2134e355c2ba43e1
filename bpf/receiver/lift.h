/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raises the receive buffer of a connection: `onramp receiver`, and `receive_window` of policies.
 * bpf/receiver.bpf.c says how, and when.
 */
#ifndef ONRAMP_RECEIVER_LIFT_H
#define ONRAMP_RECEIVER_LIFT_H

#include "intf.h"
#include "kernel.h"
#include "policy/flags.h"

#include <bpf/bpf_helpers.h>

#define SOL_SOCKET 1
#define SO_RCVBUF 8
#define SO_RCVLOWAT 18

/* An application that has not accepted its connection after so many segments of ours has time to
 * wait. */
#define MAX_TRIES 256

MAP(ARRAY, 1, __u32, struct onramp_receiver_counts) onramp_lifts SEC(".maps");

SOCKET_MAP(struct onramp_lift, 0) onramp_lifted SEC(".maps");

/* Raise the buffer. Returns the bytes that it gained. An application that has chosen its buffer
 * keeps it. */
static inline __u32 raise_buffer(struct bpf_sock_ops *ctx, int window_bytes)
{
	int before = 0, after = 0, mark = 1;

	if (bpf_getsockopt(ctx, SOL_SOCKET, SO_RCVBUF, &before, sizeof(before)) ||
	    bpf_getsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)))
		return 0;
	bpf_setsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &window_bytes, sizeof(window_bytes));
	bpf_setsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark));
	if (bpf_getsockopt(ctx, SOL_SOCKET, SO_RCVBUF, &after, sizeof(after)))
		return 0;
	return after > before ? after - before : 0;
}

/* Lift the connection if there is room for it. Returns whether no further try is needed. */
static inline bool lift(struct bpf_sock_ops *ctx, struct onramp_lift *own, __u64 limit_bytes)
{
	struct onramp_receiver_counts *counts;
	__u32 only = 0;

	counts = bpf_map_lookup_elem(&onramp_lifts, &only);
	if (!counts)
		return true;
	/* A buffer holds twice the window, because of the kernel's own records. */
	if (counts->live_bytes + 2ull * own->window_bytes > limit_bytes) {
		__sync_fetch_and_add(&counts->beyond_limit, 1);
		return true;
	}
	own->raised_bytes = raise_buffer(ctx, (int)own->window_bytes);
	if (!own->raised_bytes)
		return false;
	__sync_fetch_and_add(&counts->lifted, 1);
	__sync_fetch_and_add(&counts->live, 1);
	__sync_fetch_and_add(&counts->live_bytes, own->raised_bytes);
	return true;
}

static inline struct onramp_lift *lift_of(struct bpf_sock_ops *ctx, __u64 flags)
{
	struct bpf_sock *sk = ctx->sk;

	return sk ? bpf_sk_storage_get(&onramp_lifted, sk, 0, flags) : NULL;
}

/* This host opens the connection: lift it before its SYN. */
static inline void lift_opened(struct bpf_sock_ops *ctx, __u32 window_bytes, __u64 limit_bytes)
{
	struct onramp_lift *own = lift_of(ctx, BPF_SK_STORAGE_GET_F_CREATE);

	if (!own)
		return;
	own->window_bytes = window_bytes;
	if (lift(ctx, own, limit_bytes))
		set_flags(ctx, BPF_SOCK_OPS_STATE_CB_FLAG, 0);
}

/* This host accepts the connection: lift it when the application has it. The kernel asks for
 * options before each segment, so also before each ACK. It would show arriving segments to us only
 * where its header prediction fails, which may never happen. */
static inline void lift_accepted(struct bpf_sock_ops *ctx, __u32 window_bytes)
{
	struct onramp_lift *own = lift_of(ctx, BPF_SK_STORAGE_GET_F_CREATE);

	if (!own)
		return;
	own->window_bytes = window_bytes;
	own->tries_left = MAX_TRIES;
	set_flags(ctx, BPF_SOCK_OPS_STATE_CB_FLAG | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG, 0);
}

/* A segment leaves, or a round trip ends. The other program may have ended the calls meanwhile. */
static inline void lift_at_segment(struct bpf_sock_ops *ctx, __u64 limit_bytes)
{
	struct onramp_lift *own = lift_of(ctx, 0);

	if (!own || !own->tries_left)
		return;
	own->tries_left--;
	if (lift(ctx, own, limit_bytes))
		own->tries_left = 0;
	if (own->tries_left)
		set_flags(ctx, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG, 0);
	else
		set_flags(ctx, 0, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
}

/* The state of the connection changes. One that ends gives back what it has gained. */
static inline void lift_ends(struct bpf_sock_ops *ctx)
{
	struct onramp_receiver_counts *counts;
	struct onramp_lift *own;
	__u32 only = 0;

	if (ctx->args[1] != TCP_CLOSE)
		return;
	own = lift_of(ctx, 0);
	counts = bpf_map_lookup_elem(&onramp_lifts, &only);
	if (!own || !own->raised_bytes || !counts)
		return;
	__sync_fetch_and_sub(&counts->live, 1);
	__sync_fetch_and_sub(&counts->live_bytes, own->raised_bytes);
	own->raised_bytes = 0;
}

#endif
