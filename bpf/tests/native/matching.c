/* SPDX-License-Identifier: GPL-2.0-only */
/* Which connections a policy chooses: policy.bpf.c, policy/match.h. Policy N is bit N. */

static struct onramp_table *in_force(void)
{
	struct onramp_table *table = table_of(active_generation());

	table->any_destination = table->any_port = table->any_cgroup = table->any_user = ~0ull;
	table->ipv4 = table->ipv6 = 0;
	return table;
}

/* Adds a policy for connections over both versions of IP. `start`: it has a start-up. */
static void add_policy(uint32_t number, bool start)
{
	struct onramp_table *table = table_of(active_generation());
	struct onramp_rule *rule = &table->rules[number];

	table->ipv4 |= 1ull << number;
	table->ipv6 |= 1ull << number;
	if (!start)
		return;
	table->measured |= 1ull << number;
	*rule = (struct onramp_rule){number, 0, ONRAMP_EVERY_CONNECTION, 0, "onramp_scripted"};
}

static void choose(uint32_t kind, uint64_t value, uint64_t policies)
{
	struct onramp_match match = {active_generation(), kind, value};

	bpf_map_update_elem(&onramp_matches, &match, &policies, BPF_ANY);
}

static void choose_prefix(const uint32_t *words, uint32_t bits, uint64_t policies)
{
	struct onramp_prefix prefix = {32 + bits, active_generation(), {0}};

	for (int i = 0; i < 4; i++)
		((__be32 *)prefix.address)[i] = bpf_htonl(words[i]);
	bpf_map_update_elem(&onramp_prefixes, &prefix, &policies, BPF_ANY);
}

/* A new connection of this socket to 192.0.2.1, from local port 80 */
static struct bpf_sock_ops established(struct tcp_sock *tp)
{
	return (struct bpf_sock_ops){
		.op = BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB,
		.family = AF_INET,
		.remote_ip4 = bpf_htonl(0xc0000201),
		.local_port = 80,
		.sk = (struct bpf_sock *)tp,
	};
}

/* The same over IPv6, to 2001:db8::1 */
static struct bpf_sock_ops established_over_ipv6(struct tcp_sock *tp)
{
	struct bpf_sock_ops ctx = established(tp);

	ctx.family = AF_INET6;
	ctx.remote_ip6[0] = bpf_htonl(0x20010db8);
	ctx.remote_ip6[3] = bpf_htonl(1);
	return ctx;
}

/* Does a connection that begins so get the start-up? */
static bool gets_it(struct bpf_sock_ops ctx)
{
	onramp_policy(&ctx);
	return has_control(ctx.sk, "onramp_scripted");
}

static struct onramp_group_counts *group_counts(uint32_t slot, uint32_t group)
{
	return group_of(&(struct onramp_tag){.slot = slot, .group = group});
}

TEST(a_local_port_chooses_connections)
{
	struct bpf_sock_ops other = established(new_socket());

	in_force()->any_port = 0;
	add_policy(0, true);
	choose(ONRAMP_MATCH_PORT, 80, 1);
	other.local_port = 81;
	CHECK(gets_it(established(new_socket())));
	CHECK(gets_it(established_over_ipv6(new_socket())));
	CHECK(!gets_it(other));
	CHECK_EQUAL(policy_totals()->without_policy, 1);
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_STARTUP)->connections, 2);
}

TEST(a_version_of_ip_chooses_connections)
{
	in_force();
	add_policy(0, true);
	table_of(0)->ipv6 = 0;
	CHECK(gets_it(established(new_socket())));
	CHECK(!gets_it(established_over_ipv6(new_socket())));
	table_of(0)->ipv6 = 1;
	table_of(0)->ipv4 = 0;
	CHECK(!gets_it(established(new_socket())));
	CHECK(gets_it(established_over_ipv6(new_socket())));
}

/* User space writes into the entry of a prefix also the policies of the prefixes around it. */
TEST(the_longest_prefix_of_the_destination_decides)
{
	const uint32_t net[] = {0, 0, 0xffff, 0xc0000200}, host[] = {0, 0, 0xffff, 0xc0000201};
	const uint32_t documentation[] = {0x20010db8, 0, 0, 0}, loopback[] = {0, 0, 0, 1};

	in_force()->any_destination = 0;
	add_policy(0, true);
	choose_prefix(loopback, 128, 1);
	CHECK(!gets_it(established(new_socket())));
	CHECK(!gets_it(established_over_ipv6(new_socket())));
	choose_prefix(net, 120, 1);
	CHECK(gets_it(established(new_socket())));
	CHECK(!gets_it(established_over_ipv6(new_socket())));
	choose_prefix(host, 128, 0);
	CHECK(!gets_it(established(new_socket())));
	choose_prefix(documentation, 32, 1);
	CHECK(gets_it(established_over_ipv6(new_socket())));
}

/* A socket of IPv6 with the address ::ffff:192.0.2.1 sends IPv4. */
TEST(an_ipv4_address_on_a_socket_of_ipv6_is_ipv4)
{
	const uint32_t net[] = {0, 0, 0xffff, 0xc0000200};
	struct bpf_sock_ops ctx = established_over_ipv6(new_socket());

	ctx.remote_ip6[0] = 0;
	ctx.remote_ip6[2] = bpf_htonl(0xffff);
	ctx.remote_ip6[3] = bpf_htonl(0xc0000201);
	in_force()->any_destination = 0;
	add_policy(0, true);
	table_of(0)->ipv6 = 0;
	choose_prefix(net, 120, 1);
	CHECK(gets_it(ctx));
}

TEST(all_that_a_policy_names_must_match)
{
	struct tcp_sock *tp = new_socket();
	struct onramp_table *table = in_force();

	table->any_port = table->any_user = 0;
	add_policy(0, true);
	choose(ONRAMP_MATCH_PORT, 80, 1);
	choose(ONRAMP_MATCH_USER, 1000, 1);
	CHECK(!gets_it(established(tp)));
	sock_of(tp)->sk_uid.val = 1000;
	CHECK(gets_it(established(tp)));
}

TEST(the_first_policy_that_matches_wins)
{
	struct bpf_sock_ops other = established(new_socket());

	in_force()->any_port = 2;
	add_policy(0, false);
	add_policy(1, true);
	choose(ONRAMP_MATCH_PORT, 80, 3);
	/* The first one leaves its connections alone, and counts nothing. */
	CHECK(!gets_it(established(new_socket())));
	CHECK_EQUAL(policy_totals()->without_policy, 0);
	other.local_port = 81;
	CHECK(gets_it(other));
	CHECK_EQUAL(group_counts(1, ONRAMP_GROUP_STARTUP)->connections, 1);
}

/* Such a connection is in neither group. */
TEST(a_program_or_a_locked_route_that_chooses_a_control_keeps_it)
{
	struct tcp_sock *of_program = new_socket(), *of_route = new_socket();

	in_force();
	add_policy(0, true);
	of_program->inet_conn.icsk_ca_setsockopt = 1;
	CHECK(!gets_it(established(of_program)));
	of_route->inet_conn.icsk_ca_dst_locked = 1;
	CHECK(!gets_it(established(of_route)));
	CHECK_EQUAL(policy_totals()->chosen_by_program, 2);
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_STARTUP)->connections, 0);
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_CONTROL)->connections, 0);
}

TEST(a_random_number_decides_about_the_group)
{
	in_force();
	add_policy(0, true);
	table_of(0)->rules[0].threshold = 1u << 31;
	machine.random = (1u << 31) - 1;
	CHECK(gets_it(established(new_socket())));
	machine.random = 1u << 31;
	CHECK(!gets_it(established(new_socket())));
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_STARTUP)->connections, 1);
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_CONTROL)->connections, 1);
	table_of(0)->rules[0].threshold = ONRAMP_EVERY_CONNECTION;
	machine.random = UINT32_MAX;
	CHECK(gets_it(established(new_socket())));
}

TEST(a_start_up_that_the_kernel_refuses_is_counted_and_not_measured)
{
	struct tcp_sock *tp = new_socket();

	in_force();
	add_policy(0, true);
	machine.refuses_control = true;
	CHECK(!gets_it(established(tp)));
	CHECK_EQUAL(policy_totals()->refused, 1);
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_STARTUP)->connections, 0);
	CHECK(!bpf_sk_storage_get(&onramp_tags, tp, 0, 0));
}

/* A path of cgroups below the root, with these ids. The array ends with 0. */
static struct cgroup *cgroups_of(const uint64_t *ids)
{
	int depth = 0;
	struct cgroup *cgroup;

	while (ids[depth])
		depth++;
	cgroup = calloc(1, sizeof(*cgroup) + (depth + 1) * sizeof(cgroup));
	cgroup->level = depth;
	for (int level = 0; level <= depth; level++) {
		struct cgroup *at = level == depth ? cgroup : calloc(1, sizeof(*at));

		at->kn = calloc(1, sizeof(*at->kn));
		at->kn->id = level ? ids[level - 1] : 1;
		at->kn->name = "web.service";
		cgroup->ancestors[level] = at;
	}
	return cgroup;
}

static struct bpf_sock_ops established_in(const uint64_t *ids)
{
	struct tcp_sock *tp = new_socket();

	sock_of(tp)->sk_cgrp_data.cgroup = cgroups_of(ids);
	return established(tp);
}

TEST(a_cgroup_chooses_its_descendants)
{
	const uint64_t own[] = {10, 11, 0}, below[] = {10, 11, 12, 0}, above[] = {10, 0};
	const uint64_t beside[] = {10, 13, 0};
	struct onramp_table *table = in_force();

	table->any_cgroup = 0;
	*level_of(active_generation(), 2) = 1;
	add_policy(0, true);
	choose(ONRAMP_MATCH_CGROUP, 11, 1);
	CHECK(gets_it(established_in(own)));
	CHECK(gets_it(established_in(below)));
	CHECK(!gets_it(established_in(above)));
	CHECK(!gets_it(established_in(beside)));
	/* A socket of the kernel has no cgroup. */
	CHECK(!gets_it(established(new_socket())));
}

TEST(a_cgroup_is_chosen_when_it_is_made_by_its_path_or_its_unit)
{
	const uint64_t by_path[] = {10, 20, 0}, by_unit[] = {10, 21, 0}, other[] = {10, 22, 0};
	struct onramp_cgroup_name path = {active_generation(), "/shop/later"};
	struct onramp_cgroup_name unit = {active_generation(), "web.service"};
	uint64_t one = 1;
	struct cgroup *made;

	in_force()->any_cgroup = 0;
	add_policy(0, true);
	bpf_map_update_elem(&onramp_cgroups, &path, &one, BPF_ANY);
	bpf_map_update_elem(&onramp_cgroups, &unit, &one, BPF_ANY);
	made = cgroups_of(by_path);
	made->kn->name = "later";
	onramp_mkdir(made, "/shop/later");
	onramp_mkdir(cgroups_of(by_unit), "/shop/web.service");
	made = cgroups_of(other);
	made->kn->name = "other";
	onramp_mkdir(made, "/shop/other");
	CHECK(gets_it(established_in(by_path)));
	CHECK(gets_it(established_in(by_unit)));
	CHECK(!gets_it(established_in(other)));
	/* The id of a cgroup that was removed may be another one's later. */
	onramp_rmdir(cgroups_of(by_unit), "/shop/web.service");
	CHECK(!gets_it(established_in(by_unit)));
}

/* User space writes the next generation beside the one in force, and then raises one number. */
TEST(all_policies_change_at_once)
{
	uint32_t only = 0, *active = bpf_map_lookup_elem(&onramp_active, &only);

	in_force()->any_port = 0;
	add_policy(0, true);
	choose(ONRAMP_MATCH_PORT, 80, 1);
	(*active)++;
	in_force()->any_port = 0;
	table_of(1)->generation = 1;
	add_policy(0, true);
	choose(ONRAMP_MATCH_PORT, 81, 1);
	CHECK(!gets_it(established(new_socket())));
	(*active)--;
	CHECK(gets_it(established(new_socket())));
}

/* Connections of a policy that are counted, of `number` to this address */
static uint64_t counted_of(uint32_t slot, uint32_t address, int number)
{
	uint64_t before = group_counts(slot, ONRAMP_GROUP_STARTUP)->connections;

	for (int i = 0; i < number; i++) {
		struct bpf_sock_ops ctx = established(new_socket());

		ctx.remote_ip4 = bpf_htonl(address);
		if (!gets_it(ctx))
			return ~0ull; /* They get the start-up, counted or not. */
	}
	return group_counts(slot, ONRAMP_GROUP_STARTUP)->connections - before;
}

TEST(a_prefix_has_a_bounded_part_of_the_counts)
{
	in_force();
	add_policy(0, true);
	/* 422 connections of one peer switched a policy off. */
	CHECK_EQUAL(counted_of(0, 0xc6336401, 422), 42);
	/* Its neighbour has no further part; somebody else has one, and what is private all. */
	CHECK_EQUAL(counted_of(0, 0xc63364fe, 1), 0);
	CHECK_EQUAL(counted_of(0, 0xc6336501, 40), 40);
	CHECK_EQUAL(counted_of(0, 0x0a000001, 422), 422);
	CHECK_EQUAL(counted_of(0, 0xac1f0001, 422), 422);
	CHECK_EQUAL(counted_of(0, 0xc6120001, 422), 422);
	CHECK_EQUAL(counted_of(0, 0xc613fffe, 422), 422);
}

TEST(a_prefix_of_ipv6_has_a_bounded_part_too)
{
	struct bpf_sock_ops ctx;
	uint64_t connections;

	in_force();
	add_policy(0, true);
	for (int i = 0; i < 100; i++) {
		ctx = established_over_ipv6(new_socket());
		ctx.remote_ip6[1] = bpf_htonl(i); /* another /64 of the same /48 */
		CHECK(gets_it(ctx));
	}
	connections = group_counts(0, ONRAMP_GROUP_STARTUP)->connections;
	CHECK(16 < connections && connections < 25);
	for (int i = 0; i < 100; i++) {
		ctx = established_over_ipv6(new_socket());
		ctx.remote_ip6[0] = bpf_htonl(0xfd000000);
		CHECK(gets_it(ctx));
	}
	CHECK_EQUAL(group_counts(0, ONRAMP_GROUP_STARTUP)->connections, connections + 100);
}
