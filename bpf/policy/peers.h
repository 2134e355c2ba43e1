/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds the weight of one peer in the comparison of the groups. A peer recognises the group of its
 * connections by their second flight, and could make one group look bad. So only a part of the
 * connections to one prefix (/24 of IPv4, /48 of IPv6) is counted: in each window of
 * PEER_WINDOW connections of the policy, PEER_FREE and a sixteenth of those so far. The others are
 * treated by the policy as any, and count in no group. Which ones are counted is decided before the
 * group is chosen, so the groups stay comparable.
 *
 * Private addresses are not bounded: such a peer is the operator's own, a proxy or a load balancer
 * that carries the connections of many. Nor are those of test networks (RFC 2544, 198.18.0.0/15),
 * which no host of the Internet has.
 */
#ifndef ONRAMP_POLICY_PEERS_H
#define ONRAMP_POLICY_PEERS_H

#include "intf.h"
#include "kernel.h"
#include "policy/groups.h"

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* Within a window a peer can use no more than the window's own share: what it saved up before is
 * gone. A test needs some hundreds of connections, which is a part of a window. */
#define PEER_WINDOW_LOG2 12
/* As many as one busy client opens; a hundred such prefixes still make a small share each. */
#define PEER_FREE 16
#define PEER_SHARE_LOG2 4
/* Prefixes of which connections are remembered. One that is forgotten has PEER_FREE again. */
#define MAX_PEERS 65536
/* Slots of policies: twice ONRAMP_POLICIES */
#define MAX_SLOTS 128

struct peer {
	__u64 prefix;
	__u32 slot;
	__u32 epoch;
	__u64 window;
};

/* Connections of the policy that has a slot in an epoch */
struct offered {
	__u64 connections;
	__u64 epoch;
};

MAP(LRU_HASH, MAX_PEERS, struct peer, __u64) onramp_peers SEC(".maps");

MAP(ARRAY, MAX_SLOTS, __u32, struct offered) onramp_offered SEC(".maps");

static inline bool is_private_ipv4(__u32 address)
{
	return address >> 24 == 10 || address >> 24 == 127 || address >> 20 == 0xac1 ||
	       address >> 16 == 0xc0a8 || address >> 16 == 0xa9fe || address >> 17 == 0x6309;
}

/* Unique local, link local, loopback. `address` is the first half. */
static inline bool is_private_ipv6(__u64 address, __u64 second_half)
{
	return address >> 57 == 0x7e || address >> 54 == 0x3fa || (!address && second_half == 1);
}

/* The prefix of the other end, from 1 on; 0: it is private. */
static inline __u64 peer_prefix(const struct onramp_prefix *destination, bool is_ipv4)
{
	const __be32 *words = (const __be32 *)destination->address;
	__u64 first = (__u64)bpf_ntohl(words[0]) << 32 | bpf_ntohl(words[1]);
	__u64 second = (__u64)bpf_ntohl(words[2]) << 32 | bpf_ntohl(words[3]);
	__u32 ipv4 = (__u32)second;

	if (is_ipv4)
		return is_private_ipv4(ipv4) ? 0 : 1ull << 63 | ipv4 >> 8;
	return is_private_ipv6(first, second) ? 0 : 1ull << 62 | first >> 16;
}

/* Is the next connection of this policy to this prefix counted? */
static inline bool is_counted(const struct onramp_rule *rule, __u64 prefix)
{
	struct peer peer = {.prefix = prefix, .slot = rule->slot, .epoch = rule->epoch};
	__u32 slot = rule->slot;
	struct offered *offered = bpf_map_lookup_elem(&onramp_offered, &slot);
	__u64 before, in_window, one = 1, *counted;

	if (!offered)
		return true;
	if (offered->epoch != rule->epoch) {
		offered->epoch = rule->epoch;
		offered->connections = 0;
	}
	before = __sync_fetch_and_add(&offered->connections, 1);
	if (!prefix)
		return true;
	peer.window = before >> PEER_WINDOW_LOG2;
	in_window = before & ((1ull << PEER_WINDOW_LOG2) - 1);
	counted = bpf_map_lookup_elem(&onramp_peers, &peer);
	if (!counted) {
		bpf_map_update_elem(&onramp_peers, &peer, &one, BPF_ANY);
		return true;
	}
	if (*counted >= PEER_FREE + (in_window >> PEER_SHARE_LOG2))
		return false;
	__sync_fetch_and_add(counted, 1);
	return true;
}

#endif
