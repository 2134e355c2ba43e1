"""Sweep files, and the program that runs them."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import onramp
from onramp import _command, axes

STUDY = """
name = "study"

[path]
rate = "10 Mbit/s"
rtt = "50 ms"

[[transfer]]
size = "10 kB"
startup = ["none", "onramp"]

[sweep]
samples = 4
seed = 7
batch = 3

[sweep.axes]
path.rate = { log_uniform = [1, 1000], unit = "Mbit/s" }
"path.rtt" = ["10 ms", "0.1 s"]
"""


@pytest.fixture
def study(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


def command(capsys, *arguments):
    code = _command.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_says_what_the_function_is_told(study, tmp_path):
    read = onramp.read_sweep(study)
    over = {
        "path.rate": axes.log_uniform(1, 1000, unit="Mbit/s"),
        "path.rtt": ["10 ms", "0.1 s"],
    }
    assert read.axes == over
    assert read.options == {"samples": 4, "seed": 7, "batch": 3}
    written = onramp.sweep(read.base, over, tmp_path / "a", samples=4, seed=7, batch=3)
    read_again = onramp.sweep(read.base, read.axes, tmp_path / "b", **read.options)
    pd.testing.assert_frame_equal(pd.read_parquet(written), pd.read_parquet(read_again))


def test_each_kind_of_axis_can_be_written(study):
    study.write_text(
        STUDY.partition("[sweep.axes]")[0]
        + """[sweep.axes]
        path.rate = { log = [1e6, 1e9], count = 4 }
        path.loss = { linear = [0, 1], count = 3, unit = "%" }
        path.rtt = { uniform = [0.01, 0.1] }
        path.queue = { choice = ["1 bdp", "20 packets"] }
        """
    )
    assert onramp.read_sweep(study).axes == {
        "path.rate": axes.log(1e6, 1e9, 4),
        "path.loss": axes.linear(0, 1, 3, unit="%"),
        "path.rtt": axes.uniform(0.01, 0.1),
        "path.queue": axes.choice(["1 bdp", "20 packets"]),
    }


def test_files_are_named_from_the_folder_of_the_sweep_file(study, tmp_path, monkeypatch):
    (tmp_path / "rate.csv").write_text("time_s,rate_bits_per_s\n0,1e6\n1,2e6\n2,0\n")
    text = STUDY.replace('rate = "10 Mbit/s"', 'trace = "rate.csv"')
    study.write_text(text.replace('path.rate = { log_uniform = [1, 1000], unit = "Mbit/s" }', ""))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert onramp.read_sweep(study).base["path"]["trace"] == str(tmp_path / "rate.csv")


def test_a_file_names_one_of_several_tables(study, tmp_path, capsys):
    transfer = """[[transfer]]
    size = "20 kB"

    [sweep]"""
    text = STUDY.replace("[sweep]", transfer) + "transfer.1.size = [5_000, 6_000]\n"
    study.write_text(text.replace("samples = 4", "samples = 1"))
    assert command(capsys, study, "--out", tmp_path / "out", "--quiet")[0] == 0
    frame = pd.read_parquet(tmp_path / "out")
    assert sorted(frame["size_bytes"].unique()) == [5_000, 6_000, 10_000]
    study.write_text(text.replace("transfer.1", "transfer"))
    code, _, err = command(capsys, study, "--out", tmp_path / "other")
    assert (code, err.partition(":")[0]) == (2, "onramp")
    assert "has 2 `[[transfer]]`: expected `transfer.0.size` to `transfer.1.size`" in err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[sweep", "[study", "has no table `[sweep]`: expected `[sweep.axes]`"),
        ("samples = 4", "sample = 4", "`sweep` has no key `sample`: expected one of axes, samples"),
        ("samples = 4", "samples = '4'", "`sweep.samples` is '4': expected a whole number"),
        ("log_uniform", "normal", "`sweep.axes.path.rate` has no range: expected one of linear,"),
        ("[1, 1000]", "[1]", r"`sweep.axes.path.rate.log_uniform` is [1]: expected two numbers"),
        ("[1, 1000]", "[0, 9]", "`sweep.axes.path.rate.log_uniform`: give 0 < low <= high"),
        ("log_uniform", "log", "`sweep.axes.path.rate` has no `count`"),
        ('unit = "Mbit/s"', "count = 3", "has no key `count`: expected one of log_uniform, unit"),
        ('["10 ms", "0.1 s"]', "3", "`sweep.axes.path.rtt` is 3: expected a list of values, or a"),
        ("[path]", "[path", "is no TOML file"),
    ],
)
def test_mistakes_are_named(study, capsys, old, new, message):
    assert old in STUDY
    study.write_text(STUDY.replace(old, new))
    code, out, err = command(capsys, study, "--out", study.parent / "out")
    assert (code, out) == (2, "")
    assert err.startswith(f"onramp: {study}")
    assert message in err
    assert not (study.parent / "out").exists()


def test_the_program_writes_a_folder_and_goes_on(study, tmp_path, capsys):
    out = tmp_path / "out"
    assert command(capsys, study, "--out", out, "--quiet") == (
        0,
        f"study: 16 transfers in 3 files of {out}\n",
        "",
    )
    first = pd.read_parquet(out)
    assert first["cell"].nunique() == 8
    code, _, err = command(capsys, study, "--out", out)
    assert (code, err) == (2, f"onramp: {out} has a sweep: resume it, or give another folder\n")
    (out / "part-00001.parquet").unlink()
    code, answer, _ = command(capsys, study, "--out", out, "--resume", "--json")
    expected = {"name": "study", "folder": str(out), "files": 3, "transfers": 16}
    assert (code, json.loads(answer)) == (0, expected)
    pd.testing.assert_frame_equal(pd.read_parquet(out), first)


# Dask warns of ports and sockets of its own.
@pytest.mark.filterwarnings("default")
def test_workers_write_the_same_files(study, tmp_path, capsys):
    assert command(capsys, study, "--out", tmp_path / "one", "--quiet")[0] == 0
    assert command(capsys, study, "--out", tmp_path / "two", "--quiet", "--workers", 2)[0] == 0
    one, two = (sorted((tmp_path / name).glob("*.parquet")) for name in ("one", "two"))
    assert [part.read_bytes() for part in one] == [part.read_bytes() for part in two]


def test_what_cannot_be_run_is_refused(study, tmp_path, capsys):
    for arguments, message in [
        (["--workers", 0], "--workers is 0: expected 1 or more"),
        (["--workers", 1, "--threads", 1], "--threads is of a sweep without a cluster"),
        (["--samples", 0], "give at least one value of each axis, one sample"),
    ]:
        code, out, err = command(capsys, study, "--out", tmp_path / "out", "--json", *arguments)
        assert (code, out) == (2, "")
        assert message in json.loads(err)["error"]
    code, _, err = command(capsys, tmp_path / "none.toml", "--out", tmp_path / "out")
    assert (code, err) == (
        2,
        f"onramp: {tmp_path}/none.toml cannot be read: No such file or directory\n",
    )


def test_the_package_installs_the_program(study, tmp_path):
    program = Path(sys.executable).with_name("onramp-sweep")
    out = tmp_path / "out"
    run = subprocess.run([program, study, "--out", out], check=True, capture_output=True, text=True)
    assert run.stdout == f"study: 16 transfers in 3 files of {out}\n"
    for arguments in (["--out"], [study]):
        run = subprocess.run([program, *arguments], check=False, capture_output=True, text=True)
        assert run.returncode == 2
        assert run.stderr.startswith("usage: onramp sweep")
