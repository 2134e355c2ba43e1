/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of the host, compiled for this machine: with the algorithm `scripted` and everything
 * that an algorithm can do. The tests of this folder call their functions, and the programs as the
 * kernel would.
 */
#include "machine.h"

#define _license startup_license
#include "startup.bpf.c"
#undef _license
#define _license policy_license
#include "policy.bpf.c"
#undef _license

#include "congestion_control.h"

#include "ensembles.c"
#include "first_round.c"
#include "governor.c"
#include "hand_over.c"
#include "matching.c"
#include "measured.c"
#include "memory.c"
#include "penalties.c"
#include "totals.c"
