"""Sweep files: a scenario file with a table `[sweep]`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from onramp import axes, scenario
from onramp._errors import OnrampError
from onramp._quantities import TableOfKeys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from onramp._sweep import Axis

#: The keys of `[sweep]`: the parameters of :func:`onramp.sweep` that belong to the study, and not
#: to the machine that runs it.
_KEYS: dict[str, type] = {"axes": dict, "samples": int, "sampling": str, "seed": int, "batch": int}

#: How an axis gets its values, and the shape that a file gives them in.
_MAKERS: dict[str, Callable[..., Axis]] = {
    "linear": axes.linear,
    "log": axes.log,
    "uniform": axes.uniform,
    "log_uniform": axes.log_uniform,
    "choice": axes.choice,
}
_GRIDS = {"linear", "log"}
_OPTIONS = {"count", "unit"}

#: Keys that name a file.
_FILES = {
    key
    for table in vars(scenario).values()
    if isinstance(table, type) and issubclass(table, TableOfKeys)
    for key, kind in table.KINDS.items()
    if kind == "file"
}

Document: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class SweepFile:
    """What a sweep file says.

    Attributes
    ----------
    base : dict
        The scenario.
    axes : dict
        The axes, by the names of their keys.
    options : dict
        Other arguments of :func:`onramp.sweep`.
    """

    base: Document
    axes: dict[str, Axis]
    options: Document


def read_sweep(path: str | PathLike[str]) -> SweepFile:
    """Read a sweep file.

    It is a scenario file with a table ``[sweep]``. Its keys are ``samples``, ``sampling``, ``seed``
    and ``batch`` of :func:`onramp.sweep`, and a table ``[sweep.axes]``. An axis is a list of
    values, or a table with one of the functions of :mod:`onramp.axes`:
    ``{ log_uniform = [1, 1000], unit = "Mbit/s" }`` or ``{ linear = [0, 2], count = 5 }``.

    Raises
    ------
    OnrampError
        The file cannot be read, is no TOML, or its table ``[sweep]`` has a mistake.

    Examples
    --------
    >>> import onramp, tempfile
    >>> from pathlib import Path
    >>> text = '''
    ... name = "study"
    ... [path]
    ... rtt = "20 ms"
    ... [[transfer]]
    ... size = "30 kB"
    ... [sweep]
    ... samples = 3
    ... [sweep.axes]
    ... path.rate = { log_uniform = [1, 1000], unit = "Mbit/s" }
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "study.toml")
    ...     _ = file.write_text(text)
    ...     study = onramp.read_sweep(file)
    >>> study.axes["path.rate"].low, study.options
    (1, {'samples': 3})
    """
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OnrampError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise OnrampError(f"{path} is no TOML file: {error}") from error
    if "sweep" not in document:
        raise OnrampError(
            f"{path} has no table `[sweep]`: expected `[sweep.axes]` with a list of values, or a "
            "range, for each key of the scenario that is to vary"
        )
    try:
        options = _table("sweep", document.pop("sweep"))
        for key, value in options.items():
            _check(f"sweep.{key}", value, _KEYS)
        given = _table("sweep.axes", options.pop("axes", {}))
        over = {key: _axis(key, value) for key, value in _flat("", given)}
    except _MistakeError as mistake:
        raise OnrampError(f"{path}: {mistake}") from mistake
    if not over:
        raise OnrampError(f"{path}: `[sweep.axes]` has no axis: expected at least one")
    folder = Path(path).absolute().parent
    return SweepFile(_found(folder, document), _found(folder, over), options)


def _found(folder: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table whose files are named from the root on, so that any directory will do."""

    def of(key: str, value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, dict):
            return _found(folder, value)
        if isinstance(value, list):
            return [of(key, one) for one in value]
        is_file = key.rpartition(".")[2] in _FILES and isinstance(value, str)
        return str(folder / value) if is_file else value

    return {key: of(key, value) for key, value in table.items()}


class _MistakeError(Exception):
    """What is wrong with a table, without the name of the file."""


def _table(name: str, value: object) -> Document:
    if not isinstance(value, dict):
        raise _MistakeError(f"`{name}` is {value!r}: expected a table `[{name}]`")
    return value


def _check(name: str, value: object, keys: Mapping[str, type]) -> None:
    """Check the name of a key and the type of its value."""
    table, _, key = name.rpartition(".")
    if key not in keys:
        raise _MistakeError(f"`{table}` has no key `{key}`: expected one of {', '.join(keys)}")
    if not isinstance(value, keys[key]) or isinstance(value, bool):
        kind = {dict: "a table", int: "a whole number", str: "a text", list: "a list"}[keys[key]]
        raise _MistakeError(f"`{name}` is {value!r}: expected {kind}")


def _flat(prefix: str, table: Document) -> Iterator[tuple[str, Any]]:
    """Return each axis with its whole name, whether the file quotes the name or not."""
    for key, value in table.items():
        if isinstance(value, dict) and not (value.keys() & (_MAKERS.keys() | _OPTIONS)):
            yield from _flat(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value


def _axis(key: str, value: object) -> Axis:
    """Return the axis that a file describes."""
    name = f"sweep.axes.{key}"
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise _MistakeError(f"`{name}` is {value!r}: expected a list of values, or a range")
    makers = [maker for maker in _MAKERS if maker in value]
    if len(makers) != 1:
        raise _MistakeError(
            f"`{name}` has {' and '.join(makers) or 'no range'}: expected one of "
            f"{', '.join(_MAKERS)}"
        )
    maker = makers[0]
    allowed: dict[str, type] = {maker: list}
    if maker in _GRIDS:
        allowed["count"] = int
    if maker != "choice":
        allowed["unit"] = str
    for option, of_option in value.items():
        _check(f"{name}.{option}", of_option, allowed)
    arguments = {option: of_option for option, of_option in value.items() if option != maker}
    limits = value[maker]
    if maker == "choice":
        return _made(name, maker, limits)
    if len(limits) != 2 or not all(_is_number(limit) for limit in limits):
        raise _MistakeError(
            f"`{name}.{maker}` is {limits!r}: expected two numbers, [low, high]; `unit` names "
            "their unit"
        )
    if maker in _GRIDS and "count" not in value:
        raise _MistakeError(f"`{name}` has no `count`: expected the number of values")
    return _made(name, maker, *limits, **arguments)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _made(name: str, maker: str, *arguments: Any, **options: Any) -> Axis:  # noqa: ANN401
    try:
        return _MAKERS[maker](*arguments, **options)
    except ValueError as error:
        raise _MistakeError(f"`{name}.{maker}`: {error}") from error
