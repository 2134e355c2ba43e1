/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A start-up algorithm of core/ as a congestion control of the kernel: tcp_congestion_ops in BPF.
 * This file has the hooks that the kernel calls. build.rs compiles it once for each algorithm of
 * core/registry.h.
 *
 * During the start-up the algorithm decides cwnd, ssthresh and the pacing rate. A loss is reported
 * to the algorithm first. Most start-ups end there. `onramp` follows the repair (RETREAT) and may
 * still change ssthresh, and a reserved rate goes on (core/host.h). Afterwards the kernel's own
 * congestion avoidance controls the connection, first through these hooks, then by itself
 * (startup/hand_over.h). An algorithm that ended with AVOIDANCE decides again in the next slow
 * start.
 *
 * With CUBIC and Reno the programs have no cong_control. So the kernel itself does everything that
 * is not start-up, as for its own congestion controls: loss recovery (PRR), the restart after an
 * idle time, and the pacing rate where the start-up decides none. After each ACK it overwrites
 * sk_pacing_rate. The decided rate is therefore set in min_tso_segs, which the kernel calls each
 * time before it sends.
 *
 * The functions that an ACK passes through, for the algorithm `paced`:
 *
 *     onramp_acked()         the kernel's pkts_acked hook, below: the RTT sample
 *     onramp_cong_avoid()    the kernel's cong_avoid hook, below: start-up or avoidance?
 *     on_ack()               startup/drive.h: fills struct startup_ack, applies the decision
 *     algorithm_ack()        startup/algorithm.template.h, with ALGORITHM = paced
 *     paced_ack()            core/algorithms/paced.h
 *     onramp_min_tso_segs()  the kernel's min_tso_segs hook, below: the pacing rate
 *
 * Only startup/apply.h writes cwnd, ssthresh and the pacing rate.
 *
 * BBR needs cong_control: it paces, and sees every ACK from the first one on, so that its model of
 * the path is complete when it takes over. Until then its decisions are overwritten.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "intf.h"
#include "startup/apply.h"
#include "startup/avoidance.h"
#include "startup/connection.h"
#include "startup/drive.h"
#include "startup/ensemble.h"
#include "startup/hand_over.h"
#include "startup/memory.h"
#include "startup/pairs.h"
#include "startup/reservation.h"
#include "startup/tcp.h"
#include "startup/totals.h"
#include "timers.h"

char _license[] SEC("license") = "GPL";

/* The connection is established, or the socket chooses this congestion control later. */
SEC("struct_ops")
void BPF_PROG(onramp_init, struct sock *sk)
{
	struct onramp_connection *connection;

	avoidance_init(config.avoidance, sk);
	set_timers(sk, &config.timers);
	/* The record of a connection that was handed over and now comes back */
	bpf_sk_storage_delete(&onramp_conns, sk);
	connection = bpf_sk_storage_get(&onramp_conns, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!connection)
		return; /* Out of memory: only congestion avoidance controls it. */
	on_established(sk, connection);
	if (config.avoidance == ONRAMP_AVOIDANCE_BBR)
		apply_pacing(sk, connection);
}

/* The socket closes, or goes on with another congestion control. After a hand-over its record
 * remains, for `onramp ss`. */
SEC("struct_ops")
void BPF_PROG(onramp_release, struct sock *sk)
{
	struct onramp_connection *connection = connection_of(sk);

	if (connection) {
		count_end(sk, connection);
		leave_ensemble(sk, connection);
		restore_cwnd(sk, connection);
		if (conn_is_reserved(connection))
			leave_reservation(tcp_sk(sk), connection);
		stop_pacing(sk, connection);
		end_memory(sk, connection);
	}
	release_reservation(sk, connection);
	end_pairs(sk);
	if (!connection || !connection->handed_over_ns)
		bpf_sk_storage_delete(&onramp_conns, sk);
}

/* RTT samples, of every ACK. The kernel calls this hook after it has counted what the ACK delivers,
 * and before it looks for losses. In recovery it does not call cong_avoid, so an algorithm that
 * follows the recovery gets its ACKs here. */
SEC("struct_ops")
void BPF_PROG(onramp_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct onramp_connection *connection;

	if (config.avoidance == ONRAMP_AVOIDANCE_CUBIC)
		cubictcp_acked(sk, sample);
	connection = connection_of(sk);
	if (!connection || conn_is_done(connection))
		return;
	connection->rtt_us = sample->rtt_us;
	if (conn_reports_in_recovery(tcp_sk(sk), connection))
		on_ack(sk, connection, tcp_sk(sk)->delivered - connection->delivered_segments);
}

/* An ACK outside of recovery that may raise cwnd. The kernel sets its own pacing rate afterwards;
 * onramp_min_tso_segs() sets the decided one. */
SEC("struct_ops")
void BPF_PROG(onramp_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct onramp_connection *connection = connection_of(sk);
	bool avoidance_owns_cwnd = true;

	if (connection && !conn_is_done(connection)) {
		if (conn_is_reserved(connection))
			return; /* onramp_acked() has reported the ACK. */
		if (conn_skips_quiet_ack(tcp_sk(sk), connection)) {
			/* cwnd does not limit the sender, so it does not grow. */
			if (host_ends_quiet_connection(connection->quiet_acks))
				end_quiet_connection(sk, connection);
			return;
		}
		avoidance_owns_cwnd = conn_avoidance_owns_cwnd(tcp_sk(sk), connection);
		if (conn_reports_ack(tcp_sk(sk), connection))
			on_ack(sk, connection, acked);
		else
			end_busy_connection(sk, connection);
		let_pair_leave(sk, connection);
	}
	if (connection)
		refresh_memory(sk, connection);
	if (avoidance_owns_cwnd)
		avoidance_raise(config.avoidance, sk, ack, acked);
	if (connection)
		hand_over_when_settled(sk, connection);
}

/* An ACK that BBR has already processed. Until the start-up is over, restore the cwnd from before
 * (`cwnd`, in segments) and let the algorithm decide. */
static void overrule_bbr(struct sock *sk, __u32 cwnd, const struct rate_sample *rs)
{
	struct onramp_connection *connection = connection_of(sk);
	bool decides = connection && !conn_startup_is_over(connection);

	if (connection)
		refresh_memory(sk, connection);
	if (decides) {
		set_cwnd(tcp_sk(sk), cwnd);
		connection->rtt_us = rs->rtt_us;
		if (rs->acked_sacked)
			on_ack(sk, connection, rs->acked_sacked);
	}
	if (connection && (decides || connection->pacing_is_ours)) {
		apply_pacing(sk, connection);
		let_pair_leave(sk, connection);
	}
}

/* cong_control: BBR's every ACK */
SEC("struct_ops")
void BPF_PROG(onramp_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	bbr_main(sk, ack, flag, rs);
	overrule_bbr(sk, cwnd, rs);
}

/* cong_control before Linux 6.10 */
SEC("struct_ops")
void BPF_PROG(onramp_control_v1, struct sock *sk, const struct rate_sample *rs)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	bbr_main___v1(sk, rs);
	overrule_bbr(sk, cwnd, rs);
}

/* The kernel found a loss and asks for the new ssthresh. */
SEC("struct_ops")
__u32 BPF_PROG(onramp_ssthresh, struct sock *sk)
{
	struct onramp_connection *connection = connection_of(sk);
	__u32 ssthresh;

	if (connection)
		restore_cwnd(sk, connection);
	ssthresh = avoidance_ssthresh(config.avoidance, sk);
	if (connection && host_reports_loss(connection->decision.phase))
		return on_loss(sk, connection, ssthresh);
	return ssthresh;
}

SEC("struct_ops")
void BPF_PROG(onramp_set_state, struct sock *sk, __u8 new_state)
{
	struct onramp_connection *connection = connection_of(sk);

	if (connection)
		count_repair(sk, connection, congestion_state(tcp_sk(sk)), new_state);
	/* The kernel does not ask for an ssthresh if its timer expires in a recovery. */
	if (connection && new_state == TCP_CA_Loss && conn_is_repairing(connection))
		set_ssthresh(tcp_sk(sk), on_loss(sk, connection, tcp_sk(sk)->snd_ssthresh));
	avoidance_set_state(config.avoidance, sk, new_state);
}

SEC("struct_ops")
void BPF_PROG(onramp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	avoidance_cwnd_event(config.avoidance, sk, event);
}

/* What kernels with this hook call instead of cwnd_event(CA_EVENT_TX_START), the only event that
 * CUBIC and BBR use. */
SEC("struct_ops")
void BPF_PROG(onramp_tx_start, struct sock *sk)
{
	avoidance_tx_start(config.avoidance, sk);
}

#ifdef ONRAMP_SENDS_PAIRS
/* The kernel calls this hook for an ACK before it reads cwnd. So the cwnd that
 * let_pair_leave() reduced is restored here. The hook also runs for each segment with the option of
 * packet pairs, as such a segment takes the kernel's slow path. The kernel has not decided yet when
 * to acknowledge that segment. So a reply to a pair is requested here, as an immediate ACK. */
SEC("struct_ops")
void BPF_PROG(onramp_in_ack, struct sock *sk, __u32 flags)
{
	struct onramp_connection *connection = connection_of(sk);
	struct onramp_pairs *pairs = pairs_of(sk);
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;

	if (connection)
		restore_cwnd(sk, connection);
	if (pairs && pairs->ack_now) {
		pairs->ack_now = false;
		icsk->icsk_ack.pending |= ICSK_ACK_SCHED | ICSK_ACK_NOW;
	}
}
#endif

/* The kernel is about to send: set what the decision is to this flight, and return the minimum of
 * segments in a packet before segmentation. The token bucket of a reserved rate permits a number, a
 * packet pair has one, otherwise the kernel would use its own minimum. */
SEC("struct_ops")
__u32 BPF_PROG(onramp_min_tso_segs, struct sock *sk)
{
	struct onramp_connection *connection = connection_of(sk);
	struct onramp_pairs *pairs;
	__u32 segments = 0;

	if (connection && config.avoidance != ONRAMP_AVOIDANCE_BBR)
		apply_before_sending(sk, connection);
	if (connection && conn_is_reserved(connection))
		segments = bucket_segments(sk, connection);
	if (segments)
		return segments;
	pairs = pairs_of(sk);
	if (pairs && wants_one_segment(pairs))
		return 1;
	if (config.avoidance == ONRAMP_AVOIDANCE_BBR)
		return bbr_min_tso_segs(sk);
	return sk->__sk_common.skc_net.net->ipv4.sysctl_tcp_min_tso_segs;
}

SEC("struct_ops")
__u32 BPF_PROG(onramp_undo_cwnd, struct sock *sk)
{
	return avoidance_undo_cwnd(config.avoidance, sk);
}

SEC("struct_ops")
__u32 BPF_PROG(onramp_sndbuf_expand, struct sock *sk)
{
	return bbr_sndbuf_expand(sk);
}

/*
 * One struct_ops map for each congestion avoidance and each form of the hooks that it uses: _v1
 * before Linux 6.10, _v3 with cwnd_event_tx_start, otherwise no suffix (ControlForm in probe.rs).
 * onramp-kernel loads one of them. Members that an avoidance does not need are left out, because
 * each member costs a call.
 */
/* clang-format off */
#define COMMON_MEMBERS                                                                             \
	.name = ONRAMP_CONGESTION_CONTROL,                                                         \
	.flags = TCP_CONG_NON_RESTRICTED,                                                          \
	.init = (void *)onramp_init,                                                               \
	.release = (void *)onramp_release,                                                         \
	.ssthresh = (void *)onramp_ssthresh,                                                       \
	.set_state = (void *)onramp_set_state,                                                     \
	.min_tso_segs = (void *)onramp_min_tso_segs,                                               \
	.undo_cwnd = (void *)onramp_undo_cwnd,

#ifdef ONRAMP_SENDS_PAIRS
#define PAIR_MEMBERS .in_ack_event = (void *)onramp_in_ack,
#else
#define PAIR_MEMBERS
#endif

#define KERNEL_RECOVERY_MEMBERS                                                                    \
	COMMON_MEMBERS PAIR_MEMBERS                                                                \
	.cong_avoid = (void *)onramp_cong_avoid,                                                   \
	.pkts_acked = (void *)onramp_acked,
#define BBR_MEMBERS                                                                                \
	COMMON_MEMBERS PAIR_MEMBERS                                                                \
	.sndbuf_expand = (void *)onramp_sndbuf_expand,

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_cubic = {
	KERNEL_RECOVERY_MEMBERS
	.cwnd_event = (void *)onramp_cwnd_event,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_cubic_v3 = {
	KERNEL_RECOVERY_MEMBERS
	.cwnd_event_tx_start = (void *)onramp_tx_start,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_reno = {
	KERNEL_RECOVERY_MEMBERS
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_bbr = {
	BBR_MEMBERS
	.cwnd_event = (void *)onramp_cwnd_event,
	.cong_control = (void *)onramp_control,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_bbr_v1 = {
	BBR_MEMBERS
	.cwnd_event = (void *)onramp_cwnd_event,
	.cong_control = (void *)onramp_control_v1,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_bbr_v3 = {
	BBR_MEMBERS
	.cwnd_event_tx_start = (void *)onramp_tx_start,
	.cong_control = (void *)onramp_control,
};
/* clang-format on */
