/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values read from a socket. Some repeat kernel functions that BPF cannot call; their names stand
 * in brackets. No function here changes the socket.
 */
#ifndef ONRAMP_TCP_H
#define ONRAMP_TCP_H

#include "kernel.h"
#include "startup.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

static inline __u32 mss_of(const struct tcp_sock *tp)
{
	return tp->mss_cache ?: 1;
}

/* Segments in flight (tcp_packets_in_flight()) */
static inline __u32 packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static inline __u64 srtt_ns(const struct tcp_sock *tp)
{
	return (__u64)tp->srtt_us * 125; /* the kernel stores eighths of a microsecond */
}

static inline __u64 ssthresh_bytes(const struct tcp_sock *tp)
{
	return tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH ? STARTUP_UNLIMITED
							 : (__u64)tp->snd_ssthresh * mss_of(tp);
}

static inline __u32 ssthresh_segments(__u64 bytes, __u32 mss_bytes)
{
	__u64 segments = bytes / mss_bytes;

	return segments >= TCP_INFINITE_SSTHRESH ? TCP_INFINITE_SSTHRESH
	       : segments < 2                    ? 2
						 : (__u32)segments;
}

/* Did cwnd, not the application or the receiver, limit the sender? (tcp_is_cwnd_limited()) */
static inline bool is_cwnd_limited(const struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/* What limits the sender: bits of enum startup_ack_flag */
static inline __u32 ack_limits(const struct tcp_sock *tp)
{
	return (is_cwnd_limited(tp) ? STARTUP_ACK_CWND_LIMITED : 0) |
	       (tp->write_seq == tp->snd_nxt ? STARTUP_ACK_APP_LIMITED : 0);
}

static inline __u32 congestion_state(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state);
}

/* Does loss recovery reduce cwnd in this congestion state? (tcp_in_cwnd_reduction()) */
static inline bool reduces_cwnd(__u32 ca_state)
{
	return ca_state == TCP_CA_CWR || ca_state == TCP_CA_Recovery;
}

#endif
