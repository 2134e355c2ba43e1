/* SPDX-License-Identifier: GPL-2.0-only */
/* What both groups of a policy are measured by: policy/measure.h, groups.h, exits.h */

/* A connection that a policy has chosen, in this group */
static struct bpf_sock_ops chosen(uint32_t group)
{
	struct bpf_sock_ops ctx = established(new_socket());

	in_force();
	add_policy(0, true);
	table_of(0)->rules[0].threshold = 1;
	machine.random = group == ONRAMP_GROUP_STARTUP ? 0 : 1;
	machine.now_ns = 1000 * MS;
	onramp_policy(&ctx);
	return ctx;
}

static struct tcp_sock *socket_of(const struct bpf_sock_ops *ctx)
{
	return (struct tcp_sock *)ctx->sk;
}

/* A round trip of this time, in which so many segments are sent and acknowledged. The connection is
 * never idle. */
static void round_trip(struct bpf_sock_ops *ctx, uint64_t time_ns, uint32_t segments)
{
	struct tcp_sock *tp = socket_of(ctx);

	send_segments(tp, segments);
	machine.now_ns += time_ns;
	tp->chrono_stat[0] += (uint32_t)(time_ns / JIFFY_NS);
	count_acknowledged(tp, segments);
	ctx->op = BPF_SOCK_OPS_RTT_CB;
	onramp_policy(ctx);
}

static void end(struct bpf_sock_ops *ctx)
{
	ctx->op = BPF_SOCK_OPS_STATE_CB;
	ctx->args[1] = TCP_CLOSE;
	onramp_policy(ctx);
}

static uint64_t count_of(const struct onramp_times *times)
{
	uint64_t count = 0;

	for (int i = 0; i < ONRAMP_TIME_BUCKETS; i++)
		count += times->counts[i];
	return count;
}

TEST(times_to_both_sizes_are_interpolated_in_both_groups)
{
	for (uint32_t group = 0; group < 2; group++) {
		struct bpf_sock_ops ctx = chosen(group);
		struct onramp_group_counts *counts = group_counts(0, group);

		/* 100 kB are reached in the middle of the second round trip. */
		round_trip(&ctx, 40 * MS, 50);
		round_trip(&ctx, 40 * MS, 100);
		CHECK_EQUAL(count_of(&counts->time_to_size[0]), 1);
		CHECK_EQUAL(counts->time_to_size[0].sum_us, 60000);
		CHECK_EQUAL(count_of(&counts->time_to_size[1]), 0);
		round_trip(&ctx, 40 * MS, 850);
		CHECK_EQUAL(counts->time_to_size[1].sum_us, 120000);
		/* A megabyte is the end of the measurement. */
		CHECK_EQUAL(counts->segments.connections, 1);
		CHECK_EQUAL(counts->segments.sent, 1000);
		CHECK_EQUAL(counts->ended, 0);
		round_trip(&ctx, 40 * MS, 1000);
		end(&ctx);
		CHECK_EQUAL(counts->segments.connections, 1);
		CHECK_EQUAL(counts->ended, 1);
	}
}

/* The kernel counts no busy time while there is nothing to send. */
TEST(an_idle_time_does_not_count_as_slow)
{
	struct bpf_sock_ops ctx = chosen(ONRAMP_GROUP_CONTROL);
	struct onramp_times *times = &group_counts(0, ONRAMP_GROUP_CONTROL)->time_to_size[0];

	round_trip(&ctx, 40 * MS, 50);
	machine.now_ns += 60000 * MS;
	round_trip(&ctx, 40 * MS, 50);
	CHECK_EQUAL(count_of(times), 1);
	CHECK(times->sum_us >= 78000 && times->sum_us <= 82000);
}

TEST(a_connection_that_exchanges_small_messages_is_measured_for_some_round_trips_only)
{
	struct bpf_sock_ops ctx = chosen(ONRAMP_GROUP_STARTUP);
	struct onramp_group_counts *counts = group_counts(0, ONRAMP_GROUP_STARTUP);

	for (int i = 0; i < FIRST_ROUNDS; i++)
		round_trip(&ctx, 40 * MS, 1);
	CHECK_EQUAL(counts->segments.connections, 0);
	CHECK(ctx.bpf_sock_ops_cb_flags & BPF_SOCK_OPS_RTT_CB_FLAG);
	round_trip(&ctx, 40 * MS, 1);
	CHECK_EQUAL(counts->segments.connections, 1);
	CHECK(!(ctx.bpf_sock_ops_cb_flags & BPF_SOCK_OPS_RTT_CB_FLAG));
	CHECK_EQUAL(counts->ended, 0);
	end(&ctx);
	CHECK_EQUAL(counts->ended, 1);
	CHECK_EQUAL(count_of(&counts->time_to_size[0]), 0);
}

TEST(retransmissions_are_counted_in_both_groups)
{
	for (uint32_t group = 0; group < 2; group++) {
		struct bpf_sock_ops ctx = chosen(group);
		struct onramp_segments *segments = &group_counts(0, group)->segments;

		round_trip(&ctx, 40 * MS, 20);
		retransmit_segments(socket_of(&ctx), 3);
		end(&ctx);
		CHECK_EQUAL(segments->connections_retransmitting, 1);
		CHECK_EQUAL(segments->sent, 23);
		CHECK_EQUAL(segments->retransmitted, 3);
		CHECK_EQUAL(segments->sent_squares, 23 * 23);
		CHECK_EQUAL(segments->products, 23 * 3);
	}
}

/* Each segment that leaves is observed only in a round trip that reaches a measured size. */
TEST(departures_are_observed_where_a_size_is_near)
{
	struct bpf_sock_ops ctx = chosen(ONRAMP_GROUP_CONTROL);

	round_trip(&ctx, 40 * MS, 50);
	CHECK(!(ctx.bpf_sock_ops_cb_flags & BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG));
	send_segments(socket_of(&ctx), 49);
	ctx.op = BPF_SOCK_OPS_RTT_CB;
	onramp_policy(&ctx);
	CHECK(ctx.bpf_sock_ops_cb_flags & BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG);
}

/* A start-up of the service adds its exit, its time and its estimate to its connection's group. */
TEST(the_exit_of_a_start_up_counts_for_its_group)
{
	struct onramp_group_counts *counts = group_counts(0, ONRAMP_GROUP_STARTUP);
	struct tcp_sock *other = start_up(STARTUP_PHASE_SLOW_START);
	struct bpf_sock_ops ctx;
	struct tcp_sock *tp;

	config.service = true;
	ctx = chosen(ONRAMP_GROUP_STARTUP);
	tp = socket_of(&ctx);
	CHECK(has_control(tp, "onramp_scripted"));
	send_segments(tp, 20);
	machine.now_ns += 20 * MS;
	script.decision.estimate_bytes_per_s = 1000000;
	finish_next(STARTUP_EXIT_DELAY);
	acknowledge(tp, 1);
	CHECK_EQUAL(counts->exits[STARTUP_EXIT_DELAY], 1);
	CHECK_EQUAL(counts->startup_time.sum_us, 20000);
	CHECK_EQUAL(counts->estimate.sum_bytes_per_s, 1000000);
	/* A program has chosen the start-up of this one by its name. */
	send_segments(other, 20);
	acknowledge(other, 1);
	CHECK_EQUAL(totals_here()->exits[STARTUP_EXIT_DELAY], 2);
	CHECK_EQUAL(counts->exits[STARTUP_EXIT_DELAY], 1);
}
