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

SOCKET_MAP(struct onramp_pairs, 0) onramp_pairs SEC(".maps");

#endif
