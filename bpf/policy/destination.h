/* SPDX-License-Identifier: GPL-2.0-only */
/* The address of the other end, as the keys of prefixes have it. */
#ifndef ONRAMP_POLICY_DESTINATION_H
#define ONRAMP_POLICY_DESTINATION_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* The destination, and whether it is an IPv4 address */
static inline bool fill_prefix(struct bpf_sock_ops *ctx, struct onramp_prefix *prefix)
{
	__be32 *words = (__be32 *)prefix->address;

	prefix->length_bits = 32 + 128;
	if (ctx->family == AF_INET) {
		words[0] = words[1] = 0;
		words[2] = bpf_htonl(0xffff);
		words[3] = ctx->remote_ip4;
		/* The compiler must not join this access with that of remote_ip6[3]: the verifier
		 * wants each at an offset that it knows. */
		asm volatile("");
		return true;
	}
	words[0] = ctx->remote_ip6[0];
	words[1] = ctx->remote_ip6[1];
	words[2] = ctx->remote_ip6[2];
	words[3] = ctx->remote_ip6[3];
	return !words[0] && !words[1] && words[2] == bpf_htonl(0xffff);
}

#endif
