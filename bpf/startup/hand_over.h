/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hand-over: when a start-up is over for good, the kernel's own CUBIC or Reno becomes the
 * congestion control of the socket.
 *
 * Each hook that is a BPF program costs a call for each ACK, and several for what is sent, even if
 * it has nothing to do. After the hand-over the kernel calls none of them, and a connection costs
 * what CUBIC costs. The hand-over changes nothing else: cwnd, ssthresh and CUBIC's own state
 * (W_max, HyStart, minimum RTT) are what they would be without it.
 *
 * The hand-over waits until
 * - a loss that is being repaired is repaired, and what was in flight then is acknowledged. Until
 *   then a late report (DSACK) may show that the loss was none, and the kernel undoes the
 *   reduction. It forgets the former ssthresh when the congestion control changes;
 * - everything that the start-up sent is acknowledged, so that the totals have its retransmissions.
 *
 * A connection keeps this congestion control if it needs it after the start-up: if it holds an
 * entry of the path memory, if its application has asked for a reserved rate, or if both ends
 * support packet pairs. So do all connections with BBR, whose model began with the connection.
 *
 * The connection's record stays with the socket, for `onramp ss`.
 */
#ifndef ONRAMP_HAND_OVER_H
#define ONRAMP_HAND_OVER_H

#include "intf.h"
#include "kernel.h"
#include "startup/apply.h"
#include "startup/avoidance.h"
#include "startup/connection.h"
#include "startup/memory.h"
#include "startup/pairs.h"
#include "startup/reservation.h"
#include "startup/tcp.h"

/* Does nothing of the start-up or of a repair have an effect any more? */
static inline bool conn_is_settled(const struct tcp_sock *tp,
				   const struct onramp_connection *connection)
{
	return conn_is_done(connection) && congestion_state(tp) == TCP_CA_Open &&
	       (__s32)(tp->snd_una - connection->settled_seq) >= 0;
}

/* Does the connection need this congestion control after its start-up? */
static inline bool conn_stays(struct sock *sk, const struct onramp_connection *connection)
{
	return config.avoidance == ONRAMP_AVOIDANCE_BBR || holds_path(connection) ||
	       has_reservation(sk) || pairs_of(sk);
}

/* Change the congestion control. The kernel calls onramp_release() and initialises CUBIC, whose
 * state was CUBIC's already and is put back. Not inlined, so it has its own stack frame. */
static __attribute__((noinline)) int hand_over(struct sock *sk,
					       struct onramp_connection *connection)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	__u32 ssthresh = tcp_sk(sk)->snd_ssthresh;
	__u64 state[CA_PRIVATE_WORDS];

	for (int i = 0; i < CA_PRIVATE_WORDS; i++)
		state[i] = icsk->icsk_ca_priv[i];
	connection->handed_over_ns = bpf_ktime_get_ns();
	if (!avoidance_take_over(config.avoidance, sk)) {
		/* Try again in a round trip. */
		connection->handed_over_ns = 0;
		connection->settled_seq = tcp_sk(sk)->snd_nxt;
		return 0;
	}
	for (int i = 0; i < CA_PRIVATE_WORDS; i++)
		icsk->icsk_ca_priv[i] = state[i];
	set_ssthresh(tcp_sk(sk), ssthresh); /* A parameter of CUBIC's module may have set it. */
	return 0;
}

/* Hand the connection over if it is time. */
static inline void hand_over_when_settled(struct sock *sk, struct onramp_connection *connection)
{
	if (conn_is_settled(tcp_sk(sk), connection) && !conn_stays(sk, connection))
		hand_over(sk, connection);
}

#endif
