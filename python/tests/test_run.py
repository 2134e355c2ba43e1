"""Running scenarios: the same results as the command line's, in any form."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import onramp

ENDLESS = {
    "name": "endless",
    "run": {"duration": "100000 s"},
    "path": {"rate": "100 Mbit/s", "rtt": "10 ms"},
    "transfer": [{"size": "1000 GB"}],
}


def test_every_form_of_a_scenario_gives_the_same(geo, tmp_path):
    built = onramp.Scenario(
        name="geo",
        path=onramp.Path(rate=50e6, rtt=0.6, queue="0.5 bdp", loss="0.1 %"),
        receiver=onramp.Receiver(buffer=64 << 20),
        transfer=[onramp.Transfer(size=100_000, startup=["none", "onramp"])],
    )
    file = tmp_path / "geo.toml"
    file.write_text(built.to_toml())
    frames = [onramp.run(scenario) for scenario in (geo, built, built.to_toml(), file, str(file))]
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0])


def test_columns_are_typed(geo):
    frame = onramp.run(geo, threads=1)
    assert frame["queue_bdp"].tolist() == [0.5, 0.5]
    assert frame["loss_percent"].tolist() == [0.1, 0.1]
    assert frame["receiver_buffer_bytes"].tolist() == [64 << 20] * 2
    types = {
        "size_bytes": "int64",
        "seed": "uint64",
        "finished": "bool",
        "completion_s": "float64",
        "exit_cwnd_bytes": "Int64",
        "timeouts": "Int64",
        "failure": onramp.run(geo)["failure"].dtype,
    }
    assert {name: frame[name].dtype for name in types} == {
        name: pd.api.types.pandas_dtype(dtype) for name, dtype in types.items()
    }
    assert frame["failure"].isna().all()


def test_arrow_and_polars_share_the_memory(geo):
    results = onramp.simulate(geo, traces=True)
    arrow = results.to_arrow()
    addresses = [
        pa.table(results).column("completion_s").chunk(0).buffers()[1].address for _ in range(2)
    ]
    assert (
        addresses[0] == addresses[1] == arrow.column("completion_s").chunk(0).buffers()[1].address
    )
    frame = pl.DataFrame(results)
    assert frame.equals(results.to_polars())
    assert frame["completion_s"].to_list() == results.to_pandas()["completion_s"].tolist()
    assert pa.schema(results) == arrow.schema
    assert len(results.segments) == results.segments.to_arrow().num_rows > 100


def test_tables_outlive_what_made_them(geo):
    arrow = onramp.simulate(geo).to_arrow()
    assert arrow.column("size_bytes").to_pylist() == [100_000, 100_000]


def test_seeds_are_a_number_or_the_seeds_themselves(geo):
    geo["transfer"][0]["startup"] = "none"
    by_number = onramp.run(geo, seeds=3)
    assert by_number["run"].tolist() == [1, 2, 3]
    assert by_number["seed"].nunique() == 3
    again = onramp.run(geo, seeds=by_number["seed"].tolist()[1:])
    assert again["completion_s"].tolist() == by_number["completion_s"].tolist()[1:]
    in_the_file = {**geo, "transfer": [{**geo["transfer"][0], "repeat": 3}]}
    pd.testing.assert_frame_equal(onramp.run(in_the_file), by_number)
    assert len(onramp.run(in_the_file, seeds=np.int64(1))) == 1
    for wrong in (0, 1001, []):
        with pytest.raises(ValueError, match="1 to 1000 seeds"):
            onramp.run(geo, seeds=wrong)


def test_the_number_of_threads_changes_nothing(geo):
    pd.testing.assert_frame_equal(
        onramp.run(geo, seeds=8, threads=1), onramp.run(geo, seeds=8, threads=4)
    )


def test_several_scenarios_are_one_table(geo):
    frame = onramp.run([geo, {**geo, "name": "other"}])
    assert frame["scenario"].tolist() == ["geo", "geo", "other", "other"]
    with pytest.raises(onramp.ScenarioError, match="two scenarios have the name `geo`"):
        onramp.run([geo, geo])


def test_traces_belong_to_rows(geo):
    geo["transfer"][0]["count"] = 2
    results = onramp.simulate(geo, traces=True)
    assert len(results) == 4
    tables = (results.senders, results.segments, results.queues, results.events, results.receivers)
    for table in tables:
        frame = table.to_pandas()
        # Without a start-up there are no events of one.
        assert set(frame["record"]) == ({2, 3} if "kind" in frame else {0, 1, 2, 3})
        assert (frame["time_s"] >= 0).all()
    queues = results.queues.to_pandas()
    assert queues.groupby("record")["queue_delay_s"].min().tolist() == [0.0] * 4
    # Nothing waits longer than the queue is long.
    assert queues["queue_delay_s"].max() < 0.5 * 0.6 + 0.01
    delivered = results.senders.to_pandas().groupby("record")["acked_bytes"].max()
    assert (delivered <= 100_001).all()
    read = results.receivers.to_pandas().groupby("record")
    assert read["received_bytes"].max().tolist() == [100_000] * 4
    ends = results.to_pandas()["completion_s"].tolist()
    assert read["time_s"].max().tolist() == pytest.approx(ends)


def test_results_without_traces_say_how_to_get_them(geo):
    with pytest.raises(ValueError, match="traces=True"):
        _ = onramp.simulate(geo).segments


def test_rows_of_traffic_have_traces_too(geo):
    geo["transfer"][0]["startup"] = "none"
    geo["traffic"] = [{"size": "50 kB", "count": 2, "measured": True}]
    results = onramp.simulate(geo, traces=True)
    frame = results.to_pandas()
    assert frame["role"].tolist() == ["transfer", "traffic", "traffic"]
    ends = results.segments.to_pandas().groupby("record")["start_byte"].max()
    delays = results.queues.to_pandas().groupby("record").size()
    assert ends[0] > 50_000 > ends[1]
    assert delays[0] > delays[1] > 20


def test_progress_is_reported(geo):
    calls = []
    onramp.run(geo, seeds=20, progress=lambda done, total: calls.append((done, total)))
    assert calls[0] == (0, 40)
    assert calls[-1] == (40, 40)
    assert calls == sorted(calls)


def test_a_bar_is_drawn_on_request(geo, capsys):
    onramp.run(geo, progress=True)
    onramp.run(geo, progress=False)
    assert "Traceback" not in capsys.readouterr().err


def test_an_error_in_progress_ends_the_run():
    def fail(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        onramp.run(ENDLESS, progress=fail)


def test_other_threads_run_meanwhile():
    begun, counted = threading.Event(), threading.Event()

    def count():
        begun.wait()
        counted.set()

    def report(done, total):
        begun.set()
        if counted.is_set():
            raise RuntimeError("the other thread has run")

    other = threading.Thread(target=count)
    other.start()
    with pytest.raises(RuntimeError, match="has run"):
        onramp.run(ENDLESS, progress=report)
    other.join()


def test_ctrl_c_ends_a_run(tmp_path):
    program = textwrap.dedent(
        f"""
        import sys, onramp
        def ready(done, total):
            print("ready", flush=True)
        try:
            onramp.run({ENDLESS!r}, progress=ready)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(3)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        # Progress may be reported again before the signal arrives.
        assert process.stdout.read().replace("ready\n", "") == "interrupted\n"
        assert process.wait() == 3
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_results_are_those_of_the_command_line(repository, tmp_path, geo):
    command = repository / "target" / "debug" / "onramp"
    command = pathlib.Path(os.environ.get("ONRAMP", command))
    if not command.exists():
        pytest.skip("the command line is not built")
    file = tmp_path / "geo.toml"
    file.write_text(
        onramp.Scenario(
            name="geo",
            path=onramp.Path(rate=50e6, rtt=0.6),
            transfer=[onramp.Transfer(size="100 kB", startup=["none", "onramp"])],
        ).to_toml()
    )
    out = tmp_path / "out"
    subprocess.run([command, "sim", file, "--out", out], check=True, capture_output=True)
    frame = onramp.run(file)
    pd.testing.assert_frame_equal(onramp.read_results(out), frame)
    printed = subprocess.run(
        [command, "sim", file, "--json"], check=True, capture_output=True, text=True
    ).stdout
    (tmp_path / "printed.json").write_text(printed)
    pd.testing.assert_frame_equal(onramp.read_results(tmp_path / "printed.json"), frame)
