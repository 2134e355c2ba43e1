/* SPDX-License-Identifier: GPL-2.0-only */
/* libbpf's header of this name, for the native tests. */
#ifndef ONRAMP_NATIVE_ENDIAN_H
#define ONRAMP_NATIVE_ENDIAN_H

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define bpf_ntohs(value) __builtin_bswap16(value)
#define bpf_htonl(value) __builtin_bswap32(value)
#define bpf_ntohl(value) bpf_htonl(value)
#else
#define bpf_ntohs(value) (value)
#define bpf_htonl(value) (value)
#define bpf_ntohl(value) bpf_htonl(value)
#endif
#define bpf_htons(value) bpf_ntohs(value)

#endif
