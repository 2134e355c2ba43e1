/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Onramp's start-ups for QUIC libraries in C. The library is built from this crate:
 *
 *     cargo rustc -p onramp-quic --release --no-default-features --features c \
 *         --crate-type staticlib
 *
 * A sender is the congestion control of one path of a connection, while a start-up controls it.
 * The host has its own congestion avoidance, and keeps cwnd of that itself:
 *
 *     event                             function
 *     the path exists                   onramp_quic_new()
 *     the first RTT sample              onramp_quic_start()
 *     an ACK frame                      onramp_quic_on_ack()
 *     each lost packet                  onramp_quic_count_lost()
 *     losses of a frame, or a mark      onramp_quic_on_congestion()
 *     after each event                  onramp_quic_state(): cwnd, pacing, who owns cwnd
 *     startup_owns_cwnd becomes false   congestion avoidance begins with cwnd and ssthresh
 *     is_done                           onramp_quic_free()
 *
 * Bytes are bytes of UDP payload, times nanoseconds of one clock that is never 0.
 * ONRAMP_QUIC_UNLIMITED: a value that is not set. A sender belongs to one thread at a time.
 */
#ifndef ONRAMP_QUIC_H
#define ONRAMP_QUIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ONRAMP_QUIC_UNLIMITED UINT64_MAX

struct onramp_quic;

/* The packets that an ACK frame newly acknowledges. */
struct onramp_quic_ack {
	uint64_t now_ns;
	/* When the newest of the packets was sent. */
	uint64_t newest_sent_ns;
	uint64_t acked_bytes;
	/* In flight after the frame. */
	uint64_t inflight_bytes;
	uint64_t srtt_ns;
	/* RTT sample of the newest packet, with the peer's delay; 0: none. */
	uint64_t rtt_ns;
	/* When the newest packet arrived, by the receiver's clock in microseconds; 0: unknown. Used
	 * after onramp_quic_use_receiver_clock(). */
	uint64_t receiver_us;
	/* cwnd of the host's congestion avoidance. Used only where that owns cwnd. */
	uint64_t avoidance_cwnd_bytes;
	/* The application had nothing to send. */
	bool is_app_limited;
	/* cwnd held the sender back in the last round trip. */
	bool is_cwnd_limited;
};

enum onramp_quic_cause {
	ONRAMP_QUIC_LOSS = 0,
	ONRAMP_QUIC_MARK = 1,
	/* RFC 9002, section 7.6. */
	ONRAMP_QUIC_PERSISTENT_CONGESTION = 2,
};

/* Packets were lost or marked. */
struct onramp_quic_congestion {
	uint64_t now_ns;
	/* When the newest of the packets was sent. */
	uint64_t newest_sent_ns;
	/* In flight without the lost packets. */
	uint64_t inflight_bytes;
	/* Bytes of the lost packets, which onramp_quic_count_lost() has counted. */
	uint64_t lost_bytes;
	/* Bytes that the latest ACK frame acknowledged behind the first lost packet; 0: unknown. */
	uint64_t acked_behind_bytes;
	/* cwnd of the host's congestion avoidance. Used only where that owns cwnd. */
	uint64_t avoidance_cwnd_bytes;
	/* The ssthresh that the host's congestion avoidance would set. */
	uint64_t avoidance_ssthresh_bytes;
	/* enum onramp_quic_cause */
	uint32_t cause;
};

/* What is in force. */
struct onramp_quic_state {
	uint64_t cwnd_bytes;
	uint64_t ssthresh_bytes;
	/* ONRAMP_QUIC_UNLIMITED: the start-up sets no rate. */
	uint64_t pacing_bytes_per_s;
	/* The rate of the path as measured; 0: not yet. */
	uint64_t estimate_bytes_per_s;
	/* enum startup_phase and enum startup_exit of core/startup.h */
	uint32_t phase;
	uint32_t exit;
	/* Otherwise the host's congestion avoidance owns cwnd. */
	bool startup_owns_cwnd;
	/* Without a rate: the host paces as it would without a start-up. Otherwise it does not pace
	 * at all. */
	bool host_paces;
	/* The start-up is over for good. */
	bool is_done;
};

/* NULL: the start-up is unknown, or does not run over QUIC. initial_window_bytes 0: that of RFC
 * 9002. */
struct onramp_quic *onramp_quic_new(const char *startup, uint64_t mtu_bytes,
				    uint64_t initial_window_bytes);
void onramp_quic_free(struct onramp_quic *sender);

/* Before the start: the receiver reports when packets arrived (draft-huitema-quic-ts), and its
 * clock shows about this time now. */
void onramp_quic_use_receiver_clock(struct onramp_quic *sender, uint64_t receiver_us);
/* Before the start: an earlier connection has measured this BDP, with this minimum RTT. */
void onramp_quic_remember(struct onramp_quic *sender, uint64_t bdp_bytes, uint64_t min_rtt_ns);
/* The handshake is over, and data is about to leave. srtt_ns 0: unknown. */
void onramp_quic_start(struct onramp_quic *sender, uint64_t now_ns, uint64_t srtt_ns);
void onramp_quic_set_mtu(struct onramp_quic *sender, uint64_t mtu_bytes);
void onramp_quic_on_ack(struct onramp_quic *sender, const struct onramp_quic_ack *ack);
void onramp_quic_count_lost(struct onramp_quic *sender, uint64_t bytes);
/* False: the event is part of a recovery, and changes nothing. */
bool onramp_quic_on_congestion(struct onramp_quic *sender,
			       const struct onramp_quic_congestion *event);
/* All packets of the last congestion event have arrived after all. */
void onramp_quic_on_spurious_congestion(struct onramp_quic *sender);
struct onramp_quic_state onramp_quic_state(const struct onramp_quic *sender);

#ifdef __cplusplus
}
#endif

#endif
