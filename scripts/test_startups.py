"""The tables of scripts/kernels/startups.py, of transfers made for the test."""

import json
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "kernels"))

import machine
import startups


def record(startup, seconds, **changed):
    return {
        "case": 1, "run": 1, "rate_bits_per_s": 10_000_000, "rtt_ms": 20.0, "queue": "1 bdp",
        "path": "", "startup": startup, "avoidance": "cubic", "initial_window": "host",
        "size_bytes": 100_000, "completion_s": seconds, "retransmitted_segments": 0,
        "finished": True, "suspect": False, "excess_rtts": 1.0,
    } | changed


def both(startup, simulated, measured, **changed):
    return startups.Both(record(startup, simulated, **changed),
                         record(startup, measured, **changed))


def test_times_are_of_cubic_on_the_same_host():
    lines = list(startups.exact_tables([
        both("none", 2.0, 1.0),
        both("onramp initial rate 5 Mbit/s", 1.0, 0.8, suspect=True),
        both("none", 2.0, 1.0, initial_window="32 segments"),
    ]))
    rows = [line.split(" | ") for line in lines[2:5]]
    assert rows[0][0:2] == ["| onramp", "0.500, 0.800"]
    assert rows[0][3:6] == ["+25.0 %", "+25.0 %", "1"]
    assert rows[0][7] == "1 of 1 |"
    assert [row[0] for row in rows[1:]] == ["| none", "| iw32"]
    apart = "`none` +100.0 %, `iw32` +100.0 %, `onramp` +25.0 %"
    assert lines[-1] == f"| 10 Mbit/s, 20 ms, 1 bdp | 100 kB | {apart} |"


def test_a_key_that_a_scenario_lacks_is_an_error():
    with pytest.raises(machine.Unusable, match="no line of the key trace"):
        startups.scenario("x", "start-up.toml", {"trace": "a.down"}, [])


def test_all_start_ups_and_sizes_of_the_exact_paths_are_run():
    text = startups.exact("1-mb")["1-mb"]
    assert 'rate = ["10 Mbit/s", "50 Mbit/s"]' in text
    assert text.count("[[transfer]]") == text.count('size = "1 MB"') == 4
    assert json.dumps(list(startups.STARTUPS)) in text


def test_a_guest_that_did_not_end_has_no_results(tmp_path):
    lines = ["kernel\tok\t6.12", "lab:x\tok\t", 'x:[{"case": 1}]']
    (tmp_path / "results").write_text("\n".join(lines))
    assert startups.virtual.kept(tmp_path) == ({}, {})
    (tmp_path / "results").write_text("\n".join([*lines, "end\tok\t"]))
    assert startups.virtual.kept(tmp_path)[1] == {"x": [{"case": 1}]}
