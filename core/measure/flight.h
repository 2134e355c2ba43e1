/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A sender's flights, one after the other: what is outstanding when the acknowledgements of one
 * begin to arrive is the next. Of each flight: the train of its acknowledgements
 * (core/measure/ack_train.h), and what held the sender back.
 */
#ifndef ONRAMP_FLIGHT_H
#define ONRAMP_FLIGHT_H

#include "measure/ack_train.h"
#include "startup.h"

struct flight {
	struct ack_train train;
	uint64_t last_bytes; /* of the flight before this one */
	uint64_t end_bytes;  /* delivered in total when the present flight is acknowledged; 0:
				between flights */
	uint64_t silence_ns; /* the longest time between two acknowledgements of the train */
	uint32_t acks;       /* acknowledgements of this flight */
	uint32_t app_limited;
	uint32_t cwnd_limited;
	uint32_t sent_app_limited; /* the application was the limit of the flight before, while this
				      one was sent */
	uint32_t mss_bytes;        /* of this flight */
	uint32_t reserved;
};

/* Was the application the limit of this flight? Most of the time, that is: a program that waits for
 * room in its send buffer always has nothing unsent for a moment. */
static inline bool flight_app_limited(const struct flight *flight)
{
	return 2 * flight->app_limited > flight->acks;
}

/* Follow the flights. True when this acknowledgement completes one. */
static inline bool flight_ends(struct flight *flight, const struct startup_ack *ack)
{
	/* Totals before and after a change of the MSS, or a wrap of the host's, have nothing in
	 * common. */
	if (ack->mss_bytes != flight->mss_bytes || ack->delivered_bytes < flight->train.first_bytes)
		flight->end_bytes = 0;
	if (!flight->end_bytes) {
		flight->mss_bytes = ack->mss_bytes;
		flight->end_bytes = ack->delivered_bytes + ack->inflight_bytes;
		flight->sent_app_limited = flight_app_limited(flight);
		flight->last_bytes = flight->train.flight_bytes;
		flight->acks = 0;
		flight->app_limited = 0;
		flight->cwnd_limited = 0;
		flight->silence_ns = 0;
		train_begin(&flight->train, ack->now_ns, ack->delivered_bytes, ack->inflight_bytes);
	} else if (ack->delivered_bytes <= flight->end_bytes) {
		/* One that covers segments of the next flight too had to wait for them. */
		uint64_t gap_ns = ack->now_ns - flight->train.last_ns;

		train_add(&flight->train, ack->now_ns, ack->delivered_bytes, ack->mss_bytes,
			  ack->srtt_ns);
		if (!flight->train.closed)
			flight->silence_ns = max_u64(flight->silence_ns, gap_ns);
	}
	flight->acks++;
	flight->app_limited += (ack->flags & STARTUP_ACK_APP_LIMITED) != 0;
	flight->cwnd_limited += (ack->flags & STARTUP_ACK_CWND_LIMITED) != 0;
	if (ack->delivered_bytes < flight->end_bytes)
		return false;
	flight->end_bytes = 0;
	return true;
}

/* The rate of the flight that just ended, in bytes per second; 0 if it says nothing about the path.
 * The spacing of what an application had no more of is the application's. */
static inline uint64_t flight_bytes_per_s(const struct flight *flight,
					  const struct startup_ack *ack, uint32_t options)
{
	if (flight->sent_app_limited || flight_app_limited(flight))
		return 0;
	return train_bytes_per_s(&flight->train, ack->mss_bytes, options);
}

#endif
