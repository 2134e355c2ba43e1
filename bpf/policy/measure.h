/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The measurements of a connection, with one method for both groups: the busy time until 100 kB and
 * until 1 MB are acknowledged, the segments until then, and the RTT.
 *
 * The busy time is the time since the establishment without the times in which the connection had
 * nothing to send and nothing in flight. So pauses of the application and waiting for a next
 * request do not lengthen it. The kernel counts idle times in jiffies (tcp_chrono), hence each is
 * exact to a jiffy, 1 to 4 ms.
 *
 * The connection is observed
 *     once a round trip          RTT_CB, for the first ACK of what was sent since the last one
 *     when a segment leaves      HDR_OPT_LEN_CB, only in a round trip that reaches a measured size
 *     when its state changes     STATE_CB
 * A measured size lies between two observations, and its time is interpolated. The next RTT_CB
 * follows when what is in flight now is acknowledged, so each RTT_CB knows whether its round trip
 * reaches a measured size. In that round each ACK releases a segment as long as there is data to
 * send, so the observations are an ACK apart. After the last segment the time is interpolated
 * within the last round trip.
 *
 * A connection that needs many round trips for a measured size exchanges small messages, and no
 * start-up changes its times. Its measurement ends, so that it does not pay for one for ever.
 */
#ifndef ONRAMP_POLICY_MEASURE_H
#define ONRAMP_POLICY_MEASURE_H

#include "busy_time.h"
#include "intf.h"
#include "kernel.h"
#include "math.h"
#include "policy/flags.h"
#include "policy/groups.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* The measured sizes, in bytes */
#define FIRST_SIZE 100000
#define SECOND_SIZE 1000000

/* Round trips within which a connection has to reach a measured size: 100 kB are 69 segments, so
 * one that takes longer sends less than two segments a round trip */
#define FIRST_ROUNDS 48
#define SECOND_ROUNDS 256

/* The busy time since the latest observation, in microseconds. A jiffy without work may be none. If
 * the connection was idle, what was in flight took a round trip before. */
static inline __u64 busy_us(const struct tcp_sock *tp, const struct onramp_tag *tag, __u64 now_ns,
			    __u32 now_ticks, __u32 now_busy_ticks)
{
	__u64 elapsed_us = (now_ns - tag->seen_ns) / 1000, us;
	__u32 ticks = now_ticks - tag->seen_ticks;
	__u32 busy = now_busy_ticks - tag->seen_busy_ticks;

	if (busy + 1 >= ticks)
		return elapsed_us;
	us = max_u64(elapsed_us * busy / ticks, tp->srtt_us >> 3);
	return min_u64(us, elapsed_us);
}

/* Note that the observation is now. */
static inline void note_time(const struct tcp_sock *tp, struct onramp_tag *tag)
{
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 now_ticks = (__u32)bpf_jiffies64();
	__u32 now_busy_ticks = busy_ticks(tp, now_ticks);

	if (tag->seen_ns)
		tag->seen_us += busy_us(tp, tag, now_ns, now_ticks, now_busy_ticks);
	tag->seen_ns = now_ns;
	tag->seen_ticks = now_ticks;
	tag->seen_busy_ticks = now_busy_ticks;
}

static inline __u64 size_to_reach(const struct onramp_tag *tag)
{
	return tag->reached ? SECOND_SIZE : FIRST_SIZE;
}

/* The busy time at which a size was reached, between the observation of `from_us` and `from_bytes`
 * and the present one */
static inline __u64 time_of(const struct onramp_tag *tag, __u64 size, __u64 from_us,
			    __u64 from_bytes)
{
	if (size <= from_bytes || tag->seen_bytes <= from_bytes)
		return tag->seen_us;
	return from_us +
	       (tag->seen_us - from_us) * (size - from_bytes) / (tag->seen_bytes - from_bytes);
}

static inline bool is_measured(const struct onramp_tag *tag)
{
	return !tag->is_ended && tag->reached < ONRAMP_MEASURED_SIZES;
}

/* Observe how much is acknowledged now. */
static inline void observe(const struct tcp_sock *tp, struct onramp_tag *tag,
			   struct onramp_group_counts *group)
{
	__u64 bytes = tp->bytes_acked - tag->start_acked_bytes;
	__u64 from_us = tag->seen_us, from_bytes = tag->seen_bytes;

	if (!is_measured(tag) || bytes == from_bytes)
		return;
	note_time(tp, tag);
	tag->seen_bytes = bytes;
	if (bytes >= FIRST_SIZE && tag->reached == 0) {
		add_time(&group->time_to_size[0], time_of(tag, FIRST_SIZE, from_us, from_bytes));
		tag->reached = 1;
	}
	if (bytes >= SECOND_SIZE && tag->reached == 1) {
		add_time(&group->time_to_size[1], time_of(tag, SECOND_SIZE, from_us, from_bytes));
		tag->reached = 2;
	}
}

/* The measurement of the connection ends: with its first megabyte, or with the connection. */
static inline void end_measurement(const struct tcp_sock *tp, struct onramp_tag *tag,
				   struct onramp_group_counts *group)
{
	if (tag->is_ended)
		return;
	tag->is_ended = 1;
	add_segments(&group->segments, tp->data_segs_out - tag->start_sent_segments,
		     tp->total_retrans - tag->start_retransmitted_segments);
	if (tp->srtt_us)
		add_time(&group->smoothed_rtt, tp->srtt_us >> 3);
}

/* A round trip begins. Has the connection had enough of them to reach the next size? */
static inline bool exchanges_small_messages(struct onramp_tag *tag)
{
	tag->rounds++;
	return tag->rounds > (tag->reached ? SECOND_ROUNDS : FIRST_ROUNDS);
}

/* Observe each segment that leaves if this round reaches a measured size. */
static inline void begin_round(struct bpf_sock_ops *ctx, const struct tcp_sock *tp,
			       const struct onramp_tag *tag)
{
	__u32 in_flight = tp->snd_nxt - tp->snd_una;

	if (tag->seen_bytes + in_flight + tp->mss_cache >= size_to_reach(tag))
		set_flags(ctx, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG, 0);
	else
		set_flags(ctx, 0, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
}

#endif
