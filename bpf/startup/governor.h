/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The governor in a start-up program: the rules of core/parts/governor.h, with the averages in BPF
 * maps. Where the governor is off (governor_bound_ppm is 0) the verifier removes this code, and the
 * maps do not exist.
 *
 * A destination is a network namespace and an address, of IPv6 its first 64 bits: one host can have
 * all addresses with the same 64 bits. A destination is remembered from the first start-up on that
 * retransmitted something. The map evicts the least recently used destination when it is full.
 */
#ifndef ONRAMP_STARTUP_GOVERNOR_H
#define ONRAMP_STARTUP_GOVERNOR_H

#include "endpoints.h"
#include "intf.h"
#include "kernel.h"
#include "parts/governor.h"
#include "startup/connection.h"

#include <bpf/bpf_helpers.h>

#define MAX_DESTINATIONS 1024

/* The average of all connections */
MAP(ARRAY, 1, __u32, struct governor_average) onramp_governor SEC(".maps");

MAP(LRU_HASH, MAX_DESTINATIONS, struct onramp_destination, struct onramp_destination_average)
onramp_dests SEC(".maps");

/* Fills every byte, because the map compares every byte of a key. */
static inline void fill_destination(const struct sock *sk, struct onramp_destination *destination)
{
	struct onramp_endpoint local = {}, remote = {};

	fill_endpoints(sk, &local, &remote);
	__builtin_memset(destination, 0, sizeof(*destination));
	destination->network_namespace = sk->__sk_common.skc_net.net->net_cookie;
	if (remote.family == AF_INET) {
		destination->address[10] = destination->address[11] = 0xff;
		__builtin_memcpy(destination->address + 12, remote.address, 4);
	} else if (((__be32 *)remote.address)[0] || ((__be32 *)remote.address)[1]) {
		__builtin_memcpy(destination->address, remote.address, 8);
	} else {
		/* An IPv4 address in the form ::ffff:192.0.2.1, or ::1 */
		__builtin_memcpy(destination->address, remote.address, 16);
	}
}

static __always_inline struct governor_average *host_average(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&onramp_governor, &only);
}

/* A connection begins: is it to begin with slow start? */
static __attribute__((noinline)) bool connection_is_governed(const struct sock *sk, __u64 now_ns)
{
	struct onramp_destination_average *known;
	struct onramp_destination destination;
	struct governor_average *host;

	if (!config.governor_bound_ppm)
		return false;
	fill_destination(sk, &destination);
	known = bpf_map_lookup_elem(&onramp_dests, &destination);
	if (known && governor_exceeds(&known->average, config.governor_bound_ppm,
				      GOVERNOR_DESTINATION_STARTUPS, now_ns))
		return !governor_starts(__sync_fetch_and_add(&known->average.held, 1));
	host = host_average();
	if (host &&
	    governor_exceeds(host, config.governor_bound_ppm, GOVERNOR_HOST_STARTUPS, now_ns))
		return !governor_starts(__sync_fetch_and_add(&host->held, 1));
	return false;
}

/* Decide for a governed connection: it begins as without a start-up. */
static inline void decide_slow_start(struct onramp_connection *connection,
				     const struct startup_start *start)
{
	startup_begin_slow_start(&connection->decision, start->cwnd_bytes, start->ssthresh_bytes);
	startup_finish(&connection->decision, STARTUP_EXIT_GOVERNED);
}

/* A start-up has ended with this share, or has retransmitted more after its end (`is_late`). */
static inline void add_share(struct governor_average *average, __u32 share_ppm, __u32 n,
			     bool is_late, __u64 now_ns)
{
	if (is_late)
		governor_add_late(average, share_ppm, now_ns);
	else
		governor_add(average, share_ppm, n, now_ns);
}

static __attribute__((noinline)) int learn_share(const struct sock *sk, __u32 share_ppm,
						 bool is_late)
{
	struct onramp_destination_average *known, fresh = {};
	struct governor_average *host = host_average();
	struct onramp_destination destination;
	__u64 now_ns = bpf_ktime_get_ns();

	if (host)
		add_share(host, share_ppm, GOVERNOR_HOST_STARTUPS, is_late, now_ns);
	fill_destination(sk, &destination);
	known = bpf_map_lookup_elem(&onramp_dests, &destination);
	if (known) {
		add_share(&known->average, share_ppm, GOVERNOR_DESTINATION_STARTUPS, is_late,
			  now_ns);
	} else if (share_ppm) {
		/* Also where it is late: the start-up had retransmitted nothing before. */
		fresh.network_namespace = sk->__sk_common.skc_net.net->ns.inum;
		governor_add(&fresh.average, share_ppm, GOVERNOR_DESTINATION_STARTUPS, now_ns);
		bpf_map_update_elem(&onramp_dests, &destination, &fresh, BPF_NOEXIST);
	}
	return 0;
}

/* A start-up has ended. */
static inline void governor_learn(const struct sock *sk, const struct onramp_account *account)
{
	__u32 sent = account->startup_sent_segments;

	if (config.governor_bound_ppm && governor_counts(sent))
		learn_share(sk, governor_share_ppm(sent, account->startup_retransmitted_segments),
			    false);
}

/* Segments of a start-up that has ended were retransmitted. `account` does not have them yet. */
static inline void governor_learn_late(const struct sock *sk, const struct onramp_account *account,
				       __u32 late)
{
	__u64 sent = account->startup_sent_segments;
	__u64 retransmitted = account->startup_retransmitted_segments;

	if (config.governor_bound_ppm && governor_counts(sent))
		learn_share(sk,
			    governor_share_ppm(sent + late, retransmitted + late) -
				    governor_share_ppm(sent, retransmitted),
			    true);
}

#endif
