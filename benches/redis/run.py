#!/usr/bin/env python3
"""Compare redis on Onramp's start-up with redis on the kernel's CUBIC.

Each block is a new network namespace, a new redis-server and one run of redis-benchmark, both ends
on the same congestion control. The blocks alternate. docs/benchmarks.md explains the figures.

Exit codes: 0 measured, 2 bad option, 3 the host lacks something.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.append(str(REPOSITORY / "scripts"))

from controls import Controls, Failed, Missing, control_names, require

NAMESPACE = REPOSITORY / "scripts" / "namespace.sh"
TESTS = ["GET", "SET"]
# The CPU time of the server for a request, in microseconds
SERVER = "server us"


def block(control, requests, clients, cpus):
    """Requests per second of each test in a new namespace, and the server's CPU time a request."""
    command = [NAMESPACE, control, HERE / "block.sh", *map(str, cpus), str(requests), str(clients)]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        raise Failed(f"redis with {control}: {done.stdout.strip()} {done.stderr.strip()}")
    lines = done.stdout.splitlines()
    rows = csv.DictReader(lines[:-2])
    figures = {row["test"]: float(row["rps"]) for row in rows}
    cpu_s = sum(float(line.split(":")[1]) for line in lines[-2:])
    figures[SERVER] = 1e6 * cpu_s / (requests * len(TESTS))
    return figures


def spread(values):
    """The median, and the range of nine tenths."""
    ordered = sorted(values)

    def at(share):
        place = share * (len(ordered) - 1)
        low, high = ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)]
        return low + (high - low) * (place % 1)

    return at(0.5), at(0.05), at(0.95)


def measure(arguments, cpus):
    """The figures of all contestants in all rounds: {contestant: [{name: figure}]}.

    CUBIC takes part twice: the second is compared with the first, and shows the method's error.
    """
    contestants = ["cubic", "cubic again", *arguments.controls]
    blocks = {contestant: [] for contestant in contestants}
    for number in range(arguments.rounds):
        # Every other round is in reverse order.
        for contestant in contestants[::-1] if number % 2 else contestants:
            control = contestant.split()[0]
            figures = block(control, arguments.requests, arguments.clients, cpus)
            blocks[contestant].append(figures)
    return blocks


def report(blocks):
    print(f"{'':<12}{'':<16}{'median':>10}   % of cubic in the same round (5-95 %)")
    for figure in [*TESTS, SERVER]:
        for contestant, rounds in blocks.items():
            median = spread(figures[figure] for figures in rounds)[0]
            line = f"{figure:<12}{contestant:<16}{median:>10.{1 if figure == SERVER else 0}f}"
            if contestant != "cubic":
                pairs = zip(rounds, blocks["cubic"])
                ratio = spread(100 * own[figure] / cubic[figure] for own, cubic in pairs)
                line += "   {:.1f} ({:.1f}-{:.1f})".format(*ratio)
            print(line)


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onramp", metavar="FILE", default=REPOSITORY / "target/release/onramp",
                        help="the onramp command [target/release/onramp]")
    parser.add_argument("--controls", metavar="NAMES", type=control_names, default="onramp",
                        help="compared with cubic: names, separated by commas [onramp]")
    parser.add_argument("--rounds", metavar="N", type=positive, default=20, help="[%(default)s]")
    parser.add_argument("--requests", metavar="N", type=positive, default=50_000,
                        help="requests of a test in a block [%(default)s]")
    parser.add_argument("--clients", metavar="N", type=positive, default=50,
                        help="connections at once [%(default)s]")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    usable = sorted(os.sched_getaffinity(0))
    cpus = (usable[0], usable[-1])
    try:
        require({"redis-server": "redis-server", "redis-benchmark": "redis-tools",
                 "ip": "iproute2", "unshare": "util-linux", "taskset": "util-linux"})
        with Controls(["cubic", *arguments.controls], arguments.onramp):
            blocks = measure(arguments, cpus)
    except Missing as reason:
        print(f"redis: skipped: {reason}", file=sys.stderr)
        return 3
    except (Failed, OSError) as reason:
        print(f"redis: {reason}", file=sys.stderr)
        return 2
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{arguments.rounds} rounds, load average {load}")
    report(blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
