"""Observations of ``onramp advise --save``: as JSON lines, as Parquet, and as a data frame."""

from __future__ import annotations

import gzip
import json
import math
import os
from pathlib import Path

import numpy as np
import pandas as pd

from onramp._errors import OnrampError

#: The first line of a file of observations begins with it.
_FORMAT = "onramp-observations"
#: What an observation may lack, with the type of its column: the same in each file, whatever its
#: connections have.
_OPTIONAL = {
    "handshake_rtt_s": "float64",
    "min_rtt_s": "float64",
    "max_rtt_s": "float64",
    "rate_bytes_per_s": "Int64",
    "first_loss_bytes": "Int64",
    "loss_rtt_s": "float64",
}


def observations(*files: str | os.PathLike[str]) -> pd.DataFrame:
    """Read the observations of ``onramp advise --save``, or what was kept of them as Parquet.

    Parameters
    ----------
    *files : str or os.PathLike
        JSON lines, which may be compressed by gzip, or Parquet. The content tells the format, not
        the name. The files together are one host.

    Returns
    -------
    pandas.DataFrame
        A row for each connection. ``attrs`` has the numbers of all: for how long the host was
        observed, and how many connections there were. ``frame.to_parquet(file)`` keeps both.

    Raises
    ------
    OnrampError
        A file is neither.
    """
    frames = [_observations(Path(file)) for file in files]
    if not frames:
        raise OnrampError("expected a file of observations, found none")
    frame = pd.concat([one for one in frames if len(one)] or frames[:1], ignore_index=True)
    frame.attrs = dict(frames[0].attrs)
    for other in frames[1:]:
        for name in ("for_s", "opened", "ended", "idle", "lost"):
            frame.attrs[name] += other.attrs[name]
    return frame


def _observations(file: Path) -> pd.DataFrame:
    with file.open("rb") as content:
        begin = content.read(4)
    if begin == b"PAR1":
        frame = pd.read_parquet(file)
        _check_head(file, frame.attrs)
        return frame
    with gzip.open(file) if begin.startswith(b"\x1f\x8b") else file.open("rb") as lines:
        try:
            head, *connections = map(json.loads, lines)
        except ValueError:
            head, connections = None, []
    _check_head(file, head)
    frame = pd.DataFrame(connections)
    if not len(frame):
        frame = pd.DataFrame(columns=[*_OPTIONAL])
    frame = frame.astype(_OPTIONAL)
    frame.attrs = head
    return frame


def _check_head(file: Path, head: object) -> None:
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise OnrampError(
            f"{file}: expected observations of `onramp advise --save`, or what "
            "onramp.observations(...).to_parquet(...) made of them"
        )


def write_observations(frame: pd.DataFrame, file: str | os.PathLike[str]) -> None:
    """Write observations as JSON lines, which ``onramp judge`` reads.

    Parameters
    ----------
    frame : pandas.DataFrame
        Observations as of :func:`observations`, all or some of the rows.
    file : str or os.PathLike
        The new file.

    Raises
    ------
    OnrampError
        The frame has no observations.
    """
    _check_head(Path("frame"), frame.attrs)
    with Path(file).open("w") as lines:
        for line in (frame.attrs, *frame.to_dict("records")):
            lines.write(json.dumps(_plain(line), allow_nan=False) + "\n")


def _plain(value: object) -> object:
    """Turn what Parquet and pandas have into what JSON has."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one) for one in value]
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def readable(file: str | os.PathLike[str] | pd.DataFrame, folder: Path) -> str:
    """Give the name of a file that the program reads: it does not read Parquet."""
    if not isinstance(file, pd.DataFrame):
        path = Path(file)
        if not path.is_file():
            return os.fspath(file)
        with path.open("rb") as content:
            if content.read(4) != b"PAR1":
                return os.fspath(file)
        file = observations(path)
    written = folder / f"{len(list(folder.iterdir()))}.jsonl"
    write_observations(file, written)
    return str(written)
