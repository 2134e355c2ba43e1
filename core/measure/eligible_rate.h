/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * TCP Westwood's eligible rate estimate (ERE): the rate at which a connection may send, from the
 * stream of its ACKs.
 *
 * R. Wang, M. Valla, M. Sanadidi, M. Gerla: Using Adaptive Rate Estimation to Provide Enhanced and
 * Robust Transport over Heterogeneous Networks, ICNP 2002. ERE was called ABSE there, adaptive
 * bandwidth share estimation. The filter is that of S. Mascolo, C. Casetti, M. Gerla, M. Sanadidi,
 * R. Wang: TCP Westwood: Bandwidth Estimation for Enhanced Transport over Wireless Links, MobiCom
 * 2001.
 *
 * In one sentence: closely spaced ACKs give the bottleneck's bandwidth, all ACKs of a round trip
 * give the achieved rate, and the part of cwnd that was not delivered decides the weight of each.
 *
 *   Th_k = sum of d_j, t_j > t_k - RTT, / RTT              throughput of the last round trip
 *   Th   = 0.6 Th + 0.4 Th_k
 *   T_k  = max(T_min, RTT (cwnd - Th RTT_min) / cwnd)      sampling interval
 *   s_k  = sum of d_j, t_j > t_k - T_k, / T_k              sample: from bandwidth to achieved rate
 *   U_k  = 0.6 U_k-1 + 0.4 |s_k - s_k-1|                   how much samples differ
 *   tau  = RTT + 10 RTT U_k / U_max                        time constant of the filter
 *   ERE  = ((2 tau - dt) ERE + dt (s_k + s_k-1)) / (2 tau + dt)         dt = t_k - t_k-1
 *
 * An ACK at t_k reports d_k bytes. Where all that cwnd permits is delivered in a round trip, there
 * is no congestion. T_k is T_min then, the time since the last ACK, and s_k is the bandwidth that a
 * packet pair shows. A congested path delivers less: T_k grows towards a round trip, and s_k is the
 * connection's share. ERE weighs each sample by the time between ACKs. So ERE is near the achieved
 * rate, and above it where ACKs come in bursts, as in slow start. This lets a start-up that follows
 * ERE go on.
 *
 * Constants: 0.6 and 10 are the paper's; U_max is the largest of the ten latest U_k.
 *
 * Open points of the definition
 * - The equations are the paper's as later work on Westwood gives them
 *   (scitepress.org/PublishedPapers/2004/13988, section 2.1).
 * - (2 tau - dt) / (2 tau + dt) as the weight of the past is Tustin's form of a low-pass filter,
 *   which belongs to the mean of two samples. MobiCom 2001 has the mean, and so has the ns agent by
 *   the paper's second author. Texts that cite the paper print s_k alone. ERE_LATEST chooses that.
 * - The memory of U_max. ERE_CALM: the whole connection.
 * - The first ACK's sample is the first estimate.
 * - A silence of more than 2 tau leaves nothing of the past but its last sample.
 *
 * Approximations: ACKs are kept by sixteenths of a round trip, not one by one. If t_k - T_k falls
 * into a sixteenth, its bytes count proportionally. The bytes since the last sample are exact.
 * While RTT grows, the sixteenths are those of the earlier RTT: up to a third of a round trip is
 * forgotten too early.
 */
#ifndef ONRAMP_ELIGIBLE_RATE_H
#define ONRAMP_ELIGIBLE_RATE_H

#include "startup.h"

/* Bits of an algorithm's variant */
enum ere_variant {
	/* The filter takes the latest sample alone. */
	ERE_LATEST = 1 << 0,
	/* The instability is compared with the largest of the whole connection. */
	ERE_CALM = 1 << 1,
};

#define ERE_VARIANTS(V) V("train", "latest", ERE_LATEST) V("train", "calm", ERE_CALM)

/* Sixteen parts of a round trip, and the part that has just begun. */
#define ERE_PARTS 16
#define ERE_SLOTS (ERE_PARTS + 1)

/* tau is RTT where samples agree, and 11 RTT where they differ more than ever in the memory of
 * U_max.
 */
#define ERE_TAU_RTTS 10
/* The number of U_k in the memory of U_max. */
#define ERE_MEMORY 10

/* The estimate is kept in 1/1024 bytes per second, because an ACK may change it by very little. */
#define ERE_SCALE_BITS 10
/* The maximum rate: 2^44 bytes per second. In 1/1024 of a byte, sums of rates still fit in 64 bits.
 */
#define ERE_MAX (UINT64_C(1) << 44)

/* The ACKs of a part of a round trip. */
struct ere_slot {
	uint64_t start_ns;    /* the first ACK */
	uint64_t end_ns;      /* the last ACK */
	uint64_t first_bytes; /* acknowledged by the first ACK */
	uint64_t later_bytes; /* acknowledged by the others */
};

struct ere {
	struct ere_slot slots[ERE_SLOTS];
	uint64_t instabilities[ERE_MEMORY]; /* U of the latest samples, in a ring */
	uint64_t max_instability;           /* U_max since the beginning */
	uint64_t instability;               /* U_k */
	uint64_t throughput_bytes_per_s;    /* Th */
	uint64_t sample_bytes_per_s;        /* s_k */
	uint64_t scaled;                    /* ERE << ERE_SCALE_BITS */
	uint64_t min_rtt_ns;                /* 0: no sample yet */
	uint64_t last_ns;                   /* t_k */
	uint64_t delivered_bytes;           /* in total, at the latest ACK */
	uint64_t waiting_bytes;             /* delivered and not part of a sample yet */
	uint32_t slot;                      /* the present slot */
	uint32_t samples;                   /* 0 before the first; then 1 to ERE_MEMORY, in turn */
};

/* The weights of the past and of the new value: 0.6 and 0.4. */
static inline uint64_t ere_smooth(uint64_t past, uint64_t value)
{
	return (3 * past + 2 * value) / 5;
}

/* The estimate in bytes per second; 0 before the first. */
static inline uint64_t ere_bytes_per_s(const struct ere *ere)
{
	return ere->scaled >> ERE_SCALE_BITS;
}

/* The bytes acknowledged within this interval, a round trip or less, until now. */
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

/* Put an ACK of these bytes into its slot. */
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

/* T_k, from T_min. */
static inline uint64_t ere_interval_ns(const struct ere *ere, const struct startup_ack *ack,
				       uint64_t min_ns)
{
	uint64_t delivered_bytes = mul_div(ere->throughput_bytes_per_s, ere->min_rtt_ns, NS_PER_S);
	uint64_t missing_bytes =
		ack->cwnd_bytes > delivered_bytes ? ack->cwnd_bytes - delivered_bytes : 0;

	return max_u64(mul_div(ack->srtt_ns, missing_bytes, ack->cwnd_bytes), min_ns);
}

/* U_max, after this U_k. */
static inline uint64_t ere_max_instability(struct ere *ere, uint64_t variant)
{
	uint32_t turn = ere->samples < ERE_MEMORY ? ere->samples : 0;
	uint64_t max = 0;

	ere->max_instability = max_u64(ere->max_instability, ere->instability);
	/* Constant indices only: the verifier of Linux 6.1 does not see that `turn` is bounded. */
	for (uint32_t i = 0; i < ERE_MEMORY; i++) {
		if (i == turn)
			ere->instabilities[i] = ere->instability;
		max = max_u64(max, ere->instabilities[i]);
	}
	return variant & ERE_CALM ? ere->max_instability : max;
}

/* Add a sample to the estimate, this time after the last sample. */
static inline void ere_filter(struct ere *ere, const struct startup_ack *ack, uint64_t sample,
			      uint64_t apart_ns, uint64_t variant)
{
	uint64_t last = ere->sample_bytes_per_s, tau_ns, twice, sum;
	uint64_t difference = sample > last ? sample - last : last - sample;

	ere->instability = ere_smooth(ere->instability, difference);
	tau_ns = ack->srtt_ns + mul_div(ERE_TAU_RTTS * ack->srtt_ns, ere->instability,
					ere_max_instability(ere, variant));
	apart_ns = min_u64(apart_ns, 2 * tau_ns);
	sum = (variant & ERE_LATEST ? 2 * sample : sample + last) << ERE_SCALE_BITS;
	/* ERE + dt (sum - 2 ERE) / (2 tau + dt), in unsigned arithmetic. */
	twice = 2 * ere->scaled;
	if (sum > twice)
		ere->scaled += mul_div(sum - twice, apart_ns, 2 * tau_ns + apart_ns);
	else
		ere->scaled -= mul_div(twice - sum, apart_ns, 2 * tau_ns + apart_ns);
}

/* An ACK arrived. */
static inline void ere_ack(struct ere *ere, const struct startup_ack *ack, uint64_t variant)
{
	uint64_t srtt_ns = ack->srtt_ns, apart_ns = ack->now_ns - ere->last_ns;
	uint64_t bytes = ack->delivered_bytes - ere->delivered_bytes;
	uint64_t interval_ns, throughput, sample;

	ere->min_rtt_ns = startup_min_rtt(ere->min_rtt_ns, ack);
	/* The first ACK, or a clock or a total that ran backwards. */
	if (!ere->samples || ack->now_ns < ere->last_ns ||
	    ack->delivered_bytes < ere->delivered_bytes) {
		apart_ns = srtt_ns;
		bytes = ack->acked_bytes;
	}
	ere->delivered_bytes = ack->delivered_bytes;
	ere->waiting_bytes += bytes;
	/* After a silence of more than a round trip, the bytes of unreported ACKs did not arrive
	 * now: count only this ACK's. */
	ere_remember(ere, ack, apart_ns > srtt_ns ? ack->acked_bytes : bytes);
	/* Of several ACKs at the same time, the first makes a sample. The bytes of the others
	 * belong to the next sample. */
	if (!srtt_ns || !ere->min_rtt_ns || !ack->cwnd_bytes || !apart_ns)
		return;

	throughput = rate_bytes_per_s(ere_bytes_in(ere, srtt_ns, ack->now_ns), srtt_ns);
	throughput = min_u64(throughput, ERE_MAX);
	ere->throughput_bytes_per_s = ere_smooth(ere->throughput_bytes_per_s, throughput);
	interval_ns = ere_interval_ns(ere, ack, apart_ns);
	bytes = interval_ns > apart_ns ? ere_bytes_in(ere, interval_ns, ack->now_ns)
				       : ere->waiting_bytes;
	ere->waiting_bytes = 0;
	sample = rate_bytes_per_s(bytes, interval_ns);
	sample = min_u64(sample, ERE_MAX);
	if (ere->samples)
		ere_filter(ere, ack, sample, apart_ns, variant);
	else
		ere->scaled = sample << ERE_SCALE_BITS;
	ere->sample_bytes_per_s = sample;
	ere->samples = ere->samples % ERE_MEMORY + 1;
	ere->last_ns = ack->now_ns;
}

#endif
