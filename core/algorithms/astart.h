/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * astart: raise ssthresh again and again to the BDP at the eligible rate, and grow linearly where
 * cwnd has reached it.
 *
 * R. Wang, G. Pau, M. Sanadidi, M. Gerla: Improving TCP Start-up Behavior in High-Speed Networks
 * (Adaptive Start). University of California, Los Angeles; extended abstract of "TCP Startup
 * Performance in Large Bandwidth Delay Networks", INFOCOM 2004.
 *
 * In one sentence: slow start goes on as long as ACKs show that the path delivers more than
 * ssthresh stands for; while they do not, cwnd grows by a segment in a round trip.
 *
 *   with each ACK, from the beginning and after each retransmission timeout, until a loss:
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
 *            after an RTO    +-----------+
 *
 * Differences from the paper, and its open points
 * - ssthresh after a timeout is that of congestion avoidance, and is raised from there. The paper
 *   has none. ASTART_WESTWOOD is Westwood's (MobiCom 2001): the BDP at the eligible rate.
 * - After losses that ACKs find, and after idle times, slow start leads to the host's ssthresh as
 *   usual. The paper speaks of the beginning and of coarse timeouts.
 * - A lower ssthresh that the host sets meanwhile (HyStart) is not used: the estimate replaces it.
 * - cwnd grows only while it limits the sender.
 */
#ifndef ONRAMP_ASTART_H
#define ONRAMP_ASTART_H

#include "measure/eligible_rate.h"
#include "startup.h"

/* The first ssthresh if the host has none, as on Linux. The paper uses this value as an example;
 * operating systems had 4 to 64 KB by its account. The eligible rate of a few ACKs is not trusted
 * beyond it.
 */
#define ASTART_SSTHRESH_BYTES 32768

enum astart_variant {
	/* A timeout leaves the BDP at the eligible rate as ssthresh. */
	ASTART_WESTWOOD = 1 << 2,
};

#define ASTART_VARIANTS(V) ERE_VARIANTS(V) V("train", "westwood", ASTART_WESTWOOD)

struct astart {
	struct ere ere;
	uint64_t ssthresh_bytes;
	uint64_t acked_bytes; /* LINEAR: acknowledged since cwnd grew */
	uint64_t variant;     /* enum ere_variant, enum astart_variant */
	uint32_t is_over;     /* until a retransmission timeout */
};
STARTUP_ASSERT_STATE(struct astart);

static inline void astart_start(struct astart *state, const struct startup_start *start,
				struct startup_decision *decision)
{
	bool has_ssthresh = start->ssthresh_bytes != STARTUP_UNLIMITED;

	state->ssthresh_bytes = has_ssthresh ? start->ssthresh_bytes : ASTART_SSTHRESH_BYTES;
	state->variant = start->variant;
	startup_begin_slow_start(decision, start->cwnd_bytes, state->ssthresh_bytes);
}

/* cwnd after this ACK in linear growth: a segment more for each cwnd that is acknowledged. */
static inline uint64_t astart_linear(struct astart *state, const struct startup_ack *ack)
{
	if (!(ack->flags & STARTUP_ACK_CWND_LIMITED))
		return ack->cwnd_bytes;
	state->acked_bytes += ack->acked_bytes;
	if (state->acked_bytes < ack->cwnd_bytes)
		return ack->cwnd_bytes;
	state->acked_bytes -= ack->cwnd_bytes;
	return ack->cwnd_bytes + ack->mss_bytes;
}

static inline void astart_ack(struct astart *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	uint64_t rate;

	ere_ack(&state->ere, ack, state->variant);
	rate = ere_bytes_per_s(&state->ere);
	startup_begin_slow_start(decision, ack->cwnd_bytes, ack->ssthresh_bytes);
	decision->estimate_bytes_per_s = rate;
	if (!state->is_over) {
		state->ssthresh_bytes =
			max_u64(state->ssthresh_bytes,
				bdp_bytes(rate, state->ere.min_rtt_ns, ack->mss_bytes));
		/* Hosts count whole segments: their cwnd would never reach a fraction of one. */
		decision->ssthresh_bytes =
			state->ssthresh_bytes - state->ssthresh_bytes % ack->mss_bytes;
	}
	decision->cwnd_bytes = startup_slow_start(ack, decision->ssthresh_bytes);
	if (decision->cwnd_bytes < decision->ssthresh_bytes)
		return;
	if (state->is_over) {
		startup_pause(decision, STARTUP_EXIT_SSTHRESH);
	} else {
		decision->phase = STARTUP_PHASE_LINEAR;
		if (ack->cwnd_bytes >= decision->ssthresh_bytes)
			decision->cwnd_bytes = astart_linear(state, ack);
	}
}

static inline void astart_loss(struct astart *state, const struct startup_loss *loss,
			       struct startup_decision *decision)
{
	uint64_t rate = ere_bytes_per_s(&state->ere);

	state->is_over = loss->kind != STARTUP_LOSS_TIMEOUT;
	state->ssthresh_bytes = loss->ssthresh_bytes;
	if (!state->is_over && rate && state->variant & ASTART_WESTWOOD)
		state->ssthresh_bytes = bdp_bytes(rate, state->ere.min_rtt_ns, loss->mss_bytes);
	state->acked_bytes = 0;
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = state->ssthresh_bytes,
		.estimate_bytes_per_s = rate,
	};
	startup_pause(decision, startup_loss_exit(loss));
}

#endif
