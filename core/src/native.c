/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* What native.h declares, and the inline functions of the headers that it includes. */
#include "src/inline.c"

#include "registry.h"
#include "src/table.h"

const char *onramp_native_phase_name(uint32_t phase)
{
	return startup_phase_name(phase);
}

const char *onramp_native_exit_name(uint32_t exit)
{
	return startup_exit_name(exit);
}

/* The train, for src/train.rs. */
void onramp_native_train_begin(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			       uint64_t flight_bytes)
{
	train_begin(train, now_ns, delivered_bytes, flight_bytes);
}

void onramp_native_train_add(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			     uint32_t mss_bytes, uint64_t rtt_ns)
{
	train_add(train, now_ns, delivered_bytes, mss_bytes, rtt_ns);
}

uint64_t onramp_native_train_bytes_per_s(const struct ack_train *train, uint32_t mss_bytes,
					 uint64_t variant)
{
	return train_bytes_per_s(train, mss_bytes, variant);
}

bool onramp_native_train_is_line(const struct ack_train *train)
{
	return train_is_line(train);
}
STARTUP_ASSERT_STATE(struct ack_train);

/* The receiver's clock, for src/receiver_clock.rs. */
void onramp_native_receiver_clock_begin(struct receiver_clock *clock,
					const struct startup_start *start)
{
	receiver_clock_begin(clock, start);
}

uint64_t onramp_native_receiver_clock_ns(struct receiver_clock *clock,
					 const struct startup_ack *ack)
{
	return receiver_clock_ns(clock, ack);
}

uint64_t onramp_native_receiver_clock_tick_ns(const struct receiver_clock *clock)
{
	return clock->tick_ns;
}
STARTUP_ASSERT_STATE(struct receiver_clock);

/* The eligible rate, for src/eligible_rate.rs. */
void onramp_native_ere_ack(struct ere *ere, const struct startup_ack *ack, uint64_t variant)
{
	ere_ack(ere, ack, variant);
}

uint64_t onramp_native_ere_bytes_per_s(const struct ere *ere)
{
	return ere_bytes_per_s(ere);
}

uint64_t onramp_native_ere_sample_bytes_per_s(const struct ere *ere)
{
	return ere->sample_bytes_per_s;
}

uint64_t onramp_native_ere_throughput_bytes_per_s(const struct ere *ere)
{
	return ere->throughput_bytes_per_s;
}
STARTUP_ASSERT_STATE(struct ere);
