"""picoquic's whole test program with a start-up in the place of its CUBIC."""

import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

# Tests of threads and real sockets, and those that last for minutes.
EXCLUDED = re.compile("stress|fuzz|sockloop|socket|ddos|threading|packet_loop")
TEST_TIMEOUT_S = 120
CUBIC = "cubic"


def names(listed):
    """The names of the tests that run here, from the program's list."""
    return [name for name in listed.split() if not EXCLUDED.search(name)]


def message(output):
    """The reason that a failed test gives: the last message of a file of picoquictest/."""
    messages = [line.partition("]: ")[2] for line in output.splitlines()
                if re.match(r"\S*st/\w+\.c:\d+ \[", line)]
    return messages[-1].strip() if messages else "no message"


def run(program, picoquic, control, test):
    """Run a test in a folder of its own. Returns None, or why it failed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([program, control, "-S", picoquic, test], cwd=folder, text=True,
                                  errors="replace", stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=TEST_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"did not end within {TEST_TIMEOUT_S} s"
        return message(done.stdout) if done.returncode else None


def failures(program, picoquic, control, tests, jobs):
    """The tests that fail with a control in the place of CUBIC, with their reasons."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        reasons = pool.map(lambda test: run(program, picoquic, control, test), tests)
        return {test: reason for test, reason in zip(tests, reasons, strict=True) if reason}


def compare(program, picoquic, controls, jobs):
    """Print which tests fail with CUBIC, and which others with a control in its place."""
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True)
    tests = names(listed.stdout)
    with_cubic = failures(pathlib.Path(program), picoquic, CUBIC, tests, jobs)
    print(f"{CUBIC}: {len(tests) - len(with_cubic)} of {len(tests)} tests pass", flush=True)
    for test, reason in sorted(with_cubic.items()):
        print(f"  {test}: {reason}")
    for control in controls:
        if not control.startswith("onramp"):
            continue
        ours = failures(program, picoquic, control, tests, jobs)
        print(f"{control}: {len(tests) - len(ours)} of {len(tests)} tests pass", flush=True)
        for test in sorted(ours.keys() - with_cubic.keys()):
            print(f"  {test}: {ours[test]}")
