/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Packet pairs on the wire: the TCP option, what the one who sends pairs keeps, and what the one who measures them
 * does.
 *
 * Nishida, Nakamura, Murai: New Congestion Control mechanism for TCP with Packet Pair scheme. Section 4.1.2.
 *
 *   paper (figures 2 to 4)          kind 6 | length | type | pair-id [| timer value, 16 bits, ticks of 10 ms ]
 *   experiment (RFC 6994)           kind 253 | length | 0x4f52 | type | pair-id [| interval, 32 bits, nanoseconds ]
 *
 *   type 0  permitted   on a SYN: whoever sends it knows the option
 *   type 1  first       the first segment of a pair
 *   type 2  second      the second: to be acknowledged at once
 *   type 3  reply       on that acknowledgement: the time between the arrivals of the two
 *
 * Kind 6 is assigned to Echo (RFC 1072; obsolete since RFC 6247), and a path or a host may take it for that. On
 * anything real the option is an experiment: kind 253 is for those, and the identifier keeps experiments apart.
 * "permitted" is not in the paper, whose two ends knew of each other. Its figure 4 does not give the width of the timer
 * value.
 *
 * Who sends pairs is a probe, who measures them a meter. Both sides of a connection may be both: a receiver that
 * answers pairs with pairs measures the way of the acknowledgements (section 4.2.1, figure 6).
 *
 * What does not fit changes nothing and is counted: an option of a wrong length or type, one that comes again, a second
 * without its first, a reply to what was not asked or that says what cannot be.
 */
#ifndef ONRAMP_PAIR_OPTION_H
#define ONRAMP_PAIR_OPTION_H

#include "startup.h"

#define ONRAMP_PAIR_KIND_PAPER 6
#define ONRAMP_PAIR_KIND_EXPERIMENT 253
#define ONRAMP_PAIR_EXPERIMENT_ID 0x4f52

/* The unit of the paper's timer value. */
#define ONRAMP_PAIR_TICK_NS UINT64_C(10000000)

/* The longest option: an experiment's reply. */
#define ONRAMP_PAIR_OPTION_MAX_BYTES 10

enum onramp_pair_form {
	ONRAMP_PAIR_PAPER = 1,
	ONRAMP_PAIR_EXPERIMENT = 2,
};

enum onramp_pair_type {
	ONRAMP_PAIR_PERMITTED = 0,
	ONRAMP_PAIR_FIRST = 1,
	ONRAMP_PAIR_SECOND = 2,
	ONRAMP_PAIR_REPLY = 3,
	ONRAMP_PAIR_TYPE_COUNT,
};

struct onramp_pair_option {
	uint32_t interval_ns; /* of a reply */
	uint8_t type;         /* enum onramp_pair_type */
	uint8_t id;
	uint16_t reserved;
};

/* Its length in this form. */
static inline uint32_t onramp_pair_option_bytes(uint32_t form, uint32_t type)
{
	if (form == ONRAMP_PAIR_PAPER)
		return type == ONRAMP_PAIR_REPLY ? 6 : 4;
	return type == ONRAMP_PAIR_REPLY ? ONRAMP_PAIR_OPTION_MAX_BYTES : 6;
}

/* Write it, and return its length. What is longer than the field can say is the longest that it can. */
static inline uint32_t onramp_pair_option_write(uint8_t *out, uint32_t form, const struct onramp_pair_option *option)
{
	uint32_t ticks = (uint32_t)onramp_min(option->interval_ns / ONRAMP_PAIR_TICK_NS, UINT16_MAX);
	uint32_t bytes = onramp_pair_option_bytes(form, option->type);

	out[1] = (uint8_t)bytes;
	if (form == ONRAMP_PAIR_PAPER) {
		out[0] = ONRAMP_PAIR_KIND_PAPER;
		out[2] = option->type;
		out[3] = option->id;
		if (option->type == ONRAMP_PAIR_REPLY) {
			out[4] = (uint8_t)(ticks >> 8);
			out[5] = (uint8_t)ticks;
		}
		return bytes;
	}
	out[0] = ONRAMP_PAIR_KIND_EXPERIMENT;
	out[2] = ONRAMP_PAIR_EXPERIMENT_ID >> 8;
	out[3] = ONRAMP_PAIR_EXPERIMENT_ID & 0xff;
	out[4] = option->type;
	out[5] = option->id;
	if (option->type == ONRAMP_PAIR_REPLY) {
		out[6] = (uint8_t)(option->interval_ns >> 24);
		out[7] = (uint8_t)(option->interval_ns >> 16);
		out[8] = (uint8_t)(option->interval_ns >> 8);
		out[9] = (uint8_t)option->interval_ns;
	}
	return bytes;
}

enum onramp_pair_reading {
	ONRAMP_PAIR_OTHER,     /* another option */
	ONRAMP_PAIR_MALFORMED, /* this one, with a length or a type that it cannot have */
	ONRAMP_PAIR_READ,
};

/* Read an option, kind and length included, that has ONRAMP_PAIR_OPTION_MAX_BYTES of room; bytes of it are there. */
static inline enum onramp_pair_reading onramp_pair_option_read(const uint8_t *in, uint32_t bytes, uint32_t form,
							       struct onramp_pair_option *option)
{
	bool is_paper = form == ONRAMP_PAIR_PAPER;
	const uint8_t *body = is_paper ? in + 2 : in + 4;
	uint32_t type;

	if (bytes < 4 || in[0] != (is_paper ? ONRAMP_PAIR_KIND_PAPER : ONRAMP_PAIR_KIND_EXPERIMENT))
		return ONRAMP_PAIR_OTHER;
	if (!is_paper && (in[2] << 8 | in[3]) != ONRAMP_PAIR_EXPERIMENT_ID)
		return ONRAMP_PAIR_OTHER;
	if (bytes < onramp_pair_option_bytes(form, ONRAMP_PAIR_FIRST))
		return ONRAMP_PAIR_MALFORMED;
	type = body[0];
	if (type >= ONRAMP_PAIR_TYPE_COUNT || in[1] != onramp_pair_option_bytes(form, type) || bytes < in[1])
		return ONRAMP_PAIR_MALFORMED;
	*option = (struct onramp_pair_option){.type = (uint8_t)type, .id = body[1]};
	if (type == ONRAMP_PAIR_REPLY && is_paper) {
		/* 65,535 ticks are more than the record holds: the longest that it can, in whole ticks. */
		uint64_t ticks = onramp_min(body[2] << 8 | body[3], UINT32_MAX / ONRAMP_PAIR_TICK_NS);

		option->interval_ns = (uint32_t)(ticks * ONRAMP_PAIR_TICK_NS);
	} else if (type == ONRAMP_PAIR_REPLY) {
		option->interval_ns =
			(uint32_t)body[2] << 24 | (uint32_t)body[3] << 16 | (uint32_t)body[4] << 8 | body[5];
	}
	return ONRAMP_PAIR_READ;
}

/* What came of the options. */
struct onramp_pair_counts {
	uint32_t pairs;     /* pairs sent */
	uint32_t answers;   /* pairs of the peer measured */
	uint32_t replies;   /* intervals reported by the peer, and taken */
	uint32_t malformed; /* wrong length or type */
	uint32_t ignored;   /* repeated, unmatched, or not to be believed */
	uint32_t reserved;
};

/* The one who measures: the first segment that waits for its second. */
struct onramp_pair_meter {
	uint64_t first_ns;
	uint32_t next_seq; /* where the second begins */
	uint8_t id;
	uint8_t is_waiting;
	uint8_t is_started; /* the id means something */
	uint8_t reserved;
};

/* A first or a second arrived, with the segment from seq to before end. True if it completes a pair: reply. */
static inline bool onramp_pair_arrived(struct onramp_pair_meter *meter, struct onramp_pair_counts *counts,
				       const struct onramp_pair_option *option, uint64_t now_ns, uint32_t seq,
				       uint32_t end, struct onramp_pair_option *reply)
{
	bool is_known = meter->is_started && meter->id == option->id;

	if (option->type == ONRAMP_PAIR_FIRST && !is_known) {
		meter->first_ns = now_ns;
		meter->next_seq = end;
		meter->id = option->id;
		meter->is_waiting = true;
		meter->is_started = true;
		return false;
	}
	if (option->type != ONRAMP_PAIR_SECOND || !is_known || !meter->is_waiting || seq != meter->next_seq ||
	    now_ns < meter->first_ns) {
		counts->ignored++;
		return false;
	}
	meter->is_waiting = false;
	counts->answers++;
	*reply = (struct onramp_pair_option){
		.interval_ns = (uint32_t)onramp_min(now_ns - meter->first_ns, UINT32_MAX),
		.type = ONRAMP_PAIR_REPLY,
		.id = option->id,
	};
	return true;
}

/* A pair under way. */
struct onramp_pair_sent {
	uint64_t first_ns;
	uint64_t second_ns;
	uint32_t end; /* sequence number behind the second */
	uint8_t id;
	uint8_t is_waiting; /* for its reply */
	uint16_t reserved;
};

/* A pair is due when the first segment of the last is acknowledged: two are under way at most. */
#define ONRAMP_PAIR_UNDER_WAY 2

/* The one who sends pairs. */
struct onramp_pair_probe {
	struct onramp_pair_sent sent[ONRAMP_PAIR_UNDER_WAY];
	uint64_t first_ns; /* when the first left that waits for its second */
	uint32_t next_seq; /* where that begins */
	uint8_t id;        /* of the pair that is sent last, or being sent */
	uint8_t is_open;   /* a first has left */
	uint16_t reserved;
};

/* The first segment of a pair leaves: its option. */
static inline void onramp_pair_send_first(struct onramp_pair_probe *probe, uint64_t now_ns, uint32_t end,
					  struct onramp_pair_option *option)
{
	probe->id++;
	probe->first_ns = now_ns;
	probe->next_seq = end;
	probe->is_open = true;
	*option = (struct onramp_pair_option){.type = ONRAMP_PAIR_FIRST, .id = probe->id};
}

/* The segment from seq to before end leaves. True if it is the second of the pair that is open, with its option. */
static inline bool onramp_pair_send_second(struct onramp_pair_probe *probe, struct onramp_pair_counts *counts,
					   uint64_t now_ns, uint32_t seq, uint32_t end,
					   struct onramp_pair_option *option)
{
	if (!probe->is_open)
		return false;
	probe->is_open = false;
	if (seq != probe->next_seq)
		return false;
	probe->sent[probe->id % ONRAMP_PAIR_UNDER_WAY] = (struct onramp_pair_sent){
		.first_ns = probe->first_ns,
		.second_ns = now_ns,
		.end = end,
		.id = probe->id,
		.is_waiting = true,
	};
	counts->pairs++;
	*option = (struct onramp_pair_option){.type = ONRAMP_PAIR_SECOND, .id = probe->id};
	return true;
}

/*
 * A reply arrived with an acknowledgement of everything below ack. Returns the interval, 0 if it is not one.
 *
 * It has to be the first for a pair that was sent, with an acknowledgement of that pair, of less than has passed since,
 * and of more than twice of what the two segments were apart when they left: that is the sender's own, not the path's.
 * A peer that lies can make its sender slower than slow start, and not faster: the window is still slow start's. How
 * slow, the start-up bounds (core/pair.h).
 */
static inline uint32_t onramp_pair_replied(struct onramp_pair_probe *probe, struct onramp_pair_counts *counts,
					   const struct onramp_pair_option *reply, uint64_t now_ns, uint32_t ack)
{
	struct onramp_pair_sent *sent = &probe->sent[reply->id % ONRAMP_PAIR_UNDER_WAY];

	if (!sent->is_waiting || sent->id != reply->id || (int32_t)(ack - sent->end) < 0 ||
	    reply->interval_ns > now_ns - sent->first_ns) {
		counts->ignored++;
		return 0;
	}
	sent->is_waiting = false;
	/* Without a tick of the peer's clock between the two nothing was measured. */
	if (!reply->interval_ns || reply->interval_ns <= 2 * (sent->second_ns - sent->first_ns))
		return 0;
	counts->replies++;
	return reply->interval_ns;
}

#endif
