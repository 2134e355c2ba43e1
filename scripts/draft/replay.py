#!/usr/bin/env python3
"""Give recorded inputs to the code of the Internet-Draft, and compare its decisions with those that
were recorded: scripts/draft/replay.py RECORDING... Exits with 1 where one differs."""

import collections
import copy
import pathlib
import sys

import recording
import specification

# Packet pairs are no part of the draft.
SPECIFIED = [name for name, _ in recording.RECORDS["Decision"]._fields_ if name != "pair"]


def differences(draft, events):
    """Each event whose decision differs: number, kind, and what differs."""
    followers = collections.Counter(before for _, before, _, _ in events)
    states = {}
    for number, (kind, before, record, decision) in enumerate(events, 1):
        given = recording.as_input(kind, record)
        if kind == "Start":
            state, answer = draft["on_start"](given)
        else:
            followers[before] -= 1
            # Runs that share a beginning go on from copies of its state.
            state = copy.deepcopy(states[before]) if followers[before] else states.pop(before)
            answer = draft["on_ack" if kind == "Ack" else "on_loss"](state, given)
        if followers[number]:
            states[number] = state
        differ = {name: (getattr(decision, name), int(getattr(answer, name)))
                  for name in SPECIFIED if getattr(decision, name) != getattr(answer, name)}
        if differ:
            yield number, kind, differ


def main():
    draft, wrong = specification.load(), 0
    for path in map(pathlib.Path, sys.argv[1:]):
        events = recording.read(path)
        found = list(differences(draft, events))
        wrong += len(found)
        print(f"{path.name}: {len(events) - len(found)} of {len(events)} decisions are the same")
        for number, kind, differ in found[:5]:
            print(f"  {kind} {number}: {differ} (recorded, draft)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
