/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * search: SEARCH, which leaves slow start when deliveries no longer follow what was sent.
 *
 * J. Chung, M. Kachooei, F. Li, M. Claypool: SEARCH -- a New Slow Start Algorithm for TCP and QUIC.
 * draft-chung-ccwg-search-09, 2026 (work in progress). "Slow start Exit At Right CHokepoint".
 *
 * In one sentence: compare the bytes delivered in the last 3.5 RTTs with the bytes sent in the 3.5
 * RTTs one RTT earlier; once a quarter of them is missing, the pipe is full.
 *
 *   bin         = 3.5 * initial RTT / 10         totals are kept at the end of each bin
 *   delivered   = acked[now] - acked[now - 10]
 *   sent        = sent[then] - sent[then - 10]   then = now - RTT, interpolated between bins
 *   norm        = (sent - delivered) / sent
 *   exit when norm >= 26 %                       checked once a bin
 *   target      = delivered in the last initial RTT: about the BDP without the queue
 *
 *   +------------+  norm >= 26 %   +-------+  cwnd = target   +------+
 *   | SLOW START | --------------> | DRAIN | ---------------> | DONE |
 *   +------------+                 +-------+  (delivery)      +------+
 *         |                            |                          ^
 *         +--- cwnd >= ssthresh, loss -+--------------------------+
 *
 * Why sums over 3.5 RTTs: delays of satellite links and radio links vary with a period of about
 * 3.3 RTTs, which such a sum averages out.
 *
 * The versions in use differ, and the user may choose (`search = ...` in scenario files):
 *
 *                     compares delivered with        exit at   at the exit
 *   draft (default)   sent                           26 %      drains to the target
 *   linux (3.1)       2 * delivered one RTT earlier  35 %      cwnd stays
 *   freebsd (v4)      sent                           35 %      cwnd -= delivered in 2 RTTs
 *
 * Differences from the draft, and its open points
 * - The draft interpolates forward in time, which looks back less than an RTT. As implementers have
 *   remarked, it means the other direction. This code looks back a whole RTT.
 * - What was sent is computed from the ACK: delivered, in flight and lost. At an ACK that is what
 *   had left before it.
 * - Bins have 64 bits. The draft's scaling to 16 bits saves memory and changes no decision.
 * - The RTT of the look-back is the ACK's sample, or the last one if it has none.
 * - More than 10 bins without an ACK: the bins begin again with the next RTT (optional in -09).
 * - The drain sends a segment for every 3 that are acknowledged, until cwnd is the target. -09
 *   describes a drain that is gradual; the 3 is from the authors' implementation for Linux.
 * - An ssthresh that the host sets meanwhile (Linux's own HyStart) is not used.
 */
#ifndef ONRAMP_SEARCH_H
#define ONRAMP_SEARCH_H

#include "startup.h"

/* The versions beside the draft */
enum search_variant {
	/* Version 3.1 for Linux: deliveries are compared with deliveries. */
	SEARCH_DELIVERED = 1 << 0,
	/* Version 4 for FreeBSD: cwnd goes back by what was delivered since the pipe is full. */
	SEARCH_ROLLBACK = 1 << 1,
};

#define SEARCH_VARIANTS(V)                                                                         \
	V("search", "linux", SEARCH_DELIVERED) V("search", "freebsd", SEARCH_ROLLBACK)

/* WINDOW_SIZE_FACTOR: the window has 3.5 initial RTTs. W: it has 10 bins. */
#define SEARCH_BINS 10
#define SEARCH_BIN_RTT_PERCENT 35
/* The RTT may grow to so many bins (5.25 initial RTTs) before the comparison has no data. */
#define SEARCH_EXTRA_BINS 15
/* The rings. Both ends of a window are totals, so 11 bins and 26 bins are needed. A power of 2 lets
 * the kernel's verifier see that an index stays within its ring. */
#define SEARCH_ACKED_BINS 16
#define SEARCH_SENT_BINS 32
_Static_assert(SEARCH_BINS *SEARCH_BIN_RTT_PERCENT == 350, "3.5 RTTs, as in the essay");
_Static_assert(SEARCH_ACKED_BINS > SEARCH_BINS, "a window of acked_bytes fits");
_Static_assert(SEARCH_SENT_BINS > SEARCH_BINS + SEARCH_EXTRA_BINS, "an earlier window fits");
/* THRESH of -09. Sums that double end at 50 % when growth ends at once. 26 % is passed in the
 * second RTT after the pipe is full. */
#define SEARCH_THRESH_PERCENT 26
/* THRESH of version 3 */
#define SEARCH_OLD_THRESH_PERCENT 35
/* DRAIN: segments that are acknowledged for each one that may leave. */
#define SEARCH_DRAIN_DIVISOR 3
/* The target is at least the initial window of RFC 6928. */
#define SEARCH_MIN_SEGMENTS 10
/* Version 4 for FreeBSD goes back by what was delivered in this number of RTTs: the exit comes two
 * RTTs after the pipe is full. */
#define SEARCH_ROLLBACK_RTTS 2

/* The window has at least two RTTs, so that the roll-back of two RTTs has no more bins than the
 * ring has. */
#define SEARCH_PARAMETERS(P)                                                                       \
	P(search, thresh_ppm, SEARCH_THRESH_PERCENT *PPM / 100, 10000, 990000,                     \
	  "THRESH of the draft: the share of what was sent that is missing at the exit.")          \
	P(search, old_thresh_ppm, SEARCH_OLD_THRESH_PERCENT *PPM / 100, 10000, 990000,             \
	  "The same share of the versions `linux` and `freebsd`.")                                 \
	P(search, window_ppm, SEARCH_BINS *SEARCH_BIN_RTT_PERCENT *PPM / 100, 2000000, 10000000,   \
	  "WINDOW_SIZE_FACTOR: the window, in shares of the initial RTT.")
STARTUP_PARAMETERS(search, SEARCH_PARAMETERS);

struct search {
	struct search_parameters parameters;
	uint64_t sent_bytes[SEARCH_SENT_BINS];   /* totals at the end of each bin, in a ring */
	uint64_t acked_bytes[SEARCH_ACKED_BINS]; /* likewise */
	uint64_t bin_ns;                         /* 0: no bin yet */
	uint64_t bin_end_ns;
	uint64_t bin;          /* the number of the latest bin */
	uint64_t rtt_ns;       /* the latest sample; 0: none */
	uint64_t target_bytes; /* DRAIN: where cwnd goes to; 0: slow start */
	uint64_t drain_bytes;  /* DRAIN: acknowledged, and not yet used to send */
	uint64_t ssthresh_bytes;
	uint64_t variant; /* enum search_variant; 0: the draft */
};
STARTUP_ASSERT_STATE(struct search);

static inline void search_start(struct search *state, const struct startup_start *start,
				struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->variant = start->variant;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* The total that is compared with deliveries: sent, or delivered in version 3. */
static inline uint64_t search_total(const struct search *state, const struct startup_ack *ack)
{
	if (state->variant & SEARCH_DELIVERED)
		return ack->delivered_bytes;
	return ack->delivered_bytes + ack->inflight_bytes + ack->lost_bytes;
}

/* Where the totals of a bin are. */
static inline uint64_t search_sent_slot(uint64_t bin)
{
	return bin & (SEARCH_SENT_BINS - 1);
}

static inline uint64_t search_acked_slot(uint64_t bin)
{
	return bin & (SEARCH_ACKED_BINS - 1);
}

/* Write the totals of this ACK into the latest bin. */
static inline void search_fill(struct search *state, const struct startup_ack *ack)
{
	state->sent_bytes[search_sent_slot(state->bin)] = search_total(state, ack);
	state->acked_bytes[search_acked_slot(state->bin)] = ack->delivered_bytes;
}

/* The first bin, of this RTT. */
static inline void search_begin(struct search *state, const struct startup_ack *ack)
{
	state->bin_ns =
		max_u64(mul_div(state->rtt_ns, state->parameters.window_ppm, SEARCH_BINS * PPM), 1);
	state->bin_end_ns = ack->now_ns + state->bin_ns;
	state->bin = 0;
	search_fill(state, ack);
}

/* Go on to the bin of this ACK. Bins without an ACK have the totals of the bin before them. */
static inline void search_advance(struct search *state, const struct startup_ack *ack)
{
	uint64_t sent = state->sent_bytes[search_sent_slot(state->bin)];
	uint64_t acked = state->acked_bytes[search_acked_slot(state->bin)];
	uint64_t passed = (ack->now_ns - state->bin_end_ns) / state->bin_ns + 1;

	if (passed > SEARCH_BINS) {
		search_begin(state, ack);
		return;
	}
	for (uint64_t i = 1; i < SEARCH_BINS && i < passed; i++) {
		state->sent_bytes[search_sent_slot(state->bin + i)] = sent;
		state->acked_bytes[search_acked_slot(state->bin + i)] = acked;
	}
	state->bin += passed;
	state->bin_end_ns += passed * state->bin_ns;
	search_fill(state, ack);
}

/* Delivered in so many bins until now; at most 10. */
static inline uint64_t search_delivered(const struct search *state, uint64_t bins)
{
	return state->acked_bytes[search_acked_slot(state->bin)] -
	       state->acked_bytes[search_acked_slot(state->bin - bins)];
}

/* Sent in the window that ends with this bin. */
static inline uint64_t search_sent(const struct search *state, uint64_t bin)
{
	return state->sent_bytes[search_sent_slot(bin)] -
	       state->sent_bytes[search_sent_slot(bin - SEARCH_BINS)];
}

/* Sent in the window one RTT ago, interpolated; 0: too little is known, or nothing was sent. */
static inline uint64_t search_expected(const struct search *state)
{
	uint64_t bins = state->rtt_ns / state->bin_ns;
	uint64_t rest_ns = state->rtt_ns % state->bin_ns;
	uint64_t then = state->bin - bins;
	uint64_t sent;

	if (bins >= SEARCH_EXTRA_BINS || state->bin <= SEARCH_BINS + bins)
		return 0;
	sent = mul_div(search_sent(state, then), state->bin_ns - rest_ns, state->bin_ns) +
	       mul_div(search_sent(state, then - 1), rest_ns, state->bin_ns);
	/* Version 3 expects twice of what was delivered. */
	return state->variant & SEARCH_DELIVERED ? 2 * sent : sent;
}

/* The pipe is full. Called when a bin has ended. */
static inline bool search_is_at_chokepoint(const struct search *state)
{
	uint64_t expected = search_expected(state);
	uint64_t delivered = search_delivered(state, SEARCH_BINS);
	uint64_t thresh_ppm =
		state->variant ? state->parameters.old_thresh_ppm : state->parameters.thresh_ppm;

	return expected > delivered && mul_div(expected - delivered, PPM, expected) >= thresh_ppm;
}

/* The number of bins that make so many initial RTTs, rounded up: 3 for one, 6 for two. */
static inline uint64_t search_bins_of(const struct search *state, uint64_t rtts)
{
	uint64_t window_ppm = state->parameters.window_ppm;

	return (rtts * SEARCH_BINS * PPM + window_ppm - 1) / window_ppm;
}

/* The cwnd to leave slow start with. */
static inline uint64_t search_target(const struct search *state, const struct startup_ack *ack)
{
	uint64_t min_bytes = SEARCH_MIN_SEGMENTS * (uint64_t)ack->mss_bytes;
	uint64_t excess = search_delivered(state, search_bins_of(state, SEARCH_ROLLBACK_RTTS));
	uint64_t target;

	if (state->variant & SEARCH_DELIVERED)
		return ack->cwnd_bytes;
	if (state->variant & SEARCH_ROLLBACK)
		target = ack->cwnd_bytes - min_u64(excess, ack->cwnd_bytes);
	else
		target = search_delivered(state, search_bins_of(state, 1));
	return max_u64(min_u64(max_u64(target, min_bytes), ack->cwnd_bytes), 1);
}

/* Follow the bins. The pipe is full: choose the target. */
static inline void search_measure(struct search *state, const struct startup_ack *ack)
{
	if (!state->rtt_ns)
		return;
	if (!state->bin_ns) {
		search_begin(state, ack);
		return;
	}
	if (ack->now_ns <= state->bin_end_ns)
		return;
	search_advance(state, ack);
	if (search_is_at_chokepoint(state))
		state->target_bytes = search_target(state, ack);
}

/* The cwnd in DRAIN: what is in flight, and a segment more for every 3 that were acknowledged. */
static inline uint64_t search_drain(struct search *state, const struct startup_ack *ack)
{
	uint64_t mss = ack->mss_bytes;
	uint64_t leaving;

	/* The other versions go to their cwnd at once. */
	if (state->variant)
		return min_u64(state->target_bytes, ack->cwnd_bytes);
	state->drain_bytes += ack->acked_bytes;
	leaving = state->drain_bytes / SEARCH_DRAIN_DIVISOR / mss * mss;
	state->drain_bytes -= leaving * SEARCH_DRAIN_DIVISOR;
	return min_u64(max_u64(ack->inflight_bytes + leaving, state->target_bytes),
		       ack->cwnd_bytes);
}

static inline void search_ack(struct search *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	if (ack->rtt_ns)
		state->rtt_ns = ack->rtt_ns;
	if (!state->target_bytes)
		search_measure(state, ack);
	if (!state->target_bytes) {
		startup_begin_slow_start(decision, startup_slow_start(ack, state->ssthresh_bytes),
					 state->ssthresh_bytes);
		if (decision->cwnd_bytes >= state->ssthresh_bytes)
			startup_finish(decision, STARTUP_EXIT_SSTHRESH);
		return;
	}
	startup_begin_slow_start(decision, search_drain(state, ack), state->ssthresh_bytes);
	decision->phase = STARTUP_PHASE_DRAIN;
	if (decision->cwnd_bytes <= state->target_bytes) {
		decision->ssthresh_bytes = decision->cwnd_bytes;
		startup_finish(decision, STARTUP_EXIT_DELIVERY);
	}
}

static inline void search_loss(struct search *state, const struct startup_loss *loss,
			       struct startup_decision *decision)
{
	(void)state;
	startup_end_at_loss(loss, decision);
}

#endif
