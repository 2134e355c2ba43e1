/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The contract between a start-up algorithm and its host: who owns cwnd, ssthresh and pacing in
 * each phase, and which events the host reports. Every host calls these functions and makes no such
 * decision by itself. The exception is BBR, see below. The functions are pure: they read their
 * arguments and nothing else.
 *
 * phase                cwnd and ssthresh       ACKs reported           losses    pacing
 * -------------------  ----------------------  ----------------------  --------  ---------
 * SLOW_START, PROBE,   algorithm               outside of recovery     reported  algorithm
 * PACING, APPROACH,
 * LINEAR, HOLD, REST,
 * DRAIN, CONSERVATIVE
 * RESERVED             algorithm, always       all                     reported  algorithm
 * RETREAT              cwnd: loss recovery;    all, those of recovery  reported  algorithm
 *                      ssthresh: algorithm     are marked
 * REPAIR               algorithm, also in      all, those of recovery  reported  algorithm
 *                      recovery                are marked
 * AVOIDANCE            congestion avoidance;   outside of recovery,    reported  host;
 *                      below ssthresh:         below ssthresh                    algorithm below
 *                      algorithm                                                 ssthresh and
 *                                                                                after a pause
 * SAFE                 congestion avoidance    outside of recovery     reported  algorithm
 * DONE                 congestion avoidance    none                    none      host
 *
 * How to read it:
 *
 * - "Outside of recovery" means: the host repairs no loss, and the ACK acknowledges new data.
 * - A host carries out cwnd and ssthresh of a decision where the algorithm owns them. Otherwise it
 *   takes from the decision only what the algorithm still owns.
 * - Every loss that is reported yields a decision, and its ssthresh is the new one. Loss recovery
 *   owns cwnd from there to the end of the recovery, except in RESERVED and REPAIR.
 * - RESERVED: cwnd stays as decided, also in recovery, after an RTO and after an idle time.
 * - RETREAT: a loss is being repaired, and recovery leads cwnd to ssthresh. Each ACK may still
 *   change ssthresh. ACKs of the recovery carry STARTUP_ACK_RECOVERING. The first ACK after the
 *   recovery ends the phase. A host that cannot follow ssthresh treats RETREAT as DONE.
 * - REPAIR: a loss is being repaired, and each ACK may change cwnd and ssthresh. Loss recovery
 *   chooses the segments to send, within the decided cwnd. ACKs of the recovery carry
 *   STARTUP_ACK_RECOVERING. The first ACK after the recovery ends the phase. So does an RTO, which
 *   is always reported and never answered with REPAIR. If the phase ends before the recovery does,
 *   loss recovery leads cwnd to the ssthresh of that decision. Only algorithms with the capability
 *   STARTUP_REPAIRS decide REPAIR.
 * - AVOIDANCE: the start-up is over until the next slow start. cwnd falls below ssthresh again
 *   after an RTO or an idle time. The algorithm then owns cwnd until it decides AVOIDANCE again.
 * - SAFE: congestion avoidance owns cwnd, and the algorithm only paces what cwnd permits.
 * - DONE: the start-up is over for good. The host never calls the algorithm again.
 * - After an idle time cwnd is at least host_restart_bytes(), until the start-up is over for
 *   good.
 * - A host ends an AVOIDANCE with restart_bytes for good where host_ends_busy_connection(): an idle
 *   time would leave nothing then.
 * - After a pause of any length no ACK clocks the sender. So in AVOIDANCE a host paces what cwnd
 *   permits then at the decided rate, until a window is delivered.
 * - Where the decided pacing rate is STARTUP_UNLIMITED, the host paces as it would without a
 *   start-up.
 * - An ACK is quiet if it leaves nothing in flight, while the application and not cwnd limits the
 *   sender. Exchanges of small messages have only such ACKs. In SLOW_START without pacing, a host
 *   reports the first of successive quiet ACKs and skips the others: there is nothing to decide.
 *   After HOST_MAX_QUIET_ACKS of them it ends the start-up for good, for the reason APPLICATION.
 *   PROBE is a part of slow start, here and in the next rule.
 * - A connection that cwnd does not limit for many round trips has nothing to start either. After
 *   HOST_MAX_LIMITED_ROUNDS of them in SLOW_START without pacing, a host ends the start-up for
 *   good, for the reason APPLICATION or RECEIVER.
 *
 * BBR paces and ignores ssthresh. A host with BBR differs:
 *
 * - It treats AVOIDANCE and SAFE as DONE, but still reports losses.
 * - Until the start-up is over, it reports every ACK that delivers new data, also in recovery. It
 *   does not call host_reports_ack().
 * - It cannot follow ssthresh, and owns cwnd in recovery, so RETREAT and REPAIR are DONE.
 */
#ifndef ONRAMP_HOST_H
#define ONRAMP_HOST_H

#include "startup.h"

_Static_assert(STARTUP_PHASE_COUNT == 15, "the table above names each phase");

/* The start-up is over for good: the host may free the algorithm's state. */
static inline bool host_is_done(uint32_t phase)
{
	return phase == STARTUP_PHASE_DONE;
}

/* A rate is reserved: no loss, RTO or idle time changes cwnd. */
static inline bool host_is_reserved(uint32_t phase)
{
	return phase == STARTUP_PHASE_RESERVED;
}

/* A loss is being repaired, and the algorithm may still change ssthresh. */
static inline bool host_is_retreating(uint32_t phase)
{
	return phase == STARTUP_PHASE_RETREAT;
}

/* A loss is being repaired, and the algorithm controls cwnd meanwhile. */
static inline bool host_is_repairing(uint32_t phase)
{
	return phase == STARTUP_PHASE_REPAIR;
}

/* The algorithm follows a recovery, so the ACKs of the recovery are marked. */
static inline bool host_follows_recovery(uint32_t phase)
{
	return host_is_retreating(phase) || host_is_repairing(phase);
}

/* Loss recovery does not change cwnd. */
static inline bool host_holds_cwnd(uint32_t phase)
{
	return host_is_reserved(phase) || host_is_repairing(phase);
}

/* Congestion avoidance owns cwnd, and the algorithm paces what cwnd permits. */
static inline bool host_is_paced_by_algorithm(uint32_t phase)
{
	return phase == STARTUP_PHASE_SAFE;
}

/* The host's congestion avoidance raises cwnd, outside of recovery. Otherwise the algorithm does.
 * cwnd and ssthresh may be in any unit, but must be in the same one. */
static inline bool host_owns_cwnd(uint32_t phase, uint64_t cwnd, uint64_t ssthresh)
{
	if (phase == STARTUP_PHASE_AVOIDANCE)
		return cwnd >= ssthresh;
	return startup_phase_is_over(phase);
}

/* The host reports ACKs to the algorithm while it repairs losses. */
static inline bool host_reports_recovery(uint32_t phase)
{
	return host_is_reserved(phase) || host_follows_recovery(phase);
}

/* The host reports this ACK to the algorithm. The caller has checked that the ACK delivers new
 * data. cwnd and ssthresh may be in any unit, but must be in the same one. */
static inline bool host_reports_ack(uint32_t phase, uint64_t cwnd, uint64_t ssthresh,
				    bool is_recovering)
{
	if (is_recovering)
		return host_reports_recovery(phase);
	return !host_owns_cwnd(phase, cwnd, ssthresh) || host_is_paced_by_algorithm(phase);
}

/* Slow start goes on, with its own flights or with a larger one. */
static inline bool host_is_slow_start(uint32_t phase)
{
	return phase == STARTUP_PHASE_SLOW_START || phase == STARTUP_PHASE_PROBE;
}

/* The ACK is quiet. `flags` are those of struct startup_ack; `inflight` may be in any unit. */
static inline bool host_ack_is_quiet(uint32_t flags, uint64_t inflight)
{
	return !inflight && flags & STARTUP_ACK_APP_LIMITED && !(flags & STARTUP_ACK_CWND_LIMITED);
}

/* The host does not report this quiet ACK. It is the last of `quiet_acks` successive ones. */
static inline bool host_skips_quiet_ack(uint32_t phase, uint64_t pacing_bytes_per_s,
					uint32_t quiet_acks)
{
	return quiet_acks > 1 && host_is_slow_start(phase) &&
	       pacing_bytes_per_s == STARTUP_UNLIMITED;
}

/* A connection with so many successive quiet ACKs is one for small messages. A handshake of TLS, a
 * login or a list of files before a bulk transfer takes fewer. */
#define HOST_MAX_QUIET_ACKS 100

/* The host ends the start-up after `quiet_acks` successive quiet ACKs that it skipped. */
static inline bool host_ends_quiet_connection(uint32_t quiet_acks)
{
	return quiet_acks >= HOST_MAX_QUIET_ACKS;
}

/* A connection with so many successive round trips that cwnd did not limit is limited by its
 * receiver or its application for good. A receiver that doubles its buffer in each round trip needs
 * seven for what Linux allows by default (tcp_rmem: from 128 kB to 6 MB). The number is as large as
 * that of the quiet ACKs, which end a round trip each. */
#define HOST_MAX_LIMITED_ROUNDS 100

/* The successive round trips that cwnd did not limit, until now. All zero: none yet. */
struct host_limited {
	/* delivered_bytes that end the present round trip */
	uint64_t round_end_bytes;
	/* round trips that have begun */
	uint32_t rounds;
	uint32_t reserved; /* 0 */
};

/* The host has reported this ACK, and the algorithm has answered with `decision`. Returns true if
 * the host now ends the start-up, for the reason host_limited_exit(). */
static inline bool host_ends_limited_connection(struct host_limited *limited,
						const struct startup_ack *ack,
						const struct startup_decision *decision)
{
	if (!host_is_slow_start(decision->phase) ||
	    decision->pacing_bytes_per_s != STARTUP_UNLIMITED ||
	    ack->flags & STARTUP_ACK_CWND_LIMITED) {
		*limited = (struct host_limited){0};
		return false;
	}
	if (ack->delivered_bytes < limited->round_end_bytes)
		return false;
	limited->round_end_bytes = ack->delivered_bytes + ack->inflight_bytes;
	return ++limited->rounds > HOST_MAX_LIMITED_ROUNDS;
}

/* Why the host ends the start-up of a connection that cwnd does not limit. `flags` are those of
 * struct startup_ack. */
static inline enum startup_exit host_limited_exit(uint32_t flags)
{
	return flags & STARTUP_ACK_APP_LIMITED ? STARTUP_EXIT_APPLICATION : STARTUP_EXIT_RECEIVER;
}

/* The host reports losses to the algorithm, which answers with the new ssthresh. */
static inline bool host_reports_loss(uint32_t phase)
{
	return !host_is_done(phase);
}

/* RFC 7661, section 4.4: a cwnd that a connection does not use remains valid for five minutes. */
#define HOST_MAX_IDLE_NS (300 * NS_PER_S)

/* A connection that delivers so much without an idle time is a bulk transfer. For it congestion
 * avoidance knows the path better than the start-up does, and costs less. */
#define HOST_BUSY_BYTES (16 << 20)

/* The connection is a bulk transfer. `unreported_bytes` are delivered since the latest ACK that the
 * host has reported to the algorithm. */
static inline bool host_is_busy(uint64_t unreported_bytes)
{
	return unreported_bytes > HOST_BUSY_BYTES;
}

/* The host ends the start-up of a bulk transfer for good, for the reason that it has. */
static inline bool host_ends_busy_connection(const struct startup_decision *decision,
					     uint64_t unreported_bytes)
{
	return decision->phase == STARTUP_PHASE_AVOIDANCE && decision->restart_bytes &&
	       host_is_busy(unreported_bytes);
}

/* An idle time leaves at least this much of cwnd. The host has reduced cwnd for it as without a
 * start-up, and no data is in flight. `restart_bytes` is that of the latest decision. */
static inline uint64_t host_restart_bytes(uint64_t restart_bytes, uint64_t idle_ns,
					  uint64_t unreported_bytes)
{
	return idle_ns <= HOST_MAX_IDLE_NS && !host_is_busy(unreported_bytes) ? restart_bytes : 0;
}

/* The host paces at the decided rate. Otherwise it paces as it would without a start-up. `resumed`
 * is delivered since the latest segment that left while nothing was in flight. cwnd, ssthresh and
 * resumed may be in any unit, but must be in the same one. */
static inline bool host_paces(uint32_t phase, uint64_t pacing_bytes_per_s, uint64_t cwnd,
			      uint64_t ssthresh, uint64_t resumed)
{
	return pacing_bytes_per_s != STARTUP_UNLIMITED &&
	       (phase != STARTUP_PHASE_AVOIDANCE || cwnd < ssthresh || resumed < cwnd);
}

#endif
