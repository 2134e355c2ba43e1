"""The gain of a start-up on the paths of a host, from connections that were observed there."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from onramp._errors import OnrampError
from onramp._observations import readable

#: The columns of a class of connections, with their names in the program's JSON.
_CLASS = (
    "destination",
    "port",
    "accepted",
    "congestion_control",
    "part",
    "connections",
    "bytes",
    "time_s",
    "simulated",
    "retransmitted_segments",
    "limit",
)
#: The columns of its path.
_PATH = ("rtt_s", "rate_bytes_per_s", "rate_is_lower_bound", "queue_bytes", "loss")
_CANDIDATES = ("onramp", "iw32", "iw100", "bbr", "window", "onramp_and_window")


def advise(
    *files: str | os.PathLike[str] | pd.DataFrame,
    compare: Iterable[str | os.PathLike[str] | pd.DataFrame] = (),
    control: str = "cubic",
    program: str = "onramp",
) -> pd.DataFrame:
    """Predict what a start-up would gain, as ``onramp judge`` does.

    Parameters
    ----------
    *files : str, os.PathLike or pandas.DataFrame
        Observations of ``onramp advise --save``, as a file, as Parquet, or as a frame of
        :func:`observations`; results of M-Lab's ndt7, archives of its tcp-info, or packet captures.
    compare : iterable of the same, optional
        Observations of a canary, whose measured times become the column ``measured``.
    control : str, optional
        The congestion control of connections in captures, which do not tell it.
    program : str, optional
        The program of the command line.

    Returns
    -------
    pandas.DataFrame
        A row for each class of connections, those with the most time first. ``time_onramp`` and so
        on are the predicted times, of the time as it is; missing for a class that is not
        understood. ``attrs`` has the other numbers of ``onramp judge --json``. The frame can be
        kept with ``to_parquet``.

    Raises
    ------
    OnrampError
        The program refuses a file, or is not installed.
    """
    command = [program, "--json", "judge", "--control", control]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for file in compare:
                command += ["--compare", readable(file, Path(folder))]
            command += ["--", *(readable(file, Path(folder)) for file in files)]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        if error.filename != program:
            raise
        raise OnrampError(
            f"cannot start {program}: {error.strerror}; install Onramp's command line"
        ) from error
    if ran.returncode != 0:
        raise OnrampError(_message(ran.stderr) or f"{program} ended with code {ran.returncode}")
    return _frame(json.loads(ran.stdout))


def _message(stderr: str) -> str:
    """Find the sentence of an error that was printed as JSON."""
    try:
        return str(json.loads(stderr)["error"])
    except (ValueError, KeyError, TypeError):
        return stderr.strip()


def _frame(answer: dict[str, Any]) -> pd.DataFrame:
    measured = {
        (one["destination"], one["port"], one["part"], one["bytes"]): one["measured"]
        for one in (answer.get("comparison") or {}).get("classes", ())
    }
    rows = []
    for one in answer.pop("classes"):
        row = {name: one[name] for name in _CLASS} | {name: one["path"][name] for name in _PATH}
        times = {outlook["candidate"]: outlook["time"] for outlook in one["outlooks"]}
        row |= {f"time_{name}": times.get(name) for name in _CANDIDATES}
        if "comparison" in answer:
            row["measured"] = measured.get(
                (one["destination"], one["port"], one["part"], one["bytes"])
            )
        rows.append(row)
    names = [*_CLASS, *_PATH, *(f"time_{name}" for name in _CANDIDATES)]
    frame = pd.DataFrame(rows, columns=[*names, *(["measured"] if "comparison" in answer else [])])
    # A column whose numbers are all missing is one of numbers too.
    numbers = ("simulated", "queue_bytes", "measured")
    candidates = [f"time_{name}" for name in _CANDIDATES]
    is_number = [name for name in (*numbers, *candidates) if name in frame]
    frame = frame.astype(dict.fromkeys(is_number, "float64"))
    frame.attrs.update(answer)
    return frame
