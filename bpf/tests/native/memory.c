/* SPDX-License-Identifier: GPL-2.0-only */
/* The path memory in a start-up program: startup/memory.h. core/tests has its rules. */

#define LIFETIME_NS (600 * NS_PER_S)
#define BDP (500 * MSS)

/* Remembers a BDP of the path, measured some time ago, and confirmed so much of it. */
static void remember(uint64_t age_ns, uint64_t confirmed_bytes)
{
	struct onramp_path_entry entry = {
		.entry = {.bytes = BDP,
			  .rtt_ns = 10 * MS,
			  .saved_ns = machine.now_ns - age_ns,
			  .author = 1000000,
			  .confirmed_bytes = confirmed_bytes,
			  .confirmed_ns = machine.now_ns - age_ns},
	};
	struct onramp_path path;

	fill_path(sock_of(new_socket()), &path);
	bpf_map_update_elem(&onramp_memory, &path, &entry, BPF_ANY);
}

static struct path_memory_entry *remembered(void)
{
	struct onramp_path_entry *known;
	struct onramp_path path;

	fill_path(sock_of(new_socket()), &path);
	known = bpf_map_lookup_elem(&onramp_memory, &path);
	return known ? &known->entry : NULL;
}

/* A connection whose handshake took as long as the path's RTT */
static struct tcp_sock *resume(void)
{
	struct tcp_sock *tp = new_socket();

	tp->srtt_us = 8 * 10000;
	return start_up_of(tp, STARTUP_PHASE_SLOW_START);
}

/* The remembered BDP that the latest connection was given */
static uint64_t given(void)
{
	return script.start.remembered_bytes;
}

static void begin_remembering(uint32_t options)
{
	config.memory_lifetime_ns = LIFETIME_NS;
	config.options = options;
	machine.now_ns = 100000 * NS_PER_S;
}

TEST(one_connection_at_a_time_uses_a_remembered_path)
{
	struct tcp_sock *first;

	begin_remembering(0);
	remember(NS_PER_S, 0);
	first = resume();
	CHECK_EQUAL(given(), BDP);
	CHECK_EQUAL(script.start.jump_bytes, 0);
	resume();
	CHECK_EQUAL(given(), 0);
	close_socket(first);
	resume();
	CHECK_EQUAL(given(), BDP);
}

/* ACKs keep the hold of a connection on its path. */
TEST(a_connection_that_is_idle_or_changes_its_control_loses_the_path)
{
	struct tcp_sock *first, *second;
	uint64_t user;

	begin_remembering(0);
	remember(0, 0);
	first = resume();
	native_setsockopt(first, TCP_CONGESTION, "cubic", 5);
	CHECK_EQUAL(remembered()->user, 0);
	second = resume();
	CHECK_EQUAL(given(), BDP);
	for (int i = 0; i < 5; i++) {
		machine.now_ns += 2 * PATH_MEMORY_IDLE_NS / 3;
		send_segments(second, 1);
		acknowledge(second, 1);
	}
	resume();
	CHECK_EQUAL(given(), 0);
	machine.now_ns += 2 * PATH_MEMORY_IDLE_NS;
	resume();
	CHECK_EQUAL(given(), BDP);
	/* The third connection has it now, not the second. */
	user = remembered()->user;
	close_socket(second);
	CHECK(user);
	CHECK_EQUAL(remembered()->user, user);
}

TEST(an_entry_past_its_lifetime_is_not_used_and_is_deleted)
{
	begin_remembering(0);
	remember(LIFETIME_NS + NS_PER_S, 0);
	CHECK(remembered());
	resume();
	CHECK_EQUAL(given(), 0);
	CHECK(!remembered());
	remember(NS_PER_S, 0);
	resume();
	CHECK_EQUAL(given(), BDP);
}

/* Who shares the destination's address may have taught the memory. */
TEST(what_is_sent_at_once_is_bounded)
{
	begin_remembering(STARTUP_OPTION_RESUME_AT_ONCE);
	remember(0, BDP);
	close_socket(resume());
	CHECK(script.start.options & STARTUP_OPTION_RESUME_AT_ONCE);
	CHECK_EQUAL(script.start.jump_bytes, PATH_MEMORY_JUMP_SEGMENTS * MSS);
	config.memory_jump_bytes = 50000;
	close_socket(resume());
	CHECK_EQUAL(script.start.jump_bytes, 50000);
	/* An entry that no second connection has confirmed, or an old one, is used carefully. */
	remember(0, 0);
	close_socket(resume());
	CHECK_EQUAL(given(), BDP);
	CHECK_EQUAL(script.start.jump_bytes, 0);
	CHECK(!(script.start.options & STARTUP_OPTION_RESUME_AT_ONCE));
	config.memory_lifetime_ns = 2 * LIFETIME_NS;
	remember(900 * NS_PER_S, BDP);
	close_socket(resume());
	CHECK_EQUAL(given(), BDP);
	CHECK_EQUAL(script.start.jump_bytes, 0);
}

/* A socket that has already sent data is given nothing. What it learns is saved. */
TEST(a_socket_that_has_sent_data_only_teaches)
{
	struct tcp_sock *tp = new_socket();

	begin_remembering(0);
	remember(0, 0);
	tp->srtt_us = 8 * 10000;
	send_segments(tp, 100);
	start_up_of(tp, STARTUP_PHASE_SLOW_START);
	CHECK_EQUAL(given(), 0);
	script.decision.learned_bytes = 2 * BDP;
	script.decision.learned_rtt_ns = 10 * MS;
	acknowledge(tp, 1);
	CHECK_EQUAL(remembered()->bytes, 2 * BDP);
}

TEST(a_remembered_bdp_that_is_wrong_is_forgotten)
{
	struct tcp_sock *tp;

	begin_remembering(0);
	remember(0, 0);
	tp = resume();
	script.decision.learned_bytes = STARTUP_UNLIMITED;
	send_segments(tp, 2);
	acknowledge(tp, 1);
	CHECK(!remembered());
	CHECK(!holds_path(connection_of(sock_of(tp))));
}
