"""Writes onramp/scenario.py, the classes of scenarios, from the keys that the Rust crate declares.

Run `ONRAMP_UPDATE_DOCS=1 make test-python` after a change of keys.
"""

from __future__ import annotations

import json
import pathlib
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from onramp import _onramp

WIDTH = 100
FILE = pathlib.Path(__file__).resolve().parent.parent / "onramp" / "scenario.py"

HEADER = '''\
"""Scenarios, built in Python: a class for each table of a scenario file.

Generated from crates/onramp-scenario/src/keys and crates/onramp-scenario/src/channel. Do not edit:
`ONRAMP_UPDATE_DOCS=1 make test-python` writes this file.

A quantity is a text with its unit, such as ``"50 Mbit/s"``, or a number: a rate in bit/s, a time in
seconds, a size in bytes, a queue in packets, a window in segments. A share needs its unit, as in
``"0.5 %"``. Where a key takes a list, all lists of a scenario are multiplied. Arrays of numpy and
series of pandas are lists too.

Examples
--------
>>> import onramp
>>> scenario = onramp.Scenario(
...     name="geo",
...     path=onramp.Path(rate="50 Mbit/s", rtt=0.6),
...     transfer=[onramp.Transfer(size=["100 kB", "1 MB"], startup=["none", "onramp"])],
... )
>>> onramp.check(scenario)
4
>>> scenario.to_toml().splitlines()[2:5]
['[path]', 'rtt = "600000000 ns"', 'rate = "50 Mbit/s"']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import ClassVar, Literal

from onramp._plain import ArrayLike
from onramp._quantities import TableOfKeys
'''

#: The Python type of each kind of values that is not a choice of a few names.
TYPES = {
    "rate": "str | float",
    "initial rate": "str | float",
    "time": "str | float",
    "time, or `random`": "str | float",
    "time, or `exponential`": "str | float",
    "size": "str | float",
    "size, or distribution": "str | float",
    "buffer": "str | float",
    "queue": "str | float",
    "packets": "str | int",
    "initial window": "str | int",
    "byte counting": "str | int",
    "connections": "str | int",
    "share": "str",
    "frequency": "str",
    "integer": "int",
    "true or false": "bool",
    "text": "str",
    "name": "str",
    "node": "str",
    "start-up": "str",
    "file": "str | PathLike[str]",
}

#: Keys without a default that another key, or the kind of traffic, makes needless.
OPTIONAL = {"rate", "rtt", "delay", "on", "off"}
#: Names that Python reserves.
RESERVED = {"from"}
#: The tables of a channel, which are the same in each direction.
CHANNEL_TABLES = {"steps", "red", "codel", "dualpi2", "bursts"}
CLASS_NAMES = {"": "Scenario", "codel": "CoDel", "dualpi2": "DualPi2"}


def class_name(path: str) -> str:
    """Return the name of the class of a table: `PathReverse` for `path.reverse`."""
    parts = path.split(".")
    if parts[-1] in CHANNEL_TABLES:
        parts = parts[-1:]
    return "".join(CLASS_NAMES.get(part, part.title()) for part in parts)


def alias_name(kind: str) -> str:
    """Return the name of the type of a choice: `KindOfTraffic` for `kind of traffic`."""
    return "".join(word.title() for word in re.split(r"[ -]", kind))


def key_type(key: dict[str, Any]) -> str:
    """Return the type of a key's field."""
    one = alias_name(key["kind"]) if key["names"] else TYPES[key["kind"]]
    return f"{one} | Sequence[{one}] | ArrayLike" if key["takes_list"] else one


def filled(text: str, indent: str) -> Iterator[str]:
    """Wrap a text to the width of the file."""
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def aliases(tables: list[dict[str, Any]]) -> Iterator[str]:
    """Write the types of choices."""
    names: dict[str, list[str]] = {}
    for table in tables:
        for key in table["keys"]:
            if key["names"]:
                of_kind = names.setdefault(key["kind"], key["names"])
                assert of_kind == key["names"], key["kind"]
    for kind in sorted(names):
        yield f"{alias_name(kind)} = Literal["
        yield from (f'    "{name}",' for name in names[kind])
        yield "]"


def fields_of(table: dict[str, Any]) -> list[tuple[str, str, str | None, str]]:
    """Return name, type, default and meaning of each field, those without a default first."""
    fields: list[tuple[str, str, str | None, str]] = []
    for key in table["keys"]:
        name = key["name"] + "_" * (key["name"] in RESERVED)
        required = key["is_required"] and key["name"] not in OPTIONAL
        meaning = key["meaning"]
        if key["default"]:
            meaning += f" Default: {key['default']}."
        if key["range"]:
            meaning += f" Range: {key['range']}."
        type_ = key_type(key)
        fields.append(
            (name, type_ if required else f"{type_} | None", None if required else "None", meaning)
        )
    return sorted(fields, key=lambda field: field[2] is not None)


def class_of(table: dict[str, Any], tables: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Write the class of a table."""
    path = table["path"]
    header = f"[[{path}]]" if table["max_count"] > 1 else f"[{path}]"
    fields = fields_of(table)
    for name in table["tables"]:
        inner = tables[f"{path}.{name}" if path else name]
        one = class_name(inner["path"])
        meaning = f"{inner['meaning'][0].upper()}{inner['meaning'][1:]}."
        if inner["max_count"] > 1:
            fields.append((name, f"Sequence[{one}]", "()", meaning))
        else:
            fields.append((name, f"{one} | None", "None", meaning))
    name = class_name(path)
    title = f"``{header}``: {table['meaning']}." if path else "A scenario file."
    yield from ("", "", "@dataclass(kw_only=True)", f"class {name}(TableOfKeys):")
    if len(title) + 7 > WIDTH:
        title, rest = title.split(": ", 1)
        yield from (f'    """{title}.', "", *filled(rest[0].upper() + rest[1:], "    "))
    else:
        yield f'    """{title}'
    yield from ("", "    Parameters", "    ----------")
    for field, type_, default, meaning in fields:
        yield f"    {field} : {type_}{'' if default is None else ', optional'}"
        yield from filled(meaning, " " * 8)
    yield from ('    """', "")
    yield "    KINDS: ClassVar[dict[str, str]] = {"
    yield from (f'        "{key["name"]}": "{key["kind"]}",' for key in table["keys"])
    yield from ("    }", "")
    for field, type_, default, _ in fields:
        yield f"    {field}: {type_}" + ("" if default is None else f" = {default}")


def generated() -> str:
    """Return the text of the file."""
    all_tables = json.loads(_onramp.scenario_keys())
    tables = {table["path"]: table for table in all_tables}
    classes = {class_name(table["path"]): table for table in reversed(all_tables)}
    lines = [HEADER, *aliases(all_tables)]
    # A class stands behind those of the tables within it.
    for table in sorted(classes.values(), key=lambda table: -depth(table["path"])):
        lines.extend(class_of(table, tables))
    names = sorted(classes)
    lines.extend(["", "", "__all__ = [", *(f'    "{name}",' for name in names), "]"])
    return "\n".join(lines) + "\n"


def depth(path: str) -> int:
    """Return how deep a table lies; the tables of channels are the deepest."""
    last = path.rsplit(".", maxsplit=1)[-1]
    return 9 if last in CHANNEL_TABLES else path.count(".") + bool(path)


if __name__ == "__main__":
    FILE.write_text(generated(), encoding="utf-8")
