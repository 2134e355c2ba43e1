/* SPDX-License-Identifier: GPL-2.0-only */
/* libbpf's header of this name, for the native tests: a member is read as C reads it. */
#ifndef ONRAMP_NATIVE_CORE_READ_H
#define ONRAMP_NATIVE_CORE_READ_H

#define BPF_CORE_READ_BITFIELD(record, member) ((record)->member)
#define BPF_CORE_READ_ONE(record, member) ((record)->member)
#define BPF_CORE_READ_TWO(record, member, inner) ((record)->member->inner)
#define BPF_CORE_READ_OF(_1, _2, read, ...) read
#define BPF_CORE_READ(record, ...)                                                                 \
	BPF_CORE_READ_OF(__VA_ARGS__, BPF_CORE_READ_TWO, BPF_CORE_READ_ONE, 0)                     \
	(record, __VA_ARGS__)
#define bpf_core_read(to, bytes, from) (__builtin_memcpy(to, from, bytes), 0)

#endif
