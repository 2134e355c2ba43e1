/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts every TCP connection that a cgroup's processes open or accept on one congestion control,
 * when the connection is established and before it has sent data.
 *
 * The start-up sets its timers then (timers.h). This program sets them earlier: the first RTT
 * sample comes from the handshake, and the kernel puts its minimum of that time into rttvar, which
 * shrinks by a quarter in a round trip. An accepted connection has the timers of its listening
 * socket.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "intf.h"
#include "timers.h"

char _license[] SEC("license") = "GPL";

const volatile struct onramp_adopt adopt SEC(".rodata.adopt");

/* Connections that took the congestion control, and that refused it */
__u64 adopted = 0;
__u64 refused = 0;

SEC("sockops")
int onramp_adopt(struct bpf_sock_ops *ctx)
{
	struct onramp_adopt name;

	if (ctx->op == BPF_SOCK_OPS_TCP_CONNECT_CB || ctx->op == BPF_SOCK_OPS_TCP_LISTEN_CB)
		set_timers(ctx, &adopt.timers);
	if (ctx->op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB &&
	    ctx->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		return 1;
	name = adopt;
	if (bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, name.congestion_control,
			   sizeof(name.congestion_control)))
		__sync_fetch_and_add(&refused, 1);
	else
		__sync_fetch_and_add(&adopted, 1);
	return 1;
}
