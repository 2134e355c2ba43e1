/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A memory of paths: what a connection found that a path carries, for the next one on the same
 * path. The rules of Careful Resume (RFC 9959), for every host; the numbers in brackets are its
 * sections.
 *
 * A host keeps an entry for each path: the sending interface and the destination (2.2). Then it
 * asks here:
 *
 *     a connection begins     path_memory_is_over(): away with the entry; else
 * path_memory_take() it has decided          path_memory_news(): path_memory_save(), away
 * with the entry, or nothing it hears from its peer  path_memory_keep() it ends
 * path_memory_give_back()
 *
 * and core/NAME.h does with start->remembered_bytes what 3.2 to 3.5 have it do.
 *
 * - One entry a path (3.1): the newest of a path that was full. A connection that did not fill it
 * says only that it carries so much, which replaces what is less, or another path's.
 * - What is less than four initial windows is not remembered (3.1): half of it is no gain. And
 * where the path was full it says that more, which is remembered, is wrong.
 * - An entry is used for a time, the Lifetime, which the user chooses (4.3.1), and then deleted
 * (3.2).
 * - One connection at a time uses it (3.2, 4.2), until it ends: it goes on sending what it found.
 * For the same reason one that saves what nobody uses has it too, and a second connection beside it
 * finds its share by itself; RFC 9959 does not ask for that. A connection that has heard nothing
 * for so long that it has to find its window anew (RFC 5681, section 4.1) has it no longer, be it
 * idle or dead.
 * - Not with a round trip of half of what it was or less: half of what was carried, sent within it,
 * would be a higher rate than was carried. And not with one that is more than ten times as long,
 * which is another path's (4.2.1). The host asks for that with the handshake's round trip, the
 * algorithm with that of the first data.
 * - Where the handshake has told no round trip, what is remembered may be used when there is one;
 * with STARTUP_OPTION_RESUME_AT_ONCE, which does not wait for it, not at all.
 *
 * Hosts with several processors: who has an entry is decided by compare and swap. The other members
 * are written one by one: who reads meanwhile may find the bytes of one connection and the round
 * trip of another, both of this path.
 */
#ifndef ONRAMP_MEMORY_H
#define ONRAMP_MEMORY_H

#include "startup.h"

/* The Lifetime for those who choose none: RFC 9959 has minutes where paths change, and may exceed
 * the 5 of RFC 7661 because a jump that was wrong is taken back (4.3.1). */
#define PATH_MEMORY_LIFETIME_NS (600 * NS_PER_S)
/* Initial windows that are worth remembering. */
#define PATH_MEMORY_MIN_WINDOWS 4
/* A round trip no longer than 1/2, or longer than 10 times, is that of another path. */
#define PATH_MEMORY_SHORTER 2
#define PATH_MEMORY_LONGER 10
/* Who has an entry loses it after so long without an acknowledgement: a time-out that is still
 * unmeasured (RFC 6298), or so many round trips. */
#define PATH_MEMORY_IDLE_NS NS_PER_S
#define PATH_MEMORY_IDLE_RTTS 4
/* So often it says that it is still there. */
#define PATH_MEMORY_KEEP_NS (PATH_MEMORY_IDLE_NS / 8)

/* What is remembered of a path. Zero: nothing. Times are of a clock that goes on while the host
 * sleeps. */
struct path_memory_entry {
	uint64_t bytes;  /* so much it carried in a round trip; 0: nothing is remembered */
	uint64_t rtt_ns; /* the least round trip at that time */
	uint64_t saved_ns;
	uint64_t user;    /* the connection that has it, by a number that is its own; 0: none */
	uint64_t used_ns; /* when that last said so */
};

/* So long after a moment. (One processor may read the clock a little later than another.) */
static inline uint64_t path_memory_since(uint64_t then_ns, uint64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/* Is its Lifetime over? */
static inline bool path_memory_is_over(const struct path_memory_entry *entry, uint64_t now_ns,
				       uint64_t lifetime_ns)
{
	return path_memory_since(entry->saved_ns, now_ns) > lifetime_ns;
}

/* Has a connection other than this one got it? */
static inline bool path_memory_is_in_use(const struct path_memory_entry *entry, uint64_t user,
					 uint64_t now_ns)
{
	uint64_t idle_ns =
		max_u64(PATH_MEMORY_IDLE_NS,
			min_u64(entry->rtt_ns, PATH_MEMORY_LIFETIME_NS) * PATH_MEMORY_IDLE_RTTS);

	return entry->user && entry->user != user &&
	       path_memory_since(entry->used_ns, now_ns) <= idle_ns;
}

/* The connection has it from now on, unless another one has it, or is faster. */
static inline bool path_memory_use(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns)
{
	uint64_t before = entry->user;

	if (path_memory_is_in_use(entry, user, now_ns))
		return false;
	/* First, so that nobody finds a new user with an old time. */
	entry->used_ns = now_ns;
	return __sync_val_compare_and_swap(&entry->user, before, user) == before;
}

/* Is a round trip of this length that of the path that is remembered? 0: it is not known, and is
 * not. */
static inline bool path_memory_fits(uint64_t remembered_rtt_ns, uint64_t rtt_ns)
{
	return rtt_ns > remembered_rtt_ns / PATH_MEMORY_SHORTER &&
	       (rtt_ns - 1) / PATH_MEMORY_LONGER < remembered_rtt_ns;
}

/* A connection begins: if it may use the entry, whose Lifetime is not over, it has it, and is told
 * what it says. */
static inline bool path_memory_take(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns,
				    struct startup_start *start)
{
	bool waits = !start->srtt_ns && !(start->options & STARTUP_OPTION_RESUME_AT_ONCE);
	uint64_t bytes = entry->bytes, rtt_ns = entry->rtt_ns;

	if (!bytes || !(waits || path_memory_fits(rtt_ns, start->srtt_ns)) ||
	    !path_memory_use(entry, user, now_ns))
		return false;
	start->remembered_bytes = bytes;
	start->remembered_rtt_ns = rtt_ns;
	return true;
}

/* A connection has heard from its peer. False: it does not have the entry any more, if it had. */
static inline bool path_memory_keep(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns)
{
	if (entry->user != user)
		return false;
	entry->used_ns = now_ns;
	return true;
}

/* A connection ends. If it does not have the entry, nothing changes. */
static inline void path_memory_give_back(struct path_memory_entry *entry, uint64_t user)
{
	__sync_val_compare_and_swap(&entry->user, user, 0);
}

/* The initial window by which a connection's findings are judged: the host's, and no less than RFC
 * 6928's where a SYN was lost, or the connection is no new one. */
static inline uint64_t path_memory_window(const struct startup_start *start, bool is_new)
{
	return max_u64(is_new ? start->cwnd_bytes : 0,
		       STARTUP_BURST_SEGMENTS * (uint64_t)start->mss_bytes);
}

/* What a decision means for what is remembered of the path. */
enum path_memory_news {
	PATH_MEMORY_NO_NEWS,
	PATH_MEMORY_SAVE,
	PATH_MEMORY_FORGET,
};

/* Of a connection with this path_memory_window(). */
static inline enum path_memory_news path_memory_news(const struct startup_decision *decision,
						     uint64_t initial_bytes)
{
	if (!decision->learned_bytes)
		return PATH_MEMORY_NO_NEWS;
	if (decision->learned_bytes == STARTUP_UNLIMITED || !decision->learned_rtt_ns)
		return PATH_MEMORY_FORGET;
	if (decision->learned_bytes / PATH_MEMORY_MIN_WINDOWS < initial_bytes)
		return decision->is_full ? PATH_MEMORY_FORGET : PATH_MEMORY_NO_NEWS;
	return PATH_MEMORY_SAVE;
}

/* Remember what this decision says. True: the connection has the entry, which nobody else had. */
static inline bool path_memory_save(struct path_memory_entry *entry, uint64_t user,
				    const struct startup_decision *decision, uint64_t now_ns)
{
	/* One that did not fill the path says only that it carries so much: what is more, on the
	 * same path, stays. */
	if (decision->is_full || decision->learned_bytes >= entry->bytes ||
	    !path_memory_fits(entry->rtt_ns, decision->learned_rtt_ns)) {
		entry->bytes = decision->learned_bytes;
		entry->rtt_ns = decision->learned_rtt_ns;
		entry->saved_ns = now_ns;
	}
	return path_memory_use(entry, user, now_ns);
}

#endif
