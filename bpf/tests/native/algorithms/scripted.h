/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* scripted: an algorithm that answers each event with the decision that the test has written. */
#ifndef ONRAMP_SCRIPTED_H
#define ONRAMP_SCRIPTED_H

#include "startup.h"

struct scripted {
	uint64_t excess_bytes;
};

/* The decision, and the latest inputs */
static _Thread_local struct {
	struct startup_decision decision;
	struct startup_start start;
	struct startup_loss loss;
	uint32_t starts, acks, losses;
} script;

static inline void scripted_start(struct scripted *state, const struct startup_start *start,
				  struct startup_decision *decision)
{
	script.start = *start;
	script.starts++;
	*decision = script.decision;
}

static inline void scripted_ack(struct scripted *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	script.acks++;
	*decision = script.decision;
}

static inline void scripted_loss(struct scripted *state, const struct startup_loss *loss,
				 struct startup_decision *decision)
{
	script.loss = *loss;
	script.losses++;
	*decision = script.decision;
}

#endif
