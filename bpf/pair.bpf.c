/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The TCP option of packet pairs (core/parts/pair_option.h) on the connections of a cgroup's
 * processes.
 *
 *     SYN       carries `permitted`; the SYN-ACK carries it too if the SYN did
 *     probe     when the start-up requests a pair, the next two full segments carry `first` and
 *               `second`; in a train, all full segments that follow carry `second`
 *     meter     when both have arrived, the ACK carries `reply`
 *
 * A connection whose peer does not send `permitted` stops asking for these calls.
 *
 * A segment departs when it is built. It arrives when the kernel takes it from the device; TCP may
 * process it later, when the program that reads holds the socket. The kernel notes the arrival time
 * only while a socket asks for receive time stamps, and crates/onramp-kernel/src/pairs.rs keeps
 * such a socket open. Without a time stamp the arrival time is the time at which TCP processes the
 * segment.
 */
#include "kernel.h"

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "intf.h"
#include "pair/option.h"
#include "pairs_map.h"

char _license[] SEC("license") = "GPL";

/* The calls that a connection with the option asks for */
#define OUR_FLAGS (BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG | BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG)

/* An end that has received this many segments more than it has sent is the receiver of the
 * connection. It sends no pairs soon. */
#define RECEIVER_SEGMENTS 10

const volatile struct onramp_pair_config pair_config SEC(".rodata.pair");

/* Since Linux 6.2 */
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym __weak;

/* Is the connection in one of the configured network namespaces? */
static bool is_wanted(struct bpf_sock_ops *ctx)
{
	uint64_t cookie;

	if (!pair_config.namespaces[0])
		return true;
	cookie = bpf_get_netns_cookie(ctx);
	return cookie == pair_config.namespaces[0] || cookie == pair_config.namespaces[1];
}

static struct onramp_pairs *pairs_of(struct bpf_sock_ops *ctx, __u64 flags)
{
	struct bpf_sock *sk = ctx->sk;

	return sk ? bpf_sk_storage_get(&onramp_pairs, sk, 0, flags) : NULL;
}

static void set_flags(struct bpf_sock_ops *ctx, __u32 set, __u32 clear)
{
	__u32 flags = (ctx->bpf_sock_ops_cb_flags | set) & ~clear;

	if (flags != ctx->bpf_sock_ops_cb_flags)
		bpf_sock_ops_cb_flags_set(ctx, (int)flags);
}

/* The connection is established. Does the peer, which sent this SYN or SYN-ACK, support the option?
 */
static void negotiated(struct bpf_sock_ops *ctx, __u64 flags)
{
	struct onramp_pairs *pairs = NULL;

	if (has_permitted(ctx, flags))
		pairs = pairs_of(ctx, BPF_SK_STORAGE_GET_F_CREATE);
	if (!pairs) {
		set_flags(ctx, 0, OUR_FLAGS);
		return;
	}
	set_flags(ctx, OUR_FLAGS, 0);
}

/* Will this end write an option soon? */
static bool wants_to_write(struct bpf_sock_ops *ctx, const struct onramp_pairs *pairs)
{
	if (pairs->has_reply || pairs->probe.is_open)
		return true;
	return (pairs->request || pairs->startup_is_active) &&
	       ctx->data_segs_in <= ctx->data_segs_out + RECEIVER_SEGMENTS;
}

/* Does the segment have the size of a marked one? Segmentation offload copies the option to each
 * piece of a larger packet. In a train this is correct for all segments after the first. */
static bool is_full_segment(struct bpf_sock_ops *ctx, const struct onramp_pairs *pairs,
			    __u32 payload_bytes)
{
	__u32 full_bytes = ctx->mss_cache - MARK_ROOM_BYTES;

	if (pairs->request == STARTUP_PAIR_TRAIN && pairs->probe.is_open)
		return payload_bytes && full_bytes && payload_bytes % full_bytes == 0;
	return payload_bytes == full_bytes;
}

/* The kernel is about to write options: reserve room for ours. */
static void reserve(struct bpf_sock_ops *ctx)
{
	__u32 flags = ctx->skb_tcp_flags;
	struct onramp_pairs *pairs;

	if (ctx->args[0] != BPF_WRITE_HDR_TCP_CURRENT_MSS && flags & TCP_FLAG_SYN) {
		/* A middlebox may drop a SYN with an unknown option: the second SYN has none. */
		if (!(flags & TCP_FLAG_ACK) && ctx->total_retrans)
			return;
		/* With SYN cookies there is no state, so the SYN's option would be forgotten. */
		if (flags & TCP_FLAG_ACK && (ctx->args[0] == BPF_WRITE_HDR_TCP_SYNACK_COOKIE ||
					     !has_permitted(ctx, BPF_LOAD_HDR_OPT_TCP_SYN)))
			return;
		bpf_reserve_hdr_opt(ctx, PERMITTED_BYTES, 0);
		return;
	}
	pairs = pairs_of(ctx, 0);
	if (!pairs) /* between the SYN and the SYN-ACK */
		return;
	if (ctx->args[0] == BPF_WRITE_HDR_TCP_CURRENT_MSS) {
		if (pairs->request || pairs->probe.is_open)
			bpf_reserve_hdr_opt(ctx, PERMITTED_BYTES, 0);
	} else if (pairs->has_reply && ctx->skb_len + REPLY_ROOM_BYTES <= ctx->mss_cache) {
		/* If SACK blocks leave no room, drop the reply: the next ACK would be too late. */
		if (bpf_reserve_hdr_opt(ctx, PAIR_OPTION_MAX_BYTES, 0))
			pairs->has_reply = false;
	} else if ((pairs->request || pairs->probe.is_open) &&
		   is_full_segment(ctx, pairs, ctx->skb_len)) {
		bpf_reserve_hdr_opt(ctx, PERMITTED_BYTES, 0);
	} else if (!wants_to_write(ctx, pairs)) {
		set_flags(ctx, 0, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
	}
}

/* A full segment departs with room for a mark. */
static void mark(struct bpf_sock_ops *ctx, struct onramp_pairs *pairs, __u32 seq,
		 __u32 payload_bytes)
{
	struct pair_option option;
	__u32 end = seq + payload_bytes;
	__u64 now_ns = bpf_ktime_get_ns();

	if (seq != ctx->snd_nxt)
		return; /* a retransmission */
	if (pairs->probe.is_open) {
		bool is_train = pairs->request == STARTUP_PAIR_TRAIN;

		if (pair_probe_send_second(&pairs->probe, &pairs->counts, now_ns, seq, end,
					   is_train, &option)) {
			if (!is_train)
				pairs->request = STARTUP_PAIR_NONE;
			store_option(ctx, &option);
		}
	} else if (pairs->request) {
		pair_probe_send_first(&pairs->probe, now_ns, end, &option);
		store_option(ctx, &option);
	}
}

/* The kernel writes options, and reserve() has reserved room. */
static void write(struct bpf_sock_ops *ctx)
{
	struct pair_option permitted = {.type = PAIR_OPTION_PERMITTED};
	struct tcphdr *th = ctx->skb_data;
	struct onramp_pairs *pairs;
	__u32 payload_bytes;

	if ((void *)(th + 1) > ctx->skb_data_end)
		return;
	if (th->flags & TCP_FLAG_SYN) {
		store_option(ctx, &permitted);
		return;
	}
	pairs = pairs_of(ctx, 0);
	if (!pairs)
		return;
	payload_bytes = ctx->skb_len - (th->offset >> 4) * 4;
	if (pairs->has_reply && payload_bytes + REPLY_ROOM_BYTES <= ctx->mss_cache) {
		pairs->has_reply = false;
		store_option(ctx, &pairs->reply);
	} else if (is_full_segment(ctx, pairs, payload_bytes)) {
		mark(ctx, pairs, bpf_ntohl(th->seq), payload_bytes);
	}
}

/* When the segment arrived, by the kernel's receive time stamp or else by this program's clock */
static __u64 arrival_ns(struct bpf_sock_ops *ctx, bool *has_timestamp)
{
	__s64 timestamp_ns = 0;

	if (bpf_ksym_exists(bpf_cast_to_kern_ctx)) {
		struct bpf_sock_ops_kern *kernel_ctx = bpf_cast_to_kern_ctx(ctx);

		timestamp_ns = kernel_ctx->skb->tstamp;
	}
	*has_timestamp = timestamp_ns > 0;
	return *has_timestamp ? (__u64)timestamp_ns : bpf_ktime_get_ns();
}

/* A segment with the mark `first` or `second` arrived. */
static void measure(struct bpf_sock_ops *ctx, struct onramp_pairs *pairs,
		    const struct pair_option *option, __u32 seq, __u32 end)
{
	bool has_timestamp;
	__u64 now_ns = arrival_ns(ctx, &has_timestamp);

	/* has_arrivals: the last arrival had a kernel time stamp. An interval between a time stamp
	 * of the kernel and a time at which TCP processed a segment is meaningless. */
	if (option->type == PAIR_OPTION_SECOND && has_timestamp != pairs->has_arrivals)
		pairs->meter.is_waiting = false;
	pairs->has_arrivals = has_timestamp;
	if (!pair_meter_arrived(&pairs->meter, &pairs->counts, option, now_ns, seq, end,
				&pairs->reply))
		return;
	pairs->measured_ns = pairs->reply.interval_ns;
	pairs->has_reply = true;
	pairs->ack_now = true;
	set_flags(ctx, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG, 0);
}

/* An ACK with `reply` arrived. */
static void take_reply(struct bpf_sock_ops *ctx, struct onramp_pairs *pairs,
		       const struct pair_option *option, __u32 ack)
{
	struct pair_report report;

	if ((__s32)(ctx->snd_nxt - ack) < 0) {
		pairs->counts.ignored++; /* it acknowledges data that was not sent */
		return;
	}
	report = pair_probe_replied(&pairs->probe, &pairs->counts, option, bpf_ktime_get_ns(), ack);
	if (report.interval_ns) {
		pairs->report = report;
		pairs->reported_ns = report.interval_ns;
	}
}

/* A segment arrived with an option that the kernel does not know. */
static void parse(struct bpf_sock_ops *ctx)
{
	struct onramp_pairs *pairs = pairs_of(ctx, 0);
	struct tcphdr *th = ctx->skb_data;
	enum pair_option_reading reading;
	struct pair_option option;
	__u32 seq, end;

	if (!pairs || (void *)(th + 1) > ctx->skb_data_end)
		return;
	reading = load_option(ctx, &option, 0);
	if (reading == PAIR_OPTION_MALFORMED)
		pairs->counts.malformed++;
	if (reading != PAIR_OPTION_READ)
		return;
	seq = bpf_ntohl(th->seq);
	end = seq + ctx->skb_len - (th->offset >> 4) * 4;
	if (option.type == PAIR_OPTION_REPLY)
		take_reply(ctx, pairs, &option, bpf_ntohl(th->ack_seq));
	else
		measure(ctx, pairs, &option, seq, end);
}

SEC("sockops")
int onramp_pair(struct bpf_sock_ops *ctx)
{
	int one = 1;

	switch (ctx->op) {
	case BPF_SOCK_OPS_TCP_LISTEN_CB:
		if (!is_wanted(ctx))
			break;
		bpf_setsockopt(ctx, IPPROTO_TCP, TCP_SAVE_SYN, &one, sizeof(one));
		set_flags(ctx, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG, 0);
		break;
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
		if (is_wanted(ctx))
			set_flags(ctx, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG, 0);
		break;
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
		if (is_wanted(ctx))
			negotiated(ctx, 0);
		break;
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		if (is_wanted(ctx))
			negotiated(ctx, BPF_LOAD_HDR_OPT_TCP_SYN);
		break;
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		reserve(ctx);
		break;
	case BPF_SOCK_OPS_WRITE_HDR_OPT_CB:
		write(ctx);
		break;
	case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
		parse(ctx);
		break;
	}
	return 1;
}
