/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * onramp: measure the path in the first round trip, fill most of it spaced, and believe no more
 * than what comes back.
 *
 * In one sentence: the acknowledgements of the first flight tell the bottleneck's rate; three
 * quarters of what the path holds at that rate are sent in the next round trip, spaced; their
 * acknowledgements say whether the path carries them, and from there on the window grows by little
 * at first, until the delay rises and stays.
 *
 *   rate = slope of the line through a flight's acknowledgements      core/measure/ack_train.h:
 * Hoe; Aron & Druschel path = rate * RTT_min * share                                     share:
 * what of it is not others', see below w    = min(path, 3/4 path + 10 segments), in an RTT_min
 * PACING
 *
 *   growth for each byte that is acknowledged                         APPROACH; raised as Wang et
 * al. do 1                   below w: the application or the receiver held it back, or it was idle
 *       1/3                 in the round trip that shows that w is carried, where w is less than
 * 7/8 path 1/8, 1/4, 1/2, 1    in those that follow
 *
 *      +------------+  rate   +--------+  w is being     +----------+  8 samples delayed   +------+
 *      | SLOW START | ------> | PACING | --------------> | APPROACH | -------------------> | HOLD |
 *      +------------+         +--------+  acknowledged   +----------+ <------------------- +------+
 *        |     |                ^   |                        |         a sample is not,     |   |
 *        |     |                |   | loss (loss)            |         or the rate grew     |   |
 *        |     |                |   |                        | loss                         |   |
 * none is, for an RTT, |     |   RTT as it    |   |                        v         w is not
 * carried     |   | and the rate did not |     |   was: nobody  |   |                   +---------+
 * +-------+              |   | grow (delay) |     |   else         |   |                   |
 * RETREAT |->| DRAIN | <------------+   | |     |   is there +------------------------------------|
 * |                  | |     |                    |                   +---------+  +-------+ v | |
 * v                        | (loss)    | (loss, delay)   +--------+ |
 * +-----------------------------------------------------------------------> |  DONE  | |       loss
 * +--------+
 *        +- 8 samples at a flight's beginning delayed, before a rate is known: HOLD, and back
 *
 * SLOW START: as ever, and no further than a flight's rate says that the path holds, while that
 * flight comes in.
 *
 * PACING: w is sent in an RTT_min. What it can do to the path and to others is bounded by that.
 *
 * APPROACH: acknowledgements clock the sender again, spaced.
 *
 * HOLD: the window stays for a round trip. A queue of the sender's own stays too, and what is
 * delivered does not grow with the window; a delay that has another reason passes, or the rate
 * grows with the window in spite of it. When the path is full the window becomes what it carries
 * and 1/16, and the congestion avoidance is told.
 *
 * DRAIN: w was not carried. The window is what it was before w. When what was too much has come
 * through, either the round trip is what it was before the first flight: the queue was the sender's
 * own, and what was carried is the path's rate, to begin PACING with, once. Or it is not: somebody
 * else is there, and slow start goes on to a quarter of what was carried at the most.
 *
 * RETREAT: a loss is being repaired. Once the fate of all that was under way is known, so is what
 * the path carried: that is the threshold, or what congestion avoidance makes of the window if it
 * is less. A w of which 7/8 arrived as fast as it left, for half a round trip, was carried, and has
 * lost what it lost for another reason. Of one that was not carried a quarter is left, and until
 * that is known the window before it. What a threshold that rises lets go is spaced.
 *
 * What delays that are no queue fall by (core/measure/rtt_noise.h) hides a queue of that length:
 * only more than that is one, and it is compared with what was usual in the round before, not with
 * its least. A train that is no longer than twice of it tells no rate.
 *
 * Others that begin at the same time have sent initial windows too. The queue in front of this
 * one's first segments, which made the first round trip longer than the handshake's, is theirs; on
 * average there is as much behind:
 *
 *   share = 10 / (10 + 2 q)      q: segments that the bottleneck serves in RTT_first -
 * RTT_handshake - 1 ms
 *
 * A path that is remembered (core/parts/path_memory.h; RFC 9959, whose sections are in brackets) is
 * a path that another connection has filled, R in a round trip. Half of it may be sent before it is
 * validated (3.3), spaced:
 *
 *   carefully   where the initial window is acknowledged (3.2) and has told no rate. Where it has,
 * the rate is newer. at once     behind the initial window. Its rate, if it tells one, is the path,
 * and where that is no more than 2 R, two agree: all of it is w.
 *
 * Towards R, growth is slow start's (3.4), and nothing grows beyond before a round trip has been
 * carried. A loss before that is a Safe Retreat (3.5): half of what has arrived since, until the
 * fate of all is known, and then as much less than that as congestion avoidance makes of a window,
 * which does not become larger by it. What is remembered is forgotten then, and where the first
 * flight tells that the path holds less than has been sent.
 *
 * What is learned: the most that was acknowledged in a round trip, without its queue; of a paced
 * flight of which as much has arrived as is worth remembering, what would have been at that rate;
 * of a path that is full, what it carries. It is told where the path was full, or where it is more
 * than what was remembered: a connection that had little to send says nothing of the path.
 *
 * Constants
 * - 3/4: a half, as RFC 9959 has it for what is remembered, wastes half a round trip of every
 * longer transfer, and the whole leaves no room for an error. Where four acknowledgements lie on a
 * line, the rate is rarely too high by a third (core/measure/ack_train.h).
 * - 10 segments: what may leave into the unknown (RFC 6928) may be added; on a small path it is the
 * rest.
 * - 1/8 as in core/algorithms/spaced.h, then twice as much each time, up to slow start's own
 * growth.
 * - RTT_min / 16, at least 1 ms and at most 16 ms, in 8 samples: HyStart++ (RFC 9406, section 4.2)
 * has 1/8, 4 ms, 16 ms and 8 samples, for flights that leave in bursts. These are spaced.
 * - 7/8: what arrives at more than this share of the rate at which it left is carried.
 * - 32 us between segments: what ordinary hosts tell apart, whose interrupts wait for more; beyond
 * 360 Mbit/s slow start goes on. It is also how fast the lines are that lie before a token bucket,
 * which lets a flight pass at their rate.
 * - 4 acknowledgements, on a line: core/measure/ack_train.h.
 *
 * Where the user wants packet pairs and the peer knows them, the rate of a flight is what the
 * receiver saw of it, and the delays are those of the data alone: core/measure/pair_rate.h.
 *
 * A threshold that the host has from the beginning (a route's metric) ends the start-up; one that
 * it lowers meanwhile (HyStart) does not.
 */
#ifndef ONRAMP_ONRAMP_H
#define ONRAMP_ONRAMP_H

#include "measure/flight.h"
#include "parts/path_memory.h"
#include "measure/pair_rate.h"
#include "measure/rtt_noise.h"
#include "startup.h"

#define ONRAMP_MIN_POINTS 4
#define ONRAMP_MIN_SPACING_NS (32 * UINT64_C(1000))
#define ONRAMP_SAMPLES 8
#define ONRAMP_DELAY_PART 16
#define ONRAMP_MIN_DELAY_NS UINT64_C(1000000)
#define ONRAMP_MAX_DELAY_NS (16 * UINT64_C(1000000))
/* Of the growth in APPROACH, after the round trip that shows that the paced flight is carried. */
#define ONRAMP_STEPS 4

/* A round trip: from an acknowledgement to that of what was sent then. */
struct onramp_round {
	uint64_t begin_ns;
	uint64_t begin_bytes; /* delivered in total */
	uint64_t end_bytes;   /* when so much is delivered, it is over */
	uint64_t cwnd_bytes;  /* when it began */
	uint64_t least_ns;    /* of its samples; 0: there was none */
	uint64_t groups_ns;   /* the least of each group of samples, all together */
	uint64_t groups;
};

struct onramp {
	struct flight flight;
	struct pair_rate pairs;
	struct onramp_round round;
	struct rtt_noise noise;
	uint64_t path_bytes_per_s;  /* of the bottleneck; 0: not yet measured */
	uint64_t rtt_min_ns;        /* 0: none yet */
	uint64_t base_ns;           /* of the round before, to compare samples with */
	uint64_t least_ns;          /* the least of the latest samples */
	uint64_t before_bytes;      /* the window before PACING */
	uint64_t paced_bytes_per_s; /* PACING: at this rate */
	uint64_t last_bytes_per_s;  /* delivered in the last round that was complete; 0: none since
				       PACING */
	uint64_t last_cwnd_bytes;   /* its window */
	uint64_t grown_bytes;       /* less than a segment of growth */
	uint64_t handshake_ns;      /* its round trip; 0: not known */
	uint64_t first_ns;          /* that of the first data; 0: not yet */
	uint64_t first_bytes;       /* so much they were */
	uint64_t carried_bytes_per_s; /* what the path carried of what was too much; 0: not known */
	uint64_t drained_ns;          /* DRAIN: the least of the samples before the latest */
	uint64_t ssthresh_bytes;      /* RETREAT: the host's for the loss */
	uint64_t lost_bytes;          /* taken for lost before RETREAT */
	uint64_t target_bytes;        /* the path's share that is aimed at, until more is known */
	uint64_t limit_bytes; /* the host's threshold from the beginning; STARTUP_UNLIMITED: none */
	uint64_t initial_bytes;     /* the initial window */
	uint64_t remembered_bytes;  /* what the path carried once; 0: nothing is remembered, or not
				       any more */
	uint64_t remembered_rtt_ns; /* and its round trip */
	uint64_t unvalidated_bytes; /* delivered in total when it was used, less what was
				       outstanding */
	uint64_t told_bytes; /* what was said of that last; STARTUP_UNLIMITED: that it is wrong */
	uint64_t learned_bytes; /* the most that it has carried in a round trip now */
	uint32_t samples;
	uint32_t step; /* of growth; 0: nothing has shown yet that the paced flight is carried */
	uint32_t phase;
	uint32_t options;    /* enum startup_option */
	uint32_t exit;       /* enum startup_exit: the reason when it is over */
	uint32_t is_second;  /* PACING has begun anew */
	uint32_t is_told;    /* RETREAT: what was carried is known */
	uint32_t is_resumed; /* what is remembered has been used */
	uint32_t is_wrong;   /* and was wrong */
	uint32_t is_safe;    /* RETREAT: from what it made of the window */
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct onramp);

static inline void onramp_start(struct onramp *state, const struct startup_start *start,
				struct startup_decision *decision)
{
	state->phase = STARTUP_PHASE_SLOW_START;
	state->options = start->options;
	state->handshake_ns = start->srtt_ns;
	state->limit_bytes = start->ssthresh_bytes;
	rtt_noise_begin(&state->noise);
	state->initial_bytes = start->cwnd_bytes;
	state->remembered_bytes = start->remembered_bytes;
	state->remembered_rtt_ns = start->remembered_rtt_ns;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
	decision->pair = pair_rate_request(start->options, decision);
	if (!start->remembered_bytes || !(start->options & STARTUP_OPTION_RESUME_AT_ONCE))
		return;
	/* The initial window leaves as ever, as Linux has it for the first ten segments; what
	 * follows is spaced. */
	state->is_resumed = true;
	state->phase = STARTUP_PHASE_PACING;
	state->before_bytes = 2 * start->cwnd_bytes;
	decision->cwnd_bytes =
		min_u64(start->cwnd_bytes + start->remembered_bytes / 2, state->limit_bytes);
	decision->pacing_bytes_per_s =
		max_u64(rate_bytes_per_s(decision->cwnd_bytes, start->srtt_ns), 1);
	decision->burst_bytes = (uint32_t)min_u64(start->cwnd_bytes, UINT32_MAX);
	decision->phase = state->phase;
}

/* What a path of this rate holds. */
static inline uint64_t onramp_bdp_bytes(const struct onramp *state, uint64_t bytes_per_s,
					uint32_t mss_bytes)
{
	return bdp_bytes(bytes_per_s, state->rtt_min_ns, mss_bytes);
}

/* What of it is filled before an acknowledgement has said that so much is carried. */
static inline uint64_t onramp_unvalidated(const struct onramp *state, uint64_t path_bytes,
					  uint32_t mss_bytes)
{
	if (state->options & STARTUP_OPTION_WITHOUT_VALIDATING)
		return path_bytes;
	return min_u64(path_bytes,
		       path_bytes / 4 * 3 + STARTUP_BURST_SEGMENTS * (uint64_t)mss_bytes);
}

static inline void onramp_begin_round(struct onramp *state, const struct startup_ack *ack)
{
	state->round = (struct onramp_round){
		.begin_ns = ack->now_ns,
		.begin_bytes = ack->delivered_bytes,
		.end_bytes = ack->delivered_bytes + ack->inflight_bytes,
		.cwnd_bytes = ack->cwnd_bytes,
	};
}

static inline bool onramp_round_ends(const struct onramp *state, const struct startup_ack *ack)
{
	return ack->delivered_bytes >= state->round.end_bytes;
}

/* What was delivered since the round began, as a rate. */
static inline uint64_t onramp_round_bytes_per_s(const struct onramp *state,
						const struct startup_ack *ack)
{
	return rate_bytes_per_s(ack->delivered_bytes - state->round.begin_bytes,
				ack->now_ns - state->round.begin_ns);
}

/* The same, where noise has made the time longer. */
static inline uint64_t onramp_round_at_most_bytes_per_s(const struct onramp *state,
							const struct startup_ack *ack)
{
	uint64_t noise_ns = state->noise.noise_ns;
	uint64_t elapsed_ns = max_u64(ack->now_ns - state->round.begin_ns, noise_ns + 1);

	return rate_bytes_per_s(ack->delivered_bytes - state->round.begin_bytes,
				elapsed_ns - noise_ns);
}

/* So much more delay is a queue, where there is no noise. */
static inline uint64_t onramp_quiet_ns(const struct onramp *state)
{
	return min_u64(max_u64(state->rtt_min_ns / ONRAMP_DELAY_PART, ONRAMP_MIN_DELAY_NS),
		       ONRAMP_MAX_DELAY_NS);
}

/* Does noise hide such a queue? Then the least of a whole round is luck, and the mean of what its
 * groups of samples had at least is compared with. */
static inline bool onramp_is_noisy(const struct onramp *state)
{
	return state->noise.noise_ns >= onramp_quiet_ns(state);
}

/* So much more delay is a queue. */
static inline uint64_t onramp_queue_ns(const struct onramp *state)
{
	return max_u64(onramp_quiet_ns(state), state->noise.noise_ns);
}

/* The path carries what arrives at this rate, in a round trip without a queue. */
static inline void onramp_learn(struct onramp *state, uint64_t bytes_per_s, uint64_t most_bytes)
{
	uint64_t bytes = mul_div(bytes_per_s, state->rtt_min_ns, NS_PER_S);

	state->learned_bytes = max_u64(state->learned_bytes, min_u64(bytes, most_bytes));
}

/* It is over: what it delivered, with which window, at which delay, is what the next one is
 * compared with. */
static inline void onramp_end_round(struct onramp *state, const struct startup_ack *ack)
{
	if (state->round.least_ns)
		state->base_ns = state->round.least_ns;
	if (state->round.groups && onramp_is_noisy(state))
		state->base_ns = state->round.groups_ns / state->round.groups;
	state->last_bytes_per_s = onramp_round_bytes_per_s(state, ack);
	state->last_cwnd_bytes = state->round.cwnd_bytes;
	/* And no more than came in it, where acknowledgements come in bunches. */
	onramp_learn(state, state->last_bytes_per_s,
		     ack->delivered_bytes - state->round.begin_bytes);
	onramp_begin_round(state, ack);
}

/* Does a round trip of this length have a queue that the round before had not? */
static inline bool onramp_is_delayed(const struct onramp *state, uint64_t rtt_ns)
{
	return rtt_ns > state->base_ns + onramp_queue_ns(state);
}

/* Take a sample. True when there are as many as it takes; least_ns is the least of them then. */
static inline bool onramp_sampled(struct onramp *state, const struct startup_ack *ack)
{
	if (!ack->rtt_ns)
		return false;
	state->round.least_ns = startup_min_rtt(state->round.least_ns, ack);
	if (!state->samples || ack->rtt_ns < state->least_ns)
		state->least_ns = ack->rtt_ns;
	if (++state->samples < ONRAMP_SAMPLES)
		return false;
	state->samples = 0;
	state->round.groups_ns += state->least_ns;
	state->round.groups++;
	return true;
}

static inline void onramp_begin_approach(struct onramp *state)
{
	state->phase = STARTUP_PHASE_APPROACH;
	state->samples = 0;
}

/* Grow again; before a rate is known, as slow start does. */
static inline void onramp_grow_again(struct onramp *state)
{
	onramp_begin_approach(state);
	if (state->target_bytes)
		return;
	state->phase = STARTUP_PHASE_SLOW_START;
	/* The next flight is looked at. */
	state->samples = ONRAMP_SAMPLES;
}

/* Do the latest samples have a queue that the round before had not? */
static inline bool onramp_is_queued(const struct onramp *state)
{
	return !(state->options & STARTUP_OPTION_WITHOUT_DELAY) &&
	       onramp_is_delayed(state, state->least_ns);
}

static inline void onramp_begin_hold(struct onramp *state, const struct startup_ack *ack)
{
	state->phase = STARTUP_PHASE_HOLD;
	/* The round in which the paced flight comes in goes on. */
	if (state->step)
		onramp_begin_round(state, ack);
}

/* What of the path is this connection's, where others begin at the same time. */
static inline uint64_t onramp_fair_share(const struct onramp *state, const struct startup_ack *ack,
					 uint64_t path_bytes)
{
	uint64_t own_bytes = STARTUP_BURST_SEGMENTS * (uint64_t)ack->mss_bytes;
	uint64_t expected_ns =
		state->handshake_ns + ONRAMP_MIN_DELAY_NS +
		mul_div(state->first_bytes + ack->mss_bytes, NS_PER_S, state->path_bytes_per_s);
	uint64_t ahead_bytes;

	if (!state->handshake_ns || state->first_ns <= expected_ns || state->is_second ||
	    state->options & STARTUP_OPTION_WITHOUT_SHARING)
		return path_bytes;
	ahead_bytes = mul_div(state->first_ns - expected_ns, state->path_bytes_per_s, NS_PER_S);
	return mul_div(path_bytes, own_bytes, own_bytes + 2 * ahead_bytes);
}

/* Send a window that nothing has validated, spaced, in the next round trip. */
static inline void onramp_begin_pacing(struct onramp *state, const struct startup_ack *ack,
				       uint64_t target_bytes, uint64_t cwnd_bytes,
				       struct startup_decision *decision)
{
	state->before_bytes = decision->cwnd_bytes;
	state->target_bytes = target_bytes;
	decision->cwnd_bytes = max_u64(decision->cwnd_bytes, cwnd_bytes);
	decision->ssthresh_bytes = STARTUP_UNLIMITED;
	state->last_bytes_per_s = 0;
	state->step = 0;
	state->phase = STARTUP_PHASE_PACING;
	onramp_begin_round(state, ack);
}

/* Fill what the path holds, as far as that may be done without having been validated: so much, at
 * least. */
static inline void onramp_fill(struct onramp *state, const struct startup_ack *ack,
			       uint64_t least_bytes, struct startup_decision *decision)
{
	uint64_t target_bytes = onramp_fair_share(
		state, ack, onramp_bdp_bytes(state, state->path_bytes_per_s, ack->mss_bytes));

	onramp_begin_pacing(state, ack, target_bytes,
			    max_u64(onramp_unvalidated(state, target_bytes, ack->mss_bytes),
				    min_u64(least_bytes, target_bytes)),
			    decision);
}

/* Do a flight's acknowledgements lie on a line, and one that jitter would not make? */
static inline bool onramp_is_line(const struct onramp *state)
{
	const struct ack_train *train = &state->flight.train;

	return train->points >= ONRAMP_MIN_POINTS &&
	       (state->options & STARTUP_OPTION_WITHOUT_LINE ||
		(train_is_line(train) &&
		 2 * state->noise.noise_ns <= train->last_ns - train->first_ns));
}

/* The rate of a flight that is coming in, or has come in; 0: it says nothing that is to be relied
 * upon. */
static inline uint64_t onramp_measured(struct onramp *state, const struct startup_ack *ack,
				       bool flight_ended)
{
	uint64_t rate = 0;

	pair_rate_add(&state->pairs, ack);
	/* The receiver has the first word: core/measure/pair_rate.h. */
	if (pair_rate_is_told(&state->pairs, ONRAMP_MIN_POINTS))
		rate = pair_rate_bytes_per_s(&state->pairs, ack->mss_bytes);
	else if (onramp_is_line(state))
		rate = flight_bytes_per_s(&state->flight, ack, state->options);
	if (flight_ended)
		pair_rate_end(&state->pairs);
	if (!state->rtt_min_ns || state->options & STARTUP_OPTION_WITHOUT_MEASURING)
		return 0;
	return rate > ack->mss_bytes * NS_PER_S / ONRAMP_MIN_SPACING_NS ? 0 : rate;
}

/* The initial window is acknowledged, and no rate is known: use what is remembered, once. */
static inline void onramp_resume(struct onramp *state, const struct startup_ack *ack,
				 struct startup_decision *decision)
{
	if (!state->remembered_bytes || state->is_resumed)
		return;
	/* Another path. */
	if (!path_memory_fits(state->remembered_rtt_ns, state->rtt_min_ns)) {
		state->remembered_bytes = 0;
		return;
	}
	state->is_resumed = true;
	state->unvalidated_bytes = ack->delivered_bytes - ack->inflight_bytes;
	onramp_begin_pacing(state, ack, state->remembered_bytes, state->remembered_bytes / 2,
			    decision);
}

/* Until the initial window is acknowledged, behind which half of what is remembered has left. */
static inline void onramp_resumed(struct onramp *state, const struct startup_ack *ack,
				  bool flight_ended, struct startup_decision *decision)
{
	uint64_t rate = onramp_measured(state, ack, flight_ended), used_bytes, path_bytes;

	if (!flight_ended)
		return;
	/* What was not used of the window is lost (RFC 9959, section 3.3). */
	used_bytes = min_u64(ack->cwnd_bytes, ack->inflight_bytes + ack->acked_bytes);
	decision->cwnd_bytes = min_u64(ack->cwnd_bytes, state->before_bytes);
	if (!rate) {
		onramp_begin_pacing(state, ack, state->remembered_bytes, used_bytes, decision);
		return;
	}
	state->path_bytes_per_s = rate;
	path_bytes = onramp_bdp_bytes(state, rate, ack->mss_bytes);
	state->is_wrong = used_bytes > path_bytes;
	/* Two who agree: the whole. */
	onramp_fill(state, ack, state->remembered_bytes >= path_bytes / 2 ? path_bytes : 0,
		    decision);
}

/* Slow start, until the acknowledgements of a flight have told the path's rate. */
static inline void onramp_slow_start(struct onramp *state, const struct startup_ack *ack,
				     bool flight_ended, struct startup_decision *decision)
{
	uint64_t rate = onramp_measured(state, ack, flight_ended), path_bytes;

	/* The first flight's round began when it was sent. */
	if (!state->round.begin_ns) {
		onramp_begin_round(state, ack);
		state->round.begin_ns -= ack->rtt_ns;
		state->round.begin_bytes -= ack->acked_bytes;
	}
	if (flight_ended) {
		onramp_end_round(state, ack);
		state->samples = 0;
	} else if (state->samples < ONRAMP_SAMPLES && onramp_sampled(state, ack)) {
		/* Of a flight that left in bursts, only the first segments meet the queue that
		 * there is. */
		state->samples = ONRAMP_SAMPLES;
		if (state->base_ns && onramp_is_queued(state)) {
			state->step = ONRAMP_STEPS;
			onramp_begin_hold(state, ack);
			return;
		}
	}
	decision->cwnd_bytes = startup_slow_start(ack, STARTUP_UNLIMITED);
	if (!rate) {
		if (flight_ended)
			onramp_resume(state, ack, decision);
		return;
	}
	path_bytes = onramp_bdp_bytes(state, rate, ack->mss_bytes);
	decision->cwnd_bytes = max_u64(ack->cwnd_bytes, min_u64(decision->cwnd_bytes, path_bytes));
	if (flight_ended) {
		state->path_bytes_per_s = rate;
		onramp_fill(state, ack, 0, decision);
	}
}

/* Until the first segment that was spaced is acknowledged. */
static inline void onramp_pacing(struct onramp *state, const struct startup_ack *ack,
				 struct startup_decision *decision)
{
	uint64_t path_bytes;

	if (ack->delivered_bytes <= state->round.end_bytes)
		return;
	if (!onramp_is_noisy(state))
		state->base_ns = state->rtt_min_ns;
	state->paced_bytes_per_s = rate_bytes_per_s(ack->cwnd_bytes, state->rtt_min_ns);
	/* What the application did not use of the window is lost (RFC 9959, section 3.3). */
	if (ack->flags & STARTUP_ACK_APP_LIMITED)
		decision->cwnd_bytes =
			min_u64(ack->cwnd_bytes, max_u64(state->before_bytes,
							 ack->inflight_bytes + ack->acked_bytes));
	/* Is there anything that slow start would not have sent? */
	path_bytes = state->path_bytes_per_s
			     ? onramp_bdp_bytes(state, state->path_bytes_per_s, ack->mss_bytes)
			     : state->target_bytes;
	state->step = state->options & STARTUP_OPTION_WITHOUT_VALIDATING ||
		      (decision->cwnd_bytes >= path_bytes / 8 * 7 && !state->is_resumed);
	onramp_begin_approach(state);
	onramp_begin_round(state, ack);
}

/* What such a window grows by, for so many bytes of it. */
static inline uint64_t onramp_surplus(const struct onramp *state, const struct startup_ack *ack,
				      uint64_t cwnd_bytes, uint64_t bytes)
{
	/* The application or the receiver held it back, or it has become less in an idle time. */
	if (cwnd_bytes < onramp_unvalidated(state, state->target_bytes, ack->mss_bytes))
		return bytes;
	if (!state->step)
		return cwnd_bytes < state->target_bytes || !state->is_resumed ? bytes / 3 : 0;
	return state->options & STARTUP_OPTION_WITHOUT_EASING
		       ? bytes
		       : bytes >> (ONRAMP_STEPS - state->step);
}

/* Acknowledgements clock the sender, and the window grows. */
static inline void onramp_approach(struct onramp *state, const struct startup_ack *ack,
				   struct startup_decision *decision)
{
	if (onramp_sampled(state, ack) && onramp_is_queued(state)) {
		onramp_begin_hold(state, ack);
		return;
	}
	if (ack->flags & STARTUP_ACK_CWND_LIMITED)
		state->grown_bytes += onramp_surplus(state, ack, ack->cwnd_bytes, ack->acked_bytes);
	/* Hosts count whole segments. */
	decision->cwnd_bytes += state->grown_bytes - state->grown_bytes % ack->mss_bytes;
	state->grown_bytes %= ack->mss_bytes;
	/* Of what was paced, enough has arrived to be worth remembering. */
	if (!state->last_bytes_per_s && ack->delivered_bytes - state->round.begin_bytes >=
						PATH_MEMORY_MIN_WINDOWS * state->initial_bytes)
		onramp_learn(
			state,
			min_u64(onramp_round_bytes_per_s(state, ack), state->paced_bytes_per_s),
			STARTUP_UNLIMITED);
	if (!onramp_round_ends(state, ack))
		return;
	onramp_end_round(state, ack);
	if (ack->cwnd_bytes < state->target_bytes / 8 * 7)
		return;
	if (state->step < ONRAMP_STEPS)
		state->step++;
	if (state->options & STARTUP_OPTION_WITHOUT_RAISING) {
		decision->ssthresh_bytes = max_u64(decision->cwnd_bytes, state->target_bytes);
		state->exit = STARTUP_EXIT_ESTIMATE;
		state->phase = STARTUP_PHASE_DONE;
	}
}

/* Does a path that delivers at this rate carry the paced flight, or give more than it did with a
 * smaller window? */
static inline bool onramp_gives_more(const struct onramp *state, uint64_t rate)
{
	uint64_t more;

	if (!state->last_bytes_per_s)
		return rate > state->paced_bytes_per_s / 8 * 7;
	if (state->round.cwnd_bytes <= state->last_cwnd_bytes)
		return false;
	/* Half of what the window has grown by, at least. */
	more = mul_div(state->last_bytes_per_s, state->round.cwnd_bytes - state->last_cwnd_bytes,
		       state->last_cwnd_bytes);
	return rate > state->last_bytes_per_s + more / 2;
}

/* Go back to the window that was there before, and wait for what was too much to come through. */
static inline void onramp_begin_drain(struct onramp *state, const struct startup_ack *ack)
{
	state->phase = STARTUP_PHASE_DRAIN;
	state->drained_ns = STARTUP_UNLIMITED;
	state->samples = 0;
	onramp_begin_round(state, ack);
}

/* The window stays, to see whether the delay does. */
static inline void onramp_hold(struct onramp *state, const struct startup_ack *ack,
			       struct startup_decision *decision)
{
	uint64_t rate;

	state->round.least_ns = startup_min_rtt(state->round.least_ns, ack);
	if (ack->rtt_ns && !onramp_is_delayed(state, ack->rtt_ns)) {
		onramp_grow_again(state);
		return;
	}
	/* The delay grows while a flight comes in that is too much: half of it says enough. */
	if (!onramp_round_ends(state, ack) &&
	    (state->step || ack->now_ns - state->round.begin_ns < state->rtt_min_ns / 2))
		return;
	rate = onramp_round_bytes_per_s(state, ack);
	/* Of half a round noise may be a good part. */
	if (onramp_gives_more(state,
			      state->step ? rate : onramp_round_at_most_bytes_per_s(state, ack))) {
		onramp_end_round(state, ack);
		onramp_grow_again(state);
		state->step += state->step && state->step < ONRAMP_STEPS;
		return;
	}
	state->exit = STARTUP_EXIT_DELAY;
	if (!state->step) {
		state->carried_bytes_per_s = rate;
		decision->cwnd_bytes = min_u64(ack->cwnd_bytes, state->before_bytes);
		onramp_begin_drain(state, ack);
		return;
	}
	state->path_bytes_per_s = rate;
	decision->cwnd_bytes = onramp_bdp_bytes(state, rate, ack->mss_bytes);
	state->learned_bytes = decision->cwnd_bytes;
	decision->cwnd_bytes += decision->cwnd_bytes / 16 + 2 * (uint64_t)ack->mss_bytes;
	decision->ssthresh_bytes = decision->cwnd_bytes;
	decision->is_full = !(state->options & STARTUP_OPTION_WITHOUT_RESTING);
	state->phase = STARTUP_PHASE_DONE;
}

/* Has the round trip the length that it had, to the accuracy with which a queue is told? */
static inline bool onramp_is_as_before(const struct onramp *state)
{
	return !onramp_is_delayed(state, state->least_ns) &&
	       state->base_ns <= state->least_ns + onramp_queue_ns(state);
}

/* What was too much comes through: was the queue the sender's own? */
static inline void onramp_drain(struct onramp *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t carried_bytes =
		onramp_bdp_bytes(state, state->carried_bytes_per_s, ack->mss_bytes);

	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (!onramp_round_ends(state, ack) || !onramp_sampled(state, ack))
		return;
	if (state->is_second || state->options & STARTUP_OPTION_WITHOUT_REPACING ||
	    !onramp_is_as_before(state)) {
		/* A queue that still becomes shorter has not yet said what it is. */
		if (state->least_ns > state->base_ns &&
		    state->least_ns + onramp_queue_ns(state) < state->drained_ns) {
			state->drained_ns = state->least_ns;
			return;
		}
		decision->ssthresh_bytes = max_u64(carried_bytes / 4, ack->cwnd_bytes);
		state->phase = STARTUP_PHASE_DONE;
		return;
	}
	state->is_second = true;
	state->path_bytes_per_s = state->carried_bytes_per_s;
	onramp_fill(state, ack, 0, decision);
}

/* The repair of a loss has ended. A window below its threshold has had a time-out meanwhile. */
static inline void onramp_end_retreat(struct onramp *state, const struct startup_ack *ack)
{
	if (state->is_told && !state->step && ack->cwnd_bytes >= ack->ssthresh_bytes)
		onramp_begin_drain(state, ack);
	else
		state->phase = STARTUP_PHASE_DONE;
}

/* RETREAT: has all that was under way either arrived or been taken for lost? */
static inline bool onramp_is_accounted_for(const struct onramp *state,
					   const struct startup_ack *ack)
{
	return ack->delivered_bytes + (ack->lost_bytes - state->lost_bytes) >=
	       state->round.end_bytes;
}

/* What is remembered was wrong: the threshold that Careful Resume leaves (RFC 9959, section 3.5).
 */
static inline uint64_t onramp_safe_retreat(struct onramp *state, const struct startup_ack *ack)
{
	uint64_t pipe_bytes = ack->delivered_bytes - state->unvalidated_bytes;

	state->is_told = onramp_is_accounted_for(state, ack);
	/* PipeSize / 2 meanwhile, and at the end as much less as congestion avoidance has it. */
	if (!state->is_told)
		return max_u64(min_u64(pipe_bytes, state->round.cwnd_bytes) / 2,
			       state->before_bytes);
	state->step = 1;
	pipe_bytes = mul_div(pipe_bytes, state->ssthresh_bytes, state->round.cwnd_bytes);
	return max_u64(min_u64(pipe_bytes, state->round.cwnd_bytes), state->before_bytes);
}

/* A loss is being repaired: what of the flight arrived tells what the path carries. */
static inline void onramp_retreat(struct onramp *state, const struct startup_ack *ack,
				  struct startup_decision *decision)
{
	uint64_t rate, carried_bytes;
	bool is_carried;

	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (!(ack->flags & STARTUP_ACK_RECOVERING)) {
		onramp_end_retreat(state, ack);
		return;
	}
	if (!state->round.begin_ns) {
		state->round.begin_ns = ack->now_ns;
		state->round.begin_bytes = ack->delivered_bytes;
	}
	if (state->is_told)
		return;
	if (state->is_safe) {
		decision->ssthresh_bytes = onramp_safe_retreat(state, ack);
		return;
	}
	if (ack->now_ns - state->round.begin_ns < state->rtt_min_ns / 2)
		return;
	rate = onramp_round_bytes_per_s(state, ack);
	/* A flight that arrived as fast as it left has lost what it lost for another reason than
	 * its rate: half of it says enough. */
	is_carried = !state->step && onramp_gives_more(state, state->carried_bytes_per_s
								      ? state->carried_bytes_per_s
								      : rate);
	if (!is_carried && !onramp_is_accounted_for(state, ack))
		return;
	state->is_told = true;
	if (!state->carried_bytes_per_s)
		state->carried_bytes_per_s = rate;
	if (is_carried)
		state->step = 1;
	carried_bytes = onramp_bdp_bytes(state, state->carried_bytes_per_s, ack->mss_bytes);
	if (!state->step)
		carried_bytes = max_u64(carried_bytes / 4, state->before_bytes);
	decision->ssthresh_bytes = min_u64(state->ssthresh_bytes, carried_bytes);
}

/* How fast what this window permits leaves. */
static inline uint64_t onramp_pace(const struct onramp *state, const struct startup_ack *ack,
				   uint64_t cwnd_bytes)
{
	if (state->options & STARTUP_OPTION_WITHOUT_SPACING)
		return STARTUP_UNLIMITED;
	switch (state->phase) {
	case STARTUP_PHASE_PACING:
		/* What slow start would have sent too needs no spacing. */
		return cwnd_bytes > state->before_bytes
			       ? max_u64(rate_bytes_per_s(cwnd_bytes, state->rtt_min_ns), 1)
			       : STARTUP_UNLIMITED;
	case STARTUP_PHASE_APPROACH:
	case STARTUP_PHASE_HOLD:
		return max_u64(rate_bytes_per_s(cwnd_bytes + onramp_surplus(state, ack, cwnd_bytes,
									    cwnd_bytes),
						max_u64(ack->srtt_ns, state->rtt_min_ns)),
			       1);
	case STARTUP_PHASE_RETREAT:
		/* A threshold that rises lets more leave than acknowledgements clock. */
		return state->is_told
			       ? max_u64(rate_bytes_per_s(ack->ssthresh_bytes, state->rtt_min_ns),
					 1)
			       : STARTUP_UNLIMITED;
	default:
		return STARTUP_UNLIMITED;
	}
}

/* What is to be remembered, where it is news. A connection that did not fill the path says only
 * that it carries more than what is; and what was carried while others lost by it (RFC 9959,
 * section 4.5) says nothing. */
static inline void onramp_tell(struct onramp *state, struct startup_decision *decision)
{
	bool is_more = !state->is_wrong && state->learned_bytes > state->remembered_bytes &&
		       state->learned_bytes > state->told_bytes + state->told_bytes / 8;

	if (decision->is_full || is_more) {
		decision->learned_bytes = state->learned_bytes;
		decision->learned_rtt_ns = state->rtt_min_ns;
		state->told_bytes = state->learned_bytes;
	} else if (state->is_wrong && state->told_bytes != STARTUP_UNLIMITED) {
		decision->learned_bytes = STARTUP_UNLIMITED;
		state->told_bytes = STARTUP_UNLIMITED;
	}
}

static inline void onramp_ack(struct onramp *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	bool flight_ended = flight_ends(&state->flight, ack);
	struct startup_ack seen = *ack;

	if (!state->first_ns && state->is_resumed) {
		/* The first flight is the initial window, whatever has left behind it. */
		state->flight.end_bytes =
			max_u64(min_u64(state->flight.end_bytes, state->initial_bytes),
				ack->delivered_bytes);
		onramp_begin_round(state, ack);
	}
	state->rtt_min_ns = startup_min_rtt(state->rtt_min_ns, ack);
	/* Delays are those of the data, where the receiver tells. */
	seen.rtt_ns = pair_rate_rtt(&state->pairs, ack, state->rtt_min_ns);
	ack = &seen;
	if (!(state->options & STARTUP_OPTION_WITHOUT_NOISE))
		rtt_noise_add(&state->noise, ack, flight_ended);
	if (state->phase != STARTUP_PHASE_RETREAT)
		state->lost_bytes = ack->lost_bytes;
	if (!state->first_ns) {
		state->first_ns = ack->rtt_ns;
		state->first_bytes = ack->acked_bytes;
	}
	*decision = (struct startup_decision){
		.cwnd_bytes = ack->cwnd_bytes,
		.ssthresh_bytes = STARTUP_UNLIMITED,
	};
	switch (state->phase) {
	case STARTUP_PHASE_SLOW_START:
		onramp_slow_start(state, ack, flight_ended, decision);
		break;
	case STARTUP_PHASE_PACING:
		if (state->target_bytes)
			onramp_pacing(state, ack, decision);
		else
			onramp_resumed(state, ack, flight_ended, decision);
		break;
	case STARTUP_PHASE_APPROACH:
		onramp_approach(state, ack, decision);
		break;
	case STARTUP_PHASE_HOLD:
		onramp_hold(state, ack, decision);
		break;
	case STARTUP_PHASE_DRAIN:
		onramp_drain(state, ack, decision);
		break;
	case STARTUP_PHASE_RETREAT:
		onramp_retreat(state, ack, decision);
		break;
	}
	if (decision->cwnd_bytes >= state->limit_bytes && state->phase != STARTUP_PHASE_DONE &&
	    state->phase != STARTUP_PHASE_RETREAT) {
		decision->cwnd_bytes = state->limit_bytes;
		decision->ssthresh_bytes = state->limit_bytes;
		state->exit = STARTUP_EXIT_SSTHRESH;
		state->phase = STARTUP_PHASE_DONE;
	}
	decision->pacing_bytes_per_s = onramp_pace(state, ack, decision->cwnd_bytes);
	decision->estimate_bytes_per_s = state->path_bytes_per_s;
	decision->phase = state->phase;
	decision->pair = pair_rate_request(state->options, decision);
	if (state->phase == STARTUP_PHASE_DONE)
		startup_finish(decision, (enum startup_exit)state->exit);
	onramp_tell(state, decision);
}

static inline void onramp_loss(struct onramp *state, const struct startup_loss *loss,
			       struct startup_decision *decision)
{
	bool is_validated = state->phase == STARTUP_PHASE_SLOW_START ||
			    (state->phase == STARTUP_PHASE_PACING && !state->is_resumed);

	/* What is remembered, and was used without having been validated since, is wrong (RFC 9959,
	 * section 3.5). */
	state->is_safe = state->is_resumed && !state->step;
	state->is_wrong |= state->is_safe;
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.pacing_bytes_per_s = STARTUP_UNLIMITED,
		.estimate_bytes_per_s = state->path_bytes_per_s,
		.phase = STARTUP_PHASE_RETREAT,
	};
	onramp_tell(state, decision);
	if (state->options & STARTUP_OPTION_WITHOUT_RETREAT) {
		startup_finish(decision, startup_loss_exit(loss));
		return;
	}
	/* Of what was never sent nothing is halved, by an avoidance that halves the window; and no
	 * more than half. */
	if (state->phase == STARTUP_PHASE_PACING && loss->cwnd_bytes > loss->inflight_bytes)
		decision->ssthresh_bytes =
			min_u64(loss->ssthresh_bytes,
				max_u64(mul_div(loss->ssthresh_bytes, loss->inflight_bytes,
						loss->cwnd_bytes),
					loss->inflight_bytes / 2));
	/* What slow start sent has lost what it always did. */
	if (loss->kind != STARTUP_LOSS_RECOVERY || is_validated || !state->rtt_min_ns) {
		startup_finish(decision, startup_loss_exit(loss));
		return;
	}
	/* In DRAIN the window is not what was lost from. */
	state->ssthresh_bytes =
		state->phase == STARTUP_PHASE_DRAIN ? STARTUP_UNLIMITED : loss->ssthresh_bytes;
	if (state->phase != STARTUP_PHASE_DRAIN)
		state->carried_bytes_per_s = 0;
	if (!state->step)
		decision->ssthresh_bytes = min_u64(loss->ssthresh_bytes, state->before_bytes);
	state->exit = STARTUP_EXIT_LOSS;
	state->phase = STARTUP_PHASE_RETREAT;
	state->is_told = false;
	state->round.begin_ns = 0;
	state->round.cwnd_bytes = loss->cwnd_bytes;
	state->round.end_bytes = loss->acknowledged_bytes + loss->inflight_bytes;
}

#endif
