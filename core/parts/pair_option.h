/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Packet pairs on the wire: the TCP option, what the one who sends pairs keeps, and what the one
 * who measures them does.
 *
 * Nishida, Nakamura, Murai: New Congestion Control mechanism for TCP with Packet Pair scheme.
 * Section 4.1.2.
 *
 *   paper (figures 2 to 4)          kind 6 | length | type | pair-id [| timer value, 16 bits, ticks
 * of 10 ms ] experiment (RFC 6994)           kind 253 | length | 0x4f52 | type | pair-id [|
 * interval, 32 bits, nanoseconds ]
 *
 *   type 0  permitted   on a SYN: whoever sends it knows the option
 *   type 1  first       the first segment of a pair
 *   type 2  second      the second: to be acknowledged at once
 *   type 3  reply       on that acknowledgement: the time between the arrivals of the two
 *
 * A train is a pair that goes on: each segment that follows the second is a second too, with the
 * same pair-id, and its reply is the time since the arrival of the first. A pair is the train of
 * two. Of a long train not every segment is replied to, and those that are not are acknowledged as
 * any other is.
 *
 * Kind 6 is assigned to Echo (RFC 1072; obsolete since RFC 6247), and a path or a host may take it
 * for that. On anything real the option is an experiment: kind 253 is for those, and the identifier
 * keeps experiments apart. "permitted" is not in the paper, whose two ends knew of each other, and
 * neither are trains. Its figure 4 does not give the width of the timer value.
 *
 * Who sends pairs is a probe, who measures them a meter. Both sides of a connection may be both: a
 * receiver that answers pairs with pairs measures the way of the acknowledgements (section 4.2.1,
 * figure 6).
 *
 * What does not fit changes nothing and is counted: an option of a wrong length or type, one that
 * comes again, a second without its first, a reply to what was not asked or that says what cannot
 * be.
 */
#ifndef ONRAMP_PAIR_OPTION_H
#define ONRAMP_PAIR_OPTION_H

#include "startup.h"

#define PAIR_KIND_PAPER 6
#define PAIR_KIND_EXPERIMENT 253
#define PAIR_EXPERIMENT_ID 0x4f52

/* The unit of the paper's timer value. */
#define PAIR_TICK_NS UINT64_C(10000000)

/* The longest option: an experiment's reply. */
#define PAIR_OPTION_MAX_BYTES 10

enum pair_form {
	PAIR_PAPER = 1,
	PAIR_EXPERIMENT = 2,
};

enum pair_type {
	PAIR_PERMITTED = 0,
	PAIR_FIRST = 1,
	PAIR_SECOND = 2,
	PAIR_REPLY = 3,
	PAIR_TYPE_COUNT,
};

struct pair_option {
	uint32_t interval_ns; /* of a reply */
	uint8_t type;         /* enum pair_type */
	uint8_t id;
	uint16_t reserved;
};

/* Its length in this form. */
static inline uint32_t pair_option_bytes(uint32_t form, uint32_t type)
{
	if (form == PAIR_PAPER)
		return type == PAIR_REPLY ? 6 : 4;
	return type == PAIR_REPLY ? PAIR_OPTION_MAX_BYTES : 6;
}

/* Write it, and return its length. What is longer than the field can say is the longest that it
 * can. */
static inline uint32_t pair_option_write(uint8_t *out, uint32_t form,
					 const struct pair_option *option)
{
	uint32_t ticks = (uint32_t)min_u64(option->interval_ns / PAIR_TICK_NS, UINT16_MAX);
	uint32_t bytes = pair_option_bytes(form, option->type);

	out[1] = (uint8_t)bytes;
	if (form == PAIR_PAPER) {
		out[0] = PAIR_KIND_PAPER;
		out[2] = option->type;
		out[3] = option->id;
		if (option->type == PAIR_REPLY) {
			out[4] = (uint8_t)(ticks >> 8);
			out[5] = (uint8_t)ticks;
		}
		return bytes;
	}
	out[0] = PAIR_KIND_EXPERIMENT;
	out[2] = PAIR_EXPERIMENT_ID >> 8;
	out[3] = PAIR_EXPERIMENT_ID & 0xff;
	out[4] = option->type;
	out[5] = option->id;
	if (option->type == PAIR_REPLY) {
		out[6] = (uint8_t)(option->interval_ns >> 24);
		out[7] = (uint8_t)(option->interval_ns >> 16);
		out[8] = (uint8_t)(option->interval_ns >> 8);
		out[9] = (uint8_t)option->interval_ns;
	}
	return bytes;
}

enum pair_reading {
	PAIR_OTHER,     /* another option */
	PAIR_MALFORMED, /* this one, with a length or a type that it cannot have */
	PAIR_READ,
};

/* Read an option, kind and length included, that has PAIR_OPTION_MAX_BYTES of room; bytes of
 * it are there. */
static inline enum pair_reading pair_option_read(const uint8_t *in, uint32_t bytes, uint32_t form,
						 struct pair_option *option)
{
	bool is_paper = form == PAIR_PAPER;
	const uint8_t *body = is_paper ? in + 2 : in + 4;
	uint32_t type;

	if (bytes < 4 || in[0] != (is_paper ? PAIR_KIND_PAPER : PAIR_KIND_EXPERIMENT))
		return PAIR_OTHER;
	if (!is_paper && (in[2] << 8 | in[3]) != PAIR_EXPERIMENT_ID)
		return PAIR_OTHER;
	if (bytes < pair_option_bytes(form, PAIR_FIRST))
		return PAIR_MALFORMED;
	type = body[0];
	if (type >= PAIR_TYPE_COUNT || in[1] != pair_option_bytes(form, type) || bytes < in[1])
		return PAIR_MALFORMED;
	*option = (struct pair_option){.type = (uint8_t)type, .id = body[1]};
	if (type == PAIR_REPLY && is_paper) {
		/* 65,535 ticks are more than the record holds: the longest that it can, in whole
		 * ticks. */
		uint64_t ticks = min_u64(body[2] << 8 | body[3], UINT32_MAX / PAIR_TICK_NS);

		option->interval_ns = (uint32_t)(ticks * PAIR_TICK_NS);
	} else if (type == PAIR_REPLY) {
		option->interval_ns = (uint32_t)body[2] << 24 | (uint32_t)body[3] << 16 |
				      (uint32_t)body[4] << 8 | body[5];
	}
	return PAIR_READ;
}

/* What came of the options. */
struct pair_counts {
	uint32_t pairs;     /* pairs sent */
	uint32_t answers;   /* pairs of the peer measured */
	uint32_t replies;   /* intervals reported by the peer, and taken */
	uint32_t malformed; /* wrong length or type */
	uint32_t ignored;   /* repeated, unmatched, or not to be believed */
	uint32_t reserved;
};

/* The one who measures: the first segment that waits for its second. */
struct pair_meter {
	uint64_t first_ns;
	uint32_t next_seq; /* where the second begins, or the next one of a train */
	uint8_t id;
	uint8_t is_waiting;
	uint8_t is_started; /* the id means something */
	uint8_t replies;    /* to the train, up to PAIR_REPLIES; from there on, segments since
			       the last one */
};

/* Of a train so many segments are replied to, then one of so many: replies take room on the way
 * back, and no box on it may leave out acknowledgements that have one. */
#define PAIR_REPLIES 32
#define PAIR_REPLY_EVERY 8

/* A first or a second arrived, with the segment from seq to before end. True if it is to be replied
 * to: it completes a pair, or is one of those of a train that are. */
static inline bool pair_arrived(struct pair_meter *meter, struct pair_counts *counts,
				const struct pair_option *option, uint64_t now_ns, uint32_t seq,
				uint32_t end, struct pair_option *reply)
{
	bool is_known = meter->is_started && meter->id == option->id;

	if (option->type == PAIR_FIRST && !is_known) {
		meter->first_ns = now_ns;
		meter->next_seq = end;
		meter->id = option->id;
		meter->is_waiting = true;
		meter->is_started = true;
		meter->replies = 0;
		return false;
	}
	if (option->type != PAIR_SECOND || !is_known || !meter->is_waiting ||
	    seq != meter->next_seq || now_ns < meter->first_ns) {
		counts->ignored++;
		return false;
	}
	meter->next_seq = end;
	if (meter->replies++ >= PAIR_REPLIES) {
		if (meter->replies <= PAIR_REPLIES + PAIR_REPLY_EVERY - 1)
			return false;
		meter->replies = PAIR_REPLIES;
	}
	counts->answers++;
	*reply = (struct pair_option){
		.interval_ns = (uint32_t)min_u64(now_ns - meter->first_ns, UINT32_MAX),
		.type = PAIR_REPLY,
		.id = option->id,
	};
	return true;
}

/* A pair under way, or a train. */
struct pair_sent {
	uint64_t first_ns;
	uint64_t second_ns; /* of a train, the latest segment's */
	uint32_t begin;     /* sequence number behind the first */
	uint32_t end;       /* behind the second; of a train, behind the latest */
	uint32_t least;     /* a reply acknowledges everything below this */
	uint8_t id;
	uint8_t is_waiting; /* for a reply */
	uint8_t is_train;
	uint8_t reserved;
};

/* A pair is due when the first segment of the last is acknowledged: two are under way at most. Of
 * trains, one. */
#define PAIR_UNDER_WAY 2

/* The one who sends pairs. */
struct pair_probe {
	struct pair_sent sent[PAIR_UNDER_WAY];
	uint64_t first_ns; /* when the first left that waits for its second */
	uint32_t next_seq; /* where that begins; in a train, the next one */
	uint8_t id;        /* of the pair that is sent last, or being sent */
	uint8_t is_open;   /* a first has left, and a second may follow */
	uint16_t reserved;
};

/* The first segment of a pair leaves: its option. */
static inline void pair_send_first(struct pair_probe *probe, uint64_t now_ns, uint32_t end,
				   struct pair_option *option)
{
	probe->id++;
	probe->first_ns = now_ns;
	probe->next_seq = end;
	probe->is_open = true;
	*option = (struct pair_option){.type = PAIR_FIRST, .id = probe->id};
}

/* The segment from seq to before end leaves. True if it is the second of the pair that is open,
 * with its option. In a train the pair stays open for the next one. */
static inline bool pair_send_second(struct pair_probe *probe, struct pair_counts *counts,
				    uint64_t now_ns, uint32_t seq, uint32_t end, bool is_train,
				    struct pair_option *option)
{
	struct pair_sent *sent = &probe->sent[probe->id % PAIR_UNDER_WAY];

	if (!probe->is_open)
		return false;
	probe->is_open = false;
	if (seq != probe->next_seq)
		return false;
	if (!is_train || !sent->is_train || !sent->is_waiting || sent->id != probe->id)
		*sent = (struct pair_sent){
			.first_ns = probe->first_ns,
			.begin = seq,
			.least = is_train ? seq + 1 : end,
			.id = probe->id,
			.is_waiting = true,
			.is_train = is_train,
		};
	sent->second_ns = now_ns;
	sent->end = end;
	probe->next_seq = end;
	probe->is_open = is_train;
	counts->pairs++;
	*option = (struct pair_option){.type = PAIR_SECOND, .id = probe->id};
	return true;
}

/* What a reply reports: so much payload arrived in this time. 0: nothing. */
struct pair_report {
	uint32_t interval_ns;
	uint32_t bytes; /* from behind the first segment to behind the one that is acknowledged: in
			   a pair, the second */
};

/*
 * A reply arrived with an acknowledgement of everything below ack. What it reports, nothing if it
 * is not one.
 *
 * It has to be the first for a pair that was sent, with an acknowledgement of that pair, of less
 * than has passed since, and of more than twice of what the two segments were apart when they left:
 * that is the sender's own, not the path's. In a train each reply has to acknowledge more than the
 * last one did; what the sender itself has spaced is for those to see who read the train
 * (core/measure/pair_rate.h).
 *
 * A peer that lies about a pair can make its sender slower than slow start, and not faster: the
 * window is still slow start's. How slow, the start-up bounds (core/algorithms/pair.h). What a lie
 * about a train does, the one who reads it bounds.
 */
static inline struct pair_report pair_replied(struct pair_probe *probe, struct pair_counts *counts,
					      const struct pair_option *reply, uint64_t now_ns,
					      uint32_t ack)
{
	struct pair_sent *sent = &probe->sent[reply->id % PAIR_UNDER_WAY];
	struct pair_report report = {.interval_ns = reply->interval_ns};
	uint32_t end = (int32_t)(ack - sent->end) < 0 ? ack : sent->end;

	if (!sent->is_waiting || sent->id != reply->id || (int32_t)(end - sent->least) < 0 ||
	    reply->interval_ns > now_ns - sent->first_ns) {
		counts->ignored++;
		return (struct pair_report){0};
	}
	report.bytes = end - sent->begin;
	if (sent->is_train) {
		sent->least = end + 1;
		/* The longest that the field can say may be longer. */
		if (reply->interval_ns == UINT32_MAX)
			return (struct pair_report){0};
		/* Segments that arrive together are a part of the train too. */
		report.interval_ns = (uint32_t)max_u64(reply->interval_ns, 1);
	} else {
		sent->is_waiting = false;
		/* Without a tick of the peer's clock between the two nothing was measured. */
		if (!reply->interval_ns ||
		    reply->interval_ns <= 2 * (sent->second_ns - sent->first_ns))
			return (struct pair_report){0};
	}
	counts->replies++;
	return report;
}

#endif
