/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A congestion control of somebody else, for tests: it has nothing in common with Onramp, and never
 * changes cwnd. Its maps are not used.
 */
#define SEC(name) __attribute__((section(name), used))

struct sock;

/* The loader finds the kernel's members by these names. The name must be the first: mod.rs writes
 * it. */
struct tcp_congestion_ops {
	char name[16];
	unsigned int (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, unsigned int ack, unsigned int acked);
	unsigned int (*undo_cwnd)(struct sock *sk);
};

char _license[] SEC("license") = "GPL";

struct {
	int (*type)[1]; /* BPF_MAP_TYPE_HASH */
	int (*max_entries)[64];
	unsigned int *key;
	unsigned long long *value;
} foreign_hash SEC(".maps");

struct {
	int (*type)[2]; /* BPF_MAP_TYPE_ARRAY */
	int (*max_entries)[64];
	unsigned int *key;
	unsigned long long *value;
} foreign_array SEC(".maps");

SEC("struct_ops")
unsigned int foreign_ssthresh(unsigned long long *context)
{
	return 10;
}

SEC("struct_ops")
void foreign_cong_avoid(unsigned long long *context)
{
}

SEC("struct_ops")
unsigned int foreign_undo_cwnd(unsigned long long *context)
{
	return 10;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops foreign = {
	.name = "foreign",
	.ssthresh = (void *)foreign_ssthresh,
	.cong_avoid = (void *)foreign_cong_avoid,
	.undo_cwnd = (void *)foreign_undo_cwnd,
};
