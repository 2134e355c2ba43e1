/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The receiver's clock: every ACK carries the time at which the receiver sent it.
 *
 * With timestamps (RFC 7323), TSval is the sender's time in ticks. The length of a tick is not
 * negotiated. Linux, FreeBSD, macOS and Windows count milliseconds, Linux with `tcp_usec_ts`
 * microseconds, older hosts 4 or 10 ms. So the tick is recognised: between the handshake and an ACK
 * of data, both clocks advance by the same time. A tick counts if it agrees with this host's clock
 * within an eighth. Any other clock is not used.
 *
 * The time of an ACK shows when its segments arrived, before the return path delayed or aggregated
 * the ACK. It is at most a tick too early, because the receiver rounds down.
 */
#ifndef ONRAMP_RECEIVER_CLOCK_H
#define ONRAMP_RECEIVER_CLOCK_H

#include "startup.h"

/* A tick agrees with this host's clock within 1/8 of the elapsed time, and a tick at either end. */
#define RECEIVER_CLOCK_TOLERANCE_DIVISOR 8
/* So many ticks must have passed before their length is recognised. */
#define RECEIVER_CLOCK_MIN_TICKS 8

struct receiver_clock {
	uint64_t begin_ns;    /* this host's time of the first TSval */
	uint64_t tick_ns;     /* 0: unknown */
	uint32_t begin_tsval; /* the first TSval */
	uint32_t is_present;  /* both ends send timestamps */
};

static inline void receiver_clock_begin(struct receiver_clock *clock,
					const struct startup_start *start)
{
	*clock = (struct receiver_clock){
		.begin_ns = start->now_ns,
		.begin_tsval = (uint32_t)start->tsval,
		.is_present = (start->options & STARTUP_OPTION_TIMESTAMPS) != 0,
	};
}

/* Use this length of a tick if so many ticks took this time, and no other length is known. */
static inline void receiver_clock_recognise(struct receiver_clock *clock, uint64_t ticks,
					    uint64_t elapsed_ns, uint64_t tick_ns)
{
	uint64_t ticks_ns = ticks * tick_ns;
	uint64_t tolerance_ns = elapsed_ns / RECEIVER_CLOCK_TOLERANCE_DIVISOR + tick_ns;

	if (!clock->tick_ns && ticks >= RECEIVER_CLOCK_MIN_TICKS &&
	    ticks_ns <= elapsed_ns + tolerance_ns && ticks_ns + tolerance_ns >= elapsed_ns)
		clock->tick_ns = tick_ns;
}

/* The receiver's time of this ACK, since the first TSval; 0: unknown. */
static inline uint64_t receiver_clock_ns(struct receiver_clock *clock,
					 const struct startup_ack *ack)
{
	uint64_t elapsed_ns = ack->now_ns - clock->begin_ns;
	uint32_t ticks = (uint32_t)ack->tsval - clock->begin_tsval;

	/* Half of the number space: the TSval is older than the first one. */
	if (!clock->is_present || ticks >> 31)
		return 0;
	receiver_clock_recognise(clock, ticks, elapsed_ns, NS_PER_S / 1000);
	receiver_clock_recognise(clock, ticks, elapsed_ns, NS_PER_S / 1000000);
	receiver_clock_recognise(clock, ticks, elapsed_ns, NS_PER_S / 250);
	receiver_clock_recognise(clock, ticks, elapsed_ns, NS_PER_S / 100);
	return ticks * clock->tick_ns;
}

#endif
