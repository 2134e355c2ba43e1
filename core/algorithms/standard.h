/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * standard: slow start as it is (RFC 5681, section 3.1).
 *
 * In one sentence: for every byte that is acknowledged the window grows by a byte, hence doubles
 * each round trip, until it reaches ssthresh or something is lost.
 *
 *         cwnd += acked                                   while cwnd < ssthresh
 *
 *      +------------+   cwnd >= ssthresh (exit: ssthresh)   +------+
 *      | SLOW START | ------------------------------------> | DONE |
 *      +------------+   loss (exit: loss, timeout)          +------+
 *
 * It is the baseline that the other algorithms are compared with, and the smallest example of one.
 * ssthresh is the host's: Linux's CUBIC lowers it when HyStart sees the delay rise or the
 * acknowledgement train fill the round trip, so `standard` followed by CUBIC starts as Linux's
 * CUBIC does.
 *
 * Differences from RFC 5681: growth counts bytes without a limit of its own for one acknowledgement
 * (RFC 3465 section 2.3 with L unlimited), as Linux does since 3.18, unless the host gives one; a
 * window that did not limit the sender does not grow (RFC 7661's concern), as Linux has it.
 */
#ifndef ONRAMP_STANDARD_H
#define ONRAMP_STANDARD_H

#include "startup.h"

struct onramp_standard {
	uint64_t reserved; /* it remembers nothing */
};
ONRAMP_ASSERT_STATE(struct onramp_standard);

static inline void onramp_standard_start(struct onramp_standard *state,
					 const struct onramp_start *start,
					 struct onramp_decision *decision)
{
	(void)state;
	onramp_start_slowly(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

static inline void onramp_standard_ack(struct onramp_standard *state, const struct onramp_ack *ack,
				       struct onramp_decision *decision)
{
	(void)state;
	onramp_start_slowly(decision, onramp_slow_start(ack, ack->ssthresh_bytes),
			    ack->ssthresh_bytes);
	if (ack->cwnd_bytes >= ack->ssthresh_bytes)
		onramp_finish(decision, ONRAMP_EXIT_SSTHRESH);
}

static inline void onramp_standard_loss(struct onramp_standard *state,
					const struct onramp_loss *loss,
					struct onramp_decision *decision)
{
	(void)state;
	*decision = (struct onramp_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
	};
	onramp_finish(decision, onramp_loss_exit(loss));
}

#endif
