/* SPDX-License-Identifier: GPL-2.0-only */
/* The time that a connection is not idle, as the kernel counts it (tcp_get_info_chrono_stats()) */
#ifndef ONRAMP_BUSY_TIME_H
#define ONRAMP_BUSY_TIME_H

#include "kernel.h"

#include <bpf/bpf_core_read.h>

/* Jiffies that the connection was not idle */
static inline __u32 busy_ticks(const struct tcp_sock *tp, __u32 now_ticks)
{
	__u32 ticks = tp->chrono_stat[0] + tp->chrono_stat[1] + tp->chrono_stat[2];

	if (BPF_CORE_READ_BITFIELD(tp, chrono_type))
		ticks += now_ticks - tp->chrono_start;
	return ticks;
}

#endif
