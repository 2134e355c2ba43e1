/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * qos: a connection whose rate is reserved sends at it from its first data segment on.
 *
 * H. Ritter, K. Wehrle, L. Wolf: Improving the Performance of TCP on Guaranteed Bandwidth
 * Connections. University of Karlsruhe, 2001. Sections 4 and 5.
 *
 * In one sentence: where the network guarantees a rate there is nothing to find out, so slow start
 * and congestion avoidance are off, the window holds twice what the path does, and a token bucket
 * sends at the rate.
 *
 *   window = 2 * rate * RTT                (1)   as the RTT becomes known: of the handshake first,
 * smoothed later bucket : rate, burst                         core/parts/token_bucket.h, in bytes
 *
 *      +----------+  losses exceed what the reservation may lose (exit: broken)  +------+
 *      | RESERVED | -----------------------------------------------------------> | DONE |
 *      +----------+                                                              +------+
 *            ^                                                                      ^
 *   start ---+--- no rate is reserved, or the host did not grant it (unreserved) ---+
 *
 * A reservation must not become a way to ignore congestion. Losses are counted against what
 * arrives:
 *
 *   excess = max(0, excess + lost - delivered / 128)
 *   it does not hold when excess > 10 segments
 *
 * Then the connection goes on as any other: half of what is in flight is its threshold (RFC 5681,
 * equation 4), and the host's congestion avoidance has the window. It does not come back by itself:
 * the application reserves again.
 *
 * Constants
 * - 2: the paper's. The sender's window has room for what is under way and for what waits for late
 * acknowledgements.
 * - 1/128: a network that keeps a guarantee loses nothing to congestion (the paper, section 2.1),
 * and good links lose less than this to errors. Reno would make ten times less of a path that loses
 * so much as soon as the window is 140 segments: the square root of 1.5 * 128 is 14. Ten times is
 * where RFC 8083 (section 4.3) stops a sender that does not control congestion. A path that has a
 * rate of a tenth less than reserved loses a tenth.
 * - 10 segments: what a host sends into the unknown at most (RFC 6928), here what it may lose
 * before it gives way. A policer that is too small is found within some hundred segments, an outage
 * at once.
 * - 3 segments and 1/128 of what is in flight, for an event since whose last nothing was taken for
 * lost: an ECN mark, which a host tells of once in a round trip, or a loss that a probe has
 * repaired. Round trips that are all marked break the reservation with the fourth, whatever the
 * window, and a mark in a few dozen round trips does not.
 * - Burst: about a millisecond at the rate, as Linux builds packets, but two segments at least, as
 * a receiver acknowledges them, and at most 10. The paper does not say how deep its bucket is.
 *
 * Differences from the paper, and what it leaves open
 * - The paper assumes that the reservation is "strong and holds during the connection time". Here
 * that is watched.
 * - The window is no less than the host's initial one, nor than what a burst needs beside a path
 * full of segments: on a short path 2 * rate * RTT would be less than a segment.
 * - The rate is that of TCP's payload. Headers come on top: 3 to 4 % where packets have 1500 bytes,
 * 7 to 10 % with the paper's segments of 536. What is reserved in the network has to be more, as
 * the paper's 1.1 times.
 * - A queue makes the smoothed round trip longer, and the window with it: what bounds the sender is
 * the rate. On a path that has less than that, the queue grows until it overflows.
 * - Where the round trip of the handshake is not known (a SYN was lost), the host's initial window
 * is sent at the rate.
 */
#ifndef ONRAMP_QOS_H
#define ONRAMP_QOS_H

#include "startup.h"

#define QOS_WINDOW_PATHS 2
#define QOS_LOSS_PART 128
#define QOS_LOSS_SEGMENTS STARTUP_BURST_SEGMENTS
#define QOS_MARK_SEGMENTS 3
/* Of a second: what leaves in about a millisecond. */
#define QOS_BURST_PART 1024
#define QOS_BURST_MIN_SEGMENTS 2

struct qos {
	uint64_t rate_bytes_per_s;
	uint64_t initial_bytes;   /* the host's initial window, 10 segments at most */
	uint64_t excess_bytes;    /* losses beyond what a reservation may lose */
	uint64_t delivered_bytes; /* when that was reckoned */
	uint64_t lost_bytes;
	uint64_t event_lost_bytes; /* at the last event of loss */
	uint64_t cwnd_bytes;
	uint32_t burst_bytes;
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct qos);

static inline uint32_t qos_burst(const struct startup_start *start)
{
	uint64_t most = STARTUP_BURST_SEGMENTS * (uint64_t)start->mss_bytes;
	uint64_t least = QOS_BURST_MIN_SEGMENTS * (uint64_t)start->mss_bytes;

	if (start->burst_bytes) /* a bucket that a segment does not fit into would never let it go
				 */
		return (uint32_t)max_u64(start->burst_bytes, start->mss_bytes);
	return (uint32_t)min_u64(max_u64(start->pace_bytes_per_s / QOS_BURST_PART, least), most);
}

static inline uint64_t qos_window(const struct qos *state, uint64_t rtt_ns)
{
	uint64_t path = mul_div(state->rate_bytes_per_s, rtt_ns, NS_PER_S);

	return max_u64(max_u64(QOS_WINDOW_PATHS * path, path + state->burst_bytes),
		       state->initial_bytes);
}

static inline void qos_decide(const struct qos *state, struct startup_decision *decision)
{
	*decision = (struct startup_decision){
		.cwnd_bytes = state->cwnd_bytes,
		.ssthresh_bytes = STARTUP_UNLIMITED,
		.pacing_bytes_per_s = state->rate_bytes_per_s,
		.estimate_bytes_per_s = state->rate_bytes_per_s,
		.phase = STARTUP_PHASE_RESERVED,
		.burst_bytes = state->burst_bytes,
	};
}

static inline void qos_start(struct qos *state, const struct startup_start *start,
			     struct startup_decision *decision)
{
	if (!start->pace_bytes_per_s) {
		startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
		startup_finish(decision, STARTUP_EXIT_UNRESERVED);
		return;
	}
	state->rate_bytes_per_s = start->pace_bytes_per_s;
	state->burst_bytes = qos_burst(start);
	state->excess_bytes = start->excess_bytes;
	state->initial_bytes =
		min_u64(start->cwnd_bytes, STARTUP_BURST_SEGMENTS * (uint64_t)start->mss_bytes);
	state->cwnd_bytes = qos_window(state, start->srtt_ns);
	qos_decide(state, decision);
}

/* Count losses, so many bytes at least, against what arrived. Does the reservation hold? */
static inline bool qos_holds(struct qos *state, uint64_t delivered_bytes, uint64_t lost_bytes,
			     uint64_t least_bytes, uint32_t mss_bytes)
{
	uint64_t tolerated = (delivered_bytes - state->delivered_bytes) / QOS_LOSS_PART;

	/* What is less than a byte of tolerance is kept for the next time. */
	state->delivered_bytes += tolerated * QOS_LOSS_PART;
	state->excess_bytes += max_u64(lost_bytes - state->lost_bytes, least_bytes);
	state->lost_bytes = lost_bytes;
	state->excess_bytes -= min_u64(state->excess_bytes, tolerated);
	return state->excess_bytes <= QOS_LOSS_SEGMENTS * (uint64_t)mss_bytes;
}

/* It does not: go on as any other connection that has had a loss. */
static inline void qos_break(const struct qos *state, uint64_t inflight_bytes,
			     uint64_t ssthresh_bytes, uint32_t mss_bytes,
			     struct startup_decision *decision)
{
	uint64_t half = max_u64(inflight_bytes / 2, 2 * (uint64_t)mss_bytes);

	*decision = (struct startup_decision){
		.cwnd_bytes = min_u64(state->cwnd_bytes, max_u64(inflight_bytes, mss_bytes)),
		.ssthresh_bytes = min_u64(ssthresh_bytes, half),
		.estimate_bytes_per_s = state->rate_bytes_per_s,
	};
	startup_finish(decision, STARTUP_EXIT_BROKEN);
}

static inline void qos_ack(struct qos *state, const struct startup_ack *ack,
			   struct startup_decision *decision)
{
	if (!qos_holds(state, ack->delivered_bytes, ack->lost_bytes, 0, ack->mss_bytes)) {
		qos_break(state, ack->inflight_bytes, STARTUP_UNLIMITED, ack->mss_bytes, decision);
		return;
	}
	if (ack->srtt_ns)
		state->cwnd_bytes = qos_window(state, ack->srtt_ns);
	qos_decide(state, decision);
}

static inline void qos_loss(struct qos *state, const struct startup_loss *loss,
			    struct startup_decision *decision)
{
	uint64_t mark_bytes = 0;

	/* What was lost since the last event, but told of before, is no mark: repairs may follow
	 * each other. */
	if (loss->lost_bytes == state->event_lost_bytes)
		mark_bytes = loss->inflight_bytes / QOS_LOSS_PART +
			     QOS_MARK_SEGMENTS * (uint64_t)loss->mss_bytes;
	state->event_lost_bytes = loss->lost_bytes;
	if (qos_holds(state, state->delivered_bytes, loss->lost_bytes, mark_bytes, loss->mss_bytes))
		qos_decide(state, decision);
	else
		qos_break(state, loss->inflight_bytes, loss->ssthresh_bytes, loss->mss_bytes,
			  decision);
}

#endif
