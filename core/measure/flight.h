/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A sender's flights, one after the other. When the first ACK of a flight arrives, the segments
 * then in flight are the next flight. Each flight has the train of its ACKs
 * (core/measure/ack_train.h), and a record of what limited the sender.
 *
 * A train shows a rate only where its ACKs are wider apart than its segments left. Otherwise the
 * sender has spaced them: its pacer, an application that thinks or writes in parts, or a datagram
 * that discovers the MTU and leaves ahead of the first data. So with QUIC an ACK that is as far
 * behind the first one as its segment left behind that one's divides the flight. The train is what
 * left together: behind this ACK, or before it where it stands in the second half of the flight. A
 * host that paces the whole flight sees no train of two ACKs. TCP's flights are not divided: an ACK
 * that arrives late would do so as well.
 */
#ifndef ONRAMP_FLIGHT_H
#define ONRAMP_FLIGHT_H

#include "measure/ack_train.h"
#include "startup.h"

/* A flight of fewer segments behind its first ACK shows no rate without the last of them. */
#define FLIGHT_MIN_SEGMENTS 4

struct flight {
	struct ack_train train;
	uint64_t last_bytes;    /* bytes in flight at the start of the last flight */
	uint64_t end_bytes;     /* the flight ends when this much is delivered in total; 0: between
				   flights */
	uint64_t silence_ns;    /* the longest time between two ACKs of the train */
	uint64_t first_bytes;   /* delivered in total at its first ACK */
	uint64_t first_left_ns; /* when the segment of the train's first RTT sample left; 0: none */
	uint64_t left_ns;       /* the same of its latest RTT sample */
	uint32_t acks;          /* ACKs of this flight */
	uint32_t app_limited;   /* those with STARTUP_ACK_APP_LIMITED */
	uint32_t cwnd_limited;  /* those with STARTUP_ACK_CWND_LIMITED */
	/* The application limited the last flight, while this flight was sent. */
	uint32_t sent_app_limited;
	uint32_t mss_bytes; /* of this flight */
	/* Not 0: a flight is complete without its last segment, and divided where the sender has
	 * spaced it (STARTUP_OPTION_DELAYED_ACKS). */
	uint32_t last_is_delayed;
};

/* The application limited this flight most of the time. A program that waits for room in its send
 * buffer always has nothing unsent for a moment. */
static inline bool flight_app_limited(const struct flight *flight)
{
	return 2 * flight->app_limited > flight->acks;
}

/* What must be delivered in total, so that the flight is complete. The ACK of a last segment that
 * is the first of two waits for the next flight: a round trip, or the time by which the receiver
 * delays ACKs. */
static inline uint64_t flight_complete_bytes(const struct flight *flight)
{
	uint64_t bytes = flight->end_bytes - flight->train.first_bytes;

	return flight->last_is_delayed && bytes >= FLIGHT_MIN_SEGMENTS * flight->mss_bytes
		       ? flight->end_bytes - flight->mss_bytes
		       : flight->end_bytes;
}

/* Note when the segment of an RTT sample left. */
static inline void flight_note_left(struct flight *flight, const struct startup_ack *ack)
{
	if (!ack->rtt_ns)
		return;
	flight->left_ns = ack->now_ns - ack->rtt_ns;
	if (!flight->first_left_ns)
		flight->first_left_ns = flight->left_ns;
}

static inline void flight_begin_train(struct flight *flight, const struct startup_ack *ack)
{
	flight->silence_ns = 0;
	flight->first_left_ns = 0;
	flight_note_left(flight, ack);
	train_begin(&flight->train, ack->now_ns, ack->delivered_bytes, ack->inflight_bytes);
}

/* This ACK is as far behind the train's first one as its segment left behind that one's: the sender
 * has spaced them (STARTUP_OPTION_DELAYED_ACKS). */
static inline bool flight_is_of_sender(const struct flight *flight, const struct startup_ack *ack)
{
	uint64_t arrived_ns = ack->now_ns - flight->train.first_ns;
	uint64_t left_ns = ack->now_ns - ack->rtt_ns;
	/* Segments may be acknowledged in another order than they left. */
	uint64_t leaving_ns = left_ns - min_u64(flight->first_left_ns, left_ns);

	return flight->last_is_delayed && ack->rtt_ns &&
	       leaving_ns > arrived_ns / 4 * TRAIN_LEAVING_QUARTERS &&
	       arrived_ns > leaving_ns / 4 * TRAIN_LEAVING_QUARTERS;
}

/* Follow the flights. True when this ACK completes one. */
static inline bool flight_ends(struct flight *flight, const struct startup_ack *ack)
{
	/* A change of the MSS, or a wrap of the host's count, makes totals incomparable. */
	if (ack->mss_bytes != flight->mss_bytes || ack->delivered_bytes < flight->train.first_bytes)
		flight->end_bytes = 0;
	if (!flight->end_bytes) {
		flight->mss_bytes = ack->mss_bytes;
		flight->first_bytes = ack->delivered_bytes;
		flight->end_bytes = ack->delivered_bytes + ack->inflight_bytes;
		flight->sent_app_limited = flight_app_limited(flight);
		flight->last_bytes = flight->train.flight_bytes;
		flight->acks = 0;
		flight->app_limited = 0;
		flight->cwnd_limited = 0;
		flight_begin_train(flight, ack);
	} else if (flight_is_of_sender(flight, ack)) {
		if (ack->delivered_bytes - flight->train.first_bytes <=
		    (flight->end_bytes - flight->train.first_bytes) / 2)
			flight_begin_train(flight, ack);
		else
			flight->train.is_closed = true;
	} else if (ack->delivered_bytes <= flight->end_bytes) {
		/* An ACK that covers segments of the next flight too has waited for them: leave it
		 * out. */
		uint64_t gap_ns = ack->now_ns - flight->train.last_ns;

		train_add(&flight->train, ack->now_ns, ack->delivered_bytes, ack->mss_bytes,
			  ack->srtt_ns);
		if (!flight->train.is_closed) {
			flight->silence_ns = max_u64(flight->silence_ns, gap_ns);
			flight_note_left(flight, ack);
		}
	}
	flight->acks++;
	flight->app_limited += (ack->flags & STARTUP_ACK_APP_LIMITED) != 0;
	flight->cwnd_limited += (ack->flags & STARTUP_ACK_CWND_LIMITED) != 0;
	if (ack->delivered_bytes < flight_complete_bytes(flight))
		return false;
	flight->end_bytes = 0;
	return true;
}

/* The train's segments left closer together than its ACKs arrived: the bottleneck has spaced the
 * ACKs, not the sender. Where the last sample is of an earlier segment than the first, the
 * difference wraps, and the answer is no. */
static inline bool flight_is_of_path(const struct flight *flight)
{
	return flight->left_ns - flight->first_left_ns <=
	       (flight->train.last_ns - flight->train.first_ns) / 4 * TRAIN_LEAVING_QUARTERS;
}

/* The rate of the flight that just ended; 0 if it shows nothing about the path. The ACK spacing of
 * an app-limited flight is the application's. */
static inline uint64_t flight_bytes_per_s(const struct flight *flight,
					  const struct startup_ack *ack, uint64_t variant)
{
	if (flight->sent_app_limited || flight_app_limited(flight))
		return 0;
	return train_bytes_per_s(&flight->train, ack->mss_bytes, variant);
}

#endif
