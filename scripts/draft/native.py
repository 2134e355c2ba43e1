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
                ("variants", ctypes.c_void_p), ("parameters", ctypes.c_void_p),
                ("capabilities", ctypes.c_uint32),
                *[(name, ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3))
                  for name in ("start", "ack", "loss")]]


class Core:
    """The functions of `onramp`: start, ack, loss; and the library, for those of hosts."""

    def __init__(self, folder: pathlib.Path):
        file, core = folder / "libonramp_core.so", ROOT / "core"
        subprocess.run(["cc", "-std=c11", "-ffreestanding", "-O2", "-fPIC", "-shared", "-I", core,
                        core / "src/native.c", "-o", file], check=True)
        self.library = ctypes.CDLL(str(file))
        self.library.host_restart_bytes__extern.restype = ctypes.c_uint64
        self.library.host_paces__extern.restype = ctypes.c_bool
        self.library.host_ends_busy_connection__extern.restype = ctypes.c_bool
        count = ctypes.c_size_t.in_dll(self.library, "onramp_algorithm_count").value
        rows = (Algorithm * count).in_dll(self.library, "onramp_algorithms")
        [self.onramp] = [row for row in rows if row.name == b"onramp"]


def decide(core, events):
    """The same events, with the decisions of core/."""
    states = {0: bytes(STATE_BYTES)}
    for number, (kind, before, record, _) in enumerate(events, 1):
        state = ctypes.create_string_buffer(states[before], STATE_BYTES)
        decision = RECORDS["Decision"]()
        getattr(core.onramp, kind.lower())(*map(ctypes.addressof, (state, record, decision)))
        states[number] = state.raw
        yield kind, before, record, decision
