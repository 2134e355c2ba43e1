"""Progress of long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

#: Called with the number of parts that are done, and with the number of all parts.
Report = Callable[[int, int], None]

#: Work that is shorter than this has no bar.
DELAY_S = 0.5


def _is_watched() -> bool:
    """Whether somebody sees a bar: on a terminal, or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def reporting(progress: bool | Report | None, what: str) -> Iterator[Report | None]:
    """Provide the function that reports progress; None where nobody wants it.

    Parameters
    ----------
    progress : bool or callable or None
        None: a bar of tqdm if tqdm is installed and somebody sees it. True: a bar of tqdm. False:
        nothing. A callable gets the numbers.
    what : str
        The unit of the bar.
    """
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not _is_watched()):
        yield None
        return
    try:
        # The bar of notebooks is a widget, which needs a package of its own.
        if find_spec("ipywidgets"):
            from tqdm.auto import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        if progress:
            raise
        yield None
        return
    with tqdm(unit=f" {what}", delay=DELAY_S, leave=False) as bar:

        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield report
