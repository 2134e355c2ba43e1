/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a start-up does for a socket that has reserved a rate. ONRAMP_RESERVES: it can; for the
 * others this is nothing, and costs nothing.
 */
#ifndef ONRAMP_RESERVED_H
#define ONRAMP_RESERVED_H

#include "kernel.h"
#include "shared.h"

#ifdef ONRAMP_RESERVES

#include "algorithms/qos.h"
#include "recovery.h"
#include "reservations.h"
#include "parts/token_bucket.h"

#include <bpf/bpf_helpers.h>

/* Is the rate reserved, so that losses do not change the window? */
static inline bool is_reserved(const struct onramp_connection *connection)
{
	return connection->decision.phase == STARTUP_PHASE_RESERVED;
}

/* The connection is established: may it have what was asked for? Then that is what it starts with.
 */
static inline void start_reservation(struct sock *sk, struct onramp_connection *connection,
				     struct startup_start *start)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);

	if (!reservation)
		return;
	if (reservation->state == ONRAMP_RESERVATION_HELD)
		reservation->state = ONRAMP_RESERVATION_GRANTED;
	else if (reservation->state == ONRAMP_RESERVATION_ASKED)
		grant(reservation);
	if (reservation->state != ONRAMP_RESERVATION_GRANTED)
		return;
	reservation->has_chosen = false;
	start->pace_bytes_per_s = reservation->rate_bytes_per_s;
	start->burst_bytes = reservation->burst_bytes;
	start->excess_bytes = reservation->excess_bytes;
	connection->bucket_full_ns = reservation->bucket_full_ns;
}

/* It does not hold: it counts no longer, and asking again has to wait. */
static inline void break_reservation(struct sock *sk, __u64 now_ns)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);

	if (!reservation || reservation->state != ONRAMP_RESERVATION_GRANTED)
		return;
	end_reservation(reservation, ONRAMP_RESERVATION_BROKEN);
	reservation->broken_ns = now_ns;
	reservation->breaks++;
}

/* The socket leaves the start-up, for good or to begin anew: what it has used up stays used up. */
static inline void release_reservation(struct sock *sk, const struct onramp_connection *connection)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);

	if (!reservation)
		return;
	if (connection && is_reserved(connection)) {
		reservation->bucket_full_ns = connection->bucket_full_ns;
		reservation->excess_bytes = ((const struct qos *)connection->state)->excess_bytes;
	}
	end_reservation(reservation, ONRAMP_RESERVATION_NONE);
}

/* A window that is the reservation's does not outlast it: that which was before, or what is under
 * way. */
static inline void leave_reservation(struct tcp_sock *tp,
				     const struct onramp_connection *connection)
{
	__u32 cwnd = packets_in_flight(tp);

	if (cwnd < connection->initial_cwnd)
		cwnd = connection->initial_cwnd;
	if (cwnd < tp->snd_cwnd)
		tp->snd_cwnd = cwnd;
	tp->snd_ssthresh = connection->initial_ssthresh;
}

/*
 * Segments that may leave now by the token bucket of a reserved rate; 0: as the kernel has it.
 *
 * This is asked whenever the kernel begins to send. It then sends a packet of so many segments, or
 * of what a millisecond is worth at the pacing rate if that is more, and the next one when the
 * pacing rate lets it: that is set so that the bucket has a segment by then. Of a moment at which
 * it could have sent earlier the kernel makes good up to half the packet's time, which is added for
 * that reason. Small packets take their share of it.
 *
 * Where a millisecond's worth is half of the bucket or more, the kernel's own pacing is as exact.
 * Linux does not pace the first ten segments of a connection; the bucket counts them, and the
 * following wait for it.
 */
static inline __u32 bucket_segments(struct sock *sk, struct onramp_connection *connection)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u32 segments, mss_bytes = tp->mss_cache ?: 1;
	__u64 rate = connection->decision.pacing_bytes_per_s;
	__u64 burst = max_u64(connection->decision.burst_bytes, mss_bytes);
	/* What is asked for while the pacing timer runs leaves when it ends, at the earliest. */
	__u64 now_ns = max_u64(tp->tcp_clock_cache, tp->tcp_wstamp_ns);
	__u64 sent_bytes = tp->bytes_sent - connection->bucket_taken_bytes;
	__u64 bytes, next_ns, gap_ns, late_ns;

	if (!rate || burst < 2 * (rate >> sk->sk_pacing_shift))
		return 0;
	if (sent_bytes)
		connection->bucket_full_ns = bucket_take(
			connection->bucket_full_ns, connection->bucket_now_ns, sent_bytes, rate);
	connection->bucket_taken_bytes = tp->bytes_sent;
	connection->bucket_now_ns = now_ns;

	segments = (__u32)bucket_bytes(connection->bucket_full_ns, now_ns, rate, burst) / mss_bytes
			   ?: 1;
	bytes = (__u64)segments * mss_bytes;
	next_ns = bucket_has_ns(bucket_take(connection->bucket_full_ns, now_ns, bytes, rate),
				mss_bytes, rate, burst);
	gap_ns = max_u64(next_ns > now_ns ? next_ns - now_ns : 0, NS_PER_S >> sk->sk_pacing_shift);
	late_ns = now_ns - tp->tcp_wstamp_ns;
	gap_ns += min_u64(gap_ns, late_ns);
	sk->sk_pacing_rate =
		min_u64(max_u64(rate_bytes_per_s(bytes, gap_ns), 1), sk->sk_max_pacing_rate);
	return segments;
}

#else

static inline bool is_reserved(const struct onramp_connection *connection)
{
	return false;
}

static inline void start_reservation(struct sock *sk, struct onramp_connection *connection,
				     struct startup_start *start)
{
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
