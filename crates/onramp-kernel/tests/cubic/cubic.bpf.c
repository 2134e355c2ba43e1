/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For a test: what a congestion control keeps in each TCP socket of this network namespace.
 */
#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))

typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;

#define STATE_WORDS 13
#define NAME_BYTES 16

struct seq_file;

struct sock_common {
	__u16 skc_num;
} RELOCATED;

struct tcp_congestion_ops {
	char name[NAME_BYTES];
} RELOCATED;

struct inet_connection_sock {
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u64 icsk_ca_priv[STATE_WORDS];
} RELOCATED;

struct tcp_sock {
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
} RELOCATED;

struct bpf_iter_meta {
	struct seq_file *seq;
} RELOCATED;

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
} RELOCATED;

/* mod.rs has the same record. */
struct row {
	__u32 port; /* this end's */
	__u32 cwnd, ssthresh;
	__u32 reserved;
	char congestion_control[NAME_BYTES];
	__u64 state[STATE_WORDS];
};

char _license[] SEC("license") = "GPL";

static long (*bpf_probe_read_kernel)(void *to, __u32 bytes, const void *from) = (void *)113;
static long (*bpf_seq_write)(struct seq_file *seq, const void *data, __u32 bytes) = (void *)127;
static void *(*bpf_skc_to_tcp_sock)(void *sk) = (void *)137;

SEC("iter/tcp")
int sockets(struct bpf_iter__tcp *context)
{
	struct sock_common *sk = context->sk_common;
	struct inet_connection_sock *icsk;
	struct row row = {};
	struct tcp_sock *tp;

	if (!sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	icsk = (struct inet_connection_sock *)tp;
	row.port = sk->skc_num;
	row.cwnd = tp->snd_cwnd;
	row.ssthresh = tp->snd_ssthresh;
	bpf_probe_read_kernel(row.congestion_control, NAME_BYTES, icsk->icsk_ca_ops->name);
	bpf_probe_read_kernel(row.state, sizeof(row.state), icsk->icsk_ca_priv);
	bpf_seq_write(context->meta->seq, &row, sizeof(row));
	return 0;
}
