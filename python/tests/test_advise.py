"""The advice as a data frame: the numbers of ``onramp judge``."""

import gzip
import json
import os

import pandas as pd
import pytest

import onramp

#: The program of the command line, which scripts/test-python.sh names.
PROGRAM = os.environ["ONRAMP"]
HEAD = {"format": "onramp-observations", "version": 1, "kernel": "", "for_s": 1.0}
COUNTS = {"opened": 1, "ended": 1, "idle": 0, "lost": 0}


def download(control="cubic", time_s=0.74):
    """A download of 1 MB over 50 Mbit/s and 100 ms, as the observer sees it."""
    return {
        "destination": "203.0.113.0/24",
        "port": 443,
        "accepted": True,
        "congestion_control": control,
        "transfers": [{"start_s": 0.05, "time_s": time_s, "bytes": 1_000_000}],
        "transfer_count": 1,
        "complete": True,
        "duration_s": 1.0,
        "handshake_rtt_s": 0.1,
        "min_rtt_s": 0.1,
        "max_rtt_s": 0.12,
        "rounds": 8,
        "rate_bytes_per_s": 6_030_000,
        "mss_bytes": 1448,
        "sent_segments": 691,
        "retransmitted_segments": 0,
        "marked_segments": 0,
        "first_loss_bytes": None,
        "loss_rtt_s": None,
        "loss_rounds": 0,
        "initial_cwnd_segments": 10,
        "max_cwnd_segments": 400,
        "first_window_bytes": 8 << 20,
        "max_window_bytes": 8 << 20,
        "receiver_limited": 0.0,
        "buffer_limited": 0.0,
    }


def write(path, connections):
    lines = [HEAD | COUNTS, *connections]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_class_is_a_row_with_the_times_of_the_candidates(tmp_path):
    file = write(tmp_path / "seen.jsonl", [download()])
    frame = onramp.advise(file, program=PROGRAM)
    [row] = frame.to_dict("records")
    assert (row["destination"], row["part"], row["bytes"]) == ("203.0.113.0/24", "first", 1e6)
    assert 0.4 < row["time_onramp"] < 0.8
    assert frame.attrs["judged"] == 1
    kept = tmp_path / "advice.parquet"
    frame.to_parquet(kept)
    assert pd.read_parquet(kept)["time_onramp"].tolist() == [row["time_onramp"]]


def test_observations_are_kept_as_parquet_and_judged_alike(tmp_path):
    short = download() | {"handshake_rtt_s": None, "rate_bytes_per_s": None, "transfers": []}
    file = write(tmp_path / "seen.jsonl", [download(), short])
    seen = onramp.observations(file)
    assert seen["rate_bytes_per_s"].tolist() == [6_030_000, pd.NA]
    kept = tmp_path / "seen.parquet"
    seen.to_parquet(kept)
    again = tmp_path / "again.jsonl"
    onramp.write_observations(onramp.observations(kept), again)
    lines = [[json.loads(line) for line in one.read_text().splitlines()] for one in (file, again)]
    assert lines[0] == lines[1]
    from_lines = onramp.advise(file, program=PROGRAM)
    for other in (kept, seen, seen.head(1)):
        pd.testing.assert_frame_equal(onramp.advise(other, program=PROGRAM), from_lines)
    assert from_lines.attrs["judged"] == 1


def test_files_of_observations_are_one_host(tmp_path):
    none = write(tmp_path / "none.jsonl", [])
    packed = tmp_path / "seen.jsonl.gz"
    packed.write_bytes(gzip.compress(write(tmp_path / "seen.jsonl", [download()]).read_bytes()))
    both = onramp.observations(none, packed)
    assert (len(both), both.attrs["opened"], both.attrs["for_s"]) == (1, 2, 2.0)
    assert onramp.observations(none)["rate_bytes_per_s"].tolist() == []
    other = tmp_path / "other.parquet"
    pd.DataFrame({"time": [1]}).to_parquet(other)
    for wrong in (other, tmp_path / ".." / __file__):
        with pytest.raises(onramp.OnrampError, match="expected observations of `onramp advise"):
            onramp.observations(wrong)


def test_a_canary_adds_what_was_measured(tmp_path):
    file = write(tmp_path / "seen.jsonl", [download()])
    canary = write(tmp_path / "canary.jsonl", [download(), download("onramp", 0.37)])
    frame = onramp.advise(file, compare=[canary], program=PROGRAM)
    assert frame["measured"].tolist() == pytest.approx([0.5])


def test_a_file_of_something_else_and_a_missing_program_are_errors(tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("time,bytes\n")
    with pytest.raises(onramp.OnrampError, match="expected observations"):
        onramp.advise(other, program=PROGRAM)
    with pytest.raises(onramp.OnrampError, match="install Onramp"):
        onramp.advise(other, program=str(tmp_path / "absent"))
