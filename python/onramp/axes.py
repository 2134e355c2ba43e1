"""Axes of sweeps: the values that a key of a scenario takes.

A list of values is an axis too, or an array of numpy, or a series of pandas. Lists, :func:`linear`
and :func:`log` are multiplied; :func:`uniform`, :func:`log_uniform` and :func:`choice` are drawn
once for each sample.

A number is a rate in bit/s, a time in seconds, a size in bytes, a queue in packets. With ``unit``
it is a number of that unit, for example of ``"%"`` or ``"bdp"``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from onramp._plain import ArrayLike, plain

#: A value of a key, as a table of results shows it.
Value: TypeAlias = str | int | float | bool

#: Fractions of a unit, such as of a percent, are written with this many decimals.
_DECIMALS = 4


@dataclass(frozen=True)
class Grid:
    """An axis whose values are multiplied with those of other grids."""

    values: tuple[Value, ...]
    unit: str | None = None


@dataclass(frozen=True)
class Drawn:
    """An axis with a value for each sample.

    Attributes
    ----------
    kind : {"uniform", "log", "choice"}
        The distribution.
    low, high : float
        Its limits.
    values : tuple
        The values to choose from.
    unit : str or None
        The unit of the numbers.
    """

    kind: str
    low: float = 0.0
    high: float = 0.0
    values: tuple[Value, ...] = ()
    unit: str | None = None

    def at(self, share: float) -> Value:
        """Return the value below which this share of the distribution lies, from 0 to below 1.

        Examples
        --------
        >>> log_uniform(1, 100).at(0.5)
        10.0
        """
        if self.kind == "choice":
            return self.values[int(share * len(self.values))]
        if self.kind == "log":
            exponent = (1 - share) * math.log10(self.low) + share * math.log10(self.high)
            return _rounded(10.0**exponent, self.unit)
        return _rounded((1 - share) * self.low + share * self.high, self.unit)


def linear(low: float, high: float, count: int, *, unit: str | None = None) -> Grid:
    """Return ``count`` evenly spaced values, both limits included.

    Examples
    --------
    >>> linear(0, 1, 5, unit="%").values
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    _check(low <= high and count >= 2, "give low <= high, and a count of 2 or more")
    low, high = plain([low, high])
    steps = [index / (count - 1) for index in range(count)]
    return Grid(tuple(_rounded((1 - s) * low + s * high, unit) for s in steps), unit)


def log(low: float, high: float, count: int, *, unit: str | None = None) -> Grid:
    """Return ``count`` values with a constant ratio, both limits included.

    Examples
    --------
    >>> log(1e6, 1e9, 4).values
    (1000000.0, 10000000.0, 100000000.0, 1000000000.0)
    """
    _check(0 < low <= high and count >= 2, "give 0 < low <= high, and a count of 2 or more")
    drawn = Drawn("log", low, high, unit=unit)
    steps = [index / (count - 1) for index in range(count)]
    return Grid(tuple(drawn.at(step) for step in steps), unit)


def uniform(low: float, high: float, *, unit: str | None = None) -> Drawn:
    """Draw evenly between two limits."""
    _check(low <= high, "give low <= high")
    return Drawn("uniform", plain(low), plain(high), unit=unit)


def log_uniform(low: float, high: float, *, unit: str | None = None) -> Drawn:
    """Draw so that the logarithm is even between two limits."""
    _check(0 < low <= high, "give 0 < low <= high")
    return Drawn("log", plain(low), plain(high), unit=unit)


def choice(values: Sequence[Value] | ArrayLike) -> Drawn:
    """Draw one of several values, each as often."""
    listed = plain(values)
    _check(len(listed) > 0, "give at least one value")
    return Drawn("choice", values=tuple(listed))


def _check(is_right: bool, message: str) -> None:
    if not is_right:
        raise ValueError(message)


def _rounded(number: float, unit: str | None) -> float:
    """Round a number so that it is the same on every machine, and short: 0.3 for 0.1 + 0.2."""
    return float(f"{number:.12g}") if unit is None else round(float(number), _DECIMALS)
