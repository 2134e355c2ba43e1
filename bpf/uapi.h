/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's ABI to BPF programs, as far as Onramp's programs use it: the values and records of
 * linux/bpf.h, linux/tcp.h and asm/errno.h. They are the same on every kernel. The kernel's own
 * types, which differ from kernel to kernel, are in kernel.h.
 */
#ifndef ONRAMP_UAPI_H
#define ONRAMP_UAPI_H

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

/* What user space chooses before it loads a program, and the verifier then knows. The native tests
 * choose it anew in each test (tests/native/). */
#ifndef READ_ONLY_DATA
#define READ_ONLY_DATA const volatile
#endif

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_LPM_TRIE = 11,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
};
#define BPF_F_NO_PREALLOC (1U << 0)
#define BPF_F_CLONE (1U << 9)
#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_SK_STORAGE_GET_F_CREATE (1ULL << 0)

/* The types of the maps: MAP(HASH, 16, __u32, __u64) name SEC(".maps") */
#define MAP(kind, entries, key_type, value_type)                                                   \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_##kind);                                                 \
		__uint(max_entries, entries);                                                      \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	}

/* Its elements take memory only while they exist */
#define SPARSE_MAP(kind, entries, key_type, value_type)                                            \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_##kind);                                                 \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__uint(max_entries, entries);                                                      \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	}

/* One value for each socket */
#define SOCKET_MAP(value_type, flags)                                                              \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_SK_STORAGE);                                             \
		__uint(map_flags, BPF_F_NO_PREALLOC | (flags));                                    \
		__type(key, int);                                                                  \
		__type(value, value_type);                                                         \
	}

/* Events for user space */
#define RING(bytes)                                                                                \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_RINGBUF);                                                \
		__uint(max_entries, bytes);                                                        \
	}

#define TCP_CONGESTION 13
#define TCP_SAVE_SYN 27
#define TCP_BPF_DELACK_MAX 1003        /* bpf_setsockopt() alone takes it, in microseconds */
#define TCP_BPF_RTO_MIN 1004           /* likewise */
#define TCP_BPF_SOCK_OPS_CB_FLAGS 1008 /* bpf_setsockopt() takes it since Linux 6.12 */
#define EPERM 1
#define ENOENT 2
#define EAGAIN 11
#define ENOMEM 12
#define EFAULT 14
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define ENOPROTOOPT 92
#define ENOTCONN 107
#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6

/* struct bpf_sock_ops, op */
#define BPF_SOCK_OPS_TCP_CONNECT_CB 3
#define BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB 4
#define BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB 5
#define BPF_SOCK_OPS_STATE_CB 10
#define BPF_SOCK_OPS_TCP_LISTEN_CB 11
#define BPF_SOCK_OPS_RTT_CB 12
#define BPF_SOCK_OPS_PARSE_HDR_OPT_CB 13
#define BPF_SOCK_OPS_HDR_OPT_LEN_CB 14
#define BPF_SOCK_OPS_WRITE_HDR_OPT_CB 15

/* struct bpf_sock_ops, bpf_sock_ops_cb_flags: the calls that a socket asks for */
#define BPF_SOCK_OPS_STATE_CB_FLAG (1 << 2)
#define BPF_SOCK_OPS_RTT_CB_FLAG (1 << 3)
#define BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG (1 << 5)
#define BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG (1 << 6)

/* struct bpf_sock_ops, args[0] while options are written: the kernel computes an MSS and has no
 * packet yet, or it answers with a SYN cookie and keeps no state. */
#define BPF_WRITE_HDR_TCP_CURRENT_MSS 1
#define BPF_WRITE_HDR_TCP_SYNACK_COOKIE 2

#define BPF_LOAD_HDR_OPT_TCP_SYN (1ULL << 0)

/* The verifier translates accesses to the following three records by offset, so the order of their
 * members is part of the ABI. */
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
	/* The verifier refuses one store to both of these members, so the compiler must not join
	 * two stores. */
	volatile __s32 optlen;
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

/* A TCP header as it is on the wire */
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

#endif
