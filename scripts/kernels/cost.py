#!/usr/bin/env python3
"""Counts the instructions of a connection with 3 kB: as it is, with `load`, under the service.

    scripts/kernels/cost.py --cache target/kernels cargo test --locked --workspace

Builds the tests with the given command, and runs a measurement of onramp-kernel's in an emulator
whose clock counts instructions, one a nanosecond. So other work of the host does not change the
figures. docs/service.md has them. Exit codes: 0 measured, 1 the measurement failed, 3 there is no
kernel or no emulator.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import kernels
import machine
import packages


def test_program(build):
    """Builds the tests, all as `make test` does, and returns the path of onramp-kernel's."""
    command = [*build, "--no-run", "--message-format", "json"]
    built = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    artifacts = [json.loads(line) for line in built.splitlines()]
    (program,) = {artifact["executable"] for artifact in artifacts
                  if artifact.get("executable") and artifact["target"]["name"] == "kernel"
                  and "/onramp-kernel" in artifact["package_id"]}
    return Path(program)


def measure(kernel, program, folder):
    """Runs the measurement. Prints what it found, and returns whether it succeeded."""
    image = machine.initramfs(kernel, {"usr/bin/kernel": program}, folder,
                              {"init": machine.HERE / "cost.sh"})
    lines = machine.boot(kernel, image, folder, machine.JUMPING)
    print("\n".join(lines))
    return any(line.startswith("cost\tok") for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder for kernels and logs")
    parser.add_argument("--kernel", choices=kernels.KERNELS, default="6.12")
    parser.add_argument("build", nargs=argparse.REMAINDER, help="builds the tests: cargo test ...")
    arguments = parser.parse_args()
    cache = arguments.cache.resolve()
    try:
        kernel, version = packages.unpack_kernel(*kernels.KERNELS[arguments.kernel], cache)
        program = test_program(arguments.build)
        print(f"cost: booting {version}", flush=True)
        return 0 if measure(kernel, program, cache / "run" / f"cost-{arguments.kernel}") else 1
    except (packages.Unavailable, machine.Unusable) as reason:
        print(f"cost: nothing can be measured here: {reason}")
        return 3


if __name__ == "__main__":
    sys.exit(main())
