/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * How much of a delay is no queue: what samples of the round trip fall by, faster than any queue of
 * the sender's own.
 *
 * Segments wait where the path holds them up for a moment (a radio channel's turn, a retransmission
 * below IP, an interrupt that waits for more), and then come all at once. Their acknowledgements
 * come much faster than the segments left: from one to the next the sample falls by many times the
 * time between them. A queue that the sender built becomes shorter as fast only where the sender
 * paused, behind a burst: of ten segments, acknowledged two by two, it falls by five times that
 * time at the most.
 *
 *   fall  = sum over samples in succession that fall by more than five times the time between them
 *   noise = of the largest falls of this flight and of the two before, the middle one
 *
 * A path that becomes shorter is one such fall, and no noise: what two of three flights had is
 * believed; of the first flight, what it had, and of two the larger.
 */
#ifndef ONRAMP_RTT_NOISE_H
#define ONRAMP_RTT_NOISE_H

#include "startup.h"

#define RTT_NOISE_TIMES (STARTUP_BURST_SEGMENTS / 2)

struct rtt_noise {
	uint64_t noise_ns;
	uint64_t falls_ns[3]; /* the largest of this flight, and of the two before */
	uint64_t fall_ns;     /* of the latest samples in succession */
	uint64_t last_rtt_ns; /* the latest sample; 0: none yet */
	uint64_t last_ns;     /* and when it was taken */
};

static inline void rtt_noise_begin(struct rtt_noise *noise)
{
	*noise = (struct rtt_noise){.falls_ns = {0, STARTUP_UNLIMITED, 0}};
}

/* Take the sample of an acknowledgement, which may be the last of a flight. */
static inline void rtt_noise_add(struct rtt_noise *noise, const struct startup_ack *ack,
				 bool flight_ends)
{
	uint64_t *falls_ns = noise->falls_ns;
	uint64_t fall_ns = noise->last_rtt_ns > ack->rtt_ns ? noise->last_rtt_ns - ack->rtt_ns : 0;

	if (ack->rtt_ns) {
		noise->fall_ns = fall_ns / RTT_NOISE_TIMES > ack->now_ns - noise->last_ns
					 ? noise->fall_ns + fall_ns
					 : 0;
		falls_ns[0] = max_u64(falls_ns[0], noise->fall_ns);
		noise->last_rtt_ns = ack->rtt_ns;
		noise->last_ns = ack->now_ns;
	}
	if (!flight_ends)
		return;
	noise->noise_ns = max_u64(min_u64(falls_ns[0], falls_ns[1]),
				  min_u64(max_u64(falls_ns[0], falls_ns[1]), falls_ns[2]));
	falls_ns[2] = falls_ns[1];
	falls_ns[1] = falls_ns[0];
	falls_ns[0] = 0;
}

#endif
