/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A start-up algorithm of core/ as a congestion control of the kernel: tcp_congestion_ops in BPF.
 * This file has the hooks that the kernel calls. build.rs compiles it once for each algorithm of
 * core/registry.h.
 *
 * During the start-up the algorithm decides cwnd, ssthresh and the pacing rate. A loss is reported
 * to the algorithm first. Most start-ups end there. `onramp` follows the repair (RETREAT) and may
 * still change ssthresh, and a reserved rate goes on (core/host.h). Afterwards the kernel's own
 * congestion avoidance and loss recovery control the connection. An algorithm that ended with
 * AVOIDANCE decides again in the next slow start.
 *
 * The functions that an ACK passes through, for the algorithm `paced`:
 *
 *     onramp_control()    the kernel's cong_control hook, below
 *     control()           recovery, start-up or avoidance? below
 *     on_ack()            startup/drive.h: fills struct startup_ack, applies the decision
 *     algorithm_ack()     startup/algorithm.template.h, with ALGORITHM = paced
 *     paced_ack()         core/algorithms/paced.h
 *
 * Only startup/apply.h writes cwnd, ssthresh and the pacing rate.
 *
 * BBR sees every ACK from the first one on, so that its model of the path is complete when it takes
 * over. Until then its decisions are overwritten.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "intf.h"
#include "startup/apply.h"
#include "startup/avoidance.h"
#include "startup/connection.h"
#include "startup/drive.h"
#include "startup/memory.h"
#include "startup/pairs.h"
#include "startup/recovery.h"
#include "startup/reservation.h"
#include "startup/tcp.h"

char _license[] SEC("license") = "GPL";

/* The connection is established, or the socket chooses this congestion control later. */
SEC("struct_ops")
void BPF_PROG(onramp_init, struct sock *sk)
{
	struct onramp_connection *connection;

	avoidance_init(config.avoidance, sk);
	connection = bpf_sk_storage_get(&onramp_conns, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!connection)
		return; /* Out of memory: only congestion avoidance controls it. */
	on_established(sk, connection);
	if (config.avoidance == ONRAMP_AVOIDANCE_BBR)
		apply_pacing(sk, connection);
}

/* The socket closes, or goes on with another congestion control. */
SEC("struct_ops")
void BPF_PROG(onramp_release, struct sock *sk)
{
	struct onramp_connection *connection = connection_of(sk);

	if (connection) {
		restore_cwnd(sk, connection);
		if (conn_is_reserved(connection))
			leave_reservation(tcp_sk(sk), connection);
		stop_pacing(sk, connection);
		end_memory(sk, connection);
	}
	release_reservation(sk, connection);
	end_pairs(sk);
	bpf_sk_storage_delete(&onramp_conns, sk);
}

/* An ACK of a socket without a record, because memory was short: only congestion avoidance runs. */
static void control_without_startup(struct sock *sk, __u32 ack, int flag, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!reduces_cwnd(congestion_state(tp)) && may_raise_cwnd(tp, flag))
		avoidance_raise(config.avoidance, sk, ack, acked);
	set_kernel_pacing_rate(sk);
}

/* An ACK, with CUBIC or Reno as congestion avoidance: what the kernel does before it calls their
 * cong_avoid (tcp_cong_control() of net/ipv4/tcp_input.c). */
static void control(struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	struct onramp_connection *connection = connection_of(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	bool was_reserved;

	if (!connection) {
		control_without_startup(sk, ack, flag, rs->acked_sacked);
		return;
	}
	was_reserved = conn_is_reserved(connection);
	if (was_reserved)
		on_ack(sk, connection, rs);
	if (was_reserved && conn_is_reserved(connection)) {
		/* The algorithm has decided cwnd, also during loss recovery. */
	} else if (reduces_cwnd(congestion_state(tp))) {
		if (rs->acked_sacked && conn_reports_ack(tp, connection, true))
			on_ack(sk, connection, rs);
		reduce_cwnd(tp, connection, (int)rs->acked_sacked, rs->losses, flag);
	} else if (may_raise_cwnd(tp, flag)) {
		bool avoidance_owns_cwnd = conn_avoidance_owns_cwnd(tp, connection);

		if (conn_reports_ack(tp, connection, false))
			on_ack(sk, connection, rs);
		if (avoidance_owns_cwnd)
			avoidance_raise(config.avoidance, sk, ack, rs->acked_sacked);
	}
	refresh_memory(sk, connection);
	apply_pacing(sk, connection);
	let_pair_leave(sk, connection);
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
		if (rs->acked_sacked)
			on_ack(sk, connection, rs);
	}
	if (connection && (decides || connection->pacing_is_ours)) {
		apply_pacing(sk, connection);
		let_pair_leave(sk, connection);
	}
}

SEC("struct_ops")
void BPF_PROG(onramp_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (config.avoidance == ONRAMP_AVOIDANCE_BBR) {
		bbr_main(sk, ack, flag, rs);
		overrule_bbr(sk, cwnd, rs);
	} else {
		control(sk, ack, flag, rs);
	}
}

/* cong_control before Linux 6.10. It is given neither `ack` nor `flag`: an ACK that delivers
 * something is treated as one that acknowledges data. */
SEC("struct_ops")
void BPF_PROG(onramp_control_v1, struct sock *sk, const struct rate_sample *rs)
{
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;

	if (config.avoidance == ONRAMP_AVOIDANCE_BBR) {
		bbr_main___v1(sk, rs);
		overrule_bbr(sk, cwnd, rs);
	} else {
		control(sk, tcp_sk(sk)->snd_una,
			rs->acked_sacked ? FLAG_DATA_ACKED | FLAG_SND_UNA_ADVANCED : 0, rs);
	}
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
	struct tcp_sock *tp = tcp_sk(sk);

	if (connection && config.avoidance != ONRAMP_AVOIDANCE_BBR)
		follow_recovery(tp, connection, congestion_state(tp), new_state);
	avoidance_set_state(config.avoidance, sk, new_state);
}

SEC("struct_ops")
void BPF_PROG(onramp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct onramp_connection *connection;

	if (event == CA_EVENT_TX_START && config.avoidance != ONRAMP_AVOIDANCE_BBR &&
	    was_idle(tcp_sk(sk))) {
		connection = connection_of(sk);
		if (connection && !conn_is_reserved(connection)) {
			restore_cwnd(sk, connection);
			restart_after_idle(tcp_sk(sk), connection->initial_cwnd_segments);
		}
	}
	avoidance_cwnd_event(config.avoidance, sk, event);
}

#ifdef ONRAMP_SENDS_PAIRS
/* The kernel calls this hook first for an ACK, before it reads cwnd. So the cwnd that
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

SEC("struct_ops")
void BPF_PROG(onramp_acked, struct sock *sk, const struct ack_sample *sample)
{
	cubictcp_acked(sk, sample);
}

/* The minimum of segments in a packet before segmentation: what the token bucket of a reserved rate
 * permits, one for a packet pair, otherwise what the kernel would use. */
SEC("struct_ops")
__u32 BPF_PROG(onramp_min_tso_segs, struct sock *sk)
{
	struct onramp_connection *connection = connection_of(sk);
	struct onramp_pairs *pairs = pairs_of(sk);
	__u32 segments = 0;

	if (connection && conn_is_reserved(connection))
		segments = bucket_segments(sk, connection);
	if (segments)
		return segments;
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
 * One struct_ops map for each congestion avoidance and each form of cong_control. onramp-kernel
 * loads one of them. Members that an avoidance does not need are left out, because each member
 * costs a call: min_tso_segs for every packet that is sent, pkts_acked for every ACK.
 */
/* clang-format off */
#define COMMON_MEMBERS                                                                             \
	.name = ONRAMP_CONGESTION_CONTROL,                                                         \
	.init = (void *)onramp_init,                                                               \
	.release = (void *)onramp_release,                                                         \
	.ssthresh = (void *)onramp_ssthresh,                                                       \
	.set_state = (void *)onramp_set_state,                                                     \
	.cwnd_event = (void *)onramp_cwnd_event,                                                   \
	.undo_cwnd = (void *)onramp_undo_cwnd,

#ifdef ONRAMP_SENDS_PAIRS
#define PAIR_MEMBERS .in_ack_event = (void *)onramp_in_ack,
#else
#define PAIR_MEMBERS
#endif

#if defined(ONRAMP_SENDS_PAIRS) || defined(ONRAMP_RESERVES)
#define PACKET_SIZE_MEMBERS .min_tso_segs = (void *)onramp_min_tso_segs,
#else
#define PACKET_SIZE_MEMBERS
#endif

#define CUBIC_MEMBERS                                                                              \
	COMMON_MEMBERS PAIR_MEMBERS PACKET_SIZE_MEMBERS                                            \
	.pkts_acked = (void *)onramp_acked,
#define BBR_MEMBERS                                                                                \
	COMMON_MEMBERS PAIR_MEMBERS                                                                \
	.min_tso_segs = (void *)onramp_min_tso_segs,                                               \
	.sndbuf_expand = (void *)onramp_sndbuf_expand,
#define RENO_MEMBERS COMMON_MEMBERS PAIR_MEMBERS PACKET_SIZE_MEMBERS

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_cubic = {
	CUBIC_MEMBERS
	.cong_control = (void *)onramp_control,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_cubic_v1 = {
	CUBIC_MEMBERS
	.cong_control = (void *)onramp_control_v1,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_bbr = {
	BBR_MEMBERS
	.cong_control = (void *)onramp_control,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_bbr_v1 = {
	BBR_MEMBERS
	.cong_control = (void *)onramp_control_v1,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_reno = {
	RENO_MEMBERS
	.cong_control = (void *)onramp_control,
};

SEC(".struct_ops.link")
struct tcp_congestion_ops onramp_reno_v1 = {
	RENO_MEMBERS
	.cong_control = (void *)onramp_control_v1,
};
/* clang-format on */
