/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection that a start-up program controls: the user's configuration, the map with the state
 * of each connection, and functions that read this state. They follow the rules of core/host.h.
 */
#ifndef ONRAMP_CONNECTION_H
#define ONRAMP_CONNECTION_H

#include "algorithm.h"
#include "host.h"
#include "intf.h"
#include "kernel.h"
#include "startup/tcp.h"

#include <bpf/bpf_helpers.h>

/* Every process finds a loaded congestion control of Onramp by the name of this map, and reads here
 * which start-up it is and which process owns it. */
READ_ONLY_DATA struct onramp_config config SEC(".rodata.onramp");

SOCKET_MAP(struct onramp_hosted, 0) onramp_conns SEC(".maps");

/* Connections that started so far: the source of their ids */
__u64 connections = 0;

/* NULL if there was no memory for the record when the connection started. */
static inline struct onramp_connection *connection_of(struct sock *sk)
{
	return bpf_sk_storage_get(&onramp_conns, sk, 0, 0);
}

static inline bool conn_startup_is_over(const struct onramp_connection *connection)
{
	return startup_is_over(&connection->decision);
}

static inline bool conn_is_done(const struct onramp_connection *connection)
{
	return host_is_done(connection->decision.phase);
}

/* Is a rate reserved, so that losses do not change cwnd? For an algorithm that cannot reserve this
 * is a constant, so the verifier does not walk the branches that depend on it. */
static inline bool conn_is_reserved(const struct onramp_connection *connection)
{
#ifdef ONRAMP_RESERVES
	return host_is_reserved(connection->decision.phase);
#else
	return false;
#endif
}

/* Does the algorithm control cwnd while a loss is repaired? A constant as above. */
static inline bool conn_is_repairing(const struct onramp_connection *connection)
{
#ifdef ONRAMP_REPAIRS
	return host_is_repairing(connection->decision.phase);
#else
	return false;
#endif
}

/* Does loss recovery leave cwnd alone? */
static inline bool conn_holds_cwnd(const struct onramp_connection *connection)
{
	return conn_is_reserved(connection) || conn_is_repairing(connection);
}

/* Does the congestion avoidance raise cwnd? */
static inline bool conn_avoidance_owns_cwnd(const struct tcp_sock *tp,
					    const struct onramp_connection *connection)
{
	return host_owns_cwnd(connection->decision.phase, tp->snd_cwnd, tp->snd_ssthresh);
}

/* Has the ACK delivered something that no input of the algorithm has counted? */
static inline bool conn_has_news(const struct tcp_sock *tp,
				 const struct onramp_connection *connection)
{
	return tp->delivered != connection->delivered_segments;
}

/* Delivered since the latest input of the algorithm. */
static inline __u64 conn_unreported_bytes(const struct tcp_sock *tp,
					  const struct onramp_connection *connection)
{
	return (__u64)(tp->delivered - connection->delivered_segments) * mss_of(tp);
}

/* Does the host pace at the decided rate? */
static inline bool conn_paces(const struct tcp_sock *tp, const struct onramp_connection *connection)
{
	return host_paces(connection->decision.phase, connection->decision.pacing_bytes_per_s,
			  tp->snd_cwnd, tp->snd_ssthresh,
			  tp->delivered - connection->resumed_segments);
}

/* Is this ACK, outside of recovery, an input of the algorithm? */
static inline bool conn_reports_ack(const struct tcp_sock *tp,
				    const struct onramp_connection *connection)
{
	return host_reports_ack(connection->decision.phase, tp->snd_cwnd, tp->snd_ssthresh,
				false) &&
	       conn_has_news(tp, connection);
}

/* Is this ACK one of successive quiet ACKs, which show the algorithm nothing? Most
 * other ACKs leave something in flight, so this is checked first. */
static inline bool conn_skips_quiet_ack(const struct tcp_sock *tp,
					struct onramp_connection *connection)
{
	if (packets_in_flight(tp) || !host_ack_is_quiet(ack_limits(tp), 0)) {
		connection->quiet_acks = 0;
		return false;
	}
	connection->quiet_acks++;
	return host_skips_quiet_ack(connection->decision.phase,
				    connection->decision.pacing_bytes_per_s,
				    connection->quiet_acks);
}

/* Is this ACK an input of the algorithm before the kernel looks for losses? With a reserved rate,
 * every ACK is. Otherwise it is one of a recovery that goes on after it: the ACK that ends the
 * recovery comes to onramp_cong_avoid(). */
static inline bool conn_reports_in_recovery(const struct tcp_sock *tp,
					    const struct onramp_connection *connection)
{
	bool recovery_goes_on =
		reduces_cwnd(congestion_state(tp)) && (__s32)(tp->snd_una - tp->high_seq) < 0;

	return (conn_is_reserved(connection) ||
		(recovery_goes_on && host_reports_recovery(connection->decision.phase))) &&
	       conn_has_news(tp, connection);
}

/* Record why, when and at which cwnd the start-up ended. Only the first exit counts: an
 * algorithm that returns in later slow starts exits again. Returns true at the first exit. */
static inline bool note_exit(struct onramp_connection *connection, __u64 now_ns)
{
	if (!conn_startup_is_over(connection) || connection->exit_ns)
		return false;
	connection->exit = connection->decision.exit;
	connection->exit_ns = now_ns;
	connection->exit_cwnd_bytes = connection->decision.cwnd_bytes;
	return true;
}

#endif
