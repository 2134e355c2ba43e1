/* SPDX-License-Identifier: GPL-2.0-only */
/* The governor in a start-up program: startup/governor.h. core/tests has its averages. */

/* A connection whose start-up sends 40 segments, and has to retransmit some of them */
static struct tcp_sock *transfer(uint32_t retransmitted, __be32 destination)
{
	struct tcp_sock *tp = new_socket();

	sock_of(tp)->__sk_common.skc_daddr = destination;
	start_up_of(tp, STARTUP_PHASE_SLOW_START);
	send_segments(tp, 40);
	finish_next(STARTUP_EXIT_LOSS);
	if (retransmitted) {
		lose(tp, retransmitted);
		repair(tp, retransmitted);
	} else {
		acknowledge(tp, 40);
	}
	close_socket(tp);
	return tp;
}

/* The number of connections that the governor held back */
static uint64_t governed(void)
{
	return totals_here()->exits[STARTUP_EXIT_GOVERNED];
}

static void govern(void)
{
	config.governor_bound_ppm = GOVERNOR_BOUND_PPM;
}

TEST(a_destination_that_loses_too_much_begins_with_slow_start_until_it_is_good)
{
	uint32_t starts, rounds = 0;

	govern();
	for (int i = 0; i < GOVERNOR_DESTINATION_STARTUPS / GOVERNOR_MIN_DIVISOR; i++)
		transfer(30, 1);
	CHECK_EQUAL(governed(), 0);
	/* One connection of sixteen tries. */
	starts = script.starts;
	for (int i = 0; i < GOVERNOR_TRY_INTERVAL; i++)
		transfer(0, 1);
	CHECK_EQUAL(governed(), GOVERNOR_TRY_INTERVAL - 1);
	CHECK_EQUAL(script.starts, starts + 1);
	/* The path is good again, and each try lowers the average. */
	for (; governed() == (GOVERNOR_TRY_INTERVAL - 1) * (uint64_t)(rounds + 1); rounds++)
		for (int i = 0; i < GOVERNOR_TRY_INTERVAL; i++)
			transfer(0, 1);
	CHECK(rounds > 0 && rounds < 16);
}

TEST(a_governed_connection_never_calls_the_algorithm)
{
	struct tcp_sock *tp;
	uint32_t acks;

	govern();
	for (int i = 0; i < 8; i++)
		transfer(30, 1);
	acks = script.acks;
	tp = transfer(30, 1);
	CHECK_EQUAL(governed(), 1);
	CHECK_EQUAL(script.acks, acks);
	CHECK_EQUAL(tp->snd_cwnd, INITIAL_CWND);
	/* Nor does it go into the averages. */
	CHECK_EQUAL(host_average()->startups, 8);
}

TEST(other_destinations_start_as_before)
{
	govern();
	for (int i = 0; i < 20; i++)
		transfer(30, 1);
	CHECK(governed() > 0);
	uint64_t held = governed();
	transfer(0, 2);
	CHECK_EQUAL(governed(), held);
}

TEST(a_path_without_losses_never_makes_the_governor_hold)
{
	struct governor_average *host;

	govern();
	for (int i = 0; i < 3 * GOVERNOR_HOST_STARTUPS; i++)
		transfer(0, 1);
	host = host_average();
	CHECK_EQUAL(governed(), 0);
	CHECK_EQUAL(host->startups, GOVERNOR_HOST_STARTUPS);
	CHECK_EQUAL(host->share_ppm, 0);
}

/* Many destinations that lose a little govern the host. */
TEST(the_host_is_governed_when_all_destinations_lose)
{
	govern();
	for (uint32_t i = 0; i < GOVERNOR_HOST_STARTUPS / GOVERNOR_MIN_DIVISOR; i++)
		transfer(30, i + 1);
	CHECK_EQUAL(governed(), 0);
	transfer(0, 1000);
	CHECK_EQUAL(governed(), 1);
}

/* Who sends no more than an initial window does nothing that slow start would not do. */
TEST(small_start_ups_do_not_count)
{
	struct tcp_sock *tp;

	govern();
	tp = start_up(STARTUP_PHASE_SLOW_START);
	send_segments(tp, 10);
	close_socket(tp);
	CHECK_EQUAL(host_average()->startups, 0);
	tp = start_up(STARTUP_PHASE_SLOW_START);
	send_segments(tp, 11);
	close_socket(tp);
	CHECK_EQUAL(host_average()->startups, 1);
}

/* A host can have all addresses of 64 bits, so they are one destination. ::1 and IPv4 addresses in
 * IPv6 are destinations of their own. */
TEST(a_destination_of_ipv6_has_64_bits)
{
	struct onramp_destination first, second;
	struct tcp_sock *tp = new_socket();
	struct sock *sk = sock_of(tp);
	__be32 *address = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32;

	sk->__sk_common.skc_family = AF_INET6;
	address[0] = 0xb80d0120;
	address[3] = 1;
	fill_destination(sk, &first);
	address[3] = 2;
	fill_destination(sk, &second);
	CHECK(!memcmp(&first, &second, sizeof(first)));
	address[1] = 1;
	fill_destination(sk, &second);
	CHECK(memcmp(&first, &second, sizeof(first)));
	/* ::ffff:192.0.2.1 is 192.0.2.1. */
	address[0] = address[1] = 0;
	address[2] = bpf_htonl(0xffff);
	address[3] = sk->__sk_common.skc_daddr;
	fill_destination(sk, &first);
	sk->__sk_common.skc_family = AF_INET;
	fill_destination(sk, &second);
	CHECK(!memcmp(&first, &second, sizeof(first)));
}

TEST(without_a_bound_there_is_no_governor)
{
	for (int i = 0; i < 300; i++)
		transfer(30, 1);
	CHECK_EQUAL(governed(), 0);
	CHECK_EQUAL(host_average()->startups, 0);
}
