/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Packet pairs on the wire: the TCP option, the sender of pairs (the probe) and the receiver that
 * measures them (the meter).
 *
 * Nishida, Nakamura, Murai: New Congestion Control mechanism for TCP with Packet Pair scheme.
 * Section 4.1.2.
 *
 *   form                       bytes on the wire
 *   paper (figures 2 to 4)     kind 6 | length | type | pair-id [| timer, 16 bits, 10 ms ticks]
 *   experiment (RFC 6994)      kind 253 | length | 0x4f52 | type | pair-id [| interval, 32-bit ns]
 *
 *   type 0  permitted   on a SYN: the sender supports the option
 *   type 1  first       the first segment of a pair
 *   type 2  second      the second segment of a pair, to be acknowledged at once
 *   type 3  reply       on that ACK: the time between the arrivals of the two segments
 *
 * A train is a pair that goes on. Each segment that follows the second is a second too, with the
 * same pair-id. Its reply is the time since the first segment arrived. A pair is a train of two. In
 * a long train not every segment gets a reply; the others are acknowledged as usual.
 *
 * Kind 6 is assigned to Echo (RFC 1072; obsolete since RFC 6247), and a path or a host may mistake
 * the option for it. On real networks the option is an experiment: kind 253 is for those, and the
 * identifier keeps experiments apart. "permitted" is not in the paper, whose two ends knew of each
 * other. Trains are not in the paper either. Its figure 4 does not give the width of the timer.
 *
 * Both ends of a connection may be probe and meter at once. A receiver that answers pairs with
 * pairs measures the return path (section 4.2.1, figure 6).
 *
 * An option that does not fit changes nothing and is counted. It may have a wrong length or type,
 * be repeated, be a second without its first, answer a pair that was not sent, or report an
 * impossible interval.
 */
#ifndef ONRAMP_PAIR_OPTION_H
#define ONRAMP_PAIR_OPTION_H

#include "startup.h"

#define PAIR_OPTION_KIND_PAPER 6
#define PAIR_OPTION_KIND_EXPERIMENT 253
#define PAIR_OPTION_EXPERIMENT_ID 0x4f52

/* The unit of the timer in the paper's form. */
#define PAIR_OPTION_TICK_NS UINT64_C(10000000)

/* The longest option: an experiment's reply. */
#define PAIR_OPTION_MAX_BYTES 10

/* The two forms of the option. */
enum pair_option_form {
	/* As in the paper. */
	PAIR_OPTION_PAPER = 1,
	/* As an experiment (RFC 6994). */
	PAIR_OPTION_EXPERIMENT = 2,
};

/* What an option says. */
enum pair_option_type {
	/* On a SYN: the sender supports the option. */
	PAIR_OPTION_PERMITTED = 0,
	/* The first segment of a pair. */
	PAIR_OPTION_FIRST = 1,
	/* The second segment of a pair, which is acknowledged at once. */
	PAIR_OPTION_SECOND = 2,
	/* The time between the arrivals of the two segments. */
	PAIR_OPTION_REPLY = 3,
	/* The number of types. */
	PAIR_OPTION_TYPE_COUNT,
};

/* An option. */
struct pair_option {
	/* The interval of a reply. The paper's form rounds it down to 10 ms. */
	uint32_t interval_ns;
	/* enum pair_option_type */
	uint8_t type;
	/* Which pair. */
	uint8_t id;
	uint16_t reserved;
};

/* The length of an option of this type on the wire. */
static inline uint32_t pair_option_bytes(uint32_t form, uint32_t type)
{
	if (form == PAIR_OPTION_PAPER)
		return type == PAIR_OPTION_REPLY ? 6 : 4;
	return type == PAIR_OPTION_REPLY ? PAIR_OPTION_MAX_BYTES : 6;
}

/* Write the option and return its length. An interval that the field cannot hold becomes the
 * longest that it can. */
static inline uint32_t pair_option_write(uint8_t *out, uint32_t form,
					 const struct pair_option *option)
{
	uint32_t ticks = (uint32_t)min_u64(option->interval_ns / PAIR_OPTION_TICK_NS, UINT16_MAX);
	uint32_t bytes = pair_option_bytes(form, option->type);

	out[1] = (uint8_t)bytes;
	if (form == PAIR_OPTION_PAPER) {
		out[0] = PAIR_OPTION_KIND_PAPER;
		out[2] = option->type;
		out[3] = option->id;
		if (option->type == PAIR_OPTION_REPLY) {
			out[4] = (uint8_t)(ticks >> 8);
			out[5] = (uint8_t)ticks;
		}
		return bytes;
	}
	out[0] = PAIR_OPTION_KIND_EXPERIMENT;
	out[2] = PAIR_OPTION_EXPERIMENT_ID >> 8;
	out[3] = PAIR_OPTION_EXPERIMENT_ID & 0xff;
	out[4] = option->type;
	out[5] = option->id;
	if (option->type == PAIR_OPTION_REPLY) {
		out[6] = (uint8_t)(option->interval_ns >> 24);
		out[7] = (uint8_t)(option->interval_ns >> 16);
		out[8] = (uint8_t)(option->interval_ns >> 8);
		out[9] = (uint8_t)option->interval_ns;
	}
	return bytes;
}

/* The result of reading an option. */
enum pair_option_reading {
	/* Another option. */
	PAIR_OPTION_OTHER,
	/* This option, with an impossible length or type. */
	PAIR_OPTION_MALFORMED,
	/* This option. */
	PAIR_OPTION_READ,
};

/* Read an option, its kind and length included. `in` has room for PAIR_OPTION_MAX_BYTES, and this
 * many `bytes` of it are valid. */
static inline enum pair_option_reading pair_option_read(const uint8_t *in, uint32_t bytes,
							uint32_t form, struct pair_option *option)
{
	bool is_paper = form == PAIR_OPTION_PAPER;
	const uint8_t *body = is_paper ? in + 2 : in + 4;
	uint32_t type;

	if (bytes < 4 || in[0] != (is_paper ? PAIR_OPTION_KIND_PAPER : PAIR_OPTION_KIND_EXPERIMENT))
		return PAIR_OPTION_OTHER;
	if (!is_paper && (in[2] << 8 | in[3]) != PAIR_OPTION_EXPERIMENT_ID)
		return PAIR_OPTION_OTHER;
	if (bytes < pair_option_bytes(form, PAIR_OPTION_FIRST))
		return PAIR_OPTION_MALFORMED;
	type = body[0];
	if (type >= PAIR_OPTION_TYPE_COUNT || in[1] != pair_option_bytes(form, type) ||
	    bytes < in[1])
		return PAIR_OPTION_MALFORMED;
	*option = (struct pair_option){.type = (uint8_t)type, .id = body[1]};
	if (type == PAIR_OPTION_REPLY && is_paper) {
		/* 65,535 ticks are more than interval_ns holds: cap at the maximum, in whole ticks.
		 */
		uint64_t ticks = min_u64(body[2] << 8 | body[3], UINT32_MAX / PAIR_OPTION_TICK_NS);

		option->interval_ns = (uint32_t)(ticks * PAIR_OPTION_TICK_NS);
	} else if (type == PAIR_OPTION_REPLY) {
		option->interval_ns = (uint32_t)body[2] << 24 | (uint32_t)body[3] << 16 |
				      (uint32_t)body[4] << 8 | body[5];
	}
	return PAIR_OPTION_READ;
}

/* Counts of a connection's pairs and options. */
struct pair_counts {
	/* Pairs sent. */
	uint32_t pairs;
	/* Pairs of the peer that were measured. */
	uint32_t answers;
	/* Intervals that the peer reported and that were used. */
	uint32_t replies;
	/* Options of a wrong length or type. */
	uint32_t malformed;
	/* Options that were repeated, unmatched or not credible. */
	uint32_t ignored;
	uint32_t reserved;
};

/* The receiver that measures: the first segment of the latest pair, which waits for its second. */
struct pair_meter {
	/* When the first segment arrived. */
	uint64_t first_ns;
	/* The sequence number at which the second begins, or the next segment of a train. */
	uint32_t next_seq;
	/* The pair-id. */
	uint8_t id;
	/* The second segment has not arrived yet, or a train goes on. */
	uint8_t is_waiting;
	/* A pair has arrived, so `id` is valid. */
	uint8_t is_started;
	/* Replies to the train, up to PAIR_METER_REPLIES. From there on, it counts the segments
	 * since the last reply too. */
	uint8_t replies;
};

/* This many segments of a train get a reply, then one of PAIR_METER_REPLY_INTERVAL. Replies take
 * capacity of the return path, and an ACK filter on it cannot drop ACKs that carry one. */
#define PAIR_METER_REPLIES 32
#define PAIR_METER_REPLY_INTERVAL 8

/* A first or a second arrived, with the segment from `seq` to before `end`. True: it completes a
 * pair or belongs to a train, and gets this reply. */
static inline bool pair_meter_arrived(struct pair_meter *meter, struct pair_counts *counts,
				      const struct pair_option *option, uint64_t now_ns,
				      uint32_t seq, uint32_t end, struct pair_option *reply)
{
	bool is_known = meter->is_started && meter->id == option->id;

	if (option->type == PAIR_OPTION_FIRST && !is_known) {
		meter->first_ns = now_ns;
		meter->next_seq = end;
		meter->id = option->id;
		meter->is_waiting = true;
		meter->is_started = true;
		meter->replies = 0;
		return false;
	}
	if (option->type != PAIR_OPTION_SECOND || !is_known || !meter->is_waiting ||
	    seq != meter->next_seq || now_ns < meter->first_ns) {
		counts->ignored++;
		return false;
	}
	meter->next_seq = end;
	if (meter->replies++ >= PAIR_METER_REPLIES) {
		if (meter->replies <= PAIR_METER_REPLIES + PAIR_METER_REPLY_INTERVAL - 1)
			return false;
		meter->replies = PAIR_METER_REPLIES;
	}
	counts->answers++;
	*reply = (struct pair_option){
		.interval_ns = (uint32_t)min_u64(now_ns - meter->first_ns, UINT32_MAX),
		.type = PAIR_OPTION_REPLY,
		.id = option->id,
	};
	return true;
}

/* A pair or a train in flight. */
struct pair_probe_sent {
	/* When the first segment left. */
	uint64_t first_ns;
	/* When the second segment left, or the latest of a train. */
	uint64_t second_ns;
	/* The sequence number behind the first segment. */
	uint32_t begin;
	/* The sequence number behind the second segment, or behind the latest of a train. */
	uint32_t end;
	/* A valid reply acknowledges everything below this sequence number. */
	uint32_t min_ack;
	/* The pair-id. */
	uint8_t id;
	/* No reply has arrived yet, or a train goes on. */
	uint8_t is_waiting;
	/* It is a train. */
	uint8_t is_train;
	uint8_t reserved;
};

/* A pair is due when the first segment of the last pair is acknowledged. So at most two pairs are
 * in flight, but only one train. */
#define PAIR_PROBE_IN_FLIGHT 2

/* The sender of pairs. */
struct pair_probe {
	/* The pairs in flight. */
	struct pair_probe_sent sent[PAIR_PROBE_IN_FLIGHT];
	/* When the first segment of the open pair left. */
	uint64_t first_ns;
	/* The sequence number at which that second begins; in a train, the next segment. */
	uint32_t next_seq;
	/* The pair-id of the latest pair. */
	uint8_t id;
	/* A first segment has left, and a second may follow. */
	uint8_t is_open;
	uint16_t reserved;
};

/* The first segment of a pair leaves, up to before `end`, with this option. */
static inline void pair_probe_send_first(struct pair_probe *probe, uint64_t now_ns, uint32_t end,
					 struct pair_option *option)
{
	probe->id++;
	probe->first_ns = now_ns;
	probe->next_seq = end;
	probe->is_open = true;
	*option = (struct pair_option){.type = PAIR_OPTION_FIRST, .id = probe->id};
}

/* The segment from `seq` to before `end` leaves. True: it is the second of the open pair and
 * carries this option. In a train, the pair stays open for the next segment. */
static inline bool pair_probe_send_second(struct pair_probe *probe, struct pair_counts *counts,
					  uint64_t now_ns, uint32_t seq, uint32_t end,
					  bool is_train, struct pair_option *option)
{
	struct pair_probe_sent *sent = &probe->sent[probe->id % PAIR_PROBE_IN_FLIGHT];

	if (!probe->is_open)
		return false;
	probe->is_open = false;
	if (seq != probe->next_seq)
		return false;
	if (!is_train || !sent->is_train || !sent->is_waiting || sent->id != probe->id)
		*sent = (struct pair_probe_sent){
			.first_ns = probe->first_ns,
			.begin = seq,
			.min_ack = is_train ? seq + 1 : end,
			.id = probe->id,
			.is_waiting = true,
			.is_train = is_train,
		};
	sent->second_ns = now_ns;
	sent->end = end;
	probe->next_seq = end;
	probe->is_open = is_train;
	counts->pairs++;
	*option = (struct pair_option){.type = PAIR_OPTION_SECOND, .id = probe->id};
	return true;
}

/* The report of a reply. An interval of 0: no report. */
struct pair_report {
	/* The time between the arrivals of a pair's two segments, or of a train's first and the
	 * newest acknowledged segment. */
	uint32_t interval_ns;
	/* The payload that arrived in it, from behind the first segment to behind the acknowledged
	 * one. In a pair that is the second segment. */
	uint32_t bytes;
};

/*
 * A reply arrived with an ACK of everything below `ack`. Returns its report, or nothing if the
 * reply is not valid.
 *
 * A valid reply is the first one for a pair that was sent, and its ACK covers the pair. Its
 * interval is shorter than the time since the pair left. It is more than twice the interval at
 * which the two segments left; otherwise the interval is the sender's own, not the path's. In a
 * train each reply must acknowledge more than the last one. The reader of the train excludes what
 * the sender itself has spaced (core/measure/pair_rate.h).
 *
 * A peer that lies about a pair can make its sender slower than slow start, but not faster, because
 * cwnd is still slow start's. The start-up bounds how slow (core/algorithms/pair.h). The reader of
 * a train bounds what a lie about a train does.
 */
static inline struct pair_report pair_probe_replied(struct pair_probe *probe,
						    struct pair_counts *counts,
						    const struct pair_option *reply,
						    uint64_t now_ns, uint32_t ack)
{
	struct pair_probe_sent *sent = &probe->sent[reply->id % PAIR_PROBE_IN_FLIGHT];
	struct pair_report report = {.interval_ns = reply->interval_ns};
	uint32_t end = (int32_t)(ack - sent->end) < 0 ? ack : sent->end;

	if (!sent->is_waiting || sent->id != reply->id || (int32_t)(end - sent->min_ack) < 0 ||
	    reply->interval_ns > now_ns - sent->first_ns) {
		counts->ignored++;
		return (struct pair_report){0};
	}
	report.bytes = end - sent->begin;
	if (sent->is_train) {
		sent->min_ack = end + 1;
		/* The largest value of the field may stand for a longer interval. */
		if (reply->interval_ns == UINT32_MAX)
			return (struct pair_report){0};
		/* Segments that arrive at the same time are part of the train too. */
		report.interval_ns = (uint32_t)max_u64(reply->interval_ns, 1);
	} else {
		sent->is_waiting = false;
		/* Without a tick of the peer's clock between the two, nothing was measured. */
		if (!reply->interval_ns ||
		    reply->interval_ns <= 2 * (sent->second_ns - sent->first_ns))
			return (struct pair_report){0};
	}
	counts->replies++;
	return report;
}

#endif
