"""Errors are exceptions with the text of the command line."""

import os
import pathlib
import pickle
import subprocess
import sys
import traceback

import pytest

import onramp

WRONG = """\
name = "wrong"

[path]
rate = "50 Mbps"
rtt = "600 ms"

[[transfer]]
size = "1 MB"
startup = "onrmap"
"""


def test_a_mistake_has_a_place_and_a_sentence(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(WRONG)
    with pytest.raises(onramp.ScenarioError) as caught:
        onramp.run(file)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(file), 4, 8)
    assert "Mbps" in error.message
    assert [fault.line for fault in error.faults] == [4, 9]
    assert "did you mean" in str(error)
    assert isinstance(error, ValueError)


def test_the_text_is_the_command_lines(repository, tmp_path):
    command = pathlib.Path(os.environ.get("ONRAMP", repository / "target" / "debug" / "onramp"))
    if not command.exists():
        pytest.skip("the command line is not built")
    file = tmp_path / "wrong.toml"
    file.write_text(WRONG)
    printed = subprocess.run([command, "sim", file], capture_output=True, text=True, check=False)
    with pytest.raises(onramp.ScenarioError) as caught:
        onramp.check(file)
    assert str(caught.value) == printed.stderr


def test_a_missing_file_has_no_place(tmp_path):
    with pytest.raises(onramp.ScenarioError, match="cannot read the scenario") as caught:
        onramp.run(tmp_path / "none.toml")
    assert caught.value.line is None
    assert caught.value.faults == []


def test_a_mistake_in_a_built_scenario_shows_its_text():
    scenario = onramp.Scenario(
        name="x", path=onramp.Path(rtt="1 s"), transfer=[onramp.Transfer(size="1 B")]
    )
    with pytest.raises(onramp.ScenarioError, match="`path.rate` is missing") as caught:
        onramp.run(scenario)
    assert caught.value.file == "<Scenario x>"


def test_errors_survive_pickling(tmp_path):
    with pytest.raises(onramp.ScenarioError) as caught:
        onramp.check(WRONG)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.faults, str(copy), copy.file) == (
        caught.value.faults,
        str(caught.value),
        "<text>",
    )


def test_what_is_public_has_the_name_to_import():
    for name in onramp.__all__:
        public = getattr(onramp, name)
        if isinstance(public, type):
            assert public.__module__ in {"onramp", "onramp.scenario"}, name
            assert getattr(sys.modules[public.__module__], public.__qualname__) is public
    with pytest.raises(onramp.ScenarioError) as caught:
        onramp.check(WRONG)
    (line, *_) = traceback.format_exception_only(caught.value)
    assert line.startswith("onramp.ScenarioError: ")


def test_results_of_another_kind_are_refused(tmp_path):
    file = tmp_path / "results.json"
    file.write_text("[{}]")
    with pytest.raises(onramp.ResultsError, match="has no records of this version"):
        onramp.read_results(tmp_path)
    with pytest.raises(onramp.ResultsError, match="cannot read the results"):
        onramp.read_results(tmp_path / "none")
    with pytest.raises(onramp.ResultsError, match="it is not a regular file"):
        onramp.read_results("/dev/zero")


def test_a_connection_that_gives_up_says_why():
    frame = onramp.run(
        {
            "name": "broken",
            "path": {
                "rate": "1 Mbit/s",
                "rtt": "10 ms",
                "change": [{"at": "1 s", "loss": "100 %"}],
            },
            "transfer": [{"size": "10 MB"}],
        }
    )
    assert frame["failure"].tolist() == ["the peer no longer answers"]
    assert not frame["finished"].any()
    assert frame["completion_s"].isna().all()
