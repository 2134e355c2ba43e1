/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The socket option TCP_QOS (include/onramp/tcp_qos.h) on the sockets of a cgroup's processes.
 *
 *     setsockopt   checks the request, stores it and puts the socket on the start-up `qos`; a rate
 *                  of 0 clears the reservation and restores the congestion control from before
 *     getsockopt   returns the reservation in force; zeros: there is none
 *     sockops      asks for connections whose programs do not know the option, when they are
 *                  established
 *
 * The limits of a request are those of the cgroups that enclose the asking process, from the
 * innermost outwards. A connection that is established is granted its request or refused at once.
 * Any other socket is refused at once only what can never be granted; the rest is decided when the
 * connection is established. This also holds for each connection that a listening socket accepts.
 *
 * Other options pass unchanged. These programs may be attached several times, to
 * one cgroup or to nested ones. The one whose congestion control the socket uses answers; otherwise
 * the innermost does.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "intf.h"
#include "onramp/tcp_qos.h"
#include "penalties.h"
#include "qos/control.h"
#include "qos/limits.h"
#include "reservations.h"

char _license[] SEC("license") = "GPL";

/* 1 kbit/s and 1000 Gbit/s */
#define MIN_BYTES_PER_S UINT64_C(125)
#define MAX_BYTES_PER_S UINT64_C(125000000000)

/* A deep bucket does not limit the rate. Permit a tenth of a second at the rate, or 64 KiB if that
 * is more, so that a packet of any size fits. */
#define MAX_BURST_FRACTION 10
#define MAX_BURST_OF_ANY_RATE_BYTES 65536

/* The kernel shows these programs one page of an option. A longer option passes if they set its
 * length to 0. */
#define PAGE_BYTES 4096
/* The length of an option that the kernel is not to process itself */
#define HANDLED -1

/* Connections for which onramp_reserve() was granted a reservation, and was refused one */
__u64 adopted = 0;
__u64 refused = 0;

#define MAX_ERRNO 4095

/* The verifier of Linux 7.3 must see, in all 64 bits, that the value is 0 or an errno. */
static int refuse(int error)
{
	long value = -(long)error;

	barrier_var(value);
	if (value < -MAX_ERRNO)
		value = -EINVAL;
	barrier_var(value);
	if (value > 0)
		value = -EINVAL;
	((long (*)(long))bpf_set_retval)(value);
	return 0;
}

/* Returns 0, or an errno if the request itself is invalid. */
static int check_request(const struct tcp_qos *qos)
{
	if (qos->reserved || qos->rate_bytes_per_s < MIN_BYTES_PER_S ||
	    qos->rate_bytes_per_s > MAX_BYTES_PER_S)
		return EINVAL;
	if (qos->burst_bytes > qos->rate_bytes_per_s / MAX_BURST_FRACTION &&
	    qos->burst_bytes > MAX_BURST_OF_ANY_RATE_BYTES)
		return EINVAL;
	return 0;
}

static int clear(struct bpf_sock *sk, const struct tcp_qos *qos)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);

	if (qos->burst_bytes || qos->reserved || !reservation ||
	    reservation->state == ONRAMP_RESERVATION_NONE)
		return EINVAL;
	if (uses_ours(sk))
		restore_control(sk, reservation);
	reservation->state = ONRAMP_RESERVATION_NONE;
	return 0;
}

/* Has a reservation of this owner to the socket's destination broken too recently? Before the
 * connection is established, the destination is not known. */
static bool must_wait(struct bpf_sockopt *ctx, const struct onramp_reservation *reservation)
{
	struct onramp_penalty_key key;
	__be32 ip6[4];

	for (int i = 0; i < 4; i++)
		ip6[i] = ctx->sk->dst_ip6[i];
	fill_penalty_key(&key, reservation->owner, bpf_get_netns_cookie(ctx), ctx->sk->family,
			 ctx->sk->dst_ip4, ip6);
	return penalty_holds(&key);
}

/* Change the rate or the burst of a granted reservation. The start-up restarts, but neither refills
 * the bucket nor clears the losses. The counted rate is never below the rate in force. Returns 0 or
 * an errno. */
static int change(struct bpf_sockopt *ctx, struct onramp_reservation *reservation,
		  const struct tcp_qos *qos)
{
	struct bpf_sock *sk = ctx->sk;
	int error;

	/* The peer has reset the connection, or it has timed out. The start-up cannot restart. */
	if (sk->state == TCP_CLOSE)
		return ENOTCONN;
	if (qos->rate_bytes_per_s == reservation->rate_bytes_per_s &&
	    qos->burst_bytes == reservation->burst_bytes)
		return 0;
	if (qos->rate_bytes_per_s > reservation->rate_bytes_per_s && must_wait(ctx, reservation))
		return EAGAIN;
	error = check_limits(reservation, qos->rate_bytes_per_s, false)
			?: recount(reservation, qos->rate_bytes_per_s);
	if (error)
		return error;
	reservation->rate_bytes_per_s = qos->rate_bytes_per_s;
	reservation->burst_bytes = qos->burst_bytes;
	reservation->state = ONRAMP_RESERVATION_HELD;
	leave_control(sk, reservation);
	enter_control(sk);
	if (reservation->state == ONRAMP_RESERVATION_GRANTED)
		return 0;
	/* The start-up `qos` is no longer registered. */
	reservation->state = ONRAMP_RESERVATION_GRANTED;
	end_reservation(reservation, ONRAMP_RESERVATION_NONE);
	return ENOPROTOOPT;
}

static int reserve(struct bpf_sockopt *ctx, const struct tcp_qos *qos)
{
	struct bpf_sock *sk = ctx->sk;
	bool is_connected = sk->state != TCP_CLOSE && sk->state != TCP_LISTEN;
	struct onramp_reservation *reservation;
	struct onramp_reservation asked;
	char name[ONRAMP_NAME_BYTES] = {};
	int error = check_request(qos);

	if (error)
		return error;
	reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!reservation)
		return ENOMEM;
	if (sk->state == TCP_SYN_SENT)
		return EAGAIN;
	if (bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)))
		return EINVAL;
	if (is_ours(name) && reservation->state == ONRAMP_RESERVATION_GRANTED)
		return change(ctx, reservation, qos);

	asked = *reservation;
	asked.rate_bytes_per_s = qos->rate_bytes_per_s;
	asked.burst_bytes = qos->burst_bytes;
	asked.state = ONRAMP_RESERVATION_ASKED;
	asked.app_chose_control = false;
	__builtin_memset(asked.limits, 0, sizeof(asked.limits));
	if (!is_ours(name) || reservation->state == ONRAMP_RESERVATION_NONE)
		__builtin_memcpy(asked.previous, name, sizeof(name));
	find_limits(&asked);
	if (is_connected && must_wait(ctx, &asked))
		return EAGAIN;
	error = check_limits(&asked, asked.rate_bytes_per_s, is_connected);
	if (error)
		return error;

	/* A socket that uses the start-up without a reservation must leave it to restart it. */
	if (is_ours(name))
		leave_control(sk, &asked);
	*reservation = asked;
	error = (int)-enter_control(sk);
	/* The start-up of an established connection has been granted its request by now, unless
	 * another socket was faster. */
	if (!error && is_connected && reservation->state != ONRAMP_RESERVATION_GRANTED) {
		error = EBUSY;
		restore_control(sk, reservation);
	}
	if (error)
		reservation->state = ONRAMP_RESERVATION_NONE;
	return error == ENOENT ? ENOPROTOOPT : error;
}

/* Is it TCP_QOS of a TCP socket? An MPTCP socket has another protocol, and its subflows cannot be
 * reached from here. */
static bool is_option(const struct bpf_sockopt *ctx)
{
	return ctx->level == IPPROTO_TCP && ctx->optname == TCP_QOS && ctx->sk &&
	       ctx->sk->protocol == IPPROTO_TCP;
}

/* Does the application set TCP_CONGESTION? Before the connection is established, this cancels a
 * requested reservation, provided that the kernel accepts the choice. Whether it did is known once
 * the connection is established. */
static bool is_choice_of_control(const struct bpf_sockopt *ctx)
{
	return ctx->level == IPPROTO_TCP && ctx->optname == TCP_CONGESTION && ctx->sk;
}

/* Let another option pass. The kernel has not shown us all of a long one. */
static int pass(struct bpf_sockopt *ctx)
{
	if (ctx->optlen > PAGE_BYTES)
		ctx->optlen = 0;
	return 1;
}

SEC("cgroup/setsockopt")
int onramp_set_qos(struct bpf_sockopt *ctx)
{
	struct onramp_reservation *reservation;
	struct tcp_qos *qos = ctx->optval;
	struct tcp_qos copy;
	int error;

	if (is_choice_of_control(ctx)) {
		reservation = bpf_sk_storage_get(&onramp_reserved, ctx->sk, 0, 0);
		if (reservation && reservation->state == ONRAMP_RESERVATION_ASKED)
			reservation->app_chose_control = true;
	}
	if (!is_option(ctx))
		return pass(ctx);
	/* The program of an inner cgroup has answered, by success or by an error. */
	if (ctx->optlen == HANDLED || bpf_get_retval() < 0 || uses_another_registration(ctx->sk))
		return 1;
	if (ctx->optlen != sizeof(*qos) || (void *)(qos + 1) > ctx->optval_end)
		return refuse(EINVAL);
	copy = *qos;
	error = copy.rate_bytes_per_s ? reserve(ctx, &copy) : clear(ctx->sk, &copy);
	if (error)
		return refuse(error);
	ctx->optlen = HANDLED;
	return 1;
}

SEC("cgroup/getsockopt")
int onramp_get_qos(struct bpf_sockopt *ctx)
{
	struct tcp_qos *qos = ctx->optval;
	struct onramp_reservation *reservation;
	bool is_in_force;
	int retval;

	if (!is_option(ctx))
		return pass(ctx);
	/* The kernel has no such option and returned ENOPROTOOPT. The program that has a
	 * reservation in force answers; otherwise the innermost one does. */
	reservation = bpf_sk_storage_get(&onramp_reserved, ctx->sk, 0, 0);
	is_in_force = reservation && ((reservation->state == ONRAMP_RESERVATION_ASKED &&
				       !reservation->app_chose_control) ||
				      reservation->state == ONRAMP_RESERVATION_GRANTED);
	retval = ctx->retval;
	if (retval != -ENOPROTOOPT && !(is_in_force && !retval))
		return 1;
	if (ctx->optlen < (int)sizeof(*qos) || (void *)(qos + 1) > ctx->optval_end)
		return refuse(EINVAL);
	qos->rate_bytes_per_s = is_in_force ? reservation->rate_bytes_per_s : 0;
	qos->burst_bytes = is_in_force ? reservation->burst_bytes : 0;
	qos->reserved = 0;
	ctx->optlen = sizeof(*qos);
	ctx->retval = 0;
	return 1;
}

/* Request a reservation for a connection whose program does not use the option. If the program has
 * requested one itself, that one stays. */
SEC("sockops")
int onramp_reserve(struct bpf_sock_ops *ctx)
{
	struct onramp_qos_config ours;
	struct onramp_reservation *reservation;
	struct bpf_sock *sk = ctx->sk;

	if (ctx->op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB &&
	    ctx->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		return 1;
	if (!sk)
		return 1;
	reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!reservation || reservation->state != ONRAMP_RESERVATION_NONE)
		return 1;
	ours = qos_config;
	if (bpf_getsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, ours.asked.previous,
			   sizeof(ours.asked.previous)))
		return 1;
	*reservation = ours.asked;
	if (!bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, ours.congestion_control,
			    sizeof(ours.congestion_control)) &&
	    reservation->state == ONRAMP_RESERVATION_GRANTED) {
		__sync_fetch_and_add(&adopted, 1);
		return 1;
	}
	reservation->state = ONRAMP_RESERVATION_REFUSED;
	bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, ours.asked.previous,
		       sizeof(ours.asked.previous));
	__sync_fetch_and_add(&refused, 1);
	return 1;
}
