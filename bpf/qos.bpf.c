/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The socket option TCP_QOS (include/onramp/tcp_qos.h) on the sockets of a cgroup's processes.
 *
 *   setsockopt   checks what is asked, remembers it and puts the socket on the start-up; a rate of 0 takes it off again
 *   getsockopt   says what is in force: zeros where nothing is
 *   sockops      asks for connections of programs that do not know the option, when they are established
 *
 * Limits are those of the cgroups that the asking process is in, from the innermost outwards. A connection that stands
 * has its answer at once. Before, what can never be granted is refused at once, and the rest is granted or refused when
 * the connection is established, as is that of each connection which a listening socket accepts.
 *
 * Options of others are passed on as they came. These programs may be attached to several cgroups, one within the
 * other: the innermost answers.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "onramp/tcp_qos.h"
#include "reservations.h"

char _license[] SEC("license") = "GPL";

#define LEAST_BYTES_PER_S UINT64_C(125)
#define MOST_BYTES_PER_S UINT64_C(125000000000)
/* A bucket of more than a second is no limit of a rate. */
#define BURST_BYTES_OF_ANY_RATE 65536

/* Of an option the programs see so much; a longer one they have to let pass with a length of 0. */
#define PAGE_BYTES 4096
/* The kernel has no part in the option. */
#define HANDLED -1

/* cgroups are not nested deeper than this where anybody has looked. */
#define MOST_DEPTH 32

struct onramp_qos_config {
	char congestion_control[ONRAMP_NAME_BYTES];
	struct onramp_reservation asked; /* for connections of programs that do not ask themselves */
};

const volatile struct onramp_qos_config qos_config SEC(".rodata.qos");

__u64 adopted = 0;
__u64 refused = 0;

static int refuse(int error)
{
	bpf_set_retval(-error);
	return 0;
}

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

static bool uses_ours(struct bpf_sock *sk)
{
	char name[ONRAMP_NAME_BYTES] = {};

	return !bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) && is_ours(name);
}

/* Is the socket on another registration of the same start-up, whose programs are the ones to answer? */
static bool uses_anothers(struct bpf_sock *sk)
{
	static const char ours[] = "onramp_qos";
	char name[ONRAMP_NAME_BYTES] = {};

	if (bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) || is_ours(name))
		return false;
	for (int i = 0; i < (int)sizeof(ours) - 1; i++) {
		if (name[i] != ours[i])
			return false;
	}
	return true;
}

/* To the congestion control that the socket had before; where that was this one, through one that every kernel has. */
static long leave(struct bpf_sock *sk, const struct onramp_reservation *reservation)
{
	struct onramp_reservation was = *reservation;
	char reno[ONRAMP_NAME_BYTES] = "reno";
	long error;

	if (!is_ours(was.previous))
		return bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, was.previous, sizeof(was.previous));
	error = bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, reno, sizeof(reno));
	return error ?: bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, was.previous, sizeof(was.previous));
}

static long enter(struct bpf_sock *sk)
{
	struct onramp_qos_config ours = qos_config;

	return bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, ours.congestion_control,
			      sizeof(ours.congestion_control));
}

/* The limits of the process that asks: of its own cgroup or the nearest around it that has one, and so on outwards. */
static void find_limits(struct onramp_reservation *reservation)
{
	struct onramp_limit *limit = NULL;
	__u64 id = 0;

	for (int depth = MOST_DEPTH - 1; depth >= 0; depth--) {
		id = bpf_get_current_ancestor_cgroup_id(depth);
		limit = id ? bpf_map_lookup_elem(&onramp_limits, &id) : NULL;
		if (limit)
			break;
	}
	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && limit; level++) {
		reservation->limits[level] = id;
		id = limit->outer;
		limit = id ? bpf_map_lookup_elem(&onramp_limits, &id) : NULL;
	}
}

/* What stands in the way of a reservation now: 0, or an error. */
static int check_limits(const struct onramp_reservation *reservation)
{
	__u64 rate = reservation->rate_bytes_per_s;
	struct onramp_limit *limit;
	struct onramp_usage *usage;
	int error = reservation->limits[0] ? 0 : EPERM;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS; level++) {
		if (!level_of(reservation, level, &limit, &usage))
			break;
		if (rate > limit->bytes_per_s)
			return EPERM;
		if (usage->bytes_per_s + rate > limit->bytes_per_s) {
			__sync_fetch_and_add(&usage->refused, 1);
			error = EBUSY;
		}
	}
	return error;
}

static int check(const struct tcp_qos *qos)
{
	if (qos->reserved || qos->rate_bytes_per_s < LEAST_BYTES_PER_S || qos->rate_bytes_per_s > MOST_BYTES_PER_S)
		return EINVAL;
	if (qos->burst_bytes > qos->rate_bytes_per_s && qos->burst_bytes > BURST_BYTES_OF_ANY_RATE)
		return EINVAL;
	return 0;
}

/* Put a socket on the start-up with what is asked: 0, or an error, and then it is on none. */
static int ask(struct bpf_sock *sk, struct onramp_reservation *reservation, const struct onramp_reservation *asked)
{
	long error = check_limits(asked);

	if (error)
		return (int)error;
	*reservation = *asked;
	error = enter(sk);
	/* A connection that stands has been granted it by now, or refused: another may have been faster. */
	if (!error && reservation->state == ONRAMP_RESERVATION_REFUSED) {
		leave(sk, reservation);
		error = -EBUSY;
	}
	if (error)
		reservation->state = ONRAMP_RESERVATION_NONE;
	return (int)-error;
}

static int clear(struct bpf_sock *sk, const struct tcp_qos *qos)
{
	struct onramp_reservation *reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, 0);

	if (qos->burst_bytes || qos->reserved || !reservation || reservation->state == ONRAMP_RESERVATION_NONE)
		return EINVAL;
	if (uses_ours(sk))
		leave(sk, reservation);
	reservation->state = ONRAMP_RESERVATION_NONE;
	return 0;
}

static int reserve(struct bpf_sock *sk, const struct tcp_qos *qos)
{
	struct onramp_reservation asked = {
		.rate_bytes_per_s = qos->rate_bytes_per_s,
		.burst_bytes = qos->burst_bytes,
		.state = ONRAMP_RESERVATION_ASKED,
	};
	struct onramp_reservation *reservation;
	struct onramp_reservation was;
	int error = check(qos);

	if (error)
		return error;
	reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!reservation)
		return ENOMEM;
	find_limits(&asked);
	was = *reservation;
	if (bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, asked.previous, sizeof(asked.previous)))
		return EINVAL;
	if (!is_ours(asked.previous))
		return ask(sk, reservation, &asked);

	/* Another rate instead: the old one counts no longer, and comes back if the new one is refused. */
	if (was.state == ONRAMP_RESERVATION_NONE)
		return ask(sk, reservation, &asked);
	__builtin_memcpy(asked.previous, was.previous, sizeof(asked.previous));
	leave(sk, reservation);
	error = ask(sk, reservation, &asked);
	if (error && (was.state == ONRAMP_RESERVATION_ASKED || was.state == ONRAMP_RESERVATION_GRANTED)) {
		was.state = ONRAMP_RESERVATION_ASKED;
		ask(sk, reservation, &was);
	}
	return error;
}

/* Is it the option, and of a TCP socket? (MPTCP's has another protocol; its subflows cannot be reached by name.) */
static bool is_option(const struct bpf_sockopt *ctx)
{
	return ctx->level == IPPROTO_TCP && ctx->optname == TCP_QOS && ctx->sk && ctx->sk->protocol == IPPROTO_TCP;
}

/* Does the application choose another congestion control? Where the connection does not stand yet, nobody else would
 * say that its reservation goes with that. */
static bool is_choice(const struct bpf_sockopt *ctx)
{
	return ctx->level == IPPROTO_TCP && ctx->optname == TCP_CONGESTION && ctx->sk;
}

/* Let an option of others pass: the kernel has not shown us all of a long one. */
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

	if (is_choice(ctx)) {
		reservation = bpf_sk_storage_get(&onramp_reserved, ctx->sk, 0, 0);
		if (reservation && reservation->state == ONRAMP_RESERVATION_ASKED)
			reservation->state = ONRAMP_RESERVATION_NONE;
	}
	if (!is_option(ctx))
		return pass(ctx);
	/* Answered further within: by success, or by an error. */
	if (ctx->optlen == HANDLED || bpf_get_retval() < 0 || uses_anothers(ctx->sk))
		return 1;
	if (ctx->optlen != sizeof(*qos) || (void *)(qos + 1) > ctx->optval_end)
		return refuse(EINVAL);
	copy = *qos;
	error = copy.rate_bytes_per_s ? reserve(ctx->sk, &copy) : clear(ctx->sk, &copy);
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

	if (!is_option(ctx))
		return pass(ctx);
	/* The kernel itself knows no such option. Who has something to say says it, and otherwise the innermost. */
	reservation = bpf_sk_storage_get(&onramp_reserved, ctx->sk, 0, 0);
	is_in_force = reservation && (reservation->state == ONRAMP_RESERVATION_ASKED ||
				      reservation->state == ONRAMP_RESERVATION_GRANTED);
	if (ctx->retval != -ENOPROTOOPT && !(is_in_force && !ctx->retval))
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

/* Connections of programs that know nothing of the option. One that has asked itself is left alone. */
SEC("sockops")
int onramp_reserve(struct bpf_sock_ops *ctx)
{
	struct onramp_qos_config ours;
	struct onramp_reservation *reservation;
	struct bpf_sock *sk = ctx->sk;

	if (ctx->op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB && ctx->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		return 1;
	if (!sk)
		return 1;
	reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!reservation || reservation->state != ONRAMP_RESERVATION_NONE)
		return 1;
	ours = qos_config;
	if (bpf_getsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, ours.asked.previous, sizeof(ours.asked.previous)))
		return 1;
	*reservation = ours.asked;
	if (!bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, ours.congestion_control,
			    sizeof(ours.congestion_control)) &&
	    reservation->state == ONRAMP_RESERVATION_GRANTED) {
		__sync_fetch_and_add(&adopted, 1);
		return 1;
	}
	reservation->state = ONRAMP_RESERVATION_REFUSED;
	bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, ours.asked.previous, sizeof(ours.asked.previous));
	__sync_fetch_and_add(&refused, 1);
	return 1;
}
