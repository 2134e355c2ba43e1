/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * TCP_QOS: a socket option with which a TCP connection sends at a rate that is reserved for it,
 * from its first data segment on: without slow start and congestion avoidance, spaced by a token
 * bucket.
 *
 *     struct tcp_qos qos = {.rate_bytes_per_s = 125000};
 *     setsockopt(fd, IPPROTO_TCP, TCP_QOS, &qos, sizeof(qos));
 *
 * It takes effect on Linux, on a host where `onramp load qos` has run, or in a program that `onramp
 * exec --startup qos` runs; elsewhere setsockopt() fails with ENOPROTOOPT. Rates, errors and what a
 * connection does when losses show that the reservation does not hold: docs/algorithms/qos.md.
 */
#ifndef ONRAMP_TCP_QOS_H
#define ONRAMP_TCP_QOS_H

#include <stdint.h>

/* The option, at level IPPROTO_TCP. */
#define TCP_QOS 0x4f51

struct tcp_qos {
	/* Bytes of payload a second, 125 (1 kbit/s) to 125,000,000,000 (1000 Gbit/s); 0 clears a
	 * reservation. */
	uint64_t rate_bytes_per_s;
	/* What may leave at once, up to a tenth of a second at the rate, or 64 KiB where that is
	 * more; 0: about a millisecond, and 2 to 10 segments. */
	uint32_t burst_bytes;
	/* 0 */
	uint32_t reserved;
};

#endif
