/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The memory of paths: a connection's BDP is remembered for the next connection on the same path.
 * These are the rules of Careful Resume (RFC 9959) for every host. Numbers in brackets are sections
 * of that RFC.
 *
 * A host keeps one entry for each path, which is the sending interface and the destination (2.2).
 * It asks here:
 *
 *   event                           function
 *   a connection begins             path_memory_is_over(): delete the entry;
 *                                   otherwise path_memory_take()
 *   its start-up has decided        path_memory_news(): path_memory_save(), delete, or nothing
 *   it receives from its peer       path_memory_keep()
 *   it ends                         path_memory_give_back()
 *
 * The algorithm does what sections 3.2 to 3.5 say with remembered_bytes of struct startup_start.
 *
 * - There is one entry for a path (3.1). The newest BDP of a full pipe replaces it. A connection
 *   that did not fill the pipe knows only that the path carries at least its BDP. It replaces a
 *   smaller BDP or another path's.
 * - A BDP of less than four initial windows is not remembered (3.1): half of it is no gain. If the
 *   pipe was full, such a BDP shows that a larger remembered one is wrong.
 * - An entry may be used for its Lifetime, which the user chooses (4.3.1). Then it is deleted
 *   (3.2).
 * - One connection at a time uses an entry, until it ends (3.2, 4.2), because it goes on sending
 *   what it found. For the same reason a connection that saves an unused entry uses it from then
 *   on. A second connection finds its share by itself. RFC 9959 does not demand that. A connection
 *   without an ACK for a restart time (RFC 5681, section 4.1) loses the entry, idle or dead.
 * - The RTT must be more than half of the remembered one. Half of the BDP, sent within half of its
 *   RTT, would be a higher rate than was carried. It must be ten times the remembered RTT at most:
 *   a longer RTT is another path's (4.2.1). The host checks the handshake's RTT, the algorithm the
 *   first RTT of data.
 * - Where the handshake gave no RTT, the entry may be used as soon as there is one. With
 *   STARTUP_OPTION_RESUME_AT_ONCE, which does not wait for an RTT, it is not used.
 * - At once, a connection sends behind its initial window before any ACK has confirmed the path.
 *   Who shares the destination's address (NAT) may have taught the entry with a receiver that
 *   acknowledges what it has not received. So this jump is bounded by path_memory_jump():
 *
 *       twice    half of what two different connections have measured, one after the other
 *       cap      100 segments, or what the user chooses
 *       age      halved for each minute since a connection last confirmed it
 *
 *   Where less than an initial window is left, the connection resumes carefully. RFC 9959 has no
 *   such bounds, because it waits for the ACK of the initial window.
 *
 * Hosts with several processors: compare-and-swap decides which connection uses an entry. The other
 * members are written one by one. A reader may see the bytes of one connection and the RTT of
 * another. Both belong to this path.
 */
#ifndef ONRAMP_PATH_MEMORY_H
#define ONRAMP_PATH_MEMORY_H

#include "startup.h"

/* The default Lifetime. RFC 9959 has minutes where paths change. It may exceed the 5 minutes of RFC
 * 7661, because a wrong jump is taken back (4.3.1). */
#define PATH_MEMORY_LIFETIME_NS (600 * NS_PER_S)
/* The share of a remembered BDP that a connection may send before it is validated (3.3): a half. */
#define PATH_MEMORY_JUMP_DIVISOR 2
/* The largest jump at once: ten initial windows of RFC 6928. Ten connections that begin together
 * may send as much into an unknown path. Web browsers open six to one address. */
#define PATH_MEMORY_JUMP_SEGMENTS (10 * STARTUP_BURST_SEGMENTS)
/* The jump at once is halved after each such time. RFC 9959 has minutes where paths change
 * (4.3.1). After ten of them, the default Lifetime, a thousandth is left: nothing. */
#define PATH_MEMORY_HALVING_NS (60 * NS_PER_S)
/* The number of initial windows that are worth remembering. */
#define PATH_MEMORY_MIN_WINDOWS 4
/* An RTT of 1/2 of the remembered one or less, or of more than 10 times, is another path's. */
#define PATH_MEMORY_SHORTER 2
#define PATH_MEMORY_LONGER 10
/* A connection loses its entry after this time without an ACK: an RTO before the first RTT sample
 * (RFC 6298), or this number of RTTs if that is more. */
#define PATH_MEMORY_IDLE_NS NS_PER_S
#define PATH_MEMORY_IDLE_RTTS 4
/* While it receives from its peer, a connection renews its use of the entry at this interval
 * (path_memory_keep()). */
#define PATH_MEMORY_KEEP_NS (PATH_MEMORY_IDLE_NS / 8)

/* The remembered BDP of a path. All zero: nothing. Times are of a clock that goes on while the
 * host sleeps. */
struct path_memory_entry {
	/* The BDP; 0: nothing is remembered. */
	uint64_t bytes;
	/* The minimum RTT when the BDP was measured. */
	uint64_t rtt_ns;
	/* When the BDP was saved. */
	uint64_t saved_ns;
	/* The connection that uses the entry, by its own number; 0: none. */
	uint64_t user;
	/* When that connection last renewed its use. */
	uint64_t used_ns;
	/* The connection that measured the BDP, by its own number. */
	uint64_t author;
	/* The BDP that at least two different connections have measured; 0: none. */
	uint64_t confirmed_bytes;
	/* When a connection last confirmed it. */
	uint64_t confirmed_ns;
};

/* The time since then. One processor may read the clock a little later than another; that is 0. */
static inline uint64_t path_memory_elapsed_ns(uint64_t then_ns, uint64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/* The entry's Lifetime is over. */
static inline bool path_memory_is_over(const struct path_memory_entry *entry, uint64_t now_ns,
				       uint64_t lifetime_ns)
{
	return path_memory_elapsed_ns(entry->saved_ns, now_ns) > lifetime_ns;
}

/* A connection other than this one uses the entry. */
static inline bool path_memory_is_in_use(const struct path_memory_entry *entry, uint64_t user,
					 uint64_t now_ns)
{
	uint64_t idle_ns =
		max_u64(PATH_MEMORY_IDLE_NS,
			min_u64(entry->rtt_ns, PATH_MEMORY_LIFETIME_NS) * PATH_MEMORY_IDLE_RTTS);

	return entry->user && entry->user != user &&
	       path_memory_elapsed_ns(entry->used_ns, now_ns) <= idle_ns;
}

/* The connection uses the entry from now on. False: another one uses it, or was faster. */
static inline bool path_memory_use(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns)
{
	uint64_t prior_user = entry->user;

	if (path_memory_is_in_use(entry, user, now_ns))
		return false;
	/* Set the time first, so that no reader finds a new user with an old time. */
	entry->used_ns = now_ns;
	return __sync_val_compare_and_swap(&entry->user, prior_user, user) == prior_user;
}

/* An RTT of this length fits the remembered path. An RTT of 0 is unknown and does not fit. */
static inline bool path_memory_fits(uint64_t remembered_rtt_ns, uint64_t rtt_ns)
{
	return rtt_ns > remembered_rtt_ns / PATH_MEMORY_SHORTER &&
	       (rtt_ns - 1) / PATH_MEMORY_LONGER < remembered_rtt_ns;
}

/* The initial window that a learned BDP is compared with. It is the host's, and at least that of
 * RFC 6928: a lost SYN makes the host's smaller, and a connection that is not new has none. */
static inline uint64_t path_memory_window(const struct startup_start *start, bool is_new)
{
	return max_u64(is_new ? start->cwnd_bytes : 0,
		       STARTUP_BURST_SEGMENTS * (uint64_t)start->mss_bytes);
}

/* The number of bytes that a connection may send at once behind its initial window; 0: it resumes
 * carefully. max_bytes is the user's cap; 0: the default. */
static inline uint64_t path_memory_jump(const struct path_memory_entry *entry, uint64_t now_ns,
					uint64_t max_bytes, const struct startup_start *start)
{
	uint64_t halvings =
		path_memory_elapsed_ns(entry->confirmed_ns, now_ns) / PATH_MEMORY_HALVING_NS;
	uint64_t bytes = entry->confirmed_bytes / PATH_MEMORY_JUMP_DIVISOR;

	if (!max_bytes)
		max_bytes = PATH_MEMORY_JUMP_SEGMENTS * (uint64_t)start->mss_bytes;
	bytes = halvings < 64 ? min_u64(bytes, max_bytes) >> halvings : 0;
	return bytes < path_memory_window(start, true) ? 0 : bytes;
}

/* A connection begins, and the entry's Lifetime is not over. True: the connection uses the entry
 * from now on, and `start` has the remembered BDP and how it is used. max_jump_bytes is the user's
 * cap of a jump at once; 0: the default. */
static inline bool path_memory_take(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns,
				    uint64_t max_jump_bytes, struct startup_start *start)
{
	uint64_t bytes = entry->bytes, rtt_ns = entry->rtt_ns, jump_bytes = 0;
	uint32_t options = start->options;
	bool waits_for_rtt;

	if (options & STARTUP_OPTION_RESUME_AT_ONCE) {
		jump_bytes = path_memory_jump(entry, now_ns, max_jump_bytes, start);
		if (!jump_bytes)
			options &= ~(uint32_t)STARTUP_OPTION_RESUME_AT_ONCE;
	}
	waits_for_rtt = !start->srtt_ns && !jump_bytes;
	if (!bytes || !(waits_for_rtt || path_memory_fits(rtt_ns, start->srtt_ns)) ||
	    !path_memory_use(entry, user, now_ns))
		return false;
	start->remembered_bytes = bytes;
	start->remembered_rtt_ns = rtt_ns;
	start->jump_bytes = jump_bytes;
	start->options = options;
	return true;
}

/* A connection has received from its peer. False: it does not use the entry (any more). */
static inline bool path_memory_keep(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns)
{
	if (entry->user != user)
		return false;
	entry->used_ns = now_ns;
	return true;
}

/* A connection ends. Nothing changes if it does not use the entry. */
static inline void path_memory_give_back(struct path_memory_entry *entry, uint64_t user)
{
	__sync_val_compare_and_swap(&entry->user, user, 0);
}

/* The effect of a decision on the path's entry. */
enum path_memory_news {
	/* Nothing. */
	PATH_MEMORY_NO_NEWS,
	/* The learned BDP is to be remembered: path_memory_save(). */
	PATH_MEMORY_SAVE,
	/* The remembered BDP is wrong, or no longer worth remembering: delete the entry. */
	PATH_MEMORY_FORGET,
};

/* initial_bytes is the connection's path_memory_window(). */
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

/* A connection has measured this BDP of the path: does that confirm what another one measured? */
static inline void path_memory_confirm(struct path_memory_entry *entry, uint64_t user,
				       const struct startup_decision *decision, uint64_t now_ns)
{
	/* What both of them have measured. */
	uint64_t bytes = min_u64(entry->bytes, decision->learned_bytes);

	if (!path_memory_fits(entry->rtt_ns, decision->learned_rtt_ns)) {
		entry->confirmed_bytes = 0;
		return;
	}
	/* A jump is half of the confirmed BDP, so half of it confirms that the jump is right. */
	if (entry->author != user && bytes >= entry->confirmed_bytes / PATH_MEMORY_JUMP_DIVISOR) {
		entry->confirmed_bytes = max_u64(entry->confirmed_bytes, bytes);
		entry->confirmed_ns = now_ns;
	}
	if (decision->is_full)
		entry->confirmed_bytes = min_u64(entry->confirmed_bytes, decision->learned_bytes);
}

/* Remember the learned BDP of this decision. True: the connection uses the entry from now on, which
 * no other connection used. */
static inline bool path_memory_save(struct path_memory_entry *entry, uint64_t user,
				    const struct startup_decision *decision, uint64_t now_ns)
{
	path_memory_confirm(entry, user, decision, now_ns);
	/* A connection that did not fill the pipe knows only a lower bound of the BDP: a larger BDP
	 * of the same path stays. */
	if (decision->is_full || decision->learned_bytes >= entry->bytes ||
	    !path_memory_fits(entry->rtt_ns, decision->learned_rtt_ns)) {
		entry->bytes = decision->learned_bytes;
		entry->rtt_ns = decision->learned_rtt_ns;
		entry->saved_ns = now_ns;
		entry->author = user;
	}
	return path_memory_use(entry, user, now_ns);
}

#endif
