"""Plots of results with matplotlib. Each function draws on axes, and returns them.

``pip install 'onramp-tcp[plot]'`` brings matplotlib. Functions that draw results take a data frame
of :func:`onramp.run` or :func:`onramp.read_results`; those that draw one transfer over time take
:class:`onramp.Results` with traces.

Examples
--------
>>> import matplotlib
>>> matplotlib.use("agg")
>>> import onramp
>>> import onramp.plot
>>> results = onramp.simulate(
...     onramp.Scenario(
...         name="short",
...         path=onramp.Path(rate="10 Mbit/s", rtt="40 ms"),
...         transfer=[onramp.Transfer(size=["10 kB", "100 kB"], startup=["none", "onramp"])],
...     ),
...     traces=True,
... )
>>> onramp.plot.completion(results.to_pandas()).get_ylabel()
'completion time (s)'
>>> onramp.plot.sequence(results, row=3).get_xlabel()
'time since the connect (s)'
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.colors import TwoSlopeNorm
from matplotlib.ticker import LogLocator, NullFormatter

from onramp._ratios import Bins, bin_ratios, binned_ratios, ratios
from onramp._run import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "COLOURS",
    "MARKERS",
    "bars",
    "binned_ratios",
    "cdf",
    "completion",
    "queue",
    "ratio_map",
    "ratios",
    "sequence",
    "window",
]

#: Colours that colour-blind readers can tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

#: Words on the axes of columns.
_WORDS = {
    "size_bytes": "payload (bytes)",
    "rtt_ms": "round-trip time (ms)",
    "rate_bits_per_s": "rate (bit/s)",
    "queue_bdp": "queue (BDP)",
    "loss_percent": "random loss (%)",
    "completion_s": "completion time (s)",
    "excess_rtts": "wasted round trips",
    "retransmitted_segments": "retransmitted segments",
    "peak_queue_bdp": "maximum of the queue (BDP)",
}
_TIME = "time since the connect (s)"
#: A column of numbers spans a logarithmic axis from this ratio of its maximum to its minimum.
_LOG_SPAN = 20
#: A map with more rates or RTTs than this is unreadable, so it gets bins.
_MAX_CELLS = 30
_BINS = 12


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _label(column: str) -> str:
    return _WORDS.get(column, column.replace("_", " "))


def _styles() -> Iterator[dict[str, Any]]:
    for colour, marker in zip(cycle(COLOURS), cycle(MARKERS), strict=False):
        yield {"color": colour, "marker": marker, "markersize": 4}


def _groups(frame: pd.DataFrame, by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Split a frame by a column, in the order in which its values first stand there."""
    for name, group in frame.groupby(by, sort=False):
        yield str(name), group


def _scale(ax: Axes, axis: str, values: pd.Series[Any]) -> None:
    """Give an axis a logarithmic scale if its values span much, else let it begin at zero."""
    positive = values[values > 0]
    is_positive = len(positive) == len(values) > 0
    if is_positive and positive.max() / positive.min() >= _LOG_SPAN:
        getattr(ax, f"set_{axis}scale")("log")
    elif is_positive:
        getattr(ax, f"set_{axis}lim")(0, None)


def completion(
    frame: pd.DataFrame,
    *,
    x: str = "size_bytes",
    y: str = "completion_s",
    by: str = "algorithms",
    bound: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the completion time over the size, or over another column: a line for each start-up.

    A line joins medians; its band spans the minimum and the maximum. Transfers that did not finish
    are left out.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results.
    x : str, default "size_bytes"
        The column of the horizontal axis, of numbers.
    y : str, default "completion_s"
        The column of the vertical axis, of numbers.
    by : str, default "algorithms"
        The column whose values have a line each.
    bound : bool, default True
        Draw the minimum possible time too, where ``y`` is the completion time.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    ax = _axes(ax)
    finished = frame[frame[y].notna()]
    for style, (name, group) in zip(_styles(), _groups(finished, by), strict=False):
        spread = group.groupby(x)[y].agg(["median", "min", "max"])
        ax.plot(spread.index, spread["median"], label=name, **style)
        ax.fill_between(
            spread.index, spread["min"], spread["max"], color=style["color"], alpha=0.15, lw=0
        )
    if bound and y == "completion_s":
        bounds = finished.groupby(x)["bound_s"].median()
        ax.plot(bounds.index, bounds, color="0.4", ls=":", label="bound")
    ax.set(xlabel=_label(x), ylabel=_label(y))
    _scale(ax, "x", finished[x])
    _scale(ax, "y", finished[y])
    ax.legend()
    return ax


def bars(
    frame: pd.DataFrame,
    *,
    over: str = "rtt_ms",
    by: str = "algorithms",
    ax: Axes | None = None,
) -> Axes:
    """Draw the median completion times as bars: a group for each path, a bar for each start-up.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results.
    over : str, default "rtt_ms"
        The column whose values have a group of bars each.
    by : str, default "algorithms"
        The column whose values have a bar each in every group.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. A mark in each group is the minimum possible time.
    """
    ax = _axes(ax)
    names = frame[by].unique()
    medians = frame.pivot_table(index=over, columns=by, values="completion_s", aggfunc="median")
    places = np.arange(len(medians))
    height = 0.8 / len(names)
    for number, (name, colour) in enumerate(zip(names, cycle(COLOURS), strict=False)):
        middle = places + (number - (len(names) - 1) / 2) * height
        drawn = ax.barh(middle, medians[name], height * 0.9, label=str(name), color=colour)
        ax.bar_label(drawn, fmt="%.2f", padding=2, fontsize="small")
    bounds = frame.groupby(over)["bound_s"].median()
    ax.vlines(bounds, places - 0.4, places + 0.4, color="0.2", ls=":", label="bound")
    ax.set_yticks(places, [f"{value:g}" for value in medians.index])
    ax.invert_yaxis()
    ax.margins(x=0.1)
    ax.set(xlabel=_label("completion_s"), ylabel=_label(over))
    ax.legend()
    return ax


def cdf(
    frame: pd.DataFrame,
    column: str = "completion_s",
    *,
    by: str = "algorithms",
    ax: Axes | None = None,
) -> Axes:
    """Draw the cumulative distribution of a column: a line for each start-up.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results.
    column : str, default "completion_s"
        The column, of numbers. A missing number counts as larger than all others, so that the line
        of a start-up that left transfers unfinished ends below 1.
    by : str, default "algorithms"
        The column whose values have a line each.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    ax = _axes(ax)
    for colour, (name, group) in zip(cycle(COLOURS), _groups(frame, by), strict=False):
        values = np.sort(group[column].dropna().to_numpy(dtype=float))
        shares = np.arange(len(values) + 1) / len(group)
        # The line rises from zero at the smallest value.
        ax.step(
            np.concatenate([values[:1], values]), shares, where="post", label=name, color=colour
        )
    ax.set(xlabel=_label(column), ylabel="share of the transfers", ylim=(0, 1.02))
    _scale(ax, "x", frame[column].dropna())
    ax.legend()
    return ax


def slowdown(
    frame: pd.DataFrame,
    *,
    by: str = "algorithms",
    bins: int = 10,
    tail: float = 0.99,
    ax: Axes | None = None,
) -> Axes:
    """Draw the slowdown of flows by their size: the completion time over the least possible time.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results whose sizes differ, such as those of ``size = "web-search"``.
    by : str, default "algorithms"
        The column whose values have two lines each.
    bins : int, default 10
        How many bins of sizes there are. They have equal shares of the flows. Equal sizes are in
        one bin.
    tail : float, default 0.99
        The quantile of the dashed line; the other line is the median.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. Each mark is at the largest size of its bin. Flows that did not finish are left
        out.
    """
    ax = _axes(ax)
    quantiles = np.arange(1, bins + 1) / bins
    edges = np.unique(frame["size_bytes"].quantile(quantiles, interpolation="higher"))
    place = np.searchsorted(edges, frame["size_bytes"])
    frame = frame.assign(
        slowdown=frame["completion_s"] / frame["bound_s"],
        bin_bytes=edges[np.minimum(place, len(edges) - 1)],
    )
    frame = frame[frame["slowdown"].notna()]
    for style, (name, group) in zip(_styles(), _groups(frame, by), strict=False):
        of_bin = group.groupby("bin_bytes")["slowdown"]
        median, upper = of_bin.median(), of_bin.quantile(tail, interpolation="higher")
        ax.plot(median.index, median, label=f"{name}, median", **style)
        dashed = {**style, "ls": "--"}
        ax.plot(upper.index, upper, label=f"{name}, {tail * 100:g} %", **dashed)
    ax.set(xlabel=_label("size_bytes"), ylabel="slowdown", xscale="log", yscale="log")
    ax.legend()
    return ax


def ratio_map(
    frame: pd.DataFrame,
    of: str,
    *,
    over: str = "none",
    by: str = "startup",
    column: str = "completion_s",
    bins: int | tuple[int, int] | None = None,
    min_pairs: int = 1,
    ax: Axes | None = None,
) -> Axes:
    """Draw a heat map of the ratio of two start-ups over rate and RTT.

    Parameters
    ----------
    frame : pandas.DataFrame
        Results over several rates and RTTs.
    of, over, by, column
        As for :func:`ratios`.
    bins : int or (int, int), optional
        Draw the geometric means in bins that are as wide on logarithmic axes: so many of rates and
        of RTTs. :func:`binned_ratios` has the numbers. Default: a cell for each rate and RTT, or 12
        bins if there are more than 30 of them, as with random paths.
    min_pairs : int, default 1
        Leave out bins with fewer pairs of transfers.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. A blue cell is one where ``of`` takes less. A bin shows its number of pairs too.
    """
    if bins is None and frame[["rate_bits_per_s", "rtt_ms"]].nunique().max() > _MAX_CELLS:
        bins = _BINS
    ax = _axes(ax)
    if bins is None:
        _draw_cells(ax, ratios(frame, of, over=over, by=by, column=column))
    else:
        _draw_bins(ax, bin_ratios(frame, of, over, by, column, bins), min_pairs)
    ax.set(xlabel="round-trip time (ms)", ylabel="rate (Mbit/s)", title=f"{of} / {over}")
    return ax


def _draw_cells(ax: Axes, ratio: pd.Series[float]) -> None:
    """Draw a cell for each rate and RTT."""
    cells = (
        ratio.rename("ratio")
        .reset_index()
        .pivot_table(index="rate_bits_per_s", columns="rtt_ms", values="ratio")
    )
    logarithms = np.log(cells.to_numpy(dtype=np.float64))
    width = _width(logarithms)
    norm = TwoSlopeNorm(0, -width, width)
    ax.imshow(logarithms, cmap="RdBu_r", norm=norm, origin="lower", aspect="auto")
    for (row, place), logarithm in np.ndenumerate(logarithms):
        if np.isfinite(logarithm):
            _write(ax, place, row, logarithm, width)
    ax.set_xticks(range(len(cells.columns)), [f"{rtt:g}" for rtt in cells.columns])
    ax.set_yticks(range(len(cells.index)), [f"{rate / 1e6:g}" for rate in cells.index])


def _draw_bins(ax: Axes, bins: Bins, min_pairs: int) -> None:
    """Draw the bins that have enough pairs, each with their number."""
    enough = bins.pairs >= max(min_pairs, 1)
    if not enough.any():
        raise ValueError(
            f"`min_pairs` is {min_pairs}, but no bin has more than {bins.pairs.max()} pairs"
        )
    logarithms = np.where(enough, bins.logarithms, np.nan)
    width = _width(logarithms)
    rates, rtts = bins.rates / 1e6, bins.rtts
    ax.pcolormesh(rtts, rates, logarithms, cmap="RdBu_r", norm=TwoSlopeNorm(0, -width, width))
    ax.set(xscale="log", yscale="log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    for row, place in np.argwhere(enough):
        rtt = math.sqrt(rtts[place] * rtts[place + 1])
        rate = math.sqrt(rates[row] * rates[row + 1])
        _write(ax, rtt, rate, logarithms[row, place], width, int(bins.pairs[row, place]))


def _width(logarithms: npt.NDArray[np.float64]) -> float:
    """Return the largest logarithm of the scale of colours, which is white at a ratio of 1."""
    return max(float(np.nanmax(np.abs(logarithms))), 0.05)


def _write(
    ax: Axes, x: float, y: float, logarithm: float, width: float, pairs: int | None = None
) -> None:
    """Write a ratio into its cell, and the number of pairs that it is of."""
    ax.text(
        x,
        y,
        f"{math.exp(logarithm):.2f}" + ("" if pairs is None else f"\n({pairs})"),
        ha="center",
        va="center",
        color="white" if abs(logarithm) > 0.6 * width else "black",
        fontsize="medium" if pairs is None else "xx-small",
    )


def _of_row(results: Results, table: str, row: int) -> pd.DataFrame:
    if not 0 <= row < len(results):
        raise ValueError(f"there is no row {row}: the results have {len(results)}")
    frame: pd.DataFrame = getattr(results, table).to_pandas()
    return frame[frame["record"] == row]


def sequence(results: Results, row: int = 0, *, ax: Axes | None = None) -> Axes:
    """Draw the sequence numbers of a transfer over time.

    Parameters
    ----------
    results : onramp.Results
        Results with traces.
    row : int, default 0
        The number of the transfer's row.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: segments as they arrive at the bottleneck, retransmissions, segments that were
        dropped or lost, and the payload that the sender knows to be acknowledged.
    """
    ax = _axes(ax)
    segments = _of_row(results, "segments", row)
    senders = _of_row(results, "senders", row)
    ax.step(
        senders["time_s"],
        senders["acked_bytes"] / 1e3,
        where="post",
        color=COLOURS[0],
        lw=1,
        label="acknowledged",
    )
    kinds = {
        "segment": (~segments["retransmission"] & ~segments["dropped"], ".", COLOURS[2]),
        "retransmission": (segments["retransmission"] & ~segments["dropped"], "o", COLOURS[4]),
        "dropped or lost": (segments["dropped"], "x", COLOURS[1]),
    }
    for name, (chosen, marker, colour) in kinds.items():
        if chosen.any():
            some = segments[chosen]
            ax.plot(
                some["time_s"],
                some["start_byte"] / 1e3,
                ls="",
                marker=marker,
                ms=3,
                color=colour,
                label=name,
            )
    ax.set(xlabel=_TIME, ylabel="payload (kB)")
    ax.legend()
    return ax


def window(results: Results, row: int = 0, *, ax: Axes | None = None) -> Axes:
    """Draw cwnd, ssthresh and the payload in flight of a transfer over time.

    Parameters
    ----------
    results : onramp.Results
        Results with traces.
    row : int, default 0
        The number of the transfer's row.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in kB.
    """
    ax = _axes(ax)
    senders = _of_row(results, "senders", row)
    lines: dict[str, tuple[str, dict[str, Any]]] = {
        "cwnd_bytes": ("cwnd", {"color": COLOURS[0]}),
        "ssthresh_bytes": ("ssthresh", {"color": COLOURS[1], "ls": "--"}),
        "inflight_bytes": ("in flight", {"color": COLOURS[2], "lw": 0.8}),
    }
    for column, (name, style) in lines.items():
        values = senders[column].astype("Float64").to_numpy(dtype=float, na_value=np.nan)
        if np.isfinite(values).any():
            ax.step(senders["time_s"], values / 1e3, where="post", label=name, **style)
    ax.set(xlabel=_TIME, ylabel="window (kB)")
    ax.legend()
    return ax


def queue(results: Results, row: int = 0, *, ax: Axes | None = None) -> Axes:
    """Draw how long the segments of a transfer waited at the bottleneck.

    Parameters
    ----------
    results : onramp.Results
        Results with traces.
    row : int, default 0
        The number of the transfer's row.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: for each segment, the time to cross the bottleneck beyond that of the fastest
        segment, in ms.
    """
    ax = _axes(ax)
    queues = _of_row(results, "queues", row)
    ax.plot(queues["time_s"], queues["queue_delay_s"] * 1e3, ".", color=COLOURS[0], ms=2)
    ax.set(xlabel=_TIME, ylabel="queueing delay (ms)", ylim=(0, None))
    return ax
