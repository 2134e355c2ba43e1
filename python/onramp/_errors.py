"""The exceptions of the package. Their texts are those of the command line."""

from __future__ import annotations

from typing import NamedTuple


class OnrampError(Exception):
    """The base of all exceptions of this package."""


class Fault(NamedTuple):
    """A mistake in a scenario.

    Attributes
    ----------
    line, column : int or None
        Its place, both from 1; None for a mistake of the whole file.
    message : str
        What is wrong, in a sentence.
    """

    line: int | None
    column: int | None
    message: str


class ScenarioError(OnrampError, ValueError):
    """A scenario cannot be read, or has mistakes.

    The text of the exception shows the lines of the file and says how to correct them.

    Attributes
    ----------
    file : str or None
        Name of the file, or of the scenario that is no file; None where no file could be read.
    faults : list of Fault
        All mistakes, in the order of the file; empty where no file could be read.
    """

    def __init__(
        self,
        text: str,
        file: str | None = None,
        faults: list[tuple[int | None, int | None, str]] | None = None,
    ) -> None:
        super().__init__(text, file, faults)
        self.text = text
        self.file = file
        self.faults = [Fault(*fault) for fault in faults or []]

    def __str__(self) -> str:
        return self.text

    @property
    def line(self) -> int | None:
        """Line of the first mistake, from 1."""
        return self.faults[0].line if self.faults else None

    @property
    def column(self) -> int | None:
        """Column of the first mistake, from 1, in characters."""
        return self.faults[0].column if self.faults else None

    @property
    def message(self) -> str:
        """The first mistake in a sentence, or why there is no file."""
        return self.faults[0].message if self.faults else self.text.strip()


class UnsupportedError(OnrampError):
    """A scenario needs a feature that the simulator does not have."""


class SimulationError(OnrampError):
    """A case could not be simulated."""


class ModelError(OnrampError, ValueError):
    """A model does not cover a link, or an argument is none of its quantities."""


class ResultsError(OnrampError, ValueError):
    """A file has no results, or those of another version."""


class OnrampWarning(UserWarning):
    """Something is missing from results, which are right otherwise."""
