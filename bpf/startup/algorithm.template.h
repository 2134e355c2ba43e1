/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The algorithm of a start-up program. build.rs makes one `algorithm.h` from this template for each
 * row of core/registry.h: it replaces ALGORITHM by the row's name and CONGESTION_CONTROL by the
 * name of its congestion control. With ALGORITHM = paced, algorithm_ack() calls paced_ack(), which
 * is in core/algorithms/paced.h.
 */
#ifndef ONRAMP_ALGORITHM_H
#define ONRAMP_ALGORITHM_H

#include "algorithms/ALGORITHM.h"
#include "intf.h"

#define ONRAMP_CONGESTION_CONTROL "CONGESTION_CONTROL"

#ifdef ONRAMP_PARAMETERS
/* The user's values of the algorithm's parameters */
READ_ONLY_DATA struct ALGORITHM_parameters parameters SEC(".rodata.params");
#endif

/* What the map has of a connection */
struct onramp_hosted {
	struct onramp_connection connection;
	struct ALGORITHM state;
};

static inline struct onramp_hosted *hosted(const struct onramp_connection *connection)
{
	return (struct onramp_hosted *)connection;
}

static inline void algorithm_start(struct onramp_connection *connection,
				   const struct startup_start *start)
{
#ifdef ONRAMP_PARAMETERS
	hosted(connection)->state.parameters = parameters;
#endif
	ALGORITHM_start(&hosted(connection)->state, start, &connection->decision);
}

/* The input is the connection's `ack`. This function is global and not inlined, so the verifier
 * walks it once. It would walk a static function again for each path that leads to a call. */
__attribute__((noinline)) int algorithm_ack(struct onramp_hosted *hosted)
{
	if (hosted)
		ALGORITHM_ack(&hosted->state, &hosted->connection.ack,
			      &hosted->connection.decision);
	return 0;
}

static inline void algorithm_loss(struct onramp_connection *connection,
				  const struct startup_loss *loss)
{
	ALGORITHM_loss(&hosted(connection)->state, loss, &connection->decision);
}

#endif
