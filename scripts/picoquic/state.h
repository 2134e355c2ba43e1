/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a path of picoquic keeps for its start-up. */
#ifndef ONRAMP_PICOQUIC_STATE_H
#define ONRAMP_PICOQUIC_STATE_H

#include "onramp_quic.h"

#include "cc_common.h"
#include "picoquic_internal.h"

#include <stdbool.h>
#include <stdint.h>

struct state {
	/* NULL before the first ACK, and when the start-up is over */
	struct onramp_quic *sender;
	/* State of picoquic's CUBIC; NULL before the hand-over */
	void *cubic;
	/* What is in force. When the start-up is over: its outcome. */
	struct onramp_quic_state last;
	/* BDP of an earlier connection; 0: none */
	uint64_t remembered_bytes;
	/* When CUBIC took over; 0: not yet */
	uint64_t handed_over_us;
	picoquic_min_max_rtt_t loss_filter;
	/* Options */
	bool every_loss_is_congestion;
	bool ignores_timestamps;
};

static inline struct state *state_of(picoquic_path_t *path)
{
	return path->congestion_alg_state;
}

#endif
