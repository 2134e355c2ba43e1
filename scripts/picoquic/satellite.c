/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs one of picoquic's satellite tests with a congestion control of choice, and prints what came
 * of it. run.py builds and calls this program.
 *
 *     satellite list SOURCE               every test with its limit, in microseconds
 *     satellite run SOURCE TEST CONTROL   one transfer; OPTIONS of the control may follow
 *
 * SOURCE is picoquic's folder: the tests read certificates from there.
 *
 * The tests' own file is compiled here, from that folder. It is not changed and not copied. Macros
 * replace the congestion controls that it names, and the one call that carries out the transfer:
 * the control is the chosen one, and the limit is read instead of applied. So every control runs
 * with the paths, sizes, losses and other checks of picoquic's authors.
 */
#include "onramp.h"

#include "c4.h"
#include "picoquic_bbr.h"
#include "picoquic_bbr1.h"
#include "picoquic_cubic.h"
#include "picoquic_internal.h"
#include "picoquic_prague.h"
#include "picoquic_qlog.h"
#include "picoquic_utils.h"
#include "picoquictest.h"
#include "picoquictest_internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any test needs */
#define MAX_LOOPS 1000

static picoquic_congestion_algorithm_t *chosen;
static const char *chosen_options;
/* The limit of the test that runs */
static uint64_t limit_us;
/* The test ends before its transfer: only its limit is asked for. */
static bool only_limit;

/* Carries out a test's transfer and prints its results. The arguments are those of picoquic's
 * tls_api_one_scenario_body(). */
static int transfer(picoquic_test_tls_api_ctx_t *test, uint64_t *now_us,
		    test_api_stream_desc_t *scenario, size_t scenario_size, size_t stream_bytes,
		    uint64_t loss_mask, uint64_t max_data, uint64_t queue_delay_max_us,
		    uint64_t max_completion_us)
{
	picoquic_cnx_t *sender = test->cnx_client;
	uint64_t completion_us;
	int status;

	limit_us = max_completion_us;
	if (only_limit)
		return -1;
	if (chosen_options)
		picoquic_set_congestion_algorithm_ex(sender, chosen, chosen_options);
	/* What tls_api_one_scenario_body() does, but for the limit and the closing of the
	 * connection: the time is taken in between. */
	status = tls_api_one_scenario_body_connect(test, now_us, max_data, queue_delay_max_us);
	if (!status) {
		test->stream0_target = stream_bytes;
		test->loss_mask_default = loss_mask;
		status = test_api_init_send_recv_scenario(test, scenario, scenario_size);
	}
	/* The loop gives up after 256 wake-ups without a packet. Preemptive repeats wake once for
	 * each packet of a flight, also where flow control forbids the repeat. */
	for (int i = 0; !status && !test->test_finished && i < MAX_LOOPS; i++)
		status = tls_api_data_sending_loop(test, &test->loss_mask_default, now_us, 0);
	completion_us = *now_us - sender->start_time;
	if (!status)
		status = tls_api_one_scenario_body_verify(test, now_us, 0);
	printf("completion_us=%" PRIu64 " limit_us=%" PRIu64 " sent=%" PRIu64 " dropped=%" PRIu64
	       " retransmitted=%" PRIu64 " spurious=%" PRIu64 " repeated=%" PRIu64 "\n",
	       completion_us, limit_us, test->c_to_s_link->packets_sent,
	       test->c_to_s_link->packets_dropped, sender->nb_retransmission_total,
	       sender->nb_spurious, sender->nb_preemptive_repeat);
	onramp_picoquic_print(sender);
	return status;
}

/* A test's log is some hundred MB. */
static int without_log(picoquic_quic_t *quic, const char *folder)
{
	(void)quic;
	(void)folder;
	return 0;
}

#define picoquic_bbr_algorithm chosen
#define picoquic_bbr1_algorithm chosen
#define picoquic_cubic_algorithm chosen
#define picoquic_dcubic_algorithm chosen
#define picoquic_prague_algorithm chosen
#define picoquic_set_qlog without_log
#define tls_api_one_scenario_body transfer
#include "satellite_test.c"
#undef picoquic_bbr_algorithm
#undef picoquic_bbr1_algorithm
#undef picoquic_cubic_algorithm
#undef picoquic_dcubic_algorithm
#undef picoquic_prague_algorithm
#undef picoquic_set_qlog
#undef tls_api_one_scenario_body

/* The tests, and the control that the test's own limit is for. Tests that differ in control and
 * limit alone have the same path. */
static const struct {
	const char *name;
	const char *path;
	const char *control;
	int (*run)(void);
} tests[] = {
	{"basic", "basic", "bbr", satellite_basic_test},
	{"bbr1", "basic", "bbr1", satellite_bbr1_test},
	{"cubic", "basic", "cubic", satellite_cubic_test},
	{"seeded", "seeded", "bbr", satellite_seeded_test},
	{"seeded_bbr1", "seeded", "bbr1", satellite_seeded_bbr1_test},
	{"cubic_seeded", "seeded", "cubic", satellite_cubic_seeded_test},
	{"dcubic_seeded", "seeded", "dcubic", satellite_dcubic_seeded_test},
	{"prague_seeded", "seeded", "prague", satellite_prague_seeded_test},
	{"jitter", "jitter", "bbr", satellite_jitter_test},
	{"loss", "loss", "bbr", satellite_loss_test},
	{"cubic_loss", "loss", "cubic", satellite_cubic_loss_test},
	{"loss_fc", "loss_fc", "bbr", satellite_loss_fc_test},
	{"preemptive", "preemptive", "bbr", satellite_preemptive_test},
	{"preemptive_fc", "preemptive_fc", "bbr", satellite_preemptive_fc_test},
	{"medium", "medium", "bbr", satellite_medium_test},
	{"small", "small", "bbr", satellite_small_test},
	{"small_up", "small_up", "bbr", satellite_small_up_test},
};
#define TESTS (sizeof(tests) / sizeof(tests[0]))

static int list(void)
{
	chosen = picoquic_cubic_algorithm;
	only_limit = true;
	for (size_t i = 0; i < TESTS; i++) {
		tests[i].run();
		printf("test=%s path=%s control=%s limit_us=%" PRIu64 "\n", tests[i].name,
		       tests[i].path, tests[i].control, limit_us);
	}
	return 0;
}

static int run(const char *test, const char *control, const char *options)
{
	/* picoquic's tests take a pointer to a table that is not const; they do not write it. */
	chosen = (picoquic_congestion_algorithm_t *)(uintptr_t)picoquic_get_congestion_algorithm(
		control);
	chosen_options = options;
	if (!chosen) {
		fprintf(stderr, "satellite: no congestion control is named %s\n", control);
		return 2;
	}
	for (size_t i = 0; i < TESTS; i++) {
		if (!strcmp(tests[i].name, test)) {
			printf("passed=%d\n", tests[i].run() == 0);
			return 0;
		}
	}
	fprintf(stderr, "satellite: no test is named %s\n", test);
	return 2;
}

int main(int argc, char **argv)
{
	/* Messages of the tests say why a check failed. */
	debug_set_stream(stderr);
	if (argc > 2)
		picoquic_set_solution_dir(argv[2]);
	onramp_picoquic_register();
	if (argc == 3 && !strcmp(argv[1], "list"))
		return list();
	if ((argc == 5 || argc == 6) && !strcmp(argv[1], "run"))
		return run(argv[3], argv[4], argc == 6 ? argv[5] : NULL);
	fprintf(stderr, "satellite: expected `list SOURCE` or `run SOURCE TEST CONTROL "
			"[OPTIONS]`\n");
	return 2;
}
