/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * picoquic's own test program, with another congestion control in the place of its CUBIC.
 *
 *     suite list                   the names of all tests; the usage of picoquic_ct leaves some out
 *     suite CONTROL ARGUMENTS...   as `picoquic_ct ARGUMENTS...`
 *
 * picoquic's tests name a control by a global pointer, so the pointer is all that changes. With
 * `cubic` nothing changes.
 */
#include "onramp.h"

#include "picoquic_cubic.h"

#define main picoquic_ct
#include "picoquic_t.c"
#undef main

int main(int argc, char **argv)
{
	const picoquic_congestion_algorithm_t *control;

	if (argc < 2) {
		fprintf(stderr, "suite: expected `list` or `CONTROL ARGUMENTS...`\n");
		return 2;
	}
	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (size_t i = 0; i < nb_tests; i++)
			printf("%s\n", test_table[i].test_name);
		return 0;
	}
	onramp_picoquic_register();
	control = picoquic_get_congestion_algorithm(argv[1]);
	if (!control) {
		fprintf(stderr, "suite: no congestion control is named %s\n", argv[1]);
		return 2;
	}
	/* The tests do not write the table, although their pointer is not one to const. */
	picoquic_cubic_algorithm = (picoquic_congestion_algorithm_t *)(uintptr_t)control;
	argv[1] = argv[0];
	return picoquic_ct(argc - 1, argv + 1);
}
