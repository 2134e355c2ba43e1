/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For a test: what the kernel's CUBIC keeps in a socket before and after each ACK that may raise
 * cwnd, whether a BPF hook or the kernel itself calls CUBIC.
 */
#define SEC(name) __attribute__((section(name), used))
#define TRUSTED __attribute__((preserve_access_index))

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;

#define STATE_WORDS 13
#define NAME_BYTES 16

struct sock_common {
	__u16 skc_num;
} TRUSTED;

struct sock {
	struct sock_common __sk_common;
} TRUSTED;

struct tcp_congestion_ops {
	char name[NAME_BYTES];
} TRUSTED;

struct inet_connection_sock {
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u64 icsk_ca_priv[STATE_WORDS];
} TRUSTED;

struct tcp_sock {
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
} TRUSTED;

/* The row of an ACK; tests/cubic/mod.rs has the same type. */
struct row {
	char congestion_control[NAME_BYTES];
	__u64 before[STATE_WORDS], after[STATE_WORDS];
	__u32 cwnd_before, ssthresh_before, cwnd_after, ssthresh_after;
};

#define MAX_ROWS 1024

struct {
	__u32 port; /* the socket's own */
	__u32 count;
	struct row rows[MAX_ROWS];
} trace SEC(".data.trace");

char _license[] SEC("license") = "GPL";

static long (*bpf_probe_read_kernel)(void *to, __u32 bytes, const void *from) = (void *)113;

static void *(*bpf_skc_to_tcp_sock)(void *sk) = (void *)137;

static struct row *row_of(struct sock *sk)
{
	__u32 count = trace.count;

	if (sk->__sk_common.skc_num != trace.port || count >= MAX_ROWS)
		return 0;
	return &trace.rows[count];
}

SEC("fentry/cubictcp_cong_avoid")
int before_ack(__u64 *context)
{
	struct sock *sk = (struct sock *)context[0];
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)tp;
	struct row *row = row_of(sk);

	if (!row || !tp)
		return 0;
	bpf_probe_read_kernel(row->congestion_control, NAME_BYTES,
			      (void *)__builtin_preserve_access_index(icsk->icsk_ca_ops->name));
	bpf_probe_read_kernel(row->before, sizeof(row->before),
			      (void *)__builtin_preserve_access_index(&icsk->icsk_ca_priv));
	row->cwnd_before = tp->snd_cwnd;
	row->ssthresh_before = tp->snd_ssthresh;
	return 0;
}

SEC("fexit/cubictcp_cong_avoid")
int after_ack(__u64 *context)
{
	struct sock *sk = (struct sock *)context[0];
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)tp;
	struct row *row = row_of(sk);

	if (!row || !tp)
		return 0;
	bpf_probe_read_kernel(row->after, sizeof(row->after),
			      (void *)__builtin_preserve_access_index(&icsk->icsk_ca_priv));
	row->cwnd_after = tp->snd_cwnd;
	row->ssthresh_after = tp->snd_ssthresh;
	trace.count++;
	return 0;
}
