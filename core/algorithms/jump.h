/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * jump: Jump Start, which sends all that the receiver's window allows in the first round trip.
 *
 * D. Liu, M. Allman, S. Jin, L. Wang: Congestion Control Without a Startup Phase. PFLDnet 2007.
 *
 * In one sentence: why not simply send it? The first round trip carries the whole receiver's
 * window, evenly paced, and congestion avoidance goes on from there.
 *
 *   W        = the receiver's window at the start
 *   rate     = W / RTT                    the RTT of the handshake
 *   D        = what had left when the first ACK arrived
 *   R        = what was lost of it
 *   ssthresh = (D - R) / 2                after a loss in it
 *
 *   +--------+  first ACK  +------+  all of D is acknowledged  +------+
 *   | PACING | ----------> | HOLD | -------------------------> | DONE |
 *   +--------+             +------+  (receiver, application)   +------+
 *       |                     |                                   ^
 *       +------- loss --------+-------> RETREAT ---(loss)---------+
 *
 * cwnd was never measured, so half of cwnd is no useful ssthresh. ssthresh is half of the bytes of
 * the flight that arrived. The ACKs of the recovery count these bytes.
 *
 * Differences from the paper, and its open points
 * - The rate of the paper is min(W, data that is there) / RTT. An algorithm does not know how much
 *   data there is, so less data than W leaves in less than an RTT.
 * - Where the RTT or the receiver's window is unknown, where the window is not above the initial
 *   one, or where the host cannot pace the rate, slow start does what the host would.
 * - A timeout sets the host's ssthresh.
 */
#ifndef ONRAMP_JUMP_H
#define ONRAMP_JUMP_H

#include "startup.h"

/* After a loss, ssthresh is this part of what arrived (the paper). */
#define JUMP_LOSS_DIVISOR 2

struct jump {
	uint64_t window_bytes;   /* W */
	uint64_t flight_bytes;   /* D; 0: no ACK yet */
	uint64_t lost_bytes;     /* lost before the flight's first loss was reported */
	uint64_t ssthresh_bytes; /* the host's at the start */
	uint64_t pacing_bytes_per_s;
	uint32_t phase;
	uint32_t exit; /* RETREAT: enum startup_exit */
};
STARTUP_ASSERT_STATE(struct jump);

/* Begin with a window of at most `limit_bytes`. */
static inline void jump_begin(struct jump *state, const struct startup_start *start,
			      uint64_t limit_bytes, struct startup_decision *decision)
{
	uint64_t window_bytes = min_u64(start->peer_window_bytes, limit_bytes);
	uint64_t rate = max_u64(rate_bytes_per_s(window_bytes, start->srtt_ns), 1);

	state->ssthresh_bytes = start->ssthresh_bytes;
	state->phase = STARTUP_PHASE_SLOW_START;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
	window_bytes = min_u64(window_bytes, start->ssthresh_bytes);
	if (!start->srtt_ns || window_bytes <= start->cwnd_bytes ||
	    !startup_can_pace(start->clock.event_ns, rate, start->mss_bytes))
		return;
	state->window_bytes = window_bytes;
	state->pacing_bytes_per_s = rate;
	state->phase = STARTUP_PHASE_PACING;
	decision->cwnd_bytes = window_bytes;
	decision->pacing_bytes_per_s = rate;
	decision->phase = STARTUP_PHASE_PACING;
}

static inline void jump_start(struct jump *state, const struct startup_start *start,
			      struct startup_decision *decision)
{
	jump_begin(state, start, STARTUP_UNLIMITED, decision);
}

/* An ACK while a loss is repaired, or the first one after it. */
static inline void jump_retreat(struct jump *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t lost_bytes = min_u64(ack->lost_bytes - state->lost_bytes, state->flight_bytes);
	uint64_t arrived_bytes = state->flight_bytes - lost_bytes;

	state->ssthresh_bytes =
		min_u64(state->ssthresh_bytes,
			max_u64(arrived_bytes / JUMP_LOSS_DIVISOR, 2 * (uint64_t)ack->mss_bytes));
	decision->cwnd_bytes = ack->cwnd_bytes;
	decision->ssthresh_bytes = state->ssthresh_bytes;
	if (!(ack->flags & STARTUP_ACK_RECOVERING))
		startup_finish(decision, STARTUP_EXIT_LOSS);
}

static inline void jump_ack(struct jump *state, const struct startup_ack *ack,
			    struct startup_decision *decision)
{
	uint64_t ssthresh_bytes = state->ssthresh_bytes;

	startup_begin_slow_start(decision, startup_slow_start(ack, ssthresh_bytes), ssthresh_bytes);
	decision->phase = state->phase;
	if (state->phase == STARTUP_PHASE_RETREAT) {
		jump_retreat(state, ack, decision);
		return;
	}
	if (state->phase == STARTUP_PHASE_PACING) {
		state->flight_bytes = ack->delivered_bytes + ack->inflight_bytes;
		state->phase = STARTUP_PHASE_HOLD;
		decision->phase = STARTUP_PHASE_HOLD;
	}
	if (state->phase == STARTUP_PHASE_HOLD)
		decision->cwnd_bytes = max_u64(min_u64(state->flight_bytes, ack->cwnd_bytes), 1);
	if (state->phase == STARTUP_PHASE_HOLD && ack->delivered_bytes >= state->flight_bytes) {
		decision->ssthresh_bytes = decision->cwnd_bytes;
		startup_finish(decision, ack->flags & STARTUP_ACK_APP_LIMITED
						 ? STARTUP_EXIT_APPLICATION
						 : STARTUP_EXIT_RECEIVER);
	} else if (decision->cwnd_bytes >= ssthresh_bytes) {
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
	}
}

static inline void jump_loss(struct jump *state, const struct startup_loss *loss,
			     struct startup_decision *decision)
{
	uint64_t flight_bytes = loss->acknowledged_bytes + loss->inflight_bytes;

	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.pacing_bytes_per_s = STARTUP_UNLIMITED,
		.phase = STARTUP_PHASE_RETREAT,
	};
	if (loss->kind != STARTUP_LOSS_RECOVERY || state->phase == STARTUP_PHASE_SLOW_START) {
		startup_finish(decision, startup_loss_exit(loss));
		return;
	}
	/* A loss before the first ACK, or a second one during the repair */
	state->flight_bytes = state->flight_bytes ? state->flight_bytes : flight_bytes;
	state->ssthresh_bytes =
		min_u64(loss->ssthresh_bytes, max_u64(state->flight_bytes / JUMP_LOSS_DIVISOR,
						      2 * (uint64_t)loss->mss_bytes));
	state->phase = STARTUP_PHASE_RETREAT;
	decision->ssthresh_bytes = state->ssthresh_bytes;
}

#endif
