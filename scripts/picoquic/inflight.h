/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What is in flight on a path of picoquic. */
#ifndef ONRAMP_PICOQUIC_INFLIGHT_H
#define ONRAMP_PICOQUIC_INFLIGHT_H

#include "startup.h"

#include "picoquic_internal.h"

/* A packet with an ACK frame, a timestamp and nothing else is shorter. */
#define MAX_ACK_ONLY_BYTES 256
/* With so much in flight, packets that only acknowledge are not searched for. */
#define LONG_FLIGHT_PACKETS 256

/* The packet only acknowledges: no frame of it is to be acknowledged. */
static inline bool is_ack_only(const picoquic_packet_t *packet)
{
	size_t consumed = 0;
	int is_pure_ack = 1;

	if (packet->length > MAX_ACK_ONLY_BYTES)
		return false;
	for (size_t at = packet->offset; at < packet->length && is_pure_ack; at += consumed)
		if (picoquic_skip_frame(packet->bytes + at, packet->length - at, &consumed,
					&is_pure_ack) ||
		    !consumed)
			return false;
	return is_pure_ack;
}

/*
 * Bytes in flight as RFC 9002 (section 2) counts them. picoquic's bytes in transit have packets
 * that only acknowledge, too. A peer acknowledges these with later packets alone, so a flight would
 * seem to last until the next one arrives. In a long flight they make no difference.
 */
static inline uint64_t inflight_bytes(picoquic_cnx_t *cnx, const picoquic_path_t *path)
{
	const picoquic_packet_context_t *context =
		cnx->is_multipath_enabled ? &path->pkt_ctx
					  : &cnx->pkt_ctx[picoquic_packet_context_application];
	uint64_t ack_only_bytes = 0;

	if (path->bytes_in_transit > LONG_FLIGHT_PACKETS * path->send_mtu)
		return path->bytes_in_transit;
	for (const picoquic_packet_t *packet = context->pending_first; packet;
	     packet = packet->packet_next)
		if (packet->send_path == path && is_ack_only(packet))
			ack_only_bytes += packet->length + packet->checksum_overhead;
	return path->bytes_in_transit - min_u64(ack_only_bytes, path->bytes_in_transit);
}

#endif
