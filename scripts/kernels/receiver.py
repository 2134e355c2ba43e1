#!/usr/bin/env python3
"""Measures both ends on a kernel in an emulator: default receivers beside lifted ones.

    scripts/kernels/receiver.py --onramp target/release/onramp --cache target/kernels

The 18 paths of scenarios/start-up.toml, with CUBIC and with onramp, by `onramp lab` of the guest.
Its clock counts instructions and jumps where the guest waits, so other work of the host does not
change the figures. A guest for each size. The cache keeps their results, and docs/receiver.md gets
tables of all that are kept. Exit codes: 0 measured, 1 a run failed, 3 there is no kernel or no
emulator.
"""

import re
import sys

import machine
import packages
import virtual

sys.path.append(str(machine.HERE.parent))
from foreign import Malformed, replace_between

ROOT = machine.HERE.parent.parent
SCENARIO = ROOT / "scenarios" / "start-up.toml"
PAGE = ROOT / "docs" / "receiver.md"
SIZES = virtual.SIZES
BEGIN, END = "<!-- both ends -->", "<!-- both ends: end -->"
# start-up, receiver
PLAIN = ("none", "default")
SENDERS = {
    PLAIN: "CUBIC, default",
    ("onramp", "default"): "`onramp`, default",
    ("none", "lifted"): "CUBIC, lifted",
    ("onramp", "lifted"): "`onramp`, lifted",
}


def scenario(size):
    """The scenario of the 18 paths, with Linux's own receive buffer and this size."""
    text = SCENARIO.read_text()
    for pattern, line in ((r"^buffer = .*$", 'buffer = "linux-default"'),
                          (r"^size = .*$", f'size = "{SIZES[size]}"')):
        text, found = re.subn(pattern, line, text, flags=re.MULTILINE)
        if found != 1:
            raise machine.Unusable(f"{SCENARIO} has {found} lines like {pattern}, not 1")
    return text


def records(runs):
    """The records of a guest, by path, size, start-up and receiver."""
    found = {}
    for receiver, of_receiver in runs.items():
        for record in of_receiver:
            path = (record["rate_bits_per_s"] // 1_000_000, record["rtt_ms"], record["queue"])
            found[path, record["size_bytes"], record["startup"], receiver] = record
    return found


class Table:
    """What was measured, as two tables in Markdown."""

    def __init__(self, records):
        self.records = records
        self.paths = sorted({path for path, *_ in records})
        self.sizes = {size: name for size, name in SIZES.items()
                      if any(size == of for _, of, *_ in records)}

    def record(self, path, size, sender):
        """What was measured of a transfer."""
        return self.records[path, size, *sender]

    def ratio(self, path, size, sender):
        """The time of a sender on a path, of CUBIC's with the default receiver."""
        times = [self.record(path, size, of)["completion_s"] for of in (sender, PLAIN)]
        return times[0] / times[1]

    def means(self):
        """The geometric means of all paths, and sums."""
        yield f"| | {' | '.join(SENDERS.values())} |"
        yield "|---" * (1 + len(SENDERS)) + "|"
        for size, name in self.sizes.items():
            cells = []
            for sender in SENDERS:
                ratios = [self.ratio(path, size, sender) for path in self.paths]
                cells.append("1" if sender == PLAIN else
                             f"{virtual.mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
            yield f"| {name}, of CUBIC's time with the default | {' | '.join(cells)} |"
        yield self.sums("retransmitted segments, all sizes", "retransmitted_segments")
        yield self.sums("late runs, all sizes", "suspect")

    def sums(self, what, key):
        """A row with the sums of a number."""
        sums = [sum(self.record(path, size, sender)[key]
                    for path in self.paths for size in self.sizes) for sender in SENDERS]
        return f"| {what} | {' | '.join(map(str, sums))} |"

    def by_path(self):
        """CUBIC's seconds with the default receiver, and the ratios of `onramp`."""
        yield f"| path | {' | '.join(self.sizes.values())} |"
        yield "|---" * (1 + len(self.sizes)) + "|"
        for path in self.paths:
            cells = []
            for size in self.sizes:
                seconds = self.record(path, size, PLAIN)["completion_s"]
                ratios = [f"{self.ratio(path, size, ('onramp', receiver)):.2f}"
                          for receiver in ("default", "lifted")]
                cells.append(f"{seconds:.2f}: {', '.join(ratios)}")
            rate, rtt, queue = path
            yield f"| {rate} Mbit/s, {rtt:.0f} ms, {queue} | {' | '.join(cells)} |"


def write(table, release, day):
    """Puts the tables into the page, in the place of the earlier ones."""
    lines = [f"{day}, Linux {release}.", "", *table.means(), "",
             "By path: CUBIC's seconds with the default receiver; then the part of this time that "
             "`onramp`\ntakes, with the default receiver and with the lifted one.",
             "", *table.by_path(), ""]
    new = "\n".join(["", *lines, ""])
    PAGE.write_text(replace_between(PAGE.read_text(), BEGIN, END, new))


def main():
    parser = virtual.arguments(__doc__)
    parser.add_argument("size", nargs="*", type=int, help=f"of {', '.join(map(str, SIZES))}")
    arguments = parser.parse_args()
    run = arguments.cache.resolve() / "run"
    folders = {size: run / f"receiver-{arguments.kernel}-{size}" for size in SIZES}
    try:
        guests = virtual.Guests("receiver", arguments)
        good = [guests.measure(SIZES[size], folders[size], "receiver.sh", {},
                               {"scenario.toml": scenario(size)})
                for size in arguments.size or SIZES]
    except (packages.Unavailable, machine.Unusable) as reason:
        print(f"receiver: nothing can be measured here: {reason}")
        return 3
    verdicts, found = {}, {}
    for folder in folders.values():
        of_folder, runs = virtual.kept(folder)
        verdicts |= of_folder
        found |= records(runs)
    if not found:
        return 1
    table = Table(found)
    try:
        write(table, verdicts["kernel"][1], verdicts["clock"][1])
    except Malformed as reason:
        print(f"receiver: {PAGE}: {reason}")
        return 1
    print("\n".join(table.means()))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
