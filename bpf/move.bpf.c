/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves the TCP sockets of a network namespace from some congestion controls to others, while their
 * connections live: `onramp unload --live`, `onramp off`. The kernel locks each socket and calls
 * the program (a BPF iterator over TCP sockets), once for all controls. Listening sockets are
 * visited too, so that connections that they accept later have the other control from the
 * beginning.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "intf.h"

char _license[] SEC("license") = "GPL";

/* Registrations of one host: 64 policies, and what `load` and `exec` registered beside them */
#define MAX_MOVES 4096

/* By the congestion control that sockets leave */
SPARSE_MAP(HASH, MAX_MOVES, char[ONRAMP_NAME_BYTES], struct onramp_move) onramp_moves SEC(".maps");

SEC("iter/tcp")
int onramp_move(struct bpf_iter__tcp *ctx)
{
	struct sock_common *sk = ctx->sk_common;
	char name[ONRAMP_NAME_BYTES] = {};
	struct onramp_move *order;
	struct tcp_sock *tp;

	if (!sk)
		return 0;
	/* A request for a connection and a socket in TIME-WAIT have no congestion control. */
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	if (bpf_getsockopt(tp, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)))
		return 0;
	order = bpf_map_lookup_elem(&onramp_moves, name);
	if (!order)
		return 0;
	__builtin_memcpy(name, order->to, sizeof(name));
	if (bpf_setsockopt(tp, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)))
		order->refused++;
	else
		order->moved++;
	return 0;
}
