/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Every start-up algorithm, once: X(name, summary). The name is that of its file, its functions,
 * its `startup = "..."` in scenario files and, as onramp_<name> unless it is `onramp`, of its
 * congestion control in the kernel (so it has at most 8 characters). Names of phases and exits for
 * people stand here too.
 */
#ifndef ONRAMP_REGISTRY_H
#define ONRAMP_REGISTRY_H

#include "algorithms/astart.h"
#include "algorithms/gamma.h"
#include "algorithms/hoe.h"
#include "algorithms/onramp.h"
#include "algorithms/paced.h"
#include "algorithms/pair.h"
#include "algorithms/qos.h"
#include "algorithms/spaced.h"
#include "algorithms/standard.h"

#define STARTUP_ALGORITHMS(X)                                                                      \
	X(standard, "slow start as it is (RFC 5681)")                                              \
	X(paced, "ssthresh from ACK spacing, then paced (Aron & Druschel 1998)")                   \
	X(gamma, "a share of the window as threshold, found by itself (Chaher et al. 1998)")       \
	X(spaced, "slow start at the rate of its ACKs (Chaher et al. 1998)")                       \
	X(pair, "slow start at the interval that the receiver reports (Nishida et al.)")           \
	X(astart, "ssthresh raised to the eligible rate, again and again (Wang et al.)")           \
	X(hoe, "ssthresh from three acknowledgements, once (Hoe 1996)")                            \
	X(qos, "a reserved rate from the first segment on (Ritter et al.)")                        \
	X(onramp,                                                                                  \
	  "measured in the first round trip, paced, validated, raised: the five papers in one")

static inline const char *startup_phase_name(uint32_t phase)
{
	static const char *const names[STARTUP_PHASE_COUNT] = {
		"slow-start", "pacing",   "approach", "done",  "avoidance", "safe-transmit",
		"linear",     "reserved", "hold",     "drain", "retreat",
	};
	return phase < STARTUP_PHASE_COUNT ? names[phase] : "unknown";
}

static inline const char *startup_exit_name(uint32_t exit)
{
	static const char *const names[STARTUP_EXIT_COUNT] = {
		"none",        "ssthresh", "estimate",   "loss",   "timeout",
		"application", "receiver", "unreserved", "broken", "delay",
	};
	return exit < STARTUP_EXIT_COUNT ? names[exit] : "unknown";
}

#endif
