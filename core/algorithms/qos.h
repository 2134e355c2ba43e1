/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * qos: a connection with a reserved rate sends at it from its first data segment on.
 *
 * H. Ritter, K. Wehrle, L. Wolf: Improving the Performance of TCP on Guaranteed Bandwidth
 * Connections. University of Karlsruhe, 2001. Sections 4 and 5.
 *
 * In one sentence: where the network guarantees a rate, there is nothing to probe, so slow start
 * and congestion avoidance are off, cwnd is twice the BDP, and a token bucket sends at the rate.
 *
 *   window = 2 * rate * RTT                (1)   RTT: of the handshake first, smoothed later
 *   bucket : rate, burst                         core/parts/token_bucket.h, in bytes
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
 *   the reservation does not hold when excess > 10 segments
 *
 * The connection then goes on as any other. Half of the bytes in flight become ssthresh (RFC 5681,
 * equation 4), and the host's congestion avoidance owns cwnd. The reservation does not come back by
 * itself: the application must reserve again.
 *
 * Differences from the paper, and its open points
 * - The paper assumes that the reservation is "strong and holds during the connection time". This
 *   algorithm checks it.
 * - cwnd is at least the host's initial window, and at least a burst more than the BDP. On a short
 *   path 2 * rate * RTT would be less than a segment.
 * - The rate counts TCP's payload. Headers add 3 to 4 % where packets have 1500 bytes, and 7 to 10
 *   % with the paper's segments of 536. The reservation in the network must be larger, as the
 *   paper's 1.1 times.
 * - A queue makes the smoothed RTT longer, and cwnd with it. The rate bounds the sender. On a path
 *   with less than the rate, the queue grows until it overflows.
 * - Where the handshake gave no RTT (a SYN was lost), the host's initial window is sent at the
 *   rate.
 */
#ifndef ONRAMP_QOS_H
#define ONRAMP_QOS_H

#include "startup.h"

/* cwnd in BDPs (the paper): room for the segments in flight and for late ACKs. */
#define QOS_WINDOW_BDPS 2
/* The tolerated share of losses is 1/128. A network that keeps a guarantee loses nothing to
 * congestion (the paper, section 2.1), and good links lose less than this to errors. With such
 * losses, Reno would get ten times less of a path once cwnd is 140 segments: sqrt(1.5 * 128) is 14.
 * Ten times is where RFC 8083 (section 4.3) stops a sender without congestion control. A path with
 * a tenth less than the reserved rate loses a tenth. */
#define QOS_LOSS_DIVISOR 128
/* A host may send 10 segments into an unknown path (RFC 6928). Here it may lose as many before it
 * gives way. This finds a policer that is too small within some hundred segments, and an outage at
 * once. */
#define QOS_LOSS_SEGMENTS STARTUP_BURST_SEGMENTS
/* An event without a new loss counts as 3 segments and 1/128 of the bytes in flight. It is an ECN
 * mark, which a host reports once in a round trip, or a loss that a probe has repaired. Four round
 * trips in succession with marks break the reservation at any cwnd. A mark in a few dozen round
 * trips does not. */
#define QOS_MARK_SEGMENTS 3
/* A burst is the bytes of 1/1024 s at the rate, about the millisecond for which Linux builds
 * packets. It is two segments at least, because a receiver acknowledges two, and 10 at most. The
 * paper gives no depth of its bucket. */
#define QOS_BURSTS_PER_S 1024
#define QOS_BURST_MIN_SEGMENTS 2

struct qos {
	uint64_t rate_bytes_per_s;
	uint64_t initial_cwnd_bytes; /* the host's initial window, 10 segments at most */
	uint64_t excess_bytes;       /* losses beyond the tolerance */
	uint64_t delivered_bytes;    /* in total, when excess_bytes was updated */
	uint64_t lost_bytes;         /* in total, then */
	uint64_t event_lost_bytes;   /* in total, at the last loss event */
	uint64_t cwnd_bytes;
	uint32_t burst_bytes;
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct qos);

/* The depth of the bucket. */
static inline uint32_t qos_burst(const struct startup_start *start)
{
	uint64_t max = STARTUP_BURST_SEGMENTS * (uint64_t)start->mss_bytes;
	uint64_t min = QOS_BURST_MIN_SEGMENTS * (uint64_t)start->mss_bytes;

	/* A bucket that is smaller than a segment would never let it leave. */
	if (start->burst_bytes)
		return (uint32_t)max_u64(start->burst_bytes, start->mss_bytes);
	return (uint32_t)min_u64(max_u64(start->pace_bytes_per_s / QOS_BURSTS_PER_S, min), max);
}

/* cwnd at this RTT. */
static inline uint64_t qos_window(const struct qos *state, uint64_t rtt_ns)
{
	uint64_t pipe_bytes = mul_div(state->rate_bytes_per_s, rtt_ns, NS_PER_S);

	return max_u64(max_u64(QOS_WINDOW_BDPS * pipe_bytes, pipe_bytes + state->burst_bytes),
		       state->initial_cwnd_bytes);
}

/* Decide: send at the reserved rate. */
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
	state->initial_cwnd_bytes =
		min_u64(start->cwnd_bytes, STARTUP_BURST_SEGMENTS * (uint64_t)start->mss_bytes);
	state->cwnd_bytes = qos_window(state, start->srtt_ns);
	qos_decide(state, decision);
}

/* Count losses, at least min_bytes, against what arrived. Returns whether the reservation holds. */
static inline bool qos_holds(struct qos *state, uint64_t delivered_bytes, uint64_t lost_bytes,
			     uint64_t min_bytes, uint32_t mss_bytes)
{
	uint64_t tolerated = (delivered_bytes - state->delivered_bytes) / QOS_LOSS_DIVISOR;

	/* The remainder, worth less than a byte of tolerance, counts the next time. */
	state->delivered_bytes += tolerated * QOS_LOSS_DIVISOR;
	state->excess_bytes += max_u64(lost_bytes - state->lost_bytes, min_bytes);
	state->lost_bytes = lost_bytes;
	state->excess_bytes -= min_u64(state->excess_bytes, tolerated);
	return state->excess_bytes <= QOS_LOSS_SEGMENTS * (uint64_t)mss_bytes;
}

/* The reservation does not hold: go on as any other connection after a loss. */
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

	/* Bytes that were marked lost since the last event are no ECN mark, even if ACKs reported
	 * them before: repairs may follow each other. */
	if (loss->lost_bytes == state->event_lost_bytes)
		mark_bytes = loss->inflight_bytes / QOS_LOSS_DIVISOR +
			     QOS_MARK_SEGMENTS * (uint64_t)loss->mss_bytes;
	state->event_lost_bytes = loss->lost_bytes;
	if (qos_holds(state, state->delivered_bytes, loss->lost_bytes, mark_bytes, loss->mss_bytes))
		qos_decide(state, decision);
	else
		qos_break(state, loss->inflight_bytes, loss->ssthresh_bytes, loss->mss_bytes,
			  decision);
}

#endif
