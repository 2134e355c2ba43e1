/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A token bucket: what is sent conforms to a rate, but for a burst.
 *
 * The bucket is kept as one number, the moment at which it would be full if nothing more was taken
 * (the "theoretical arrival time" of the virtual scheduling algorithm, ITU-T I.371). It fills at
 * the rate, so that no level has to be brought up to date as time passes: tokens(t) = burst - rate
 * * (full - t), and burst where full <= t. Zero is a bucket that is full from the beginning on.
 *
 * Times are whole nanoseconds, and what is taken is rounded up to them: no segment is early, and a
 * rate is less than it could be by at most a nanosecond for each segment. That is a tenth of a
 * percent at 10 Gbit/s of full segments.
 *
 * Bytes are bytes of TCP payload, as everywhere in core/. A rate is not 0.
 */
#ifndef ONRAMP_TOKEN_BUCKET_H
#define ONRAMP_TOKEN_BUCKET_H

#include "startup.h"

/* How long so many bytes, fewer than 2^33, take at this rate, rounded up: what is sent then is
 * never too early. */
static inline uint64_t bucket_time_ns(uint64_t bytes, uint64_t bytes_per_s)
{
	return (bytes * NS_PER_S + bytes_per_s - 1) / bytes_per_s;
}

/* So many bytes leave at this moment, be there tokens for them or not: when it will be full then.
 */
static inline uint64_t bucket_take(uint64_t full_ns, uint64_t now_ns, uint64_t bytes,
				   uint64_t bytes_per_s)
{
	return max_u64(full_ns, now_ns) + bucket_time_ns(bytes, bytes_per_s);
}

/* The first moment at which it has so many bytes, which its depth must not be below; it may have
 * passed. */
static inline uint64_t bucket_has_ns(uint64_t full_ns, uint64_t bytes, uint64_t bytes_per_s,
				     uint64_t burst_bytes)
{
	uint64_t spare_ns = (burst_bytes - bytes) * NS_PER_S / bytes_per_s;

	return full_ns > spare_ns ? full_ns - spare_ns : 0;
}

/* What it has at a moment. */
static inline uint64_t bucket_bytes(uint64_t full_ns, uint64_t now_ns, uint64_t bytes_per_s,
				    uint64_t burst_bytes)
{
	uint64_t missing =
		full_ns > now_ns ? mul_div(full_ns - now_ns, bytes_per_s, NS_PER_S) + 1 : 0;

	return missing < burst_bytes ? burst_bytes - missing : 0;
}

#endif
