/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The rate of a path from the spacing of a flight's acknowledgements.
 *
 * Segments that enter a bottleneck faster than it serves them leave it spaced by it, and their
 * acknowledgements bring that spacing back (Jacobson 1988; Keshav 1991). A train is the
 * acknowledgements of one flight. Each is a point: at time t, b segments had been acknowledged. The
 * rate is the slope of the least-squares line through the points:
 *
 *                n * sum(t*b) - sum(t) * sum(b)
 *        rate = --------------------------------
 *                n * sum(t*t) - sum(t)^2
 *
 * Why not (last - first) / time: hosts and networks deliver acknowledgements in batches, and an end
 * of the train that lies in a batch shifts the quotient by the whole batch. The line uses every
 * point, so that its error falls with n^1.5 instead of n.
 *
 * Two other readings of Aron & Druschel's "interarrival times of closely spaced acknowledgements
 * such that the total acknowledged data used to estimate the bandwidth is at least 2 segments" are
 * there to be compared with it:
 *
 *        ends       (last - first) / time of the whole train
 *        closest    the highest rate of successive acknowledgements that are worth 2 segments or
 * more, apart by a tick of the clock or more, and by RTT / 32 at most
 *
 * Acknowledgements that are not closely spaced end the train: a receiver that delays the
 * acknowledgement of the last segment by 40-500 ms says nothing about the path. A gap behind a
 * batch is no such end: what the batch waited for is in it, and a train cut there would have the
 * rate at which the host handles interrupts.
 */
#ifndef ONRAMP_ACK_TRAIN_H
#define ONRAMP_ACK_TRAIN_H

#include "startup.h"

/* Bounds that keep every sum within 64 bits: n * sum(t*t) <= 2^10 * 2^10 * (2^20)^2 = 2^60. Times
 * are counted in units that double when one needs more bits than these, so that short trains keep
 * their nanoseconds. */
#define TRAIN_MAX_POINTS 1024
#define TRAIN_TIME_BITS 20
#define TRAIN_MAX_SEGMENTS 65536
#define TRAIN_MAX_TIME_BITS 40 /* 18 minutes */

/* A gap ends the train when it is longer than both, and more than half of the flight is behind it:
 * the least time that receivers delay an acknowledgement (40 ms on Linux, with room for jitter),
 * and so many of the train's mean gaps, since a slow path's own spacing may be as long. */
#define TRAIN_GAP_NS (25 * UINT64_C(1000000))
#define TRAIN_GAP_MEANS 8

/* The first acknowledgement of a flight finds a host that was idle, and is late by the time that
 * the host takes to wake up: the rate comes out too high. From so many points on the line does
 * without it. */
#define TRAIN_POINTS_WITHOUT_FIRST 4

/* "the total acknowledged data used to estimate the bandwidth is at least 2 segments" (Aron &
 * Druschel, 4.2.1) */
#define TRAIN_MIN_SEGMENTS 2

/* What is closely spaced, for the reading `closest`. The paper is about paths that hold "two orders
 * of magnitude" more than a packet; where every third of 100 packets is acknowledged,
 * acknowledgements lie apart by 3 % of a round trip.
 */
#define TRAIN_CLOSE_PART 32

struct ack_train {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t first_bytes;  /* delivered in total at the first point */
	uint64_t flight_bytes; /* still outstanding then */
	uint64_t sum_t;        /* times in units of 2^time_shift ns since the first point */
	uint64_t sum_b;        /* segments since the first point */
	uint64_t sum_tt;
	uint64_t sum_tb;
	uint64_t sum_bb;
	uint64_t pair_ns;    /* where the present pair begins */
	uint64_t closest_ns; /* the closest pair's distance; 0 before the first */
	uint32_t pair_segments;
	uint32_t closest_segments;
	uint32_t points;
	uint32_t segments; /* of the last point */
	uint32_t time_shift;
	uint32_t closed;
};

/* The first acknowledgement of a flight, with what of it is still outstanding. */
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

static inline bool train_ends_before(const struct ack_train *train, uint64_t now_ns,
				     uint32_t mss_bytes)
{
	uint64_t gap_ns = now_ns - train->last_ns;
	uint64_t mean_times_gaps_ns = train->last_ns - train->first_ns;

	return gap_ns > TRAIN_GAP_NS &&
	       gap_ns * (train->points - 1) > TRAIN_GAP_MEANS * mean_times_gaps_ns &&
	       (uint64_t)train->segments * mss_bytes > train->flight_bytes / 2;
}

/* The pair that ends with this point, if it is worth enough, is it the closest? The next one begins
 * here. */
static inline void train_pair(struct ack_train *train, uint64_t now_ns, uint32_t segments,
			      uint64_t rtt_ns)
{
	uint64_t apart_ns = now_ns - train->pair_ns;
	uint64_t worth = segments - train->pair_segments;
	bool is_close = apart_ns <= rtt_ns / TRAIN_CLOSE_PART;

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

/* A further acknowledgement of the flight, on a path of this round-trip time. */
static inline void train_add(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			     uint32_t mss_bytes, uint64_t rtt_ns)
{
	uint64_t elapsed_ns = now_ns - train->first_ns;
	uint64_t segments = (delivered_bytes - train->first_bytes + mss_bytes / 2) / mss_bytes;
	uint64_t t;
	uint32_t excess;

	if (train->closed)
		return;
	/* A clock or a total that went back is more than a bound, or less than its last. */
	if (now_ns < train->last_ns || segments < train->segments ||
	    elapsed_ns >> TRAIN_MAX_TIME_BITS || segments >= TRAIN_MAX_SEGMENTS ||
	    train->points >= TRAIN_MAX_POINTS || train_ends_before(train, now_ns, mss_bytes)) {
		train->closed = true;
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

/* The first point adds nothing to the sums: to leave it out is to count one less. */
static inline uint64_t train_line_points(const struct ack_train *train)
{
	return train->points >= TRAIN_POINTS_WITHOUT_FIRST ? train->points - 1 : train->points;
}

/* n * sum(t*t) - sum(t)^2: how they differ in time. */
static inline uint64_t train_time_squared(const struct ack_train *train)
{
	return train_line_points(train) * train->sum_tt - train->sum_t * train->sum_t;
}

/* Do the points lie on a line? That is, does it explain nine tenths of how they differ (the
 * coefficient of determination, the square of the correlation)? Where delays vary by more than a
 * train's own spacing, it does not. */
static inline bool train_is_line(const struct ack_train *train)
{
	uint64_t n = train_line_points(train);
	uint64_t segments_squared = n * train->sum_bb - train->sum_b * train->sum_b;
	uint64_t both = n * train->sum_tb - min_u64(train->sum_t * train->sum_b, n * train->sum_tb);
	/* Halve it until its square fits in 64 bits. Where the other side does not, the line
	 * explains little. */
	uint32_t halvings = saturating_sub(bit_length(both), 31);
	uint64_t all =
		mul_div(train_time_squared(train), segments_squared, UINT64_C(1) << 2 * halvings);

	both >>= halvings;
	return all && both * both >= all - all / 10;
}

/* The slope of the line, 0 without extent in time. */
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
	/* Halve both sides of the fraction until its numerator fits in bytes per second, its
	 * denominator in ns. */
	halvings =
		saturating_sub(bit_length(slope_up - slope_down) + bit_length(segment_per_ns), 64);
	halvings = (uint32_t)max_u64(
		halvings, saturating_sub(bit_length(time_squared) + train->time_shift, 64));
	time_squared = time_squared >> halvings << train->time_shift;
	return time_squared ? segment_per_ns * ((slope_up - slope_down) >> halvings) / time_squared
			    : 0;
}

/* The train's rate, 0 if it says nothing: too short, or without extent in time. */
static inline uint64_t train_bytes_per_s(const struct ack_train *train, uint32_t mss_bytes,
					 uint32_t options)
{
	if (train->segments < TRAIN_MIN_SEGMENTS)
		return 0;
	if (options & STARTUP_OPTION_TRAIN_ENDS)
		return rate_bytes_per_s((uint64_t)train->segments * mss_bytes,
					train->last_ns - train->first_ns);
	if (options & STARTUP_OPTION_TRAIN_CLOSEST)
		return rate_bytes_per_s((uint64_t)train->closest_segments * mss_bytes,
					train->closest_ns);
	return train_slope(train, mss_bytes);
}

#endif
