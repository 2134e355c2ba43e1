/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * TCP Westwood's eligible rate estimate: what a connection may send, from the stream of its
 * acknowledgements.
 *
 * R. Wang, M. Valla, M. Sanadidi, M. Gerla: Using Adaptive Rate Estimation to Provide Enhanced and
 * Robust Transport over Heterogeneous Networks, ICNP 2002 (there ABSE, adaptive bandwidth share
 * estimation; later ERE). The filter is that of S. Mascolo, C. Casetti, M. Gerla, M. Sanadidi, R.
 * Wang: TCP Westwood: Bandwidth Estimation for Enhanced Transport over Wireless Links, MobiCom
 * 2001.
 *
 * In one sentence: acknowledgements that come closely spaced tell the bottleneck's bandwidth, all
 * of a round trip's tell the rate that was achieved, and how far the window is from being delivered
 * tells how much of each to believe.
 *
 *   Th_k = sum of d_j, t_j > t_k - RTT, / RTT                           the throughput of the last
 * round trip Th   = 0.6 Th + 0.4 Th_k T_k  = max(T_min, RTT (cwnd - Th RTT_min) / cwnd) the
 * sampling interval s_k  = sum of d_j, t_j > t_k - T_k, / T_k                           a sample:
 * bandwidth .. rate U_k  = 0.6 U_k-1 + 0.4 |s_k - s_k-1|                                how much
 * samples differ tau  = RTT + 10 RTT U_k / U_max                                     the filter's
 * time constant ERE  = ((2 tau - dt) ERE + dt (s_k + s_k-1)) / (2 tau + dt)         dt = t_k -
 * t_k-1
 *
 * An acknowledgement at t_k reports d_k bytes. Where everything that a window permits is delivered
 * in a round trip, there is no congestion, and T_k is T_min, the time since the acknowledgement
 * before: s_k is the bandwidth of a packet pair. What a congested path delivers is less, T_k grows
 * towards a round trip, and s_k is the connection's share. ERE weighs each sample by the time that
 * it stands for: it is near the rate that was achieved, and above it where acknowledgements come in
 * bursts, as slow start's do. That is what lets a start-up go on that is led by it.
 *
 * Constants: 0.6 and 10 are the paper's; U_max is the largest of the ten latest U_k.
 *
 * What the definition leaves open
 * - The equations are the paper's as later work on Westwood retells them
 * (scitepress.org/PublishedPapers/2004/13988, section 2.1).
 * - (2 tau - dt) / (2 tau + dt) as the weight of the past is Tustin's form of a low-pass filter,
 * which belongs to the mean of two samples. MobiCom 2001 has it so, and so has the agent for ns by
 * the paper's second author; texts that cite the paper print s_k alone. STARTUP_OPTION_ERE_LATEST
 * is that.
 * - How long U_max remembers. STARTUP_OPTION_ERE_CALM: for the whole connection.
 * - The first acknowledgement's sample is the first estimate.
 * - A silence of more than 2 tau leaves nothing of the past but its last sample.
 *
 * What is approximate: acknowledgements are remembered by sixteenths of a round trip, not one by
 * one. Where t_k - T_k falls into one of them, what it acknowledged counts evenly. What came since
 * the last sample is known exactly. While RTT grows, the sixteenths are those of before: up to a
 * third of a round trip is forgotten early.
 */
#ifndef ONRAMP_ELIGIBLE_RATE_H
#define ONRAMP_ELIGIBLE_RATE_H

#include "startup.h"

/* Sixteen parts of a round trip, and the one that is beginning. */
#define ERE_PARTS 16
#define ERE_SLOTS (ERE_PARTS + 1)

/* N: tau is RTT where samples agree, and 11 RTT where they differ more than they did. */
#define ERE_TAU_RTTS 10
#define ERE_MEMORY 10

/* The estimate is kept in so many parts of a byte per second: what an acknowledgement adds may be
 * few of them. */
#define ERE_SCALE_BITS 10
/* No path is faster: 2^44 bytes per second, in those parts, and their sums fit in 64 bits. */
#define ERE_MAX (UINT64_C(1) << 44)

/* Acknowledgements of a part of a round trip. */
struct ere_slot {
	uint64_t start_ns;    /* the first */
	uint64_t end_ns;      /* the last */
	uint64_t first_bytes; /* what the first acknowledged */
	uint64_t later_bytes; /* the others */
};

struct ere {
	struct ere_slot slots[ERE_SLOTS];
	uint64_t unstable[ERE_MEMORY]; /* U of the latest samples, in a ring */
	uint64_t most_unstable;        /* U_max since the beginning */
	uint64_t instability;          /* U_k */
	uint64_t through_bytes_per_s;  /* Th */
	uint64_t sample_bytes_per_s;   /* s_k */
	uint64_t scaled;               /* ERE, in parts of a byte per second */
	uint64_t rtt_min_ns;           /* 0: none yet */
	uint64_t last_ns;              /* t_k */
	uint64_t delivered_bytes;      /* in total, by the latest acknowledgement */
	uint64_t waiting_bytes;        /* of it, not yet in the sample of its moment */
	uint32_t slot;                 /* the present one */
	uint32_t samples;              /* 0 before the first; then 1 to ERE_MEMORY, in turn */
};

/* The estimate in bytes per second; 0 before the first. */
static inline uint64_t ere_bytes_per_s(const struct ere *ere)
{
	return ere->scaled >> ERE_SCALE_BITS;
}

/* What was acknowledged within this interval, a round trip or less, until now. */
static inline uint64_t ere_bytes_in(const struct ere *ere, uint64_t interval_ns, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - min_u64(interval_ns, now_ns), bytes = 0;

	for (uint32_t i = 0; i < ERE_SLOTS; i++) {
		const struct ere_slot *slot = &ere->slots[i];

		if (slot->start_ns > since_ns)
			bytes += slot->first_bytes + slot->later_bytes;
		else if (slot->end_ns > since_ns)
			bytes += mul_div(slot->later_bytes, slot->end_ns - since_ns,
					 slot->end_ns - slot->start_ns);
	}
	return bytes;
}

/* Remember an acknowledgement of so much. */
static inline void ere_remember(struct ere *ere, const struct startup_ack *ack, uint64_t bytes)
{
	uint32_t at = ere->slot < ERE_SLOTS ? ere->slot : 0;

	if (ack->now_ns - ere->slots[at].start_ns < ack->srtt_ns / ERE_PARTS &&
	    ere->slots[at].end_ns) {
		ere->slots[at].end_ns = ack->now_ns;
		ere->slots[at].later_bytes += bytes;
		return;
	}
	at = at + 1 < ERE_SLOTS ? at + 1 : 0;
	ere->slot = at;
	ere->slots[at] = (struct ere_slot){
		.start_ns = ack->now_ns,
		.end_ns = ack->now_ns,
		.first_bytes = bytes,
	};
}

/* T_k, given T_min. */
static inline uint64_t ere_interval_ns(const struct ere *ere, const struct startup_ack *ack,
				       uint64_t least_ns)
{
	uint64_t delivered_bytes = mul_div(ere->through_bytes_per_s, ere->rtt_min_ns, NS_PER_S);
	uint64_t missing_bytes =
		ack->cwnd_bytes > delivered_bytes ? ack->cwnd_bytes - delivered_bytes : 0;

	return max_u64(mul_div(ack->srtt_ns, missing_bytes, ack->cwnd_bytes), least_ns);
}

/* U_max, after this U_k. */
static inline uint64_t ere_most_unstable(struct ere *ere, uint32_t options)
{
	/* Not a remainder: the kernel's verifier sees no bound in one. */
	uint32_t turn = ere->samples < ERE_MEMORY ? ere->samples : 0;
	uint64_t most = 0;

	ere->unstable[turn] = ere->instability;
	ere->most_unstable = max_u64(ere->most_unstable, ere->instability);
	for (uint32_t i = 0; i < ERE_MEMORY; i++)
		most = max_u64(most, ere->unstable[i]);
	return options & STARTUP_OPTION_ERE_CALM ? ere->most_unstable : most;
}

/* A sample that came so long after the one before. */
static inline void ere_filter(struct ere *ere, const struct startup_ack *ack, uint64_t sample,
			      uint64_t apart_ns, uint32_t options)
{
	uint64_t before = ere->sample_bytes_per_s, tau_ns, two, sum;
	uint64_t differ = sample > before ? sample - before : before - sample;

	ere->instability = (3 * ere->instability + 2 * differ) / 5;
	tau_ns = ack->srtt_ns + mul_div(ERE_TAU_RTTS * ack->srtt_ns, ere->instability,
					ere_most_unstable(ere, options));
	apart_ns = min_u64(apart_ns, 2 * tau_ns);
	sum = (options & STARTUP_OPTION_ERE_LATEST ? 2 * sample : sample + before)
	      << ERE_SCALE_BITS;
	/* ERE + dt (sum - 2 ERE) / (2 tau + dt), without a sign. */
	two = 2 * ere->scaled;
	if (sum > two)
		ere->scaled += mul_div(sum - two, apart_ns, 2 * tau_ns + apart_ns);
	else
		ere->scaled -= mul_div(two - sum, apart_ns, 2 * tau_ns + apart_ns);
}

/* An acknowledgement arrived. */
static inline void ere_ack(struct ere *ere, const struct startup_ack *ack, uint32_t options)
{
	uint64_t srtt_ns = ack->srtt_ns, apart_ns = ack->now_ns - ere->last_ns;
	uint64_t bytes = ack->delivered_bytes - ere->delivered_bytes;
	uint64_t interval_ns, through, sample;

	ere->rtt_min_ns = startup_min_rtt(ere->rtt_min_ns, ack);
	/* The first one, or a clock or a total that has nothing to do with the last. */
	if (!ere->samples || ack->now_ns < ere->last_ns ||
	    ack->delivered_bytes < ere->delivered_bytes) {
		apart_ns = srtt_ns;
		bytes = ack->acked_bytes;
	}
	ere->delivered_bytes = ack->delivered_bytes;
	ere->waiting_bytes += bytes;
	/* What arrived while nobody told of it did not arrive now. */
	ere_remember(ere, ack, apart_ns > srtt_ns ? ack->acked_bytes : bytes);
	/* Of several at the same moment the first speaks, and what the others bring belongs to the
	 * next sample. */
	if (!srtt_ns || !ere->rtt_min_ns || !ack->cwnd_bytes || !apart_ns)
		return;

	through = rate_bytes_per_s(ere_bytes_in(ere, srtt_ns, ack->now_ns), srtt_ns);
	through = min_u64(through, ERE_MAX);
	ere->through_bytes_per_s = (3 * ere->through_bytes_per_s + 2 * through) / 5;
	interval_ns = ere_interval_ns(ere, ack, apart_ns);
	bytes = interval_ns > apart_ns ? ere_bytes_in(ere, interval_ns, ack->now_ns)
				       : ere->waiting_bytes;
	ere->waiting_bytes = 0;
	sample = rate_bytes_per_s(bytes, interval_ns);
	sample = min_u64(sample, ERE_MAX);
	if (ere->samples)
		ere_filter(ere, ack, sample, apart_ns, options);
	else
		ere->scaled = sample << ERE_SCALE_BITS;
	ere->sample_bytes_per_s = sample;
	ere->samples = ere->samples % ERE_MEMORY + 1;
	ere->last_ns = ack->now_ns;
}

#endif
