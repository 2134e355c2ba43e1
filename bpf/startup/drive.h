/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drives the algorithm: the three things that happen to a connection, each in the same order.
 *
 *     on_established()   on_ack()       on_loss()
 *     start_input()      ack_input()    loss_input()      the input: inputs.h
 *     algorithm_start()  _ack()         _loss()           the algorithm: algorithm.template.h
 *     learn_path(), break_reservation(), request_pair()   what its decision means for other parts
 *     apply_decision()                                    what is applied: apply.h
 *     report_start()     report_ack()   report_loss()     events for user space: events.h
 */
#ifndef ONRAMP_DRIVE_H
#define ONRAMP_DRIVE_H

#include "intf.h"
#include "kernel.h"
#include "algorithm.h"
#include "startup/apply.h"
#include "startup/avoidance.h"
#include "startup/connection.h"
#include "startup/events.h"
#include "startup/governor.h"
#include "startup/inputs.h"
#include "startup/memory.h"
#include "startup/pairs.h"
#include "startup/reservation.h"
#include "startup/totals.h"

/* The connection is established, or its socket has just chosen this congestion control. */
static void on_established(struct sock *sk, struct onramp_connection *connection)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct startup_start start = start_input(tp);

	connection->id = __sync_fetch_and_add(&connections, 1) + 1;
	connection->start_ns = start.now_ns;
	connection->delivered_segments = tp->delivered;
	connection->lost_segments = tp->lost;
	connection->bucket_sent_bytes = tp->bytes_sent;
	count_start(tp, connection);
	if (connection_is_governed(sk, start.now_ns)) {
		decide_slow_start(connection, &start);
	} else {
		start_reservation(sk, connection, &start);
		begin_memory(sk, connection, &start);
		algorithm_start(connection, &start);
	}
	count_exit(sk, connection, start.now_ns);
	learn_path(sk, connection);
	/* cwnd returns to its initial value when a reservation ends. If the decision paces (a
	 * reserved rate, a remembered path), that is the host's initial window; otherwise it is the
	 * decided one. */
	connection->initial_cwnd_segments = tp->snd_cwnd;
	connection->initial_ssthresh_segments = tp->snd_ssthresh;
	apply_decision(sk, connection, start.mss_bytes);
	if (host_paces(connection->decision.pacing_bytes_per_s))
		apply_pacing(sk, connection);
	else
		connection->initial_cwnd_segments = tp->snd_cwnd;
	request_pair(sk, connection);
	let_pair_leave(sk, connection);
	report_start(sk, connection, &start);
}

/* `acked`: segments that are newly acknowledged, cumulatively or selectively */
static void on_ack(struct sock *sk, struct onramp_connection *connection, __u32 acked)
{
	__u32 prior_phase = connection->decision.phase;
	struct startup_ack ack;

	restore_cwnd(sk, connection);
	ack = ack_input(tcp_sk(sk), connection, acked, take_pair_report(sk));
	algorithm_ack(connection, &ack);
	count_exit(sk, connection, ack.now_ns);
	learn_path(sk, connection);
	if (!conn_is_reserved(connection))
		break_reservation(sk, ack.now_ns);
	apply_decision(sk, connection, ack.mss_bytes);
	request_pair(sk, connection);
	report_ack(sk, connection, &ack, prior_phase);
}

/* The connection exchanges small messages. End its start-up and give the socket to the kernel's own
 * congestion avoidance, since each hook that is a BPF program costs an exchange a percent or more.
 * The kernel then calls onramp_release(). If it refuses, the hooks find a start-up that is over. */
static void end_quiet_connection(struct sock *sk, struct onramp_connection *connection)
{
	startup_finish(&connection->decision, STARTUP_EXIT_APPLICATION);
	count_exit(sk, connection, bpf_ktime_get_ns());
	avoidance_take_over(config.avoidance, sk);
}

/* A loss was found. `ssthresh` is the congestion avoidance's; returns the one to set. Both are in
 * segments. */
static __u32 on_loss(struct sock *sk, struct onramp_connection *connection, __u32 ssthresh)
{
	struct startup_loss loss = loss_input(tcp_sk(sk), connection, ssthresh);

	count_loss(connection);
	algorithm_loss(connection, &loss);
	count_exit(sk, connection, loss.now_ns);
	learn_path(sk, connection);
	if (!conn_is_reserved(connection))
		break_reservation(sk, loss.now_ns);
	request_pair(sk, connection);
	report_loss(sk, connection, &loss);
	/* BBR owns cwnd from the first loss on, so the algorithm cannot follow the recovery. */
	if (host_is_retreating(connection->decision.phase) &&
	    config.avoidance == ONRAMP_AVOIDANCE_BBR) {
		startup_finish(&connection->decision, startup_loss_exit(&loss));
		count_exit(sk, connection, loss.now_ns);
	}
	return ssthresh_segments(connection->decision.ssthresh_bytes, loss.mss_bytes);
}

#endif
