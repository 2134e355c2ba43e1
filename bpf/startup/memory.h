/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Path memory in a start-up program: the rules of core/parts/path_memory.h (Careful Resume, RFC
 * 9959), with the entries in a BPF map.
 *
 * The build defines ONRAMP_RESUMES for an algorithm that uses path memory; in the others the
 * functions here are empty. Without a Lifetime nothing is remembered and the map does not exist.
 *
 * The map evicts the least recently used path when it is full, even if a connection holds its
 * entry. The kernel may reuse the memory of an evicted entry for another path at the moment in
 * which a program writes to it. This takes a full map and a race of nanoseconds.
 */
#ifndef ONRAMP_STARTUP_MEMORY_H
#define ONRAMP_STARTUP_MEMORY_H

#include "intf.h"
#include "kernel.h"

#ifdef ONRAMP_RESUMES

#include "parts/path_memory.h"
#include "startup/connection.h"
#include "startup/path.h"

#include <bpf/bpf_helpers.h>

#define MAX_PATHS 4096

MAP(LRU_HASH, MAX_PATHS, struct onramp_path, struct onramp_path_entry) onramp_memory SEC(".maps");

/* A connection starts: copy the remembered BDP into `start` if it may be used. A socket that has
 * already sent data gets none; what it learns is still saved. */
static inline void begin_memory(struct sock *sk, struct onramp_connection *connection,
				struct startup_start *start)
{
	__u64 now_ns = bpf_ktime_get_boot_ns();
	struct onramp_path_entry *known;
	bool is_new = !tcp_sk(sk)->data_segs_out;
	struct onramp_path path;

	connection->path_refreshed_ns = 0;
	connection->path_initial_cwnd_bytes = path_memory_window(start, is_new);
	if (!config.memory_lifetime_ns || !is_new)
		return;
	fill_path(sk, &path);
	known = bpf_map_lookup_elem(&onramp_memory, &path);
	if (!known)
		return;
	if (path_memory_is_over(&known->entry, now_ns, config.memory_lifetime_ns))
		bpf_map_delete_elem(&onramp_memory, &path);
	else if (path_memory_take(&known->entry, connection->id, now_ns, config.memory_jump_bytes,
				  start))
		connection->path_refreshed_ns = now_ns;
}

/* Save or delete the path's entry, as the latest decision demands. The function is not inlined,
 * so it has its own stack frame. Few decisions change the entry. */
static __attribute__((noinline)) int save_path(struct sock *sk,
					       struct onramp_connection *connection)
{
	enum path_memory_news news =
		path_memory_news(&connection->decision, connection->path_initial_cwnd_bytes);
	__u64 now_ns = bpf_ktime_get_boot_ns();
	struct onramp_path_entry *known, fresh = {};
	struct onramp_path path;
	bool holds_entry;

	if (news == PATH_MEMORY_NO_NEWS)
		return 0;
	fill_path(sk, &path);
	if (news == PATH_MEMORY_FORGET) {
		bpf_map_delete_elem(&onramp_memory, &path);
		connection->path_refreshed_ns = 0;
		return 0;
	}
	known = bpf_map_lookup_elem(&onramp_memory, &path);
	if (!known) {
		fresh.network_namespace = sk->__sk_common.skc_net.net->ns.inum;
		holds_entry = path_memory_save(&fresh.entry, connection->id, &connection->decision,
					       now_ns);
		/* If another connection has just created the entry, its values stay. */
		if (bpf_map_update_elem(&onramp_memory, &path, &fresh, BPF_NOEXIST))
			holds_entry = false;
	} else {
		holds_entry = path_memory_save(&known->entry, connection->id, &connection->decision,
					       now_ns);
	}
	connection->path_refreshed_ns = holds_entry ? now_ns : 0;
	return 0;
}

/* The algorithm has decided: save the BDP and the RTT that the decision reports. */
static inline void learn_path(struct sock *sk, struct onramp_connection *connection)
{
	if (config.memory_lifetime_ns && connection->decision.learned_bytes)
		save_path(sk, connection);
}

/* An ACK arrived, so the connection keeps its hold on the path's entry. */
static inline void refresh_memory(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_path_entry *known;
	struct onramp_path path;
	__u64 now_ns;

	if (!config.memory_lifetime_ns || !connection->path_refreshed_ns)
		return;
	now_ns = bpf_ktime_get_boot_ns();
	if (now_ns - connection->path_refreshed_ns < PATH_MEMORY_KEEP_NS)
		return;
	fill_path(sk, &path);
	known = bpf_map_lookup_elem(&onramp_memory, &path);
	connection->path_refreshed_ns =
		known && path_memory_keep(&known->entry, connection->id, now_ns) ? now_ns : 0;
}

static inline bool holds_path(const struct onramp_connection *connection)
{
	return config.memory_lifetime_ns && connection->path_refreshed_ns;
}

/* The connection ends, or changes to another congestion control. */
static inline void end_memory(struct sock *sk, struct onramp_connection *connection)
{
	struct onramp_path_entry *known;
	struct onramp_path path;

	if (!holds_path(connection))
		return;
	connection->path_refreshed_ns = 0;
	fill_path(sk, &path);
	known = bpf_map_lookup_elem(&onramp_memory, &path);
	if (known)
		path_memory_give_back(&known->entry, connection->id);
}

#else

static inline void begin_memory(struct sock *sk, struct onramp_connection *connection,
				struct startup_start *start)
{
}
static inline void learn_path(struct sock *sk, struct onramp_connection *connection)
{
}
static inline void refresh_memory(struct sock *sk, struct onramp_connection *connection)
{
}
static inline bool holds_path(const struct onramp_connection *connection)
{
	return false;
}
static inline void end_memory(struct sock *sk, struct onramp_connection *connection)
{
}

#endif

#endif
