/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The governor: where start-ups retransmit too much, new connections begin with slow start.
 *
 * A start-up algorithm can be wrong about a path, for example behind a policer. The governor bounds
 * the damage. It keeps an average of the share of segments that start-ups retransmitted. While the
 * average exceeds a bound, the host starts the algorithm on one connection of 16 only. The others
 * begin as they would without Onramp. The 16th connections show when the path is better again: they
 * go into the average, and the others follow when it falls to the bound.
 *
 *                    share > bound, and enough start-ups in the average
 *        +-----------+ -----------------------------------------> +-----------------------+
 *        | ALL START |                                            | ONE OF 16 STARTS       |
 *        +-----------+ <----------------------------------------- +-----------------------+
 *                    share <= bound, or no start-up ended for 10 minutes
 *
 * A host keeps one average for all of its connections, and one for each destination that lost
 * segments. It asks here:
 *
 *   event                            function
 *   a connection begins              governor_exceeds() for the destination's average, then for the
 *                                    host's. The first that exceeds the bound decides, by
 *                                    governor_starts()
 *   a start-up ends                  if governor_counts(): governor_add() to both averages
 *   its last flight is repaired      governor_add_late() to both
 *
 * The average
 * - A start-up's share is retransmitted / sent. Both count segments of the start-up, and `sent`
 *   includes the retransmitted ones. The last flight of a start-up may be repaired after its end,
 *   so a host reports those retransmissions later.
 * - Each start-up has the same weight. Otherwise one large transfer would decide for all.
 * - A start-up that sent no more than an initial window did nothing that slow start would not do.
 *   It does not count.
 * - Connections that the governor held back do not count, because they show nothing about the
 *   algorithm. So a bad destination stops counting against the whole host when its own average
 *   exceeds the bound.
 *
 * The averages are exponentially weighted moving averages (EWMA). The first N start-ups have equal
 * weights, and from then on each has the weight 1/N.
 *
 * The bound
 * Slow start that meets a full queue loses half of its last window. In this order it has sent the
 * windows 1, 2, 4 ... W and 2W, so 4W segments. It retransmits the lost W: a fifth of the 5W
 * segments that it has sent by then (20 %), on any path with a drop-tail queue on which HyStart
 * does not end slow start earlier. The governor must tolerate what CUBIC itself does. So the
 * default bound is a quarter: a start-up that exceeds it on average retransmits more than slow
 * start does where slow start is at its worst.
 *
 * Hosts with several processors: the members of an average are read and written without a lock. If
 * two start-ups end at the same moment, one of them may be missing in the average. Only the turn
 * (`held`) must be counted with an atomic addition.
 */
#ifndef ONRAMP_GOVERNOR_H
#define ONRAMP_GOVERNOR_H

#include "startup.h"

/* Shares are in parts per million. */
#define GOVERNOR_PPM 1000000
/* The default bound: 25 %, see above. */
#define GOVERNOR_BOUND_PPM 250000
/* N of a host's average. Clients can make their start-ups look bad, by withholding ACKs. A
 * destination is governed after GOVERNOR_DESTINATION_STARTUPS / 2 of them. With 128, it takes five
 * such destinations to govern all others too. */
#define GOVERNOR_HOST_STARTUPS 128
/* N of a destination's average. Its connections share a path, so fewer start-ups tell enough. */
#define GOVERNOR_DESTINATION_STARTUPS 16
/* An average decides when it has N / 2 start-ups. */
#define GOVERNOR_MIN_DIVISOR 2
/* One connection of this number starts its algorithm while the bound is exceeded. */
#define GOVERNOR_TRY_INTERVAL 16
/* An average into which no start-up has gone for this time is forgotten. It is the Lifetime of the
 * path memory (core/parts/path_memory.h), for the same reason: paths change. */
#define GOVERNOR_LIFETIME_NS (600 * NS_PER_S)
_Static_assert(GOVERNOR_TRY_INTERVAL == 16 && GOVERNOR_BOUND_PPM == GOVERNOR_PPM / 4 &&
		       GOVERNOR_LIFETIME_NS == 10 * 60 * NS_PER_S,
	       "the numbers of the essay");

/* The average share of start-ups. All zero: no start-up yet. */
struct governor_average {
	/* The share, in parts per million. */
	uint32_t share_ppm;
	/* The start-ups in the average, at most N. */
	uint32_t startups;
	/* When the latest start-up went into it. */
	uint64_t updated_ns;
	/* The connections that have asked while the bound was exceeded. */
	uint64_t held;
};

/* The share of `sent` segments that are retransmissions. */
static inline uint32_t governor_share_ppm(uint64_t sent, uint64_t retransmitted)
{
	return sent ? (uint32_t)mul_div(min_u64(retransmitted, sent), GOVERNOR_PPM, sent) : 0;
}

/* The start-up sent enough to count. */
static inline bool governor_counts(uint64_t sent)
{
	return sent > STARTUP_BURST_SEGMENTS;
}

/* No start-up has gone into the average for its lifetime. One processor may read the clock a little
 * later than another. */
static inline bool governor_is_forgotten(const struct governor_average *average, uint64_t now_ns)
{
	return now_ns > average->updated_ns && now_ns - average->updated_ns > GOVERNOR_LIFETIME_NS;
}

/* A start-up with this share has ended. n is the average's N. */
static inline void governor_add(struct governor_average *average, uint32_t share_ppm, uint32_t n,
				uint64_t now_ns)
{
	bool is_fresh = !average->startups || governor_is_forgotten(average, now_ns);
	uint32_t startups = is_fresh ? 1 : (uint32_t)min_u64((uint64_t)average->startups + 1, n);
	uint32_t mean = is_fresh ? 0 : average->share_ppm;

	share_ppm = (uint32_t)min_u64(share_ppm, GOVERNOR_PPM);
	if (share_ppm > mean)
		mean += (share_ppm - mean) / startups;
	else
		mean -= (mean - share_ppm) / startups;
	average->share_ppm = mean;
	average->startups = startups;
	average->updated_ns = now_ns;
}

/* A start-up that is in the average has retransmitted more: its share has grown by this much. */
static inline void governor_add_late(struct governor_average *average, uint32_t share_ppm,
				     uint64_t now_ns)
{
	uint32_t startups = average->startups;

	if (!startups || governor_is_forgotten(average, now_ns))
		return;
	average->share_ppm = (uint32_t)min_u64((uint64_t)average->share_ppm +
						       min_u64(share_ppm, GOVERNOR_PPM) / startups,
					       GOVERNOR_PPM);
}

/* New connections are to begin with slow start. n is the average's N. */
static inline bool governor_exceeds(const struct governor_average *average, uint32_t bound_ppm,
				    uint32_t n, uint64_t now_ns)
{
	return average->startups >= n / GOVERNOR_MIN_DIVISOR && average->share_ppm > bound_ppm &&
	       !governor_is_forgotten(average, now_ns);
}

/* Although the bound is exceeded, this connection starts its algorithm. `held` is the number of
 * connections that asked before it. */
static inline bool governor_starts(uint64_t held)
{
	return held % GOVERNOR_TRY_INTERVAL == GOVERNOR_TRY_INTERVAL - 1;
}

#endif
