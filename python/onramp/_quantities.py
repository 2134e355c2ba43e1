"""Numbers as quantities of scenario files, and the base of the classes that describe scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from math import isfinite
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from onramp import _toml
from onramp._plain import plain

#: How a number of each kind is written: its unit, and how many of them the number's own unit has.
_UNITS = {
    "rate": ("bit/s", 1),
    "time": ("ns", 1_000_000_000),
    "time, or `random`": ("ns", 1_000_000_000),
    "time, or `exponential`": ("ns", 1_000_000_000),
    "size": ("B", 1),
    "size, or distribution": ("B", 1),
    "buffer": ("B", 1),
    "queue": ("packets", 1),
    "packets": ("packets", 1),
    "initial window": ("segments", 1),
    "byte counting": ("segments", 1),
}


def quantity(key: str, kind: str, value: Any) -> Any:  # noqa: ANN401
    """Write a value of a kind as a scenario file has it.

    Texts stay as they are. A number is a rate in bit/s, a time in seconds, a size in bytes, or a
    number of packets or segments. Arrays of numpy and series of pandas are lists.

    Examples
    --------
    >>> quantity("rate", "rate", 50e6)
    '50000000 bit/s'
    >>> quantity("rtt", "time", 0.6)
    '600000000 ns'
    >>> quantity("rtt", "time", "600 ms")
    '600 ms'
    """
    value = plain(value)
    if isinstance(value, str | bool):
        return value
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Sequence):
        return [quantity(key, kind, one) for one in value]
    if not isinstance(value, Real):
        raise TypeError(f"`{key}` is a {type(value).__name__}; give a text or a number")
    if kind in {"integer", "connections"}:
        if not isinstance(value, Integral):
            raise TypeError(f"`{key}` is {value!r}; give a whole number")
        return int(value)
    if kind not in _UNITS:
        raise TypeError(f'`{key}` is {value!r}; give a text with a unit, such as "0.5 %"')
    if not isfinite(value):
        raise ValueError(f"`{key}` is {value}; give a finite number")
    unit, factor = _UNITS[kind]
    return f"{round(float(value) * factor)} {unit}"


class TableOfKeys:
    """The base of the tables of a scenario."""

    #: The kind of each key, as in the reference of scenario keys.
    KINDS: ClassVar[dict[str, str]] = {}

    @classmethod
    @cache
    def tables(cls) -> dict[str, tuple[type[TableOfKeys], bool]]:
        """Return the class of each table within this one, and whether a file has several."""
        found: dict[str, tuple[type[TableOfKeys], bool]] = {}
        for name, hint in get_type_hints(cls).items():
            for one in get_args(hint):
                if isinstance(one, type) and issubclass(one, TableOfKeys):
                    found[name] = one, get_origin(hint) is Sequence
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the keys that were given, and the tables, as a scenario file has them."""
        document: dict[str, Any] = {}
        tables: dict[str, Any] = {}
        # The classes that derive from this one are dataclasses.
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            # A name that Python reserves ends with an underscore.
            key = field.name.rstrip("_")
            if value is None:
                continue
            if key in self.KINDS:
                document[key] = quantity(key, self.KINDS[key], value)
            elif isinstance(value, TableOfKeys):
                tables[key] = value.to_dict()
            elif len(value) > 0:
                tables[key] = [table.to_dict() for table in value]
        return document | tables

    def to_toml(self) -> str:
        """Return the text of the scenario file."""
        return _toml.dumps(self.to_dict())
