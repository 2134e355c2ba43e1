/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The rows of STARTUP_ALGORITHMS as the table of native.h. The list is that of core/registry.h, or
 * has the one row of an algorithm that is not of core/ (src/supplied.rs).
 */
#ifndef ONRAMP_TABLE_H
#define ONRAMP_TABLE_H

#include "src/native.h"

#define ONRAMP_VARIANT(key, value, bits) {key, value, bits},
#define ONRAMP_PARAMETER(algorithm, name, usual, min, max, meaning)                                \
	{#name, meaning, usual, min, max, offsetof(struct algorithm, parameters.name)},
#define ONRAMP_DEFINE(name, capabilities, variants, parameters, summary)                           \
	static const struct startup_variant native_##name##_variants[] = {                         \
		variants(ONRAMP_VARIANT){NULL, NULL, 0}};                                          \
	static const struct startup_parameter native_##name##_parameters[] = {                     \
		parameters(ONRAMP_PARAMETER){NULL, NULL, 0, 0, 0, 0}};                             \
	_Static_assert(sizeof(native_##name##_parameters) <=                                       \
			       (STARTUP_MAX_PARAMETERS + 1) * sizeof(struct startup_parameter),    \
		       #name " has too many parameters");                                          \
	static void native_##name##_start(void *state, const struct startup_start *start,          \
					  struct startup_decision *decision)                       \
	{                                                                                          \
		name##_start(state, start, decision);                                              \
	}                                                                                          \
	static void native_##name##_ack(void *state, const struct startup_ack *ack,                \
					struct startup_decision *decision)                         \
	{                                                                                          \
		name##_ack(state, ack, decision);                                                  \
	}                                                                                          \
	static void native_##name##_loss(void *state, const struct startup_loss *loss,             \
					 struct startup_decision *decision)                        \
	{                                                                                          \
		name##_loss(state, loss, decision);                                                \
	}
STARTUP_ALGORITHMS(ONRAMP_DEFINE)

#define ONRAMP_ROW(name, capabilities, variants, parameters, summary)                              \
	{#name,                                                                                    \
	 summary,                                                                                  \
	 native_##name##_variants,                                                                 \
	 native_##name##_parameters,                                                               \
	 capabilities,                                                                             \
	 native_##name##_start,                                                                    \
	 native_##name##_ack,                                                                      \
	 native_##name##_loss},
const struct onramp_algorithm onramp_algorithms[] = {STARTUP_ALGORITHMS(ONRAMP_ROW)};
const size_t onramp_algorithm_count = sizeof(onramp_algorithms) / sizeof(onramp_algorithms[0]);

#endif
