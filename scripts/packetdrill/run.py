#!/usr/bin/env python3
"""Run packetdrill's IPv4 TCP scripts with the kernel's CUBIC and with Onramp's start-ups.

Each script runs in a network namespace of its own, whose default congestion control is the one
under test. The verdicts are compared with those in verdicts.txt. docs/packetdrill.md explains the
list and how to get packetdrill.

Exit codes: 0 as expected, 1 verdicts differ, 2 bad option or list, 3 the host lacks something.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.append(str(REPOSITORY / "scripts"))

import expected
from controls import CONTROLS, Controls, Failed, Missing, control_names, require
from expected import FAIL, PASS, SOMETIMES

NAMESPACE = REPOSITORY / "scripts" / "namespace.sh"

# A busy machine delays packetdrill and makes a script fail. Three attempts bring that below the
# rate at which anybody would notice.
ATTEMPTS = 3
# Attempts of a script that passes sometimes. The rarest pass in one of six.
ATTEMPTS_OF_SOMETIMES = 24
# The longest script takes some 15 s.
SCRIPT_TIMEOUT_S = 60
# Exit code of namespace.sh where the script ran with another congestion control than asked for.
WRONG_CONTROL = 99

# The arguments of packetdrill's own runner for IPv4. 192.0.2.1 is an address for documentation; it
# exists only within the namespace.
PACKETDRILL_ARGUMENTS = [
    "--send_omit_free",
    "--ip_version=ipv4",
    "--local_ip=192.168.0.1",
    "--gateway_ip=192.168.0.1",
    "--netmask_ip=255.255.0.0",
    "--remote_ip=192.0.2.1",
    "-D", "TFO_COOKIE=3021b9d889017eeb",
    "-D", "CODE=host_unreachable",
    "-D", "CMSG_LEVEL_IP=SOL_IP",
    "-D", "CMSG_TYPE_RECVERR=IP_RECVERR",
]

# The verdict of a script, how many attempts gave another one, and the output of the last failure.
Outcome = collections.namedtuple("Outcome", "verdict dissenting output")


class Packetdrill:
    """A built checkout of packetdrill."""

    def __init__(self, folder):
        if not folder:
            raise Missing(
                "PACKETDRILL names no folder; see docs/packetdrill.md for how to get packetdrill"
            )
        net = pathlib.Path(folder).resolve() / "gtests" / "net"
        self.program = net / "packetdrill" / "packetdrill"
        self.scripts_folder = net / "tcp"
        if not self.scripts_folder.is_dir():
            raise Missing(f"no folder {self.scripts_folder}; is {folder} packetdrill's source?")
        if not os.access(self.program, os.X_OK):
            raise Missing(f"{self.program} is not built; see docs/packetdrill.md")

    def scripts(self):
        """The scripts for IPv4, relative to the folder of scripts."""
        found = (path.relative_to(self.scripts_folder) for path in
                 self.scripts_folder.rglob("*.pkt"))
        return sorted(str(path) for path in found if not path.name.endswith("v6.pkt"))

    def run(self, script, control, verbose=False):
        """Run a script once. Returns whether it passed, and what it printed."""
        path = self.scripts_folder / script
        command = [NAMESPACE, control, HERE / "one.sh", self.program, *PACKETDRILL_ARGUMENTS]
        command += ["-v"] if verbose else []
        command.append(path.name)
        process = subprocess.Popen(
            command, cwd=path.parent, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=SCRIPT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            output = f"{script} did not end within {SCRIPT_TIMEOUT_S} s\n"
        finally:
            # The session has no other processes than this script's.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()
        if process.returncode == WRONG_CONTROL:
            raise Failed(f"{script}: {output.strip()}")
        return process.returncode == 0, output

    def outcome(self, script, control, wanted):
        """Run a script until it gives the wanted verdict, or for as many attempts as it has."""
        output = ""
        is_unstable = wanted == SOMETIMES
        for attempt in range(ATTEMPTS_OF_SOMETIMES if is_unstable else ATTEMPTS):
            passed, text = self.run(script, control)
            output = output if passed else text
            if is_unstable and passed:
                return Outcome(SOMETIMES, 0, output)
            verdict = PASS if passed else FAIL
            if wanted == verdict:
                return Outcome(verdict, attempt, output)
        return Outcome(verdict, 0, output)


def run_all(packetdrill, scripts, control, wanted, jobs):
    """The outcomes of all scripts with a congestion control, by script."""
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {
            pool.submit(packetdrill.outcome, script, control, wanted(script, control)): script
            for script in scripts
        }
        try:
            for done in concurrent.futures.as_completed(running):
                outcomes[running[done]] = done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return outcomes


def is_phase_of_tick(script, outcome, wanted, of_cubic):
    """Does a script that passes sometimes fail because the tick's phase stays as it is?"""
    return (wanted == SOMETIMES and outcome.verdict == FAIL
            and script in of_cubic and of_cubic[script].verdict == FAIL)


def report(control, outcomes, wanted, of_cubic):
    """Print what is not as expected. Returns how many scripts differ. `of_cubic`: CUBIC's outcomes
    in this run, or none."""
    passed = sum(outcome.verdict != FAIL for outcome in outcomes.values())
    print(f"{control}: {passed} of {len(outcomes)} scripts pass", flush=True)
    differing = 0
    for script, outcome in sorted(outcomes.items()):
        if outcome.dissenting:
            print(f"  flaky: {script}: {outcome.verdict} in attempt {outcome.dissenting + 1}")
        if is_phase_of_tick(script, outcome, wanted(script, control), of_cubic):
            print(f"  never passes, since this kernel booted, with cubic either: {script}")
        elif outcome.verdict != wanted(script, control):
            differing += 1
            print(f"  DIFFERS: {script}: {outcome.verdict}, expected {wanted(script, control)}")
            lines = [line for line in outcome.output.splitlines() if line.strip()]
            print("".join(f"      {line}\n" for line in lines[-4:]), end="")
    return differing


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT",
                        help="run scripts whose path contains one of these words [all]")
    parser.add_argument("--packetdrill", metavar="DIR", default=os.environ.get("PACKETDRILL"),
                        help="a built checkout of packetdrill [$PACKETDRILL]")
    parser.add_argument("--onramp", metavar="FILE", default=REPOSITORY / "target/release/onramp",
                        help="the onramp command [target/release/onramp]")
    parser.add_argument("--controls", metavar="NAMES", type=control_names,
                        default=",".join(CONTROLS),
                        help="congestion controls to run with [%(default)s]")
    parser.add_argument("--jobs", metavar="N", type=int,
                        default=max(1, (os.cpu_count() or 1) // 2),
                        help="scripts at a time [half of the CPUs]")
    parser.add_argument("--verbose", action="store_true",
                        help="run each script once and print its packets and its verdict")
    parser.add_argument("--update", action="store_true",
                        help="write the verdicts into verdicts.txt; reasons stay")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs is 1 or more")
    return arguments


def show(packetdrill, scripts, controls):
    """Run scripts once and print all that they print."""
    for script in scripts:
        for control in controls:
            passed, output = packetdrill.run(script, control, verbose=True)
            print(f"{script}, {control}: {PASS if passed else FAIL}\n{output}", flush=True)


def compare(arguments, packetdrill, scripts):
    """Run scripts with each congestion control. Returns how many verdicts are not as expected."""
    verdicts = expected.Verdicts(HERE / "verdicts.txt", list(CONTROLS))
    new = [script for script in scripts if script not in verdicts.rows]
    if new and not arguments.update:
        raise Failed(f"verdicts.txt does not have {new[0]} (and {len(new) - 1} more); is this "
                     "another version of packetdrill? docs/packetdrill.md names ours")

    def wanted(script, control):
        return verdicts.wanted(script, control) if script in verdicts.rows else PASS

    differing = 0
    of_cubic = {}
    for control in arguments.controls:
        outcomes = run_all(packetdrill, scripts, control, wanted, arguments.jobs)
        if control == "cubic":
            of_cubic = outcomes
        differing += report(control, outcomes, wanted, of_cubic)
        if arguments.update:
            verdicts.update(control, {s: outcome.verdict for s, outcome in outcomes.items()})
    if arguments.update:
        verdicts.write()
        return 0
    return differing


def main():
    arguments = parse_arguments()
    # A terminated run cleans up as an interrupted one does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        packetdrill = Packetdrill(arguments.packetdrill)
        require({"unshare": "util-linux", "ip": "iproute2", "tc": "iproute2",
                 "ethtool": "ethtool", "sysctl": "procps"})
        if not os.path.exists("/dev/net/tun"):
            raise Missing("/dev/net/tun is missing: modprobe tun")
        scripts = packetdrill.scripts()
        if arguments.scripts:
            scripts = [s for s in scripts if any(word in s for word in arguments.scripts)]
        if not scripts:
            raise Failed("no script has such a name")
        with Controls(arguments.controls, arguments.onramp):
            if arguments.verbose:
                show(packetdrill, scripts, arguments.controls)
                return 0
            differing = compare(arguments, packetdrill, scripts)
    except Missing as reason:
        print(f"packetdrill: skipped: {reason}", file=sys.stderr)
        return 3
    except (Failed, expected.Malformed, OSError) as reason:
        print(f"packetdrill: {reason}", file=sys.stderr)
        return 2
    if differing:
        print(f"{differing} verdicts differ from scripts/packetdrill/verdicts.txt")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
