from collections.abc import Callable
from os import PathLike
from typing import final

_Source = tuple[str | PathLike[str], str | None]
_Report = Callable[[int, int], None] | None

@final
class Table:
    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def simulate(
    sources: list[_Source] | list[tuple[str, str | None]],
    *,
    repeat: int | None,
    seeds: list[int],
    threads: int | None,
    traces: bool,
    progress: _Report,
) -> tuple[Table, tuple[Table, Table, Table, Table, Table] | None, list[str]]: ...
def check(sources: list[_Source] | list[tuple[str, str | None]]) -> int: ...
def scenario_keys() -> str: ...
def read_results(path: str | PathLike[str]) -> Table: ...
def chaher(
    *,
    rate: str,
    rtt: str,
    queue: str,
    background: str | None,
    packet: str,
    gamma: float | None,
    spacing: str | None,
) -> str: ...
def paper_names() -> list[str]: ...
def paper_rows(
    names: list[str],
    *,
    quick: bool,
    seeds: int,
    threads: int | None,
    progress: _Report,
) -> Table: ...
def startups() -> list[str]: ...
def version() -> str: ...
