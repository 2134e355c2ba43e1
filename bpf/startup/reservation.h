/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reserved rate (TCP_QOS) in a start-up program: pass the socket's reservation to the algorithm,
 * end or break it, and pace by its token bucket.
 *
 * The build defines ONRAMP_RESERVES for an algorithm that reserves; in the others the functions
 * here are empty. The socket option itself is in qos.bpf.c, the accounting in reservations.h.
 */
#ifndef ONRAMP_RESERVATION_H
#define ONRAMP_RESERVATION_H

#include "intf.h"
#include "kernel.h"

#ifdef ONRAMP_RESERVES

#include "parts/token_bucket.h"
#include "penalties.h"
#include "reservations.h"
#include "startup/apply.h"
#include "startup/connection.h"
#include "startup/tcp.h"

#include <bpf/bpf_helpers.h>

/* The penalties that a reservation of this socket meets or causes. */
static inline void penalty_key_of(const struct sock *sk,
				  const struct onramp_reservation *reservation,
				  struct onramp_penalty_key *key)
{
	__be32 ip6[4];

	for (int i = 0; i < 4; i++)
		ip6[i] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[i];
	fill_penalty_key(key, reservation->owner, sk->__sk_common.skc_net.net->net_cookie,
			 sk->__sk_common.skc_family, sk->__sk_common.skc_daddr, ip6);
}

/* The connection is established: grant the requested reservation if its limits allow it and no
 * penalty holds, and put it into `start`. */
static inline void start_reservation(struct sock *sk, struct onramp_connection *connection,
				     struct startup_start *start)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);
	struct onramp_penalty_key key;

	if (!reservation)
		return;
	penalty_key_of(sk, reservation, &key);
	if (reservation->state == ONRAMP_RESERVATION_HELD)
		reservation->state = ONRAMP_RESERVATION_GRANTED;
	else if (reservation->state == ONRAMP_RESERVATION_ASKED && penalty_holds(&key))
		reservation->state = ONRAMP_RESERVATION_REFUSED;
	else if (reservation->state == ONRAMP_RESERVATION_ASKED)
		grant(reservation);
	if (reservation->state != ONRAMP_RESERVATION_GRANTED)
		return;
	reservation->app_chose_control = false;
	start->pace_bytes_per_s = reservation->rate_bytes_per_s;
	start->burst_bytes = reservation->burst_bytes;
	start->excess_bytes = reservation->excess_bytes;
	connection->bucket_full_ns = reservation->bucket_full_ns;
}

/* Has the application asked for a rate? Its reservation may change or begin anew. */
static inline bool has_reservation(struct sock *sk)
{
	return bpf_sk_storage_get(&onramp_reserved, sk, 0, 0) != NULL;
}

/* Losses showed that the path does not provide the rate: the reservation no longer counts against
 * its limits, and its owner has to wait before it reserves a rate to this destination again. */
static inline void break_reservation(struct sock *sk, __u64 now_ns)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);
	struct onramp_penalty_key key;

	if (!reservation || reservation->state != ONRAMP_RESERVATION_GRANTED)
		return;
	end_reservation(reservation, ONRAMP_RESERVATION_BROKEN);
	penalty_key_of(sk, reservation, &key);
	penalise(&key, reservation->granted_ns);
}

/* The socket leaves this congestion control, or restarts at another rate. Used tokens of its
 * bucket and used permitted losses stay used. */
static inline void release_reservation(struct sock *sk, const struct onramp_connection *connection)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);

	if (!reservation)
		return;
	if (connection && conn_is_reserved(connection)) {
		reservation->bucket_full_ns = connection->bucket_full_ns;
		reservation->excess_bytes = hosted(connection)->state.excess_bytes;
	}
	end_reservation(reservation, ONRAMP_RESERVATION_NONE);
}

/* The reservation ends, and its cwnd too: lower cwnd to the initial cwnd, or to the flight size
 * if the flight is larger. */
static inline void leave_reservation(struct tcp_sock *tp,
				     const struct onramp_connection *connection)
{
	__u32 cwnd = packets_in_flight(tp);

	if (cwnd < connection->initial_cwnd_segments)
		cwnd = connection->initial_cwnd_segments;
	if (cwnd < tp->snd_cwnd)
		set_cwnd(tp, cwnd);
	set_ssthresh(tp, connection->initial_ssthresh_segments);
}

/*
 * Segments that the token bucket of a reserved rate permits now. 0: the bucket sets no limit, and
 * the kernel decides.
 *
 * The kernel asks for this number whenever it begins to send. It then sends a packet of this many
 * segments, or of the bytes that the pacing rate permits in a millisecond if those are more. The
 * pacing rate also determines when the next packet leaves, so it is set to let the bucket collect a
 * full segment by then. If the kernel sends later than it could have, it makes up for at most half
 * of the packet's time. The gap is lengthened by late_ns, and at most doubled, to
 * compensate. A packet with less than a full segment uses its share of the bucket.
 *
 * If a millisecond at the rate is half of the bucket or more, the kernel's own pacing is as exact
 * as the bucket. Linux does not pace the first ten segments of a connection. The bucket counts
 * them, and the segments that follow wait for it.
 */
static inline __u32 bucket_segments(struct sock *sk, struct onramp_connection *connection)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 segments, mss_bytes = mss_of(tp);
	__u64 rate = connection->decision.pacing_bytes_per_s;
	__u64 burst = max_u64(connection->decision.burst_bytes, mss_bytes);
	/* A packet that is built while the pacing timer runs leaves no earlier than the timer ends.
	 */
	__u64 now_ns = max_u64(tp->tcp_clock_cache, tp->tcp_wstamp_ns);
	__u64 sent_bytes = tp->bytes_sent - connection->bucket_sent_bytes;
	__u64 bytes, next_ns, gap_ns, late_ns;

	if (!rate || burst < 2 * (rate >> sk->sk_pacing_shift))
		return 0;
	if (sent_bytes)
		connection->bucket_full_ns =
			bucket_take(connection->bucket_full_ns, connection->bucket_updated_ns,
				    sent_bytes, rate);
	connection->bucket_sent_bytes = tp->bytes_sent;
	connection->bucket_updated_ns = now_ns;

	segments = (__u32)bucket_level_bytes(connection->bucket_full_ns, now_ns, rate, burst) /
				   mss_bytes
			   ?: 1;
	bytes = (__u64)segments * mss_bytes;
	next_ns = bucket_ready_ns(bucket_take(connection->bucket_full_ns, now_ns, bytes, rate),
				  mss_bytes, rate, burst);
	gap_ns = max_u64(next_ns > now_ns ? next_ns - now_ns : 0, NS_PER_S >> sk->sk_pacing_shift);
	late_ns = now_ns - tp->tcp_wstamp_ns;
	gap_ns += min_u64(gap_ns, late_ns);
	set_pacing_rate(sk, max_u64(rate_bytes_per_s(bytes, gap_ns), 1));
	return segments;
}

#else

static inline void start_reservation(struct sock *sk, struct onramp_connection *connection,
				     struct startup_start *start)
{
}
static inline bool has_reservation(struct sock *sk)
{
	return false;
}
static inline void break_reservation(struct sock *sk, __u64 now_ns)
{
}
static inline void release_reservation(struct sock *sk, const struct onramp_connection *connection)
{
}
static inline void leave_reservation(struct tcp_sock *tp,
				     const struct onramp_connection *connection)
{
}
static inline __u32 bucket_segments(struct sock *sk, struct onramp_connection *connection)
{
	return 0;
}

#endif

#endif
