/* SPDX-License-Identifier: GPL-2.0-only */
/* A path: the key of the path memory (startup/memory.h) and of ensembles (startup/ensemble.h). */
#ifndef ONRAMP_STARTUP_PATH_H
#define ONRAMP_STARTUP_PATH_H

#include "endpoints.h"
#include "intf.h"
#include "kernel.h"

/* Fills every byte, because the map compares every byte of a key. */
static inline void fill_path(const struct sock *sk, struct onramp_path *path)
{
	struct onramp_endpoint local = {}, remote = {};

	fill_endpoints(sk, &local, &remote);
	__builtin_memset(path, 0, sizeof(*path));
	path->network_namespace = sk->__sk_common.skc_net.net->net_cookie;
	if (local.family == AF_INET) {
		path->local[10] = path->local[11] = path->remote[10] = path->remote[11] = 0xff;
		__builtin_memcpy(path->local + 12, local.address, 4);
		__builtin_memcpy(path->remote + 12, remote.address, 4);
	} else {
		__builtin_memcpy(path->local, local.address, sizeof(path->local));
		__builtin_memcpy(path->remote, remote.address, sizeof(path->remote));
	}
}

#endif
