/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * astart: raise the threshold again and again to what the eligible rate fills, and grow linearly
 * where that is reached.
 *
 * R. Wang, G. Pau, M. Sanadidi, M. Gerla: Improving TCP Start-up Behavior in High-Speed Networks
 * (Adaptive Start). University of California, Los Angeles; extended abstract of "TCP Startup
 * Performance in Large Bandwidth Delay Networks", INFOCOM 2004.
 *
 * In one sentence: slow start goes on for as long as acknowledgements show that the path delivers
 * more than the threshold says, and waits, growing by a segment a round trip, while they do not.
 *
 *   with each acknowledgement, from the beginning and after each coarse timeout, until a loss:
 *     ssthresh = max(ssthresh, ERE * RTT_min)          ERE: core/measure/eligible_rate.h
 *     cwnd < ssthresh:  slow start
 *     otherwise:        cwnd += MSS * MSS / cwnd
 *
 *            +------------+  cwnd >= ssthresh  +--------+
 *      ----> | SLOW START | -----------------> | LINEAR |
 *            |            | <----------------- |        |
 *            +------------+  ERE * RTT_min     +--------+
 *              ^   |         > cwnd                |
 *              |   |_______________________________|
 *              |                   | a loss (exit: loss, timeout)
 *              |                   v
 *              |             +-----------+
 *              |____________ | AVOIDANCE |
 *           after a timeout  +-----------+
 *
 * Constants
 * - 32 KiB: the first threshold where the host has none, as Linux. The paper's example, from the 4
 * to 64 KB that it reports of operating systems. An eligible rate of a few acknowledgements is not
 * to be believed further.
 *
 * Differences from the paper, and what it leaves open
 * - The threshold after a timeout is the congestion avoidance's; it is raised from there.
 * - After losses that are found by acknowledgements, and after idle times, slow start leads to the
 * host's threshold as ever: the paper speaks of the beginning and of coarse timeouts.
 * - A threshold that the host lowers meanwhile (HyStart) is not followed: the estimate is there to
 * replace it.
 * - The window grows only while it limits the sender.
 */
#ifndef ONRAMP_ASTART_H
#define ONRAMP_ASTART_H

#include "measure/eligible_rate.h"
#include "startup.h"

#define ONRAMP_ASTART_SSTHRESH_BYTES 32768

struct onramp_astart {
	struct onramp_ere ere;
	uint64_t ssthresh_bytes;
	uint64_t grown_bytes; /* LINEAR: acknowledged since the window grew */
	uint32_t options;     /* enum onramp_option */
	uint32_t is_over;     /* until a coarse timeout */
};
ONRAMP_ASSERT_STATE(struct onramp_astart);

static inline void onramp_astart_start(struct onramp_astart *state,
				       const struct onramp_start *start,
				       struct onramp_decision *decision)
{
	bool has_ssthresh = start->ssthresh_bytes != ONRAMP_UNLIMITED;

	state->ssthresh_bytes = has_ssthresh ? start->ssthresh_bytes : ONRAMP_ASTART_SSTHRESH_BYTES;
	state->options = start->options;
	onramp_start_slowly(decision, start->cwnd_bytes, state->ssthresh_bytes);
}

/* The window that linear growth makes of an acknowledgement: a segment more when a window has been
 * acknowledged. */
static inline uint64_t onramp_astart_linear(struct onramp_astart *state,
					    const struct onramp_ack *ack)
{
	if (!(ack->flags & ONRAMP_ACK_CWND_LIMITED))
		return ack->cwnd_bytes;
	state->grown_bytes += ack->acked_bytes;
	if (state->grown_bytes < ack->cwnd_bytes)
		return ack->cwnd_bytes;
	state->grown_bytes -= ack->cwnd_bytes;
	return ack->cwnd_bytes + ack->mss_bytes;
}

static inline void onramp_astart_ack(struct onramp_astart *state, const struct onramp_ack *ack,
				     struct onramp_decision *decision)
{
	uint64_t rate;

	onramp_ere_ack(&state->ere, ack, state->options);
	rate = onramp_ere_bytes_per_s(&state->ere);
	onramp_start_slowly(decision, ack->cwnd_bytes, ack->ssthresh_bytes);
	decision->estimate_bytes_per_s = rate;
	if (!state->is_over) {
		state->ssthresh_bytes =
			onramp_max(state->ssthresh_bytes,
				   onramp_path_bytes(rate, state->ere.rtt_min_ns, ack->mss_bytes));
		/* Hosts count whole segments: their windows would never reach a part of one. */
		decision->ssthresh_bytes =
			state->ssthresh_bytes - state->ssthresh_bytes % ack->mss_bytes;
	}
	decision->cwnd_bytes = onramp_slow_start(ack, decision->ssthresh_bytes);
	if (decision->cwnd_bytes < decision->ssthresh_bytes)
		return;
	if (state->is_over) {
		onramp_pause(decision, ONRAMP_EXIT_SSTHRESH);
	} else {
		decision->phase = ONRAMP_PHASE_LINEAR;
		if (ack->cwnd_bytes >= decision->ssthresh_bytes)
			decision->cwnd_bytes = onramp_astart_linear(state, ack);
	}
}

static inline void onramp_astart_loss(struct onramp_astart *state, const struct onramp_loss *loss,
				      struct onramp_decision *decision)
{
	state->is_over = loss->kind != ONRAMP_LOSS_TIMEOUT;
	state->ssthresh_bytes = loss->ssthresh_bytes;
	state->grown_bytes = 0;
	*decision = (struct onramp_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.estimate_bytes_per_s = onramp_ere_bytes_per_s(&state->ere),
	};
	onramp_pause(decision, onramp_loss_exit(loss));
}

#endif
