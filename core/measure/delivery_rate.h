/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Delivery rate samples: the rate at which the path delivered the data of about one round trip
 * (draft-ietf-ccwg-bbr, "Delivery Rate Samples").
 *
 *   rate = delivered / max(ack_elapsed, send_elapsed)
 *
 *                     ____ marks ___                  P: the newest segment that an ACK covers
 *   ACKs    --|--|---|--------------|--|--|--|-->
 *                 \   \ P leaves       /  P's ACK
 *                  \___\______________/
 *
 * The draft stores a record with each segment when it leaves: what was delivered until then, and
 * when. A start-up sees ACKs only, but it can infer the record: a segment leaves between two ACKs,
 * and its record is that of the first of them. So every few ACKs leave a mark. A mark holds the
 * draft's record, and what had been sent until then. An ACK that covers more than was sent at the
 * mark covers a segment that left after it. The newest such mark gives the sample.
 *
 *   delivered     since the mark
 *   ack_elapsed   since the ACK of the mark
 *   send_elapsed  from the departure of the newest segment that the ACK of the mark covered, to
 *                 the departure of P; both are the time of an ACK less its RTT sample
 *
 * Differences from the draft: marks are an eighth of the flight apart, so an interval may be longer
 * than the draft's by an eighth of a round trip. Segments that were lost count as sent and as gone,
 * which places P exactly where segments arrive in order.
 */
#ifndef ONRAMP_DELIVERY_RATE_H
#define ONRAMP_DELIVERY_RATE_H

#include "startup.h"

/* A power of two. In slow start cwnd doubles while a flight is acknowledged, so a flight has some
 * twelve marks. */
#define DELIVERY_MARKS 16
/* A new mark after this part of the flight */
#define DELIVERY_MARK_DIVISOR 8
/* An ACK passes one mark as a rule, and more if it covers much of the flight. Later ACKs pass what
 * is left. */
#define DELIVERY_PASSED_MARKS 4

struct delivery_mark {
	uint64_t delivered_bytes;
	uint64_t ack_ns;     /* when the ACK arrived */
	uint64_t left_ns;    /* when the newest segment that it covered had left */
	uint64_t sent_bytes; /* sent until then; the highest bit: app-limited */
};

/* In sent_bytes: the application limited the sender at the mark. */
#define DELIVERY_APP_LIMITED (UINT64_C(1) << 63)

struct delivery_rate {
	struct delivery_mark marks[DELIVERY_MARKS];
	uint64_t bytes_per_s;     /* of the latest sample; 0: this ACK gave none */
	uint64_t delivered_bytes; /* of the latest sample */
	uint64_t last_mark_bytes; /* delivered at the latest mark */
	uint64_t round_end_bytes; /* sent when the present round began */
	uint32_t next;            /* the number of marks so far */
	uint32_t passed;          /* of these, the number that ACKs have passed */
	uint32_t is_app_limited;  /* of the latest sample */
	uint32_t round_begins;    /* with this ACK */
};

/* Everything that has left and is delivered or lost */
static inline uint64_t delivery_gone_bytes(const struct startup_ack *ack)
{
	return ack->delivered_bytes + ack->lost_bytes;
}

static inline uint64_t delivery_sent_bytes(const struct startup_ack *ack)
{
	return (delivery_gone_bytes(ack) + ack->inflight_bytes) & ~DELIVERY_APP_LIMITED;
}

/* A round begins now: it ends with the ACK of a segment that leaves from now on. */
static inline void delivery_begin_round(struct delivery_rate *rate, uint64_t sent_bytes)
{
	rate->round_end_bytes = sent_bytes;
}

/* Pass the marks whose flight this ACK covers. No branch, because the verifier would walk both
 * sides of each. */
static inline void delivery_pass_marks(struct delivery_rate *rate, const struct startup_ack *ack)
{
	uint64_t gone_bytes = delivery_gone_bytes(ack);

	for (uint32_t i = 0; i < DELIVERY_PASSED_MARKS; i++) {
		const struct delivery_mark *mark = &rate->marks[rate->passed % DELIVERY_MARKS];
		uint64_t sent_bytes = mark->sent_bytes & ~DELIVERY_APP_LIMITED;

		rate->passed += (uint32_t)(rate->passed != rate->next) &
				(uint32_t)(sent_bytes < gone_bytes);
	}
}

/* The sample of this ACK, since the newest mark that was passed */
static inline void delivery_sample(struct delivery_rate *rate, const struct startup_ack *ack,
				   uint64_t left_ns, uint64_t min_rtt_ns)
{
	const struct delivery_mark *mark = &rate->marks[(rate->passed - 1) % DELIVERY_MARKS];
	uint64_t ack_ns = ack->now_ns - mark->ack_ns;
	uint64_t send_ns = left_ns > mark->left_ns ? left_ns - mark->left_ns : 0;
	uint64_t elapsed_ns = max_u64(ack_ns, send_ns);

	/* A retransmission that was not needed would give an interval shorter than any RTT. */
	if (elapsed_ns < min_rtt_ns || ack->now_ns < mark->ack_ns ||
	    ack->delivered_bytes < mark->delivered_bytes)
		return;
	rate->delivered_bytes = ack->delivered_bytes - mark->delivered_bytes;
	rate->bytes_per_s = rate_bytes_per_s(rate->delivered_bytes, elapsed_ns);
	rate->is_app_limited = (mark->sent_bytes & DELIVERY_APP_LIMITED) != 0;
}

/* Leave a mark at this ACK. */
static inline void delivery_mark_ack(struct delivery_rate *rate, const struct delivery_mark *mark)
{
	rate->marks[rate->next % DELIVERY_MARKS] = *mark;
	rate->last_mark_bytes = mark->delivered_bytes;
	rate->next++;
}

/* An ACK arrived. min_rtt_ns: until now, this ACK included; 0: unknown. */
static inline void delivery_rate_add(struct delivery_rate *rate, const struct startup_ack *ack,
				     uint64_t min_rtt_ns)
{
	uint64_t sent_bytes = delivery_sent_bytes(ack);
	uint64_t left_ns = ack->now_ns - min_u64(ack->rtt_ns, ack->now_ns);
	bool is_app_limited = ack->flags & STARTUP_ACK_APP_LIMITED && !startup_window_was_full(ack);

	rate->bytes_per_s = 0;
	rate->round_begins = delivery_gone_bytes(ack) > rate->round_end_bytes;
	if (rate->round_begins)
		delivery_begin_round(rate, sent_bytes);
	/* The first segment left with nothing in flight: its record is that of its departure. */
	if (!rate->next)
		delivery_mark_ack(rate,
				  &(struct delivery_mark){.ack_ns = left_ns, .left_ns = left_ns});
	delivery_pass_marks(rate, ack);
	/* Without an RTT sample the newest segment was retransmitted, and its departure is unknown.
	 */
	if (rate->passed && ack->rtt_ns)
		delivery_sample(rate, ack, left_ns, min_rtt_ns);
	if (ack->rtt_ns && rate->next - rate->passed < DELIVERY_MARKS - 1 &&
	    ack->delivered_bytes - rate->last_mark_bytes >=
		    ack->inflight_bytes / DELIVERY_MARK_DIVISOR)
		delivery_mark_ack(rate,
				  &(struct delivery_mark){
					  .delivered_bytes = ack->delivered_bytes,
					  .ack_ns = ack->now_ns,
					  .left_ns = left_ns,
					  .sent_bytes = sent_bytes |
							(is_app_limited ? DELIVERY_APP_LIMITED : 0),
				  });
}

#endif
