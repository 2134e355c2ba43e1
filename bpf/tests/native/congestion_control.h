/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls between the kernel and a congestion control, in the order in which the kernel makes
 * them. CUBIC and Reno count that they were called. */
#ifndef ONRAMP_NATIVE_CONGESTION_CONTROL_H
#define ONRAMP_NATIVE_CONGESTION_CONTROL_H

#include "machine.h"

/* The kernel's functions that our programs call */

void cubictcp_init(struct sock *sk)
{
	memset(tcp_sk(sk)->inet_conn.icsk_ca_priv, 0, sizeof(tcp_sk(sk)->inet_conn.icsk_ca_priv));
}

__u32 cubictcp_recalc_ssthresh(struct sock *sk)
{
	return (__u32)max_u64(tcp_sk(sk)->snd_cwnd * 7 / 10, 2);
}

void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked)
{
	native_socket(sk)->raised++;
}

void cubictcp_state(struct sock *sk, __u8 new_state)
{
}

void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
}

void cubictcp_cwnd_event_tx_start(struct sock *sk)
{
}

void cubictcp_acked(struct sock *sk, const struct ack_sample *sample)
{
}

void bbr_init(struct sock *sk)
{
}

void bbr_main(struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
}

void bbr_main___v1(struct sock *sk, const struct rate_sample *rs)
{
}

__u32 bbr_sndbuf_expand(struct sock *sk)
{
	return 3;
}

__u32 bbr_undo_cwnd(struct sock *sk)
{
	return tcp_sk(sk)->snd_cwnd;
}

void bbr_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
}

void bbr_cwnd_event_tx_start(struct sock *sk)
{
}

__u32 bbr_ssthresh(struct sock *sk)
{
	return tcp_sk(sk)->snd_ssthresh;
}

__u32 bbr_min_tso_segs(struct sock *sk)
{
	return 2;
}

void bbr_set_state(struct sock *sk, __u8 new_state)
{
}

__u32 tcp_reno_ssthresh(struct sock *sk)
{
	return (__u32)max_u64(tcp_sk(sk)->snd_cwnd / 2, 2);
}

void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked)
{
	native_socket(sk)->raised++;
}

__u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	return tcp_sk(sk)->snd_cwnd;
}

/* setsockopt(): tcp_set_congestion_control() releases the control of the socket and initialises the
 * new one. */
long native_setsockopt(void *sk, int option, const void *value, int bytes)
{
	struct native_socket *socket = native_socket(sk);

	if (option == TCP_BPF_SOCK_OPS_CB_FLAGS) {
		socket->tp.bpf_sock_ops_cb_flags = (__u8) * (const __u32 *)value;
		return 0;
	}
	if (option != TCP_CONGESTION)
		return -ENOPROTOOPT;
	if (machine.refuses_control)
		return -EPERM;
	if (!strncmp(socket->control, "onramp", 6))
		onramp_release(sk);
	memset(socket->tp.inet_conn.icsk_ca_priv, 0, sizeof(socket->tp.inet_conn.icsk_ca_priv));
	snprintf(socket->control, sizeof(socket->control), "%.*s", bytes, (const char *)value);
	if (!strncmp(socket->control, "onramp", 6))
		onramp_init(sk);
	return 0;
}

/* A new socket chooses the start-up, which begins in this phase. */
static struct tcp_sock *start_up_of(struct tcp_sock *tp, __u32 phase)
{
	script.decision = (struct startup_decision){
		.cwnd_bytes = INITIAL_CWND * MSS,
		.ssthresh_bytes = STARTUP_UNLIMITED,
		.pacing_bytes_per_s = STARTUP_UNLIMITED,
		.phase = phase,
	};
	native_setsockopt(tp, TCP_CONGESTION, "onramp_scripted", 15);
	machine.now_ns += MS;
	return tp;
}

static struct tcp_sock *start_up(__u32 phase)
{
	return start_up_of(new_socket(), phase);
}

/* The algorithm ends its start-up at its next event. */
static void finish_next(__u32 exit)
{
	startup_finish(&script.decision, exit);
}

/* An ACK outside of recovery */
static void acknowledge(struct tcp_sock *tp, __u32 segments)
{
	const struct ack_sample sample = {.rtt_us = 10000};

	count_acknowledged(tp, segments);
	onramp_acked(sock_of(tp), &sample);
	if (has_control(tp, "onramp_scripted"))
		onramp_cong_avoid(sock_of(tp), tp->snd_una, segments);
	else
		cubictcp_cong_avoid(sock_of(tp), tp->snd_una, segments);
}

static void enter_state(struct tcp_sock *tp, __u8 state)
{
	onramp_set_state(sock_of(tp), state);
	tp->inet_conn.icsk_ca_state = state;
}

/* ACKs show a loss of this many segments: the recovery begins. */
static void lose(struct tcp_sock *tp, __u32 segments)
{
	tp->lost += segments;
	tp->high_seq = tp->snd_nxt;
	set_ssthresh(tp, onramp_ssthresh(sock_of(tp)));
	enter_state(tp, TCP_CA_Recovery);
}

/* The lost segments are repaired: the recovery ends. */
static void repair(struct tcp_sock *tp, __u32 segments)
{
	retransmit_segments(tp, segments);
	count_acknowledged(tp, tp->packets_out);
	enter_state(tp, TCP_CA_Open);
}

static void close_socket(struct tcp_sock *tp)
{
	if (has_control(tp, "onramp_scripted"))
		onramp_release(sock_of(tp));
	strcpy(native_socket(tp)->control, "closed");
}

#endif
