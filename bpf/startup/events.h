/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events: inputs and decisions of the algorithm, reported to user space in a ring buffer. Starts
 * and losses are always reported; of the ACKs, those that ack_is_reported() selects.
 */
#ifndef ONRAMP_EVENTS_H
#define ONRAMP_EVENTS_H

#include "endpoints.h"
#include "intf.h"
#include "kernel.h"
#include "startup/connection.h"
#include "startup/totals.h"

#include <bpf/bpf_helpers.h>

#define EVENT_RING_BYTES (256 * 1024)

/* At most eight ACK events per RTT, and at most one per millisecond on paths whose RTT is shorter
 * than 8 ms. The estimate can change with every ACK; such events would fill the ring. */
#define ACK_EVENTS_PER_RTT 8
#define MIN_NS_BETWEEN_ACK_EVENTS UINT64_C(1000000)

RING(EVENT_RING_BYTES) onramp_events SEC(".maps");

/* Reports an input with the latest decision, if anybody reads events. Inlined, because the verifier
 * copies only constant numbers of bytes. */
static __always_inline void report(const struct sock *sk,
				   const struct onramp_connection *connection, __u32 kind,
				   const void *input, __u32 input_bytes)
{
	struct onramp_event *event;

	if (!config.events)
		return;
	event = bpf_ringbuf_reserve(&onramp_events, sizeof(*event), 0);
	if (!event) {
		count_lost_event();
		return;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->id = connection->id;
	event->kind = kind;
	event->decision = connection->decision;
	fill_endpoints(sk, &event->local, &event->remote);
	__builtin_memcpy(&event->input, __builtin_assume_aligned(input, 8), input_bytes);
	bpf_ringbuf_submit(event, 0);
}

static inline bool is_slow_start(__u32 phase)
{
	return phase == STARTUP_PHASE_LINEAR || phase == STARTUP_PHASE_SLOW_START;
}

/* Is this ACK's decision reported? A change of the phase always is. A new estimate, and a change
 * between slow start and linear growth, are reported at the limited rate. */
static bool ack_is_reported(const struct onramp_connection *connection,
			    const struct startup_ack *ack, __u32 prior_phase)
{
	const struct startup_decision *decision = &connection->decision;
	bool alternates = is_slow_start(decision->phase) && is_slow_start(prior_phase);

	if (config.record || (decision->phase != prior_phase && !alternates))
		return true;
	return (decision->phase != connection->last_event_phase ||
		decision->estimate_bytes_per_s != connection->last_event_estimate_bytes_per_s) &&
	       ack->now_ns - connection->last_event_ns >=
		       max_u64(ack->srtt_ns / ACK_EVENTS_PER_RTT, MIN_NS_BETWEEN_ACK_EVENTS);
}

static inline void report_ack(const struct sock *sk, struct onramp_connection *connection,
			      const struct startup_ack *ack, __u32 prior_phase)
{
	const struct startup_decision *decision = &connection->decision;

	if (!ack_is_reported(connection, ack, prior_phase))
		return;
	connection->last_event_ns = ack->now_ns;
	connection->last_event_estimate_bytes_per_s = decision->estimate_bytes_per_s;
	connection->last_event_phase = decision->phase;
	report(sk, connection, ONRAMP_EVENT_ACK, ack, sizeof(*ack));
}

#endif
