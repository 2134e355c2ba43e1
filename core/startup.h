/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The interface between a start-up algorithm and its host.
 *
 * A start-up algorithm decides how a TCP sender behaves until it knows its path. The host (the
 * kernel through bpf/, another stack, a test) tells it what happens, one record an event, and
 * carries out what it decides. When the algorithm is done it says why (enum startup_exit), leaves
 * ssthresh, and the host's own congestion avoidance goes on.
 *
 * Everything here compiles unchanged into a BPF program and into a native library: freestanding
 * C11, integers only, no allocation, no globals that are written, no unbounded loop, unsigned
 * division only.
 *
 * Units are the last part of each name: bytes, nanoseconds, bytes per second. Bytes are bytes of
 * TCP payload. A segment is mss_bytes of them.
 */
#ifndef ONRAMP_STARTUP_H
#define ONRAMP_STARTUP_H

#include "math.h"

#include <stdbool.h>
#include <stdint.h>

/* A threshold or a rate that is not set. */
#define STARTUP_UNLIMITED UINT64_MAX

/* What the host promises of its two timing services (Aron & Druschel, section 4): how finely it
 * measures time, and how finely it schedules a transmission. A 4.4BSD host says 500 ms and 500 ms.
 */
struct startup_clock {
	uint64_t measure_ns;
	uint64_t event_ns;
};

/* What the user chose. */
enum startup_option {
	/* The initial window of RFC 3390 instead of the host's. */
	STARTUP_OPTION_PAPER_INITIAL_WINDOW = 1 << 0,
	/* The rate of a flight is that between its first and its last acknowledgement:
	   core/measure/ack_train.h. */
	STARTUP_OPTION_TRAIN_ENDS = 1 << 1,
	/* The rate of a flight is that of its most closely spaced acknowledgements:
	   core/measure/ack_train.h. */
	STARTUP_OPTION_TRAIN_CLOSEST = 1 << 2,
	/* The eligible rate's filter takes the latest sample alone: core/measure/eligible_rate.h.
	 */
	STARTUP_OPTION_ERE_LATEST = 1 << 3,
	/* Its instability is compared with the connection's largest: core/measure/eligible_rate.h.
	 */
	STARTUP_OPTION_ERE_CALM = 1 << 4,
	/* Packet pairs, for a start-up that does without them too, where the peer knows them:
	   core/measure/pair_rate.h. */
	STARTUP_OPTION_PAIRS = 1 << 18,
	/* One of onramp's ideas is switched off, to see what it contributes:
	   core/algorithms/onramp.h. */
	STARTUP_OPTION_WITHOUT_MEASURING = 1 << 5, /* no rate is believed */
	STARTUP_OPTION_WITHOUT_LINE =
		1 << 6, /* acknowledgements are believed that are no line, or jitter */
	STARTUP_OPTION_WITHOUT_SHARING = 1 << 7, /* the path is the connection's alone */
	STARTUP_OPTION_WITHOUT_SPACING = 1 << 8, /* nothing is paced */
	STARTUP_OPTION_WITHOUT_VALIDATING =
		1 << 9, /* all of the path is filled at once, and counts as carried */
	STARTUP_OPTION_WITHOUT_EASING = 1
					<< 10, /* what is carried grows as in slow start at once */
	STARTUP_OPTION_WITHOUT_RAISING =
		1 << 11, /* what is carried does not grow: the path is the threshold */
	STARTUP_OPTION_WITHOUT_DELAY = 1 << 12, /* no HOLD: a loss alone ends growth */
	STARTUP_OPTION_WITHOUT_RESTING =
		1 << 13, /* congestion avoidance is not told that the path is full */
	STARTUP_OPTION_WITHOUT_REPACING =
		1 << 14, /* a path that was drained is not paced once more */
	STARTUP_OPTION_WITHOUT_RETREAT =
		1 << 15, /* no RETREAT: a loss ends the start-up as the host has it */
	/* What is remembered of the path is used at once, and does not wait for the acknowledgement
	 * of the initial window, as RFC 9959 has it: core/parts/path_memory.h. */
	STARTUP_OPTION_RESUME_AT_ONCE = 1 << 16,
	STARTUP_OPTION_WITHOUT_NOISE =
		1 << 17, /* as the others above: any delay counts, be it jitter or not */
};

/* The connection is established and has sent nothing yet. */
struct startup_start {
	uint64_t now_ns;
	struct startup_clock clock;
	uint64_t cwnd_bytes;     /* the host's initial window */
	uint64_t ssthresh_bytes; /* STARTUP_UNLIMITED if the host has none */
	uint32_t mss_bytes;
	uint32_t options; /* enum startup_option */
	uint64_t srtt_ns; /* the smoothed round-trip time: of the handshake, as a rule; 0: not known
			   */
	/* What the user gave for what an algorithm would measure; 0: nothing. */
	uint64_t pace_bytes_per_s; /* spaced: the rate of slow start's segments; qos: the rate that
				      is reserved */
	uint32_t gamma_ppm;        /* gamma: the share of the window, in millionths */
	uint32_t burst_bytes;      /* qos: what may leave at once; 0: the algorithm's own choice */
	uint64_t excess_bytes; /* qos: what an earlier reservation of the connection has lost beyond
				  what it may */
	/* What the host remembers of the path, and lets this connection alone use
	 * (core/parts/path_memory.h).
	 */
	uint64_t remembered_bytes;  /* so much it carried in a round trip; 0: nothing is remembered,
				       or may be used */
	uint64_t remembered_rtt_ns; /* the least round trip at that time */
};

enum startup_ack_flag {
	/* The window, not the application or the receiver, held the sender back in the last round
	   trip. */
	STARTUP_ACK_CWND_LIMITED = 1 << 0,
	/* The application has given nothing that is not yet sent: pauses between segments may be
	   its own. */
	STARTUP_ACK_APP_LIMITED = 1 << 1,
	/* The host is repairing losses: told in STARTUP_PHASE_RETREAT alone. */
	STARTUP_ACK_RECOVERING = 1 << 2,
};

/* An acknowledgement arrived that acknowledges something new, and the host is not recovering from a
 * loss; in STARTUP_PHASE_RESERVED, any acknowledgement. */
struct startup_ack {
	uint64_t now_ns;
	/* Newly acknowledged, cumulatively or selectively; in slow start no more than the host
	 * counts for its growth (RFC 3465; Linux counts all). */
	uint64_t acked_bytes;
	uint64_t delivered_bytes; /* acknowledged since the start, by this acknowledgement too */
	uint64_t lost_bytes; /* taken for lost since the start, what was sent again and lost again
				each time */
	uint64_t inflight_bytes; /* still outstanding after it */
	uint64_t srtt_ns; /* smoothed round-trip time, this sample included; 0 before the first */
	uint64_t rtt_ns;  /* this acknowledgement's own sample, of the newest segment it covers; 0:
			     it has none */
	uint64_t cwnd_bytes;
	uint64_t ssthresh_bytes;
	/* Between the arrivals of a pair's two segments, or of a train's first and the newest that
	 * is acknowledged, as the peer reported it in this acknowledgement or since the last; 0: it
	 * did not. */
	uint64_t pair_interval_ns;
	uint64_t pair_bytes; /* so much arrived in it: of a pair, its second segment */
	uint32_t mss_bytes;
	uint32_t flags; /* enum startup_ack_flag */
};

enum startup_loss_kind {
	STARTUP_LOSS_RECOVERY =
		1, /* found by acknowledgements: fast retransmit, RACK, or an ECN mark */
	STARTUP_LOSS_TIMEOUT = 2, /* found by the retransmission timer; slow start follows */
	STARTUP_LOSS_TAHOE =
		3, /* found by acknowledgements; slow start follows, as 4.3BSD-Tahoe does it */
};

/* The host found a loss and is about to set a new ssthresh. */
struct startup_loss {
	uint64_t now_ns;
	uint64_t
		inflight_bytes; /* FlightSize of RFC 5681: sent and not cumulatively acknowledged */
	uint64_t cwnd_bytes;
	uint64_t ssthresh_bytes;     /* what the congestion avoidance would set */
	uint64_t acknowledged_bytes; /* cumulatively, in the count of startup_ack's delivered_bytes
				      */
	uint64_t lost_bytes;         /* as startup_ack's, this loss included */
	uint32_t mss_bytes;
	uint32_t kind; /* enum startup_loss_kind */
};

/* Where a connection stands. Names for people: startup_phase_name(). */
enum startup_phase {
	STARTUP_PHASE_SLOW_START, /* cwnd grows by what is acknowledged */
	STARTUP_PHASE_PACING, /* a window that was measured is being filled at the measured rate */
	STARTUP_PHASE_APPROACH, /* slow start from there to ssthresh, never faster than the measured
				  rate */
	STARTUP_PHASE_DONE,     /* congestion avoidance controls the connection */
	STARTUP_PHASE_AVOIDANCE, /* it does until the next slow start, which is the algorithm's
				  * again
				  */
	STARTUP_PHASE_SAFE,      /* it has the window; the algorithm still spaces what it permits */
	STARTUP_PHASE_LINEAR,   /* cwnd grows by a segment a round trip, until slow start goes on */
	STARTUP_PHASE_RESERVED, /* the path's rate is reserved: losses do not change the window */
	STARTUP_PHASE_HOLD,    /* the window stays for a round trip, to see whether a delay lasts */
	STARTUP_PHASE_DRAIN,   /* less is sent than before, to see whether a queue was the
				 connection's   own */
	STARTUP_PHASE_RETREAT, /* a loss is being repaired: what arrives meanwhile may change the
				 threshold */
	STARTUP_PHASE_COUNT,
};

/* Why a start-up ended. Names for people: startup_exit_name(). */
enum startup_exit {
	STARTUP_EXIT_NONE,        /* it has not */
	STARTUP_EXIT_SSTHRESH,    /* cwnd reached the threshold that the host had set (HyStart, a
				    route's metric) */
	STARTUP_EXIT_ESTIMATE,    /* cwnd reached the threshold that the algorithm had measured */
	STARTUP_EXIT_LOSS,        /* a loss, found by acknowledgements */
	STARTUP_EXIT_TIMEOUT,     /* a loss, found by the retransmission timer */
	STARTUP_EXIT_APPLICATION, /* the application sends too little to go on */
	STARTUP_EXIT_RECEIVER,    /* the receiver's window is the limit */
	STARTUP_EXIT_UNRESERVED,  /* no rate is reserved, or the host did not grant it */
	STARTUP_EXIT_BROKEN,      /* losses show that the reservation does not hold */
	STARTUP_EXIT_DELAY,       /* the delay rose and stayed: the path is full */
	STARTUP_EXIT_COUNT,
};

/* Which segments the peer is to measure, where both ends know packet pairs
 * (core/parts/pair_option.h). */
enum startup_pair_request {
	STARTUP_PAIR_NONE,
	STARTUP_PAIR_ONE,   /* the next two full segments leave at once, marked as a pair */
	STARTUP_PAIR_TRAIN, /* all full segments that leave are marked, as one train: they leave as
			      they would */
};

/* What the host is to do from now on. */
struct startup_decision {
	uint64_t cwnd_bytes;
	uint64_t ssthresh_bytes;
	uint64_t pacing_bytes_per_s; /* STARTUP_UNLIMITED: as the windows and acknowledgements allow
				      */
	uint64_t estimate_bytes_per_s; /* the path's rate as measured so far; 0: not yet */
	uint32_t phase;                /* enum startup_phase */
	uint32_t exit;    /* enum startup_exit; set if and only if the start-up is over:
			     startup_is_over() */
	uint16_t pair;    /* enum startup_pair_request */
	uint16_t is_full; /* the window is what the path holds: congestion avoidance need not look
			     for that */
	uint32_t burst_bytes; /* a token bucket of this depth paces (core/parts/token_bucket.h); 0:
				 the host's own way */
	/* What is to be remembered of the path from now on, instead of what was
	 * (core/parts/path_memory.h): so much it carried in a round trip, and the least round trip.
	 * 0 bytes: nothing new; STARTUP_UNLIMITED: what is remembered is wrong.
	 */
	uint64_t learned_bytes;
	uint64_t learned_rtt_ns;
};

/* Room that a host keeps for the state of any algorithm. */
#define STARTUP_STATE_BYTES 768

#define STARTUP_ASSERT_STATE(type)                                                                 \
	_Static_assert(sizeof(type) <= STARTUP_STATE_BYTES, #type " is too large")

/*
 * An algorithm NAME is a file core/algorithms/NAME.h with
 *
 *     struct NAME { ... };
 *     void NAME_start(struct NAME *, const struct startup_start *, struct startup_decision *);
 *     void NAME_ack(struct NAME *, const struct startup_ack *, struct startup_decision *);
 *     void NAME_loss(struct NAME *, const struct startup_loss *, struct startup_decision *);
 *
 * and a row in core/registry.h. The state is zero before NAME_start(). Every function fills the
 * whole decision. core/host.h says when a host calls them and what it does with the decision.
 */

/* The window that slow start up to this threshold makes of an acknowledgement. One that does not
 * limit the sender stays. */
static inline uint64_t startup_slow_start(const struct startup_ack *ack, uint64_t ssthresh_bytes)
{
	if (!(ack->flags & STARTUP_ACK_CWND_LIMITED) || ack->cwnd_bytes >= ssthresh_bytes)
		return ack->cwnd_bytes;
	return min_u64(ack->cwnd_bytes + ack->acked_bytes, ssthresh_bytes);
}

/* The decision of slow start with this window and threshold, which nothing but acknowledgements
 * clocks. */
static inline void startup_begin_slow_start(struct startup_decision *decision, uint64_t cwnd_bytes,
					    uint64_t ssthresh_bytes)
{
	*decision = (struct startup_decision){
		.cwnd_bytes = cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.pacing_bytes_per_s = STARTUP_UNLIMITED,
		.phase = STARTUP_PHASE_SLOW_START,
	};
}

/* The least round-trip time, this acknowledgement's sample among them; 0: there was none yet. */
static inline uint64_t startup_min_rtt(uint64_t least_ns, const struct startup_ack *ack)
{
	return ack->rtt_ns && (!least_ns || ack->rtt_ns < least_ns) ? ack->rtt_ns : least_ns;
}

/* Was the window full before this acknowledgement? Then nothing that slow start permitted waits any
 * more. */
static inline bool startup_window_was_full(const struct startup_ack *ack)
{
	return ack->inflight_bytes + ack->acked_bytes >= ack->cwnd_bytes;
}

/* At most so many segments may leave a host at once, when it knows nothing (RFC 6928). */
#define STARTUP_BURST_SEGMENTS 10
/* Hosts whose clock is as coarse have a periodic interrupt; finer ones have timers, as Linux, and
 * pace any rate. */
#define STARTUP_INTERRUPT_NS UINT64_C(1000000)

/* Can a host that schedules so finely pace all that it sends? With a timer always; with a periodic
 * interrupt where a tick is worth few segments. */
static inline bool startup_can_pace(uint64_t event_ns, uint64_t bytes_per_s, uint64_t mss_bytes)
{
	/* rate * tick <= 10 segments, by division: neither side overflows. */
	return event_ns < STARTUP_INTERRUPT_NS ||
	       bytes_per_s <= STARTUP_BURST_SEGMENTS * mss_bytes * NS_PER_S / event_ns;
}

/* The start-up is over, for good or until the next slow start: congestion avoidance is in charge.
 */
static inline bool startup_phase_is_over(uint32_t phase)
{
	return phase == STARTUP_PHASE_DONE || phase == STARTUP_PHASE_AVOIDANCE ||
	       phase == STARTUP_PHASE_SAFE;
}

static inline bool startup_is_over(const struct startup_decision *decision)
{
	return startup_phase_is_over(decision->phase);
}

/* End a start-up: cwnd and ssthresh stay as the decision has them, pacing becomes the host's own.
 */
static inline void startup_finish(struct startup_decision *decision, enum startup_exit exit)
{
	decision->phase = STARTUP_PHASE_DONE;
	decision->exit = exit;
	decision->pacing_bytes_per_s = STARTUP_UNLIMITED;
}

/* End it until the next slow start. */
static inline void startup_pause(struct startup_decision *decision, enum startup_exit exit)
{
	startup_finish(decision, exit);
	decision->phase = STARTUP_PHASE_AVOIDANCE;
}

/* The reason to give when a start-up ends because of a loss. */
static inline enum startup_exit startup_loss_exit(const struct startup_loss *loss)
{
	return loss->kind == STARTUP_LOSS_TIMEOUT ? STARTUP_EXIT_TIMEOUT : STARTUP_EXIT_LOSS;
}

#endif
