/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The penalty for a broken reservation (TCP_QOS): its owner waits before it reserves a rate to the
 * same destination again. The start-up `qos` and the programs of the socket option (qos.bpf.c)
 * share the map.
 *
 * The penalty belongs to the owner and the destination, not to the socket. Otherwise a program that
 * opens a new connection for each reservation would never wait.
 *
 *   wait     1 s after the first break. It doubles with each break that follows, up to 64 s.
 *   forgive  A minute without a break halves the wait of the next break.
 *
 * Reservations that were in force side by side often break together. So the wait doubles only for
 * a reservation that was granted after the latest break.
 */
#ifndef ONRAMP_PENALTIES_H
#define ONRAMP_PENALTIES_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#define MAX_PENALTIES 16384

#define PENALTY_FIRST_NS UINT64_C(1000000000)
#define PENALTY_MAX_LEVEL 7 /* 64 s */
/* Close to the longest wait. Who asks again as soon as that is over has then lost one level at
 * most, and a break restores it. */
#define PENALTY_FORGIVE_NS UINT64_C(60000000000)

/* The least recently used penalty is evicted first. To evict one's own, one must break reservations
 * to as many other destinations. */
MAP(LRU_HASH, MAX_PENALTIES, struct onramp_penalty_key, struct onramp_penalty)
onramp_broken SEC(".maps");

/* Fills every byte, because the map compares every byte of a key. `ip6` is the destination where
 * `family` is not AF_INET. */
static inline void fill_penalty_key(struct onramp_penalty_key *key, __u64 owner,
				    __u64 network_namespace, __u32 family, __be32 ip4,
				    const __be32 *ip6)
{
	__be32 *words = (__be32 *)key->destination;

	key->owner = owner;
	key->network_namespace = network_namespace;
	words[0] = words[1] = words[2] = words[3] = 0;
	if (family == AF_INET) {
		key->destination[10] = key->destination[11] = 0xff;
		words[3] = ip4;
		return;
	}
	words[0] = ip6[0];
	words[1] = ip6[1];
	/* An IPv4 address on an IPv6 socket is the same destination as on an IPv4 socket. */
	if (!ip6[0] && !ip6[1]) {
		words[2] = ip6[2];
		words[3] = ip6[3];
	}
}

static inline __u64 penalty_elapsed_ns(const struct onramp_penalty *penalty, __u64 now_ns)
{
	/* Another processor may have written a slightly later time. */
	return now_ns > penalty->broken_ns ? now_ns - penalty->broken_ns : 0;
}

/* Must the owner wait before it reserves a rate to this destination? */
static inline bool penalty_holds(const struct onramp_penalty_key *key)
{
	const struct onramp_penalty *penalty = bpf_map_lookup_elem(&onramp_broken, key);
	__u32 level;

	if (!penalty)
		return false;
	level = penalty->level;
	if (!level || level > PENALTY_MAX_LEVEL)
		return false;
	return penalty_elapsed_ns(penalty, bpf_ktime_get_ns()) < PENALTY_FIRST_NS << (level - 1);
}

/* A reservation that was granted at `granted_ns` has broken. */
static inline void penalise(const struct onramp_penalty_key *key, __u64 granted_ns)
{
	struct onramp_penalty *penalty = bpf_map_lookup_elem(&onramp_broken, key);
	struct onramp_penalty fresh = {.broken_ns = bpf_ktime_get_ns(), .level = 1};
	__u64 forgiven;
	__u32 level;

	if (!penalty) {
		bpf_map_update_elem(&onramp_broken, key, &fresh, BPF_NOEXIST);
		return;
	}
	level = penalty->level;
	if (granted_ns >= penalty->broken_ns) {
		forgiven = penalty_elapsed_ns(penalty, fresh.broken_ns) / PENALTY_FORGIVE_NS;
		level = (level > forgiven ? level - (__u32)forgiven : 0) + 1;
		if (level > PENALTY_MAX_LEVEL)
			level = PENALTY_MAX_LEVEL;
	}
	penalty->level = level;
	penalty->broken_ns = fresh.broken_ns;
}

#endif
