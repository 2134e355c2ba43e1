/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a connection's packet pairs are kept: a map that a start-up and the program of its option
 * share. */
#ifndef ONRAMP_PAIRS_H
#define ONRAMP_PAIRS_H

#include "kernel.h"
#include "shared.h"

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct onramp_pairs);
} onramp_pairs SEC(".maps");

#endif
