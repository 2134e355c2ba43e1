#!/usr/bin/env python3
"""Run uploads of neqo with its slow starts and Onramp's, in neqo's own simulator.

Builds NSS, neqo's cryptography, and neqo with Onramp's start-up (onramp.rs, edits.py) from copies
of their sources in target/neqo. docs/neqo.md explains the table and how to get the sources.

Exit codes: 0 the table is printed, 1 a test of neqo fails with Onramp's slow start beside neqo's
that passes without it, 2 bad option, or a build fails, 3 the host lacks something.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path.append(str(REPOSITORY / "scripts"))
sys.dont_write_bytecode = True

import edits
import nss
import tables
from foreign import (Failed, Malformed, Missing, call, commit, output, replace_between, require,
                     source)

PAGE = "docs/neqo.md"
DOCUMENT = REPOSITORY / PAGE
BEGIN, END = "<!-- scripts/neqo/run.py --update -->", "<!-- end of the tables -->"
SLOW_STARTS = "classic,hystart,search,onramp,onramppaced"
# An upload takes less than a second.
RUN_TIMEOUT_S = 300
TESTS_TIMEOUT_S = 1800


class Neqo:
    """neqo with Onramp's start-up, in a folder."""

    def __init__(self, folder, crypto):
        self.folder = folder
        self.crypto = crypto
        self.log = folder / "build.log"
        self.target = folder / "target"

    def cargo(self, source, *arguments):
        """A command of cargo in a copy of neqo's workspace. Release builds are the only ones that
        link NSS dynamically; without lto they are fast, and with assertions they are tests."""
        nss_rs = self.folder / "nss-rs"
        patch = 'patch."https://github.com/mozilla/nss-rs"'
        return [os.environ.get("CARGO", "cargo"), *arguments, "--release", "-p", "neqo-transport",
                "--config", f'{patch}.nss-rs.path="{nss_rs}"',
                "--config", f'{patch}.test-fixture.path="{nss_rs / "test-fixture"}"',
                "--config", 'profile.release.lto="off"',
                "--config", "profile.release.debug-assertions=true",
                "--manifest-path", source / "Cargo.toml"]

    def environment(self):
        """The environment of cargo and of what it builds."""
        return {**self.crypto.environment(), "CARGO_TARGET_DIR": str(self.target),
                "CARGO_INCREMENTAL": "0"}

    def copy(self, source, name, changes):
        """Copy neqo with Onramp's start-up, and with further edits."""
        added = {"neqo-transport/src/cc/onramp.rs": "onramp.rs",
                 "neqo-transport/examples/uploads.rs": "uploads.rs"}
        edits.copy(source, self.folder / name,
                   [*edits.NEQO, edits.dependency(REPOSITORY / "crates" / "onramp-quic"), *changes],
                   [(path, (HERE / file).read_text()) for path, file in added.items()])
        return self.folder / name

    def build(self, source):
        """Build the program `uploads`."""
        copy = self.copy(source, "neqo", [])
        call(self.cargo(copy, "build", "--example", "uploads"), self.log,
             environment=self.environment())

    def uploads(self, path, size, slow_starts):
        """The uploads of a size over a path, by slow start."""
        program = self.target / "release" / "examples" / "uploads"
        return tables.parse(output([program, *path.arguments(), str(size), *slow_starts],
                                   f"uploads over {path}", RUN_TIMEOUT_S,
                                   environment=self.environment()), slow_starts)

    def tests(self, source):
        """The output of neqo-transport's tests in a copy of the workspace."""
        try:
            return subprocess.run(
                self.cargo(source, "test", "--lib", "--tests", "--no-fail-fast"), text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=self.environment(), timeout=TESTS_TIMEOUT_S, check=False).stdout
        except subprocess.TimeoutExpired:
            raise Failed(f"neqo's tests did not end within {TESTS_TIMEOUT_S} s") from None


def suite(neqo, source):
    """neqo's own tests: as neqo is, with Onramp's slow start beside neqo's, and as the default.
    Returns how many fail because of the edits."""
    plain, default = neqo.folder / "plain", edits.Edit(
        "neqo-transport/src/connection/params.rs", "            slow_start: SlowStart::Classic,\n",
        "            slow_start: SlowStart::Onramp,\n", "instead")
    edits.copy(source, plain)
    trees = {"neqo as it is": plain, "with onramp beside its slow starts":
             neqo.copy(source, "neqo", []), "with onramp as the default":
             neqo.copy(source, "default", [default])}
    failed_before, broken = None, set()
    for what, tree in trees.items():
        output = neqo.tests(tree)
        (neqo.folder / f"tests-{tree.name}.log").write_text(output)
        passed, failed = tables.tests(output)
        print(f"{what}: {len(passed)} passed, {len(failed)} failed", flush=True)
        if failed_before is None:
            failed_before = failed
        elif tree.name == "neqo":
            broken = failed - failed_before
        for test in sorted(failed if failed is failed_before else failed - failed_before):
            print(f"  {test}: {tables.message(output, test)}")
    return len(broken)


def run_all(neqo, arguments):
    """All uploads, by path and size."""
    wanted = [(path, size) for path in tables.PATHS for size in tables.SIZES]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {one: pool.submit(neqo.uploads, *one, arguments.slow_starts) for one in wanted}
        return {one: future.result() for one, future in running.items()}


def parse_arguments():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option, variable, what in (("--neqo", "NEQO", "neqo"), ("--nss-rs", "NSS_RS", "nss-rs"),
                                   ("--nss", "NSS", "NSS")):
        parser.add_argument(option, metavar="DIR", default=os.environ.get(variable),
                            help=f"{what}'s source [${variable}]")
    parser.add_argument("--slow-starts", metavar="NAMES", default=SLOW_STARTS,
                        type=lambda text: text.split(","), help="slow starts of neqo, and onramp, "
                        "onramppaced [%(default)s]")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path,
                        default=REPOSITORY / "target" / "neqo",
                        help="the folder of the build [target/neqo]")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1,
                        help="uploads at a time [all CPUs]")
    parser.add_argument("--suite", action="store_true", help="run neqo's own tests instead")
    parser.add_argument("--update", action="store_true",
                        help="write the tables into docs/neqo.md")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs is 1 or more")
    if tables.DEFAULT not in arguments.slow_starts:
        parser.error(f"--slow-starts lacks {tables.DEFAULT}, to which the others are compared")
    return arguments


def main():
    """Build, run, report."""
    arguments = parse_arguments()
    try:
        neqo_source = source("NEQO", arguments.neqo, edits.CC, PAGE)
        nss_rs = source("NSS_RS", arguments.nss_rs, "src/constants.rs", PAGE)
        nss_source = source("NSS", arguments.nss, "build.sh", PAGE)
        require({"cargo": "rustup", "clang": "clang"})
        nss.require_build_tools()
        folder = arguments.out.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        crypto = nss.Nss(folder)
        neqo = Neqo(folder, crypto)
        neqo.log.write_text("")
        crypto.build(nss_source, neqo.log, arguments.jobs)
        edits.copy(nss_rs, folder / "nss-rs", nss.edits_of_nss_rs(nss_rs, crypto))
        versions = (f"neqo {commit(neqo_source)}, nss-rs {commit(nss_rs)}, "
                    f"NSS {crypto.version()} ({commit(nss_source)})")
        print(versions, flush=True)
        if arguments.suite:
            return 1 if suite(neqo, neqo_source) else 0
        neqo.build(neqo_source)
        found = run_all(neqo, arguments)
        both = (f"{tables.summary(found, arguments.slow_starts)}\n"
                f"{tables.table(found, arguments.slow_starts)}")
        print(both, end="")
        if arguments.update:
            DOCUMENT.write_text(replace_between(DOCUMENT.read_text(), BEGIN, END,
                                                f"\n{versions}\n\n{both}\n"))
    except Missing as reason:
        print(f"neqo: skipped: {reason}", file=sys.stderr)
        return 3
    except (Failed, edits.Changed, Malformed, OSError) as reason:
        print(f"neqo: {reason}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
