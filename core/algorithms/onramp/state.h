/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* The constants and the state of onramp. core/algorithms/onramp.h explains the algorithm. */
#ifndef ONRAMP_ONRAMP_STATE_H
#define ONRAMP_ONRAMP_STATE_H

#include "measure/flight.h"
#include "measure/pair_rate.h"
#include "measure/receiver_clock.h"
#include "startup.h"

/* Each bit switches off one idea, to measure what it contributes. The bits below are those of
 * enum train_variant. */
enum onramp_variant {
	/* No measured rate is used. */
	ONRAMP_WITHOUT_MEASURING = 1 << 2,
	/* ACKs give a rate even if their points form no line. */
	ONRAMP_WITHOUT_LINE = 1 << 3,
	/* The connection takes the whole path and leaves no share to competing flows. */
	ONRAMP_WITHOUT_SHARING = 1 << 4,
	/* Nothing is paced. */
	ONRAMP_WITHOUT_SPACING = 1 << 5,
	/* The whole BDP is filled at once and counts as validated. */
	ONRAMP_WITHOUT_VALIDATING = 1 << 6,
	/* A validated window grows as fast as in slow start at once. */
	ONRAMP_WITHOUT_EASING = 1 << 7,
	/* A validated window does not grow: the measured BDP becomes ssthresh. */
	ONRAMP_WITHOUT_RAISING = 1 << 8,
	/* No HOLD: only a loss ends growth. */
	ONRAMP_WITHOUT_DELAY = 1 << 9,
	/* No RETREAT: a loss ends the start-up, and the host sets ssthresh. */
	ONRAMP_WITHOUT_RETREAT = 1 << 12,
	/* Lower bounds of the rate are not used: slow start goes on until a rate is measured. */
	ONRAMP_WITHOUT_PROBING = 1 << 14,
	/* The receiver's clock is not used. */
	ONRAMP_WITHOUT_CLOCK = 1 << 15,
};

/* The ideas in the order in which they take effect */
#define ONRAMP_VARIANTS(V)                                                                         \
	TRAIN_VARIANTS(V)                                                                          \
	V("without", "measuring", ONRAMP_WITHOUT_MEASURING)                                        \
	V("without", "clock", ONRAMP_WITHOUT_CLOCK)                                                \
	V("without", "probing", ONRAMP_WITHOUT_PROBING)                                            \
	V("without", "line", ONRAMP_WITHOUT_LINE)                                                  \
	V("without", "sharing", ONRAMP_WITHOUT_SHARING)                                            \
	V("without", "spacing", ONRAMP_WITHOUT_SPACING)                                            \
	V("without", "validating", ONRAMP_WITHOUT_VALIDATING)                                      \
	V("without", "easing", ONRAMP_WITHOUT_EASING)                                              \
	V("without", "raising", ONRAMP_WITHOUT_RAISING)                                            \
	V("without", "delay", ONRAMP_WITHOUT_DELAY)                                                \
	V("without", "retreat", ONRAMP_WITHOUT_RETREAT)

/* ACKs of a flight that give a rate: with 4 on a line, the rate is rarely too high by a third
 * (core/measure/ack_train.h). */
#define ONRAMP_MIN_POINTS 4
/* The minimum time between ACKs of segments of a line that is used: 32 us a segment of 1448 bytes
 * is 360 Mbit/s. The ACKs of one aggregate reach the host's stack as fast, one after the other,
 * and interrupt coalescing hides shorter times. The links in front of a token bucket are often this
 * fast, and the bucket lets a flight pass at their rate. */
#define ONRAMP_MIN_SPACING_NS (32 * UINT64_C(1000))
/* Reports of the receiver must last for as long as ten segments at that rate, or longer. */
#define ONRAMP_MIN_REPORTS_NS (9 * ONRAMP_MIN_SPACING_NS)
/* Ticks of the receiver's clock that a flight must last: they show its duration to a quarter. */
#define ONRAMP_MIN_TICKS 4

/* Aggregation may make a flight arrive in less time than the bottleneck needed. A lower bound of
 * the rate adds the time that may be hidden. ACKs in two aggregates or fewer may hide 10 ms, as
 * LTE's uplink does. */
#define ONRAMP_HIDDEN_ACK_NS (10 * UINT64_C(1000000))
/* Aggregates are so far apart at least. ACKs of one aggregate follow each other faster. */
#define ONRAMP_MIN_SILENCE_NS (100 * UINT64_C(1000))
/* The receiver's clock does not see the return path. The forward path may hide the time of an
 * A-MPDU of WiFi, or of two transmission intervals of LTE. */
#define ONRAMP_HIDDEN_DATA_NS (2 * UINT64_C(1000000))
/* The receiver's clock may show a rate of so many times what this host's own clock shows. Where a
 * flight arrives at once, it shows five times as much. */
#define ONRAMP_CREDIBLE_GAIN 8
/* A probe is at most so many times as large as slow start's next window. */
#define ONRAMP_MAX_PROBE_GROWTH 64
/* The pacing rate of a probe, in eighths of the lower bound. Its ACKs show rates up to this. A line
 * is a bound that is nearly exact: a probe that leaves at 3/2 of it fills a queue of a third of the
 * probe at most. Other bounds are several times too low. */
#define ONRAMP_LINE_PACING_EIGHTHS 12
#define ONRAMP_BOUND_PACING_EIGHTHS 40
/* A probe is worth as much as a jump of twice its size that a remembered BDP permits. The jump
 * leaves over a whole round trip, so its ACKs show nothing but the jump's own rate. */
#define ONRAMP_PROBE_WORTH 2
/* While a probe's ACKs arrive, slow start sends two segments for each. */
#define ONRAMP_ARRIVAL_GAIN 2

/* Segments that may leave behind the initial window before any ACK. With ten at once they are 100,
 * which large content networks send at once. At a rate above FIRST_ROUND_BYTES_PER_S, which earlier
 * connections have shown, they are twice as many. */
#define ONRAMP_FIRST_SEGMENTS 90
#define ONRAMP_KNOWN_FIRST_SEGMENTS 190
/* Exchanges of small messages until they leave no more. A handshake of TLS and a login take fewer.
 */
#define ONRAMP_FIRST_EXCHANGES 16

/* RTT samples that decide together, by their minimum (HyStart++, RFC 9406, section 4.2). */
#define ONRAMP_GROUP_SAMPLES 8
/* An increase of min RTT / 16, of 1 to 16 ms, is a queue. HyStart++ has 1/8 and 4 to 16 ms, for
 * flights that leave in bursts. These flights are paced. */
#define ONRAMP_DELAY_DIVISOR 16
#define ONRAMP_MIN_DELAY_NS UINT64_C(1000000)
#define ONRAMP_MAX_DELAY_NS (16 * UINT64_C(1000000))
/* On a shorter path, a queue of a quarter of a BDP would not be seen. The host's own start-up is
 * over within tens of milliseconds there. */
#define ONRAMP_MIN_PATH_NS (4 * ONRAMP_MIN_DELAY_NS)
/* From this cwnd on, HyStart looks for a queue. */
#define ONRAMP_HANDED_SEGMENTS 16

/* Quarters of the BDP that are filled before an ACK has validated the window. A half, which RFC
 * 9959 has for a remembered BDP, wastes half a round trip of every longer transfer. The whole
 * leaves no room for an error of the measured rate, which is rarely a third. */
#define ONRAMP_UNVALIDATED_QUARTERS 3
/* Segments that may be added to these quarters: a host may send as many into an unknown path (RFC
 * 6928). On a small path they are the rest of the BDP. */
#define ONRAMP_UNVALIDATED_SEGMENTS STARTUP_BURST_SEGMENTS
/* Eighths of a rate or of a window that count as all of it. A flight that arrives at more than 7/8
 * of the rate at which it left was carried. A window of 7/8 of the BDP fills the pipe. */
#define ONRAMP_CARRIED_EIGHTHS 7
/* In the round trip that validates the paced window, cwnd grows by 1/3 of the acknowledged bytes:
 * 3/4 of the BDP become the whole. */
#define ONRAMP_VALIDATING_GROWTH_DIVISOR 3
/* A validated window grows by 1/8 of the acknowledged bytes, as in core/algorithms/spaced.h, then
 * by twice as much in each round, up to slow start's own growth: 1/2^3, 1/2^2, 1/2, 1. */
#define ONRAMP_FIRST_GROWTH_SHIFT 3
/* A window of so many BDPs fills the pipe where this host's own clock shows a queue. Of a full
 * queue whose losses the receiver hides, the delay rises no more, and the rate grows with cwnd.
 * Two, because a measured rate may be too low. */
#define ONRAMP_OVERFULL_BDPS 2
/* A larger window must raise the delivery rate by half of what it grew by, to show that the pipe is
 * not full. */
#define ONRAMP_MIN_GAIN_DIVISOR 2

/* Where siblings start up too, cwnd is at most the equal share and an eighth of it. Together they
 * keep a short queue, so the pipe is full. */
#define ONRAMP_SHARE_EIGHTHS 9
/* A loss is light while at most these segments, or this part of the flight, are lost. Radio links
 * and long paths lose as much without a queue. A flight that exceeds a queue or a policer loses far
 * more. */
#define ONRAMP_LIGHT_LOSS_SEGMENTS 5
#define ONRAMP_LIGHT_LOSS_DIVISOR 20
/* A heavy loss lowers ssthresh to so many eighths of what the flight has not lost: room for the
 * competing flows, and for a policer whose bucket is empty. */
#define ONRAMP_HEAVY_LOSS_EIGHTHS 7
/* Where competing flows have the rest of the pipe, ssthresh is a quarter of what was carried. */
#define ONRAMP_COMPETING_DIVISOR 4
/* Competing flows that start at the same time have as much data behind this connection's first
 * segments as in front of them, on average. */
#define ONRAMP_COMPETING_SIDES 2
/* A first RTT of more than this many handshake RTTs is not due to a queue: where a proxy answers
 * the handshake, the data go on to a host behind it. */
#define ONRAMP_PROXY_FACTOR 2
/* A measured rate confirms the remembered BDP where its own BDP is twice that at most. */
#define ONRAMP_AGREEMENT_FACTOR 2
/* A Safe Retreat goes back to half of the validated pipe (RFC 9959, section 3.5). */
#define ONRAMP_SAFE_RETREAT_DIVISOR 2
/* A learned BDP is reported again when it has grown by more than an eighth. */
#define ONRAMP_REPORT_DIVISOR 8

/* A round trip: from an ACK to the ACK of what was sent then. */
struct onramp_round {
	uint64_t begin_ns;              /* 0: not started */
	uint64_t begin_delivered_bytes; /* delivered in total at the start */
	uint64_t end_delivered_bytes;   /* the round ends when this much is delivered in total */
	uint64_t cwnd_bytes;            /* at the start */
	uint64_t min_rtt_ns;            /* of its samples; 0: no sample */
	uint64_t own_rtt_ns;            /* the same by this host's clock alone */
};

struct onramp {
	struct flight flight;
	struct pair_rate pairs;
	struct receiver_clock clock;
	/* The present ACK, with the RTT of the forward path. It is here because a BPF program's
	 * stack is small. */
	struct startup_ack ack;
	struct onramp_round round;
	uint64_t bottleneck_bytes_per_s; /* 0: not measured yet */
	uint64_t path_bytes_per_s;  /* the latest rate of the whole path that a flight has shown */
	uint64_t bound_bytes_per_s; /* lower bound of it from the last flight; 0: none */
	uint64_t probe_bytes_per_s; /* SLOW START: the probe's pacing rate; 0: no probe */
	/* SLOW START: the rate at which segments leave behind the initial window, until ACKs show
	 * more; 0: none leave, or the ACKs do */
	uint64_t first_bytes_per_s;
	uint64_t initial_bytes_per_s; /* the same from the start on, to judge it; 0: not judged */
	uint64_t first_end_bytes;     /* delivered or lost in total when it can be judged; 0: not
					 known yet */
	uint64_t quiet_bytes;         /* delivered or lost when nothing was in flight last */
	uint64_t unmeasured_bytes;    /* what is delivered up to here belongs to no flight */
	uint64_t measured_end_bytes;  /* a flight that begins before it ends here at the latest */
	uint64_t min_rtt_ns;          /* 0: no sample yet */
	uint64_t baseline_rtt_ns;     /* the RTT of the last round: samples are compared with it */
	uint64_t group_min_rtt_ns;    /* the minimum of the latest group of samples */
	uint64_t prior_cwnd_bytes;    /* cwnd before PACING */
	uint64_t paced_bytes_per_s;   /* the rate at which the paced window left */
	uint64_t last_round_bytes_per_s; /* delivery rate of the last complete round; 0: none since
					    PACING */
	uint64_t last_round_cwnd_bytes;  /* cwnd of that round */
	uint64_t growth_remainder_bytes; /* growth of less than a segment */
	uint64_t handshake_rtt_ns;       /* 0: unknown */
	uint64_t first_rtt_ns;           /* the first RTT of data; 0: no sample yet */
	uint64_t first_acked_bytes;      /* acknowledged by the first ACK of data */
	uint64_t avoidance_ssthresh_bytes; /* RETREAT: the ssthresh of congestion avoidance */
	uint64_t prior_lost_bytes;         /* marked lost before RETREAT */
	uint64_t held_bytes;          /* RETREAT: ssthresh of a light loss; 0: the loss is heavy */
	uint64_t target_bytes;        /* this connection's share of the BDP; 0: unknown */
	uint64_t host_ssthresh_bytes; /* at the start; STARTUP_UNLIMITED: none */
	uint64_t initial_cwnd_bytes;
	uint64_t remembered_bdp_bytes; /* 0: nothing is remembered, or it is another path's */
	uint64_t remembered_rtt_ns;
	/* Delivered in total when the remembered BDP was used, less the bytes in flight: what is
	 * delivered beyond it was validated since. */
	uint64_t resume_delivered_bytes;
	uint64_t reported_bytes; /* the last BDP reported to the host; STARTUP_UNLIMITED: that the
				    remembered one is wrong */
	uint64_t learned_bytes;  /* the maximum that the path carried in a round trip */
	uint64_t variant;        /* enum train_variant, enum onramp_variant */
	uint32_t bound_is_line;  /* the flight's ACKs lie on a line */
	uint32_t has_pairs;      /* the receiver reports packet pairs */
	uint32_t repaired_phase; /* RETREAT: the phase in which the loss was found */
	uint32_t loss_had_queue; /* RETREAT: the samples before the loss were delayed */
	uint32_t sample_count;   /* in the present group */
	uint32_t pipe_is_validated; /* ACKs show that the path carries the paced window */
	uint32_t growth_shift;      /* a validated window grows by acked bytes >> growth_shift */
	uint32_t phase;
	uint32_t options;         /* enum startup_option */
	uint32_t exit;            /* enum startup_exit: the reason when it is over */
	uint32_t has_resumed;     /* the remembered BDP has been used */
	uint32_t memory_is_wrong; /* and the path did not carry it */
	uint32_t retreat_is_safe; /* RETREAT: the Safe Retreat of RFC 9959 */
	uint32_t exchanges;       /* SLOW START: ACKs that left nothing in flight */
	uint32_t first_round;     /* enum startup_first_round */
	uint32_t is_probing;      /* SLOW START: the latest flight is a probe */
};
STARTUP_ASSERT_STATE(struct onramp);

/* The BDP at this rate and the minimum RTT. */
static inline uint64_t onramp_bdp_bytes(const struct onramp *state, uint64_t bytes_per_s,
					uint32_t mss_bytes)
{
	return bdp_bytes(bytes_per_s, state->min_rtt_ns, mss_bytes);
}

/* ACKs show that the path carries the paced window. cwnd may grow beyond the BDP, slowly at first.
 */
static inline void onramp_validate(struct onramp *state)
{
	state->pipe_is_validated = true;
	state->growth_shift = ONRAMP_FIRST_GROWTH_SHIFT;
}

/* Grow twice as fast, up to slow start's own growth. Before validation this has no effect, because
 * onramp_validate() sets the growth. */
static inline void onramp_double_growth(struct onramp *state)
{
	if (state->growth_shift)
		state->growth_shift--;
}

#endif
