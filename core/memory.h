/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A memory of paths: what a connection found that a path carries, for the next one on the same path. The rules of
 * Careful Resume (RFC 9959), for every host; the numbers in brackets are its sections.
 *
 * A host keeps entries by path: the sending interface and the destination (2.2), with addresses for both. It asks here,
 * in this order:
 *
 *     a connection begins     onramp_memory_is_over(): away with the entry; else onramp_memory_take()
 *     it has decided          onramp_memory_news(): onramp_memory_save(), away with the entry, or nothing
 *     it ends                 onramp_memory_give_back()
 *
 * and core/NAME.h uses what start->remembered_bytes says, as 3.2 to 3.5 have it.
 *
 * The rules:
 * - One entry a path, the newest (3.1).
 * - What is less than four initial windows is not remembered (3.1): half of it is no gain. And it says that something
 *   larger that is remembered is wrong.
 * - An entry is used for a time, the Lifetime, which the user chooses (4.3.1), and then deleted (3.2).
 * - One connection at a time uses it (3.2, 4.2). It does so until it ends, since it goes on sending what it found. So
 * does one that saved what nobody used: a second connection beside it has to find its share. RFC 9959 asks less.
 * - Not with a round trip of half of what it was or less: half of what was carried, sent in it, would be more than the
 *   rate that was. And not with one that is more than ten times as long: that is another path (4.2.1). The host asks
 * this with the handshake's round trip, the algorithm with that of the first data: onramp_memory_fits().
 * - When nothing is known of the round trip yet, what is remembered waits for it: with ONRAMP_OPTION_RESUME_AT_ONCE it
 * is not used.
 *
 * Hosts with several processors: an entry is taken by compare and swap. Its other members may be written by one
 * connection while another one reads them; what comes of that is an entry of the same path.
 */
#ifndef ONRAMP_MEMORY_H
#define ONRAMP_MEMORY_H

#include "startup.h"

/* The Lifetime for those who choose none. RFC 9959 has minutes on paths that change; 4.3.1 explains why it may be
 * longer than the 5 minutes of RFC 7661. */
#define ONRAMP_MEMORY_LIFETIME_NS (600 * ONRAMP_NS_PER_S)
/* Initial windows that are worth remembering. */
#define ONRAMP_MEMORY_LEAST_WINDOWS 4
/* A round trip no longer than 1/2, or longer than 10 times, is that of another path. */
#define ONRAMP_MEMORY_SHORTER 2
#define ONRAMP_MEMORY_LONGER 10

/* What is remembered of a path. Zero: nothing. */
struct onramp_memory_entry {
	uint64_t bytes;    /* so much it carried in a round trip; 0: nothing is remembered */
	uint64_t rtt_ns;   /* the least round trip at that time */
	uint64_t saved_ns; /* when, on a clock that goes on while the host sleeps */
	uint64_t user;     /* the connection that has it, by a number that is its own; 0: none */
};

/* Is its Lifetime over? (A host's clock may be read a little later by one processor than by another.) */
static inline bool onramp_memory_is_over(const struct onramp_memory_entry *entry, uint64_t now_ns, uint64_t lifetime_ns)
{
	return now_ns > entry->saved_ns && now_ns - entry->saved_ns > lifetime_ns;
}

/* Is a round trip of this length that of the path that is remembered? 0: not known, and so it is not. */
static inline bool onramp_memory_fits(uint64_t remembered_rtt_ns, uint64_t rtt_ns)
{
	return rtt_ns > remembered_rtt_ns / ONRAMP_MEMORY_SHORTER &&
	       (rtt_ns - 1) / ONRAMP_MEMORY_LONGER < remembered_rtt_ns;
}

/* A connection begins: it is told what is remembered, and has it, unless that may not be used. The entry's Lifetime is
 * not over. */
static inline bool onramp_memory_take(struct onramp_memory_entry *entry, uint64_t user, struct onramp_start *start)
{
	uint64_t bytes = entry->bytes, rtt_ns = entry->rtt_ns;
	bool waits = !start->srtt_ns && !(start->options & ONRAMP_OPTION_RESUME_AT_ONCE);

	if (!bytes || !(waits || onramp_memory_fits(rtt_ns, start->srtt_ns)) ||
	    __sync_val_compare_and_swap(&entry->user, 0, user))
		return false;
	start->remembered_bytes = bytes;
	start->remembered_rtt_ns = rtt_ns;
	return true;
}

/* A connection ends, or may not use what it took. Of one that does not have the entry, nothing changes. */
static inline void onramp_memory_give_back(struct onramp_memory_entry *entry, uint64_t user)
{
	__sync_val_compare_and_swap(&entry->user, user, 0);
}

/* What a decision means for what is remembered of the path. */
enum onramp_memory_news {
	ONRAMP_MEMORY_NO_NEWS,
	ONRAMP_MEMORY_SAVE,
	ONRAMP_MEMORY_FORGET,
};

/* Of a connection with this initial window. */
static inline enum onramp_memory_news onramp_memory_news(const struct onramp_decision *decision, uint64_t initial_bytes)
{
	if (!decision->learned_bytes)
		return ONRAMP_MEMORY_NO_NEWS;
	if (decision->learned_bytes == ONRAMP_UNLIMITED || !decision->learned_rtt_ns ||
	    decision->learned_bytes / ONRAMP_MEMORY_LEAST_WINDOWS < initial_bytes)
		return ONRAMP_MEMORY_FORGET;
	return ONRAMP_MEMORY_SAVE;
}

/* Remember what this decision says; who has the entry keeps it, and if nobody has, this connection does. */
static inline void onramp_memory_save(struct onramp_memory_entry *entry, uint64_t user,
				      const struct onramp_decision *decision, uint64_t now_ns)
{
	entry->bytes = decision->learned_bytes;
	entry->rtt_ns = decision->learned_rtt_ns;
	entry->saved_ns = now_ns;
	__sync_val_compare_and_swap(&entry->user, 0, user);
}

#endif
