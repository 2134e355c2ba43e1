/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Onramp's start-ups as congestion controls of picoquic: a translation of picoquic's notifications
 * into the calls of crates/onramp-quic (onramp_quic.h), and of its decisions into picoquic's cwnd
 * and pacing rate.
 *
 *   notification      what it carries                      becomes
 *   acknowledgement   one ACK frame, already summed        onramp_quic_on_ack()
 *   repeat            one packet that ACKs found lost      count_lost(), on_congestion()
 *   timeout           one packet that a timer found lost   count_lost(); the third in a row is
 *                                                          persistent congestion
 *   ecn_ec            CE marks that an ACK reports         onramp_quic_on_congestion()
 *   seed_cwin         the BDP of an earlier connection     onramp_quic_remember()
 *   reset             a new path                           a new start-up
 *   others                                                 nothing: see below
 *
 * The start-up begins with the first ACK, because the RTT of the handshake is known then. ACKs of
 * the handshake's own packets are not reported: no window limits them.
 *
 * With QUIC timestamps (draft-huitema-quic-ts), picoquic knows when the receiver got a packet. This
 * is the receiver's clock of core/measure/receiver_clock.h. The option `no-clock` ignores it.
 *
 * The congestion avoidance is picoquic's CUBIC. It gets every notification from the hand-over on.
 * Until then the start-up owns cwnd. CUBIC's state is private to picoquic, so the hand-over uses
 * notifications too (hand_over.h).
 *
 * What is a congestion event? picoquic's CUBIC reduces cwnd only if its smoothed loss rate is above
 * 15 % (picoquic_cc_hystart_loss_test()), because satellite links lose packets without congestion.
 * The same filter decides here which losses are reported as congestion. The option `every-loss`
 * reports all, as RFC 9002 says. Lost bytes are counted in either case.
 *
 * Not translated:
 * - spurious_repeat: it names one packet, and a start-up undoes whole events. After the hand-over
 *   CUBIC gets it.
 * - cwin_blocked: whether cwnd limited the sender is read from picoquic's path at each ACK.
 * - rtt_measurement: the acknowledgement follows, and has the times of its newest packet.
 * - lost_feedback, restart_from_idle: picoquic's CUBIC ignores both. Where nothing is in flight,
 *   the sender paces the restart.
 * - The phase AVOIDANCE of core/host.h: as with BBR, it is DONE, because CUBIC repeats slow start
 *   by itself after a timeout.
 */
#include "onramp.h"
#include "hand_over.h"
#include "inflight.h"
#include "registry.h"
#include "state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In picoquic's numbering, which logs and connection IDs of tests use; picoquic has 1 to 8. */
#define ONRAMP_ALGORITHM_NUMBER 0x4f
/* A burst of a paced sender lasts up to a millisecond, as in Linux, but has at least 2 packets, and
 * at most the 16 that picoquic's own pacing allows. */
#define BURSTS_PER_S 1000
#define MIN_BURST_PACKETS 2
#define MAX_BURST_PACKETS 16

/* A single timeout shows no congestion (RFC 9002, section 6.2). So many in a row are persistent
 * congestion (section 7.6.1). */
#define PERSISTENT_TIMEOUTS 3

/* The name of the start-up: the congestion control is `onramp` or `onramp_NAME`. */
static const char *startup_name(const picoquic_cnx_t *cnx)
{
	const char *control = cnx->congestion_alg->congestion_algorithm_id;
	const char *separator = strchr(control, '_');

	return separator ? separator + 1 : control;
}

static void begin(struct state *state, picoquic_cnx_t *cnx, picoquic_path_t *path, uint64_t now_us)
{
	state->sender = onramp_quic_new(startup_name(cnx), path->send_mtu, path->cwin);
	if (!state->sender)
		return;
	/* Whether the peer sends timestamps too is not known yet. picoquic takes the offset of the
	 * clocks to be half of the RTT. */
	if (cnx->local_parameters.enable_time_stamp && !state->ignores_timestamps)
		onramp_quic_use_receiver_clock(state->sender, now_us - path->smoothed_rtt / 2);
	if (state->remembered_bytes)
		onramp_quic_remember(state->sender, state->remembered_bytes,
				     cnx->seed_rtt_min * 1000);
	onramp_quic_start(state->sender, now_us * 1000, path->smoothed_rtt * 1000);
}

/* The burst of a paced sender: a millisecond's worth, within limits */
static uint64_t burst_bytes(uint64_t bytes_per_s, uint64_t mtu_bytes)
{
	return min_u64(max_u64(bytes_per_s / BURSTS_PER_S, MIN_BURST_PACKETS * mtu_bytes),
		       MAX_BURST_PACKETS * mtu_bytes);
}

/* Carry out what is in force after an event. */
static void apply(struct state *state, picoquic_cnx_t *cnx, picoquic_path_t *path, uint64_t now_us)
{
	const struct onramp_quic_state *last = &state->last;

	state->last = onramp_quic_state(state->sender);
	if (last->startup_owns_cwnd)
		path->cwin = last->cwnd_bytes;
	else if (!state->cubic)
		hand_over(state, cnx, path, now_us);
	if (last->is_done || last->phase == STARTUP_PHASE_AVOIDANCE) {
		onramp_quic_free(state->sender);
		state->sender = NULL;
	} else if (last->pacing_bytes_per_s != ONRAMP_QUIC_UNLIMITED) {
		picoquic_update_pacing_rate(path, (double)last->pacing_bytes_per_s,
					    burst_bytes(last->pacing_bytes_per_s, path->send_mtu));
	} else if (!last->host_paces) {
		/* A flight that is paced by cwnd and RTT, as those of picoquic's other controls
		 * are, shows its own rate and not the path's. */
		picoquic_pacing_init(&path->pacing, now_us);
	}
}

static void on_ack(struct state *state, picoquic_cnx_t *cnx, picoquic_path_t *path,
		   const picoquic_per_ack_state_t *event, uint64_t now_us)
{
	/* picoquic counts what is acknowledged without the AEAD's tag, and cwnd and bytes in
	 * transit with it. */
	uint64_t tag_bytes = picoquic_get_checksum_length(cnx, picoquic_epoch_1rtt);
	uint64_t packet_bytes = path->send_mtu - tag_bytes;
	uint64_t packets = (event->nb_bytes_acknowledged + packet_bytes - 1) / packet_bytes;
	uint64_t sent_us = picoquic_cc_get_ack_sent_time(cnx, path);
	/* Since the newest acknowledged packet left, cwnd has stopped the sender. */
	bool was_blocked = path->last_cwin_blocked_time >= sent_us;
	/* The sender had no data to send, or flow control stopped it. */
	bool was_idle = path->last_sender_limited_time >= path->last_time_acked_data_frame_sent;
	struct onramp_quic_ack ack = {
		.now_ns = now_us * 1000,
		.newest_sent_ns = sent_us * 1000,
		.acked_bytes = event->nb_bytes_acknowledged + packets * tag_bytes,
		.inflight_bytes = inflight_bytes(cnx, path),
		.srtt_ns = path->smoothed_rtt * 1000,
		/* As the clock shows it: picoquic's sample leaves the peer's delay out, and then
		 * says when the packet left no more. */
		.rtt_ns = (now_us - sent_us) * 1000,
		.receiver_us = event->one_way_delay ? sent_us + event->one_way_delay : 0,
		.avoidance_cwnd_bytes = path->cwin,
		.is_app_limited = event->is_app_limited && !was_blocked,
		.is_cwnd_limited = was_blocked || !was_idle,
	};

	onramp_quic_set_mtu(state->sender, path->send_mtu);
	onramp_quic_on_ack(state->sender, &ack);
}

/* A lost packet, or CE marks */
static void on_congestion(struct state *state, picoquic_cnx_t *cnx, picoquic_path_t *path,
			  picoquic_congestion_notification_t notification,
			  const picoquic_per_ack_state_t *event, uint64_t now_us)
{
	bool is_mark = notification == picoquic_congestion_notification_ecn_ec;
	bool is_timeout = notification == picoquic_congestion_notification_timeout;
	uint64_t sent_us =
		is_mark ? picoquic_cc_get_ack_sent_time(cnx, path) : event->lost_packet_sent_time;
	struct onramp_quic_congestion congestion = {
		.now_ns = now_us * 1000,
		.newest_sent_ns = sent_us * 1000,
		.inflight_bytes = path->bytes_in_transit,
		.lost_bytes = event->nb_bytes_newly_lost,
		.avoidance_cwnd_bytes = path->cwin,
		.avoidance_ssthresh_bytes =
			path->cwin * CUBIC_LOSS_NUMERATOR / CUBIC_LOSS_DENOMINATOR,
		.cause = is_mark      ? ONRAMP_QUIC_MARK
			 : is_timeout ? ONRAMP_QUIC_PERSISTENT_CONGESTION
				      : ONRAMP_QUIC_LOSS,
	};

	if (!is_mark) {
		onramp_quic_count_lost(state->sender, event->nb_bytes_newly_lost);
		/* picoquic counts earlier timeouts of a row. */
		if (is_timeout && path->nb_retransmit + 1 < PERSISTENT_TIMEOUTS)
			return;
		if (!picoquic_cc_hystart_loss_test(&state->loss_filter, notification,
						   event->lost_packet_number,
						   PICOQUIC_SMOOTHED_LOSS_THRESHOLD) &&
		    !state->every_loss_is_congestion)
			return;
	}
	onramp_quic_on_congestion(state->sender, &congestion);
}

static void reset(struct state *state)
{
	struct state empty = {
		.every_loss_is_congestion = state->every_loss_is_congestion,
		.ignores_timestamps = state->ignores_timestamps,
	};

	onramp_quic_free(state->sender);
	free(state->cubic);
	*state = empty;
}

static void cc_init(picoquic_path_t *path, const char *options, uint64_t now_us)
{
	struct state *state = calloc(1, sizeof(*state));

	(void)now_us;
	path->congestion_alg_state = state;
	path->cwin = PICOQUIC_CWIN_INITIAL;
	if (!state || !options)
		return;
	state->every_loss_is_congestion = strstr(options, "every-loss") != NULL;
	state->ignores_timestamps = strstr(options, "no-clock") != NULL;
}

static void cc_delete(picoquic_path_t *path)
{
	if (state_of(path)) {
		reset(state_of(path));
		free(path->congestion_alg_state);
		path->congestion_alg_state = NULL;
	}
}

static void cc_notify(picoquic_cnx_t *cnx, picoquic_path_t *path,
		      picoquic_congestion_notification_t notification,
		      picoquic_per_ack_state_t *event, uint64_t now_us)
{
	struct state *state = state_of(path);
	bool is_running;

	path->is_cc_data_updated = 1;
	if (!state)
		return;
	if (state->cubic && notification != picoquic_congestion_notification_reset)
		notify_cubic(state, cnx, path, notification, event, now_us);
	is_running = state->sender != NULL;
	switch (notification) {
	case picoquic_congestion_notification_reset:
		reset(state);
		path->cwin = PICOQUIC_CWIN_INITIAL;
		return;
	case picoquic_congestion_notification_seed_cwin:
		state->remembered_bytes = event->nb_bytes_acknowledged;
		return;
	case picoquic_congestion_notification_acknowledgement:
		if (!is_running && !state->cubic)
			begin(state, cnx, path, now_us);
		else if (is_running && event->pc == picoquic_packet_context_application)
			on_ack(state, cnx, path, event, now_us);
		break;
	case picoquic_congestion_notification_repeat:
	case picoquic_congestion_notification_timeout:
	case picoquic_congestion_notification_ecn_ec:
		if (is_running)
			on_congestion(state, cnx, path, notification, event, now_us);
		break;
	default:
		return;
	}
	if (state->sender)
		apply(state, cnx, path, now_us);
}

static void cc_observe(picoquic_path_t *path, uint64_t *phase, uint64_t *estimate_bytes_per_s)
{
	struct state *state = state_of(path);

	*phase = state->last.phase;
	*estimate_bytes_per_s = state->last.estimate_bytes_per_s;
}

#define CONTROL(name)                                                                              \
	{                                                                                          \
		name, ONRAMP_ALGORITHM_NUMBER, PICOQUIC_ECN_ECT_0, cc_init, cc_notify, cc_delete,  \
			cc_observe                                                                 \
	}

/* Those of core/registry.h that need nothing from the peer and no reservation */
static picoquic_congestion_algorithm_t controls[] = {
	CONTROL("onramp"),       CONTROL("onramp_standard"), CONTROL("onramp_paced"),
	CONTROL("onramp_gamma"), CONTROL("onramp_spaced"),   CONTROL("onramp_astart"),
	CONTROL("onramp_hoe"),   CONTROL("onramp_bbrstart"), CONTROL("onramp_rapid"),
	CONTROL("onramp_lift"),  CONTROL("onramp_hystart"),  CONTROL("onramp_search"),
	CONTROL("onramp_suss"),  CONTROL("onramp_jump"),     CONTROL("onramp_halfback"),
};
#define CONTROLS (sizeof(controls) / sizeof(controls[0]))
#define MAX_CONTROLS 64

void onramp_picoquic_register(void)
{
	static picoquic_congestion_algorithm_t const *all[MAX_CONTROLS];
	size_t count;

	cubic = picoquic_cubic_algorithm;
	picoquic_register_all_congestion_control_algorithms();
	count = picoquic_nb_congestion_control_algorithms;
	memcpy(all, picoquic_congestion_control_algorithms, count * sizeof(all[0]));
	for (size_t i = 0; i < CONTROLS && count < MAX_CONTROLS; i++)
		all[count++] = &controls[i];
	picoquic_register_congestion_control_algorithms(all, count);
}

void onramp_picoquic_print(picoquic_cnx_t *cnx)
{
	struct state *state = state_of(cnx->path[0]);

	if (!state || !cnx->congestion_alg || cnx->congestion_alg->alg_notify != cc_notify)
		return;
	printf("phase=%s exit=%s estimate=%" PRIu64 " window=%" PRIu64 " handed_over_us=%" PRIu64
	       "\n",
	       startup_phase_name(state->last.phase), startup_exit_name(state->last.exit),
	       state->last.estimate_bytes_per_s, state->last.cwnd_bytes, state->handed_over_us);
}
