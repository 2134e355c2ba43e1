/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The registry: one row for each start-up algorithm, X(name, capabilities, variants, parameters,
 * summary).
 *
 * The name is that of the algorithm's file, of its functions and of its `startup = "..."` in
 * scenario files. Its congestion control in the kernel is onramp_<name>, so a name has at most 8
 * characters; `onramp` is registered as it is. The names of phases and exits stand here too.
 *
 * `variants` is a list of the algorithm's own header, V(key, value, bits): `key = "value"` in
 * scenario files sets these bits of the algorithm's variant (struct startup_start). `parameters` is
 * a list of that header too (core/startup.h).
 */
#ifndef ONRAMP_REGISTRY_H
#define ONRAMP_REGISTRY_H

#include "algorithms/astart.h"
#include "algorithms/bbrstart.h"
#include "algorithms/gamma.h"
#include "algorithms/halfback.h"
#include "algorithms/hoe.h"
#include "algorithms/hystart.h"
#include "algorithms/jump.h"
#include "algorithms/lift.h"
#include "algorithms/onramp.h"
#include "algorithms/paced.h"
#include "algorithms/pair.h"
#include "algorithms/qos.h"
#include "algorithms/rapid.h"
#include "algorithms/search.h"
#include "algorithms/spaced.h"
#include "algorithms/standard.h"
#include "algorithms/suss.h"

#define NO_VARIANTS(V)
#define NO_PARAMETERS(P)

/* clang-format off */
#define STARTUP_ALGORITHMS(X)                                                                      \
	X(standard, 0, NO_VARIANTS, NO_PARAMETERS,                                                 \
	  "slow start as it is (RFC 5681)")                                                        \
	X(paced, 0, PACED_VARIANTS, NO_PARAMETERS,                                                 \
	  "ssthresh from ACK spacing, then paced (Aron & Druschel 1998)")                          \
	X(gamma, 0, NO_VARIANTS, NO_PARAMETERS,                                                    \
	  "a share of the window as threshold, found by itself (Chaher et al. 1998)")              \
	X(spaced, 0, SPACED_VARIANTS, NO_PARAMETERS,                                               \
	  "slow start at the rate of its ACKs (Chaher et al. 1998)")                               \
	X(pair, STARTUP_SENDS_PAIRS | STARTUP_NEEDS_PAIRS, PAIR_VARIANTS, NO_PARAMETERS,           \
	  "slow start at the interval that the receiver reports (Nishida et al.)")                 \
	X(astart, 0, ASTART_VARIANTS, NO_PARAMETERS,                                               \
	  "ssthresh raised to the eligible rate, again and again (Wang et al.)")                   \
	X(hoe, 0, TRAIN_VARIANTS, NO_PARAMETERS,                                                   \
	  "ssthresh from three acknowledgements, once (Hoe 1996)")                                 \
	X(qos, STARTUP_RESERVES, NO_VARIANTS, NO_PARAMETERS,                                       \
	  "a reserved rate from the first segment on (Ritter et al.)")                             \
	X(bbrstart, STARTUP_REPAIRS, NO_VARIANTS, NO_PARAMETERS,                                   \
	  "BBRv3's STARTUP and DRAIN (draft-ietf-ccwg-bbr)")                                       \
	X(rapid, STARTUP_REPAIRS, NO_VARIANTS, NO_PARAMETERS,                                      \
	  "Rapid Start: cwnd x3 in a round while no queue builds up")                              \
	X(lift, STARTUP_REPAIRS, NO_VARIANTS, NO_PARAMETERS,                                       \
	  "cwnd lifted to half of the BDP at the peak rate (picoquic)")                            \
	X(onramp,                                                                                  \
	  STARTUP_SENDS_PAIRS | STARTUP_RESUMES | STARTUP_SHARES | STARTUP_SENDS_EARLY,            \
	  ONRAMP_VARIANTS, NO_PARAMETERS,                                                          \
	  "measured in the first round trip, paced, validated, raised: the five papers in one")    \
	X(hystart, 0, NO_VARIANTS, HYSTART_PARAMETERS,                                             \
	  "slow start until the RTT rises and stays up (HyStart++, RFC 9406)")                     \
	X(search, 0, SEARCH_VARIANTS, SEARCH_PARAMETERS,                                           \
	  "slow start until deliveries no longer follow (SEARCH, CCWG draft)")                     \
	X(suss, 0, NO_VARIANTS, SUSS_PARAMETERS,                                                   \
	  "slow start that quadruples while HyStart would allow it (SUSS, 2024)")                  \
	X(jump, 0, NO_VARIANTS, NO_PARAMETERS,                                                     \
	  "the whole receiver's window, paced in the first round trip (Jump Start)")               \
	X(halfback, 0, NO_VARIANTS, NO_PARAMETERS,                                                 \
	  "up to 141 kB, paced in the first round trip (Halfback without ROPR)")
/* clang-format on */

static inline const char *startup_phase_name(uint32_t phase)
{
	static const char *const names[STARTUP_PHASE_COUNT] = {
		"slow-start",    "pacing", "approach",     "done",   "avoidance",
		"safe-transmit", "linear", "reserved",     "hold",   "drain",
		"retreat",       "rest",   "conservative", "repair", "probe",
	};
	return phase < STARTUP_PHASE_COUNT ? names[phase] : "unknown";
}

static inline const char *startup_exit_name(uint32_t exit)
{
	static const char *const names[STARTUP_EXIT_COUNT] = {
		"none",        "ssthresh", "estimate",   "loss",   "timeout",
		"application", "receiver", "unreserved", "broken", "delay",
		"governed",    "delivery", "path",
	};
	return exit < STARTUP_EXIT_COUNT ? names[exit] : "unknown";
}

#endif
