"""Simulate TCP start-ups, and read, compare and draw what they do.

:func:`run` simulates a scenario and returns a data frame with a row for each transfer.
:func:`simulate` returns tables for Arrow and Polars too, with traces. Scenarios are files, texts,
mappings, or built from the classes :class:`Scenario`, :class:`Path`, :class:`Transfer` and so on.

:mod:`onramp.plot` draws results, :mod:`onramp.papers` measures the results of papers again, and
:mod:`onramp.model` answers questions about a link by a formula. ``docs/python.md`` of the project
is the guide.

Examples
--------
>>> import onramp
>>> frame = onramp.run(
...     onramp.Scenario(
...         name="geo",
...         path=onramp.Path(rate="50 Mbit/s", rtt="600 ms"),
...         receiver=onramp.Receiver(buffer="64 MiB"),
...         transfer=[onramp.Transfer(size="1 MB", startup=["none", "onramp"])],
...     )
... )
>>> frame["completion_s"].round(1).tolist()
[4.8, 2.0]
"""

from onramp import _onramp
from onramp._advise import advise
from onramp._errors import (
    Fault,
    ModelError,
    OnrampError,
    OnrampWarning,
    ResultsError,
    ScenarioError,
    SimulationError,
    UnsupportedError,
)
from onramp._frames import Table
from onramp._observations import observations, write_observations
from onramp._run import Results, ScenarioLike, check, read_results, run, simulate, startups
from onramp._sweep import cell, sweep
from onramp._sweep_file import SweepFile, read_sweep
from onramp.scenario import (
    Bursts,
    CoDel,
    DualPi2,
    Link,
    LinkChange,
    LinkReverse,
    Node,
    Path,
    PathChange,
    PathReverse,
    Receiver,
    Red,
    Run,
    Scenario,
    Sender,
    Steps,
    Traffic,
    Transfer,
    TransferParameters,
)

__version__ = _onramp.version()

__all__ = [
    "Bursts",
    "CoDel",
    "DualPi2",
    "Fault",
    "Link",
    "LinkChange",
    "LinkReverse",
    "ModelError",
    "Node",
    "OnrampError",
    "OnrampWarning",
    "Path",
    "PathChange",
    "PathReverse",
    "Receiver",
    "Red",
    "Results",
    "ResultsError",
    "Run",
    "Scenario",
    "ScenarioError",
    "ScenarioLike",
    "Sender",
    "SimulationError",
    "Steps",
    "SweepFile",
    "Table",
    "Traffic",
    "Transfer",
    "TransferParameters",
    "UnsupportedError",
    "advise",
    "cell",
    "check",
    "observations",
    "read_results",
    "read_sweep",
    "run",
    "simulate",
    "startups",
    "sweep",
    "write_observations",
]

# Tracebacks and `help` name classes as they are imported: `onramp.ScenarioError`.
for _name in __all__:
    _public = globals()[_name]
    if isinstance(_public, type) and _public.__module__.startswith("onramp._"):
        _public.__module__ = "onramp"
