"""The numbers of :func:`onramp.plot.ratio_map`: how one start-up compares with another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

#: The columns that name a path.
_PATH = ("rate_bits_per_s", "rtt_ms")
#: Edges of a bin that would have no width lie this factor from its value.
_WIDEN = 1.05


def _logarithms(
    frame: pd.DataFrame, of: str, over: str, by: str, on: Sequence[str], column: str
) -> pd.Series[float]:
    """Return the logarithm of the ratio of each pair of medians that have all else in common."""
    # The cases of two start-ups differ in their numbers alone.
    frame = frame.assign(case_key=frame["queue"] + " " + frame["loss"] + " " + frame["path"])
    of_sweep = [name for name in ("cell",) if name in frame and name not in on]
    keys = [*on, *of_sweep, "size_bytes", "case_key"]
    medians = frame.pivot_table(index=keys, columns=by, values=column, aggfunc="median")
    missing = [name for name in (of, over) if name not in medians]
    if missing:
        known = ", ".join(repr(str(name)) for name in medians)
        raise ValueError(f"the column {by!r} has no {missing[0]!r}; it has {known}")
    return (medians[of] / medians[over]).map(math.log)


def ratios(
    frame: pd.DataFrame,
    of: str,
    *,
    over: str = "none",
    by: str = "startup",
    on: Sequence[str] = _PATH,
    column: str = "completion_s",
) -> pd.Series[float]:
    """Divide the medians of one start-up by those of another, for each path.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results.
    of, over : str
        Two values of the column ``by``: the start-up, and the one to compare it with.
    by : str, default "startup"
        The column that names the start-ups.
    on : sequence of str, default ("rate_bits_per_s", "rtt_ms")
        The columns that name a path. Cells of a sweep, sizes, seeds and all other columns are
        summed up by the geometric mean of their ratios.
    column : str, default "completion_s"
        The column to divide.

    Returns
    -------
    pandas.Series
        The ratio of each path; below 1 where ``of`` is less.
    """
    logarithms = _logarithms(frame, of, over, by, on, column)
    ratio = logarithms.groupby(list(on)).mean().map(math.exp)
    return ratio.rename(f"{of} / {over}")


@dataclass(frozen=True)
class Bins:
    """Ratios over rate and RTT, in bins.

    Attributes
    ----------
    rates, rtts : numpy.ndarray
        The edges of the bins, in bit/s and ms: one more than there are bins.
    pairs : numpy.ndarray
        How many pairs of transfers each bin has, by rate and RTT.
    logarithms : numpy.ndarray
        The mean logarithm of their ratios; not a number where a bin has no pair.
    """

    rates: npt.NDArray[np.float64]
    rtts: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.int64]
    logarithms: npt.NDArray[np.float64]


def bin_ratios(
    frame: pd.DataFrame, of: str, over: str, by: str, column: str, bins: int | tuple[int, int]
) -> Bins:
    """Put the ratio of each pair into bins of equal width on logarithmic axes."""
    counts = (bins, bins) if isinstance(bins, int) else tuple(bins)
    if len(counts) != 2 or min(counts) < 1:
        raise ValueError(
            f"`bins` is {bins!r}: expected a number of bins, or one of rates and one of RTTs"
        )
    logarithms = _logarithms(frame, of, over, by, _PATH, column).dropna()
    if logarithms.empty:
        raise ValueError(f"no transfer of {of!r} and {over!r} has a {column!r} in common")
    rate, rtt = (
        logarithms.index.get_level_values(name).to_numpy(dtype=np.float64) for name in _PATH
    )
    edges = [_edges(_PATH[0], rate, counts[0]), _edges(_PATH[1], rtt, counts[1])]
    pairs, *_ = np.histogram2d(rate, rtt, bins=edges)
    sums, *_ = np.histogram2d(rate, rtt, bins=edges, weights=logarithms.to_numpy(dtype=np.float64))
    with np.errstate(invalid="ignore"):
        return Bins(edges[0], edges[1], pairs.astype(np.int64), sums / pairs)


def _edges(name: str, values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    if low <= 0:
        raise ValueError(f"{name!r} has {low:g}: expected numbers above 0, for bins of logarithms")
    if low == high:
        low, high = low / _WIDEN, high * _WIDEN
    return np.geomspace(low, high, count + 1)


def binned_ratios(
    frame: pd.DataFrame,
    of: str,
    *,
    bins: int | tuple[int, int] = 12,
    over: str = "none",
    by: str = "startup",
    column: str = "completion_s",
) -> pd.DataFrame:
    """Divide one start-up by another, in bins of rate and RTT: for thousands of random paths.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results, for example of a sweep.
    of, over, by, column
        As for :func:`ratios`.
    bins : int or (int, int), default 12
        How many bins the rates and the RTTs have; all are as wide on a logarithmic axis.

    Returns
    -------
    pandas.DataFrame
        A row for each bin that has results: its limits, the geometric mean ``ratio``, and the
        number of ``pairs`` of transfers that differ in the start-up alone.
    """
    found = bin_ratios(frame, of, over, by, column, bins)
    rate, rtt = np.nonzero(found.pairs)
    columns: dict[str, Any] = {
        "min_rate_bits_per_s": found.rates[rate],
        "max_rate_bits_per_s": found.rates[rate + 1],
        "min_rtt_ms": found.rtts[rtt],
        "max_rtt_ms": found.rtts[rtt + 1],
        "ratio": np.exp(found.logarithms[rate, rtt]),
        "pairs": found.pairs[rate, rtt],
    }
    return pd.DataFrame(columns)
