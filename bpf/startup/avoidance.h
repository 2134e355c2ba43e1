/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own congestion avoidance, called through its kfuncs. The configured avoidance is a
 * constant when a program is loaded. The verifier removes the calls to the others, so a kernel need
 * not have them.
 */
#ifndef ONRAMP_AVOIDANCE_H
#define ONRAMP_AVOIDANCE_H

#include "kernel.h"
#include "intf.h"

#include <bpf/bpf_helpers.h>

extern void cubictcp_init(struct sock *sk) __ksym __weak;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym __weak;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym __weak;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym __weak;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym __weak;
/* cubictcp_cwnd_event() of CA_EVENT_TX_START, in newer kernels */
extern void cubictcp_cwnd_event_tx_start(struct sock *sk) __ksym __weak;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym __weak;

extern void bbr_init(struct sock *sk) __ksym __weak;
extern void bbr_main(struct sock *sk, __u32 ack, int flag,
		     const struct rate_sample *rs) __ksym __weak;
/* The same function before Linux 6.10 */
extern void bbr_main___v1(struct sock *sk, const struct rate_sample *rs) __ksym __weak;
extern __u32 bbr_sndbuf_expand(struct sock *sk) __ksym __weak;
extern __u32 bbr_undo_cwnd(struct sock *sk) __ksym __weak;
extern void bbr_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym __weak;
extern void bbr_cwnd_event_tx_start(struct sock *sk) __ksym __weak;
extern __u32 bbr_ssthresh(struct sock *sk) __ksym __weak;
extern __u32 bbr_min_tso_segs(struct sock *sk) __ksym __weak;
extern void bbr_set_state(struct sock *sk, __u8 new_state) __ksym __weak;

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

static inline void avoidance_init(__u32 avoidance, struct sock *sk)
{
	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		cubictcp_init(sk);
	else if (avoidance == ONRAMP_AVOIDANCE_BBR)
		bbr_init(sk);
}

/* Raise cwnd for an ACK. Not for BBR, which does everything in its cong_control (bbr_main()). */
static inline void avoidance_raise(__u32 avoidance, struct sock *sk, __u32 ack, __u32 acked)
{
	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		cubictcp_cong_avoid(sk, ack, acked);
	else
		tcp_reno_cong_avoid(sk, ack, acked);
}

static inline __u32 avoidance_ssthresh(__u32 avoidance, struct sock *sk)
{
	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		return cubictcp_recalc_ssthresh(sk);
	if (avoidance == ONRAMP_AVOIDANCE_BBR)
		return bbr_ssthresh(sk);
	return tcp_reno_ssthresh(sk);
}

/* Make the kernel's CUBIC or Reno the congestion control of the socket. It begins anew. Returns
 * false if the kernel refuses. */
static inline bool avoidance_take_over(__u32 avoidance, struct sock *sk)
{
	char cubic[] = "cubic", reno[] = "reno";

	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		return !bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, cubic, sizeof(cubic) - 1);
	return !bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, reno, sizeof(reno) - 1);
}

static inline void avoidance_set_state(__u32 avoidance, struct sock *sk, __u8 new_state)
{
	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		cubictcp_state(sk, new_state);
	else if (avoidance == ONRAMP_AVOIDANCE_BBR)
		bbr_set_state(sk, new_state);
}

static inline void avoidance_cwnd_event(__u32 avoidance, struct sock *sk, enum tcp_ca_event event)
{
	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		cubictcp_cwnd_event(sk, event);
	else if (avoidance == ONRAMP_AVOIDANCE_BBR)
		bbr_cwnd_event(sk, event);
}

static inline void avoidance_tx_start(__u32 avoidance, struct sock *sk)
{
	if (avoidance == ONRAMP_AVOIDANCE_CUBIC)
		cubictcp_cwnd_event_tx_start(sk);
	else if (avoidance == ONRAMP_AVOIDANCE_BBR)
		bbr_cwnd_event_tx_start(sk);
}

static inline __u32 avoidance_undo_cwnd(__u32 avoidance, struct sock *sk)
{
	return avoidance == ONRAMP_AVOIDANCE_BBR ? bbr_undo_cwnd(sk) : tcp_reno_undo_cwnd(sk);
}

#endif
