"""Finds the keys that axes name, such as `path.rate` and `link.0.reverse.delay`, in a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onramp._errors import OnrampError
from onramp._quantities import TableOfKeys
from onramp.scenario import Scenario

#: Stands for all tables of a name, as in `transfer.*.size`.
_ALL = "*"


def find(document: dict[str, Any], key: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return the kind of a key, and the tables that have it, under the whole names of the key.

    Tables that are missing are entered, but for those of which a scenario has several.
    """
    *parts, name = key.split(".")
    cls: type[TableOfKeys] = Scenario
    tables = {"": document}
    while parts:
        part = parts.pop(0)
        if part not in cls.tables():
            raise _no_key(key)
        cls, is_several = cls.tables()[part]
        if not is_several:
            tables = {f"{path}{part}.": t.setdefault(part, {}) for path, t in tables.items()}
            continue
        which = parts.pop(0) if parts and parts[0] not in cls.tables() else None
        # The key without `which`, for messages.
        behind = ".".join([*parts, name])
        tables = {
            f"{path}{part}.{number}.": table
            for path, outer in tables.items()
            for number, table in _chosen(key, f"{path}{part}", behind, outer.get(part, ()), which)
        }
    if name not in cls.KINDS:
        raise _no_key(key)
    return cls.KINDS[name], {f"{path}{name}": table for path, table in tables.items()}


def _no_key(key: str) -> OnrampError:
    return OnrampError(f"an axis is named `{key}`, which is no key of a scenario")


def _chosen(
    key: str, path: str, behind: str, tables: Sequence[Any] | Mapping[str, Any], which: str | None
) -> list[tuple[int, dict[str, Any]]]:
    """Return the tables that a number, a pair of nodes or `*` names, with their numbers."""
    several = [tables] if isinstance(tables, Mapping) else tables
    numbers = range(len(several))
    pairs = [f"{table['from']}-{table['to']}" for table in several if {"from", "to"} <= {*table}]
    if which == _ALL:
        chosen = [*numbers]
    elif which is None:
        # A single table needs no number.
        chosen = [*numbers] if len(several) == 1 else []
    elif which.isdecimal():
        chosen = [number for number in numbers if number == int(which)]
    else:
        chosen = [number for number, pair in enumerate(pairs) if pair == which]
    if len(chosen) == 1 or (which == _ALL and chosen):
        return [(number, several[number]) for number in chosen]
    message = f"an axis is named `{key}`, and the scenario has {len(several)} `[[{path}]]`"
    if len(several) == 1:
        message += f": expected `{path}.{behind}` or `{path}.0.{behind}`"
    elif several:
        last = len(several) - 1
        message += f": expected `{path}.0.{behind}` to `{path}.{last}.{behind}`, "
        named = [pair for pair in pairs if pairs.count(pair) == 1]
        if named:
            message += f"`{path}.{named[0]}.{behind}` or another pair of nodes, "
        message += f"or `{path}.{_ALL}.{behind}` for all"
    raise OnrampError(message)
