#!/usr/bin/env python3
"""Write the inputs of recordings into scripts/draft/recordings, for scripts/test_draft.py:
scripts/draft/thin.py RECORDING... Of long recordings, some connections are kept."""

import pathlib
import random
import sys

import recording

FOLDER = pathlib.Path(__file__).parent / "recordings"
# `exact` has all of its events. `kernel` is of `onramp lab --record`, over start-up.toml with 300
# ms in place of 600, jitter-5.toml and random-loss.toml of scenarios/hostile.
EVENTS = {"exact": 100_000, "real-wifi-ampdu": 6_000}
DEFAULT_EVENTS = 3_000


def thin(events, wanted):
    """Connections, drawn at random, with about so many events."""
    rng, kept, new = random.Random(1), [], {0: 0}
    for number, (kind, before, *records) in enumerate(events, 1):
        if rng.random() * len(events) < wanted if kind == "Start" else before in new:
            kept.append((kind, new[before], *records))
            new[number] = len(kept)
    return kept


def main():
    for path in map(pathlib.Path, sys.argv[1:]):
        wanted = EVENTS.get(path.stem, DEFAULT_EVENTS)
        kept = thin(recording.read(path), wanted)
        recording.write_inputs(FOLDER / f"{path.stem}.json.xz", kept)


if __name__ == "__main__":
    main()
