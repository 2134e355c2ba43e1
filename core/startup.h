/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The interface between a start-up algorithm and its host.
 *
 * A start-up algorithm decides how a TCP sender behaves until the sender knows its path. The host
 * is the kernel (through bpf/), another TCP stack or a test. It reports each event in one record
 * and carries out the decision. When the start-up is over, the algorithm gives the reason
 * (enum startup_exit) and leaves an ssthresh. The host's congestion avoidance goes on from there.
 * core/host.h says who owns what in each phase.
 *
 * Everything in core/ compiles unchanged into a BPF program and into a native library. So it is
 * freestanding C11 with integers only. It allocates nothing, writes no global variable, has no
 * unbounded loop and divides only unsigned numbers.
 *
 * Units are the last part of each name: bytes, nanoseconds, bytes per second. Bytes are bytes of
 * TCP payload. A segment has mss_bytes of them.
 */
#ifndef ONRAMP_STARTUP_H
#define ONRAMP_STARTUP_H

#include "math.h"

#include <stdbool.h>
#include <stdint.h>

/* UINT64_MAX: an ssthresh, a rate or another value that is not set. */
#define STARTUP_UNLIMITED 0xffffffffffffffffull

/* The host's two timing services (Aron & Druschel 1998, section 4). A 4.4BSD host has 500 ms for
 * both. */
struct startup_clock {
	/* Granularity of measuring time. */
	uint64_t measure_ns;
	/* Granularity of scheduling a transmission. */
	uint64_t event_ns;
};

/* Choices of the user, and facts that the host knows. Choices that concern one algorithm alone are
 * bits of its variant (struct startup_start). Recordings contain these numbers, so they stay. */
enum startup_option {
	/* Use the initial window of RFC 3390 instead of the host's. */
	STARTUP_OPTION_PAPER_INITIAL_WINDOW = 1 << 0,
	/* Use the remembered BDP at the start, before the initial window is acknowledged as RFC
	 * 9959 demands (core/parts/path_memory.h). */
	STARTUP_OPTION_RESUME_AT_ONCE = 1 << 16,
	/* Use packet pairs where the peer supports them, also for an algorithm that works without
	 * them (core/measure/pair_rate.h). */
	STARTUP_OPTION_PAIRS = 1 << 18,
	/* Both ends send timestamps (RFC 7323): `tsval` of the inputs is the peer's. Set by the
	 * host. */
	STARTUP_OPTION_TIMESTAMPS = 1 << 19,
	/* The peer acknowledges every second segment from the first one on, as QUIC does. The ACK
	 * of a single last segment is late (core/measure/flight.h). Set by the host. */
	STARTUP_OPTION_DELAYED_ACKS = 1 << 24,
};

/* Event: the connection is established and has sent no data yet. */
struct startup_start {
	/* The time of the event, on the host's clock. */
	uint64_t now_ns;
	/* The precision of that clock. */
	struct startup_clock clock;
	/* The host's initial window. */
	uint64_t cwnd_bytes;
	/* The host's ssthresh; STARTUP_UNLIMITED if it has none. */
	uint64_t ssthresh_bytes;
	/* Payload of a full segment. */
	uint32_t mss_bytes;
	/* enum startup_option */
	uint32_t options;
	/* Smoothed RTT, usually of the handshake; 0 if unknown. */
	uint64_t srtt_ns;
	/* A rate from the user; 0: none. `spaced` sends slow start at it instead of measuring a
	 * rate. For `qos` it is the reserved rate. */
	uint64_t pace_bytes_per_s;
	/* `gamma`: ssthresh as a share of cwnd, in millionths, from the user; 0: found by the
	 * algorithm. */
	uint32_t gamma_ppm;
	/* `qos`: the number of bytes that may leave at once; 0: chosen by the algorithm. */
	uint32_t burst_bytes;
	/* `qos`: losses beyond the tolerance that an earlier reservation of this connection has
	 * counted. */
	uint64_t excess_bytes;
	/* The BDP that the host remembers of the path (core/parts/path_memory.h). Only this
	 * connection may use it. 0: nothing is remembered, or it may not be used. */
	uint64_t remembered_bytes;
	/* The minimum RTT when that BDP was measured. */
	uint64_t remembered_rtt_ns;
	/* With STARTUP_OPTION_RESUME_AT_ONCE: what may be sent behind the initial window before any
	 * of it is acknowledged (path_memory_jump()). Otherwise 0. */
	uint64_t jump_bytes;
	/* TSval of the peer's newest segment (RFC 7323), with STARTUP_OPTION_TIMESTAMPS; 32 bits.
	 */
	uint64_t tsval;
	/* The peer's receive window: it accepts so much before any ACK. 0: unknown. */
	uint64_t peer_window_bytes;
	/* What may leave behind the initial window before any ACK leaves at this rate, which the
	 * host knows by now (core/parts/first_round.h). 0: nothing may. */
	uint64_t initial_bytes_per_s;
	/* `siblings` of struct startup_ack, at the start. */
	uint64_t siblings;
	/* The variant of the algorithm that runs: bits that the algorithm's own header defines and
	 * its row in core/registry.h names. The host passes them on. 0: the algorithm as its essay
	 * describes it. */
	uint64_t variant;
};

/* Flags of struct startup_ack. */
enum startup_ack_flag {
	/* cwnd limited the sender in the last round trip, not the application or the receiver. */
	STARTUP_ACK_CWND_LIMITED = 1 << 0,
	/* The application has no unsent data, so gaps between segments may be its own. */
	STARTUP_ACK_APP_LIMITED = 1 << 1,
	/* The host is repairing losses. Set only in STARTUP_PHASE_RETREAT and STARTUP_PHASE_REPAIR.
	 */
	STARTUP_ACK_RECOVERING = 1 << 2,
};

/* Event: an ACK arrived. core/host.h says which ACKs a host reports. */
struct startup_ack {
	/* The time of the event, on the host's clock. */
	uint64_t now_ns;
	/* Newly acknowledged, cumulatively or selectively. In slow start it is at most what the
	 * host counts for growth (RFC 3465; Linux counts all). */
	uint64_t acked_bytes;
	/* Acknowledged since the start, this ACK included. */
	uint64_t delivered_bytes;
	/* Marked lost since the start. A retransmission that is lost again counts each time. */
	uint64_t lost_bytes;
	/* In flight after this ACK: the pipe of RFC 6675, without bytes marked lost or sacked. */
	uint64_t inflight_bytes;
	/* Smoothed RTT, this sample included; 0 before the first sample. */
	uint64_t srtt_ns;
	/* RTT sample of the newest segment that this ACK covers; 0: no sample. */
	uint64_t rtt_ns;
	/* The host's cwnd before the decision. */
	uint64_t cwnd_bytes;
	/* The host's ssthresh before the decision. */
	uint64_t ssthresh_bytes;
	/* The interval that the peer measured, reported in this ACK or since the previous one; 0:
	 * no report. It lies between the arrivals of the two segments of a pair, or of the first
	 * and the newest acknowledged segment of a train. */
	uint64_t pair_interval_ns;
	/* Payload that arrived within pair_interval_ns: of a pair, its second segment. */
	uint64_t pair_bytes;
	/* The peer's receive window: it accepts so much beyond what it has acknowledged
	 * cumulatively. 0: unknown. */
	uint64_t peer_window_bytes;
	/* TSval of this ACK, with STARTUP_OPTION_TIMESTAMPS; 32 bits. The receiver's time when it
	 * sent the ACK, in ticks of an unknown length (core/measure/receiver_clock.h). */
	uint64_t tsval;
	/* Other connections of this host to the same destination that are starting up
	 * (core/parts/ensemble.h), with STARTUP_SHARES. 0: none, or unknown. */
	uint64_t siblings;
	/* Payload of a full segment. */
	uint32_t mss_bytes;
	/* enum startup_ack_flag */
	uint32_t flags;
};

/* How the host found a loss, and what follows. */
enum startup_loss_kind {
	/* Found by ACKs (fast retransmit, RACK) or signalled by an ECN mark. */
	STARTUP_LOSS_RECOVERY = 1,
	/* Found by the retransmission timer. Slow start follows. */
	STARTUP_LOSS_TIMEOUT = 2,
	/* Found by ACKs. Slow start follows, as in 4.3BSD-Tahoe. */
	STARTUP_LOSS_TAHOE = 3,
};

/* Event: the host found a loss and is about to set a new ssthresh. */
struct startup_loss {
	/* The time of the event, on the host's clock. */
	uint64_t now_ns;
	/* FlightSize of RFC 5681: sent and not cumulatively acknowledged. This is not the
	 * inflight_bytes of struct startup_ack. */
	uint64_t inflight_bytes;
	/* The host's cwnd. */
	uint64_t cwnd_bytes;
	/* The ssthresh that congestion avoidance would set. */
	uint64_t ssthresh_bytes;
	/* Cumulatively acknowledged, in the count of delivered_bytes of struct startup_ack. */
	uint64_t acknowledged_bytes;
	/* Marked lost since the start, this loss included, in the count of struct startup_ack. */
	uint64_t lost_bytes;
	/* Payload of a full segment. */
	uint32_t mss_bytes;
	/* enum startup_loss_kind */
	uint32_t kind;
};

/* The phase of a start-up. startup_phase_name() gives its name for people. */
enum startup_phase {
	/* cwnd grows by the bytes that are acknowledged. */
	STARTUP_PHASE_SLOW_START,
	/* A measured window is filled at the measured rate. */
	STARTUP_PHASE_PACING,
	/* cwnd grows from the paced window on, never faster than the measured rate. */
	STARTUP_PHASE_APPROACH,
	/* The start-up is over for good. */
	STARTUP_PHASE_DONE,
	/* The start-up is over until the next slow start, which the algorithm controls again. */
	STARTUP_PHASE_AVOIDANCE,
	/* Congestion avoidance owns cwnd. The algorithm still paces what cwnd permits. */
	STARTUP_PHASE_SAFE,
	/* cwnd grows by a segment in a round trip, until slow start goes on. */
	STARTUP_PHASE_LINEAR,
	/* A rate is reserved: losses do not change cwnd. */
	STARTUP_PHASE_RESERVED,
	/* cwnd stays for a round trip, to see whether a delay lasts. */
	STARTUP_PHASE_HOLD,
	/* cwnd is lower than before, to see whether a queue was the connection's own. */
	STARTUP_PHASE_DRAIN,
	/* A loss is being repaired, and ACKs may still change ssthresh. */
	STARTUP_PHASE_RETREAT,
	/* cwnd fills the pipe. It stays for some round trips, to see whether the path is as it was.
	 */
	STARTUP_PHASE_REST,
	/* cwnd grows by a quarter of the bytes that are acknowledged, to see whether a delay lasts.
	 */
	STARTUP_PHASE_CONSERVATIVE,
	/* A loss is being repaired, and the algorithm controls cwnd with each ACK. */
	STARTUP_PHASE_REPAIR,
	/* A flight leaves, paced, that is larger than slow start's: its ACKs are to show a rate. */
	STARTUP_PHASE_PROBE,
	/* The number of phases. */
	STARTUP_PHASE_COUNT,
};

/* Why a start-up ended. startup_exit_name() gives the name for people. */
enum startup_exit {
	/* It has not ended. */
	STARTUP_EXIT_NONE,
	/* cwnd reached the ssthresh that the host had set (HyStart, a route's metric). */
	STARTUP_EXIT_SSTHRESH,
	/* cwnd reached the ssthresh that the algorithm had measured. */
	STARTUP_EXIT_ESTIMATE,
	/* A loss that ACKs found. */
	STARTUP_EXIT_LOSS,
	/* A loss that the retransmission timer found. */
	STARTUP_EXIT_TIMEOUT,
	/* The application sends too little to go on. */
	STARTUP_EXIT_APPLICATION,
	/* The receiver's window is the limit. */
	STARTUP_EXIT_RECEIVER,
	/* No rate is reserved, or the host did not grant it. */
	STARTUP_EXIT_UNRESERVED,
	/* Losses show that the reservation does not hold. */
	STARTUP_EXIT_BROKEN,
	/* The delay rose and stayed: the pipe is full. */
	STARTUP_EXIT_DELAY,
	/* The host did not start the algorithm: earlier start-ups retransmitted too much
	 * (core/parts/governor.h). No algorithm sets it. */
	STARTUP_EXIT_GOVERNED,
	/* Deliveries no longer grow as fast as what is sent: the pipe is full. */
	STARTUP_EXIT_DELIVERY,
	/* The path is too short for a start-up to gain anything. */
	STARTUP_EXIT_PATH,
	/* The number of exits. */
	STARTUP_EXIT_COUNT,
};

/* Which segments the peer is to measure, where both ends support packet pairs
 * (core/parts/pair_option.h). */
enum startup_pair_request {
	/* No segment is marked. */
	STARTUP_PAIR_NONE,
	/* The next two full segments leave back to back, marked as a pair. */
	STARTUP_PAIR_ONE,
	/* Every full segment is marked, as one train. The segments leave when they would anyway. */
	STARTUP_PAIR_TRAIN,
};

/* What became of the segments that left behind the initial window, before any ACK. */
enum startup_first_round {
	/* Too few have left, or it is not known yet. */
	STARTUP_FIRST_ROUND_UNKNOWN,
	/* The path carried them. */
	STARTUP_FIRST_ROUND_CARRIED,
	/* Many were lost, or the path is slower than they were. */
	STARTUP_FIRST_ROUND_TOO_FAST,
};

/* The decision of an algorithm: the host's behaviour from now on. */
struct startup_decision {
	/* Congestion window. */
	uint64_t cwnd_bytes;
	/* Slow-start threshold, or STARTUP_UNLIMITED. */
	uint64_t ssthresh_bytes;
	/* Pacing rate, or STARTUP_UNLIMITED: cwnd and ACKs alone clock the sender. */
	uint64_t pacing_bytes_per_s;
	/* The path's rate as measured so far; 0 before the first measurement. */
	uint64_t estimate_bytes_per_s;
	/* enum startup_phase */
	uint32_t phase;
	/* enum startup_exit; set if and only if the start-up is over: startup_is_over() */
	uint32_t exit;
	/* enum startup_pair_request */
	uint16_t pair;
	/* Not 0: the start-up filled the pipe, and learned_bytes is the BDP. */
	uint8_t is_full;
	/* enum startup_first_round: what became of the segments that left at initial_bytes_per_s */
	uint8_t first_round;
	/* Depth of the token bucket that paces (core/parts/token_bucket.h); 0: the host paces in
	 * its own way. */
	uint32_t burst_bytes;
	/* The bytes that the path carried in a round trip, offered to the path memory
	 * (core/parts/path_memory.h); the BDP if is_full. 0: nothing new. STARTUP_UNLIMITED: the
	 * remembered BDP is wrong. */
	uint64_t learned_bytes;
	/* The minimum RTT that belongs to learned_bytes. */
	uint64_t learned_rtt_ns;
	/* An idle time reduces cwnd to this at least (core/host.h). 0: as far as without a
	 * start-up. */
	uint64_t restart_bytes;
};

/* The capabilities of an algorithm, declared in its row of core/registry.h. A host prepares only
 * declared capabilities. */
enum startup_capability {
	/* It asks for packet pairs where the user chooses them (STARTUP_OPTION_PAIRS). */
	STARTUP_SENDS_PAIRS = 1 << 0,
	/* It asks for packet pairs always, and is of no use without them. */
	STARTUP_NEEDS_PAIRS = 1 << 1,
	/* It sends at a rate that is reserved (STARTUP_PHASE_RESERVED). */
	STARTUP_RESERVES = 1 << 2,
	/* It resumes from the BDP that the host remembers of the path. */
	STARTUP_RESUMES = 1 << 3,
	/* It takes its share of the path, where others to the same destination are starting up:
	 * `siblings` of struct startup_ack. */
	STARTUP_SHARES = 1 << 4,
	/* It controls cwnd while a loss is repaired (STARTUP_PHASE_REPAIR). */
	STARTUP_REPAIRS = 1 << 5,
	/* It sends behind the initial window before any ACK: `initial_bytes_per_s` of
	 * struct startup_start. */
	STARTUP_SENDS_EARLY = 1 << 6,
};

/* Size of the state that a host reserves for an algorithm. */
#define STARTUP_STATE_BYTES 896

#define STARTUP_ASSERT_STATE(type)                                                                 \
	_Static_assert(sizeof(type) <= STARTUP_STATE_BYTES, #type " is too large")

/*
 * Parameters are constants of an algorithm that a user may set without a build. The algorithm's
 * header lists them, P(algorithm, name, default, minimum, maximum, "meaning"):
 *
 *     #define NAME_PARAMETERS(P) P(NAME, thresh_ppm, 260000, 10000, 990000, "...") ...
 *     STARTUP_PARAMETERS(NAME, NAME_PARAMETERS);
 *
 * The state has a member `struct NAME_parameters parameters`, with a member for each parameter. The
 * host fills it before NAME_start(). The end of a parameter's name is its unit: `_ns`, `_ppm` (a
 * share, in millionths), or none (a number).
 */
#define STARTUP_PARAMETER(algorithm, name, ...) uint64_t name;
#define STARTUP_PARAMETERS(algorithm, LIST)                                                        \
	struct algorithm##_parameters {                                                            \
		LIST(STARTUP_PARAMETER)                                                            \
	}
/* The largest number of parameters of an algorithm */
#define STARTUP_MAX_PARAMETERS 8

/*
 * An algorithm NAME is a file core/algorithms/NAME.h with
 *
 *     struct NAME { ... };
 *     void NAME_start(struct NAME *, const struct startup_start *, struct startup_decision *);
 *     void NAME_ack(struct NAME *, const struct startup_ack *, struct startup_decision *);
 *     void NAME_loss(struct NAME *, const struct startup_loss *, struct startup_decision *);
 *
 * and a row in core/registry.h. But for parameters, the state is zero before NAME_start(). Every
 * function fills the whole decision. An algorithm with variants defines their bits and names in its
 * file too.
 */

/* The cwnd after this ACK in slow start, up to this ssthresh. A cwnd that does not limit the sender
 * does not grow. */
static inline uint64_t startup_slow_start(const struct startup_ack *ack, uint64_t ssthresh_bytes)
{
	if (!(ack->flags & STARTUP_ACK_CWND_LIMITED) || ack->cwnd_bytes >= ssthresh_bytes)
		return ack->cwnd_bytes;
	return min_u64(ack->cwnd_bytes + ack->acked_bytes, ssthresh_bytes);
}

/* Decide: slow start with this cwnd and ssthresh, clocked by ACKs alone. */
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

/* The minimum RTT, this ACK's sample included; 0: no sample so far. */
static inline uint64_t startup_min_rtt(uint64_t min_rtt_ns, const struct startup_ack *ack)
{
	return ack->rtt_ns && (!min_rtt_ns || ack->rtt_ns < min_rtt_ns) ? ack->rtt_ns : min_rtt_ns;
}

/* cwnd was full before this ACK, so no segment that slow start permitted still waits for pacing. */
static inline bool startup_window_was_full(const struct startup_ack *ack)
{
	return ack->inflight_bytes + ack->acked_bytes >= ack->cwnd_bytes;
}

/* Segments that a host may send at once into an unknown path (RFC 6928). */
#define STARTUP_BURST_SEGMENTS 10
/* A host with a coarser clock than this has a periodic interrupt. A host with a finer clock has
 * timers, as Linux has, and paces any rate. */
#define STARTUP_INTERRUPT_NS UINT64_C(1000000)

/* A host with this scheduling granularity can pace this rate. A host with timers always can. A host
 * with a periodic interrupt can if at most 10 segments leave per tick. */
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

/* End the start-up for good. cwnd and ssthresh stay as decided; the host paces in its own way. */
static inline void startup_finish(struct startup_decision *decision, enum startup_exit exit)
{
	decision->phase = STARTUP_PHASE_DONE;
	decision->exit = exit;
	decision->pacing_bytes_per_s = STARTUP_UNLIMITED;
}

/* End the start-up until the next slow start. */
static inline void startup_pause(struct startup_decision *decision, enum startup_exit exit)
{
	startup_finish(decision, exit);
	decision->phase = STARTUP_PHASE_AVOIDANCE;
}

/* The exit reason of a start-up that a loss ends. */
static inline enum startup_exit startup_loss_exit(const struct startup_loss *loss)
{
	return loss->kind == STARTUP_LOSS_TIMEOUT ? STARTUP_EXIT_TIMEOUT : STARTUP_EXIT_LOSS;
}

/* Is this an event without a loss: an ECN mark, or a tail loss that a probe has repaired?
 * Congestion avoidance reduces cwnd for it as for a loss. `prior_lost_bytes`: those of the last ACK
 * or loss. */
static inline bool startup_is_mark(const struct startup_loss *loss, uint64_t prior_lost_bytes)
{
	return loss->kind == STARTUP_LOSS_RECOVERY && loss->lost_bytes == prior_lost_bytes;
}

/* Decide: the loss ends the start-up, with the ssthresh of congestion avoidance. */
static inline void startup_end_at_loss(const struct startup_loss *loss,
				       struct startup_decision *decision)
{
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
	};
	startup_finish(decision, startup_loss_exit(loss));
}

#endif
