/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel of the native tests: a clock that stands still until a test moves it, maps, sockets
 * and the congestion controls `cubic`, `reno` and ours. Each thread has a kernel of its own, so
 * tests share nothing.
 */
#ifndef ONRAMP_NATIVE_MACHINE_H
#define ONRAMP_NATIVE_MACHINE_H

#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define JIFFY_NS (4 * MS)
#define MSS 1000
#define INITIAL_CWND 10

/* A socket: struct tcp_sock is first, as in the kernel, so one address is that of all its types. */
struct native_socket {
	struct tcp_sock tp;
	struct net net;
	char control[16];
	uint32_t raised; /* calls of CUBIC's or Reno's cong_avoid */
};

struct native_entry {
	struct native_entry *next;
	const void *map;
	void *key, *value;
};

static _Thread_local struct {
	uint64_t now_ns;
	uint32_t random;
	struct native_entry *entries;
	size_t ring_bytes;
	uint64_t events;
	bool refuses_control; /* setsockopt(TCP_CONGESTION) fails */
	char failure[512];    /* of the test; empty: none */
} machine;

/* The first failure of a test is reported, and the test goes no further. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			native_failed(__FILE__, __LINE__, #condition, 0, 0);                       \
			return;                                                                    \
		}                                                                                  \
	} while (0)

#define CHECK_EQUAL(left, right)                                                                   \
	do {                                                                                       \
		uint64_t left_ = (left), right_ = (right);                                         \
		if (left_ != right_) {                                                             \
			native_failed(__FILE__, __LINE__, #left " == " #right, left_, right_);     \
			return;                                                                    \
		}                                                                                  \
	} while (0)

/* A test. tests/native.rs lists it by its name. */
#define TEST(name) void name(void)

static void native_failed(const char *file, int line, const char *what, uint64_t left,
			  uint64_t right)
{
	if (!machine.failure[0])
		snprintf(machine.failure, sizeof(machine.failure), "%s:%d: %s (%llu, %llu)", file,
			 line, what, (unsigned long long)left, (unsigned long long)right);
}

const char *native_failure(void)
{
	return machine.failure;
}

/* The helpers of BPF */

uint64_t bpf_ktime_get_ns(void)
{
	return machine.now_ns;
}

uint64_t bpf_ktime_get_boot_ns(void)
{
	return machine.now_ns;
}

uint64_t bpf_jiffies64(void)
{
	return machine.now_ns / JIFFY_NS;
}

uint32_t bpf_get_prandom_u32(void)
{
	return machine.random;
}

struct tcp_sock *bpf_skc_to_tcp_sock(void *socket)
{
	return socket;
}

long bpf_sock_ops_cb_flags_set(struct bpf_sock_ops *ctx, int flags)
{
	ctx->bpf_sock_ops_cb_flags = flags;
	return 0;
}

long bpf_probe_read_kernel_str(void *to, uint32_t bytes, const void *from)
{
	snprintf(to, bytes, "%s", (const char *)from);
	return strlen(to) + 1;
}

/* Do the first bits agree? */
static bool agree(const uint8_t *left, const uint8_t *right, uint32_t bits)
{
	uint8_t mask = (uint8_t)(0xff00 >> bits % 8);

	return !memcmp(left, right, bits / 8) &&
	       (!(bits % 8) || !((left[bits / 8] ^ right[bits / 8]) & mask));
}

/* The length of a key's prefix in bits, if it contains the address of the other key; -1: it does
 * not. */
static int64_t prefix_of(const void *key, const void *address)
{
	uint32_t bits = *(const uint32_t *)key;

	return agree((const uint8_t *)key + 4, (const uint8_t *)address + 4, bits) ? (int64_t)bits
										   : -1;
}

static struct native_entry **find(struct native_map map, const void *key)
{
	struct native_entry **found = NULL;
	int64_t longest = -1, length;

	for (struct native_entry **at = &machine.entries; *at; at = &(*at)->next) {
		if ((*at)->map != map.map)
			continue;
		if (map.type == BPF_MAP_TYPE_LPM_TRIE) {
			length = prefix_of((*at)->key, key);
			if (length > longest) {
				longest = length;
				found = at;
			}
		} else if (!memcmp((*at)->key, key, map.key_bytes)) {
			found = at;
		}
	}
	return found;
}

static void *copy_of(const void *from, size_t bytes)
{
	void *copy = calloc(1, bytes);

	if (from)
		memcpy(copy, from, bytes);
	return copy;
}

static void *insert(struct native_map map, const void *key, const void *value)
{
	struct native_entry *entry = calloc(1, sizeof(*entry));

	*entry = (struct native_entry){machine.entries, map.map, copy_of(key, map.key_bytes),
				       copy_of(value, map.value_bytes)};
	machine.entries = entry;
	return entry->value;
}

/* Arrays have all elements from the beginning. There is one processor. */
void *native_lookup(struct native_map map, const void *key)
{
	struct native_entry **found = find(map, key);

	if (!found && (map.type == BPF_MAP_TYPE_ARRAY || map.type == BPF_MAP_TYPE_PERCPU_ARRAY))
		return insert(map, key, NULL);
	return found ? (*found)->value : NULL;
}

long native_update(struct native_map map, const void *key, const void *value, uint64_t flags)
{
	struct native_entry **found = map.type == BPF_MAP_TYPE_LPM_TRIE ? NULL : find(map, key);

	if (found && flags == BPF_NOEXIST)
		return -1;
	if (found)
		memcpy((*found)->value, value, map.value_bytes);
	else
		insert(map, key, value);
	return 0;
}

/* The key of a socket's storage is the address of the socket. */
static struct native_map keyed(struct native_map map)
{
	if (map.type == BPF_MAP_TYPE_SK_STORAGE)
		map.key_bytes = sizeof(void *);
	return map;
}

long native_delete(struct native_map map, const void *key)
{
	struct native_entry **found = find(keyed(map), key), *entry;

	if (!found)
		return -ENOENT;
	entry = *found;
	*found = entry->next;
	free(entry->key);
	free(entry->value);
	free(entry);
	return 0;
}

void *native_storage(struct native_map map, const void *socket, uint64_t flags)
{
	struct native_entry **found = find(keyed(map), &socket);

	if (found)
		return (*found)->value;
	return flags & BPF_SK_STORAGE_GET_F_CREATE ? insert(keyed(map), &socket, NULL) : NULL;
}

/* The ring is never read. Each record has a header of 8 bytes. */
void *native_reserve(size_t ring_bytes, size_t bytes)
{
	if (machine.ring_bytes + bytes + 8 > ring_bytes)
		return NULL;
	machine.ring_bytes += bytes + 8;
	machine.events++;
	return calloc(1, bytes);
}

/* Sockets */

static struct native_socket *native_socket(const void *sk)
{
	return (struct native_socket *)sk;
}

static bool has_control(const void *sk, const char *name)
{
	return !strcmp(native_socket(sk)->control, name);
}

/* A connection over IPv4 that is established and has sent nothing. */
static struct tcp_sock *new_socket(void)
{
	struct native_socket *socket = calloc(1, sizeof(*socket));
	struct tcp_sock *tp = &socket->tp;
	struct sock *sk = &tp->inet_conn.icsk_inet.sk;

	machine.now_ns += MS; /* No time of a connection is 0. */
	strcpy(socket->control, "cubic");
	socket->net.net_cookie = 7;
	sk->__sk_common.skc_net.net = &socket->net;
	sk->__sk_common.skc_family = AF_INET;
	sk->__sk_common.skc_daddr = 0x010200c0;     /* 192.0.2.1 */
	sk->__sk_common.skc_rcv_saddr = 0x020200c0; /* 192.0.2.2 */
	sk->sk_max_pacing_rate = NO_PACING_RATE;
	sk->sk_pacing_shift = 10;
	/* Not as after a retransmission timeout */
	tp->inet_conn.icsk_pending = 1;
	tp->mss_cache = MSS;
	tp->snd_cwnd = INITIAL_CWND;
	tp->snd_cwnd_clamp = UINT32_MAX;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	tp->snd_wnd = 1 << 24;
	return tp;
}

static struct sock *sock_of(struct tcp_sock *tp)
{
	return &tp->inet_conn.icsk_inet.sk;
}

/* New segments leave. There is more to send. */
static void send_segments(struct tcp_sock *tp, uint32_t segments)
{
	tp->snd_nxt += segments * MSS;
	tp->write_seq = tp->snd_nxt + MSS;
	tp->data_segs_out += segments;
	tp->packets_out += segments;
	tp->bytes_sent += segments * MSS;
	tp->max_packets_out = tp->packets_out;
}

static void retransmit_segments(struct tcp_sock *tp, uint32_t segments)
{
	tp->data_segs_out += segments;
	tp->total_retrans += segments;
}

/* What the kernel counts before it calls a congestion control for an ACK */
static void count_acknowledged(struct tcp_sock *tp, uint32_t segments)
{
	tp->delivered += segments;
	tp->packets_out -= segments;
	tp->snd_una += segments * MSS;
	tp->bytes_acked += segments * MSS;
}

#endif
