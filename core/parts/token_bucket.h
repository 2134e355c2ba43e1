/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A token bucket: what is sent conforms to a rate, except for a burst.
 *
 * The bucket is one number, full_ns: the time at which the bucket would be full if nothing more was
 * taken. It is the "theoretical arrival time" of the virtual scheduling algorithm (ITU-T I.371).
 * The bucket fills at the rate, so no level has to be updated as time passes:
 *
 *   tokens(t) = burst - rate * (full_ns - t)     or burst, where full_ns <= t
 *
 * Zero is a bucket that is full from the beginning.
 *
 * Times are whole nanoseconds, and the time of what is taken is rounded up. So no segment leaves
 * too early, and the rate is lower than it could be by one nanosecond a segment at most. With full
 * segments at 10 Gbit/s that is a tenth of a percent.
 *
 * Bytes are bytes of TCP payload, as everywhere in core/. A rate must not be 0.
 */
#ifndef ONRAMP_TOKEN_BUCKET_H
#define ONRAMP_TOKEN_BUCKET_H

#include "math.h"

/* The time that these bytes, fewer than 2^33, take at this rate. It is rounded up, so that nothing
 * leaves too early. */
static inline uint64_t bucket_time_ns(uint64_t bytes, uint64_t bytes_per_s)
{
	return (bytes * NS_PER_S + bytes_per_s - 1) / bytes_per_s;
}

/* Take these bytes, whether the bucket has tokens for them or not. Returns the new full_ns. */
static inline uint64_t bucket_take(uint64_t full_ns, uint64_t now_ns, uint64_t bytes,
				   uint64_t bytes_per_s)
{
	return max_u64(full_ns, now_ns) + bucket_time_ns(bytes, bytes_per_s);
}

/* The first time at which the bucket has tokens for these bytes. It may have passed. The bucket's
 * depth, burst_bytes, must not be less than bytes. */
static inline uint64_t bucket_ready_ns(uint64_t full_ns, uint64_t bytes, uint64_t bytes_per_s,
				       uint64_t burst_bytes)
{
	uint64_t spare_ns = (burst_bytes - bytes) * NS_PER_S / bytes_per_s;

	return full_ns > spare_ns ? full_ns - spare_ns : 0;
}

/* The bytes for which the bucket has tokens now. */
static inline uint64_t bucket_level_bytes(uint64_t full_ns, uint64_t now_ns, uint64_t bytes_per_s,
					  uint64_t burst_bytes)
{
	uint64_t missing =
		full_ns > now_ns ? mul_div(full_ns - now_ns, bytes_per_s, NS_PER_S) + 1 : 0;

	return missing < burst_bytes ? burst_bytes - missing : 0;
}

#endif
