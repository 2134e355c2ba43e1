#!/usr/bin/env python3
"""Write the inputs of recordings into scripts/draft/recordings, for scripts/test_draft.py:
scripts/draft/thin.py RECORDING... Of long recordings, connections at equal distances are kept."""

import pathlib
import sys

import recording

FOLDER = pathlib.Path(__file__).parent / "recordings"
# `exact` has all of its events.
MAX_EVENTS = {"exact": 100_000}
DEFAULT_MAX_EVENTS = 4_000


def thin(events, max_events):
    """Each n-th connection, so that about so many events are left."""
    divisor, starts, kept, new = -(-len(events) // max_events), 0, [], {0: 0}
    for number, (kind, before, *records) in enumerate(events, 1):
        starts += kind == "Start"
        if (starts - 1) % divisor == 0 if kind == "Start" else before in new:
            kept.append((kind, new[before], *records))
            new[number] = len(kept)
    return kept


def main():
    for path in map(pathlib.Path, sys.argv[1:]):
        limit = MAX_EVENTS.get(path.stem, DEFAULT_MAX_EVENTS)
        kept = thin(recording.read(path), limit)
        recording.write_inputs(FOLDER / f"{path.stem}.json.xz", kept)


if __name__ == "__main__":
    main()
