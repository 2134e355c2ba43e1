/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policies of `onramp serve`, for all connections of the host: each new one gets the first
 * policy that matches it. A random number decides whether it gets the policy's start-up or belongs
 * to the control group, which keeps the congestion control of the host. Both groups are measured
 * in the same way.
 *
 *     onramp_policy()    attached to the root cgroup, which encloses all containers
 *         opened         receiver/lift.h: is its receive buffer raised?
 *         established    policy/match.h: which policy? Then the tag, the congestion control
 *                        policy/peers.h: is it counted?
 *         while it runs  policy/measure.h: what is counted into policy/groups.h
 *     onramp_mkdir()     a cgroup is made: do policies name it? So no connection of a service that
 *                        starts later is missed, also while `onramp serve` restarts.
 *     onramp_rmdir()
 *
 * A connection whose program has chosen a congestion control itself keeps it. `onramp exec` counts
 * as such a program: it runs first, because it is attached to an inner cgroup. A route with
 * `congctl lock` has chosen, too. Such a connection is in neither group.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "intf.h"
#include "policy/groups.h"
#include "policy/maps.h"
#include "policy/match.h"
#include "policy/measure.h"
#include "policy/peers.h"
#include "receiver/lift.h"

char _license[] SEC("license") = "GPL";

/* The hash of this object. A service of another build replaces the program. */
const volatile __u64 policy_build SEC(".rodata.policy");

#define OUR_FLAGS (BPF_SOCK_OPS_RTT_CB_FLAG | BPF_SOCK_OPS_STATE_CB_FLAG)

/* A random number decides about the group. */
static inline __u32 choose_group(const struct onramp_rule *rule)
{
	if (rule->threshold == ONRAMP_EVERY_CONNECTION || bpf_get_prandom_u32() < rule->threshold)
		return ONRAMP_GROUP_STARTUP;
	return ONRAMP_GROUP_CONTROL;
}

/* Give the connection the start-up of the policy. Returns whether the kernel accepts it. */
static inline bool give_start_up(struct bpf_sock_ops *ctx, const struct onramp_rule *rule,
				 struct onramp_policy_totals *totals)
{
	char name[ONRAMP_NAME_BYTES];

	__builtin_memcpy(name, rule->congestion_control, sizeof(name));
	if (!bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)))
		return true;
	add_to(&totals->refused, 1);
	return false;
}

/* Put the connection into a group of the policy. The start-up reads the tag, so it comes first. */
static inline void assign(struct bpf_sock_ops *ctx, struct bpf_sock *sk, struct tcp_sock *tp,
			  const struct onramp_rule *rule, struct onramp_policy_totals *totals)
{
	struct onramp_tag *tag =
		bpf_sk_storage_get(&onramp_tags, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	struct onramp_group_counts *group;

	if (!tag)
		return; /* Out of memory: the connection stays as it is. */
	__builtin_memset(tag, 0, sizeof(*tag));
	note_time(tp, tag);
	tag->start_acked_bytes = tp->bytes_acked;
	tag->start_sent_segments = tp->data_segs_out;
	tag->start_retransmitted_segments = tp->total_retrans;
	tag->slot = rule->slot;
	tag->epoch = rule->epoch;
	tag->group = choose_group(rule);
	if (tag->group == ONRAMP_GROUP_STARTUP && !give_start_up(ctx, rule, totals)) {
		bpf_sk_storage_delete(&onramp_tags, sk);
		return;
	}
	group = group_of(tag);
	if (group)
		add_to(&group->connections, 1);
	set_flags(ctx, OUR_FLAGS, 0);
}

/* Has the program or the route chosen the congestion control? The answer comes before the group
 * is chosen: a route's choice cannot be replaced, so only the start-up's group would lose such
 * connections, and the groups would differ. */
static inline bool is_chosen_already(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_setsockopt) ||
	       BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_dst_locked);
}

static inline void on_new_connection(struct bpf_sock_ops *ctx)
{
	struct onramp_policy_totals *totals = policy_totals();
	struct onramp_table *table = table_of(active_generation());
	struct onramp_prefix destination = {};
	struct bpf_sock *sk = ctx->sk;
	const struct onramp_rule *rule;
	struct tcp_sock *tp;
	__u64 policies;
	bool is_ipv4;
	__u32 first;

	if (!totals || !table || !sk)
		return;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return;
	policies = policies_of(ctx, tp, table);
	if (!policies) {
		add_to(&totals->without_policy, 1);
		return;
	}
	first = first_of(policies) & (ONRAMP_POLICIES - 1);
	rule = &table->rules[first];
	if (rule->receive_window_bytes && ctx->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		lift_accepted(ctx, rule->receive_window_bytes);
	if (!(table->measured >> first & 1))
		return;
	if (is_chosen_already(tp)) {
		add_to(&totals->chosen_by_program, 1);
		return;
	}
	is_ipv4 = fill_prefix(ctx, &destination);
	if (is_counted(rule, peer_prefix(&destination, is_ipv4))) {
		assign(ctx, sk, tp, rule, totals);
		return;
	}
	add_to(&totals->not_counted, 1);
	if (choose_group(rule) == ONRAMP_GROUP_STARTUP)
		give_start_up(ctx, rule, totals);
}

/* This host opens a connection. Its receive buffer is raised before its SYN. */
static inline void on_open(struct bpf_sock_ops *ctx)
{
	struct onramp_table *table = table_of(active_generation());
	struct bpf_sock *sk = ctx->sk;
	struct tcp_sock *tp;
	__u32 window_bytes;
	__u64 policies;

	if (!table || !table->lifting || !sk)
		return;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return;
	policies = policies_of(ctx, tp, table);
	if (!policies)
		return;
	window_bytes =
		table->rules[first_of(policies) & (ONRAMP_POLICIES - 1)].receive_window_bytes;
	if (window_bytes)
		lift_opened(ctx, window_bytes, table->receive_limit_bytes);
}

/* A segment leaves, or a round trip ends. */
static inline void on_segment(struct bpf_sock_ops *ctx)
{
	struct onramp_table *table = table_of(active_generation());

	if (table && table->lifting)
		lift_at_segment(ctx, table->receive_limit_bytes);
}

/* The connection was acknowledged something, sends, or changes its state. */
static inline void on_progress(struct bpf_sock_ops *ctx)
{
	struct onramp_group_counts *group;
	struct bpf_sock *sk = ctx->sk;
	struct onramp_tag *tag;
	struct tcp_sock *tp;
	bool has_ended, is_round;

	if (!sk)
		return;
	tag = bpf_sk_storage_get(&onramp_tags, sk, 0, 0);
	if (!tag)
		return; /* Another program has asked for the calls. */
	tp = bpf_skc_to_tcp_sock(sk);
	group = group_of(tag);
	if (!tp || !group)
		return;
	observe(tp, tag, group);
	has_ended = ctx->op == BPF_SOCK_OPS_STATE_CB && ctx->args[1] == TCP_CLOSE;
	is_round = ctx->op == BPF_SOCK_OPS_RTT_CB;
	if (has_ended || !is_measured(tag) || (is_round && exchanges_small_messages(tag))) {
		end_measurement(tp, tag, group);
		set_flags(ctx, 0, BPF_SOCK_OPS_RTT_CB_FLAG | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
	} else if (is_round) {
		begin_round(ctx, tp, tag);
	}
	if (has_ended)
		add_to(&group->ended, 1);
}

SEC("sockops")
int onramp_policy(struct bpf_sock_ops *ctx)
{
	switch (ctx->op) {
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
		on_open(ctx);
		break;
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		on_new_connection(ctx);
		break;
	case BPF_SOCK_OPS_STATE_CB:
		lift_ends(ctx);
		on_progress(ctx);
		break;
	case BPF_SOCK_OPS_RTT_CB:
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		on_progress(ctx);
		on_segment(ctx);
		break;
	}
	return 1;
}

/* Policies of a generation that name a cgroup */
static inline __u64 policies_named(__u32 generation, struct onramp_cgroup_name *key)
{
	__u64 *policies;

	key->generation = generation;
	policies = bpf_map_lookup_elem(&onramp_cgroups, key);
	return policies ? *policies : 0;
}

/* If policies of this generation name the cgroup, note its id and its level. */
static inline void note_cgroup(__u32 generation, __u64 policies, __u64 id, __u32 level)
{
	struct onramp_match match = {generation, ONRAMP_MATCH_CGROUP, id};
	struct onramp_policy_totals *totals = policy_totals();
	__u32 *is_named;

	if (!policies || !totals)
		return;
	if (bpf_map_update_elem(&onramp_matches, &match, &policies, BPF_ANY))
		add_to(&totals->cgroups_lost, 1);
	if (level >= ONRAMP_CGROUP_LEVELS)
		return;
	is_named = level_of(generation, level);
	if (is_named)
		*is_named = 1;
}

/* A cgroup was made; no process is in it yet. User space may be writing the next generation, so the
 * cgroup is noted for both. */
SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(onramp_mkdir, struct cgroup *cgroup, const char *path)
{
	struct onramp_cgroup_name key = {};
	__u32 generation = active_generation();
	__u64 id = cgroup->kn->id, now, next;
	__u32 level = cgroup->level;

	bpf_probe_read_kernel_str(key.name, sizeof(key.name), path);
	now = policies_named(generation, &key);
	next = policies_named(generation + 1, &key);
	__builtin_memset(&key, 0, sizeof(key));
	bpf_probe_read_kernel_str(key.name, sizeof(key.name), cgroup->kn->name);
	now |= policies_named(generation, &key);
	next |= policies_named(generation + 1, &key);
	note_cgroup(generation, now, id, level);
	note_cgroup(generation + 1, next, id, level);
	return 0;
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(onramp_rmdir, struct cgroup *cgroup, const char *path)
{
	__u32 generation = active_generation();
	struct onramp_match match = {generation, ONRAMP_MATCH_CGROUP, cgroup->kn->id};

	bpf_map_delete_elem(&onramp_matches, &match);
	match.generation = generation + 1;
	bpf_map_delete_elem(&onramp_matches, &match);
	return 0;
}
