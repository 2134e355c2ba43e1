/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A start-up algorithm of core/ as a congestion control of the kernel: tcp_congestion_ops in BPF.
 *
 * Compiled once for each line of core/registry.h, with ONRAMP_ALGORITHM naming it. While the
 * start-up is under way the algorithm decides window, threshold and pacing rate; afterwards
 * everything is the kernel's own congestion avoidance and its own recovery, up to the next slow
 * start where the algorithm wants that too. A loss ends the start-up before the kernel reduces the
 * window.
 *
 * BBR is fed from the first acknowledgement on, so that its model of the path is complete when it
 * takes over; until then its decisions are overwritten.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "avoidance.h"
#include "endpoints.h"
#include "recovery.h"
#include "registry.h"
#include "remembered.h"
#include "reserved.h"
#include "shared.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define QUOTE_(a) #a
#define QUOTE(a) QUOTE_(a)

/* paced_start, struct paced ... */
#define ALGORITHM(function) PASTE(ONRAMP_ALGORITHM, function)
#define ALGORITHM_STATE struct ONRAMP_ALGORITHM

/* ONRAMP_SENDS_PAIRS: the algorithm asks for packet pairs, if only where the user wants that. The
 * others have nothing to do with them. */
#ifdef ONRAMP_SENDS_PAIRS
#include "pairs.h"
#endif

char _license[] SEC("license") = "GPL";

/* Any process finds a loaded congestion control, and whose it is, by this map's name. */
const volatile struct onramp_config config SEC(".rodata.onramp");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct onramp_connection);
} onramp_conns SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} onramp_events SEC(".maps");

/* On a path so short that an eighth of a round trip is less. */
#define LEAST_NS_BETWEEN_EVENTS UINT64_C(1000000)

__u64 connections = 0;
__u64 events_lost = 0;

static __u32 mss_of(const struct tcp_sock *tp)
{
	return tp->mss_cache ?: 1;
}

static __u64 ssthresh_bytes(const struct tcp_sock *tp)
{
	return tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH ? STARTUP_UNLIMITED
							 : (__u64)tp->snd_ssthresh * mss_of(tp);
}

static __u32 ssthresh_segments(__u64 bytes, __u32 mss_bytes)
{
	__u64 segments = bytes / mss_bytes;

	return segments >= TCP_INFINITE_SSTHRESH ? TCP_INFINITE_SSTHRESH
	       : segments < 2                    ? 2
						 : (__u32)segments;
}

/* An empty event, or NULL where the ring is full. */
static struct onramp_event *new_event(const struct sock *sk,
				      const struct onramp_connection *connection, __u32 kind)
{
	struct onramp_event *event = bpf_ringbuf_reserve(&onramp_events, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&events_lost, 1);
		return NULL;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->id = connection->id;
	event->kind = kind;
	event->decision = connection->decision;
	fill_endpoints(sk, &event->local, &event->remote);
	return event;
}

static bool conn_startup_is_over(const struct onramp_connection *connection)
{
	return startup_is_over(&connection->decision);
}

/* Does congestion avoidance have the window, while what it permits is spaced? (BBR spaces it
 * itself.) */
static bool conn_startup_spaces(const struct onramp_connection *connection)
{
	return connection->decision.phase == STARTUP_PHASE_SAFE &&
	       config.avoidance != ONRAMP_AVOIDANCE_BBR;
}

/* Is a loss being repaired, and may what arrives meanwhile change the threshold? */
static bool conn_startup_retreats(const struct onramp_connection *connection)
{
	return connection->decision.phase == STARTUP_PHASE_RETREAT;
}

/* Does it raise the window? One that is over for now does again in the next slow start. (BBR has
 * none.) */
static bool conn_startup_decides(const struct tcp_sock *tp,
				 const struct onramp_connection *connection)
{
	if (connection->decision.phase == STARTUP_PHASE_AVOIDANCE)
		return config.avoidance != ONRAMP_AVOIDANCE_BBR && tp->snd_cwnd < tp->snd_ssthresh;
	return !conn_startup_is_over(connection);
}

/* Write down why, when and at what window the start-up ended, once: slow starts that come back end
 * again. */
static void note_exit(struct onramp_connection *connection, __u64 now_ns)
{
	if (conn_startup_is_over(connection) && !connection->exit_ns) {
		connection->exit = connection->decision.exit;
		connection->exit_ns = now_ns;
		connection->exit_cwnd_bytes = connection->decision.cwnd_bytes;
	}
}

/* Pacing that was switched on for the start-up goes off, but not where the application has asked
 * for it meanwhile (SO_MAX_PACING_RATE). */
static void stop_pacing(struct sock *sk, struct onramp_connection *connection)
{
	if (connection->paced_by_us && sk->sk_max_pacing_rate == NO_PACING_RATE)
		sk->sk_pacing_status = SK_PACING_NONE;
	connection->paced_by_us = false;
}

/* Pace at the decided rate; where none is decided, as the kernel would. */
static void apply_pacing(struct sock *sk, struct onramp_connection *connection)
{
	__u64 rate = connection->decision.pacing_bytes_per_s;

	if (rate != STARTUP_UNLIMITED) {
		if (sk->sk_pacing_status == SK_PACING_NONE) {
			sk->sk_pacing_status = SK_PACING_NEEDED;
			connection->paced_by_us = true;
		}
		sk->sk_pacing_rate = min_u64(rate, sk->sk_max_pacing_rate);
		return;
	}
	stop_pacing(sk, connection);
	if (config.avoidance != ONRAMP_AVOIDANCE_BBR)
		update_pacing_rate(sk);
	else if (!conn_startup_is_over(connection))
		sk->sk_pacing_rate =
			sk->sk_max_pacing_rate; /* BBR has switched pacing on: let windows decide */
}

/* What the two ends' option says of this connection; NULL where one of them does not know it. */
static struct onramp_pairs *pairs_of(struct sock *sk)
{
#ifdef ONRAMP_SENDS_PAIRS
	return bpf_sk_storage_get(&onramp_pairs, sk, 0, 0);
#else
	return NULL;
#endif
}

/* Tell the program of the option what it is to mark. */
static void ask_for_pair(struct sock *sk, const struct onramp_connection *connection)
{
	struct onramp_pairs *pairs = pairs_of(sk);
	__u32 flags;

	if (!pairs)
		return;
	pairs->is_starting = !conn_startup_is_over(connection);
	/* A train ends with what has left. */
	if (pairs->due == STARTUP_PAIR_TRAIN && connection->decision.pair != STARTUP_PAIR_TRAIN)
		pairs->probe.is_open = false;
	pairs->due = connection->decision.pair;
	flags = tcp_sk(sk)->bpf_sock_ops_cb_flags;
	if (!pairs->due || flags & BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG)
		return;
	/* It was over, and is not any more. Before Linux 6.12 this fails, and the first slow start
	 * alone has pairs. */
	flags |= BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG;
	bpf_setsockopt(sk, IPPROTO_TCP, TCP_BPF_SOCK_OPS_CB_FLAGS, &flags, sizeof(flags));
}

/* What the peer has reported since this was asked last; zero: nothing. */
static struct pair_report take_pair_report(struct sock *sk)
{
	struct onramp_pairs *pairs = pairs_of(sk);
	struct pair_report report = {0};

	if (pairs) {
		report = pairs->report;
		pairs->report = (struct pair_report){0};
	}
	return report;
}

/* Is a packet of one segment wanted next? A train's first is one; those that follow it leave as
 * any. */
static bool wants_one_segment(const struct onramp_pairs *pairs)
{
	return pairs->due == STARTUP_PAIR_ONE ||
	       (pairs->due == STARTUP_PAIR_TRAIN && !pairs->probe.is_open);
}

/* Can two full segments leave now, as far as the application and the receiver are concerned? */
static bool has_pair_to_send(const struct tcp_sock *tp)
{
	__u32 pair_bytes = 2 * mss_of(tp);

	return tp->write_seq - tp->snd_nxt >= pair_bytes &&
	       (__s32)(tp->snd_una + tp->snd_wnd - tp->snd_nxt - pair_bytes) >= 0;
}

/*
 * Let a pair leave at once, in two packets of one segment each: until the next acknowledgement, not
 * paced, and the window of a connection that was has room for the pair alone. The pacing rate then
 * only says how large packets are, before segmentation, and says one segment. A train's leave as
 * they would, but for the first, which is a packet of its own.
 */
static void let_pair_leave(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_pairs *pairs = pairs_of(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 cwnd;

	/* A rate that the application has set holds: its pairs leave apart, and are not marked or
	 * not believed. */
	if (!pairs || !wants_one_segment(pairs) || sk->sk_max_pacing_rate != NO_PACING_RATE)
		return;
	if (connection->paced_by_us && pairs->due == STARTUP_PAIR_ONE) {
		/* Later it would be spaced; and a window that is held while nothing is under way
		 * would stay small. */
		if (!has_pair_to_send(tp)) {
			pairs->due = STARTUP_PAIR_NONE;
			return;
		}
		cwnd = packets_in_flight(tp) + 2;
		if (cwnd < tp->snd_cwnd) {
			connection->held_cwnd = tp->snd_cwnd;
			tp->snd_cwnd = cwnd;
		}
		sk->sk_pacing_status = SK_PACING_NONE;
		connection->paced_by_us = false;
	}
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_rate = (__u64)mss_of(tp) << sk->sk_pacing_shift;
}

/* Give back the window that was held for a pair, before anything is made of it. */
static void release_window(struct sock *sk, struct onramp_connection *connection)
{
	if (connection->held_cwnd) {
		tcp_sk(sk)->snd_cwnd = connection->held_cwnd;
		connection->held_cwnd = 0;
	}
}

static void apply_decision(struct sock *sk, struct onramp_connection *connection, __u32 mss_bytes)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u64 cwnd = connection->decision.cwnd_bytes / mss_bytes;

	tp->snd_cwnd = (__u32)max_u64(min_u64(cwnd, tp->snd_cwnd_clamp), 1);
	tp->snd_ssthresh = ssthresh_segments(connection->decision.ssthresh_bytes, mss_bytes);
}

/* Did the window hold the sender back? (tcp_is_cwnd_limited() of net/tcp.h) */
static bool cwnd_limited(const struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/* What was delivered so far, in 64 bits: the kernel counts segments in 32, and a segment's size may
 * change. */
static __u64 delivered_bytes(const struct tcp_sock *tp, struct onramp_connection *connection)
{
	connection->delivered_bytes +=
		(__u64)(tp->delivered - connection->delivered_segments) * mss_of(tp);
	connection->delivered_segments = tp->delivered;
	return connection->delivered_bytes;
}

/* And what was taken for lost. */
static __u64 lost_bytes(const struct tcp_sock *tp, struct onramp_connection *connection)
{
	connection->lost_bytes += (__u64)(tp->lost - connection->lost_segments) * mss_of(tp);
	connection->lost_segments = tp->lost;
	return connection->lost_bytes;
}

static __u64 srtt_ns(const struct tcp_sock *tp)
{
	return (__u64)tp->srtt_us * 125; /* in eighths of a microsecond */
}

/* Is a decision worth an event? A new phase is; so are a new estimate and slow start that waits or
 * goes on, but eight times in a round trip at most: what changes with each acknowledgement would
 * leave no room in the ring for others. */
static bool is_news(const struct onramp_connection *connection, const struct startup_ack *ack,
		    __u32 phase_before)
{
	const struct startup_decision *decision = &connection->decision;
	bool alternates =
		(decision->phase == STARTUP_PHASE_LINEAR ||
		 decision->phase == STARTUP_PHASE_SLOW_START) &&
		(phase_before == STARTUP_PHASE_LINEAR || phase_before == STARTUP_PHASE_SLOW_START);

	if (config.record || (decision->phase != phase_before && !alternates))
		return true;
	return (decision->phase != connection->told_phase ||
		decision->estimate_bytes_per_s != connection->told_bytes_per_s) &&
	       ack->now_ns - connection->told_ns >=
		       max_u64(ack->srtt_ns / 8, LEAST_NS_BETWEEN_EVENTS);
}

/* The algorithm's word on an acknowledgement. Not static: the verifier walks such a function once,
 * and not once for each way that leads to a call. */
__attribute__((noinline)) int algorithm_ack(struct onramp_connection *connection,
					    const struct startup_ack *ack)
{
	if (connection && ack)
		ALGORITHM(_ack)((ALGORITHM_STATE *)connection->state, ack, &connection->decision);
	return 0;
}

static void conn_startup_ack(struct sock *sk, struct onramp_connection *connection,
			     const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct startup_decision *decision = &connection->decision;
	__u32 mss_bytes = mss_of(tp);
	struct pair_report report = take_pair_report(sk);
	struct startup_ack ack = {
		.now_ns = bpf_ktime_get_ns(),
		.acked_bytes = (__u64)rs->acked_sacked * mss_bytes,
		.delivered_bytes = delivered_bytes(tp, connection),
		.lost_bytes = lost_bytes(tp, connection),
		.inflight_bytes = (__u64)packets_in_flight(tp) * mss_bytes,
		.srtt_ns = srtt_ns(tp),
		.rtt_ns = rs->rtt_us > 0 ? (__u64)rs->rtt_us * 1000 : 0,
		.cwnd_bytes = (__u64)tp->snd_cwnd * mss_bytes,
		.ssthresh_bytes = ssthresh_bytes(tp),
		.pair_interval_ns = report.interval_ns,
		.pair_bytes = report.bytes,
		.mss_bytes = mss_bytes,
		.flags = (cwnd_limited(tp) ? STARTUP_ACK_CWND_LIMITED : 0) |
			 (tp->write_seq == tp->snd_nxt ? STARTUP_ACK_APP_LIMITED : 0) |
			 (conn_startup_retreats(connection) && reduces_cwnd(BPF_CORE_READ_BITFIELD(
								       tp, inet_conn.icsk_ca_state))
				  ? STARTUP_ACK_RECOVERING
				  : 0),
	};
	__u32 phase = decision->phase;
	struct onramp_event *event;

	algorithm_ack(connection, &ack);
	note_exit(connection, ack.now_ns);
	learn(sk, connection);
	if (!is_reserved(connection))
		break_reservation(sk, ack.now_ns);
	apply_decision(sk, connection, mss_bytes);
	if (decision->is_full)
		avoidance_path_is_full(config.avoidance, sk);
	ask_for_pair(sk, connection);

	if (!is_news(connection, &ack, phase))
		return;
	connection->told_ns = ack.now_ns;
	connection->told_bytes_per_s = decision->estimate_bytes_per_s;
	connection->told_phase = decision->phase;
	event = new_event(sk, connection, ONRAMP_EVENT_ACK);
	if (event) {
		event->input.ack = ack;
		bpf_ringbuf_submit(event, 0);
	}
}

static void conn_startup_start(struct sock *sk, struct onramp_connection *connection)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 mss_bytes = mss_of(tp);
	/* A socket that switches to this congestion control when it has sent data keeps its window.
	 */
	__u32 options = tp->data_segs_out ? config.options & ~STARTUP_OPTION_PAPER_INITIAL_WINDOW
					  : config.options;
	struct startup_start start = {
		.now_ns = bpf_ktime_get_ns(),
		.clock = {.measure_ns = config.clock.measure_ns, .event_ns = config.clock.event_ns},
		.cwnd_bytes = (__u64)tp->snd_cwnd * mss_bytes,
		.ssthresh_bytes = ssthresh_bytes(tp),
		.mss_bytes = mss_bytes,
		.options = options,
		.srtt_ns = srtt_ns(tp),
	};
	struct onramp_event *event;

	connection->id = __sync_fetch_and_add(&connections, 1) + 1;
	connection->start_ns = start.now_ns;
	connection->delivered_segments = tp->delivered;
	connection->lost_segments = tp->lost;
	connection->bucket_taken_bytes = tp->bytes_sent;
	start_reservation(sk, connection, &start);
	begin_memory(sk, connection, &start);
	ALGORITHM(_start)((ALGORITHM_STATE *)connection->state, &start, &connection->decision);
	note_exit(connection, start.now_ns);
	learn(sk, connection);
	/* What the window is again when a reservation ends, and after an idle time on a remembered
	 * path. */
	connection->initial_cwnd = tp->snd_cwnd;
	connection->initial_ssthresh = tp->snd_ssthresh;
	apply_decision(sk, connection, mss_bytes);
	if (connection->decision.pacing_bytes_per_s != STARTUP_UNLIMITED)
		apply_pacing(sk, connection);
	else
		connection->initial_cwnd = tp->snd_cwnd;
	ask_for_pair(sk, connection);
	let_pair_leave(sk, connection);
	event = new_event(sk, connection, ONRAMP_EVENT_START);
	if (event) {
		event->input.start = start;
		bpf_ringbuf_submit(event, 0);
	}
}

static __u32 conn_startup_loss(struct sock *sk, struct onramp_connection *connection,
			       __u32 ssthresh)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 mss_bytes = mss_of(tp);
	struct startup_loss loss = {
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
	struct onramp_event *event;

	ALGORITHM(_loss)((ALGORITHM_STATE *)connection->state, &loss, &connection->decision);
	note_exit(connection, loss.now_ns);
	learn(sk, connection);
	if (!is_reserved(connection))
		break_reservation(sk, loss.now_ns);
	ask_for_pair(sk, connection);
	event = new_event(sk, connection, ONRAMP_EVENT_LOSS);
	if (event) {
		event->input.loss = loss;
		bpf_ringbuf_submit(event, 0);
	}
	/* BBR's window is its own from here on. */
	if (conn_startup_retreats(connection) && config.avoidance == ONRAMP_AVOIDANCE_BBR) {
		startup_finish(&connection->decision, startup_loss_exit(&loss));
		note_exit(connection, loss.now_ns);
	}
	return ssthresh_segments(connection->decision.ssthresh_bytes, mss_bytes);
}

SEC("struct_ops")
void BPF_PROG(onramp_init, struct sock *sk)
{
	struct onramp_connection *connection;

	avoidance_init(config.avoidance, sk);
	connection = bpf_sk_storage_get(&onramp_conns, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!connection)
		return; /* out of memory: the avoidance alone */
	conn_startup_start(sk, connection);
	if (config.avoidance == ONRAMP_AVOIDANCE_BBR)
		apply_pacing(sk, connection);
}

SEC("struct_ops")
void BPF_PROG(onramp_release, struct sock *sk)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	struct onramp_pairs *pairs = pairs_of(sk);

	/* The socket may go on with another congestion control. */
	if (connection) {
		release_window(sk, connection);
		if (is_reserved(connection))
			leave_reservation(tcp_sk(sk), connection);
		stop_pacing(sk, connection);
		end_memory(sk, connection);
	}
	release_reservation(sk, connection);
	if (pairs)
		pairs->is_starting = pairs->due = pairs->ack_now = false;
	bpf_sk_storage_delete(&onramp_conns, sk);
}

/* What the kernel does between an acknowledgement and CUBIC's or Reno's cong_avoid. */
static void control(struct sock *sk, __u32 ack, int flag, const struct rate_sample *rs)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	struct tcp_sock *tp = tcp_sk(sk);

	bool was_reserved = connection && is_reserved(connection);

	if (was_reserved)
		conn_startup_ack(sk, connection, rs);
	if (was_reserved && is_reserved(connection)) {
		/* The window is decided. */
	} else if (reduces_cwnd(BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state))) {
		if (connection && conn_startup_retreats(connection) && rs->acked_sacked)
			conn_startup_ack(sk, connection, rs);
		if (connection)
			reduce_cwnd(tp, connection, (int)rs->acked_sacked, rs->losses, flag);
	} else if (may_raise_cwnd(tp, flag)) {
		bool decides = connection && conn_startup_decides(tp, connection);

		if (decides || (connection && conn_startup_spaces(connection)))
			conn_startup_ack(sk, connection, rs);
		if (!decides)
			avoidance_raise(config.avoidance, sk, ack, rs->acked_sacked);
	}
	if (connection) {
		keep_memory(sk, connection);
		apply_pacing(sk, connection);
		let_pair_leave(sk, connection);
	} else {
		update_pacing_rate(sk);
	}
}

/* BBR has seen the acknowledgement: until the start-up is over, the window that it found holds
 * instead of its own. */
static void overrule_bbr(struct sock *sk, __u32 cwnd, const struct rate_sample *rs)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	bool starting = connection && !conn_startup_is_over(connection);

	if (connection)
		keep_memory(sk, connection);
	if (starting) {
		tcp_sk(sk)->snd_cwnd = cwnd;
		if (rs->acked_sacked)
			conn_startup_ack(sk, connection, rs);
	}
	if (connection && (starting || connection->paced_by_us)) {
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

/* Before Linux 6.10 there is neither ack nor flag: progress stands for the acknowledgement of data.
 */
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

SEC("struct_ops")
__u32 BPF_PROG(onramp_ssthresh, struct sock *sk)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	__u32 ssthresh;

	if (connection)
		release_window(sk, connection);
	ssthresh = avoidance_ssthresh(config.avoidance, sk);
	if (connection && connection->decision.phase != STARTUP_PHASE_DONE)
		return conn_startup_loss(sk, connection, ssthresh);
	return ssthresh;
}

SEC("struct_ops")
void BPF_PROG(onramp_set_state, struct sock *sk, __u8 new_state)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	struct tcp_sock *tp = tcp_sk(sk);

	if (connection && config.avoidance != ONRAMP_AVOIDANCE_BBR)
		follow_reduction(tp, connection,
				 BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state), new_state);
	avoidance_set_state(config.avoidance, sk, new_state);
}

SEC("struct_ops")
void BPF_PROG(onramp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct onramp_connection *connection;

	if (event == CA_EVENT_TX_START && config.avoidance != ONRAMP_AVOIDANCE_BBR &&
	    was_idle(tcp_sk(sk))) {
		connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
		if (connection && !is_reserved(connection)) {
			release_window(sk, connection);
			restart_after_idle(tcp_sk(sk), connection->initial_cwnd);
		}
	}
	avoidance_cwnd_event(config.avoidance, sk, event);
}

#ifdef ONRAMP_SENDS_PAIRS
/* The first of the calls for an acknowledgement, and there is one for each segment that carries an
 * option. */
SEC("struct_ops")
void BPF_PROG(onramp_in_ack, struct sock *sk, __u32 flags)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	struct onramp_pairs *pairs = pairs_of(sk);
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;

	if (connection)
		release_window(sk, connection);
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

/* Segments in a packet, at least: one where a pair is about to leave, what a token bucket has,
 * otherwise what the kernel would say. */
SEC("struct_ops")
__u32 BPF_PROG(onramp_min_tso_segs, struct sock *sk)
{
	struct onramp_connection *connection = bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
	struct onramp_pairs *pairs = pairs_of(sk);
	__u32 segments =
		connection && is_reserved(connection) ? bucket_segments(sk, connection) : 0;

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

/* One of them is loaded: that of the avoidance, with the cong_control that the kernel has. What an
 * avoidance does not implement is left to the kernel, since each member is a call: min_tso_segs for
 * every packet that is sent, pkts_acked for every acknowledgement. */
#define CONGESTION_CONTROL(map, control_program, ...)                                              \
	SEC(".struct_ops.link")                                                                    \
	struct tcp_congestion_ops map = {.name = QUOTE(ONRAMP_CONGESTION_CONTROL),                 \
					 .init = (void *)onramp_init,                              \
					 .release = (void *)onramp_release,                        \
					 .ssthresh = (void *)onramp_ssthresh,                      \
					 .cong_control = (void *)control_program,                  \
					 .set_state = (void *)onramp_set_state,                    \
					 .cwnd_event = (void *)onramp_cwnd_event,                  \
					 .undo_cwnd = (void *)onramp_undo_cwnd,                    \
					 __VA_ARGS__}
#ifdef ONRAMP_SENDS_PAIRS
#define PAIR_ACK .in_ack_event = (void *)onramp_in_ack,
#else
#define PAIR_ACK
#endif
#if defined(ONRAMP_SENDS_PAIRS) || defined(ONRAMP_RESERVES)
#define OWN_MEMBERS PAIR_ACK.min_tso_segs = (void *)onramp_min_tso_segs,
#else
#define OWN_MEMBERS
#endif
#define CUBIC_MEMBERS OWN_MEMBERS.pkts_acked = (void *)onramp_acked
#define BBR_MEMBERS                                                                                \
	PAIR_ACK.min_tso_segs = (void *)onramp_min_tso_segs,                                       \
	.sndbuf_expand = (void *)onramp_sndbuf_expand
#define RENO_MEMBERS OWN_MEMBERS

CONGESTION_CONTROL(onramp_cubic, onramp_control, CUBIC_MEMBERS);
CONGESTION_CONTROL(onramp_cubic_v1, onramp_control_v1, CUBIC_MEMBERS);
CONGESTION_CONTROL(onramp_bbr, onramp_control, BBR_MEMBERS);
CONGESTION_CONTROL(onramp_bbr_v1, onramp_control_v1, BBR_MEMBERS);
CONGESTION_CONTROL(onramp_reno, onramp_control, RENO_MEMBERS);
CONGESTION_CONTROL(onramp_reno_v1, onramp_control_v1, RENO_MEMBERS);
