#!/usr/bin/env python3
"""Writes a synthetic trace of a fading mobile link, in the format of mahimahi's mm-link.

    scripts/fading-trace.py SEED SECONDS MIN_MBIT MAX_MBIT > FILE

Each line is a millisecond at which the link carries 1500 bytes. The trace is not a recording. Its
rate is a random walk between MIN_MBIT and MAX_MBIT: every 20 ms the logarithm of the rate moves by
a normally distributed step, and one step in 250 is a fade to MIN_MBIT for 100 to 400 ms. The
numbers are those of no particular network. The same seed gives the same file on every machine.
"""

import math
import sys

STEP_MS = 20
DEVIATION = 0.15
FADE_ONE_IN = 250
BITS = 1500 * 8


class Random:
    """SplitMix64, so that the file depends on no version of Python."""

    def __init__(self, seed):
        self.state = seed

    def unit(self):
        """A number above 0 and at most 1."""
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (((z ^ (z >> 31)) >> 11) + 1) / (1 << 53)

    def normal(self):
        """Box & Muller 1958."""
        radius = math.sqrt(-2 * math.log(self.unit()))
        return radius * math.cos(2 * math.pi * self.unit())


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    seed, seconds = int(sys.argv[1]), int(sys.argv[2])
    low, high = float(sys.argv[3]), float(sys.argv[4])
    random = Random(seed)
    rate, fade_until_ms, bits = math.sqrt(low * high), 0, 0.0
    for ms in range(1, seconds * 1000 + 1):
        if ms % STEP_MS == 0:
            rate = min(max(rate * math.exp(DEVIATION * random.normal()), low), high)
            if random.unit() * FADE_ONE_IN < 1:
                fade_until_ms = ms + 100 + 300 * random.unit()
        bits += (low if ms < fade_until_ms else rate) * 1000
        while bits >= BITS:
            bits -= BITS
            print(ms)


main()
