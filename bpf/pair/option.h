/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading and writing the TCP option of packet pairs (core/parts/pair_option.h) from a sock_ops
 * program.
 */
#ifndef ONRAMP_PAIR_OPTION_IO_H
#define ONRAMP_PAIR_OPTION_IO_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

/* Bytes of the options `permitted`, `first` and `second` */
#define PERMITTED_BYTES 6
/* Payload bytes of a segment that a mark and a reply replace, because TCP pads options to words */
#define MARK_ROOM_BYTES 8
#define REPLY_ROOM_BYTES 12

/* Room for an option that is longer than any of ours, so that such an option is recognised */
#define BUFFER_BYTES 12

static void store_option(struct bpf_sock_ops *ctx, const struct pair_option *option)
{
	__u8 bytes[BUFFER_BYTES] = {};

	/* The verifier requires a constant length in each call. */
	if (pair_option_write(bytes, PAIR_OPTION_EXPERIMENT, option) > PERMITTED_BYTES)
		bpf_store_hdr_opt(ctx, bytes, PAIR_OPTION_MAX_BYTES, 0);
	else
		bpf_store_hdr_opt(ctx, bytes, PERMITTED_BYTES, 0);
}

/* Find the option in the segment, or in the saved SYN (BPF_LOAD_HDR_OPT_TCP_SYN). */
static enum pair_option_reading load_option(struct bpf_sock_ops *ctx, struct pair_option *option,
					    __u64 flags)
{
	/* The helper searches for the kind and the experiment's id in this buffer. */
	__u8 bytes[BUFFER_BYTES] = {
		PAIR_OPTION_KIND_EXPERIMENT,
		4,
		PAIR_OPTION_EXPERIMENT_ID >> 8,
		PAIR_OPTION_EXPERIMENT_ID & 0xff,
	};
	long found = bpf_load_hdr_opt(ctx, bytes, sizeof(bytes), flags);

	/* The option is longer than any of ours, or the lengths of the options do not add up. */
	if (found == -ENOSPC || found == -EFAULT)
		return PAIR_OPTION_MALFORMED;
	if (found < 0)
		return PAIR_OPTION_OTHER;
	return pair_option_read(bytes, (__u32)found, PAIR_OPTION_EXPERIMENT, option);
}

static bool has_permitted(struct bpf_sock_ops *ctx, __u64 flags)
{
	struct pair_option option;

	return load_option(ctx, &option, flags) == PAIR_OPTION_READ &&
	       option.type == PAIR_OPTION_PERMITTED;
}

#endif
