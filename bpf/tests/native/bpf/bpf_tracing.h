/* SPDX-License-Identifier: GPL-2.0-only */
/* libbpf's header of this name, for the native tests: a program is called with its arguments. */
#ifndef ONRAMP_NATIVE_TRACING_H
#define ONRAMP_NATIVE_TRACING_H

#define BPF_PROG(name, ...) name(__VA_ARGS__)

#endif
