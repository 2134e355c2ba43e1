"""The program `onramp-sweep`, which `onramp sweep` starts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pyarrow.parquet as pq

import onramp
from onramp._errors import OnrampError

if TYPE_CHECKING:
    from distributed import Client

# The exit codes of the command line.
DONE = 0
BAD_INPUT = 2
HOST_LACKS = 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        answer = _run(options)
    except ImportError as error:
        return _failed(f"{error}: `pip install 'onramp-tcp[cluster]'`", HOST_LACKS, options.json)
    except (OnrampError, OSError, ValueError) as error:
        return _failed(str(error), BAD_INPUT, options.json)
    except KeyboardInterrupt:
        again = "the same command with --resume goes on with the batches that are missing"
        return _failed(f"interrupted: {again}", INTERRUPTED, options.json)
    if options.json:
        print(json.dumps(answer, indent=2))
    else:
        rows, files = answer["transfers"], answer["files"]
        print(f"{answer['name']}: {rows} transfers in {files} files of {answer['folder']}")
    return DONE


class _Parser(argparse.ArgumentParser):
    """Reports mistakes as JSON too, as the rest of the command line does."""

    def error(self, message: str) -> NoReturn:
        """End the program with a mistake in its arguments."""
        is_json = "--json" in sys.argv
        if not is_json:
            self.print_usage(sys.stderr)
        sys.exit(_failed(message, BAD_INPUT, is_json))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="onramp sweep",
        description="Run a scenario over many values of its keys, into a folder of Parquet files "
        "with a row for each transfer (docs/python.md, Sweeps).",
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a scenario file with a table [sweep]")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the results")
    add("--resume", action="store_true", help="go on with a sweep that was interrupted")
    add("--samples", type=int, metavar="N", help="draw N values, in place of the file's `samples`")
    add("--seed", type=int, metavar="N", help="the seed, in place of the file's")
    add("--batch", type=int, metavar="N", help="cells of one file, in place of the file's `batch`")
    add("--threads", type=int, metavar="N", help="cells at a time; default: one a processor")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, metavar="N", help="run N processes of Dask here")
    where.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on a cluster of Dask, such as tcp://host:8786"
    )
    add("--quiet", action="store_true", help="show no progress")
    add("--json", action="store_true", help="print JSON instead of text, errors as well")
    return parser


def _run(options: argparse.Namespace) -> dict[str, object]:
    study = onramp.read_sweep(options.file)
    given = {key: getattr(options, key) for key in ("samples", "seed", "batch")}
    arguments = study.options | {key: value for key, value in given.items() if value is not None}
    with _cluster(options) as client:
        folder = onramp.sweep(
            study.base,
            study.axes,
            options.out,
            resume=options.resume,
            threads=options.threads,
            client=client,
            progress=False if options.quiet or options.json else None,
            **arguments,
        )
    parts = sorted(folder.glob("*.parquet"))
    rows = sum(pq.read_metadata(part).num_rows for part in parts)
    name = study.base.get("name")
    return {"name": name, "folder": str(folder), "files": len(parts), "transfers": rows}


@contextmanager
def _cluster(options: argparse.Namespace) -> Iterator[Client | None]:
    """Provide the client of the cluster that was asked for."""
    if options.scheduler is None and options.workers is None:
        yield None
        return
    if options.threads is not None:
        raise OnrampError("--threads is of a sweep without a cluster: there, workers have threads")
    import distributed

    if options.scheduler is not None:
        with distributed.Client(options.scheduler, timeout="10s") as client:
            yield client
        return
    if options.workers < 1:
        raise OnrampError(f"--workers is {options.workers}: expected 1 or more")
    cluster = distributed.LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=None, processes=True
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def _failed(message: str, code: int, is_json: bool) -> int:
    if is_json:
        print(json.dumps({"error": message, "exit_code": code}), file=sys.stderr)
    else:
        print(f"onramp: {message}", file=sys.stderr)
    return code
