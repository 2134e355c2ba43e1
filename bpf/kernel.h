/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members of the kernel's types that Onramp's programs read and write. The loader finds each
 * member by its name (CO-RE: compile once, run everywhere). Order and neighbours therefore do not
 * matter here, and one build serves every kernel.
 */
#ifndef ONRAMP_KERNEL_H
#define ONRAMP_KERNEL_H

#include "uapi.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct netns_ipv4 {
	__u8 sysctl_tcp_min_tso_segs;
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

typedef struct {
	__u32 val;
} kuid_t;

struct kernfs_node {
	const char *name;
	__u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[];
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct sock {
	struct sock_common __sk_common;
	kuid_t sk_uid;
	struct sock_cgroup_data sk_cgrp_data;
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	__u8 sk_pacing_shift;
};

struct inet_sock {
	struct sock sk;
};

/* The kernel's type of this name; the one below is the value of a struct_ops map. */
struct tcp_congestion_ops___kernel {
	char name[16];
};

/* ICSK_CA_PRIV_SIZE in 64-bit words (net/inet_connection_sock.h) */
#define CA_PRIVATE_WORDS 13

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops___kernel *icsk_ca_ops;
	__u8 icsk_ca_state : 5;
	__u8 icsk_ca_setsockopt : 1; /* the application chose the congestion control */
	__u8 icsk_ca_dst_locked : 1; /* its route chose it: `congctl lock` */
	__u8 icsk_pending;
	struct {
		__u8 pending;
	} icsk_ack;
	__u64 icsk_ca_priv[CA_PRIVATE_WORDS]; /* the congestion control's own state */
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u8 bpf_sock_ops_cb_flags;
	__u64 bytes_acked;
	__u64 bytes_sent;     /* with retransmissions */
	__u8 chrono_type : 2; /* enum tcp_chrono: what the time is spent with now; 0: idle */
	__u32 chrono_start;   /* jiffies since when */
	__u32 chrono_stat[3]; /* jiffies spent so far: busy, and the two ways to be held up */
	__u32 data_segs_out;
	__u32 delivered;
	__u32 delivered_ce;     /* of those, with a mark of congestion (ECN) */
	__u64 delivered_mstamp; /* when the latest of them was delivered, in microseconds */
	__u32 high_seq;         /* snd_nxt when the recovery began */
	__u8 is_cwnd_limited : 1;
	__u32 lost; /* segments marked lost in total, a segment each time that it is marked */
	__u32 lost_out;
	__u32 max_packets_out;
	__u32 max_window; /* the maximum window that the receiver has offered */
	__u32 mss_cache;
	__u32 packets_out;
	__u8 rate_app_limited : 1; /* the latest sample of the delivery rate: */
	__u32 rate_delivered;      /* segments */
	__u32 rate_interval_us;
	__u32 retrans_out;
	struct {
		__u32 rcv_tsval;     /* of the newest segment */
		__u16 tstamp_ok : 1; /* both ends send timestamps */
	} rx_opt;
	__u32 sacked_out;
	__u32 snd_cwnd;
	__u32 snd_cwnd_clamp;
	__u32 snd_nxt;
	__u32 snd_ssthresh;
	__u32 snd_una;
	__u32 snd_wnd;
	__u32 srtt_us;         /* eight times the smoothed RTT */
	__u64 tcp_mstamp;      /* the time of the latest packet, in microseconds */
	__u64 tcp_clock_cache; /* the time, when the kernel last read it */
	__u64 tcp_wstamp_ns;   /* the earliest departure of the next paced segment */
	__u32 total_retrans;
	__u32 write_seq;
};

struct ack_sample {
	__s32 rtt_us; /* of the latest segment that was acknowledged; -1: no sample */
};

struct rate_sample {
	long rtt_us; /* likewise */
	__u32 acked_sacked;
};

struct sk_buff {
	/* When the segment arrived, by CLOCK_REALTIME; 0 while no socket of this machine asks
	 * for receive time stamps. */
	__s64 tstamp;
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

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

#pragma clang attribute pop

enum tcp_ca_event {
	CA_EVENT_TX_START,
};

/* The value of a struct_ops map. The loader matches the members by name. `name` and `flags` are
 * first, because onramp-kernel overwrites them before it loads the object. cong_control takes (sk,
 * rate sample) before Linux 6.10 and (sk, ack, flag, rate sample) since. */
struct tcp_congestion_ops {
	char name[16];
	__u32 flags; /* TCP_CONG_... */
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*cong_control)(struct sock *sk, ...);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*cwnd_event_tx_start)(struct sock *sk);
	void (*in_ack_event)(struct sock *sk, __u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	__u32 (*undo_cwnd)(struct sock *sk);
	__u32 (*sndbuf_expand)(struct sock *sk);
};

/* tcp_congestion_ops.flags: every user and every network namespace may choose it (net/tcp.h) */
#define TCP_CONG_NON_RESTRICTED 1

enum tcp_ca_state {
	TCP_CA_Open = 0,
	TCP_CA_CWR = 2,
	TCP_CA_Recovery = 3,
	TCP_CA_Loss = 4,
};

/* skc_state (net/tcp_states.h) */
#define TCP_SYN_SENT 2
#define TCP_FIN_WAIT1 4
#define TCP_CLOSE 7
#define TCP_LAST_ACK 9
#define TCP_LISTEN 10

/* enum sk_pacing (net/sock.h) */
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1
/* sk_max_pacing_rate of a socket whose application has set no SO_MAX_PACING_RATE */
#define NO_PACING_RATE (~0UL)

/* icsk_ack.pending (net/inet_connection_sock.h) */
#define ICSK_ACK_SCHED 1
#define ICSK_ACK_NOW 16

/* icsk_pending while the handler of the retransmission timer runs (net/ipv4/tcp_timer.c) */
#define ICSK_PENDING_NONE 0

#define TCP_INFINITE_SSTHRESH 0x7fffffff

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

#endif
