#!/usr/bin/env python3
"""10,000 small cells from Python beside the command line, in pairs.

Each pair runs the same file by `onramp sim --json` and by `onramp.run`, in alternating order.
Exit code 1: the median ratio of the wall times exceeds the limit.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time

FILE = (
    pathlib.Path(__file__).parents[2] / "crates" / "onramp-sim" / "benches" / "speed" / "cells.toml"
)
CELLS = 10_000
LIMIT = 1.2
PYTHON = "import sys, onramp; frame = onramp.run(sys.argv[1]); assert len(frame) == 10_000"


def wall_s(command):
    """Run a command. Returns its wall time in seconds."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def call_s(file):
    """Time the call alone, without the start of Python and the import of pandas."""
    program = (
        "import sys, time, onramp\n"
        "onramp.run({'name': 'x', 'path': {'rate': '1 Mbit/s', 'rtt': '1 ms'},"
        " 'transfer': [{'size': '1 B'}]})\n"
        "start = time.perf_counter()\n"
        "frame = onramp.run(sys.argv[1])\n"
        "print(time.perf_counter() - start)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, file], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onramp", type=pathlib.Path, required=True, help="the command line")
    parser.add_argument("--pairs", type=int, default=7, help="number of pairs (default 7)")
    arguments = parser.parse_args()
    command = [str(arguments.onramp), "sim", str(FILE), "--json"]
    ratios, rows = [], []
    for pair in range(arguments.pairs):
        if pair % 2:
            python_s, command_s = call_s(str(FILE)), wall_s(command)
        else:
            command_s, python_s = wall_s(command), call_s(str(FILE))
        whole_s = wall_s([sys.executable, "-c", PYTHON, str(FILE)])
        ratios.append(python_s / command_s)
        rows.append((command_s, python_s, whole_s))
        print(
            f"pair {pair + 1}: command line {command_s:.2f} s, onramp.run {python_s:.2f} s, "
            f"with Python's start {whole_s:.2f} s",
            flush=True,
        )
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    ratio = statistics.median(ratios)
    print(
        f"{CELLS} cells, medians: command line {medians[0]:.2f} s, onramp.run {medians[1]:.2f} s, "
        f"with Python's start {medians[2]:.2f} s; ratio {ratio:.2f} (limit {LIMIT})"
    )
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
