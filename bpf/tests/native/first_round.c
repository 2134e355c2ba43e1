/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host learns of the first round: startup/first_round.h. core/tests has the rates. */

/* The initial rate of a connection that starts now */
static uint64_t initial_rate(void)
{
	start_up_of(new_socket(), STARTUP_PHASE_SLOW_START);
	return script.start.initial_bytes_per_s;
}

/* A connection whose ACKs tell so */
static struct tcp_sock *tells(enum startup_first_round outcome)
{
	struct tcp_sock *tp = start_up_of(new_socket(), STARTUP_PHASE_SLOW_START);

	script.decision.first_round = outcome;
	send_segments(tp, 1);
	acknowledge(tp, 1);
	return tp;
}

TEST(a_connection_teaches_the_next_ones_once)
{
	uint64_t rate = FIRST_ROUND_BYTES_PER_S;
	struct tcp_sock *tp;

	config.initial_bytes_per_s = STARTUP_UNLIMITED;
	CHECK_EQUAL(initial_rate(), rate);
	tp = tells(STARTUP_FIRST_ROUND_CARRIED);
	send_segments(tp, 1);
	acknowledge(tp, 1);
	script.decision.first_round = STARTUP_FIRST_ROUND_UNKNOWN;
	rate *= FIRST_ROUND_SEARCH_FACTOR;
	CHECK_EQUAL(initial_rate(), rate);
	tells(STARTUP_FIRST_ROUND_TOO_FAST);
	script.decision.first_round = STARTUP_FIRST_ROUND_UNKNOWN;
	CHECK_EQUAL(initial_rate(), rate / FIRST_ROUND_FALL_DIVISOR);
}

/* A socket to 192.0.N.1 */
static struct tcp_sock *socket_to_network(uint32_t n)
{
	struct tcp_sock *tp = new_socket();

	sock_of(tp)->__sk_common.skc_daddr = bpf_htonl(0xc0000001 + (n << 8));
	return tp;
}

TEST(a_prefix_has_its_own_rate)
{
	uint64_t rate = FIRST_ROUND_BYTES_PER_S;
	struct tcp_sock *tp;

	config.initial_bytes_per_s = STARTUP_UNLIMITED;
	for (int i = 0; i < 3; i++) {
		tp = start_up_of(socket_to_network(3), STARTUP_PHASE_SLOW_START);
		script.decision.first_round = STARTUP_FIRST_ROUND_TOO_FAST;
		send_segments(tp, 1);
		acknowledge(tp, 1);
		script.decision.first_round = STARTUP_FIRST_ROUND_UNKNOWN;
	}
	start_up_of(socket_to_network(3), STARTUP_PHASE_SLOW_START);
	CHECK_EQUAL(script.start.initial_bytes_per_s, rate / 8);
	/* The host has learned from the first of them only. */
	start_up_of(socket_to_network(4), STARTUP_PHASE_SLOW_START);
	CHECK_EQUAL(script.start.initial_bytes_per_s, rate / 2);
}

TEST(a_rate_of_the_user_stays)
{
	config.initial_bytes_per_s = 1000000;
	tells(STARTUP_FIRST_ROUND_TOO_FAST);
	script.decision.first_round = STARTUP_FIRST_ROUND_UNKNOWN;
	CHECK_EQUAL(initial_rate(), 1000000);
}
