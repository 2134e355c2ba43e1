/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections of this host that start up to one destination: startup/ensemble.h. core/tests has the
 * counts. */

/* How many siblings a connection sees at an ACK */
static uint64_t siblings_of(struct tcp_sock *tp)
{
	send_segments(tp, 1);
	acknowledge(tp, 1);
	return connection_of(sock_of(tp))->ack.siblings;
}

static struct tcp_sock *start_up_to(__be32 destination)
{
	struct tcp_sock *tp = new_socket();

	sock_of(tp)->__sk_common.skc_daddr = destination;
	return start_up_of(tp, STARTUP_PHASE_SLOW_START);
}

TEST(connections_to_other_addresses_are_not_counted)
{
	struct tcp_sock *first = start_up_to(1), *second, *over_ipv6 = new_socket();

	start_up_to(1);
	second = start_up_to(2);
	start_up_to(2);
	start_up_to(2);
	sock_of(over_ipv6)->__sk_common.skc_family = AF_INET6;
	start_up_of(over_ipv6, STARTUP_PHASE_SLOW_START);
	CHECK_EQUAL(siblings_of(first), 1);
	CHECK_EQUAL(siblings_of(second), 2);
	CHECK_EQUAL(siblings_of(over_ipv6), 0);
}

TEST(connections_that_send_nothing_are_not_counted_for_long)
{
	struct tcp_sock *tp = start_up_to(1);

	for (int i = 0; i < 5; i++)
		start_up_to(1);
	CHECK_EQUAL(siblings_of(tp), 5);
	machine.now_ns += 2 * ENSEMBLE_PERIOD_NS;
	CHECK_EQUAL(siblings_of(tp), 0);
}

TEST(a_connection_counts_until_its_start_up_or_itself_ends)
{
	struct tcp_sock *tp = start_up_to(1), *ends, *closes = start_up_to(1);

	ends = start_up_to(1);
	CHECK_EQUAL(siblings_of(tp), 2);
	close_socket(closes);
	CHECK_EQUAL(siblings_of(tp), 1);
	finish_next(STARTUP_EXIT_DELAY);
	/* Something of it is in flight, so it is not handed over yet. */
	send_segments(ends, 2);
	acknowledge(ends, 1);
	script.decision.phase = STARTUP_PHASE_SLOW_START;
	script.decision.exit = STARTUP_EXIT_NONE;
	CHECK_EQUAL(siblings_of(tp), 0);
}
