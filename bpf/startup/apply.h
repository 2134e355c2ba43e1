/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file of the start-up programs that writes cwnd, ssthresh, sk_pacing_rate or
 * sk_pacing_status. All others call the functions of this file.
 */
#ifndef ONRAMP_APPLY_H
#define ONRAMP_APPLY_H

#include "kernel.h"
#include "startup/connection.h"
#include "startup/tcp.h"

static inline void set_cwnd(struct tcp_sock *tp, __u32 segments)
{
	tp->snd_cwnd = segments;
}

static inline void set_ssthresh(struct tcp_sock *tp, __u32 segments)
{
	tp->snd_ssthresh = segments;
}

/* At most the rate that the application has set (SO_MAX_PACING_RATE) */
static inline void set_pacing_rate(struct sock *sk, __u64 bytes_per_s)
{
	sk->sk_pacing_rate = min_u64(bytes_per_s, sk->sk_max_pacing_rate);
}

static inline void start_pacing(struct sock *sk, struct onramp_connection *connection)
{
	if (sk->sk_pacing_status == SK_PACING_NONE) {
		sk->sk_pacing_status = SK_PACING_NEEDED;
		connection->pacing_is_ours = true;
	}
}

/* Switch off pacing that the start-up switched on, unless the application has asked for pacing in
 * the meantime (SO_MAX_PACING_RATE). */
static void stop_pacing(struct sock *sk, struct onramp_connection *connection)
{
	if (connection->pacing_is_ours && sk->sk_max_pacing_rate == NO_PACING_RATE)
		sk->sk_pacing_status = SK_PACING_NONE;
	connection->pacing_is_ours = false;
}

/* tcp_update_pacing_rate(): cwnd per RTT, times 200 % in slow start and 120 % afterwards. The rate
 * determines the size of packets before segmentation. It also paces, if a queueing discipline or a
 * socket option asks for that. */
static inline void set_kernel_pacing_rate(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct netns_ipv4 *ipv4 = &sk->__sk_common.skc_net.net->ipv4;
	__u32 percent = tp->snd_cwnd < tp->snd_ssthresh / 2
				? (__u32)ipv4->sysctl_tcp_pacing_ss_ratio
				: (__u32)ipv4->sysctl_tcp_pacing_ca_ratio;
	/* srtt_us counts eighths of a microsecond. */
	__u64 rate = (__u64)tp->mss_cache * (8 * 1000000 / 100) * percent;

	rate *= tp->snd_cwnd > tp->packets_out ? tp->snd_cwnd : tp->packets_out;
	if (tp->srtt_us)
		rate /= tp->srtt_us;
	set_pacing_rate(sk, rate);
}

/* Apply the decided cwnd and ssthresh. */
static void apply_decision(struct sock *sk, struct onramp_connection *connection, __u32 mss_bytes)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u64 cwnd = connection->decision.cwnd_bytes / mss_bytes;

	set_cwnd(tp, (__u32)max_u64(min_u64(cwnd, tp->snd_cwnd_clamp), 1));
	set_ssthresh(tp, ssthresh_segments(connection->decision.ssthresh_bytes, mss_bytes));
}

/* Pace at the decided rate. If none is decided, do what the kernel would do. */
static void apply_pacing(struct sock *sk, struct onramp_connection *connection)
{
	__u64 rate = connection->decision.pacing_bytes_per_s;

	if (host_paces(rate)) {
		start_pacing(sk, connection);
		set_pacing_rate(sk, rate);
		return;
	}
	stop_pacing(sk, connection);
	if (config.avoidance != ONRAMP_AVOIDANCE_BBR)
		set_kernel_pacing_rate(sk);
	else if (!conn_startup_is_over(connection))
		/* BBR has switched pacing on, but during the start-up cwnd alone is the limit. */
		set_pacing_rate(sk, sk->sk_max_pacing_rate);
}

#endif
