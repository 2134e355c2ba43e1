/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel does for a congestion control without cong_control, for one with it: Proportional
 * Rate Reduction (RFC 6937) while a loss is repaired, the window when it is over, the window after
 * an idle time, and the pacing rate after each ACK. It follows tcp_cwnd_reduction(),
 * tcp_end_cwnd_reduction(), tcp_may_raise_cwnd() and tcp_update_pacing_rate() of
 * net/ipv4/tcp_input.c and tcp_cwnd_restart() of tcp_output.c, so that a connection whose start-up
 * is over behaves as the kernel's own.
 */
#ifndef ONRAMP_RECOVERY_H
#define ONRAMP_RECOVERY_H

#include "kernel.h"
#include "shared.h"

#include <bpf/bpf_helpers.h>

static inline __u32 packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static inline bool reduces_cwnd(__u32 ca_state)
{
	return ca_state == TCP_CA_CWR || ca_state == TCP_CA_Recovery;
}

/* May this acknowledgement raise the window? */
static inline bool may_raise_cwnd(const struct tcp_sock *tp, int flag)
{
	const struct sock *sk = (const struct sock *)tp;

	/* Where packets are reordered a lot, most acknowledgements are selective. */
	if (tp->reordering > (__u32)sk->__sk_common.skc_net.net->ipv4.sysctl_tcp_reordering)
		return flag & FLAG_FORWARD_PROGRESS;
	return flag & FLAG_DATA_ACKED;
}

/* Send by how much arrived while a loss is repaired, and end at ssthresh. */
static inline void reduce_cwnd(struct tcp_sock *tp, struct onramp_connection *connection,
			       int newly_acked, int newly_lost, int flag)
{
	__u32 inflight = packets_in_flight(tp);
	int delta = (int)(tp->snd_ssthresh - inflight);
	int send = 0;

	if (newly_acked <= 0 || !tp->prior_cwnd)
		return;
	connection->prr_delivered += (__u32)newly_acked;
	if (delta < 0) {
		/* Proportional part: ssthresh / prior_cwnd of what was delivered. */
		__u64 share =
			(__u64)tp->snd_ssthresh * connection->prr_delivered + tp->prior_cwnd - 1;

		send = (int)(__u32)(share / tp->prior_cwnd) - (int)tp->prr_out;
	} else {
		/* Slow start back up to ssthresh. */
		send = (int)(connection->prr_delivered - tp->prr_out);
		if (send < newly_acked)
			send = newly_acked;
		if (flag & FLAG_SND_UNA_ADVANCED && !newly_lost)
			send++;
		if (send > delta)
			send = delta;
	}
	/* The first retransmission goes out whatever the count says. */
	if (send < (tp->prr_out ? 0 : 1))
		send = tp->prr_out ? 0 : 1;
	tp->snd_cwnd = inflight + (__u32)send ?: 1;
}

/* The congestion state is about to change: begin or end a reduction. */
static inline void follow_reduction(struct tcp_sock *tp, struct onramp_connection *connection,
				    __u32 old_state, __u32 new_state)
{
	if (reduces_cwnd(new_state) && !reduces_cwnd(old_state))
		connection->prr_delivered = 0;
	/* Unless it was undone, a reduction ends at ssthresh. */
	if (reduces_cwnd(old_state) && !reduces_cwnd(new_state) && new_state != TCP_CA_Loss &&
	    tp->snd_ssthresh < TCP_INFINITE_SSTHRESH &&
	    (old_state == TCP_CA_CWR || tp->undo_marker))
		tp->snd_cwnd = tp->snd_ssthresh;
}

/* Has nothing left for longer than a retransmission time-out? */
static inline bool was_idle(const struct tcp_sock *tp)
{
	return (__u32)bpf_jiffies64() - tp->lsndtime > tp->inet_conn.icsk_rto;
}

/* Data is about to leave after an idle time: halve the window for each retransmission time-out of
 * it, down to the initial window (RFC 2861), unless the host does not want that. */
static inline void restart_after_idle(struct tcp_sock *tp, __u32 initial_cwnd)
{
	const struct sock *sk = (const struct sock *)tp;
	__u32 idle = (__u32)bpf_jiffies64() - tp->lsndtime;
	__u32 rto = tp->inet_conn.icsk_rto ?: 1;
	__u32 cwnd = tp->snd_cwnd;
	__u32 halvings = idle / rto;

	if (!sk->__sk_common.skc_net.net->ipv4.sysctl_tcp_slow_start_after_idle ||
	    cwnd <= initial_cwnd)
		return;
	/* It has carried three quarters of the window at least. */
	if (tp->snd_ssthresh < (cwnd >> 1) + (cwnd >> 2))
		tp->snd_ssthresh = (cwnd >> 1) + (cwnd >> 2);
	cwnd >>= halvings > 31 ? 31 : halvings;
	tp->snd_cwnd = cwnd > initial_cwnd ? cwnd : initial_cwnd;
}

/* 200 % of cwnd per RTT in slow start, 120 % afterwards: it sizes bursts, and paces where a queue
 * or option asks. */
static inline void update_pacing_rate(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct netns_ipv4 *ipv4 = &sk->__sk_common.skc_net.net->ipv4;
	__u32 ratio = tp->snd_cwnd < tp->snd_ssthresh / 2 ? (__u32)ipv4->sysctl_tcp_pacing_ss_ratio
							  : (__u32)ipv4->sysctl_tcp_pacing_ca_ratio;
	__u64 rate = (__u64)tp->mss_cache * (8 * 1000000 / 100) * ratio;

	rate *= tp->snd_cwnd > tp->packets_out ? tp->snd_cwnd : tp->packets_out;
	if (tp->srtt_us)
		rate /= tp->srtt_us;
	sk->sk_pacing_rate = min_u64(rate, sk->sk_max_pacing_rate);
}

#endif
