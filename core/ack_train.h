/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The rate of a path from the spacing of a flight's acknowledgements.
 *
 * Segments that enter a bottleneck faster than it serves them leave it spaced by it, and their acknowledgements
 * bring that spacing back (Jacobson 1988; Keshav 1991). A train is the acknowledgements of one flight. Each is a
 * point: at time t, b segments had been acknowledged. The rate is the slope of the least-squares line through
 * the points:
 *
 *                n * sum(t*b) - sum(t) * sum(b)
 *        rate = --------------------------------
 *                n * sum(t*t) - sum(t)^2
 *
 * Why not (last - first) / time: hosts and networks deliver acknowledgements in batches, and an end of the train
 * that lies in a batch shifts the quotient by the whole batch. The line uses every point, so that its error falls
 * with n^1.5 instead of n.
 *
 * Acknowledgements that are not closely spaced end the train: a receiver that delays the acknowledgement of the
 * last segment by 40-500 ms says nothing about the path.
 */
#ifndef ONRAMP_ACK_TRAIN_H
#define ONRAMP_ACK_TRAIN_H

#include "onramp.h"

/* Bounds that keep every sum within 64 bits: n * sum(t*t) <= 2^10 * 2^10 * (2^20)^2 = 2^60. */
#define ONRAMP_TRAIN_MAX_POINTS 1024
#define ONRAMP_TRAIN_TIME_BITS 20
#define ONRAMP_TRAIN_MAX_SEGMENTS 65536

/* A gap ends the train when it exceeds both: so many times the train's mean gap, and this part of the round trip.
 * The first alone would cut a train behind a batch; the second alone a slow path's even spacing. */
#define ONRAMP_TRAIN_GAP_MEANS 8
#define ONRAMP_TRAIN_GAP_RTT_PART 64

/* "the total acknowledged data used to estimate the bandwidth is at least 2 segments" (Aron & Druschel, 4.2.1) */
#define ONRAMP_TRAIN_MIN_SEGMENTS 2

struct onramp_ack_train {
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t first_bytes; /* delivered in total at the first point */
	uint64_t sum_t;       /* times in units of 2^time_shift ns since the first point */
	uint64_t sum_b;       /* segments since the first point */
	uint64_t sum_tt;
	uint64_t sum_tb;
	uint64_t gap_ns; /* srtt / ONRAMP_TRAIN_GAP_RTT_PART */
	uint32_t points;
	uint32_t segments; /* of the last point */
	uint32_t time_shift;
	uint32_t closed;
};

/* The first acknowledgement of a flight. */
static inline void onramp_train_begin(struct onramp_ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
				      uint64_t srtt_ns)
{
	*train = (struct onramp_ack_train){
		.first_ns = now_ns,
		.last_ns = now_ns,
		.first_bytes = delivered_bytes,
		.gap_ns = srtt_ns / ONRAMP_TRAIN_GAP_RTT_PART,
		.points = 1,
		/* A flight's acknowledgements arrive within about a round trip; twice that is room for its growth. */
		.time_shift = onramp_excess(onramp_bits(srtt_ns) + 1, ONRAMP_TRAIN_TIME_BITS),
	};
}

/* A further acknowledgement of the flight. */
static inline void onramp_train_add(struct onramp_ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
				    uint32_t mss_bytes)
{
	uint64_t t = (now_ns - train->first_ns) >> train->time_shift;
	uint64_t segments = (delivered_bytes - train->first_bytes + mss_bytes / 2) / mss_bytes;
	uint64_t gap_ns = now_ns - train->last_ns;
	bool close = gap_ns <= train->gap_ns ||
		     gap_ns * (train->points - 1) <= ONRAMP_TRAIN_GAP_MEANS * (train->last_ns - train->first_ns) ||
		     train->points < 3;

	if (train->closed)
		return;
	if (!close || train->points >= ONRAMP_TRAIN_MAX_POINTS || segments >= ONRAMP_TRAIN_MAX_SEGMENTS ||
	    t >> ONRAMP_TRAIN_TIME_BITS) {
		train->closed = true;
		return;
	}
	train->sum_t += t;
	train->sum_b += segments;
	train->sum_tt += t * t;
	train->sum_tb += t * segments;
	train->points++;
	train->segments = (uint32_t)segments;
	train->last_ns = now_ns;
}

/* The train's rate, 0 if it says nothing: too short, or without extent in time. */
static inline uint64_t onramp_train_bytes_per_s(const struct onramp_ack_train *train, uint32_t mss_bytes)
{
	uint64_t n = train->points;
	uint64_t time_squared = n * train->sum_tt - train->sum_t * train->sum_t;
	uint64_t slope_up = n * train->sum_tb;
	uint64_t slope_down = train->sum_t * train->sum_b;
	uint64_t slope, ns_per_segment;
	uint32_t halvings;

	if (train->segments < ONRAMP_TRAIN_MIN_SEGMENTS || n < 2 || slope_up <= slope_down)
		return 0;
	/* Halve both sides of the fraction until its numerator fits in nanoseconds. */
	halvings = onramp_excess(onramp_bits(time_squared) + train->time_shift, 63);
	slope = (slope_up - slope_down) >> halvings;
	if (!slope)
		return 0;
	ns_per_segment = ((time_squared >> halvings) << train->time_shift) / slope;
	return ns_per_segment ? mss_bytes * ONRAMP_NS_PER_S / ns_per_segment : 0;
}

#endif
