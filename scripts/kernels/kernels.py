#!/usr/bin/env python3
"""Boots the kernels of distributions in an emulator and runs Onramp on each.

    scripts/kernels/kernels.py --onramp target/release/onramp --cache target/kernels

docs/kernels.md says what is checked, and gets a row for each kernel that ran. Exit codes: 0 all
checks had the expected result, 1 some had not, 3 no kernel could run. A kernel that cannot be had
is left out, with the reason.
"""

import argparse
import fnmatch
import json
import re
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import machine
import packages

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "kernels.md"

# key: origin, suite, package
KERNELS = {
    "6.1": ("Debian", "bookworm", "linux-image-cloud-amd64"),
    "6.8": ("Ubuntu", "noble-updates", "linux-image-virtual"),
    "6.12": ("Debian", "trixie", "linux-image-cloud-amd64"),
    "newest": ("Debian", "trixie-backports", "linux-image-cloud-amd64"),
}
AVOIDANCES = ("cubic", "bbr", "reno")
# The start-ups of Onramp come from `onramp list`; these are further ways to load the default one.
VARIANTS = ("--packet-pairs", "--memory careful")
ONCE = ("kernel", "doctor", "lab", "replay", "exec", "exec:after-kill", "exec:killed", "serve",
        "serve:counts", "serve:stopped", "left", "log")
COLUMNS = ("load", "transfer", "unload", "lab", "replay", "exec", "serve", "left", "log")


def startups(onramp):
    """The lines of the guest's list: start-up, congestion control, options."""
    listed = json.loads(packages.run([onramp, "list", "--json"]))["startups"]
    rows = [[row["name"], row["congestion_control"]] for row in listed]
    rows += [["onramp", "onramp", variant] for variant in VARIANTS]
    return rows


def plan(rows):
    """The names of all checks that the guest has to report."""
    checks = list(ONCE)
    for name, _, *options in rows:
        label = name + "".join(options).replace("--", "+").replace(" ", "")
        for avoidance in AVOIDANCES:
            checks += [f"{step}:{label}:{avoidance}" for step in ("load", "transfer", "unload")]
    return checks


def exceptions():
    lines = (HERE / "exceptions.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


class Run:
    """What a kernel reported, beside what was expected."""

    def __init__(self, key, checks, lines, seconds, excepted):
        reports = [line.strip().split("\t") for line in lines]
        self.reports = {report[0]: report[1:] for report in reports if len(report) >= 2}
        self.key, self.checks, self.seconds = key, checks, seconds
        self.excepted = [(pattern, why) for where, pattern, why in excepted if where == key]
        self.release = self.reports.get("kernel", ["", "none"])[1]

    def succeeded(self, check):
        return self.reports.get(check, [""])[0] == "ok"

    def reason(self, check):
        """Why this check is expected to fail; None if it is not."""
        return next((why for pattern, why in self.excepted if fnmatch.fnmatch(check, pattern)),
                    None)

    def surprises(self):
        """Each difference from what is expected, as a sentence."""
        found = []
        if "end" not in self.reports:
            last = list(self.reports)[-1:] or ["booting"]
            return [f"the guest stopped after {last[0]}: the end of its console says why"]
        for check in self.checks:
            detail = ": ".join(self.reports.get(check, ["did not report"]))
            if not self.succeeded(check) and not self.reason(check):
                found.append(f"{check}: {detail}")
        for pattern, _ in self.excepted:
            if all(map(self.succeeded, fnmatch.filter(self.checks, pattern))):
                found.append(f"{pattern}: works now; remove the line from exceptions.txt")
        return found

    def row(self):
        cells = []
        for column in COLUMNS:
            checks = [check for check in self.checks if check.split(":")[0] == column]
            good = sum(map(self.succeeded, checks))
            alone = "yes" if good else "no"
            cells.append(alone if len(checks) == 1 else f"{good} of {len(checks)}")
        missing = list(dict.fromkeys(why for _, why in self.excepted))
        if self.surprises():
            missing.append("more than expected: see the output of the run")
        took = f"{self.seconds // 60:.0f} min {self.seconds % 60:.0f} s"
        return [self.release, str(date.today()), *cells, "; ".join(missing) or "nothing", took]


def record(run):
    """Puts the row of a kernel into the page, in the place of its earlier one."""
    mark = f"<!-- {run.key} -->"
    row = f"| {' | '.join(run.row())} | {mark}"
    text = PAGE.read_text()
    old = re.compile(rf"^.*{re.escape(mark)}$", re.MULTILINE)
    PAGE.write_text(old.sub(lambda _: row, text))


def run_kernel(key, arguments, rows):
    folder, version = packages.unpack_kernel(*KERNELS[key], arguments.cache)
    print(f"kernels: {key}: booting {version}", flush=True)
    work = arguments.cache / "run" / key
    work.mkdir(parents=True, exist_ok=True)
    listed = "".join(" ".join(row) + "\n" for row in rows)
    files = {"init": HERE / "guest.sh", "lab.toml": HERE / "lab.toml"}
    image = machine.initramfs(folder, machine.ours(arguments.onramp), work, files,
                              {"startups": listed})
    start = time.monotonic()
    lines = machine.boot(folder, image, work)
    return Run(key, plan(rows), lines, time.monotonic() - start, exceptions())


def show(run):
    print(f"kernels: {run.key}: {run.release}, {run.seconds:.0f} s", flush=True)
    for check in run.checks:
        if not run.succeeded(check) and run.reason(check):
            print(f"  expected to fail: {check} ({run.reason(check)})")
    for surprise in run.surprises():
        print(f"  DIFFERS: {surprise}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onramp", type=Path, required=True, help="the program to run")
    parser.add_argument("--cache", type=Path, required=True, help="folder for kernels and logs")
    parser.add_argument("kernel", nargs="*", help=f"of {', '.join(KERNELS)}; by default all")
    arguments = parser.parse_args()
    arguments.cache = arguments.cache.resolve()
    arguments.onramp = arguments.onramp.resolve()
    runs = []
    for key in arguments.kernel or KERNELS:
        try:
            run = run_kernel(key, arguments, startups(arguments.onramp))
        except (packages.Unavailable, machine.Unusable) as reason:
            print(f"kernels: {key} is left out: {reason}", flush=True)
            continue
        runs.append(run)
        show(run)
        record(run)
    if not runs:
        return 3
    return 1 if any(run.surprises() for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
