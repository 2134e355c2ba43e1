/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * TCP_QOS: a socket option that reserves a rate for a TCP connection. The connection sends at this
 * rate from its first data segment on, without slow start and congestion avoidance, and a token
 * bucket paces it.
 *
 *     struct tcp_qos qos = {.rate_bytes_per_s = 125000};
 *     setsockopt(fd, IPPROTO_TCP, TCP_QOS, &qos, sizeof(qos));
 *
 * The option exists on a Linux host on which `onramp load qos` has run, and in programs that
 * `onramp exec --startup qos` runs. Elsewhere setsockopt() fails with ENOPROTOOPT.
 * docs/algorithms/qos.md describes the rates, the errors, and what a connection does when losses
 * show that the path does not provide the rate.
 */
#ifndef ONRAMP_TCP_QOS_H
#define ONRAMP_TCP_QOS_H

#include <stdint.h>

/* The option's number, at level IPPROTO_TCP */
#define TCP_QOS 0x4f51

struct tcp_qos {
	/* Bytes of payload per second, from 125 (1 kbit/s) to 125,000,000,000 (1000 Gbit/s). 0
	 * clears the reservation. */
	uint64_t rate_bytes_per_s;
	/* Depth of the token bucket, up to a tenth of a second at the rate, or 64 KiB if that is
	 * more. 0: about a millisecond at the rate, and from 2 to 10 segments. */
	uint32_t burst_bytes;
	/* 0 */
	uint32_t reserved;
};

#endif
