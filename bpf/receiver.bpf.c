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
 *     a connection that it accepts         lifted before the first ACK that it sends when the
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
#include "receiver/lift.h"

char _license[] SEC("license") = "GPL";

const volatile struct onramp_receiver receiver SEC(".rodata.receiver");

/* Prefixes and ports that `onramp receiver` can name */
#define MAX_PREFIXES 4096
#define MAX_PORTS 4096

SPARSE_MAP(LPM_TRIE, MAX_PREFIXES, struct onramp_prefix, __u64) onramp_from SEC(".maps");

SPARSE_MAP(HASH, MAX_PORTS, __u32, __u64) onramp_ports SEC(".maps");

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

SEC("sockops")
int onramp_receiver(struct bpf_sock_ops *ctx)
{
	switch (ctx->op) {
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
		if (is_chosen(ctx))
			lift_opened(ctx, receiver.window_bytes, receiver.limit_bytes);
		break;
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		if (is_chosen(ctx))
			lift_accepted(ctx, receiver.window_bytes);
		break;
	case BPF_SOCK_OPS_RTT_CB:
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		lift_at_segment(ctx, receiver.limit_bytes);
		break;
	case BPF_SOCK_OPS_STATE_CB:
		lift_ends(ctx);
		break;
	}
	return 1;
}
