/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first round trip in a start-up program: the rules of core/parts/first_round.h, with what the
 * host has learned in BPF maps. The build defines ONRAMP_SENDS_EARLY for an algorithm that sends
 * behind the initial window; in the others the functions here are empty.
 *
 * The map evicts the least recently used prefix when it is full. Processors that learn at the same
 * moment may lose one of two steps.
 */
#ifndef ONRAMP_STARTUP_FIRST_ROUND_H
#define ONRAMP_STARTUP_FIRST_ROUND_H

#include "intf.h"
#include "kernel.h"

#ifdef ONRAMP_SENDS_EARLY

#include "parts/first_round.h"
#include "startup/connection.h"
#include "startup/path.h"

#include <bpf/bpf_helpers.h>

#define MAX_RATES 4096

struct first_round_key {
	__u64 network_namespace; /* cookie */
	__u64 prefix;            /* first_round_prefix() */
};

MAP(ARRAY, 1, __u32, struct first_round) onramp_first SEC(".maps");

MAP(LRU_HASH, MAX_RATES, struct first_round_key, struct first_round)
onramp_rates SEC(".maps");

static inline struct first_round *first_round_of_host(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&onramp_first, &only);
}

static inline void fill_rate_key(const struct sock *sk, struct first_round_key *key)
{
	struct onramp_path path;

	fill_path(sk, &path);
	key->network_namespace = path.network_namespace;
	key->prefix = first_round_prefix(path.remote);
}

/* The user's rate, or the learned one. The function is not inlined, so it has its own stack frame.
 */
static __attribute__((noinline)) __u64 initial_bytes_per_s(const struct sock *sk, __u64 now_ns)
{
	struct first_round *host, *known, nothing = {};
	struct first_round_key key;

	if (config.initial_bytes_per_s != STARTUP_UNLIMITED)
		return config.initial_bytes_per_s;
	host = first_round_of_host();
	if (!host)
		return 0;
	fill_rate_key(sk, &key);
	known = bpf_map_lookup_elem(&onramp_rates, &key);
	return first_round_rate(host, known ? known : &nothing, now_ns);
}

/* Few decisions tell something, and each connection does so once. */
static __attribute__((noinline)) int learn_from(const struct sock *sk,
						enum startup_first_round outcome, __u64 now_ns)
{
	struct first_round *host = first_round_of_host(), *known, fresh = {};
	struct first_round_key key;

	if (!host)
		return 0;
	fill_rate_key(sk, &key);
	known = bpf_map_lookup_elem(&onramp_rates, &key);
	first_round_learn(host, known ? known : &fresh, outcome, now_ns);
	if (!known)
		bpf_map_update_elem(&onramp_rates, &key, &fresh, BPF_NOEXIST);
	return 0;
}

/* The algorithm has decided: learn what it knows of the first round, once. */
static inline void learn_first_round(const struct sock *sk, struct onramp_connection *connection,
				     __u64 now_ns)
{
	if (!connection->decision.first_round || connection->first_round_is_learned ||
	    config.initial_bytes_per_s != STARTUP_UNLIMITED)
		return;
	connection->first_round_is_learned = true;
	learn_from(sk, connection->decision.first_round, now_ns);
}

#else

static inline __u64 initial_bytes_per_s(const struct sock *sk, __u64 now_ns)
{
	return 0;
}
static inline void learn_first_round(const struct sock *sk, struct onramp_connection *connection,
				     __u64 now_ns)
{
}

#endif

#endif
