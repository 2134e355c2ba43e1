"""Sweeps: the same files, however they came about."""

import collections
import hashlib
import os
import signal

import distributed
import numpy as np
import pandas as pd
import polars
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import onramp
from onramp import axes

BASE = onramp.Scenario(
    name="study",
    path=onramp.Path(rate="10 Mbit/s", rtt="50 ms"),
    transfer=[onramp.Transfer(size="10 kB", startup=["none", "onramp"])],
)
#: Two links one after the other, two transfers, and a change of the second link.
NETWORK = onramp.Scenario(
    name="network",
    node=[onramp.Node(name=name) for name in ("a", "b", "c")],
    link=[
        onramp.Link(from_="a", to="b", rate="20 Mbit/s", delay="10 ms"),
        onramp.Link(
            from_="b",
            to="c",
            rate="10 Mbit/s",
            delay="10 ms",
            change=[onramp.LinkChange(at="50 ms", rate="5 Mbit/s")],
        ),
    ],
    transfer=[
        onramp.Transfer(from_="a", to="c", size="10 kB", startup="none"),
        onramp.Transfer(from_="a", to="c", size="20 kB", startup="onramp"),
    ],
)
OVER = {
    "path.rate": axes.log_uniform(1e6, 1e9),
    "path.loss": axes.uniform(0, 1, unit="%"),
    "path.rtt": [0.01, 0.1],
    "transfer.size": axes.linear(5_000, 10_000, 2),
}


def digests(folder):
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("*.parquet"))
    }


def test_every_cell_has_its_values(tmp_path):
    frame = pd.read_parquet(onramp.sweep(BASE, OVER, tmp_path / "out", samples=5, batch=7))
    assert sorted(frame["cell"].unique()) == list(range(20))
    assert (frame["scenario"] == "study").all()
    assert (frame["rate_bits_per_s"] == frame["path.rate"].round()).all()
    assert np.allclose(frame["rtt_ms"], frame["path.rtt"] * 1e3)
    assert np.allclose(frame["loss_percent"], frame["path.loss"])
    assert (frame["size_bytes"] == frame["transfer.size"]).all()
    # All cells of a sample have its random values, and every cell has its own seed.
    assert frame.groupby(frame["cell"] // 4)["path.rate"].nunique().tolist() == [1] * 5
    assert frame["seed"].nunique() == 20
    assert frame.groupby("cell")["seed"].nunique().max() == 1
    assert frame.groupby("cell")["startup"].agg(list).tolist() == [["none", "onramp"]] * 20


def test_a_sweep_that_was_interrupted_goes_on(tmp_path):
    whole = onramp.sweep(BASE, OVER, tmp_path / "whole", samples=5, batch=6, threads=1)
    calls = collections.Counter()

    def interrupt(done, total):
        assert total == 20
        if done > 12:
            calls["interrupted"] += 1
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        onramp.sweep(BASE, OVER, out, samples=5, batch=6, progress=interrupt)
    assert calls["interrupted"] == 1
    assert list(digests(out)) == ["part-00000.parquet", "part-00001.parquet"]
    (out / ".part-00002.parquet.0").write_bytes(b"a write that was killed")
    first = (out / "part-00000.parquet").stat().st_mtime_ns
    onramp.sweep(BASE, OVER, out, samples=5, batch=6, resume=True, threads=3)
    assert (out / "part-00000.parquet").stat().st_mtime_ns == first
    assert digests(out) == digests(whole)
    assert not list(out.glob(".part-*"))
    assert len(pd.read_parquet(out)) == 40


# Dask warns of ports and sockets of its own.
@pytest.mark.filterwarnings("default")
def test_a_cluster_that_loses_a_worker_writes_the_same_files(tmp_path):
    whole = onramp.sweep(BASE, OVER, tmp_path / "whole", samples=15, batch=2)
    killed = []
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=None, processes=True
    )
    with cluster, distributed.Client(cluster) as client:

        def kill_one(done, total):
            assert total == 60
            if not killed:
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[0], signal.SIGKILL)

        out = tmp_path / "out"
        onramp.sweep(BASE, OVER, out, samples=15, batch=2, client=client, progress=kill_one)
        assert len(killed) == 3
    assert digests(out) == digests(whole)
    assert not list(out.glob(".part-*"))


def test_a_folder_is_of_one_sweep(tmp_path):
    out = tmp_path / "out"
    onramp.sweep(BASE, OVER, out, samples=1)
    with pytest.raises(onramp.OnrampError, match="has a sweep: resume it, or give another folder"):
        onramp.sweep(BASE, OVER, out, samples=1)
    for other in ({"samples": 2}, {"samples": 1, "seed": 2}, {"samples": 1, "batch": 9}):
        with pytest.raises(onramp.OnrampError, match="has a sweep of another scenario"):
            onramp.sweep(BASE, OVER, out, resume=True, **other)


def test_a_cell_depends_on_its_values_and_the_seed_alone(tmp_path):
    def seeds(values, name, **options):
        frame = pd.read_parquet(
            onramp.sweep(BASE, {"path.rtt": values}, tmp_path / name, **options)
        )
        return dict(zip(frame["path.rtt"], frame["seed"], strict=True))

    one, two = seeds([0.01, 0.1, 0.2], "one"), seeds([0.2, 0.01], "two", batch=1)
    assert two == {rtt: one[rtt] for rtt in two}
    assert not set(seeds([0.01], "three", seed=2).values()) & set(one.values())


def cells_of(over, folder, base=NETWORK):
    frame = pd.read_parquet(onramp.sweep(base, over, folder))
    return frame.set_index(["cell", "startup"])


def test_an_axis_names_one_of_several_tables(tmp_path):
    """By its number, by its nodes, or all of them by `*`."""
    alone = onramp.run(NETWORK).set_index("startup")
    frame = cells_of(
        {"link.1.rate": [1e6, 10e6], "link.a-b.reverse.delay": [0.01, 0.1]}, tmp_path / "links"
    )
    # The second link is the bottleneck, and the way of the ACKs has its own delay.
    assert frame["rate_bits_per_s"].xs("none", level="startup").tolist() == [1e6, 1e6, 10e6, 10e6]
    assert frame["rtt_ms"].xs("none", level="startup").tolist() == [40, 130, 40, 130]
    assert (frame.loc[2, "completion_s"] == alone["completion_s"]).all()

    frame = cells_of({"transfer.0.size": [5e3, 7e3]}, tmp_path / "one")
    assert frame["size_bytes"].xs("none", level="startup").tolist() == [5_000, 7_000]
    assert frame["size_bytes"].xs("onramp", level="startup").tolist() == [20_000] * 2

    frame = cells_of({"transfer.*.size": [5e3, 7e3]}, tmp_path / "all")
    assert frame["size_bytes"].tolist() == [5_000, 5_000, 7_000, 7_000]

    frame = cells_of({"link.b-c.change.rate": [1e5, 5e6]}, tmp_path / "change")
    assert frame.loc[(0, "none"), "completion_s"] > frame.loc[(1, "none"), "completion_s"]
    assert (frame.loc[1, "completion_s"] == alone["completion_s"]).all()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "link.rate",
            "an axis is named `link.rate`, and the scenario has 2 `[[link]]`: expected "
            "`link.0.rate` to `link.1.rate`, `link.a-b.rate` or another pair of nodes, or "
            "`link.*.rate` for all",
        ),
        ("link.2.rate", "has 2 `[[link]]`: expected `link.0.rate` to `link.1.rate`, "),
        ("link.c-b.reverse.delay", "expected `link.0.reverse.delay` to `link.1.reverse.delay`, "),
        ("transfer.size", "has 2 `[[transfer]]`: expected `transfer.0.size` to `transfer.1.size`"),
        ("transfer.first.size", "expected `transfer.0.size` to `transfer.1.size`, or"),
        ("traffic.0.rate", "an axis is named `traffic.0.rate`, and the scenario has 0 `[[traffic"),
        ("link.0.change.at", "and the scenario has 0 `[[link.0.change]]`"),
        (
            "link.1.change.1.at",
            "has 1 `[[link.1.change]]`: expected `link.1.change.at` or `link.1.change.0.at`",
        ),
        ("link.1.speed", "an axis is named `link.1.speed`, which is no key of a scenario"),
        ("run.0.duration", "an axis is named `run.0.duration`, which is no key of a scenario"),
        ("link", "an axis is named `link`, which is no key of a scenario"),
        ("name", "an axis is named `name`, but the number of the cell sets `name` already"),
    ],
)
def test_an_axis_that_names_no_single_table_is_refused(tmp_path, key, message):
    with pytest.raises(onramp.OnrampError) as caught:
        onramp.sweep(NETWORK, {key: [1]}, tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_two_axes_do_not_set_the_same_key(tmp_path):
    over = {"link.0.rate": [1e6], "link.a-b.rate": [2e6]}
    with pytest.raises(onramp.OnrampError, match="`link.a-b.rate`, but `link.0.rate` sets `link.0"):
        onramp.sweep(NETWORK, over, tmp_path / "out")


@pytest.mark.parametrize("sampling", ["random", "latin-hypercube"])
def test_a_cell_gives_its_rows_again(tmp_path, sampling):
    out = onramp.sweep(BASE, OVER, tmp_path / "out", samples=5, batch=7, sampling=sampling)
    frame = pd.read_parquet(out)
    scenarios = [onramp.cell(out, number) for number in range(20)]
    again = onramp.simulate(scenarios, traces=True)
    assert again.senders.to_pandas()["record"].nunique() == len(frame) == 40
    rows = again.to_pandas()
    assert rows["scenario"].tolist() == [f"cell-{cell}" for cell in frame["cell"]]
    columns = [column for column in rows if column != "scenario"]
    pd.testing.assert_frame_equal(rows[columns], frame[columns], check_dtype=False)


def test_a_folder_has_the_cells_of_its_sweep_alone(tmp_path):
    out = onramp.sweep(BASE, {"path.rtt": [0.01, 0.1]}, tmp_path / "out")
    assert 'rtt = "100000000 ns"' in onramp.cell(out, np.int64(1))
    for number in (-1, 2):
        with pytest.raises(onramp.OnrampError, match=f"no cell {number}: expected a number from 0"):
            onramp.cell(out, number)
    with pytest.raises(onramp.OnrampError, match="nowhere has no sweep"):
        onramp.cell(tmp_path / "nowhere", 0)


def test_every_reader_of_parquet_reads_the_folder(tmp_path):
    """Polars takes each file of a folder for results, whatever its name."""
    over = {"path.rtt": ["10 ms", 0.1, 1], "path.loss": axes.linear(0, 1, 2, unit="%")}
    out = onramp.sweep(BASE, over, tmp_path / "out", batch=1)
    assert all(file.name.startswith("part-") for file in out.iterdir())
    frames = [
        pd.read_parquet(out),
        ds.dataset(out).to_table().to_pandas(),
        polars.read_parquet(out).to_pandas(),
        polars.scan_parquet(out).collect().to_pandas(),
        polars.read_parquet(f"{out}/*.parquet").to_pandas(),
    ]
    for frame in frames:
        assert frame["cell"].tolist() == np.repeat(range(6), 2).tolist()
        # An axis with a text has texts in all files.
        assert frame["path.rtt"].unique().tolist() == ["10 ms", "0.1", "1"]
        assert frame["path.loss"].unique().tolist() == [0, 1]


def test_a_folder_of_an_earlier_version_goes_on(tmp_path):
    """Its description was a file, and the files had no metadata."""
    whole = onramp.sweep(BASE, OVER, tmp_path / "whole", samples=5, batch=7)
    out = tmp_path / "out"
    out.mkdir()
    for part in sorted(whole.iterdir())[:2]:
        table = pq.read_table(part)
        description = table.schema.metadata.get(b"onramp.sweep", b"")
        if description:
            (out / "_sweep.json").write_bytes(description)
        pq.write_table(table.replace_schema_metadata(None), out / part.name, compression="zstd")
    assert digests(out).items().isdisjoint(digests(whole).items())
    assert onramp.cell(out, 19) == onramp.cell(whole, 19)
    with pytest.raises(onramp.OnrampError, match="has a sweep: resume it"):
        onramp.sweep(BASE, OVER, out, samples=5, batch=7)
    with pytest.raises(onramp.OnrampError, match="has a sweep of another scenario"):
        onramp.sweep(BASE, OVER, out, samples=6, batch=7, resume=True)
    onramp.sweep(BASE, OVER, out, samples=5, batch=7, resume=True)
    assert digests(out) == digests(whole)
    assert not (out / "_sweep.json").exists()


def test_files_of_another_sweep_are_no_part_of_this_one(tmp_path):
    over = {"path.rtt": [0.01, 0.1]}
    out = onramp.sweep(BASE, over, tmp_path / "out", batch=1)
    other = onramp.sweep(BASE, over, tmp_path / "other", batch=1, seed=2)
    (other / "part-00001.parquet").replace(out / "part-00001.parquet")
    with pytest.raises(onramp.OnrampError, match="has a sweep of another scenario"):
        onramp.sweep(BASE, over, out, batch=1, resume=True)
    (out / "part-00000.parquet").unlink()
    with pytest.raises(onramp.OnrampError, match="no description of its sweep, which is in part-0"):
        onramp.cell(out, 0)


def test_arrays_of_numpy_and_pandas_are_lists(tmp_path):
    lists = {
        "path.rate": axes.log_uniform(1, 100, unit="Mbit/s"),
        "path.queue": axes.choice([10, 20]),
        "path.rtt": [0.01, 0.1],
        "path.loss": axes.linear(0, 1, 2, unit="%"),
        "transfer.size": [5_000, 10_000],
        "transfer.startup": ["none", "onramp"],
    }
    arrays = {
        "path.rate": axes.log_uniform(np.int64(1), np.int64(100), unit="Mbit/s"),
        "path.queue": axes.choice(np.array([10, 20])),
        "path.rtt": np.array([0.01, 0.1]),
        "path.loss": axes.linear(np.float32(0), np.float32(1), np.int64(2), unit="%"),
        "transfer.size": pd.Series([5_000, 10_000], dtype="Int64"),
        "transfer.startup": pd.Series(["none", "onramp"]),
    }
    base = BASE.to_dict()
    of_arrays = base | {"seed": np.int64(3), "transfer": [{"size": np.array(["1 kB", "2 kB"])}]}
    of_lists = base | {"seed": 3, "transfer": [{"size": ["1 kB", "2 kB"]}]}
    one = onramp.sweep(of_lists, lists, tmp_path / "lists", samples=2, seed=3, batch=5)
    count, seed, batch = np.array([2, 3, 5])
    two = onramp.sweep(
        of_arrays, arrays, tmp_path / "arrays", samples=count, seed=seed, batch=batch
    )
    assert digests(one) == digests(two)
    assert len(digests(two)) == 7


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ("10 ms", "the axis `path.rtt` is '10 ms': expected a list of values"),
        (0.1, "the axis `path.rtt` is 0.1: expected a list of values"),
        (np.float64(0.1), "expected a list of values"),
        ([0.1, None], "the axis `path.rtt` has the value None: expected texts or numbers"),
        (np.ones((2, 1)), r"the axis `path.rtt` has the value \[1.0\]: expected texts or numbers"),
        ([np.nan], "`path.rtt` is nan; give a finite number"),
    ],
)
def test_an_axis_that_is_no_list_is_refused(tmp_path, axis, message):
    with pytest.raises(ValueError, match=message):
        onramp.sweep(BASE, {"path.rtt": axis}, tmp_path / "out")


def test_a_latin_hypercube_has_one_sample_in_each_stratum(tmp_path):
    over = {"path.rate": axes.uniform(1e6, 2e6), "path.rtt": axes.uniform(0.01, 0.02)}
    out = onramp.sweep(BASE, over, tmp_path / "out", samples=10, sampling="latin-hypercube")
    frame = pd.read_parquet(out).drop_duplicates("cell")
    rates = ((frame["path.rate"] - 1e6) / 1e5).astype(int)
    rtts = ((frame["path.rtt"] - 0.01) / 1e-3).astype(int)
    assert sorted(rates) == sorted(rtts) == list(range(10))
    assert rates.tolist() != rtts.tolist()


def test_values_that_are_drawn_fill_their_range():
    shares = np.linspace(0, 0.99, 100)
    logs = [axes.log_uniform(1, 1000).at(share) for share in shares]
    assert min(logs) == pytest.approx(1)
    assert np.allclose(np.diff(np.log(logs)), np.log(1000) / 100)
    drawn = collections.Counter(axes.choice(["a", "b"]).at(share) for share in shares)
    assert drawn == {"a": 50, "b": 50}


def test_mistakes_are_named(tmp_path):
    with pytest.raises(onramp.OnrampError, match="`path.speed`, which is no key"):
        onramp.sweep(BASE, {"path.speed": [1]}, tmp_path)
    with pytest.raises(onramp.ScenarioError, match="<cell 1>"):
        onramp.sweep(BASE, {"path.rtt": ["10 ms", "10 parsec"]}, tmp_path / "a")
    with pytest.raises(ValueError, match="give `samples` if an axis is drawn"):
        onramp.sweep(BASE, OVER, tmp_path)
    with pytest.raises(ValueError, match="give at least one value"):
        onramp.sweep(BASE, {"path.rtt": []}, tmp_path)
    with pytest.raises(ValueError, match="0 < low"):
        axes.log_uniform(0, 1)


def test_a_file_that_is_cut_off_is_named(tmp_path):
    out = onramp.sweep(BASE, {"path.rtt": [0.01, 0.1]}, tmp_path / "out", batch=1)
    part = sorted(out.glob("*.parquet"))[1]
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(onramp.OnrampError, match=f"{part.name} is no whole Parquet file"):
        onramp.sweep(BASE, {"path.rtt": [0.01, 0.1]}, out, batch=1, resume=True)
    part.unlink()
    onramp.sweep(BASE, {"path.rtt": [0.01, 0.1]}, out, batch=1, resume=True)
    assert pd.read_parquet(out)["cell"].nunique() == 2
