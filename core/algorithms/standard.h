/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * standard: slow start as in RFC 5681, section 3.1.
 *
 * In one sentence: cwnd grows by a byte for each acknowledged byte, so it doubles in each round
 * trip, until it reaches ssthresh or a loss is found.
 *
 *         cwnd += acked                                   while cwnd < ssthresh
 *
 *      +------------+   cwnd >= ssthresh (exit: ssthresh)   +------+
 *      | SLOW START | ------------------------------------> | DONE |
 *      +------------+   loss (exit: loss, timeout)          +------+
 *
 * It is the baseline for the other algorithms, and the smallest example of one. ssthresh is the
 * host's. Linux's CUBIC lowers it when HyStart sees the delay rise or the ACK train fill the round
 * trip. So `standard` followed by CUBIC starts as Linux's CUBIC does.
 *
 * Differences from RFC 5681
 * - Growth counts bytes, without its own limit for one ACK (RFC 3465, section 2.3, with L
 *   unlimited). Linux does so since 3.18. The host may set a limit.
 * - A cwnd that did not limit the sender does not grow, as in Linux (RFC 7661's concern).
 */
#ifndef ONRAMP_STANDARD_H
#define ONRAMP_STANDARD_H

#include "startup.h"

struct standard {
	uint64_t reserved; /* this algorithm has no state */
};
STARTUP_ASSERT_STATE(struct standard);

static inline void standard_start(struct standard *state, const struct startup_start *start,
				  struct startup_decision *decision)
{
	(void)state;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

static inline void standard_ack(struct standard *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	(void)state;
	startup_begin_slow_start(decision, startup_slow_start(ack, ack->ssthresh_bytes),
				 ack->ssthresh_bytes);
	if (ack->cwnd_bytes >= ack->ssthresh_bytes)
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
}

static inline void standard_loss(struct standard *state, const struct startup_loss *loss,
				 struct startup_decision *decision)
{
	(void)state;
	startup_end_at_loss(loss, decision);
}

#endif
