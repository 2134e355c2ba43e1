/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * RTT noise: the part of an RTT increase that is jitter or ACK aggregation, recognised by sudden
 * drops of the RTT.
 *
 * A path may hold segments back for a moment: a radio channel's turn, a retransmission below IP,
 * interrupt coalescing. Then they arrive all at once, and their ACKs arrive much faster than the
 * segments left. From one ACK to the next, the RTT drops by many times the time between the two
 * ACKs. A queue that the sender built becomes shorter as fast only behind a burst, after which the
 * sender paused. For a burst of ten segments, acknowledged two by two, the RTT drops by five times
 * the time between ACKs at most.
 *
 *   drop  = sum of successive drops that are each longer than five times the time between ACKs
 *   noise = median of the largest drops of this flight and of the two flights before
 *
 * A path that becomes shorter causes one such drop, which is no noise. So two of three flights must
 * have the drop. Until there are three: the first flight's drop, then the larger of two.
 */
#ifndef ONRAMP_RTT_NOISE_H
#define ONRAMP_RTT_NOISE_H

#include "startup.h"

/* A drop is noise if it is more than this number of times as long as the time between two ACKs. */
#define RTT_NOISE_DROP_FACTOR (STARTUP_BURST_SEGMENTS / 2)

struct rtt_noise {
	uint64_t noise_ns;    /* the result */
	uint64_t drops_ns[3]; /* the largest of this flight and of the two flights before */
	uint64_t drop_ns;     /* of the latest successive samples */
	uint64_t last_rtt_ns; /* the latest sample; 0: none yet */
	uint64_t last_ack_ns; /* when the latest sample was taken */
};

static inline void rtt_noise_begin(struct rtt_noise *noise)
{
	*noise = (struct rtt_noise){.drops_ns = {0, STARTUP_UNLIMITED, 0}};
}

/* Take the RTT sample of an ACK. flight_ends: this ACK completes a flight. */
static inline void rtt_noise_add(struct rtt_noise *noise, const struct startup_ack *ack,
				 bool flight_ends)
{
	uint64_t *drops_ns = noise->drops_ns;
	uint64_t drop_ns = noise->last_rtt_ns > ack->rtt_ns ? noise->last_rtt_ns - ack->rtt_ns : 0;

	if (ack->rtt_ns) {
		noise->drop_ns = drop_ns / RTT_NOISE_DROP_FACTOR > ack->now_ns - noise->last_ack_ns
					 ? noise->drop_ns + drop_ns
					 : 0;
		drops_ns[0] = max_u64(drops_ns[0], noise->drop_ns);
		noise->last_rtt_ns = ack->rtt_ns;
		noise->last_ack_ns = ack->now_ns;
	}
	if (!flight_ends)
		return;
	noise->noise_ns = max_u64(min_u64(drops_ns[0], drops_ns[1]),
				  min_u64(max_u64(drops_ns[0], drops_ns[1]), drops_ns[2]));
	drops_ns[2] = drops_ns[1];
	drops_ns[1] = drops_ns[0];
	drops_ns[0] = 0;
}

#endif
