/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loss recovery and idle restart. The kernel leaves both to a congestion control that implements
 * cong_control. The functions here do what the kernel does for the others, so a connection whose
 * start-up is over behaves like one of the kernel's own:
 *
 *     reduce_cwnd()          tcp_cwnd_reduction(): Proportional Rate Reduction (RFC 6937)
 *     follow_recovery()      tcp_init_cwnd_reduction(), tcp_end_cwnd_reduction()
 *     restart_after_idle()   tcp_cwnd_restart() (RFC 2861)
 *
 * The originals are in net/ipv4/tcp_input.c and tcp_output.c.
 */
#ifndef ONRAMP_RECOVERY_H
#define ONRAMP_RECOVERY_H

#include "intf.h"
#include "kernel.h"
#include "startup/apply.h"
#include "startup/tcp.h"

#include <bpf/bpf_helpers.h>

/* Send in proportion to the segments that arrive during recovery, so that cwnd ends at ssthresh. */
static inline void reduce_cwnd(struct tcp_sock *tp, struct onramp_connection *connection,
			       int newly_acked, int newly_lost, int flag)
{
	__u32 inflight = packets_in_flight(tp);
	int delta = (int)(tp->snd_ssthresh - inflight);
	int send = 0;

	if (newly_acked <= 0 || !tp->prior_cwnd)
		return;
	connection->prr_delivered_segments += (__u32)newly_acked;
	if (delta < 0) {
		/* Proportional part: ssthresh / prior_cwnd of the delivered segments, rounded up.
		 */
		__u64 share = (__u64)tp->snd_ssthresh * connection->prr_delivered_segments +
			      tp->prior_cwnd - 1;

		send = (int)(__u32)(share / tp->prior_cwnd) - (int)tp->prr_out;
	} else {
		/* Slow start back up to ssthresh. */
		send = (int)(connection->prr_delivered_segments - tp->prr_out);
		if (send < newly_acked)
			send = newly_acked;
		if (flag & FLAG_SND_UNA_ADVANCED && !newly_lost)
			send++;
		if (send > delta)
			send = delta;
	}
	/* Always allow the first retransmission. */
	if (send < (tp->prr_out ? 0 : 1))
		send = tp->prr_out ? 0 : 1;
	set_cwnd(tp, inflight + (__u32)send ?: 1);
}

/* The congestion state is about to change: a reduction begins or ends. */
static inline void follow_recovery(struct tcp_sock *tp, struct onramp_connection *connection,
				   __u32 old_state, __u32 new_state)
{
	if (reduces_cwnd(new_state) && !reduces_cwnd(old_state))
		connection->prr_delivered_segments = 0;
	/* A reduction that was not undone ends at ssthresh. */
	if (reduces_cwnd(old_state) && !reduces_cwnd(new_state) && new_state != TCP_CA_Loss &&
	    tp->snd_ssthresh < TCP_INFINITE_SSTHRESH &&
	    (old_state == TCP_CA_CWR || tp->undo_marker))
		set_cwnd(tp, tp->snd_ssthresh);
}

/* Data is about to be sent after an idle time: halve cwnd for each RTO of it, down to the initial
 * window (RFC 2861). The sysctl tcp_slow_start_after_idle can forbid this. */
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
	/* The path carried cwnd, so slow start may go back to 3/4 of it (tcp_current_ssthresh()).
	 */
	if (tp->snd_ssthresh < (cwnd >> 1) + (cwnd >> 2))
		set_ssthresh(tp, (cwnd >> 1) + (cwnd >> 2));
	cwnd >>= halvings > 31 ? 31 : halvings;
	set_cwnd(tp, cwnd > initial_cwnd ? cwnd : initial_cwnd);
}

#endif
