"""The results of five papers, measured again by the simulator."""

from __future__ import annotations

import pandas as pd

from onramp import _onramp
from onramp._frames import Table
from onramp._progress import Report, reporting


def names() -> list[str]:
    """Return the names of the papers.

    Examples
    --------
    >>> import onramp.papers
    >>> onramp.papers.names()[0]
    'aron-druschel-1998'
    """
    return _onramp.paper_names()


def rows(
    paper: str = "all",
    *,
    quick: bool = False,
    seeds: int = 200,
    threads: int | None = None,
    progress: bool | Report | None = None,
) -> pd.DataFrame:
    """Measure the numbers and statements of papers again.

    Without ``quick`` this takes minutes.

    Parameters
    ----------
    paper : str, default "all"
        One of :func:`names`, or ``"all"``.
    quick : bool, default False
        Measure only what takes seconds.
    seeds : int, default 200
        The number of seeds of each run with random events. The number of a row is the median. Parts
        with long runs end with fewer, where these decide all their rows.
    threads : int, optional
        Run this many simulations at a time. Default: one for each processor.
    progress : bool or callable, optional
        As for :func:`onramp.simulate`.

    Returns
    -------
    pandas.DataFrame
        A row for each row of the ledgers: ``paper``, ``id``, ``what``, ``section``, ``unit``;
        ``expected``, the paper's value or claim, and ``expected_value``, if it is a number in that
        unit; ``measured`` and ``measured_value``; ``half_from`` and ``half_to``, the central
        half of the seeds, and ``within``, the share of the seeds that agree by
        the rule; ``rule``, ``verdict``, ``note``.

    Examples
    --------
    >>> import onramp.papers
    >>> frame = onramp.papers.rows("chaher-geo-satellite", quick=True)
    >>> frame.set_index("id").loc["C.eq.beta", ["expected", "measured", "verdict"]].tolist()
    ['0.267', '0.267', 'algebra']
    """
    known = names()
    chosen = known if paper == "all" else [paper]
    if not set(chosen) <= set(known):
        raise ValueError(f"no such paper: {paper!r} (known papers: {', '.join(known)}; or all)")
    if not 1 <= seeds <= 1000:
        raise ValueError("give 1 to 1000 seeds")
    with reporting(progress, "parts") as report:
        table = _onramp.paper_rows(
            chosen,
            quick=quick,
            seeds=seeds,
            threads=threads,
            progress=report,
        )
    return Table(table).to_pandas()
