/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's timers of a connection, as the user chose them (`--rto-min`, `--delack-max`).
 *
 * The kernel's RTO is srtt + max(4 rttvar, 200 ms). The 200 ms are there because a receiver may
 * delay an ACK by as much. Where receivers delay ACKs less, a shorter timeout repairs the loss of a
 * last flight earlier.
 */
#ifndef ONRAMP_TIMERS_H
#define ONRAMP_TIMERS_H

#include "intf.h"
#include "uapi.h"

#include <bpf/bpf_helpers.h>

static inline void set_timer(void *socket, int option, int us)
{
	/* User space has checked the range, so the kernel does not refuse. */
	if (us)
		bpf_setsockopt(socket, IPPROTO_TCP, option, &us, sizeof(us));
}

/* `socket`: a struct sock, or the context of a sockops program */
static inline void set_timers(void *socket, const volatile struct onramp_timers *timers)
{
	set_timer(socket, TCP_BPF_RTO_MIN, (int)timers->rto_min_us);
	set_timer(socket, TCP_BPF_DELACK_MAX, (int)timers->delack_max_us);
}

#endif
