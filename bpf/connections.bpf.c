/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the connections of one loaded congestion control: the rows of `onramp ss`. The first
 * program visits the records of all network namespaces. A kernel may refuse iterators that could
 * write to the elements of maps. There the second program visits the TCP sockets of a network
 * namespace.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "endpoints.h"
#include "pairs_map.h"
#include "intf.h"

char _license[] SEC("license") = "GPL";

/* The records of the congestion control, for the second program. The state of its algorithm follows
 * each of them. */
SOCKET_MAP(struct onramp_connection, 0) onramp_conns SEC(".maps");

static __always_inline void write_row(struct seq_file *seq, struct sock *sk, struct tcp_sock *tp,
				      const struct onramp_connection *connection)
{
	const struct onramp_pairs none = {};
	struct onramp_socket_now now = {};
	struct onramp_pairs *pairs;

	pairs = bpf_sk_storage_get(&onramp_pairs, sk, 0, 0);
	fill_endpoints(sk, &now.local, &now.remote);
	now.now_ns = bpf_ktime_get_ns();
	now.pacing_bytes_per_s = sk->sk_pacing_status == SK_PACING_NONE ? STARTUP_UNLIMITED
									: (__u64)sk->sk_pacing_rate;
	now.bytes_acked = tp->bytes_acked;
	now.tcp_state = sk->__sk_common.skc_state;
	now.mss_bytes = tp->mss_cache;
	now.cwnd_segments = tp->snd_cwnd;
	now.ssthresh_segments = tp->snd_ssthresh;
	now.srtt_us = tp->srtt_us >> 3;
	now.retransmitted_segments = tp->total_retrans;
	now.network_namespace = sk->__sk_common.skc_net.net->ns.inum;
	now.has_pairs = pairs != NULL;
	BPF_CORE_READ_STR_INTO(&now.congestion_control, tp, inet_conn.icsk_ca_ops, name);
	/* The three parts of a struct onramp_socket, which does not fit on a program's stack. The
	 * kernel passes on complete rows only. */
	bpf_seq_write(seq, connection, sizeof(*connection));
	if (pairs)
		bpf_seq_write(seq, pairs, sizeof(*pairs));
	else
		bpf_seq_write(seq, &none, sizeof(none));
	bpf_seq_write(seq, &now, sizeof(now));
}

SEC("iter/bpf_sk_storage_map")
int onramp_list(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct onramp_connection *connection = ctx->value;
	struct sock *sk = ctx->sk;
	struct tcp_sock *tp;

	if (!connection || !sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (tp)
		write_row(ctx->meta->seq, sk, tp, connection);
	return 0;
}

SEC("iter/tcp")
int onramp_list_tcp(struct bpf_iter__tcp *ctx)
{
	struct sock_common *sk = ctx->sk_common;
	struct onramp_connection *connection;
	struct tcp_sock *tp;

	if (!sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	connection = bpf_sk_storage_get(&onramp_conns, tp, 0, 0);
	if (connection)
		write_row(ctx->meta->seq, (struct sock *)tp, tp, connection);
	return 0;
}
