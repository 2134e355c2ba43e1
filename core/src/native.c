/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* The inline functions of core/ as symbols, and the registry as a table: see native.h. */
#include "src/native.h"

#include "parts/token_bucket.h"
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

/* The host contract, for src/host.rs. */
bool onramp_native_phase_is_over(uint32_t phase)
{
	return startup_phase_is_over(phase);
}

bool onramp_native_host_is_done(uint32_t phase)
{
	return host_is_done(phase);
}

bool onramp_native_host_is_reserved(uint32_t phase)
{
	return host_is_reserved(phase);
}

bool onramp_native_host_is_retreating(uint32_t phase)
{
	return host_is_retreating(phase);
}

bool onramp_native_host_is_repairing(uint32_t phase)
{
	return host_is_repairing(phase);
}

bool onramp_native_host_is_paced_by_algorithm(uint32_t phase)
{
	return host_is_paced_by_algorithm(phase);
}

bool onramp_native_host_owns_cwnd(uint32_t phase, uint64_t cwnd, uint64_t ssthresh)
{
	return host_owns_cwnd(phase, cwnd, ssthresh);
}

bool onramp_native_host_reports_recovery(uint32_t phase)
{
	return host_reports_recovery(phase);
}

bool onramp_native_host_reports_ack(uint32_t phase, uint64_t cwnd, uint64_t ssthresh,
				    bool is_recovering)
{
	return host_reports_ack(phase, cwnd, ssthresh, is_recovering);
}

bool onramp_native_host_ack_is_quiet(uint32_t flags, uint64_t inflight)
{
	return host_ack_is_quiet(flags, inflight);
}

bool onramp_native_host_skips_quiet_ack(uint32_t phase, uint64_t pacing_bytes_per_s,
					uint32_t quiet_acks)
{
	return host_skips_quiet_ack(phase, pacing_bytes_per_s, quiet_acks);
}

bool onramp_native_host_ends_quiet_connection(uint32_t quiet_acks)
{
	return host_ends_quiet_connection(quiet_acks);
}

bool onramp_native_host_ends_limited_connection(struct host_limited *limited,
						const struct startup_ack *ack,
						const struct startup_decision *decision)
{
	return host_ends_limited_connection(limited, ack, decision);
}

uint32_t onramp_native_host_limited_exit(uint32_t flags)
{
	return host_limited_exit(flags);
}

bool onramp_native_host_reports_loss(uint32_t phase)
{
	return host_reports_loss(phase);
}

bool onramp_native_host_paces(uint32_t phase, uint64_t pacing_bytes_per_s, uint64_t cwnd,
			      uint64_t ssthresh, uint64_t resumed)
{
	return host_paces(phase, pacing_bytes_per_s, cwnd, ssthresh, resumed);
}

bool onramp_native_host_ends_busy_connection(const struct startup_decision *decision,
					     uint64_t unreported_bytes)
{
	return host_ends_busy_connection(decision, unreported_bytes);
}

uint64_t onramp_native_host_restart_bytes(uint64_t restart_bytes, uint64_t idle_ns,
					  uint64_t unreported_bytes)
{
	return host_restart_bytes(restart_bytes, idle_ns, unreported_bytes);
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

/* For mul_div() of src/lib.rs. */
uint64_t onramp_native_mul_div(uint64_t a, uint64_t b, uint64_t divisor)
{
	return mul_div(a, b, divisor);
}

/* The token bucket, for src/bucket.rs. */
uint64_t onramp_native_bucket_take(uint64_t full_ns, uint64_t now_ns, uint64_t bytes,
				   uint64_t bytes_per_s)
{
	return bucket_take(full_ns, now_ns, bytes, bytes_per_s);
}

uint64_t onramp_native_bucket_ready_ns(uint64_t full_ns, uint64_t bytes, uint64_t bytes_per_s,
				       uint64_t burst_bytes)
{
	return bucket_ready_ns(full_ns, bytes, bytes_per_s, burst_bytes);
}

/* The memory of paths, for src/memory.rs. */
bool onramp_native_memory_is_over(const struct path_memory_entry *entry, uint64_t now_ns,
				  uint64_t lifetime_ns)
{
	return path_memory_is_over(entry, now_ns, lifetime_ns);
}

bool onramp_native_memory_is_in_use(const struct path_memory_entry *entry, uint64_t user,
				    uint64_t now_ns)
{
	return path_memory_is_in_use(entry, user, now_ns);
}

bool onramp_native_memory_take(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns,
			       uint64_t max_jump_bytes, struct startup_start *start)
{
	return path_memory_take(entry, user, now_ns, max_jump_bytes, start);
}

bool onramp_native_memory_keep(struct path_memory_entry *entry, uint64_t user, uint64_t now_ns)
{
	return path_memory_keep(entry, user, now_ns);
}

void onramp_native_memory_give_back(struct path_memory_entry *entry, uint64_t user)
{
	path_memory_give_back(entry, user);
}

uint64_t onramp_native_memory_window(const struct startup_start *start, bool is_new)
{
	return path_memory_window(start, is_new);
}

uint32_t onramp_native_memory_news(const struct startup_decision *decision, uint64_t initial_bytes)
{
	return path_memory_news(decision, initial_bytes);
}

bool onramp_native_memory_save(struct path_memory_entry *entry, uint64_t user,
			       const struct startup_decision *decision, uint64_t now_ns)
{
	return path_memory_save(entry, user, decision, now_ns);
}

bool onramp_native_memory_fits(uint64_t remembered_rtt_ns, uint64_t rtt_ns)
{
	return path_memory_fits(remembered_rtt_ns, rtt_ns);
}

/* Ensembles, for src/ensemble.rs. */
void onramp_native_ensemble_renew(struct ensemble_entry *entry, uint32_t *member_period,
				  uint64_t now_ns)
{
	ensemble_renew(entry, member_period, now_ns);
}

void onramp_native_ensemble_leave(struct ensemble_entry *entry, uint32_t *member_period)
{
	ensemble_leave(entry, member_period);
}

uint64_t onramp_native_ensemble_siblings(const struct ensemble_entry *entry, uint32_t member_period,
					 uint64_t now_ns)
{
	return ensemble_siblings(entry, member_period, now_ns);
}

/* The first round trip, for src/first_round.rs. */
uint64_t onramp_native_first_round_prefix(const uint8_t *address)
{
	return first_round_prefix(address);
}

bool onramp_native_first_round_is_known(const struct first_round *learned, uint64_t now_ns)
{
	return first_round_is_known(learned, now_ns);
}

uint64_t onramp_native_first_round_rate(const struct first_round *host,
					const struct first_round *prefix, uint64_t now_ns)
{
	return first_round_rate(host, prefix, now_ns);
}

void onramp_native_first_round_learn(struct first_round *host, struct first_round *prefix,
				     uint32_t outcome, uint64_t now_ns)
{
	first_round_learn(host, prefix, (enum startup_first_round)outcome, now_ns);
}

/* The governor, for src/governor.rs. */
uint32_t onramp_native_governor_share_ppm(uint64_t sent, uint64_t retransmitted)
{
	return governor_share_ppm(sent, retransmitted);
}

bool onramp_native_governor_counts(uint64_t sent)
{
	return governor_counts(sent);
}

void onramp_native_governor_add(struct governor_average *average, uint32_t share_ppm, uint32_t n,
				uint64_t now_ns)
{
	governor_add(average, share_ppm, n, now_ns);
}

void onramp_native_governor_add_late(struct governor_average *average, uint32_t share_ppm,
				     uint64_t now_ns)
{
	governor_add_late(average, share_ppm, now_ns);
}

bool onramp_native_governor_exceeds(const struct governor_average *average, uint32_t bound_ppm,
				    uint32_t n, uint64_t now_ns)
{
	return governor_exceeds(average, bound_ppm, n, now_ns);
}

bool onramp_native_governor_starts(uint64_t held)
{
	return governor_starts(held);
}

/* The packet-pair option, for src/pairs.rs. */
uint32_t onramp_native_pair_option_bytes(uint32_t form, uint32_t type)
{
	return pair_option_bytes(form, type);
}

uint32_t onramp_native_pair_option_write(uint8_t *out, uint32_t form,
					 const struct pair_option *option)
{
	return pair_option_write(out, form, option);
}

uint32_t onramp_native_pair_option_read(const uint8_t *in, uint32_t bytes, uint32_t form,
					struct pair_option *option)
{
	return pair_option_read(in, bytes, form, option);
}

bool onramp_native_pair_meter_arrived(struct pair_meter *meter, struct pair_counts *counts,
				      const struct pair_option *option, uint64_t now_ns,
				      uint32_t seq, uint32_t end, struct pair_option *reply)
{
	return pair_meter_arrived(meter, counts, option, now_ns, seq, end, reply);
}

void onramp_native_pair_probe_send_first(struct pair_probe *probe, uint64_t now_ns, uint32_t end,
					 struct pair_option *option)
{
	pair_probe_send_first(probe, now_ns, end, option);
}

bool onramp_native_pair_probe_send_second(struct pair_probe *probe, struct pair_counts *counts,
					  uint64_t now_ns, uint32_t seq, uint32_t end,
					  bool is_train, struct pair_option *option)
{
	return pair_probe_send_second(probe, counts, now_ns, seq, end, is_train, option);
}

struct pair_report onramp_native_pair_probe_replied(struct pair_probe *probe,
						    struct pair_counts *counts,
						    const struct pair_option *reply,
						    uint64_t now_ns, uint32_t ack)
{
	return pair_probe_replied(probe, counts, reply, now_ns, ack);
}
