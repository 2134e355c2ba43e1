/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the kernel's types that Onramp's programs touch. Fields are found by name when a
 * program is loaded (CO-RE), so their order and their neighbours do not matter here, and one build
 * serves every kernel.
 */
#ifndef ONRAMP_KERNEL_H
#define ONRAMP_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef unsigned long long __u64;
typedef int8_t __s8;
typedef int16_t __s16;
typedef int32_t __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;

/* Values of the kernel's ABI to BPF programs (linux/bpf.h), as far as they are used. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
};
#define BPF_F_NO_PREALLOC (1U << 0)
#define BPF_F_CLONE (1U << 9)
#define BPF_NOEXIST 1
#define BPF_SK_STORAGE_GET_F_CREATE (1ULL << 0)

#define TCP_SAVE_SYN 27
#define TCP_BPF_SOCK_OPS_CB_FLAGS 1008 /* since Linux 6.12 */
#define EPERM 1
#define ENOENT 2
#define EAGAIN 11
#define ENOMEM 12
#define EFAULT 14
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define ENOPROTOOPT 92
#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define TCP_CONGESTION 13

/* sock_ops events (linux/bpf.h). */
#define BPF_SOCK_OPS_TCP_CONNECT_CB 3
#define BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB 4
#define BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB 5
#define BPF_SOCK_OPS_TCP_LISTEN_CB 11
#define BPF_SOCK_OPS_PARSE_HDR_OPT_CB 13
#define BPF_SOCK_OPS_HDR_OPT_LEN_CB 14
#define BPF_SOCK_OPS_WRITE_HDR_OPT_CB 15

/* Which of them a socket wants. */
#define BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG (1 << 5)
#define BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG (1 << 6)

/* args[0] where options are written: for no packet, or for a SYN-ACK that leaves no state behind.
 */
#define BPF_WRITE_HDR_TCP_CURRENT_MSS 1
#define BPF_WRITE_HDR_TCP_SYNACK_COOKIE 2

#define BPF_LOAD_HDR_OPT_TCP_SYN (1ULL << 0)

/* Programs' views, which the verifier translates: the order counts. */
struct bpf_sock {
	__u32 bound_dev_if;
	__u32 family;
	__u32 type;
	__u32 protocol;
	__u32 mark;
	__u32 priority;
	__u32 src_ip4;
	__u32 src_ip6[4];
	__u32 src_port;
	__be16 dst_port;
	__u16 padding;
	__u32 dst_ip4;
	__u32 dst_ip6[4];
	__u32 state;
};

struct bpf_sockopt {
	union {
		struct bpf_sock *sk;
		__u64 sk_room;
	};
	union {
		void *optval;
		__u64 optval_room;
	};
	union {
		void *optval_end;
		__u64 optval_end_room;
	};
	__s32 level;
	__s32 optname;
	volatile __s32 optlen; /* to be written one by one */
	volatile __s32 retval;
};

struct bpf_sock_ops {
	__u32 op;
	__u32 args[4];
	__u32 family;
	__u32 remote_ip4;
	__u32 local_ip4;
	__u32 remote_ip6[4];
	__u32 local_ip6[4];
	__u32 remote_port;
	__u32 local_port;
	__u32 is_fullsock;
	__u32 snd_cwnd;
	__u32 srtt_us;
	__u32 bpf_sock_ops_cb_flags;
	__u32 state;
	__u32 rtt_min;
	__u32 snd_ssthresh;
	__u32 rcv_nxt;
	__u32 snd_nxt;
	__u32 snd_una;
	__u32 mss_cache;
	__u32 ecn_flags;
	__u32 rate_delivered;
	__u32 rate_interval_us;
	__u32 packets_out;
	__u32 retrans_out;
	__u32 total_retrans;
	__u32 segs_in;
	__u32 data_segs_in;
	__u32 segs_out;
	__u32 data_segs_out;
	__u32 lost_out;
	__u32 sacked_out;
	__u32 sk_txhash;
	__u64 bytes_received;
	__u64 bytes_acked;
	struct bpf_sock *sk;
	void *skb_data;
	void *skb_data_end;
	__u32 skb_len;
	__u32 skb_tcp_flags;
	__u64 skb_hwtstamp;
};

/* A TCP header as it is on the wire. */
struct tcphdr {
	__be16 source;
	__be16 dest;
	__be32 seq;
	__be32 ack_seq;
	__u8 offset; /* of the data, in words, in the upper four bits */
	__u8 flags;
	__be16 window;
	__be16 check;
	__be16 urg_ptr;
};

#define TCP_FLAG_SYN 0x02
#define TCP_FLAG_ACK 0x10

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct netns_ipv4 {
	__u8 sysctl_tcp_min_tso_segs;
	int sysctl_tcp_reordering;
	__u8 sysctl_tcp_slow_start_after_idle;
	int sysctl_tcp_pacing_ss_ratio;
	int sysctl_tcp_pacing_ca_ratio;
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
	__u64 net_cookie;
	struct netns_ipv4 ipv4;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	__u8 sk_pacing_shift;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u32 icsk_rto; /* in jiffies */
	__u8 icsk_ca_state : 5;
	__u8 icsk_pending;
	struct {
		__u8 pending;
	} icsk_ack;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u8 bpf_sock_ops_cb_flags;
	__u64 bytes_acked;
	__u64 bytes_sent; /* what was sent again each time */
	__u32 data_segs_out;
	__u32 delivered;
	__u8 is_cwnd_limited : 1;
	__u32 lost; /* segments taken for lost in total, what was sent again each time */
	__u32 lost_out;
	__u32 lsndtime; /* jiffies when data was last sent */
	__u32 max_packets_out;
	__u32 mss_cache;
	__u32 packets_out;
	__u32 prior_cwnd;
	__u32 prr_out;
	__u32 reordering;
	__u32 retrans_out;
	__u32 sacked_out;
	__u32 snd_cwnd;
	__u32 snd_cwnd_clamp;
	__u32 snd_nxt;
	__u32 snd_ssthresh;
	__u32 snd_una;
	__u32 snd_wnd;
	__u32 srtt_us;         /* eight times the smoothed RTT */
	__u64 tcp_clock_cache; /* now, as it was last looked at */
	__u64 tcp_wstamp_ns;   /* when the next paced segment may leave */
	__u32 total_retrans;
	__u32 undo_marker;
	__u32 write_seq;
};

struct ack_sample {
	__u32 pkts_acked;
};

struct rate_sample {
	long rtt_us; /* of the latest segment that was acknowledged; -1 without */
	int losses;
	__u32 acked_sacked;
};

struct sk_buff {
	__s64 tstamp; /* of a segment that arrived: CLOCK_REALTIME, 0 while nobody on this machine
			 asks for it */
};

struct bpf_sock_ops_kern {
	struct sk_buff *skb;
};

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	struct sock *sk;
	void *value;
};

#pragma clang attribute pop

enum tcp_ca_event {
	CA_EVENT_TX_START,
};

/* The value of a struct_ops map: members are matched by name, so the one that is changed before
 * loading is first. cong_control takes (sk, rate sample) before Linux 6.10, and (sk, ack, flag,
 * rate sample) since. */
struct tcp_congestion_ops {
	char name[16];
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_control)(struct sock *sk, ...);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, __u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	__u32 (*undo_cwnd)(struct sock *sk);
	__u32 (*sndbuf_expand)(struct sock *sk);
};

enum tcp_ca_state {
	TCP_CA_Open = 0,
	TCP_CA_Disorder = 1,
	TCP_CA_CWR = 2,
	TCP_CA_Recovery = 3,
	TCP_CA_Loss = 4,
};

/* skc_state (net/tcp_states.h) */
#define TCP_SYN_SENT 2
#define TCP_CLOSE 7
#define TCP_LISTEN 10

/* enum sk_pacing (net/sock.h) */
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1
/* sk_max_pacing_rate where the application has set none */
#define NO_PACING_RATE (~0UL)

/* icsk_ack.pending (net/inet_connection_sock.h) */
#define ICSK_ACK_SCHED 1
#define ICSK_ACK_NOW 16

/* icsk_pending while the retransmission timer's own handler runs (net/ipv4/tcp_timer.c) */
#define ICSK_PENDING_NONE 0

#define TCP_INFINITE_SSTHRESH 0x7fffffff

/* The kernel's flags of an acknowledgement (net/ipv4/tcp_input.c). */
#define FLAG_DATA_ACKED 0x04
#define FLAG_SYN_ACKED 0x10
#define FLAG_DATA_SACKED 0x20
#define FLAG_SND_UNA_ADVANCED 0x400
#define FLAG_ACKED (FLAG_DATA_ACKED | FLAG_SYN_ACKED)
#define FLAG_FORWARD_PROGRESS (FLAG_ACKED | FLAG_DATA_SACKED)

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

#endif
