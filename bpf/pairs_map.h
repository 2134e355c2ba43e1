/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map with the packet pairs of each connection. A start-up that sends pairs, the program of the
 * TCP option (pair.bpf.c) and the listing (connections.bpf.c) share it.
 */
#ifndef ONRAMP_PAIRS_MAP_H
#define ONRAMP_PAIRS_MAP_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct onramp_pairs);
} onramp_pairs SEC(".maps");

#endif
