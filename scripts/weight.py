#!/usr/bin/env python3
"""Count the lines of product code: Rust and C without tests, benchmarks, examples, fuzzing
targets, generated files, comments and blank lines. Prints the crates; with folders as arguments
their files.
"""

import argparse
import importlib
import re
import subprocess
from collections import Counter
from pathlib import Path

circles = importlib.import_module("check-circles")

LEFT_OUT = re.compile(
    r"(^|/)(onramp-testing|tests|benches|examples|fuzz)/|/(bindings\.rs|inline\.c)$"
)


def without_noise(found):
    """Nothing for a comment; for a string as many letters and lines as it has."""
    return "" if found[0].startswith("/") else re.sub(r"[^\n]", "x", found[0])


def weight_and_tests(file):
    """The lines of a file, and the modules of tests that it declares."""
    code = circles.NOISE.sub(without_noise, file.read_text())
    folder = file.parent if file.stem in ("lib", "main", "mod") else file.with_suffix("")
    modules = set()
    while test := circles.TEST.search(code):
        end = circles.end_of_item(code, test.end())
        if module := circles.MODULE.search(code, test.end(), end):
            modules.add(folder / module[1])
        code = code[: test.start()] + code[end:]
    return sum(map(bool, map(str.strip, code.splitlines()))), modules


def group_of(file, folders):
    if folders:
        return str(file)
    return "/".join(file.parts[: 2 if file.parts[0] == "crates" else 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", help="as git names them: crates/onramp-tcp")
    folders = parser.parse_args().folders
    listed = subprocess.run(
        ["git", "ls-files", "*.rs", "*.c", "*.h"], stdout=subprocess.PIPE, text=True, check=True
    )
    files = [Path(file) for file in listed.stdout.split() if not LEFT_OUT.search(file)]
    files = [file for file in files if not file.is_symlink()]
    weights, tests = {}, set()
    for file in files:
        weights[file], modules = weight_and_tests(file)
        tests |= modules
    lines = Counter()
    for file, weight in weights.items():
        is_test = not tests.isdisjoint((file.with_suffix(""), *file.parents))
        if not is_test and str(file).startswith(tuple(folders) or ""):
            lines[group_of(file, folders)] += weight
    for name, count in lines.most_common():
        print(f"{count:8} {name}")
    if not lines:
        parser.error(f"no product code in {', '.join(folders)}: name folders of the repository")
    print(f"{lines.total():8} in all")


if __name__ == "__main__":
    main()
