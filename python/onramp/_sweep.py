"""Sweeps: one scenario over many values of its keys, into a folder of Parquet files.

A *batch* is a number of consecutive cells. It becomes one file, which is renamed when it is
complete: a sweep that was killed goes on with the batches that have no file.

The folder has no other files, because Polars takes each file of a folder for results. The metadata
of the files says which sweep they are of.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from onramp import _onramp, scenario
from onramp._errors import OnrampError, OnrampWarning
from onramp._plain import ArrayLike, plain
from onramp._plan import Plan
from onramp._progress import Report, reporting
from onramp.axes import Drawn, Grid, Value

if TYPE_CHECKING:
    from distributed import Client

Axis: TypeAlias = Grid | Drawn | Sequence[Value] | ArrayLike

#: The metadata of the first file: the description of the sweep.
_DESCRIPTION = b"onramp.sweep"
#: The metadata of each file: the SHA-256 of the description, which can be long.
_DIGEST = b"onramp.sweep.sha256"
#: The file in which a folder of earlier versions has the description.
_OLD_MANIFEST = "_sweep.json"


def _source(plan: Plan, cell: int, values: dict[str, Value]) -> tuple[str, str | None]:
    """Return the name and the text of a cell's scenario."""
    return f"<cell {cell}>", plan.text(cell, values)


def _run_batch(plan: Plan, number: int, threads: int | None, progress: Report | None) -> pa.Table:
    """Simulate the cells of a batch."""
    cells = plan.of_batch(number)
    values = [plan.values(cell) for cell in cells]
    sources = [_source(plan, cell, of_cell) for cell, of_cell in zip(cells, values, strict=True)]
    records, _, _ = _onramp.simulate(
        sources, repeat=None, seeds=[], threads=threads, traces=False, progress=progress
    )
    table = pa.table(records)
    names = pa.array([f"cell-{cell}" for cell in cells])
    place = pc.index_in(table["scenario"], value_set=names).combine_chunks()
    columns = {"cell": pc.add(place.cast(pa.int64()), cells.start)}
    for key in plan.kinds:
        of_cells = [of_cell[key] for of_cell in values]
        kind = _type(plan.examples(key))
        if kind == pa.string():
            of_cells = [str(value) for value in of_cells]
        columns[key] = pa.array(of_cells, kind).take(place)
    base = pa.array([str(plan.base["name"])] * table.num_rows, pa.string())
    table = table.set_column(0, "scenario", base)
    for name, column in reversed(columns.items()):
        table = table.add_column(0, name, column)
    return table


def _type(values: Sequence[Value]) -> pa.DataType:
    """Return the type of an axis's column, the same in all files: texts, unless it has none."""
    types = {type(value) for value in values}
    for known, of_column in (
        ({bool}, pa.bool_()),
        ({int}, pa.int64()),
        ({int, float}, pa.float64()),
    ):
        if types <= known:
            return of_column
    return pa.string()


def _write_batch(
    plan: Plan, number: int, part: Path, threads: int | None, progress: Report | None = None
) -> int:
    """Simulate the cells of a batch, and write their file. Returns the number of cells."""
    _save(plan, number, _run_batch(plan, number, threads, progress), part)
    return len(plan.of_batch(number))


def _save(plan: Plan, number: int, table: pa.Table, part: Path) -> None:
    """Write the file of a batch."""
    metadata = {_DIGEST: plan.digest}
    if number == 0:
        metadata[_DESCRIPTION] = plan.manifest
    # Two workers may have the same batch for a while, if one was thought dead.
    unfinished = part.with_name(f".{part.name}.{uuid4().hex}")
    table = table.replace_schema_metadata(metadata)
    pq.write_table(table, unfinished, compression="zstd", use_dictionary=True)
    unfinished.replace(part)


def _write_on(
    client: Client, plan: Plan, parts: Iterator[tuple[int, Path]], report: Report | None
) -> None:
    """Simulate batches on the workers of a Dask cluster, one on each thread of them."""
    from distributed import as_completed

    threads = sum(client.nthreads().values())
    done, under_way = 0, as_completed()
    futures: set[Any] = set()

    def submit() -> None:
        for number, part in islice(parts, max(2 * threads, 1) - len(futures)):
            # Dask repeats what a worker that was killed had to do. The arguments are the whole
            # input, so that there is nothing to be lost with a worker.
            future = client.submit(_write_batch, plan, number, part, 1, pure=False, retries=2)
            futures.add(future)
            under_way.add(future)

    try:
        submit()
        for future in under_way:
            futures.remove(future)
            done += future.result()
            if report is not None:
                report(done, plan.cells)
            submit()
    finally:
        client.cancel(list(futures))


def _parts(plan: Plan, out: Path) -> Iterator[tuple[int, Path]]:
    """Return each batch with the path of its file."""
    digits = max(5, len(str(plan.batches - 1)))
    for number in range(plan.batches):
        yield number, out / f"part-{number:0{digits}}.parquet"


def _tidy(out: Path) -> None:
    """Remove what killed processes have left of files."""
    for unfinished in out.glob(".part-*"):
        unfinished.unlink(missing_ok=True)


def _metadata(part: Path) -> dict[bytes, bytes]:
    """Return the metadata of a file, or refuse one that a full disk or a copy has cut off."""
    try:
        return pq.read_metadata(part).metadata or {}
    except (pa.ArrowInvalid, OSError) as error:
        raise OnrampError(
            f"{part} is no whole Parquet file ({error}): remove it, and resume the sweep"
        ) from error


def _begin(plan: Plan, out: Path, resume: bool) -> None:
    """Make the folder, or check that it is of the same sweep."""
    old = out / _OLD_MANIFEST
    parts = sorted(out.glob("part-*.parquet"))
    if not (parts or old.exists()):
        # A mistake in all cells is better found before there is a folder.
        _onramp.check([_source(plan, cell, plan.values(cell)) for cell in plan.of_batch(0)])
        out.mkdir(parents=True, exist_ok=True)
        return
    if not resume:
        raise OnrampError(f"{out} has a sweep: resume it, or give another folder")
    digests = {_metadata(part).get(_DIGEST) for part in parts}
    if old.exists():
        is_same = old.read_text(encoding="utf-8") == plan.manifest
    else:
        is_same = digests == {plan.digest.encode()}
    if not is_same:
        raise OnrampError(
            f"{out} has a sweep of another scenario, other axes or another version: give "
            "another folder"
        )
    if old.exists():
        for number, part in _parts(plan, out):
            if part.exists():
                _save(plan, number, pq.read_table(part, partitioning=None), part)
        old.unlink()


def _grid(key: str, values: Sequence[Value] | ArrayLike) -> Grid:
    """Return the axis that a list of values is."""
    listed = plain(values)
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise ValueError(
            f"the axis `{key}` is {values!r}: expected a list of values, or what `onramp.axes` "
            "makes"
        )
    grid = Grid(tuple(plain(value) for value in listed))
    for value in grid.values:
        if not isinstance(value, str | int | float):
            raise ValueError(f"the axis `{key}` has the value {value!r}: expected texts or numbers")
    return grid


def sweep(
    base: scenario.Scenario | Mapping[str, Any],
    axes: Mapping[str, Axis],
    out: str | PathLike[str],
    *,
    samples: int | None = None,
    sampling: Literal["random", "latin-hypercube"] = "random",
    seed: int = 1,
    batch: int = 1000,
    resume: bool = False,
    threads: int | None = None,
    client: Client | None = None,
    progress: bool | Report | None = None,
) -> Path:
    """Simulate a scenario over many values of its keys, into a folder of Parquet files.

    The files have a row for each transfer: the number of the ``cell``, a column for each axis, and
    the columns of :class:`Results`. ``pandas.read_parquet(out)`` and all other readers of Parquet
    read the folder. The rows do not depend on ``threads``, nor on whether the sweep was resumed.

    Parameters
    ----------
    base : Scenario or mapping
        The scenario. Its lists and repeats make several transfers in each cell, which share the
        random events of the cell.
    axes : mapping
        The values of keys such as ``"path.rate"`` or ``"transfer.size"``: lists, arrays of numpy,
        series of pandas, or what :mod:`onramp.axes` makes. If the scenario has several links,
        transfers, sources of traffic or changes, a key says which: ``"link.0.rate"``, by its nodes
        ``"link.a-b.rate"``, or ``"link.*.rate"`` for all.
    out : path
        The folder.
    samples : int, optional
        How often values are drawn, with axes that are drawn. All cells of the grids run with each
        sample.
    sampling : {"random", "latin-hypercube"}, default "random"
        Draw independently, or once from each of ``samples`` equal parts of each axis.
    seed : int, default 1
        The seed of the sweep, from which samples and the seeds of cells follow.
    batch : int, default 1000
        Cells of a file. A kill loses at most one batch.
    resume : bool, default False
        Go on with a sweep that was interrupted.
    threads : int, optional
        Run this many cells at a time. Default: one for each processor.
    client : distributed.Client, optional
        Run batches on the workers of this Dask cluster, one on each of their threads. All of them
        need this package and the folder. A worker that is killed is replaced by the others.
    progress : bool or callable, optional
        As for :func:`onramp.simulate`.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    OnrampError
        The folder has another sweep, or an axis is no key.
    ScenarioError
        A cell is no scenario.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import onramp
    >>> from onramp import axes
    >>> base = onramp.Scenario(
    ...     name="study",
    ...     path=onramp.Path(rate="1 Mbit/s", rtt="1 s"),
    ...     transfer=[onramp.Transfer(size="30 kB", startup=["none", "onramp"])],
    ... )
    >>> over = {"path.rate": axes.log_uniform(1e6, 1e8), "path.rtt": [0.02, 0.2]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame = pd.read_parquet(onramp.sweep(base, over, folder, samples=3))
    >>> frame.shape[0], frame["cell"].nunique(), frame["path.rate"].nunique()
    (12, 6, 3)
    """
    document = base.to_dict() if isinstance(base, scenario.Scenario) else plain(base)
    grids = {key: axis for key, axis in axes.items() if isinstance(axis, Grid)}
    drawn = {key: axis for key, axis in axes.items() if isinstance(axis, Drawn)}
    for key, axis in axes.items():
        if not isinstance(axis, Grid | Drawn):
            grids[key] = _grid(key, axis)
    if bool(drawn) != (samples is not None):
        raise ValueError("give `samples` if an axis is drawn, and only then")
    count = 1 if samples is None else operator.index(samples)
    seed, batch = operator.index(seed), operator.index(batch)
    if any(not grid.values for grid in grids.values()) or batch < 1 or count < 1:
        raise ValueError("give at least one value of each axis, one sample, and a batch of 1")
    plan = Plan(document, grids, drawn, count, sampling, seed, batch)
    folder = Path(out).absolute()
    _begin(plan, folder, resume)
    with reporting(progress, "cells") as report:
        parts = ((number, part) for number, part in _parts(plan, folder) if not part.exists())
        if client is not None:
            _write_on(client, plan, parts, report)
        else:
            for number, part in parts:
                _write_batch(plan, number, part, threads, _shifted(report, plan, number))
    _tidy(folder)
    return folder


def cell(folder: str | PathLike[str], number: int) -> str:
    """Return the scenario of a cell of a sweep, as the text of a file.

    :func:`simulate` takes it, with traces as well, and has the results that the folder has. The
    scenario is named after the cell, so that several of them can run together. A file that it
    names, such as a recorded link, is looked for where the sweep looked for it.

    Parameters
    ----------
    folder : path
        The folder of the sweep.
    number : int
        The number of the cell, as the column ``cell`` has it.

    Raises
    ------
    OnrampError
        The folder has no sweep, or the sweep no such cell.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import onramp
    >>> base = onramp.Scenario(
    ...     name="study",
    ...     path=onramp.Path(rate="1 Mbit/s", rtt="50 ms"),
    ...     transfer=[onramp.Transfer(size="30 kB")],
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame = pd.read_parquet(onramp.sweep(base, {"path.rtt": [0.02, 0.2]}, folder))
    ...     again = onramp.simulate(onramp.cell(folder, 1), traces=True)
    >>> again.to_pandas()["completion_s"].tolist() == frame["completion_s"].tolist()[1:]
    True
    """
    plan, version = Plan.read(_manifest_of(Path(folder)))
    index = operator.index(number)
    if not 0 <= index < plan.cells:
        raise OnrampError(
            f"{folder} has no cell {number}: expected a number from 0 to {plan.cells - 1}"
        )
    if version != _onramp.version():
        warnings.warn(
            f"{folder} is of version {version}: this one, {_onramp.version()}, may have other "
            "results",
            OnrampWarning,
            stacklevel=2,
        )
    return plan.text(index, plan.values(index))


def _manifest_of(folder: Path) -> str:
    """Return the description of the sweep that a folder has."""
    old = folder / _OLD_MANIFEST
    if old.exists():
        return old.read_text(encoding="utf-8")
    parts = sorted(folder.glob("part-*.parquet"))
    if not parts:
        raise OnrampError(f"{folder} has no sweep: expected files part-00000.parquet and so on")
    metadata = _metadata(parts[0])
    if _DESCRIPTION not in metadata:
        raise OnrampError(
            f"{folder} has no description of its sweep, which is in part-00000.parquet: resume "
            "the sweep"
        )
    return metadata[_DESCRIPTION].decode()


def _shifted(report: Report | None, plan: Plan, number: int) -> Report | None:
    """Return the progress of the whole sweep, from that of a batch."""
    if report is None:
        return None

    def of_batch(done: int, total: int) -> None:
        cells = plan.of_batch(number)
        report(cells.start + len(cells) * done // max(total, 1), plan.cells)

    return of_batch
