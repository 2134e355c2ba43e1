/* SPDX-License-Identifier: GPL-2.0-only */
/* The connections of one loaded congestion control, in every network namespace: the rows of `onramp ss`. */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "endpoints.h"
#include "shared.h"

char _license[] SEC("license") = "GPL";

SEC("iter/bpf_sk_storage_map")
int onramp_list(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct onramp_connection *connection = ctx->value;
	struct sock *sk = ctx->sk;
	struct onramp_socket row = {};
	struct tcp_sock *tp;

	if (!connection || !sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	__builtin_memcpy(&row.connection, connection, sizeof(row.connection));
	fill_endpoints(sk, &row.local, &row.remote);
	row.now_ns = bpf_ktime_get_ns();
	row.pacing_bytes_per_s = sk->sk_pacing_status == SK_PACING_NONE ? ONRAMP_UNLIMITED : (__u64)sk->sk_pacing_rate;
	row.bytes_acked = tp->bytes_acked;
	row.tcp_state = sk->__sk_common.skc_state;
	row.mss_bytes = tp->mss_cache;
	row.cwnd_segments = tp->snd_cwnd;
	row.ssthresh_segments = tp->snd_ssthresh;
	row.srtt_us = tp->srtt_us >> 3;
	row.retransmitted_segments = tp->total_retrans;
	row.network_namespace = sk->__sk_common.skc_net.net->ns.inum;
	bpf_seq_write(ctx->meta->seq, &row, sizeof(row));
	return 0;
}
