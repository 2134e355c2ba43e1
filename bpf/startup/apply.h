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

static inline void apply_cwnd(struct tcp_sock *tp, const struct onramp_connection *connection,
			      __u32 mss_bytes)
{
	__u64 cwnd = connection->decision.cwnd_bytes / mss_bytes;

	set_cwnd(tp, (__u32)max_u64(min_u64(cwnd, tp->snd_cwnd_clamp), 1));
}

/* Apply the decided cwnd and ssthresh. */
static void apply_decision(struct sock *sk, struct onramp_connection *connection, __u32 mss_bytes)
{
	struct tcp_sock *tp = tcp_sk(sk);

	apply_cwnd(tp, connection, mss_bytes);
	set_ssthresh(tp, ssthresh_segments(connection->decision.ssthresh_bytes, mss_bytes));
}

/* Pace at the decided rate. If none is decided, the rate is the kernel's, or BBR's. */
static void apply_pacing(struct sock *sk, struct onramp_connection *connection)
{
	if (conn_paces(tcp_sk(sk), connection)) {
		start_pacing(sk, connection);
		set_pacing_rate(sk, connection->decision.pacing_bytes_per_s);
		return;
	}
	stop_pacing(sk, connection);
	/* BBR has switched pacing on, but during the start-up cwnd alone is the limit. */
	if (config.avoidance == ONRAMP_AVOIDANCE_BBR && !conn_startup_is_over(connection))
		set_pacing_rate(sk, sk->sk_max_pacing_rate);
}

/* The pacing rate at which a packet has one segment. Only without pacing. */
static inline void set_rate_of_single_segments(struct sock *sk)
{
	set_pacing_rate(sk, (__u64)mss_of(tcp_sk(sk)) << sk->sk_pacing_shift);
}

/* Nothing is in flight, and data is about to leave. */
static inline void restart_after_idle(struct tcp_sock *tp, struct onramp_connection *connection)
{
	__u64 since_ns = max_u64(connection->ack.now_ns, connection->start_ns);
	__u64 bytes = host_restart_bytes(connection->decision.restart_bytes,
					 bpf_ktime_get_ns() - since_ns,
					 conn_unreported_bytes(tp, connection));

	connection->resumed_segments = tp->delivered;
	set_cwnd(tp, (__u32)max_u64(tp->snd_cwnd, bytes / mss_of(tp)));
}

/* The kernel is about to send. It has changed the pacing rate after the last ACK, and it changes
 * cwnd in loss recovery and after an idle time. Set what the decision demands. */
static inline void apply_before_sending(struct sock *sk, struct onramp_connection *connection)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (conn_holds_cwnd(connection))
		apply_cwnd(tp, connection, mss_of(tp));
	else if (connection->decision.restart_bytes && !tp->packets_out)
		restart_after_idle(tp, connection);
	if (connection->pair_is_leaving)
		set_rate_of_single_segments(sk);
	else
		apply_pacing(sk, connection);
}

#endif
