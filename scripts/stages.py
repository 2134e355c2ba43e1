#!/usr/bin/env python3
"""Run the stages of `make test-all`: all of them, or those whose inputs changed since they passed.

    scripts/stages.py list
    scripts/stages.py run [STAGE ...]     # all, or these
    scripts/stages.py changed             # those of CI whose inputs changed

.ci/stages.toml has the stages: a command, and the paths that it depends on. A stage that passes is
noted in .ci/passed.toml with the digest of these paths as committed; commit that file. A stage is
not noted if one of its inputs has changes that are not committed.

Exit codes: 0 all passed, 1 a stage failed or could not run here, 2 a mistake in the table or the
arguments.
"""

import datetime
import hashlib
import os
import pathlib
import subprocess
import sys
import time
import tomllib

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
TABLE = pathlib.Path(".ci/stages.toml")
PASSED = pathlib.Path(".ci/passed.toml")
KEYS = {"what", "run", "inputs", "ci"}
OPTIONAL = {"needs"}


class Mistake(Exception):
    """What is wrong with the table or the arguments, as a sentence."""


def git(*arguments):
    return subprocess.check_output(["git", *arguments], text=True)


def read_table(path):
    """Return the stages, with the inputs that all of them have added to each."""
    table = tomllib.loads(path.read_text())
    everywhere = table.pop("everywhere", [])
    for name, stage in table.items():
        if not isinstance(stage, dict) or set(stage) - OPTIONAL != KEYS:
            message = f"{path}: stage {name} needs the keys {', '.join(sorted(KEYS))}"
            raise Mistake(message)
        stage["inputs"] = sorted({*stage["inputs"], *everywhere})
        for pattern in stage["inputs"]:
            if not git("ls-files", "--", pattern):
                raise Mistake(f"{path}: stage {name}: git tracks no file at {pattern}")
    return table


def digest(stage):
    """Return the digest of the inputs as committed, and of the command."""
    listing = git("ls-files", "--stage", "--", *stage["inputs"])
    return hashlib.sha256((stage["run"] + "\n" + listing).encode()).hexdigest()[:16]


def is_committed(stage):
    return not git("status", "--porcelain", "--", *stage["inputs"])


def succeeds(command):
    return subprocess.run(["bash", "-c", command], check=False).returncode == 0


def read_passed(path):
    return tomllib.loads(path.read_text()) if path.exists() else {}


def is_unchanged(passed, name, stage):
    return is_committed(stage) and passed.get(name, {}).get("digest") == digest(stage)


def write_passed(path, passed):
    lines = ["# Written by scripts/stages.py: when each stage passed last, and with which inputs."]
    for name in sorted(passed):
        row = passed[name]
        lines += [
            "",
            f"[{name}]",
            f'digest = "{row["digest"]}"',
            f"day = {row['day']}",
            f"minutes = {row['minutes']}",
        ]
    path.write_text("\n".join(lines) + "\n")


def run(name, stage):
    """Run a stage, note it if it passed, and return whether it passed."""
    print(f"\nstage {name}: {stage['what']}", flush=True)
    if "needs" in stage and not succeeds(stage["needs"]):
        print(f"stage {name}: cannot run here; it needs: {stage['needs']}", flush=True)
        return False
    before = digest(stage)
    begin = time.monotonic()
    has_passed = succeeds(stage["run"])
    minutes = (time.monotonic() - begin) / 60
    print(f"stage {name}: {'passed' if has_passed else 'failed'}, {minutes:.1f} min", flush=True)
    if has_passed and is_committed(stage) and digest(stage) == before:
        passed = read_passed(PASSED)
        day = datetime.date.today()
        passed[name] = {"digest": before, "day": day, "minutes": round(minutes, 1)}
        write_passed(PASSED, passed)
    return has_passed


def chosen(arguments, table):
    """Return the names of the stages to run."""
    match arguments:
        case ["run"]:
            return list(table)
        case ["run", *names]:
            for name in names:
                if name not in table:
                    raise Mistake(f"there is no stage {name}; there are: {', '.join(table)}")
            return names
        case ["changed"]:
            passed = read_passed(PASSED)
            in_ci = [name for name in table if table[name]["ci"]]
            return [name for name in in_ci if not is_unchanged(passed, name, table[name])]
        case _:
            raise Mistake(f"usage:{__doc__.split(chr(10) * 2)[1]}")


def main(arguments):
    os.chdir(REPOSITORY)
    table = read_table(TABLE)
    passed = read_passed(PASSED)
    if arguments == ["list"]:
        for name, stage in table.items():
            state = "unchanged" if is_unchanged(passed, name, stage) else "to be run"
            print(f"{name:<14} {state:<10} {stage['what']}")
        return 0
    names = chosen(arguments, table)
    for name in [name for name in table if name not in names]:
        print(f"stage {name}: not run; passed last on {passed.get(name, {}).get('day', 'no day')}")
    failed = [name for name in names if not run(name, table[name])]
    print(f"\n{len(names) - len(failed)} stages passed, {len(failed)} failed {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Mistake as mistake:
        print(f"stages: {mistake}", file=sys.stderr)
        sys.exit(2)
