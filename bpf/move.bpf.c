/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves the TCP sockets of a network namespace from one congestion control to another, while their
 * connections live: `onramp unload --live`. The kernel locks each socket and calls the program
 * (a BPF iterator over TCP sockets). Listening sockets are visited too, so that connections that
 * they accept later have the other control from the beginning.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "intf.h"

char _license[] SEC("license") = "GPL";

struct onramp_move order SEC(".data.move");

static bool is_moved(const char *name)
{
	for (int i = 0; i < ONRAMP_NAME_BYTES; i++) {
		if (name[i] != order.from[i])
			return false;
		if (!name[i])
			break;
	}
	return true;
}

SEC("iter/tcp")
int onramp_move(struct bpf_iter__tcp *ctx)
{
	struct sock_common *sk = ctx->sk_common;
	char name[ONRAMP_NAME_BYTES] = {};
	struct tcp_sock *tp;

	if (!sk)
		return 0;
	/* A request for a connection and a socket in TIME-WAIT have no congestion control. */
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	if (bpf_getsockopt(tp, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) || !is_moved(name))
		return 0;
	for (int i = 0; i < ONRAMP_NAME_BYTES; i++)
		name[i] = order.to[i];
	if (bpf_setsockopt(tp, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)))
		order.refused++;
	else
		order.moved++;
	return 0;
}
