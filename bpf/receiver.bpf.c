/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lifts the receive buffer of new connections: `onramp receiver`. With the kernel's default of
 * 128 KiB a receiver offers 64 KiB at first, and its auto-tuning needs round trips to offer more.
 *
 * An application can raise its buffer by SO_RCVBUF, which ends auto-tuning and is bounded by
 * net.core.rmem_max. A mark for reading (SO_RCVLOWAT) raises it too, up to net.ipv4.tcp_rmem[2],
 * and leaves auto-tuning on: the kernel makes room for as much as the application waits for. So the
 * program sets the mark to the window that it wants, and then back. The buffer stays.
 *
 *     a connection that this host opens    lifted before its SYN, so its first ACK of data offers
 *                                          the whole window
 *     a connection that it accepts         lifted at the first segment that arrives when the
 *                                          application has accepted it: before that the kernel
 *                                          leaves its buffer alone. The SYN ACK can offer 64 KiB
 *                                          at most in any case; then the window grows by two
 *                                          segments for each that arrives
 *
 * A buffer is a limit and no allocation. All lifts of live connections together have a bound.
 */
#include "kernel.h"

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "intf.h"
#include "policy/destination.h"

char _license[] SEC("license") = "GPL";

const volatile struct onramp_receiver receiver SEC(".rodata.receiver");

#define SOL_SOCKET 1
#define SO_RCVBUF 8
#define SO_RCVLOWAT 18

/* Prefixes and ports that `onramp receiver` can name */
#define MAX_PREFIXES 4096
#define MAX_PORTS 4096

/* An application that has not accepted its connection after so many segments has time to wait. */
#define MAX_TRIES 256

PREFIX_MAP(MAX_PREFIXES) onramp_from SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, MAX_PORTS);
	__type(key, __u32);
	__type(value, __u64);
} onramp_ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct onramp_receiver_counts);
} onramp_lifts SEC(".maps");

struct lift {
	__u32 bytes; /* by which the buffer was raised; 0: not yet */
	__u32 tries;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct lift);
} onramp_lifted SEC(".maps");

static inline bool is_named_port(__u32 port)
{
	return bpf_map_lookup_elem(&onramp_ports, &port);
}

static inline bool is_chosen(struct bpf_sock_ops *ctx)
{
	struct onramp_prefix peer = {};

	if (!receiver.any_port && !is_named_port(ctx->local_port) &&
	    !is_named_port(bpf_ntohl(ctx->remote_port)))
		return false;
	if (receiver.any_peer)
		return true;
	fill_prefix(ctx, &peer);
	return bpf_map_lookup_elem(&onramp_from, &peer);
}

static inline void set_flags(struct bpf_sock_ops *ctx, __u32 set, __u32 clear)
{
	bpf_sock_ops_cb_flags_set(ctx, (int)((ctx->bpf_sock_ops_cb_flags | set) & ~clear));
}

/* Raise the buffer. Returns the bytes that it gained. An application that has chosen its buffer
 * keeps it. */
static inline __u32 raise_buffer(struct bpf_sock_ops *ctx)
{
	int before = 0, after = 0, mark = 1, window = (int)receiver.window_bytes;

	if (bpf_getsockopt(ctx, SOL_SOCKET, SO_RCVBUF, &before, sizeof(before)) ||
	    bpf_getsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)))
		return 0;
	bpf_setsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &window, sizeof(window));
	bpf_setsockopt(ctx, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark));
	if (bpf_getsockopt(ctx, SOL_SOCKET, SO_RCVBUF, &after, sizeof(after)))
		return 0;
	return after > before ? after - before : 0;
}

/* Lift the connection if there is room for it. Returns whether no further try is needed. */
static inline bool lift(struct bpf_sock_ops *ctx, struct lift *own,
			struct onramp_receiver_counts *counts)
{
	/* A buffer holds twice the window, because of the kernel's own records. */
	if (counts->live_bytes + 2ull * receiver.window_bytes > receiver.limit_bytes) {
		__sync_fetch_and_add(&counts->beyond_limit, 1);
		return true;
	}
	own->bytes = raise_buffer(ctx);
	if (!own->bytes)
		return false;
	__sync_fetch_and_add(&counts->lifted, 1);
	__sync_fetch_and_add(&counts->live, 1);
	__sync_fetch_and_add(&counts->live_bytes, own->bytes);
	return true;
}

static inline struct lift *lift_of(struct bpf_sock_ops *ctx, __u64 flags)
{
	struct bpf_sock *sk = ctx->sk;

	return sk ? bpf_sk_storage_get(&onramp_lifted, sk, 0, flags) : NULL;
}

SEC("sockops")
int onramp_receiver(struct bpf_sock_ops *ctx)
{
	struct onramp_receiver_counts *counts;
	struct lift *own;
	__u32 only = 0;

	counts = bpf_map_lookup_elem(&onramp_lifts, &only);
	if (!counts)
		return 1;
	switch (ctx->op) {
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
		if (!is_chosen(ctx))
			break;
		own = lift_of(ctx, BPF_SK_STORAGE_GET_F_CREATE);
		if (own && lift(ctx, own, counts))
			set_flags(ctx, BPF_SOCK_OPS_STATE_CB_FLAG, 0);
		break;
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		if (is_chosen(ctx) && lift_of(ctx, BPF_SK_STORAGE_GET_F_CREATE))
			set_flags(ctx,
				  BPF_SOCK_OPS_STATE_CB_FLAG |
					  BPF_SOCK_OPS_PARSE_ALL_HDR_OPT_CB_FLAG,
				  0);
		break;
	case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
		own = lift_of(ctx, 0);
		if (own && !own->bytes && (lift(ctx, own, counts) || ++own->tries >= MAX_TRIES))
			set_flags(ctx, 0, BPF_SOCK_OPS_PARSE_ALL_HDR_OPT_CB_FLAG);
		break;
	case BPF_SOCK_OPS_STATE_CB:
		own = lift_of(ctx, 0);
		if (ctx->args[1] != TCP_CLOSE || !own || !own->bytes)
			break;
		__sync_fetch_and_sub(&counts->live, 1);
		__sync_fetch_and_sub(&counts->live_bytes, own->bytes);
		own->bytes = 0;
		break;
	}
	return 1;
}
