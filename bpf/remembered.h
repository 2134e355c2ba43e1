/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a start-up remembers of paths: core/parts/path_memory.h, kept in a map of its own.
 * ONRAMP_REMEMBERS: it uses that; for the others this is nothing, and costs nothing. Without a
 * Lifetime nothing is remembered, and there is no map.
 *
 * The map makes room for new paths by giving up those that were asked for the longest time ago,
 * also while a connection has them. An entry may then be another path's at the moment in which it
 * is written to: that is a matter of nanoseconds, and of a map that is full.
 */
#ifndef ONRAMP_REMEMBERED_H
#define ONRAMP_REMEMBERED_H

#include "kernel.h"
#include "shared.h"

#ifdef ONRAMP_REMEMBERS

#include "endpoints.h"
#include "parts/path_memory.h"

#include <bpf/bpf_helpers.h>

#define MOST_PATHS 4096

extern const volatile struct onramp_config config;

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MOST_PATHS);
	__type(key, struct onramp_path);
	__type(value, struct onramp_remembered);
} onramp_memory SEC(".maps");

/* Whole, since the map compares every byte. */
static inline void fill_path(const struct sock *sk, struct onramp_path *path)
{
	struct onramp_endpoint local = {}, remote = {};

	fill_endpoints(sk, &local, &remote);
	__builtin_memset(path, 0, sizeof(*path));
	path->network_namespace = sk->__sk_common.skc_net.net->net_cookie;
	if (local.family == AF_INET) {
		path->local[10] = path->local[11] = path->remote[10] = path->remote[11] = 0xff;
		__builtin_memcpy(path->local + 12, local.address, 4);
		__builtin_memcpy(path->remote + 12, remote.address, 4);
	} else {
		__builtin_memcpy(path->local, local.address, sizeof(path->local));
		__builtin_memcpy(path->remote, remote.address, sizeof(path->remote));
	}
}

/* A connection begins: what it may use of what is remembered goes into its start. A socket that has
 * sent data has a window of its own, and uses nothing; what it learns counts. */
static inline void begin_memory(struct sock *sk, struct onramp_connection *connection,
				struct startup_start *start)
{
	__u64 now_ns = bpf_ktime_get_boot_ns();
	struct onramp_remembered *remembered;
	bool is_new = !tcp_sk(sk)->data_segs_out;
	struct onramp_path path;

	connection->memory_kept_ns = 0;
	connection->memory_window_bytes = path_memory_window(start, is_new);
	if (!config.memory_lifetime_ns || !is_new)
		return;
	fill_path(sk, &path);
	remembered = bpf_map_lookup_elem(&onramp_memory, &path);
	if (!remembered)
		return;
	if (path_memory_is_over(&remembered->entry, now_ns, config.memory_lifetime_ns))
		bpf_map_delete_elem(&onramp_memory, &path);
	else if (path_memory_take(&remembered->entry, connection->id, now_ns, start))
		connection->memory_kept_ns = now_ns;
}

/* A function of its own, with a stack of its own: decisions that say something new are few. */
static __attribute__((noinline)) int save_memory(struct sock *sk,
						 struct onramp_connection *connection)
{
	enum path_memory_news news =
		path_memory_news(&connection->decision, connection->memory_window_bytes);
	__u64 now_ns = bpf_ktime_get_boot_ns();
	struct onramp_remembered *remembered, fresh = {};
	struct onramp_path path;
	bool has_entry;

	if (news == PATH_MEMORY_NO_NEWS)
		return 0;
	fill_path(sk, &path);
	if (news == PATH_MEMORY_FORGET) {
		bpf_map_delete_elem(&onramp_memory, &path);
		connection->memory_kept_ns = 0;
		return 0;
	}
	remembered = bpf_map_lookup_elem(&onramp_memory, &path);
	if (!remembered) {
		fresh.network_namespace = sk->__sk_common.skc_net.net->ns.inum;
		has_entry = path_memory_save(&fresh.entry, connection->id, &connection->decision,
					     now_ns);
		/* Another connection may have been faster, just now: then its word stands. */
		if (bpf_map_update_elem(&onramp_memory, &path, &fresh, BPF_NOEXIST))
			has_entry = false;
	} else {
		has_entry = path_memory_save(&remembered->entry, connection->id,
					     &connection->decision, now_ns);
	}
	connection->memory_kept_ns = has_entry ? now_ns : 0;
	return 0;
}

/* The start-up has decided: what it says of the path is to be remembered. */
static inline void learn(struct sock *sk, struct onramp_connection *connection)
{
	if (config.memory_lifetime_ns && connection->decision.learned_bytes)
		save_memory(sk, connection);
}

/* A connection has heard from its peer. */
static inline void keep_memory(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_remembered *remembered;
	struct onramp_path path;
	__u64 now_ns;

	if (!config.memory_lifetime_ns || !connection->memory_kept_ns)
		return;
	now_ns = bpf_ktime_get_boot_ns();
	if (now_ns - connection->memory_kept_ns < PATH_MEMORY_KEEP_NS)
		return;
	fill_path(sk, &path);
	remembered = bpf_map_lookup_elem(&onramp_memory, &path);
	connection->memory_kept_ns =
		remembered && path_memory_keep(&remembered->entry, connection->id, now_ns) ? now_ns
											   : 0;
}

/* It ends, or goes on with another congestion control. */
static inline void end_memory(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_remembered *remembered;
	struct onramp_path path;

	if (!config.memory_lifetime_ns || !connection->memory_kept_ns)
		return;
	connection->memory_kept_ns = 0;
	fill_path(sk, &path);
	remembered = bpf_map_lookup_elem(&onramp_memory, &path);
	if (remembered)
		path_memory_give_back(&remembered->entry, connection->id);
}

#else

static inline void begin_memory(struct sock *sk, struct onramp_connection *connection,
				struct startup_start *start)
{
}
static inline void learn(struct sock *sk, struct onramp_connection *connection)
{
}
static inline void keep_memory(struct sock *sk, struct onramp_connection *connection)
{
}
static inline void end_memory(struct sock *sk, struct onramp_connection *connection)
{
}

#endif

#endif
