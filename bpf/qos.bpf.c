/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The socket option TCP_QOS (bpf/include/onramp/tcp_qos.h) on the sockets of a cgroup's processes.
 *
 *   setsockopt   checks what is asked, remembers it and puts the socket on the start-up; a rate of
 * 0 takes it off again getsockopt   says what is in force: zeros where nothing is sockops      asks
 * for connections of programs that do not know the option, when they are established
 *
 * Limits are those of the cgroups that the asking process is in, from the innermost outwards. A
 * connection that stands has its answer at once. Before, what can never be granted is refused at
 * once, and the rest is granted or refused when the connection is established, as is that of each
 * connection which a listening socket accepts.
 *
 * Options of others are passed on as they came. These programs may be attached several times, to
 * one cgroup or to some within each other: those on whose congestion control the socket is answer,
 * and otherwise the innermost.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "onramp/tcp_qos.h"
#include "reservations.h"

char _license[] SEC("license") = "GPL";

#define LEAST_BYTES_PER_S UINT64_C(125)
#define MOST_BYTES_PER_S UINT64_C(125000000000)
/* A bucket of much time is no limit of a rate: a tenth of a second, but a packet of any size. */
#define BURST_PART 10
#define BURST_BYTES_OF_ANY_RATE 65536

/* How long to wait before asking again after the first time that a reservation broke; each time it
 * is twice as long. */
#define WAIT_NS UINT64_C(1000000000)
#define MOST_DOUBLINGS 6

/* Of an option the programs see so much; a longer one they have to let pass with a length of 0. */
#define PAGE_BYTES 4096
/* The kernel has no part in the option. */
#define HANDLED -1

/* cgroups are not nested deeper than this where anybody has looked. */
#define MOST_DEPTH 32

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

	return !bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) &&
	       is_ours(name);
}

/* Is the socket on another registration of the same start-up, whose programs are the ones to
 * answer? */
static bool uses_anothers(struct bpf_sock *sk)
{
	static const char ours[] = "qos";
	char name[ONRAMP_NAME_BYTES] = {};

	if (bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)) || is_ours(name))
		return false;
	for (int i = 0; i < (int)sizeof(ours) - 1; i++) {
		if (name[i] != ours[i])
			return false;
	}
	return true;
}

static long choose(struct bpf_sock *sk, const char *name)
{
	char copy[ONRAMP_NAME_BYTES];

	__builtin_memcpy(copy, name, sizeof(copy));
	return bpf_setsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, copy, sizeof(copy));
}

/* Off this congestion control: to that which the socket had before or, where it had this one, to
 * one that every kernel has. */
static long leave(struct bpf_sock *sk, const struct onramp_reservation *reservation)
{
	char reno[ONRAMP_NAME_BYTES] = "reno";

	return is_ours(reservation->previous) ? choose(sk, reno)
					      : choose(sk, reservation->previous);
}

/* Back to what it had before, without a reservation. */
static void restore(struct bpf_sock *sk, const struct onramp_reservation *reservation)
{
	leave(sk, reservation);
	if (is_ours(reservation->previous))
		choose(sk, reservation->previous);
}

static long enter(struct bpf_sock *sk)
{
	char ours[ONRAMP_NAME_BYTES];

	for (int i = 0; i < ONRAMP_NAME_BYTES; i++)
		ours[i] = qos_config.congestion_control[i];
	return choose(sk, ours);
}

/* The limits of the process that asks: of its own cgroup or the nearest around it that has one, and
 * so on outwards. */
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

/* What stands in the way of this rate: 0, or an error. Without `now`, only what makes it impossible
 * for good. */
static int check_limits(const struct onramp_reservation *reservation, __u64 rate, bool now)
{
	struct onramp_limit *limit;
	struct onramp_usage *usage;
	int error = reservation->limits[0] ? 0 : EPERM;

	for (int level = 0; level < ONRAMP_LIMIT_LEVELS && !error; level++) {
		if (!limit_of(reservation, level, &limit, &usage))
			break;
		if (rate > limit->bytes_per_s)
			error = EPERM;
		else if (now && usage->bytes_per_s + rate > limit->bytes_per_s)
			error = EBUSY;
		if (error)
			__sync_fetch_and_add(&usage->refused, 1);
	}
	return error;
}

/* Count one that is granted at another rate, by the difference: 0, or an error, and then nothing
 * has changed. */
static int recount(const struct onramp_reservation *reservation, __u64 rate)
{
	__u64 was = reservation->rate_bytes_per_s;

	if (rate > was)
		return count_more(reservation, rate - was);
	give_back(reservation, ONRAMP_LIMIT_LEVELS, was - rate);
	return 0;
}

static int check(const struct tcp_qos *qos)
{
	if (qos->reserved || qos->rate_bytes_per_s < LEAST_BYTES_PER_S ||
	    qos->rate_bytes_per_s > MOST_BYTES_PER_S)
		return EINVAL;
	if (qos->burst_bytes > qos->rate_bytes_per_s / BURST_PART &&
	    qos->burst_bytes > BURST_BYTES_OF_ANY_RATE)
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
		restore(sk, reservation);
	reservation->state = ONRAMP_RESERVATION_NONE;
	return 0;
}

/* Another rate or burst for a connection that has one. The socket begins anew, and has neither its
 * bucket nor its losses made good by that; what is counted never falls below what it sends at. */
static int change(struct bpf_sock *sk, struct onramp_reservation *reservation,
		  const struct tcp_qos *qos)
{
	int error;

	if (qos->rate_bytes_per_s == reservation->rate_bytes_per_s &&
	    qos->burst_bytes == reservation->burst_bytes)
		return 0;
	error = check_limits(reservation, qos->rate_bytes_per_s, false)
			?: recount(reservation, qos->rate_bytes_per_s);
	if (error)
		return error;
	reservation->rate_bytes_per_s = qos->rate_bytes_per_s;
	reservation->burst_bytes = qos->burst_bytes;
	reservation->state = ONRAMP_RESERVATION_HELD;
	leave(sk, reservation);
	enter(sk);
	if (reservation->state == ONRAMP_RESERVATION_GRANTED)
		return 0;
	/* The start-up is no longer registered. */
	reservation->state = ONRAMP_RESERVATION_GRANTED;
	end_reservation(reservation, ONRAMP_RESERVATION_NONE);
	return ENOPROTOOPT;
}

/* Has it broken so lately that asking again is too early? */
static bool has_to_wait(const struct onramp_reservation *reservation)
{
	__u32 doublings = reservation->times_broken - 1;

	if (!reservation->times_broken)
		return false;
	if (doublings > MOST_DOUBLINGS)
		doublings = MOST_DOUBLINGS;
	return bpf_ktime_get_ns() - reservation->broken_ns < WAIT_NS << doublings;
}

static int reserve(struct bpf_sock *sk, const struct tcp_qos *qos)
{
	bool stands = sk->state != TCP_CLOSE && sk->state != TCP_LISTEN;
	struct onramp_reservation *reservation;
	struct onramp_reservation asked;
	char name[ONRAMP_NAME_BYTES] = {};
	int error = check(qos);

	if (error)
		return error;
	reservation = bpf_sk_storage_get(&onramp_reserved, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!reservation)
		return ENOMEM;
	if (sk->state == TCP_SYN_SENT || has_to_wait(reservation))
		return EAGAIN;
	if (bpf_getsockopt(sk, IPPROTO_TCP, TCP_CONGESTION, name, sizeof(name)))
		return EINVAL;
	if (is_ours(name) && reservation->state == ONRAMP_RESERVATION_GRANTED)
		return change(sk, reservation, qos);

	asked = *reservation;
	asked.rate_bytes_per_s = qos->rate_bytes_per_s;
	asked.burst_bytes = qos->burst_bytes;
	asked.state = ONRAMP_RESERVATION_ASKED;
	asked.app_chose_control = false;
	__builtin_memset(asked.limits, 0, sizeof(asked.limits));
	if (!is_ours(name) || reservation->state == ONRAMP_RESERVATION_NONE)
		__builtin_memcpy(asked.previous, name, sizeof(name));
	find_limits(&asked);
	error = check_limits(&asked, asked.rate_bytes_per_s, stands);
	if (error)
		return error;

	/* To begin anew, where it is on the start-up without a reservation. */
	if (is_ours(name))
		leave(sk, &asked);
	*reservation = asked;
	error = (int)-enter(sk);
	/* A connection that stands has been granted it by now, or refused: another may have been
	 * faster. */
	if (!error && stands && reservation->state != ONRAMP_RESERVATION_GRANTED) {
		error = EBUSY;
		restore(sk, reservation);
	}
	if (error)
		reservation->state = ONRAMP_RESERVATION_NONE;
	return error == ENOENT ? ENOPROTOOPT : error;
}

/* Is it the option, and of a TCP socket? (MPTCP's has another protocol; its subflows cannot be
 * reached by name.) */
static bool is_option(const struct bpf_sockopt *ctx)
{
	return ctx->level == IPPROTO_TCP && ctx->optname == TCP_QOS && ctx->sk &&
	       ctx->sk->protocol == IPPROTO_TCP;
}

/* Does the application choose another congestion control? Where the connection does not stand yet,
 * its reservation goes with that, if the kernel agrees: when the connection stands, that shows. */
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
			reservation->app_chose_control = true;
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
	int retval;

	if (!is_option(ctx))
		return pass(ctx);
	/* The kernel itself knows no such option. Who has something to say says it, and otherwise
	 * the innermost. */
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

/* Connections of programs that know nothing of the option. One that has asked itself is left alone.
 */
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
