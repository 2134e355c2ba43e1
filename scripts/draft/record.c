/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * core/ as a shared library that writes each input and each decision of `onramp` into the file
 * $ONRAMP_RECORD, in the form that scripts/draft/recording.py reads: for each event the kind, the
 * number of the connection's event before it (0: none), the input and the decision. Runs that share
 * their beginning copy its state, so an event may come before several others.
 */
#include "algorithms/onramp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_START = 1, RECORD_ACK, RECORD_LOSS };

/* The number of the latest event is in the state behind that of the algorithm. */
#define RECORD_PLACE (STARTUP_STATE_BYTES - sizeof(uint64_t))
_Static_assert(sizeof(struct onramp) <= RECORD_PLACE, "no room for the number");

static void record(struct onramp *state, uint64_t kind, const void *input, size_t bytes,
		   const struct startup_decision *decision)
{
	static FILE *file;
	static uint64_t events;
	uint64_t head[2] = {kind, 0};

	if (!file && !(file = fopen(getenv("ONRAMP_RECORD"), "wb")))
		abort();
	memcpy(&head[1], (char *)state + RECORD_PLACE, sizeof(uint64_t));
	events++;
	memcpy((char *)state + RECORD_PLACE, &events, sizeof(uint64_t));
	fwrite(head, sizeof(head), 1, file);
	fwrite(input, bytes, 1, file);
	fwrite(decision, sizeof(*decision), 1, file);
}

static void record_start(struct onramp *state, const struct startup_start *start,
			 struct startup_decision *decision)
{
	onramp_start(state, start, decision);
	record(state, RECORD_START, start, sizeof(*start), decision);
}

static void record_ack(struct onramp *state, const struct startup_ack *ack,
		       struct startup_decision *decision)
{
	struct startup_ack input = *ack;

	onramp_ack(state, ack, decision);
	record(state, RECORD_ACK, &input, sizeof(input), decision);
}

static void record_loss(struct onramp *state, const struct startup_loss *loss,
			struct startup_decision *decision)
{
	onramp_loss(state, loss, decision);
	record(state, RECORD_LOSS, loss, sizeof(*loss), decision);
}

#define onramp_start record_start
#define onramp_ack record_ack
#define onramp_loss record_loss
#include "src/native.c"
