/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The rate of a path from the spacing of a flight's ACKs.
 *
 * Segments that enter a bottleneck faster than it serves them leave it at its rate, and their ACKs
 * carry that spacing back (Jacobson 1988; Keshav 1991). A train is the ACKs of one flight. Each ACK
 * is a point: at time t, b segments had been acknowledged. The rate is the slope of the
 * least-squares line through the points:
 *
 *                n * sum(t*b) - sum(t) * sum(b)
 *        rate = --------------------------------
 *                n * sum(t*t) - sum(t)^2
 *
 * Why not (last - first) / time: hosts and networks deliver ACKs in batches. An end of the train
 * that lies within a batch shifts the quotient by the whole batch. The line uses every point, so
 * its error falls with n^1.5 instead of n.
 *
 * Aron & Druschel use the "interarrival times of closely spaced acknowledgements such that the
 * total acknowledged data used to estimate the bandwidth is at least 2 segments". Two other
 * interpretations of this can be chosen, to compare them with the line:
 *
 *        ends       (last - first) / time of the whole train
 *        closest    the highest rate of two successive ACKs that are worth 2 segments or more, and
 *                   are a clock tick to RTT / 32 apart
 *
 * ACKs that are not closely spaced end the train. A receiver that delays the ACK of the last
 * segment by 40-500 ms shows nothing about the path. A gap behind a batch does not end the train,
 * because it contains what the batch waited for. A train cut there would have the rate at which the
 * host handles interrupts.
 */
#ifndef ONRAMP_ACK_TRAIN_H
#define ONRAMP_ACK_TRAIN_H

#include "startup.h"

/* Bits of the variant of each algorithm that measures trains: the other interpretations. */
enum train_variant {
	TRAIN_ENDS = 1 << 0,
	TRAIN_CLOSEST = 1 << 1,
};

#define TRAIN_VARIANTS(V) V("train", "ends", TRAIN_ENDS) V("train", "closest", TRAIN_CLOSEST)

/* Bounds that keep every sum within 64 bits: n * sum(t*t) <= 2^10 * 2^10 * (2^20)^2 = 2^60. The
 * unit of time doubles when a time needs more bits than these, so short trains keep their
 * nanoseconds. */
#define TRAIN_MAX_POINTS 1024
#define TRAIN_TIME_BITS 20
#define TRAIN_MAX_SEGMENTS 65536
#define TRAIN_MAX_TIME_BITS 40 /* 18 minutes */

/* A gap ends the train when it is longer than both of these, and more than half of the flight was
 * acknowledged before it. The first is the minimum time by which receivers delay an ACK (40 ms on
 * Linux, with room for jitter). The second is this number of the train's mean gaps, since ACKs of a
 * slow path may be as far apart. */
#define TRAIN_GAP_NS (25 * UINT64_C(1000000))
#define TRAIN_GAP_MEANS 8

/* The first ACK of a flight finds an idle host, and is late by the time that the host needs to wake
 * up. The rate is too high then. From this number of points on, the line leaves the first out. */
#define TRAIN_POINTS_WITHOUT_FIRST 4

/* "the total acknowledged data used to estimate the bandwidth is at least 2 segments" (Aron &
 * Druschel, 4.2.1) */
#define TRAIN_MIN_SEGMENTS 2

/* ACKs are closely spaced within RTT / 32, for the method `closest`. The paper is about paths
 * whose BDP is "two orders of magnitude" more than a packet. Where every third of 100 packets is
 * acknowledged, ACKs are 3 % of an RTT apart. */
#define TRAIN_CLOSE_DIVISOR 32

/* The points form a line if it leaves at most a tenth of their variance unexplained. */
#define TRAIN_UNEXPLAINED_DIVISOR 10

/* Quarters of the time over which a train arrived, within which its segments must have left:
 * between slow start's half and the whole, where the spacing is the sender's. */
#define TRAIN_LEAVING_QUARTERS 3

struct ack_train {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t first_bytes;  /* delivered in total at the first point */
	uint64_t flight_bytes; /* in flight at the first point */
	uint64_t sum_t;        /* times since the first point, in units of 2^time_shift ns */
	uint64_t sum_b;        /* segments since the first point */
	uint64_t sum_tt;
	uint64_t sum_tb;
	uint64_t sum_bb;
	uint64_t pair_ns;    /* `closest`: when the present pair of ACKs begins */
	uint64_t closest_ns; /* the time between the closest pair; 0: none yet */
	uint32_t pair_segments;
	uint32_t closest_segments;
	uint32_t points;
	uint32_t segments; /* at the last point */
	uint32_t time_shift;
	uint32_t is_closed; /* a bound was exceeded: no further points */
};

/* Begin with the first ACK of a flight, of which flight_bytes are still in flight. */
static inline void train_begin(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			       uint64_t flight_bytes)
{
	*train = (struct ack_train){
		.first_ns = now_ns,
		.last_ns = now_ns,
		.pair_ns = now_ns,
		.first_bytes = delivered_bytes,
		.flight_bytes = flight_bytes,
		.points = 1,
	};
}

/* The gap before this ACK ends the train. */
static inline bool train_ends_before(const struct ack_train *train, uint64_t now_ns,
				     uint32_t mss_bytes)
{
	uint64_t gap_ns = now_ns - train->last_ns;
	uint64_t mean_times_gaps_ns = train->last_ns - train->first_ns;

	return gap_ns > TRAIN_GAP_NS &&
	       gap_ns * (train->points - 1) > TRAIN_GAP_MEANS * mean_times_gaps_ns &&
	       (uint64_t)train->segments * mss_bytes > train->flight_bytes / 2;
}

/* `closest`: this point ends a pair if the two ACKs are worth enough. Keep the closest pair. The
 * next pair begins here. */
static inline void train_pair(struct ack_train *train, uint64_t now_ns, uint32_t segments,
			      uint64_t rtt_ns)
{
	uint64_t apart_ns = now_ns - train->pair_ns;
	uint64_t worth = segments - train->pair_segments;
	bool is_close = apart_ns <= rtt_ns / TRAIN_CLOSE_DIVISOR;

	if (is_close && (worth < TRAIN_MIN_SEGMENTS || !apart_ns))
		return;
	/* Times are below 2^40, segments below 2^16. */
	if (is_close && (!train->closest_ns ||
			 worth * train->closest_ns > train->closest_segments * apart_ns)) {
		train->closest_ns = apart_ns;
		train->closest_segments = (uint32_t)worth;
	}
	train->pair_ns = now_ns;
	train->pair_segments = segments;
}

/* Add a further ACK of the flight. */
static inline void train_add(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			     uint32_t mss_bytes, uint64_t rtt_ns)
{
	uint64_t elapsed_ns = now_ns - train->first_ns;
	uint64_t segments = (delivered_bytes - train->first_bytes + mss_bytes / 2) / mss_bytes;
	uint64_t t;
	uint32_t excess;

	if (train->is_closed)
		return;
	/* Close the train when time or bytes run backwards or a bound is exceeded. */
	if (now_ns < train->last_ns || segments < train->segments ||
	    elapsed_ns >> TRAIN_MAX_TIME_BITS || segments >= TRAIN_MAX_SEGMENTS ||
	    train->points >= TRAIN_MAX_POINTS || train_ends_before(train, now_ns, mss_bytes)) {
		train->is_closed = true;
		return;
	}
	excess = saturating_sub(bit_length(elapsed_ns >> train->time_shift), TRAIN_TIME_BITS);
	train->time_shift += excess;
	train->sum_t >>= excess;
	train->sum_tb >>= excess;
	train->sum_tt >>= 2 * excess;
	t = elapsed_ns >> train->time_shift;

	train_pair(train, now_ns, (uint32_t)segments, rtt_ns);
	train->sum_t += t;
	train->sum_b += segments;
	train->sum_tt += t * t;
	train->sum_tb += t * segments;
	train->sum_bb += segments * segments;
	train->points++;
	train->segments = (uint32_t)segments;
	train->last_ns = now_ns;
}

/* The number of points of the line. The first point adds nothing to the sums, so leaving it out
 * means counting one less. */
static inline uint64_t train_line_points(const struct ack_train *train)
{
	return train->points >= TRAIN_POINTS_WITHOUT_FIRST ? train->points - 1 : train->points;
}

/* n * sum(t*t) - sum(t)^2: the variance of the times, times n^2. */
static inline uint64_t train_time_squared(const struct ack_train *train)
{
	return train_line_points(train) * train->sum_tt - train->sum_t * train->sum_t;
}

/* The line explains nine tenths of the variance (the coefficient of determination, which is the
 * square of the correlation). It does not where delays vary by more than the train's own spacing.
 */
static inline bool train_is_line(const struct ack_train *train)
{
	uint64_t n = train_line_points(train);
	uint64_t segments_squared = n * train->sum_bb - train->sum_b * train->sum_b;
	uint64_t both = n * train->sum_tb - min_u64(train->sum_t * train->sum_b, n * train->sum_tb);
	/* Halve it until its square fits in 64 bits. If the other side does not fit, the line
	 * explains little. */
	uint32_t halvings = saturating_sub(bit_length(both), 31);
	uint64_t all =
		mul_div(train_time_squared(train), segments_squared, UINT64_C(1) << 2 * halvings);

	both >>= halvings;
	return all && both * both >= all - all / TRAIN_UNEXPLAINED_DIVISOR;
}

/* The slope of the line in bytes per second; 0 if the train has no duration. */
static inline uint64_t train_slope(const struct ack_train *train, uint32_t mss_bytes)
{
	uint64_t n = train_line_points(train);
	uint64_t time_squared = train_time_squared(train);
	uint64_t slope_up = n * train->sum_tb;
	uint64_t slope_down = train->sum_t * train->sum_b;
	uint64_t segment_per_ns = mss_bytes * NS_PER_S;
	uint32_t halvings;

	if (slope_up <= slope_down)
		return 0;
	/* Halve numerator and denominator until the numerator fits in bytes per second and the
	 * denominator in ns. */
	halvings =
		saturating_sub(bit_length(slope_up - slope_down) + bit_length(segment_per_ns), 64);
	halvings = (uint32_t)max_u64(
		halvings, saturating_sub(bit_length(time_squared) + train->time_shift, 64));
	time_squared = time_squared >> halvings << train->time_shift;
	return time_squared ? segment_per_ns * ((slope_up - slope_down) >> halvings) / time_squared
			    : 0;
}

/* The train's rate; 0 if the train is too short or has no duration. */
static inline uint64_t train_bytes_per_s(const struct ack_train *train, uint32_t mss_bytes,
					 uint64_t variant)
{
	if (train->segments < TRAIN_MIN_SEGMENTS)
		return 0;
	if (variant & TRAIN_ENDS)
		return rate_bytes_per_s((uint64_t)train->segments * mss_bytes,
					train->last_ns - train->first_ns);
	if (variant & TRAIN_CLOSEST)
		return rate_bytes_per_s((uint64_t)train->closest_segments * mss_bytes,
					train->closest_ns);
	return train_slope(train, mss_bytes);
}

#endif
