/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first round trip in a start-up program: the rules of core/parts/first_round.h, with what the
 * host has learned in a BPF map. The build defines ONRAMP_SENDS_EARLY for an algorithm that sends
 * behind the initial window; in the others the functions here are empty.
 *
 * Processors that learn at the same moment may lose one of two steps.
 */
#ifndef ONRAMP_STARTUP_FIRST_ROUND_H
#define ONRAMP_STARTUP_FIRST_ROUND_H

#include "intf.h"
#include "kernel.h"

#ifdef ONRAMP_SENDS_EARLY

#include "parts/first_round.h"
#include "startup/connection.h"

#include <bpf/bpf_helpers.h>

MAP(ARRAY, 1, __u32, struct first_round) onramp_first SEC(".maps");

/* The user's rate, or the learned one */
static inline __u64 initial_bytes_per_s(__u64 now_ns)
{
	struct first_round *learned;
	__u32 first = 0;

	if (config.initial_bytes_per_s != STARTUP_UNLIMITED)
		return config.initial_bytes_per_s;
	learned = bpf_map_lookup_elem(&onramp_first, &first);
	return learned ? first_round_rate(learned, now_ns) : 0;
}

/* The algorithm has decided: learn what it knows of the first round, once. */
static inline void learn_first_round(struct onramp_connection *connection, __u64 now_ns)
{
	struct first_round *learned;
	__u32 first = 0;

	if (!connection->decision.first_round || connection->first_round_is_learned ||
	    config.initial_bytes_per_s != STARTUP_UNLIMITED)
		return;
	connection->first_round_is_learned = true;
	learned = bpf_map_lookup_elem(&onramp_first, &first);
	if (learned)
		first_round_learn(learned, connection->decision.first_round, now_ns);
}

#else

static inline __u64 initial_bytes_per_s(__u64 now_ns)
{
	return 0;
}
static inline void learn_first_round(struct onramp_connection *connection, __u64 now_ns)
{
}

#endif

#endif
