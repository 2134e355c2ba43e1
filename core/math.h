/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The integer arithmetic of the algorithms: unsigned, without floating point, without 128-bit
 * types, and without signed division, because BPF has none of them.
 */
#ifndef ONRAMP_MATH_H
#define ONRAMP_MATH_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
/* Millionths of a whole */
#define PPM UINT64_C(1000000)

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The number of bits that a value needs: 0 needs none, 255 needs 8. Branches would multiply the
 * paths that the kernel's verifier walks. So set every bit below the highest, then count them. */
static inline uint32_t bit_length(uint64_t a)
{
	a |= a >> 1;
	a |= a >> 2;
	a |= a >> 4;
	a |= a >> 8;
	a |= a >> 16;
	a |= a >> 32;
	a -= a >> 1 & UINT64_C(0x5555555555555555);
	a = (a & UINT64_C(0x3333333333333333)) + (a >> 2 & UINT64_C(0x3333333333333333));
	a = (a + (a >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(a * UINT64_C(0x0101010101010101) >> 56);
}

/* a - b, or 0 where the difference would be negative. */
static inline uint32_t saturating_sub(uint32_t a, uint32_t b)
{
	return a > b ? a - b : 0;
}

/*
 * a * b / divisor, where the result has 64 bits. It is exact where the product has 64 bits too.
 * Where the product may have more, the larger factor and the divisor are halved until it cannot.
 * Returns 0 where the divisor is 0 or the halving leaves nothing of it.
 */
static inline uint64_t mul_div(uint64_t a, uint64_t b, uint64_t divisor)
{
	uint32_t halvings =
		(uint32_t)min_u64(saturating_sub(bit_length(a) + bit_length(b), 64), 63);
	uint64_t larger = max_u64(a, b) >> halvings;

	divisor >>= halvings;
	return divisor ? larger * min_u64(a, b) / divisor : 0;
}

/* The rate that delivers these bytes in this time; 0 where the time is 0. */
static inline uint64_t rate_bytes_per_s(uint64_t bytes, uint64_t time_ns)
{
	return mul_div(bytes, NS_PER_S, time_ns);
}

/* The bandwidth-delay product of a path, but at least two segments. */
static inline uint64_t bdp_bytes(uint64_t bytes_per_s, uint64_t rtt_ns, uint32_t mss_bytes)
{
	return max_u64(mul_div(bytes_per_s, rtt_ns, NS_PER_S), 2 * (uint64_t)mss_bytes);
}

#endif
