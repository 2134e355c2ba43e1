/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* picoquic's CUBIC behind a start-up. */
#ifndef ONRAMP_PICOQUIC_HAND_OVER_H
#define ONRAMP_PICOQUIC_HAND_OVER_H

#include "startup.h"
#include "state.h"

#include "picoquic_cubic.h"

#include <math.h>

/* CUBIC's constants in picoquic/cubic.c: what a loss leaves of cwnd, and C, in packets per cubed
 * second. */
#define CUBIC_LOSS_NUMERATOR 7
#define CUBIC_LOSS_DENOMINATOR 8
#define CUBIC_C 0.4

/* picoquic's CUBIC. A test may put another control in the place of picoquic_cubic_algorithm. */
static const picoquic_congestion_algorithm_t *cubic;

/* picoquic's CUBIC with its own state in the place of ours */
static inline void notify_cubic(struct state *state, picoquic_cnx_t *cnx, picoquic_path_t *path,
				picoquic_congestion_notification_t notification,
				picoquic_per_ack_state_t *event, uint64_t now_us)
{
	path->congestion_alg_state = state->cubic;
	cubic->alg_notify(cnx, path, notification, event, now_us);
	path->congestion_alg_state = state;
}

/* The time that CUBIC needs from a reduced window to W_max */
static inline uint64_t cubic_k_us(uint64_t w_max_bytes, uint64_t mtu_bytes)
{
	double packets = (double)w_max_bytes / (double)mtu_bytes;

	return (uint64_t)(cbrt(packets / CUBIC_LOSS_DENOMINATOR / CUBIC_C) * 1e6);
}

/*
 * Give cwnd to picoquic's CUBIC. After a loss or a timeout, CUBIC begins at the W_max whose
 * reduction is the decided ssthresh, and is told of a congestion event. Otherwise W_max is the
 * decided cwnd, and its epoch began so long ago that CUBIC is there now and grows beyond it, as
 * picoquic's CUBIC does after its own slow start.
 */
static inline void hand_over(struct state *state, picoquic_cnx_t *cnx, picoquic_path_t *path,
			     uint64_t now_us)
{
	bool after_timeout = state->last.exit == STARTUP_EXIT_TIMEOUT;
	bool after_loss = after_timeout || state->last.exit == STARTUP_EXIT_LOSS;
	uint64_t window_bytes = state->last.cwnd_bytes;
	picoquic_per_ack_state_t event = {
		.pc = picoquic_packet_context_application,
		.lost_packet_number = picoquic_cc_get_sequence_number(cnx, path),
	};
	uint64_t since_us;

	if (after_loss && state->last.ssthresh_bytes != UINT64_MAX)
		window_bytes =
			state->last.ssthresh_bytes * CUBIC_LOSS_DENOMINATOR / CUBIC_LOSS_NUMERATOR;
	since_us = after_loss ? 0 : cubic_k_us(window_bytes, path->send_mtu);
	cubic->alg_init(path, NULL, now_us);
	state->cubic = path->congestion_alg_state;
	path->congestion_alg_state = state;
	if (!state->cubic)
		return;
	event.nb_bytes_acknowledged = window_bytes;
	notify_cubic(state, cnx, path, picoquic_congestion_notification_seed_cwin, &event,
		     now_us > since_us ? now_us - since_us : 0);
	if (after_loss)
		notify_cubic(state, cnx, path,
			     after_timeout ? picoquic_congestion_notification_timeout
					   : picoquic_congestion_notification_ecn_ec,
			     &event, now_us);
	state->handed_over_us = now_us;
}

#endif
