/* SPDX-License-Identifier: GPL-2.0-only */
/* Totals of a registration: startup/totals.h, events.h */

TEST(a_connection_adds_what_it_sent_to_the_totals)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	CHECK_EQUAL(totals->started, 1);
	send_segments(tp, 20);
	machine.now_ns += 10 * MS;
	script.decision.estimate_bytes_per_s = 1000;
	acknowledge(tp, 10);
	CHECK_EQUAL(script.acks, 1);
	finish_next(STARTUP_EXIT_DELAY);
	acknowledge(tp, 5);
	CHECK_EQUAL(totals->exits[STARTUP_EXIT_DELAY], 1);
	CHECK_EQUAL(totals->estimates, 1);
	CHECK_EQUAL(totals->startup_sent_segments, 20);
	CHECK_EQUAL(totals->time_us, 11000);
	/* 11,000 us lie between 2^13 and 2^14. */
	CHECK_EQUAL(totals->times[14], 1);
	CHECK_EQUAL(totals->ended, 0);
	close_socket(tp);
	CHECK_EQUAL(totals->ended, 1);
	CHECK_EQUAL(totals->delivered_bytes, 15 * MSS);
	CHECK_EQUAL(totals->sent_segments, 20);
}

TEST(a_start_up_ends_with_its_connection)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 3);
	machine.now_ns += MS;
	close_socket(tp);
	CHECK_EQUAL(totals->exits[STARTUP_EXIT_NONE], 1);
	CHECK_EQUAL(totals->startup_sent_segments, 3);
	CHECK_EQUAL(totals->time_us, 2000);
	CHECK_EQUAL(totals->ended, 1);
}

/* What a socket has sent before it chooses the start-up is not the start-up's. */
TEST(counts_begin_when_the_start_up_does)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = new_socket();

	send_segments(tp, 100);
	retransmit_segments(tp, 7);
	count_acknowledged(tp, 100);
	native_setsockopt(tp, TCP_CONGESTION, "onramp_scripted", 15);
	send_segments(tp, 4);
	count_acknowledged(tp, 4);
	close_socket(tp);
	CHECK_EQUAL(totals->sent_segments, 4);
	CHECK_EQUAL(totals->retransmitted_segments, 0);
	CHECK_EQUAL(totals->delivered_bytes, 4 * MSS);
}

/* Only the first exit counts: the algorithm returns after an RTO and ends again. */
TEST(a_second_exit_does_not_count)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 30);
	startup_pause(&script.decision, STARTUP_EXIT_LOSS);
	acknowledge(tp, 10);
	script.decision.phase = STARTUP_PHASE_SLOW_START;
	script.decision.exit = STARTUP_EXIT_NONE;
	set_cwnd(tp, 1);
	set_ssthresh(tp, 10);
	acknowledge(tp, 1);
	finish_next(STARTUP_EXIT_DELAY);
	acknowledge(tp, 1);
	CHECK_EQUAL(totals->exits[STARTUP_EXIT_LOSS], 1);
	CHECK_EQUAL(totals->exits[STARTUP_EXIT_DELAY], 0);
}

/* Slow start ends with the loss, and its segments are retransmitted afterwards. */
TEST(a_start_up_answers_for_retransmissions_after_its_end)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 40);
	finish_next(STARTUP_EXIT_LOSS);
	script.decision.ssthresh_bytes = 20 * MSS;
	lose(tp, 8);
	CHECK_EQUAL(script.loss.lost_bytes, 8 * MSS);
	CHECK_EQUAL(totals->startup_sent_segments, 40);
	CHECK_EQUAL(totals->startup_retransmitted_segments, 0);
	repair(tp, 8);
	CHECK_EQUAL(totals->startup_sent_segments, 48);
	CHECK_EQUAL(totals->startup_retransmitted_segments, 8);

	/* A later loss is congestion avoidance's. */
	send_segments(tp, 40);
	lose(tp, 5);
	repair(tp, 5);
	close_socket(tp);
	CHECK_EQUAL(totals->startup_retransmitted_segments, 8);
	CHECK_EQUAL(totals->retransmitted_segments, 13);
	CHECK_EQUAL(totals->sent_segments, 40 + 8 + 40 + 5);
}

TEST(a_repair_counts_when_it_ends)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 40);
	finish_next(STARTUP_EXIT_LOSS);
	lose(tp, 4);
	retransmit_segments(tp, 4);
	count_acknowledged(tp, 10);
	CHECK_EQUAL(totals->startup_retransmitted_segments, 0);
	enter_state(tp, TCP_CA_Open);
	CHECK_EQUAL(totals->startup_retransmitted_segments, 4);
}

/* A repair that begins before everything of the start-up is acknowledged is its own too. */
TEST(late_retransmissions_count_until_the_start_up_is_acknowledged)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_SLOW_START);

	send_segments(tp, 20);
	finish_next(STARTUP_EXIT_DELAY);
	acknowledge(tp, 1);
	lose(tp, 2);
	retransmit_segments(tp, 2);
	close_socket(tp);
	CHECK_EQUAL(totals->startup_retransmitted_segments, 2);
}

TEST(a_loss_of_a_paced_flight_is_counted)
{
	struct onramp_totals *totals = totals_here();
	struct tcp_sock *tp = start_up(STARTUP_PHASE_PACING);

	script.decision.pacing_bytes_per_s = 1000000;
	send_segments(tp, 20);
	acknowledge(tp, 1);
	lose(tp, 2);
	CHECK_EQUAL(totals->paced_flights_lost, 1);
}

/* The ring of startup/events.h has room for some events. The others are counted as lost. */
TEST(events_that_nobody_takes_are_counted_when_the_ring_is_full)
{
	struct onramp_totals *totals = totals_here();
	uint64_t room = EVENT_RING_BYTES / (sizeof(struct onramp_event) + 8);

	config.events = true;
	for (uint64_t i = 0; i < room + 10; i++)
		start_up(STARTUP_PHASE_SLOW_START);
	CHECK_EQUAL(machine.events, room);
	CHECK_EQUAL(totals->events_lost, 10);
}

/* A change of the phase is always reported. The estimate may change with every ACK. */
TEST(changes_of_the_estimate_are_reported_at_most_once_a_millisecond)
{
	struct tcp_sock *tp;

	config.events = true;
	tp = start_up(STARTUP_PHASE_SLOW_START);
	send_segments(tp, 200);
	for (uint64_t i = 1; i <= 100; i++) {
		machine.now_ns += MS / 10;
		script.decision.estimate_bytes_per_s = i;
		acknowledge(tp, 1);
	}
	/* The start, the first estimate, and one a millisecond */
	CHECK(machine.events >= 10 && machine.events <= 12);
	config.record = true;
	machine.events = 0;
	for (uint64_t i = 1; i <= 50; i++)
		acknowledge(tp, 1);
	CHECK_EQUAL(machine.events, 50);
	config.record = false;
	machine.events = 0;
	script.decision.phase = STARTUP_PHASE_PACING;
	acknowledge(tp, 1);
	CHECK_EQUAL(machine.events, 1);
}
