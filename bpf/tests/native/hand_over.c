/* SPDX-License-Identifier: GPL-2.0-only */
/* When the kernel's own congestion avoidance gets the socket: startup/hand_over.h, and the ends of
 * a start-up that the host decides (core/host.h) */

static bool is_handed_over(const struct tcp_sock *tp)
{
	const struct onramp_connection *connection = connection_of(sock_of((struct tcp_sock *)tp));

	return has_control(tp, "cubic") && connection && connection->handed_over_ns;
}

TEST(a_connection_is_handed_over_when_all_of_its_start_up_is_acknowledged)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 20);
	tp->inet_conn.icsk_ca_priv[3] = 1234;
	finish_next(STARTUP_EXIT_DELAY);
	script.decision.ssthresh_bytes = 17 * MSS;
	acknowledge(tp, 1);
	CHECK(!is_handed_over(tp));
	acknowledge(tp, 18);
	CHECK(!is_handed_over(tp));
	machine.now_ns += MS;
	acknowledge(tp, 1);
	CHECK(is_handed_over(tp));
	/* CUBIC goes on as it was. */
	CHECK_EQUAL(tp->inet_conn.icsk_ca_priv[3], 1234);
	CHECK_EQUAL(tp->snd_ssthresh, 17);
	CHECK_EQUAL(totals_here()->ended, 1);
	CHECK_EQUAL(connection_of(sock_of(tp))->exit, STARTUP_EXIT_DELAY);
}

TEST(reno_takes_over_where_it_follows)
{
	struct tcp_sock *tp;

	config.avoidance = ONRAMP_AVOIDANCE_RENO;
	tp = start_up(STARTUP_PHASE_SLOW_START);
	send_segments(tp, 2);
	finish_next(STARTUP_EXIT_DELAY);
	acknowledge(tp, 1);
	acknowledge(tp, 1);
	CHECK(has_control(tp, "reno"));
}

/* The kernel may undo the reduction until what was in flight at the repair's end is acknowledged.
 */
TEST(a_connection_is_not_handed_over_before_a_repair_is_settled)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 20);
	finish_next(STARTUP_EXIT_LOSS);
	script.decision.ssthresh_bytes = 10 * MSS;
	lose(tp, 4);
	repair(tp, 4);
	send_segments(tp, 10);
	lose(tp, 1);
	retransmit_segments(tp, 1);
	count_acknowledged(tp, 5);
	enter_state(tp, TCP_CA_Open);
	acknowledge(tp, 4);
	CHECK(!is_handed_over(tp));
	acknowledge(tp, 1);
	CHECK(is_handed_over(tp));
}

TEST(a_hand_over_that_the_kernel_refuses_is_tried_again_a_round_trip_later)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 10);
	finish_next(STARTUP_EXIT_DELAY);
	machine.refuses_control = true;
	acknowledge(tp, 9);
	send_segments(tp, 5);
	acknowledge(tp, 1);
	CHECK(!is_handed_over(tp));
	machine.refuses_control = false;
	acknowledge(tp, 4);
	CHECK(!is_handed_over(tp));
	acknowledge(tp, 1);
	CHECK(is_handed_over(tp));
}

/* Ends the start-up of a connection, and acknowledges everything. */
static void end_and_settle(struct tcp_sock *tp)
{
	send_segments(tp, 5);
	finish_next(STARTUP_EXIT_DELAY);
	acknowledge(tp, 4);
	acknowledge(tp, 1);
}

TEST(bbr_keeps_its_connections)
{
	struct tcp_sock *tp;

	config.avoidance = ONRAMP_AVOIDANCE_BBR;
	tp = start_up(STARTUP_PHASE_SLOW_START);
	end_and_settle(tp);
	CHECK(has_control(tp, "onramp_scripted"));
}

TEST(a_connection_that_holds_a_path_or_has_a_reservation_or_pairs_stays)
{
	struct tcp_sock *holder, *reserves, *has_pairs, *plain;

	config.memory_lifetime_ns = 600 * NS_PER_S;
	holder = start_up(STARTUP_PHASE_SLOW_START);
	script.decision.learned_bytes = 100 * MSS;
	script.decision.learned_rtt_ns = 10 * MS;
	script.decision.is_full = true;
	end_and_settle(holder);
	CHECK(holds_path(connection_of(sock_of(holder))));
	CHECK(has_control(holder, "onramp_scripted"));

	config.memory_lifetime_ns = 0;
	reserves = start_up(STARTUP_PHASE_SLOW_START);
	bpf_sk_storage_get(&onramp_reserved, reserves, 0, BPF_SK_STORAGE_GET_F_CREATE);
	end_and_settle(reserves);
	CHECK(has_control(reserves, "onramp_scripted"));

	has_pairs = start_up(STARTUP_PHASE_SLOW_START);
	bpf_sk_storage_get(&onramp_pairs, has_pairs, 0, BPF_SK_STORAGE_GET_F_CREATE);
	end_and_settle(has_pairs);
	CHECK(has_control(has_pairs, "onramp_scripted"));

	plain = start_up(STARTUP_PHASE_SLOW_START);
	end_and_settle(plain);
	CHECK(is_handed_over(plain));
}

TEST(a_socket_that_was_handed_over_can_choose_the_start_up_again)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);
	uint64_t id = connection_of(sock_of(tp))->id;

	end_and_settle(tp);
	CHECK(is_handed_over(tp));
	script.decision.phase = STARTUP_PHASE_SLOW_START;
	script.decision.exit = STARTUP_EXIT_NONE;
	native_setsockopt(tp, TCP_CONGESTION, "onramp_scripted", 15);
	CHECK(has_control(tp, "onramp_scripted"));
	CHECK_EQUAL(connection_of(sock_of(tp))->handed_over_ns, 0);
	CHECK(connection_of(sock_of(tp))->id > id);
	CHECK_EQUAL(totals_here()->started, 2);
}

TEST(an_algorithm_that_returns_is_not_handed_over)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 5);
	startup_pause(&script.decision, STARTUP_EXIT_ESTIMATE);
	acknowledge(tp, 4);
	acknowledge(tp, 1);
	CHECK(has_control(tp, "onramp_scripted"));
}

/* A message and its ACK: nothing is in flight then, and the application has nothing more. */
static void exchange_message(struct tcp_sock *tp, uint32_t segments)
{
	send_segments(tp, segments);
	tp->write_seq = tp->snd_nxt;
	tp->max_packets_out = 1;
	tp->snd_ssthresh = 5; /* cwnd does not limit the sender. */
	machine.now_ns += MS;
	acknowledge(tp, segments);
}

/* A connection whose start-up has ended at a full pipe. After an idle time it keeps 60 segments. */
static struct tcp_sock *paused(void)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 20);
	startup_pause(&script.decision, STARTUP_EXIT_DELAY);
	script.decision.cwnd_bytes = 100 * MSS;
	script.decision.ssthresh_bytes = 80 * MSS;
	script.decision.restart_bytes = 60 * MSS;
	script.decision.pacing_bytes_per_s = 6000 * MSS;
	acknowledge(tp, 20);
	return tp;
}

TEST(an_idle_time_leaves_what_the_algorithm_keeps_paced)
{
	struct tcp_sock *tp = paused();
	struct sock *sk = sock_of(tp);

	machine.now_ns += 1000 * MS;
	tp->snd_cwnd = INITIAL_CWND;
	onramp_min_tso_segs(sk);
	CHECK_EQUAL(tp->snd_cwnd, 60);
	CHECK_EQUAL(sk->sk_pacing_rate, 6000 * MSS);
	/* Five minutes later nothing is left. */
	machine.now_ns += 300 * 1000 * MS;
	tp->snd_cwnd = INITIAL_CWND;
	onramp_min_tso_segs(sk);
	CHECK_EQUAL(tp->snd_cwnd, INITIAL_CWND);
}

TEST(a_window_after_a_pause_of_any_length_leaves_paced)
{
	struct tcp_sock *tp = paused();
	struct sock *sk = sock_of(tp);

	CHECK(!is_handed_over(tp));
	for (int i = 0; i < 2; i++) {
		onramp_min_tso_segs(sk);
		CHECK_EQUAL(sk->sk_pacing_status, SK_PACING_NEEDED);
		CHECK_EQUAL(sk->sk_pacing_rate, 6000 * MSS);
		send_segments(tp, 300);
		acknowledge(tp, 50);
		onramp_min_tso_segs(sk);
		CHECK_EQUAL(sk->sk_pacing_status, SK_PACING_NEEDED);
		acknowledge(tp, 200);
		/* ACKs clock the sender. */
		onramp_min_tso_segs(sk);
		CHECK_EQUAL(sk->sk_pacing_status, SK_PACING_NONE);
		acknowledge(tp, 50);
	}
}

TEST(a_bulk_transfer_is_handed_over_though_its_start_up_may_return)
{
	struct tcp_sock *tp = paused();

	send_segments(tp, 1);
	tp->delivered += HOST_BUSY_BYTES / MSS;
	acknowledge(tp, 1);
	CHECK(is_handed_over(tp));
	CHECK_EQUAL(connection_of(sock_of(tp))->exit, STARTUP_EXIT_DELAY);
}

TEST(a_connection_for_small_messages_goes_on_with_the_kernels_own_control)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	for (int i = 0; i < HOST_MAX_QUIET_ACKS - 1; i++)
		exchange_message(tp, 1);
	/* The first quiet ACK is reported, the others are skipped. */
	CHECK_EQUAL(script.acks, 1);
	CHECK_EQUAL(totals_here()->exits[STARTUP_EXIT_APPLICATION], 0);
	exchange_message(tp, 1);
	CHECK_EQUAL(totals_here()->exits[STARTUP_EXIT_APPLICATION], 1);
	exchange_message(tp, 1);
	CHECK(is_handed_over(tp));
}

TEST(larger_messages_in_between_keep_the_start_up)
{
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	for (int i = 0; i < 3 * HOST_MAX_QUIET_ACKS; i++) {
		exchange_message(tp, 1);
		if (i % 50)
			continue;
		send_segments(tp, 4);
		acknowledge(tp, 2);
		acknowledge(tp, 2);
	}
	CHECK_EQUAL(totals_here()->exits[STARTUP_EXIT_APPLICATION], 0);
	CHECK(has_control(tp, "onramp_scripted"));
}

/* Round trips that the receiver's window limits */
TEST(a_connection_that_cwnd_does_not_limit_ends_and_its_end_is_reported)
{
	struct tcp_sock *tp;

	config.events = true;
	tp = start_up(STARTUP_PHASE_SLOW_START);
	send_segments(tp, 4);
	for (int i = 0; i <= HOST_MAX_LIMITED_ROUNDS; i++) {
		CHECK_EQUAL(totals_here()->exits[STARTUP_EXIT_RECEIVER], 0);
		tp->snd_ssthresh = 5;
		script.decision.ssthresh_bytes = 5 * MSS;
		send_segments(tp, 4);
		machine.now_ns += MS;
		acknowledge(tp, 4);
	}
	CHECK_EQUAL(totals_here()->exits[STARTUP_EXIT_RECEIVER], 1);
	/* The start and the end */
	CHECK_EQUAL(machine.events, 2);
}
