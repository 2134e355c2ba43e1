/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packet pairs in a start-up program: pass the algorithm's request to the program of the TCP option
 * (pair.bpf.c), let the pair leave back to back, and fetch the interval that the peer reports.
 *
 * The build defines ONRAMP_SENDS_PAIRS for a program that sends pairs. In all other programs
 * pairs_of() is NULL, and the compiler removes the rest.
 */
#ifndef ONRAMP_PAIRS_H
#define ONRAMP_PAIRS_H

#include "intf.h"
#include "kernel.h"
#include "startup/apply.h"
#include "startup/connection.h"
#include "startup/tcp.h"

#include <bpf/bpf_helpers.h>

#ifdef ONRAMP_SENDS_PAIRS
#include "pairs_map.h"
#endif

/* NULL if one of the two ends does not support the option */
static inline struct onramp_pairs *pairs_of(struct sock *sk)
{
#ifdef ONRAMP_SENDS_PAIRS
	return bpf_sk_storage_get(&onramp_pairs, sk, 0, 0);
#else
	return NULL;
#endif
}

/* Set which segments the program of the option marks. */
static void request_pair(struct sock *sk, const struct onramp_connection *connection)
{
	struct onramp_pairs *pairs = pairs_of(sk);
	__u32 flags;

	if (!pairs)
		return;
	pairs->startup_is_active = !conn_startup_is_over(connection);
	/* A train that is not requested any more ends with the segments already sent. */
	if (pairs->request == STARTUP_PAIR_TRAIN && connection->decision.pair != STARTUP_PAIR_TRAIN)
		pairs->probe.is_open = false;
	pairs->request = connection->decision.pair;
	flags = tcp_sk(sk)->bpf_sock_ops_cb_flags;
	if (!pairs->request || flags & BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG)
		return;
	/* The start-up was over and has begun again, so the option's program must be called again.
	 * Before Linux 6.12 this fails, and only the first slow start sends pairs. */
	flags |= BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG;
	bpf_setsockopt(sk, IPPROTO_TCP, TCP_BPF_SOCK_OPS_CB_FLAGS, &flags, sizeof(flags));
}

/* The peer's report since the last call; 0: there was none. */
static struct pair_report take_pair_report(struct sock *sk)
{
	struct onramp_pairs *pairs = pairs_of(sk);
	struct pair_report report = {0};

	if (pairs) {
		report = pairs->report;
		pairs->report = (struct pair_report){0};
	}
	return report;
}

/* Must the next packet have one segment only? Both packets of a pair must, and the first one of a
 * train. The others of a train leave as usual. */
static inline bool wants_one_segment(const struct onramp_pairs *pairs)
{
	return pairs->request == STARTUP_PAIR_ONE ||
	       (pairs->request == STARTUP_PAIR_TRAIN && !pairs->probe.is_open);
}

/* Do the application's data and the receive window allow two full segments now? */
static inline bool has_pair_to_send(const struct tcp_sock *tp)
{
	__u32 pair_bytes = 2 * mss_of(tp);

	return tp->write_seq - tp->snd_nxt >= pair_bytes &&
	       (__s32)(tp->snd_una + tp->snd_wnd - tp->snd_nxt - pair_bytes) >= 0;
}

/*
 * Let a pair leave at once, as two packets of one segment each. Until the next ACK the connection
 * is not paced, and if it was paced before, cwnd has room for the pair only. The pacing rate then
 * determines only the size of packets before segmentation, and is set so that it is one segment.
 *
 * The segments of a train leave as usual, but the first one is a packet of its own.
 */
static void let_pair_leave(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_pairs *pairs = pairs_of(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd;

	/* A pacing rate that the application has set stays in force. It separates the two packets
	 * of a pair, so the pair is not marked, or its interval is not used. */
	if (!pairs || !wants_one_segment(pairs) || sk->sk_max_pacing_rate != NO_PACING_RATE)
		return;
	if (connection->pacing_is_ours && pairs->request == STARTUP_PAIR_ONE) {
		/* Drop the request if no pair can leave now: a later one would be paced, and
		 * without a pair in flight no ACK would come to restore cwnd. */
		if (!has_pair_to_send(tp)) {
			pairs->request = STARTUP_PAIR_NONE;
			return;
		}
		cwnd = packets_in_flight(tp) + 2;
		if (cwnd < tp->snd_cwnd) {
			connection->cwnd_before_pair_segments = tp->snd_cwnd;
			set_cwnd(tp, cwnd);
		}
		stop_pacing(sk, connection);
	}
	if (sk->sk_pacing_status == SK_PACING_NONE) {
		connection->pair_is_leaving = true;
		set_rate_of_single_segments(sk);
	}
}

/* Undo let_pair_leave(). Every hook that reads cwnd calls this first. */
static void restore_cwnd(struct sock *sk, struct onramp_connection *connection)
{
	connection->pair_is_leaving = false;
	if (connection->cwnd_before_pair_segments) {
		set_cwnd(tcp_sk(sk), connection->cwnd_before_pair_segments);
		connection->cwnd_before_pair_segments = 0;
	}
}

/* The socket leaves this congestion control. */
static inline void end_pairs(struct sock *sk)
{
	struct onramp_pairs *pairs = pairs_of(sk);

	if (pairs)
		pairs->startup_is_active = pairs->request = pairs->ack_now = false;
}

#endif
