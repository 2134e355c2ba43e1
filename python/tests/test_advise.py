"""The advice as a data frame: the numbers of ``onramp judge``."""

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
