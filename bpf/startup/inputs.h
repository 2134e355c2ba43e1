/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inputs of an algorithm, read from the kernel's socket: struct startup_start, startup_ack and
 * startup_loss of core/startup.h. The functions here change the connection's counters only.
 */
#ifndef ONRAMP_INPUTS_H
#define ONRAMP_INPUTS_H

#include "intf.h"
#include "kernel.h"
#include "startup/connection.h"
#include "startup/first_round.h"
#include "startup/tcp.h"

/* Bytes that were delivered since the start. The kernel counts segments in 32 bits, and the size of
 * a segment may change. */
static inline __u64 delivered_bytes(const struct tcp_sock *tp, struct onramp_connection *connection)
{
	connection->delivered_bytes +=
		(__u64)(tp->delivered - connection->delivered_segments) * mss_of(tp);
	connection->delivered_segments = tp->delivered;
	return connection->delivered_bytes;
}

/* Bytes that were marked lost since the start */
static inline __u64 lost_bytes(const struct tcp_sock *tp, struct onramp_connection *connection)
{
	connection->lost_bytes += (__u64)(tp->lost - connection->lost_segments) * mss_of(tp);
	connection->lost_segments = tp->lost;
	return connection->lost_bytes;
}

static inline struct startup_start start_input(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 mss_bytes = mss_of(tp);
	/* A socket that chooses this congestion control after it has sent data keeps its cwnd. */
	__u32 options = tp->data_segs_out ? config.options & ~STARTUP_OPTION_PAPER_INITIAL_WINDOW
					  : config.options;

	if (BPF_CORE_READ_BITFIELD(tp, rx_opt.tstamp_ok))
		options |= STARTUP_OPTION_TIMESTAMPS;
	return (struct startup_start){
		.now_ns = now_ns,
		.clock = {.measure_ns = config.clock.measure_ns, .event_ns = config.clock.event_ns},
		.cwnd_bytes = (__u64)tp->snd_cwnd * mss_bytes,
		.ssthresh_bytes = ssthresh_bytes(tp),
		.mss_bytes = mss_bytes,
		.options = options,
		.srtt_ns = srtt_ns(tp),
		.tsval = tp->rx_opt.rcv_tsval,
		.peer_window_bytes = tp->snd_wnd,
		.initial_bytes_per_s = initial_bytes_per_s(sk, now_ns),
	};
}

static inline __u32 ack_flags(const struct tcp_sock *tp, const struct onramp_connection *connection)
{
	return ack_limits(tp) | (host_follows_recovery(connection->decision.phase) &&
						 reduces_cwnd(congestion_state(tp))
					 ? STARTUP_ACK_RECOVERING
					 : 0);
}

/* Member by member, because a record that is assigned as a whole is first built on the stack. The
 * host sets `siblings`. */
static __always_inline void ack_input(struct startup_ack *ack, const struct tcp_sock *tp,
				      struct onramp_connection *connection, __u32 acked,
				      struct pair_report report)
{
	__u32 mss_bytes = mss_of(tp);

	ack->now_ns = bpf_ktime_get_ns();
	ack->acked_bytes = (__u64)acked * mss_bytes;
	ack->delivered_bytes = delivered_bytes(tp, connection);
	ack->lost_bytes = lost_bytes(tp, connection);
	ack->inflight_bytes = (__u64)packets_in_flight(tp) * mss_bytes;
	ack->srtt_ns = srtt_ns(tp);
	ack->rtt_ns = connection->rtt_us > 0 ? (__u64)connection->rtt_us * 1000 : 0;
	ack->cwnd_bytes = (__u64)tp->snd_cwnd * mss_bytes;
	ack->ssthresh_bytes = ssthresh_bytes(tp);
	ack->pair_interval_ns = report.interval_ns;
	ack->pair_bytes = report.bytes;
	ack->peer_window_bytes = tp->snd_wnd;
	ack->tsval = tp->rx_opt.rcv_tsval;
	ack->mss_bytes = mss_bytes;
	ack->flags = ack_flags(tp, connection);
}

/* `ssthresh`, in segments: the value that the congestion avoidance would set */
static inline struct startup_loss loss_input(const struct tcp_sock *tp,
					     struct onramp_connection *connection, __u32 ssthresh)
{
	__u32 mss_bytes = mss_of(tp);

	return (struct startup_loss){
		.now_ns = bpf_ktime_get_ns(),
		.inflight_bytes = (__u64)tp->packets_out * mss_bytes,
		.cwnd_bytes = (__u64)tp->snd_cwnd * mss_bytes,
		.ssthresh_bytes = (__u64)ssthresh * mss_bytes,
		.acknowledged_bytes =
			delivered_bytes(tp, connection) - (__u64)tp->sacked_out * mss_bytes,
		.lost_bytes = lost_bytes(tp, connection),
		.mss_bytes = mss_bytes,
		.kind = tp->inet_conn.icsk_pending == ICSK_PENDING_NONE ? STARTUP_LOSS_TIMEOUT
									: STARTUP_LOSS_RECOVERY,
	};
}

#endif
