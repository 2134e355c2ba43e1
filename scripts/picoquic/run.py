#!/usr/bin/env python3
"""Run picoquic's satellite tests with its CUBIC, its BBR and Onramp's start-ups.

Builds picoquic and picotls from folders of their sources, with Onramp's start-ups as further
congestion controls (onramp.c), in target/picoquic. Then every test of picoquic's family
`satellite` runs with each congestion control, in picoquic's own simulator. docs/picoquic.md
explains the table and how to get the sources.

Exit codes: 0 all transfers are complete, 1 one is not or fails a check of the test, 2 bad option,
or a build fails, 3 the host lacks something.
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

import results
import suite
from foreign import (Failed, Malformed, Missing, call, commit, output, replace_between, require,
                     source)

PAGE = "docs/picoquic.md"
DOCUMENT = REPOSITORY / PAGE
BEGIN, END = "<!-- scripts/picoquic/run.py --update -->", "<!-- end of the table -->"
# The commits of the published table.
PICOQUIC_COMMIT, PICOTLS_COMMIT = "d199d45", "f07f1c8"
CONTROLS = "cubic,bbr,onramp"
# A transfer takes about a second.
RUN_TIMEOUT_S = 300


def require_build_tools():
    """Check for what the build needs."""
    require({"cmake": "cmake", "cc": "gcc", "c++": "g++"})
    header = subprocess.run(["cc", "-E", "-x", "c", "-"], input="#include <openssl/ssl.h>\n",
                            capture_output=True, text=True, check=False)
    if header.returncode:
        raise Missing("OpenSSL's headers are missing: apt-get install libssl-dev")


def build(picoquic, picotls, folder, jobs):
    """Build the programs `satellite` and `suite` into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    log.write_text("")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
    call([os.environ.get("CARGO", "cargo"), "rustc", "--locked", "-p", "onramp-quic", "--release",
          "--no-default-features", "--features", "c", "--crate-type", "staticlib"], log)
    call(["cmake", "-S", HERE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
          f"-DPICOQUIC={picoquic}", f"-DPICOTLS={picotls}",
          f"-DONRAMP_LIBRARY={target / 'release' / 'libonramp_quic.a'}"], log)
    call(["cmake", "--build", folder, "--target", "satellite", "suite", "--parallel", str(jobs)],
         log)


class Satellite:
    """The built program."""

    def __init__(self, program, picoquic):
        self.program = program
        self.picoquic = picoquic

    def call(self, *arguments):
        """What the program prints."""
        return output([self.program, arguments[0], self.picoquic, *arguments[1:]],
                      f"satellite {' '.join(arguments)}", RUN_TIMEOUT_S, self.program.parent)

    def transfer(self, test, control, options):
        """Run one test with a congestion control."""
        return results.parse_run(self.call("run", test, control, *options))


def run_all(satellite, paths, arguments):
    """All transfers, by path and control. A path's test for BBR has the path's name."""
    transfers = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {}
        for path in paths:
            for control in arguments.controls:
                is_ours = control.startswith("onramp")
                options = [arguments.options] if arguments.options and is_ours else []
                running[pool.submit(satellite.transfer, path, control, options)] = path, control
        for done in concurrent.futures.as_completed(running):
            transfers[running[done]] = done.result()
    return transfers


def report(transfers, limits, arguments):
    """Print the table, and how the start-ups went. Returns how many transfers failed."""
    print(results.table(limits, transfers, arguments.controls), end="")
    for (path, control), transfer in sorted(transfers.items()):
        if transfer.startup:
            facts = " ".join(f"{name}={value}" for name, value in transfer.startup.items())
            print(f"{path}, {control}: {facts}")
    return sum(not transfer.passed for transfer in transfers.values())


def update(limits, transfers, arguments, versions):
    """Write the table into the document."""
    table = results.table(limits, transfers, arguments.controls)
    DOCUMENT.write_text(replace_between(DOCUMENT.read_text(), BEGIN, END,
                                        f"\n{versions}\n\n{table}\n"))


def parse_arguments():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", metavar="TEST",
                        help=f"run these tests [all]: {', '.join(results.PATHS)}")
    parser.add_argument("--picoquic", metavar="DIR", default=os.environ.get("PICOQUIC"),
                        help="picoquic's source [$PICOQUIC]")
    parser.add_argument("--picotls", metavar="DIR", default=os.environ.get("PICOTLS"),
                        help="picotls's source [$PICOTLS]")
    parser.add_argument("--controls", metavar="NAMES", default=CONTROLS,
                        type=lambda text: text.split(","),
                        help="congestion controls: picoquic's, onramp, onramp_NAME [%(default)s]")
    parser.add_argument("--options", metavar="TEXT",
                        help="options of ours, by comma: every-loss, no-clock (docs/picoquic.md)")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path,
                        default=REPOSITORY / "target" / "picoquic",
                        help="the folder of the build [target/picoquic]")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1,
                        help="transfers at a time [all CPUs]")
    parser.add_argument("--suite", action="store_true",
                        help="run all tests of picoquic instead, with ours in CUBIC's place")
    parser.add_argument("--update", action="store_true",
                        help="write the table into docs/picoquic.md")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs is 1 or more")
    unknown = [test for test in arguments.tests if test not in results.PATHS]
    if unknown:
        parser.error(f"no test is named {', '.join(unknown)}; there are "
                     f"{', '.join(results.PATHS)}")
    if arguments.update and (arguments.tests or arguments.options):
        parser.error("--update is for all tests without options")
    return arguments


def main():
    """Build, run, report."""
    arguments = parse_arguments()
    try:
        picoquic = source("PICOQUIC", arguments.picoquic, "picoquictest/satellite_test.c", PAGE)
        picotls = source("PICOTLS", arguments.picotls, "lib/picotls.c", PAGE)
        require_build_tools()
        folder = arguments.out.resolve()
        build(picoquic, picotls, folder, arguments.jobs)
        satellite = Satellite(folder / "satellite", picoquic)
        limits = results.parse_list(satellite.call("list"))
        versions = f"picoquic {commit(picoquic)}, picotls {commit(picotls)}"
        print(f"{versions} (published: {PICOQUIC_COMMIT}, {PICOTLS_COMMIT})", flush=True)
        if arguments.suite:
            suite.compare(folder / "suite", picoquic, arguments.controls, arguments.jobs)
            return 0
        transfers = run_all(satellite, arguments.tests or list(results.PATHS), arguments)
        failed = report(transfers, limits, arguments)
        if arguments.update:
            update(limits, transfers, arguments, versions)
    except Missing as reason:
        print(f"picoquic: skipped: {reason}", file=sys.stderr)
        return 3
    except (Failed, Malformed, OSError) as reason:
        print(f"picoquic: {reason}", file=sys.stderr)
        return 2
    if failed:
        print(f"{failed} transfers are not complete or fail a check of their test")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
