"""Writes scenarios as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from onramp._plain import plain


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_tables(value: Any) -> bool:  # noqa: ANN401
    return _is_list(value) and len(value) > 0 and all(isinstance(one, Mapping) for one in value)


def written(key: str, value: object) -> str:
    """Write a value that is no table."""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's. DEL is the one character that only TOML refuses.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, Sequence):
        return "[" + ", ".join(written(key, one) for one in value) + "]"
    raise TypeError(f"`{key}` is a {type(value).__name__}, which no scenario has")


def dumps(document: Mapping[str, Any]) -> str:
    """Write a mapping of values, mappings and lists as TOML.

    Examples
    --------
    >>> print(dumps({"name": "x", "path": {"rate": "1 Mbit/s"}, "transfer": [{"size": "1 kB"}]}))
    name = "x"
    <BLANKLINE>
    [path]
    rate = "1 Mbit/s"
    <BLANKLINE>
    [[transfer]]
    size = "1 kB"
    <BLANKLINE>
    """
    lines: list[str] = []
    _write(lines, "", document)
    return "\n".join(lines) + "\n"


def _write(lines: list[str], path: str, table: Mapping[str, Any]) -> None:
    inner: list[tuple[str, str, Mapping[str, Any]]] = []
    for key, value in table.items():
        full = f"{path}.{key}" if path else key
        if isinstance(value, Mapping):
            inner.append((full, f"[{full}]", value))
        elif _is_tables(value):
            inner.extend((full, f"[[{full}]]", one) for one in value)
        else:
            lines.append(f"{key} = {written(full, value)}")
    for full, header, value in inner:
        lines.extend(["", header])
        _write(lines, full, value)
