/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * What the Rust side calls: the inline functions of the headers included here, those of measure/,
 * whose records another build may change, and the registry as a table. src/bindings.rs and
 * src/inline.c, which makes symbols of the inline functions, are generated from this header and
 * from those that it includes (tests/bindings.rs).
 */
#ifndef ONRAMP_NATIVE_H
#define ONRAMP_NATIVE_H

#include "host.h"
#include "parts/ensemble.h"
#include "parts/first_round.h"
#include "parts/governor.h"
#include "parts/pair_option.h"
#include "parts/path_memory.h"
#include "parts/token_bucket.h"
#include "startup.h"

#include <stddef.h>

struct ack_train;
struct ere;
struct receiver_clock;

/* A name in a row of core/registry.h: `key = "name"` in scenario files sets these bits of
 * struct startup_start, variant. */
struct startup_variant {
	const char *key; /* NULL ends the list */
	const char *name;
	uint64_t bits;
};

/* A parameter in a row of core/registry.h (core/startup.h). */
struct startup_parameter {
	const char *name; /* NULL ends the list */
	const char *meaning;
	uint64_t usual; /* the default */
	uint64_t min;
	uint64_t max;
	size_t offset; /* in the state */
};

/* A row of core/registry.h. The state has STARTUP_STATE_BYTES and an alignment of 8. */
struct onramp_algorithm {
	const char *name;
	const char *summary;
	const struct startup_variant *variants;
	const struct startup_parameter *parameters;
	/* enum startup_capability */
	uint32_t capabilities;
	void (*start)(void *state, const struct startup_start *, struct startup_decision *);
	void (*ack)(void *state, const struct startup_ack *, struct startup_decision *);
	void (*loss)(void *state, const struct startup_loss *, struct startup_decision *);
};

extern const struct onramp_algorithm onramp_algorithms[];
extern const size_t onramp_algorithm_count;

/* core/registry.h */
const char *onramp_native_phase_name(uint32_t phase);
const char *onramp_native_exit_name(uint32_t exit);

/* core/measure/ack_train.h */
void onramp_native_train_begin(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			       uint64_t flight_bytes);
void onramp_native_train_add(struct ack_train *train, uint64_t now_ns, uint64_t delivered_bytes,
			     uint32_t mss_bytes, uint64_t rtt_ns);
uint64_t onramp_native_train_bytes_per_s(const struct ack_train *train, uint32_t mss_bytes,
					 uint64_t variant);
bool onramp_native_train_is_line(const struct ack_train *train);

/* core/measure/receiver_clock.h */
void onramp_native_receiver_clock_begin(struct receiver_clock *clock,
					const struct startup_start *start);
uint64_t onramp_native_receiver_clock_ns(struct receiver_clock *clock,
					 const struct startup_ack *ack);
uint64_t onramp_native_receiver_clock_tick_ns(const struct receiver_clock *clock);

/* core/measure/eligible_rate.h */
void onramp_native_ere_ack(struct ere *ere, const struct startup_ack *ack, uint64_t variant);
uint64_t onramp_native_ere_bytes_per_s(const struct ere *ere);
uint64_t onramp_native_ere_sample_bytes_per_s(const struct ere *ere);
uint64_t onramp_native_ere_throughput_bytes_per_s(const struct ere *ere);

#endif
