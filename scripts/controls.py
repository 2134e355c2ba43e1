"""Congestion controls for scripts that compare Onramp's start-ups with the kernel's CUBIC."""

import argparse
import os
import pathlib
import shutil
import subprocess

ALLOWED = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

# The congestion controls under test, and the argument of `onramp load` that registers each.
CONTROLS = {"cubic": None, "onramp": "onramp", "onramp_paced": "paced", "onramp_qos": "qos",
            "onramp_hystart": "hystart"}


class Missing(Exception):
    """This host lacks something. The message says what, and how to get it."""


class Failed(Exception):
    """The run cannot go on. The message says why."""


def control_names(text):
    """The value of an option: names of CONTROLS, separated by commas."""
    names = text.split(",")
    unknown = [name for name in names if name not in CONTROLS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such congestion control: {', '.join(unknown)}")
    return names


def require(tools):
    """Check for root and for programs, given with the package that has each."""
    if os.geteuid() != 0:
        raise Missing("network namespaces and congestion controls need root")
    for tool, package in tools.items():
        if not shutil.which(tool):
            raise Missing(f"{tool} is missing: apt-get install {package}")


class Controls:
    """Congestion controls that every network namespace may use, until the end of the block."""

    def __init__(self, names, onramp):
        self.names = names
        self.onramp = onramp
        self.loaded = []
        self.newly_allowed = []

    def __enter__(self):
        try:
            for name in self.names:
                self.register(name)
            # The kernel refuses a namespace a name that is not allowed, and then keeps a reference
            # to the congestion control for ever. So allow all names before the first namespace.
            allowed = ALLOWED.read_text().split()
            self.newly_allowed = [name for name in self.names if name not in allowed]
            if self.newly_allowed:
                ALLOWED.write_text(" ".join(allowed + self.newly_allowed))
        except BaseException:
            self.__exit__()
            raise
        return self

    def register(self, name):
        """Load a start-up of this build; a congestion control of the kernel must be there."""
        available = name in AVAILABLE.read_text().split()
        start_up = CONTROLS.get(name)
        if start_up is None:
            if not available:
                raise Missing(f"this kernel has no {name}: modprobe tcp_{name}")
            return
        if available:
            raise Failed(f"{name} is registered already, maybe by another build: "
                         f"{self.onramp} unload {start_up}")
        # Followed by CUBIC, also on a host whose default is another one. Without the governor and
        # an initial rate: no result may depend on the connections before it.
        command = [self.onramp, "load", start_up, "--avoidance", "cubic", "--governor", "off"]
        if start_up == "onramp":
            command += ["--initial-rate", "off"]
        done = subprocess.run(command, text=True, capture_output=True)
        if done.returncode == 3:
            raise Missing(done.stderr.strip())
        if done.returncode != 0:
            raise Failed(f"onramp load {start_up}: {done.stderr.strip()}")
        self.loaded.append(start_up)

    def __exit__(self, *_):
        for start_up in self.loaded:
            subprocess.run([self.onramp, "unload", start_up], stdout=subprocess.DEVNULL)
        # Names that are no longer registered have left the list by themselves.
        if self.newly_allowed:
            allowed = ALLOWED.read_text().split()
            ALLOWED.write_text(" ".join(n for n in allowed if n not in self.newly_allowed))
