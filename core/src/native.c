/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* The registry as a table that Rust can walk, and the layouts that src/ffi.rs is checked against.
 */
#include "parts/path_memory.h"
#include "parts/pair_option.h"
#include "registry.h"
#include "parts/token_bucket.h"

#include <stddef.h>

struct onramp_algorithm {
	const char *name;
	const char *summary;
	void (*start)(void *state, const struct onramp_start *, struct onramp_decision *);
	void (*ack)(void *state, const struct onramp_ack *, struct onramp_decision *);
	void (*loss)(void *state, const struct onramp_loss *, struct onramp_decision *);
};

#define ONRAMP_DEFINE(name, summary)                                                               \
	static void name##_start(void *state, const struct onramp_start *start,                    \
				 struct onramp_decision *decision)                                 \
	{                                                                                          \
		onramp_##name##_start(state, start, decision);                                     \
	}                                                                                          \
	static void name##_ack(void *state, const struct onramp_ack *ack,                          \
			       struct onramp_decision *decision)                                   \
	{                                                                                          \
		onramp_##name##_ack(state, ack, decision);                                         \
	}                                                                                          \
	static void name##_loss(void *state, const struct onramp_loss *loss,                       \
				struct onramp_decision *decision)                                  \
	{                                                                                          \
		onramp_##name##_loss(state, loss, decision);                                       \
	}
ONRAMP_ALGORITHMS(ONRAMP_DEFINE)

#define ONRAMP_ROW(name, summary) {#name, summary, name##_start, name##_ack, name##_loss},
const struct onramp_algorithm onramp_algorithms[] = {ONRAMP_ALGORITHMS(ONRAMP_ROW)};
const size_t onramp_algorithm_count = sizeof(onramp_algorithms) / sizeof(onramp_algorithms[0]);

const char *onramp_native_phase_name(uint32_t phase)
{
	return onramp_phase_name(phase);
}

const char *onramp_native_exit_name(uint32_t exit)
{
	return onramp_exit_name(exit);
}

/* The train, for src/train.rs. */
void onramp_native_train_begin(struct onramp_ack_train *train, uint64_t now_ns,
			       uint64_t delivered_bytes, uint64_t flight_bytes)
{
	onramp_train_begin(train, now_ns, delivered_bytes, flight_bytes);
}

void onramp_native_train_add(struct onramp_ack_train *train, uint64_t now_ns,
			     uint64_t delivered_bytes, uint32_t mss_bytes, uint64_t rtt_ns)
{
	onramp_train_add(train, now_ns, delivered_bytes, mss_bytes, rtt_ns);
}

uint64_t onramp_native_train_bytes_per_s(const struct onramp_ack_train *train, uint32_t mss_bytes,
					 uint32_t options)
{
	return onramp_train_bytes_per_s(train, mss_bytes, options);
}

bool onramp_native_train_is_line(const struct onramp_ack_train *train)
{
	return onramp_train_is_line(train);
}
ONRAMP_ASSERT_STATE(struct onramp_ack_train);

/* The eligible rate, for src/eligible_rate.rs. */
void onramp_native_ere_ack(struct onramp_ere *ere, const struct onramp_ack *ack, uint32_t options)
{
	onramp_ere_ack(ere, ack, options);
}

uint64_t onramp_native_ere_bytes_per_s(const struct onramp_ere *ere)
{
	return onramp_ere_bytes_per_s(ere);
}

uint64_t onramp_native_ere_sample_bytes_per_s(const struct onramp_ere *ere)
{
	return ere->sample_bytes_per_s;
}

uint64_t onramp_native_ere_through_bytes_per_s(const struct onramp_ere *ere)
{
	return ere->through_bytes_per_s;
}
ONRAMP_ASSERT_STATE(struct onramp_ere);

/* For share() of src/lib.rs. */
uint64_t onramp_native_share(uint64_t a, uint64_t b, uint64_t whole)
{
	return onramp_share(a, b, whole);
}

/* The token bucket, for src/bucket.rs. */
uint64_t onramp_native_bucket_take(uint64_t full_ns, uint64_t now_ns, uint64_t bytes,
				   uint64_t bytes_per_s)
{
	return onramp_bucket_take(full_ns, now_ns, bytes, bytes_per_s);
}

uint64_t onramp_native_bucket_has_ns(uint64_t full_ns, uint64_t bytes, uint64_t bytes_per_s,
				     uint64_t burst_bytes)
{
	return onramp_bucket_has_ns(full_ns, bytes, bytes_per_s, burst_bytes);
}

/* The memory of paths, for src/memory.rs. */
bool onramp_native_memory_is_over(const struct onramp_memory_entry *entry, uint64_t now_ns,
				  uint64_t lifetime_ns)
{
	return onramp_memory_is_over(entry, now_ns, lifetime_ns);
}

bool onramp_native_memory_is_in_use(const struct onramp_memory_entry *entry, uint64_t user,
				    uint64_t now_ns)
{
	return onramp_memory_is_in_use(entry, user, now_ns);
}

bool onramp_native_memory_take(struct onramp_memory_entry *entry, uint64_t user, uint64_t now_ns,
			       struct onramp_start *start)
{
	return onramp_memory_take(entry, user, now_ns, start);
}

bool onramp_native_memory_keep(struct onramp_memory_entry *entry, uint64_t user, uint64_t now_ns)
{
	return onramp_memory_keep(entry, user, now_ns);
}

void onramp_native_memory_give_back(struct onramp_memory_entry *entry, uint64_t user)
{
	onramp_memory_give_back(entry, user);
}

uint64_t onramp_native_memory_window(const struct onramp_start *start, bool is_new)
{
	return onramp_memory_window(start, is_new);
}

uint32_t onramp_native_memory_news(const struct onramp_decision *decision, uint64_t initial_bytes)
{
	return onramp_memory_news(decision, initial_bytes);
}

bool onramp_native_memory_save(struct onramp_memory_entry *entry, uint64_t user,
			       const struct onramp_decision *decision, uint64_t now_ns)
{
	return onramp_memory_save(entry, user, decision, now_ns);
}

bool onramp_native_memory_fits(uint64_t remembered_rtt_ns, uint64_t rtt_ns)
{
	return onramp_memory_fits(remembered_rtt_ns, rtt_ns);
}

/* The packet-pair option, for src/pairs.rs. */
uint32_t onramp_native_pair_option_bytes(uint32_t form, uint32_t type)
{
	return onramp_pair_option_bytes(form, type);
}

uint32_t onramp_native_pair_option_write(uint8_t *out, uint32_t form,
					 const struct onramp_pair_option *option)
{
	return onramp_pair_option_write(out, form, option);
}

uint32_t onramp_native_pair_option_read(const uint8_t *in, uint32_t bytes, uint32_t form,
					struct onramp_pair_option *option)
{
	return onramp_pair_option_read(in, bytes, form, option);
}

bool onramp_native_pair_arrived(struct onramp_pair_meter *meter, struct onramp_pair_counts *counts,
				const struct onramp_pair_option *option, uint64_t now_ns,
				uint32_t seq, uint32_t end, struct onramp_pair_option *reply)
{
	return onramp_pair_arrived(meter, counts, option, now_ns, seq, end, reply);
}

void onramp_native_pair_send_first(struct onramp_pair_probe *probe, uint64_t now_ns, uint32_t end,
				   struct onramp_pair_option *option)
{
	onramp_pair_send_first(probe, now_ns, end, option);
}

bool onramp_native_pair_send_second(struct onramp_pair_probe *probe,
				    struct onramp_pair_counts *counts, uint64_t now_ns,
				    uint32_t seq, uint32_t end, bool is_train,
				    struct onramp_pair_option *option)
{
	return onramp_pair_send_second(probe, counts, now_ns, seq, end, is_train, option);
}

struct onramp_pair_report onramp_native_pair_replied(struct onramp_pair_probe *probe,
						     struct onramp_pair_counts *counts,
						     const struct onramp_pair_option *reply,
						     uint64_t now_ns, uint32_t ack)
{
	return onramp_pair_replied(probe, counts, reply, now_ns, ack);
}

/* sizeof and the offset of the last member of each record, in the order of src/ffi.rs. */
const size_t onramp_layouts[] = {
	sizeof(struct onramp_clock),
	offsetof(struct onramp_clock, event_ns),
	sizeof(struct onramp_start),
	offsetof(struct onramp_start, remembered_rtt_ns),
	sizeof(struct onramp_ack),
	offsetof(struct onramp_ack, flags),
	sizeof(struct onramp_loss),
	offsetof(struct onramp_loss, kind),
	sizeof(struct onramp_decision),
	offsetof(struct onramp_decision, learned_rtt_ns),
	sizeof(struct onramp_memory_entry),
	offsetof(struct onramp_memory_entry, used_ns),
	sizeof(struct onramp_pair_option),
	offsetof(struct onramp_pair_option, reserved),
	sizeof(struct onramp_pair_counts),
	offsetof(struct onramp_pair_counts, reserved),
	sizeof(struct onramp_pair_meter),
	offsetof(struct onramp_pair_meter, replies),
	sizeof(struct onramp_pair_report),
	offsetof(struct onramp_pair_report, bytes),
	sizeof(struct onramp_pair_probe),
	offsetof(struct onramp_pair_probe, reserved),
	ONRAMP_MEMORY_LIFETIME_NS,
	ONRAMP_MEMORY_KEEP_NS,
	ONRAMP_STATE_BYTES,
	ONRAMP_EXIT_COUNT,
};
const size_t onramp_layout_count = sizeof(onramp_layouts) / sizeof(onramp_layouts[0]);
