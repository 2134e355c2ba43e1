/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libbpf's header of this name, for the native tests: the helpers that the programs call, answered
 * by a kernel that the tests control (kernel.h of this folder's parent says what the types are).
 *
 * Maps are declared as for BPF. The helpers are macros here, because only the type of a map has the
 * sizes of its keys and values.
 */
#ifndef ONRAMP_NATIVE_HELPERS_H
#define ONRAMP_NATIVE_HELPERS_H

#include "uapi.h"

#include <stddef.h>

#define SEC(name)
#define __ksym
#define __weak
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name

struct tcp_sock;
struct bpf_sock_ops;

/* A map: its address, its type and the sizes of its keys and values */
struct native_map {
	const void *map;
	size_t type;
	size_t key_bytes;
	size_t value_bytes;
};

#define NATIVE_MAP(map)                                                                            \
	((struct native_map){(map), sizeof(*(map)->type) / sizeof(int), sizeof(*(map)->key),       \
			     sizeof(*(map)->value)})

void *native_lookup(struct native_map map, const void *key);
long native_update(struct native_map map, const void *key, const void *value, uint64_t flags);
long native_delete(struct native_map map, const void *key);
void *native_storage(struct native_map map, const void *socket, uint64_t flags);
void *native_reserve(size_t ring_bytes, size_t bytes);
long native_setsockopt(void *socket, int option, const void *value, int bytes);

#define bpf_map_lookup_elem(map, key) native_lookup(NATIVE_MAP(map), key)
#define bpf_map_update_elem(map, key, value, flags)                                                \
	native_update(NATIVE_MAP(map), key, value, flags)
#define bpf_map_delete_elem(map, key) native_delete(NATIVE_MAP(map), key)
#define bpf_sk_storage_get(map, sk, value, flags) native_storage(NATIVE_MAP(map), sk, flags)
#define bpf_sk_storage_delete(map, sk) native_delete(NATIVE_MAP(map), &(const void *){(sk)})
#define bpf_ringbuf_reserve(ring, bytes, flags)                                                    \
	native_reserve(sizeof(*(ring)->max_entries) / sizeof(int), bytes)
#define bpf_ringbuf_submit(record, flags) ((void)(record))

/* Of a socket, or of the connection that a program of sockops is called for */
#define bpf_setsockopt(of, level, option, value, bytes)                                            \
	native_setsockopt(_Generic((of), struct bpf_sock_ops *                                     \
				   : ((struct bpf_sock_ops *)(of))->sk, default                    \
				   : (of)),                                                        \
			  option, value, bytes)

/* The sockets of the native tests have no receive buffer. */
static inline long bpf_getsockopt(void *of, int level, int option, void *value, int bytes)
{
	return -1;
}

uint64_t bpf_ktime_get_ns(void);
uint64_t bpf_ktime_get_boot_ns(void);
uint64_t bpf_jiffies64(void);
uint32_t bpf_get_prandom_u32(void);
struct tcp_sock *bpf_skc_to_tcp_sock(void *socket);
long bpf_sock_ops_cb_flags_set(struct bpf_sock_ops *ctx, int flags);
long bpf_probe_read_kernel_str(void *to, uint32_t bytes, const void *from);

#endif
