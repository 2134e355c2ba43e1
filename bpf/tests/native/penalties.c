/* SPDX-License-Identifier: GPL-2.0-only */
/* What a broken reservation costs its owner: penalties.h, startup/reservation.h */

static struct onramp_penalty_key penalty_key(void)
{
	struct onramp_penalty_key key;
	const __be32 none[4] = {0};

	fill_penalty_key(&key, ONRAMP_OWNER_USER | 1000, 7, AF_INET, bpf_htonl(0xc0000201), none);
	return key;
}

static void set_penalty(uint32_t level, uint64_t age_ns)
{
	struct onramp_penalty_key key = penalty_key();
	struct onramp_penalty penalty = {.broken_ns = machine.now_ns - age_ns, .level = level};

	bpf_map_update_elem(&onramp_broken, &key, &penalty, BPF_ANY);
}

static uint32_t penalty_level(void)
{
	struct onramp_penalty_key key = penalty_key();
	const struct onramp_penalty *penalty = bpf_map_lookup_elem(&onramp_broken, &key);

	return penalty ? penalty->level : 0;
}

TEST(the_wait_doubles_up_to_64_seconds_and_then_is_over)
{
	struct onramp_penalty_key key = penalty_key();

	machine.now_ns = 1000 * NS_PER_S;
	CHECK(!penalty_holds(&key));
	for (uint32_t level = 1; level <= 7; level++) {
		uint64_t wait_ns = NS_PER_S << (level - 1);

		set_penalty(level, wait_ns - 1);
		CHECK(penalty_holds(&key));
		set_penalty(level, wait_ns);
		CHECK(!penalty_holds(&key));
	}
}

TEST(a_break_doubles_the_wait_and_a_minute_without_one_halves_it)
{
	const uint64_t minute_ns = 60 * NS_PER_S;
	const struct {
		uint32_t level;
		uint64_t age_ns;
		uint32_t expected;
	} cases[] = {
		{1, 2 * NS_PER_S, 2},  {6, 33 * NS_PER_S, 7},     {7, 59 * NS_PER_S, 7},
		{5, minute_ns + 1, 5}, {5, 3 * minute_ns + 1, 3}, {7, 30 * minute_ns, 1},
	};
	struct onramp_penalty_key key = penalty_key();

	machine.now_ns = 10000 * NS_PER_S;
	penalise(&key, machine.now_ns);
	CHECK_EQUAL(penalty_level(), 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_penalty(cases[i].level, cases[i].age_ns);
		penalise(&key, machine.now_ns);
		CHECK_EQUAL(penalty_level(), cases[i].expected);
	}
}

/* They were granted before the first of them broke. */
TEST(reservations_that_break_together_cost_as_much_as_one)
{
	struct onramp_penalty_key key = penalty_key();
	uint64_t granted_ns;

	machine.now_ns = granted_ns = 1000 * NS_PER_S;
	set_penalty(3, 5 * NS_PER_S);
	machine.now_ns += NS_PER_S;
	penalise(&key, granted_ns);
	CHECK_EQUAL(penalty_level(), 4);
	machine.now_ns += NS_PER_S;
	penalise(&key, granted_ns);
	CHECK_EQUAL(penalty_level(), 4);
}

/* A host can have all addresses of 64 bits. */
TEST(a_penalty_belongs_to_64_bits_of_ipv6)
{
	__be32 address[4] = {bpf_htonl(0x20010db8), 0, 0, bpf_htonl(1)};
	struct onramp_penalty_key first, second;

	fill_penalty_key(&first, 1, 7, AF_INET6, 0, address);
	address[3] = bpf_htonl(2);
	fill_penalty_key(&second, 1, 7, AF_INET6, 0, address);
	CHECK(!memcmp(&first, &second, sizeof(first)));
	address[1] = 1;
	fill_penalty_key(&second, 1, 7, AF_INET6, 0, address);
	CHECK(memcmp(&first, &second, sizeof(first)));
}
