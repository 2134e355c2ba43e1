/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Observes the connections of the host for `onramp advise`, and changes nothing: no congestion
 * control is registered, no packet differs. The program is attached to the root cgroup, which
 * encloses all containers, by a link that ends with its process.
 *
 * A connection is seen
 *     when it is established     a record begins, with the socket
 *     once a round trip          RTT_CB, for the first ACK of what was sent since the last one
 *     when its state changes     STATE_CB; at the end the record goes into a ring
 *
 * A transfer begins when its first segment leaves and ends when nothing is in flight. The program
 * is called once a round trip, but the kernel knows more: the RTT sample of an ACK says when its
 * segment left, exact to a microsecond, and delivered_mstamp is the time of the ACK before. If
 * nothing was in flight when a segment left, the kernel sets delivered_mstamp to that time. So a
 * segment that left at delivered_mstamp or later begins a transfer, if the application had written
 * nothing more at the round trip before.
 *
 * The end of the last transfer is exact, because delivered_mstamp is then its last ACK. The end of
 * an earlier one follows from the time since the round trip before in which the connection was not
 * idle. The kernel counts that time in jiffies (tcp_chrono), hence the end is exact to a jiffy or
 * two, 2 to 8 ms.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "busy_time.h"
#include "endpoints.h"
#include "intf.h"

char _license[] SEC("license") = "GPL";

#define OUR_FLAGS (BPF_SOCK_OPS_RTT_CB_FLAG | BPF_SOCK_OPS_STATE_CB_FLAG)

/* Room for the records of some 4000 connections that end between two looks of user space */
#define RING_BYTES (2 << 20)

SOCKET_MAP(struct onramp_observation, 0) onramp_observations SEC(".maps");

RING(RING_BYTES) onramp_ended SEC(".maps");

struct onramp_observed onramp_observed;

static inline void count(uint64_t *counter)
{
	__sync_fetch_and_add(counter, 1);
}

/* Asks for the calls. `onramp serve` ends its own when it has measured enough. */
static inline void ask_for_calls(struct bpf_sock_ops *ctx)
{
	__u32 flags = ctx->bpf_sock_ops_cb_flags;

	if ((flags & OUR_FLAGS) != OUR_FLAGS)
		bpf_sock_ops_cb_flags_set(ctx, (int)(flags | OUR_FLAGS));
}

static inline void on_established(struct bpf_sock_ops *ctx, struct bpf_sock *sk,
				  struct tcp_sock *tp)
{
	struct onramp_observation *seen =
		bpf_sk_storage_get(&onramp_observations, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	count(&onramp_observed.opened);
	if (!seen) {
		count(&onramp_observed.lost);
		return;
	}
	__builtin_memset(seen, 0, sizeof(*seen));
	fill_endpoints((struct sock *)tp, &seen->local, &seen->remote);
	seen->established_us = bpf_ktime_get_ns() / 1000;
	seen->start_acked_bytes = tp->bytes_acked;
	seen->start_sent_segments = tp->data_segs_out;
	seen->start_retransmitted_segments = tp->total_retrans;
	seen->seen_retransmitted_segments = tp->total_retrans;
	seen->handshake_rtt_us = tp->srtt_us >> 3;
	seen->initial_cwnd_segments = tp->snd_cwnd;
	seen->first_window_bytes = tp->snd_wnd;
	seen->is_accepted = ctx->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB;
	ask_for_calls(ctx);
}

/* Payload that is acknowledged. The FIN counts as a byte in tp->bytes_acked. */
static inline __u64 acked_bytes(const struct tcp_sock *tp, const struct onramp_observation *seen)
{
	__u64 bytes = tp->bytes_acked - seen->start_acked_bytes;

	return seen->is_closed && bytes > seen->closed_bytes ? seen->closed_bytes : bytes;
}

/* Payload that the application has written */
static inline __u64 written_bytes(const struct tcp_sock *tp, const struct onramp_observation *seen)
{
	return acked_bytes(tp, seen) + (tp->write_seq - tp->snd_una);
}

/* The latest transfer has ended at this time, with this much acknowledged in all. */
static inline void end_transfer(struct onramp_observation *seen, __u64 end_us, __u64 acked)
{
	__u32 latest = seen->transfer_count - 1;

	seen->is_sending = 0;
	if (latest < ONRAMP_OBSERVED_TRANSFERS) {
		seen->transfers[latest].end_us = end_us;
		seen->transfers[latest].bytes = acked - seen->over_bytes;
	}
	seen->over_bytes = acked;
}

static inline void begin_transfer(struct onramp_observation *seen, __u64 start_us)
{
	__u32 place = seen->transfer_count;

	seen->transfer_count++;
	seen->is_sending = 1;
	seen->is_complete = 0;
	if (place < ONRAMP_OBSERVED_TRANSFERS)
		seen->transfers[place].start_us = start_us;
}

static inline void note_rate(const struct tcp_sock *tp, struct onramp_observation *seen)
{
	__u32 interval_us = tp->rate_interval_us;
	__u64 rate;

	if (!interval_us || BPF_CORE_READ_BITFIELD(tp, rate_app_limited))
		return;
	rate = (__u64)tp->rate_delivered * tp->mss_cache * 1000000 / interval_us;
	if (rate > seen->rate_bytes_per_s)
		seen->rate_bytes_per_s = rate;
}

/* The smoothed RTT has the samples of all ACKs of the round trip before. */
static inline void note_rtt(const struct tcp_sock *tp, struct onramp_observation *seen,
			    __u32 rtt_us)
{
	__u32 smoothed_us = tp->srtt_us >> 3;

	if (!seen->min_rtt_us || rtt_us < seen->min_rtt_us)
		seen->min_rtt_us = rtt_us;
	if (rtt_us < smoothed_us)
		rtt_us = smoothed_us;
	if (rtt_us > seen->max_rtt_us)
		seen->max_rtt_us = rtt_us;
}

static inline void note_losses(const struct tcp_sock *tp, struct onramp_observation *seen)
{
	if (tp->total_retrans == seen->seen_retransmitted_segments)
		return;
	seen->seen_retransmitted_segments = tp->total_retrans;
	if (!seen->loss_rounds++) {
		seen->first_loss_bytes = acked_bytes(tp, seen);
		seen->loss_rtt_us = seen->max_rtt_us;
	}
}

/* When the last ACK before an idle time came: after the round trip before, and before the segment
 * left that is acknowledged now. An idle time of a jiffy may be none. */
static inline __u64 last_ack_us(const struct tcp_sock *tp, const struct onramp_observation *seen,
				__u64 sent_us)
{
	__u32 now_ticks = (__u32)bpf_jiffies64();
	__u32 ticks = now_ticks - seen->round_ticks;
	__u32 busy = busy_ticks(tp, now_ticks) - seen->round_busy_ticks;
	__u64 elapsed_us = tp->tcp_mstamp - seen->round_us;
	__u64 this_us = tp->tcp_mstamp - sent_us, busy_us, end_us;

	if (busy + 1 >= ticks)
		return sent_us;
	busy_us = elapsed_us * busy / ticks;
	if (busy_us <= this_us)
		return seen->round_us;
	end_us = seen->round_us + busy_us - this_us;
	return end_us < sent_us ? end_us : sent_us;
}

static inline void note_time(const struct tcp_sock *tp, struct onramp_observation *seen)
{
	seen->round_us = tp->tcp_mstamp;
	seen->round_ticks = (__u32)bpf_jiffies64();
	seen->round_busy_ticks = busy_ticks(tp, seen->round_ticks);
}

/* The first ACK of a round trip. Linux before 6.10 does not tell the sample, but its average. */
static inline void on_round(struct bpf_sock_ops *ctx, struct tcp_sock *tp,
			    struct onramp_observation *seen)
{
	__u32 rtt_us = ctx->args[0] ? ctx->args[0] : tp->srtt_us >> 3;
	__u64 sent_us = tp->tcp_mstamp - rtt_us, before_us = tp->delivered_mstamp;

	if (seen->is_sending && seen->is_dry && sent_us >= before_us)
		end_transfer(seen, last_ack_us(tp, seen, sent_us), seen->dry_bytes);
	/* An ACK of the FIN alone begins nothing. */
	if (!seen->is_sending && acked_bytes(tp, seen) > seen->over_bytes)
		begin_transfer(seen, sent_us);
	if (!seen->rounds++)
		BPF_CORE_READ_STR_INTO(&seen->congestion_control, tp, inet_conn.icsk_ca_ops, name);
	note_time(tp, seen);
	note_rate(tp, seen);
	note_rtt(tp, seen, rtt_us);
	note_losses(tp, seen);
	if (tp->snd_cwnd > seen->max_cwnd_segments)
		seen->max_cwnd_segments = tp->snd_cwnd;
	if (!seen->is_closed) {
		seen->is_dry = tp->write_seq == tp->snd_nxt;
		seen->dry_bytes = written_bytes(tp, seen);
	}
	ask_for_calls(ctx);
}

/* Jiffies that the connection has spent in this way (tcp_get_info_chrono_stats()) */
static __always_inline __u32 ticks_of(const struct tcp_sock *tp, __u32 type)
{
	__u32 ticks = tp->chrono_stat[type - 1];

	if (BPF_CORE_READ_BITFIELD(tp, chrono_type) == type)
		ticks += (__u32)bpf_jiffies64() - tp->chrono_start;
	return ticks;
}

static inline void on_end(struct tcp_sock *tp, struct onramp_observation *seen)
{
	count(&onramp_observed.ended);
	if (!seen->transfer_count) {
		count(&onramp_observed.idle);
		return;
	}
	note_rate(tp, seen);
	note_losses(tp, seen);
	seen->ended_us = bpf_ktime_get_ns() / 1000;
	seen->sent_segments = tp->data_segs_out - seen->start_sent_segments;
	seen->retransmitted_segments = tp->total_retrans - seen->start_retransmitted_segments;
	seen->marked_segments = tp->delivered_ce;
	seen->mss_bytes = tp->mss_cache;
	seen->max_window_bytes = tp->max_window;
	seen->receiver_limited_ticks = ticks_of(tp, 2);
	seen->buffer_limited_ticks = ticks_of(tp, 3);
	seen->busy_ticks = busy_ticks(tp, (__u32)bpf_jiffies64());
	if (bpf_ringbuf_output(&onramp_ended, seen, sizeof(*seen), 0))
		count(&onramp_observed.lost);
}

/* The state changes. The kernel tells FIN_WAIT1 and LAST_ACK before it queues the FIN. */
static inline void on_state(struct bpf_sock_ops *ctx, struct tcp_sock *tp,
			    struct onramp_observation *seen)
{
	__u32 to = ctx->args[1];

	if (to == TCP_FIN_WAIT1 || to == TCP_LAST_ACK) {
		seen->closed_bytes = written_bytes(tp, seen);
		seen->is_closed = 1;
	}
	if (seen->is_sending && tp->snd_una == tp->write_seq) {
		seen->is_complete = 1;
		end_transfer(seen, tp->delivered_mstamp, acked_bytes(tp, seen));
	}
	if (to == TCP_CLOSE)
		on_end(tp, seen);
}

SEC("sockops")
int onramp_observe(struct bpf_sock_ops *ctx)
{
	struct onramp_observation *seen;
	struct bpf_sock *sk = ctx->sk;
	struct tcp_sock *tp;

	if (!sk)
		return 1;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 1;
	if (ctx->op == BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB ||
	    ctx->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) {
		on_established(ctx, sk, tp);
		return 1;
	}
	seen = bpf_sk_storage_get(&onramp_observations, sk, 0, 0);
	if (!seen)
		return 1; /* Another program has asked for the calls. */
	if (ctx->op == BPF_SOCK_OPS_RTT_CB)
		on_round(ctx, tp, seen);
	else if (ctx->op == BPF_SOCK_OPS_STATE_CB)
		on_state(ctx, tp, seen);
	return 1;
}
