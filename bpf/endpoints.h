/* SPDX-License-Identifier: GPL-2.0-only */
/* The addresses and ports of a connection, read from the kernel's socket */
#ifndef ONRAMP_ENDPOINTS_H
#define ONRAMP_ENDPOINTS_H

#include "kernel.h"
#include "intf.h"

#include <bpf/bpf_endian.h>

static inline void fill_endpoints(const struct sock *sk, struct onramp_endpoint *local,
				  struct onramp_endpoint *remote)
{
	local->family = remote->family = sk->__sk_common.skc_family;
	local->port = sk->__sk_common.skc_num;
	remote->port = bpf_ntohs(sk->__sk_common.skc_dport);
	if (local->family == AF_INET) {
		*(__be32 *)local->address = sk->__sk_common.skc_rcv_saddr;
		*(__be32 *)remote->address = sk->__sk_common.skc_daddr;
	} else {
		for (int i = 0; i < 4; i++) {
			((__be32 *)local->address)[i] =
				sk->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[i];
			((__be32 *)remote->address)[i] =
				sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[i];
		}
	}
}

#endif
