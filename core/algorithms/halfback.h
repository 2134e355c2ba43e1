/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * halfback: the paced start of Halfback, without its proactive retransmissions.
 *
 * Q. Li, M. Dong, P. B. Godfrey: Halfback: Running Short Flows Quickly and Safely. CoNEXT 2015.
 *
 * In one sentence: the first round trip carries the whole flow, up to 141 kB, evenly paced; the
 * rest of a longer flow goes on by congestion avoidance.
 *
 *   W    = min(the receiver's window, 141 kB)
 *   rate = W / RTT
 *
 * The states and the reaction to losses are those of `jump` (core/algorithms/jump.h).
 *
 * Differences from the paper
 * - The half that gives Halfback its name is missing: ROPR, which answers each ACK with a copy of
 *   the last segment that is not yet acknowledged, from the end of the flow backwards. An
 *   algorithm here decides cwnd, ssthresh and pacing. Which segment is retransmitted is the host's
 *   decision, in the kernel too.
 * - So a loss at the end of a flow costs what it costs in TCP: RACK-TLP or a timeout.
 * - Those of `jump`.
 */
#ifndef ONRAMP_HALFBACK_H
#define ONRAMP_HALFBACK_H

#include "algorithms/jump.h"

/* The paper's limit for the pacing phase: the flow control window of its hosts. */
#define HALFBACK_WINDOW_BYTES 141000

struct halfback {
	struct jump jump;
};
STARTUP_ASSERT_STATE(struct halfback);

static inline void halfback_start(struct halfback *state, const struct startup_start *start,
				  struct startup_decision *decision)
{
	jump_begin(&state->jump, start, HALFBACK_WINDOW_BYTES, decision);
}

static inline void halfback_ack(struct halfback *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	jump_ack(&state->jump, ack, decision);
}

static inline void halfback_loss(struct halfback *state, const struct startup_loss *loss,
				 struct startup_decision *decision)
{
	jump_loss(&state->jump, loss, decision);
}

#endif
