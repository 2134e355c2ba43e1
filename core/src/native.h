/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * What the Rust side calls: the inline functions of core/ as symbols, and the registry as a table.
 * src/bindings.rs is generated from this header and from those that it includes
 * (tests/bindings.rs).
 */
#ifndef ONRAMP_NATIVE_H
#define ONRAMP_NATIVE_H

#include "host.h"
#include "parts/ensemble.h"
#include "parts/first_round.h"
#include "parts/governor.h"
#include "parts/pair_option.h"
#include "parts/path_memory.h"
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

/* core/math.h */
uint64_t onramp_native_mul_div(uint64_t a, uint64_t b, uint64_t divisor);

/* core/host.h and core/startup.h */
bool onramp_native_phase_is_over(uint32_t phase);
bool onramp_native_host_is_done(uint32_t phase);
bool onramp_native_host_is_reserved(uint32_t phase);
bool onramp_native_host_is_retreating(uint32_t phase);
bool onramp_native_host_is_repairing(uint32_t phase);
bool onramp_native_host_is_paced_by_algorithm(uint32_t phase);
bool onramp_native_host_owns_cwnd(uint32_t phase, uint64_t cwnd, uint64_t ssthresh);
bool onramp_native_host_reports_recovery(uint32_t phase);
bool onramp_native_host_reports_ack(uint32_t phase, uint64_t cwnd, uint64_t ssthresh,
				    bool is_recovering);
bool onramp_native_host_ack_is_quiet(uint32_t flags, uint64_t inflight);
bool onramp_native_host_skips_quiet_ack(uint32_t phase, uint64_t pacing_bytes_per_s,
					uint32_t quiet_acks);
bool onramp_native_host_ends_quiet_connection(uint32_t quiet_acks);
bool onramp_native_host_ends_limited_connection(struct host_limited *limited,
						const struct startup_ack *ack,
						const struct startup_decision *decision);
uint32_t onramp_native_host_limited_exit(uint32_t flags);
bool onramp_native_host_reports_loss(uint32_t phase);
bool onramp_native_host_paces(uint32_t phase, uint64_t pacing_bytes_per_s, uint64_t cwnd,
			      uint64_t ssthresh, uint64_t resumed);
bool onramp_native_host_ends_busy_connection(const struct startup_decision *decision,
					     uint64_t unreported_bytes);
uint64_t onramp_native_host_restart_bytes(uint64_t restart_bytes, uint64_t idle_ns,
					  uint64_t unreported_bytes);

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

/* core/parts/token_bucket.h */
uint64_t onramp_native_bucket_take(uint64_t full_ns, uint64_t now_ns, uint64_t bytes,
				   uint64_t bytes_per_s);
uint64_t onramp_native_bucket_ready_ns(uint64_t full_ns, uint64_t bytes, uint64_t bytes_per_s,
				       uint64_t burst_bytes);

/* core/parts/path_memory.h */
bool onramp_native_memory_is_over(const struct path_memory_entry *entry, uint64_t now_ns,
				  uint64_t lifetime_ns);
bool onramp_native_memory_is_in_use(const struct path_memory_entry *entry, uint64_t user,
				    uint64_t now_ns);
bool onramp_native_memory_take(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns,
			       uint64_t max_jump_bytes, struct startup_start *start);
bool onramp_native_memory_keep(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns);
void onramp_native_memory_give_back(struct path_memory_entry *entry, uint64_t user);
uint64_t onramp_native_memory_window(const struct startup_start *start, bool is_new);
uint32_t onramp_native_memory_news(const struct startup_decision *decision, uint64_t initial_bytes);
bool onramp_native_memory_save(struct path_memory_entry *entry, uint64_t user,
			       const struct startup_decision *decision, uint64_t now_ns);
bool onramp_native_memory_fits(uint64_t remembered_rtt_ns, uint64_t rtt_ns);

/* core/parts/ensemble.h */
void onramp_native_ensemble_renew(struct ensemble_entry *entry, uint32_t *member_period,
				  uint64_t now_ns);
void onramp_native_ensemble_leave(struct ensemble_entry *entry, uint32_t *member_period);
uint64_t onramp_native_ensemble_siblings(const struct ensemble_entry *entry, uint32_t member_period,
					 uint64_t now_ns);

/* core/parts/first_round.h */
uint64_t onramp_native_first_round_prefix(const uint8_t *address);
bool onramp_native_first_round_is_known(const struct first_round *learned, uint64_t now_ns);
uint64_t onramp_native_first_round_rate(const struct first_round *host,
					const struct first_round *prefix, uint64_t now_ns);
void onramp_native_first_round_learn(struct first_round *host, struct first_round *prefix,
				     uint32_t outcome, uint64_t now_ns);

/* core/parts/governor.h */
uint32_t onramp_native_governor_share_ppm(uint64_t sent, uint64_t retransmitted);
bool onramp_native_governor_counts(uint64_t sent);
void onramp_native_governor_add(struct governor_average *average, uint32_t share_ppm, uint32_t n,
				uint64_t now_ns);
void onramp_native_governor_add_late(struct governor_average *average, uint32_t share_ppm,
				     uint64_t now_ns);
bool onramp_native_governor_exceeds(const struct governor_average *average, uint32_t bound_ppm,
				    uint32_t n, uint64_t now_ns);
bool onramp_native_governor_starts(uint64_t held);

/* core/parts/pair_option.h */
uint32_t onramp_native_pair_option_bytes(uint32_t form, uint32_t type);
uint32_t onramp_native_pair_option_write(uint8_t *out, uint32_t form,
					 const struct pair_option *option);
uint32_t onramp_native_pair_option_read(const uint8_t *in, uint32_t bytes, uint32_t form,
					struct pair_option *option);
bool onramp_native_pair_meter_arrived(struct pair_meter *meter, struct pair_counts *counts,
				      const struct pair_option *option, uint64_t now_ns,
				      uint32_t seq, uint32_t end, struct pair_option *reply);
void onramp_native_pair_probe_send_first(struct pair_probe *probe, uint64_t now_ns, uint32_t end,
					 struct pair_option *option);
bool onramp_native_pair_probe_send_second(struct pair_probe *probe, struct pair_counts *counts,
					  uint64_t now_ns, uint32_t seq, uint32_t end,
					  bool is_train, struct pair_option *option);
struct pair_report onramp_native_pair_probe_replied(struct pair_probe *probe,
						    struct pair_counts *counts,
						    const struct pair_option *reply,
						    uint64_t now_ns, uint32_t ack);

#endif
