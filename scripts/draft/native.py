"""`onramp` of core/, compiled and called from Python."""

import ctypes
import pathlib
import subprocess

from recording import RECORDS
from specification import ROOT

STATE_BYTES = 896


class Algorithm(ctypes.Structure):
    """`struct onramp_algorithm` of core/src/native.h"""

    _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p),
                ("variants", ctypes.c_void_p), ("capabilities", ctypes.c_uint32),
                *[(name, ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3))
                  for name in ("start", "ack", "loss")]]


def compile_core(folder: pathlib.Path):
    """The functions of `onramp`."""
    library = folder / "libonramp_core.so"
    core = ROOT / "core"
    subprocess.run(["cc", "-std=c11", "-ffreestanding", "-O2", "-fPIC", "-shared", "-I", core,
                    core / "src/native.c", "-o", library], check=True)
    loaded = ctypes.CDLL(str(library))
    count = ctypes.c_size_t.in_dll(loaded, "onramp_algorithm_count").value
    algorithms = (Algorithm * count).in_dll(loaded, "onramp_algorithms")
    [found] = [algorithm for algorithm in algorithms if algorithm.name == b"onramp"]
    return found


def decide(algorithm, events):
    """The same events, with the decisions of core/."""
    states = {0: bytes(STATE_BYTES)}
    for number, (kind, before, record, _) in enumerate(events, 1):
        state = ctypes.create_string_buffer(states[before], STATE_BYTES)
        decision = RECORDS["Decision"]()
        getattr(algorithm, kind.lower())(*map(ctypes.addressof, (state, record, decision)))
        states[number] = state.raw
        yield kind, before, record, decision
