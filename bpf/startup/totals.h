/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of a registration: what its connections did so far, for `onramp status`.
 *
 * Each processor has its own counters (a per-CPU array), so no cache line is shared. Additions are
 * atomic, because an interrupt may find its processor within an addition. The counters are touched
 * when a connection starts, when its start-up ends, when a loss repair ends and when the connection
 * ends, but not for each ACK.
 *
 * The account of a start-up
 * A start-up answers for the segments that were sent before its end. Some of them are retransmitted
 * later: slow start ends with the loss, and the repair follows. So the account stays open for late
 * retransmissions, until the next repair that ends, or begins, beyond those segments:
 *
 *     count_start()      the counts of the socket at this time
 *     count_exit()       the start-up ended: sent, retransmitted, time, exit
 *     count_repair()     a repair begins or ends: late retransmissions
 *     count_end()        the connection ends; its start-up too, if it has not ended before
 *
 * The governor learns from the same account (startup/governor.h).
 */
#ifndef ONRAMP_STARTUP_TOTALS_H
#define ONRAMP_STARTUP_TOTALS_H

#include "intf.h"
#include "kernel.h"
#include "policy/exits.h"
#include "startup/connection.h"
#include "startup/ensemble.h"
#include "startup/governor.h"
#include "startup/tcp.h"

#include <bpf/bpf_helpers.h>

MAP(PERCPU_ARRAY, 1, __u32, struct onramp_totals) onramp_totals SEC(".maps");

/* The counters of this processor. The map has the element, so this is NULL for the verifier only.
 * Inlined, because the verifier of Linux 6.1 forgets at a function's return that it is not NULL. */
static __always_inline struct onramp_totals *totals_here(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&onramp_totals, &only);
}

static inline void count_up(uint64_t *counter, __u64 by)
{
	__sync_fetch_and_add(counter, by);
}

/* An event found no room in the ring. */
static inline void count_lost_event(void)
{
	struct onramp_totals *totals = totals_here();

	if (totals)
		count_up(&totals->events_lost, 1);
}

/* A connection starts. */
static inline void count_start(const struct tcp_sock *tp, struct onramp_connection *connection)
{
	struct onramp_account *account = &connection->account;
	struct onramp_totals *totals = totals_here();

	account->start_acked_bytes = tp->bytes_acked;
	account->start_sent_segments = tp->data_segs_out;
	account->start_retransmitted_segments = tp->total_retrans;
	if (totals)
		count_up(&totals->started, 1);
}

/* A loss was found. If the start-up was pacing, a paced flight lost segments. */
static inline void count_loss(const struct onramp_connection *connection)
{
	struct onramp_totals *totals = totals_here();

	if (totals && !conn_startup_is_over(connection) &&
	    connection->decision.pacing_bytes_per_s != STARTUP_UNLIMITED)
		count_up(&totals->paced_flights_lost, 1);
}

/* Segments that the connection sent, with retransmissions, and those that it retransmitted */
static inline __u32 sent_segments(const struct tcp_sock *tp, const struct onramp_account *account)
{
	return tp->data_segs_out - account->start_sent_segments;
}

static inline __u32 retransmitted_segments(const struct tcp_sock *tp,
					   const struct onramp_account *account)
{
	return tp->total_retrans - account->start_retransmitted_segments;
}

/* The start-up ended now, or the connection ends before it did. `startup_ns`: how long it took; 0:
 * it never ran. Not inlined, as few calls of its callers need it. */
static __attribute__((noinline)) int
close_startup(struct sock *sk, struct onramp_connection *connection, __u32 exit, __u64 startup_ns)
{
	struct onramp_account *account = &connection->account;
	struct onramp_totals *totals = totals_here();
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 bucket = bit_length(startup_ns / 1000);

	account->startup_sent_segments = sent_segments(tp, account);
	account->startup_retransmitted_segments = retransmitted_segments(tp, account);
	account->startup_end_seq = tp->snd_nxt;
	connection->settled_seq = tp->snd_nxt;
	account->state = startup_ns ? ONRAMP_ACCOUNT_LATE : ONRAMP_ACCOUNT_CLOSED;
	if (config.service)
		count_group_exit(sk, exit, startup_ns, connection->decision.estimate_bytes_per_s);
	if (!totals)
		return 0;
	if (exit < ONRAMP_TOTALS_EXITS)
		count_up(&totals->exits[exit], 1);
	if (connection->decision.estimate_bytes_per_s)
		count_up(&totals->estimates, 1);
	if (!startup_ns)
		return 0;
	if (bucket >= ONRAMP_TOTALS_TIMES)
		bucket = ONRAMP_TOTALS_TIMES - 1;
	count_up(&totals->times[bucket], 1);
	count_up(&totals->time_us, startup_ns / 1000);
	count_up(&totals->startup_sent_segments, account->startup_sent_segments);
	count_up(&totals->startup_retransmitted_segments, account->startup_retransmitted_segments);
	governor_learn(sk, account);
	return 0;
}

/* Note the exit if the algorithm's decision ends the start-up for the first time, and count it.
 * Others no longer count this connection. */
static inline void count_exit(struct sock *sk, struct onramp_connection *connection, __u64 now_ns)
{
	if (!note_exit(connection, now_ns))
		return;
	leave_ensemble(sk, connection);
	close_startup(sk, connection, connection->exit, now_ns - connection->start_ns);
}

/* Segments of the start-up that were retransmitted after its end */
static inline void count_late(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_account *account = &connection->account;
	struct onramp_totals *totals = totals_here();
	__u32 late = retransmitted_segments(tcp_sk(sk), account) -
		     account->startup_retransmitted_segments;

	if (!totals || !late)
		return;
	governor_learn_late(sk, account, late);
	account->startup_sent_segments += late;
	account->startup_retransmitted_segments += late;
	count_up(&totals->startup_sent_segments, late);
	count_up(&totals->startup_retransmitted_segments, late);
}

static inline bool repairs(__u32 ca_state)
{
	return ca_state == TCP_CA_Recovery || ca_state == TCP_CA_Loss;
}

/* The congestion state is about to change. */
static inline void count_repair(struct sock *sk, struct onramp_connection *connection,
				__u32 old_state, __u32 new_state)
{
	struct onramp_account *account = &connection->account;
	bool was_repairing = repairs(old_state);
	bool is_acknowledged;

	if (was_repairing && !repairs(new_state))
		connection->settled_seq = tcp_sk(sk)->snd_nxt;
	if (account->state != ONRAMP_ACCOUNT_LATE || was_repairing == repairs(new_state))
		return;
	is_acknowledged = (__s32)(tcp_sk(sk)->snd_una - account->startup_end_seq) >= 0;
	if (was_repairing || is_acknowledged)
		count_late(sk, connection);
	if (is_acknowledged)
		account->state = ONRAMP_ACCOUNT_CLOSED;
}

/* The connection ends, or goes on with another congestion control. */
static inline void count_end(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_account *account = &connection->account;
	struct onramp_totals *totals = totals_here();
	const struct tcp_sock *tp = tcp_sk(sk);

	if (account->state == ONRAMP_ACCOUNT_OPEN)
		close_startup(sk, connection, STARTUP_EXIT_NONE,
			      bpf_ktime_get_ns() - connection->start_ns);
	else if (account->state == ONRAMP_ACCOUNT_LATE)
		count_late(sk, connection);
	account->state = ONRAMP_ACCOUNT_CLOSED;
	if (!totals)
		return;
	count_up(&totals->ended, 1);
	count_up(&totals->delivered_bytes, tp->bytes_acked - account->start_acked_bytes);
	count_up(&totals->sent_segments, sent_segments(tp, account));
	count_up(&totals->retransmitted_segments, retransmitted_segments(tp, account));
}

#endif
