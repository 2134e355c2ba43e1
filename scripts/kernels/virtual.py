"""Runs of `onramp lab` in a guest whose clock counts instructions and jumps where the guest waits.

So other work of the host does not change the figures. The cache keeps what a guest reported.
"""

import argparse
import json
import math
from pathlib import Path

import kernels
import machine
import packages

SIZES = {100_000: "100 kB", 1_000_000: "1 MB", 5_000_000: "5 MB", 20_000_000: "20 MB"}


def arguments(description):
    """A parser with the options of all measurements."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--onramp", type=Path, required=True, help="the program to run")
    parser.add_argument("--cache", type=Path, required=True, help="folder for kernels and logs")
    parser.add_argument("--kernel", choices=kernels.KERNELS, default="6.12")
    return parser


def read(lines):
    """The verdicts of the guest's checks, and the records of each run of the lab, by its name."""
    verdicts, texts = {}, {}
    for line in lines:
        words = line.split("\t")
        if len(words) == 3:
            verdicts[words[0]] = words[1:]
        else:
            name, _, rest = line.partition(":")
            texts.setdefault(name, []).append(rest)
    ran = [name.removeprefix("lab:") for name in verdicts if name.startswith("lab:")]
    return verdicts, {name: json.loads("\n".join(texts.get(name, [])) or "[]") for name in ran}


def kept(folder):
    """What the last guest of a folder reported; nothing if it did not come to its end."""
    results = folder / "results"
    found = read(results.read_text().splitlines()) if results.exists() else ({}, {})
    return found if "end" in found[0] else ({}, {})


class Guests:
    """Guests of a kernel, with Onramp's programs."""

    def __init__(self, name, given):
        self.name, self.onramp = name, given.onramp.resolve()
        self.kernel, version = packages.unpack_kernel(*kernels.KERNELS[given.kernel],
                                                      given.cache.resolve())
        print(f"{name}: {version}", flush=True)

    def measure(self, what, folder, init, files, texts=None):
        """Runs a guest with this first program. Returns whether all of its checks succeeded."""
        files = {"init": machine.HERE / init, "lab.sh": machine.HERE / "lab.sh"} | files
        image = machine.initramfs(self.kernel, machine.ours(self.onramp), folder, files, texts)
        print(f"{self.name}: booting for {what}", flush=True)
        verdicts, _ = read(machine.boot(self.kernel, image, folder, machine.JUMPING))
        wrong = {name: words for name, words in verdicts.items() if words[0] != "ok"}
        for name, words in (wrong if "end" in verdicts else verdicts).items():
            print(f"{self.name}: {name}: {': '.join(words)}")
        return "end" in verdicts and not wrong


def mean(values):
    """The geometric mean."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))
