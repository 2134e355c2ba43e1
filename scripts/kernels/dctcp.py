#!/usr/bin/env python3
"""Measures DCTCP of a kernel at a step, in an emulator, and prints a table.

    scripts/kernels/dctcp.py --cache target/kernels

docs/simulator.md ("DCTCP and Prague") has the table, beside the simulator's. The clock of the guest
counts instructions, so other work of the host does not change the figures. Exit codes: 0 the
kernel was measured, 3 there is no kernel or no emulator.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import mean

import kernels
import machine
import packages

MODULES = ("veth", "tcp_dctcp", "inet_diag", "tcp_diag", "sch_netem", "sch_red", "sch_tbf")
# Threshold in packets, flows.
CASES = ((20, 1), (20, 2), (40, 1), (40, 2))


def percentile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def row(packets, flows, samples):
    """A line of the table, of samples as flows.c describes them."""
    first, last = samples[0], samples[-1]
    seconds = (last[0] - first[0]) / 1e6
    queue = [sample[1] for sample in samples]
    columns = [f"{packets}", f"{flows}", f"{(last[2] - first[2]) * 8 / seconds / 1e6:.1f}",
               f"{mean(queue):.1f}", f"{percentile(queue, 0.05)} to {percentile(queue, 0.95)}",
               f"{min(queue)} to {max(queue)}",
               f"{100 * (last[4] - first[4]) / (last[3] - first[3]):.1f} %"]
    windows = [[sample[5 + 2 * flow] for sample in samples] for flow in range(flows)]
    alphas = [[sample[6 + 2 * flow] / 1024 for sample in samples] for flow in range(flows)]
    columns += [", ".join(f"{mean(of):.1f}" for of in windows),
                ", ".join(f"{percentile(of, 0.05)} to {percentile(of, 0.95)}" for of in windows),
                ", ".join(f"{100 * mean(of):.1f} %" for of in alphas)]
    return f"| {' | '.join(columns)} |"


def table(lines):
    """The table, and what went wrong."""
    found, problems, samples = {}, [], None
    for line in lines:
        words = line.split("\t")
        if len(words) == 1 and samples is not None and line.replace(" ", "").isdigit():
            samples.append([int(word) for word in line.split()])
        elif words[0].startswith("case:"):
            samples = found.setdefault(tuple(map(int, words[0].split(":")[1:])), [])
        elif len(words) == 1 or words[1] != "ok":
            problems.append(line)
    rows = [row(*case, samples) for case, samples in found.items() if len(samples) > 1]
    return rows, problems


def guest(kernel, folder):
    """The first file system: busybox, iproute2, modules, the sender and the script."""
    root = machine.empty(folder / "root")
    machine.copy_programs({}, root)
    machine.copy_modules(kernel, root, MODULES)
    subprocess.run([machine.program("cc"), "-O2", "-static", "-o", root / "usr/bin/flows",
                    machine.HERE / "flows.c"], check=True)
    for name, to in (("dctcp.sh", "init"), ("report.sh", "report.sh")):
        machine.copy(machine.HERE / name, root / to)
    (root / "cases").write_text("".join(f"{packets} {flows}\n" for packets, flows in CASES))
    return machine.pack(root, folder / "initramfs")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=Path("target/kernels"))
    parser.add_argument("kernel", nargs="?", choices=kernels.KERNELS, default="6.12")
    arguments = parser.parse_args()
    cache = arguments.cache.resolve()
    folder = cache / "run" / f"dctcp-{arguments.kernel}"
    try:
        kernel, version = packages.unpack_kernel(*kernels.KERNELS[arguments.kernel], cache)
        image = guest(kernel, folder)
    except (packages.Unavailable, machine.Unusable) as reason:
        print(f"dctcp: nothing can be measured here: {reason}")
        return 3
    print(f"dctcp: booting {version}", flush=True)
    rows, problems = table(machine.boot(kernel, image, folder, machine.JUMPING))
    print("| step | flows | Mbit/s | queue, mean | 5 to 95 % | least to most | marked "
          "| cwnd, mean | 5 to 95 % | alpha |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    for problem in problems:
        print(f"dctcp: {problem}")
    return 0 if len(rows) == len(CASES) and not problems else 1


if __name__ == "__main__":
    sys.exit(main())
