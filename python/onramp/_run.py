"""Runs scenarios in the simulator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from os import PathLike, fspath
from typing import Any, TypeAlias, cast

import pandas as pd

from onramp import _onramp, _toml
from onramp._errors import OnrampWarning
from onramp._frames import Table
from onramp._progress import Report, reporting
from onramp.scenario import Scenario

#: What can be run: a file, the text of one, a mapping as a parsed file, or a scenario that was
#: built in Python. A text with a line break is TOML; any other is the name of a file.
ScenarioLike: TypeAlias = str | PathLike[str] | Mapping[str, Any] | Scenario


def _source(scenario: ScenarioLike) -> tuple[str, str | None]:
    if isinstance(scenario, Scenario):
        return f"<Scenario {scenario.name}>", scenario.to_toml()
    if isinstance(scenario, Mapping):
        return f"<mapping {scenario.get('name', '')}>", _toml.dumps(scenario)
    if isinstance(scenario, str) and "\n" in scenario:
        return "<text>", scenario
    return fspath(scenario), None


def _sources(scenarios: ScenarioLike | Sequence[ScenarioLike]) -> list[tuple[str, str | None]]:
    if isinstance(scenarios, str | PathLike | Mapping | Scenario):
        return [_source(scenarios)]
    return [_source(scenario) for scenario in scenarios]


class Results(Table):
    """The results of a run: a table with a row for each transfer, and traces if asked for.

    The columns are those of ``docs/results.md``, and:

    - ``queue_bdp`` and ``queue_packets``: the queue of the bottleneck;
    - ``loss_percent``: the mean random loss of the data's direction;
    - ``receiver_buffer_bytes``: the receive buffer; missing where Linux tunes it;
    - ``algorithms``: the name of the transfer in tables;
    - ``failure``: why its connection gave up; missing where it did not.

    The tables of traces have a column ``record``: the number of the row here, from 0. Their times
    are seconds since the connect.
    """

    def __init__(
        self,
        records: _onramp.Table,
        traces: tuple[_onramp.Table, ...] | None,
    ) -> None:
        super().__init__(records)
        self._traces = traces

    def _trace(self, number: int) -> Table:
        if self._traces is None:
            raise ValueError("these results have no traces: simulate(..., traces=True) makes them")
        return Table(self._traces[number])

    @property
    def senders(self) -> Table:
        """The states of the senders over time: cwnd, ssthresh, inflight, rates, smoothed RTT."""
        return self._trace(0)

    @property
    def segments(self) -> Table:
        """The data segments that arrived at the bottleneck, with drops and retransmissions."""
        return self._trace(1)

    @property
    def events(self) -> Table:
        """The phases, estimates and exits of the start-ups."""
        return self._trace(2)

    @property
    def queues(self) -> Table:
        """The delay of each data segment at the bottleneck, beyond that of the fastest one."""
        return self._trace(3)

    @property
    def receivers(self) -> Table:
        """The payload that the receivers had read over time, until the last byte."""
        return self._trace(4)


def simulate(
    scenarios: ScenarioLike | Sequence[ScenarioLike],
    *,
    seeds: int | Sequence[int] | None = None,
    threads: int | None = None,
    traces: bool = False,
    progress: bool | Report | None = None,
) -> Results:
    """Simulate scenarios, and return tables for Arrow, Polars and pandas.

    The same scenario gives the same results on every machine, whatever the number of threads. The
    GIL is released meanwhile. Ctrl-C ends the run within a fraction of a second.

    Parameters
    ----------
    scenarios : path, str, mapping, Scenario, or a sequence of them
        A scenario file, the text of one, a mapping as a parsed file, or a scenario that was built
        in Python. A str with a line break is TOML, any other str names a file. Several scenarios
        need different names.
    seeds : int or sequence of int, optional
        The number of repeats of each case, 1 to 1000, in place of the scenario's ``repeat``; their
        seeds are derived from the scenario's. Or the seeds of the repeats themselves, as the column
        ``seed`` shows them.
    threads : int, optional
        Run this many cases at a time. Default: one for each processor.
    traces : bool, default False
        Whether to keep traces. They take some 100 bytes for each segment and each ACK.
    progress : bool or callable, optional
        Default: a bar if tqdm is installed and somebody sees it. True or False: a bar, or none. A
        callable is called with the number of cases that are done, and of all.

    Returns
    -------
    Results
        A table with a row for each transfer, and traces.

    Raises
    ------
    ScenarioError
        A scenario cannot be read, or has mistakes. The text is that of the command line.
    UnsupportedError
        A scenario needs a feature that the simulator does not have.
    SimulationError
        A case could not be simulated.
    KeyboardInterrupt
        Ctrl-C.

    Examples
    --------
    >>> import onramp
    >>> scenario = {
    ...     "name": "short",
    ...     "path": {"rate": "10 Mbit/s", "rtt": "40 ms"},
    ...     "transfer": [{"size": "100 kB", "startup": ["none", "onramp"]}],
    ... }
    >>> results = onramp.simulate(scenario, traces=True)
    >>> results
    <Results: 2 rows, 64 columns>
    >>> results.segments.column_names
    ['record', 'time_s', 'start_byte', 'length_bytes', 'retransmission', 'dropped']
    """
    if isinstance(seeds, Integral):
        repeat, of_repeats = int(seeds), []
    elif seeds is None:
        repeat, of_repeats = None, []
    else:
        of_repeats = [int(seed) for seed in cast("Sequence[int]", seeds)]
        repeat = len(of_repeats)
    with reporting(progress, "cases") as report:
        records, tables, notes = _onramp.simulate(
            _sources(scenarios),
            repeat=repeat,
            seeds=of_repeats,
            threads=threads,
            traces=traces,
            progress=report,
        )
    for note in notes:
        warnings.warn(note, OnrampWarning, stacklevel=2)
    return Results(records, tables)


def run(
    scenarios: ScenarioLike | Sequence[ScenarioLike],
    *,
    seeds: int | Sequence[int] | None = None,
    threads: int | None = None,
    progress: bool | Report | None = None,
) -> pd.DataFrame:
    """Simulate scenarios, and return a data frame with a row for each transfer.

    The parameters and exceptions are those of :func:`simulate`, which keeps traces too.

    Returns
    -------
    pandas.DataFrame
        The columns of :class:`Results`.

    Examples
    --------
    >>> import onramp
    >>> frame = onramp.run('''
    ... name = "short"
    ... [path]
    ... rate = "10 Mbit/s"
    ... rtt = "40 ms"
    ... queue = "0.5 bdp"
    ... [[transfer]]
    ... size = "100 kB"
    ... startup = ["none", "onramp"]
    ... ''')
    >>> frame[["startup", "queue_bdp", "finished"]]
      startup  queue_bdp  finished
    0    none        0.5      True
    1  onramp        0.5      True
    """
    results = simulate(
        scenarios,
        seeds=seeds,
        threads=threads,
        progress=progress,
    )
    return results.to_pandas()


def check(scenarios: ScenarioLike | Sequence[ScenarioLike]) -> int:
    """Read scenarios without running them, and return the number of their cases.

    Raises
    ------
    ScenarioError
        A scenario cannot be read, or has mistakes.

    Examples
    --------
    >>> import onramp
    >>> onramp.check({"name": "x", "path": {"rate": "1 Mbit/s"}, "transfer": [{"size": "1 kB"}]})
    Traceback (most recent call last):
        ...
    onramp.ScenarioError: ...
    """
    return _onramp.check(_sources(scenarios))


def read_results(path: str | PathLike[str]) -> pd.DataFrame:
    """Read the results of ``onramp lab`` or ``onramp sim`` into a data frame.

    Parameters
    ----------
    path : path
        The folder of ``--out``, its ``results.json``, or a file with what ``--json`` printed.

    Returns
    -------
    pandas.DataFrame
        The columns of :class:`Results`. ``failure`` is empty: the files do not have it.

    Raises
    ------
    ResultsError
        The file cannot be read, or has no records of this version.
    """
    return Table(_onramp.read_results(fspath(path))).to_pandas()


def startups() -> list[str]:
    """Return the names of the start-up algorithms.

    Examples
    --------
    >>> import onramp
    >>> "onramp" in onramp.startups()
    True
    """
    return _onramp.startups()
