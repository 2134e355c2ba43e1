/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ensembles in a start-up program: the rules of core/parts/ensemble.h, with the counts in a BPF
 * map. The build defines ONRAMP_SHARES for an algorithm that takes its share; in the others the
 * functions here are empty.
 *
 * The map evicts the least recently used path when it is full. The connections of an evicted path
 * count each other again within a second. The kernel may reuse the memory of an evicted entry for
 * another path at the moment in which a program writes to it: that makes one mistake in a count,
 * for two seconds at most.
 */
#ifndef ONRAMP_STARTUP_ENSEMBLE_H
#define ONRAMP_STARTUP_ENSEMBLE_H

#include "intf.h"
#include "kernel.h"

#ifdef ONRAMP_SHARES

#include "parts/ensemble.h"
#include "startup/connection.h"
#include "startup/path.h"

#include <bpf/bpf_helpers.h>

/* Paths with a connection that is starting up, of any second. */
#define MAX_ENSEMBLES 4096

MAP(LRU_HASH, MAX_ENSEMBLES, struct onramp_path, struct ensemble_entry)
onramp_siblings SEC(".maps");

/* A connection starts, or an ACK has arrived that is an input of the algorithm. Returns the number
 * of other connections to the same destination that are starting up. Not inlined, so it has its own
 * stack frame. */
static __attribute__((noinline)) __u64
count_siblings(struct sock *sk, struct onramp_connection *connection, __u64 now_ns)
{
	struct ensemble_entry *ensemble, fresh = {};
	struct onramp_path path;

	fill_path(sk, &path);
	ensemble = bpf_map_lookup_elem(&onramp_siblings, &path);
	if (!ensemble) {
		/* Another processor may be faster. */
		bpf_map_update_elem(&onramp_siblings, &path, &fresh, BPF_NOEXIST);
		ensemble = bpf_map_lookup_elem(&onramp_siblings, &path);
	}
	if (!ensemble)
		return 0;
	if (!connection->exit_ns)
		ensemble_renew(ensemble, &connection->ensemble_period, now_ns);
	return ensemble_siblings(ensemble, connection->ensemble_period, now_ns);
}

/* The start-up has ended for the first time, or the connection ends before. */
static __attribute__((noinline)) int leave_ensemble(struct sock *sk,
						    struct onramp_connection *connection)
{
	struct ensemble_entry *ensemble;
	struct onramp_path path;

	if (!connection->ensemble_period)
		return 0;
	fill_path(sk, &path);
	ensemble = bpf_map_lookup_elem(&onramp_siblings, &path);
	if (ensemble)
		ensemble_leave(ensemble, &connection->ensemble_period);
	connection->ensemble_period = 0;
	return 0;
}

#else

static inline __u64 count_siblings(struct sock *sk, struct onramp_connection *connection,
				   __u64 now_ns)
{
	return 0;
}
static inline void leave_ensemble(struct sock *sk, struct onramp_connection *connection)
{
}

#endif

#endif
