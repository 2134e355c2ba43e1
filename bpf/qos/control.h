/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Putting a socket on the congestion control that reserves, and off it again. Onramp may register
 * the start-up `qos` several times, under different names; `ours` is the one that these programs
 * were loaded for.
 */
#ifndef ONRAMP_QOS_CONTROL_H
#define ONRAMP_QOS_CONTROL_H

#include "intf.h"
#include "kernel.h"

#include <bpf/bpf_helpers.h>

const volatile struct onramp_qos_config qos_config SEC(".rodata.qos");

static bool is_ours(const char *name)
{
	for (int i = 0; i < ONRAMP_NAME_BYTES; i++) {
		if (name[i] != qos_config.congestion_control[i])
			return false;
		if (!name[i])
			break;
	}
	return true;
}

/* Does the socket use our congestion control? */
static bool uses_ours(struct bpf_sock *sk)
{
	char name[ONRAMP_NAME_BYTES] = {};

	return !bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) &&
	       is_ours(name);
}

/* Does the socket use another registration of the same start-up? The programs of that registration
 * answer for it. The names of all such registrations begin with onramp_qos. */
static bool uses_another_registration(struct bpf_sock *sk)
{
	static const char prefix[] = "onramp_qos";
	char name[ONRAMP_NAME_BYTES] = {};

	if (bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) || is_ours(name))
		return false;
	for (int i = 0; i < (int)sizeof(prefix) - 1; i++) {
		if (name[i] != prefix[i])
			return false;
	}
	return true;
}

static long choose_control(struct bpf_sock *sk, const char *name)
{
	char copy[ONRAMP_NAME_BYTES];

	__builtin_memcpy(copy, name, sizeof(copy));
	return bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, copy, sizeof(copy));
}

/* Leave our congestion control for the one that the socket had before. If that was ours too, take
 * Reno, which every kernel has. */
static long leave_control(struct bpf_sock *sk, const struct onramp_reservation *reservation)
{
	char reno[ONRAMP_NAME_BYTES] = "reno";

	return is_ours(reservation->previous) ? choose_control(sk, reno)
					      : choose_control(sk, reservation->previous);
}

static long enter_control(struct bpf_sock *sk)
{
	char ours[ONRAMP_NAME_BYTES];

	for (int i = 0; i < ONRAMP_NAME_BYTES; i++)
		ours[i] = qos_config.congestion_control[i];
	return choose_control(sk, ours);
}

/* Return to the congestion control from before the reservation. A socket that had ours leaves and
 * enters it again, and then has no reservation. */
static void restore_control(struct bpf_sock *sk, const struct onramp_reservation *reservation)
{
	leave_control(sk, reservation);
	if (is_ours(reservation->previous))
		choose_control(sk, reservation->previous);
}

#endif
