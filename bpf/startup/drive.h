/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drives the algorithm: the three things that happen to a connection, each in the same order.
 *
 *     on_established()   on_ack()       on_loss()
 *     start_input()      ack_input()    loss_input()      the input: inputs.h
 *     algorithm_start()  _ack()         _loss()           the algorithm: algorithm.template.h
 *     learn_path(), learn_first_round(),                  what its decision means for other parts
 *     break_reservation(), request_pair()
 *     apply_decision()                                    what is applied: apply.h
 *     report()           report_ack()   report()          events for user space: events.h
 *
 * The host itself ends a start-up that has nothing to decide: end_startup().
 */
#ifndef ONRAMP_DRIVE_H
#define ONRAMP_DRIVE_H

#include "intf.h"
#include "kernel.h"
#include "algorithm.h"
#include "startup/apply.h"
#include "startup/avoidance.h"
#include "startup/connection.h"
#include "startup/ensemble.h"
#include "startup/events.h"
#include "startup/first_round.h"
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
	struct startup_start start = start_input(sk);

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
		start.siblings = count_siblings(sk, connection, start.now_ns);
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
	if (conn_paces(tp, connection))
		apply_pacing(sk, connection);
	else
		connection->initial_cwnd_segments = tp->snd_cwnd;
	request_pair(sk, connection);
	let_pair_leave(sk, connection);
	report(sk, connection, ONRAMP_EVENT_START, &start, sizeof(start));
}

/* The host ends the start-up for good (core/host.h). cwnd and ssthresh stay as they are. */
static void end_startup(struct sock *sk, struct onramp_connection *connection,
			const struct startup_ack *ack, enum startup_exit exit)
{
	startup_finish(&connection->decision, exit);
	connection->decision.pair = STARTUP_PAIR_NONE;
	count_exit(sk, connection, ack->now_ns);
	request_pair(sk, connection);
	report(sk, connection, ONRAMP_EVENT_END, ack, sizeof(*ack));
}

/* `acked`: segments that are newly acknowledged, cumulatively or selectively */
static void on_ack(struct sock *sk, struct onramp_connection *connection, __u32 acked)
{
	__u32 prior_phase = connection->decision.phase;
	struct startup_ack *ack = &connection->ack;

	restore_cwnd(sk, connection);
	ack_input(ack, tcp_sk(sk), connection, acked, take_pair_report(sk));
	ack->siblings = count_siblings(sk, connection, ack->now_ns);
	algorithm_ack(hosted(connection));
	count_exit(sk, connection, ack->now_ns);
	learn_path(sk, connection);
	learn_first_round(sk, connection, ack->now_ns);
	if (!conn_is_reserved(connection))
		break_reservation(sk, ack->now_ns);
	apply_decision(sk, connection, ack->mss_bytes);
	request_pair(sk, connection);
	report_ack(sk, connection, ack, prior_phase);
	if (host_ends_limited_connection(&connection->limited, ack, &connection->decision))
		end_startup(sk, connection, ack, host_limited_exit(ack->flags));
}

/* The connection exchanges small messages, so there is nothing to start. */
static void end_quiet_connection(struct sock *sk, struct onramp_connection *connection)
{
	ack_input(&connection->ack, tcp_sk(sk), connection, 0, (struct pair_report){0});
	end_startup(sk, connection, &connection->ack, STARTUP_EXIT_APPLICATION);
}

/* An idle time would leave nothing of a bulk transfer's window: its start-up is over for good. */
static inline void end_busy_connection(struct sock *sk, struct onramp_connection *connection)
{
	if (host_ends_busy_connection(&connection->decision,
				      conn_unreported_bytes(tcp_sk(sk), connection)))
		startup_finish(&connection->decision, connection->decision.exit);
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
	learn_first_round(sk, connection, loss.now_ns);
	if (!conn_is_reserved(connection))
		break_reservation(sk, loss.now_ns);
	request_pair(sk, connection);
	report(sk, connection, ONRAMP_EVENT_LOSS, &loss, sizeof(loss));
	/* BBR owns cwnd from the first loss on, so the algorithm cannot follow the recovery. */
	if (host_follows_recovery(connection->decision.phase) &&
	    config.avoidance == ONRAMP_AVOIDANCE_BBR) {
		startup_finish(&connection->decision, startup_loss_exit(&loss));
		count_exit(sk, connection, loss.now_ns);
	}
	return ssthresh_segments(connection->decision.ssthresh_bytes, loss.mss_bytes);
}

#endif
