"""The rows of the papers, and the model of a link."""

import json
import os
import pathlib
import subprocess

import pytest

import onramp
import onramp.model
import onramp.papers


def command(repository):
    program = pathlib.Path(os.environ.get("ONRAMP", repository / "target" / "debug" / "onramp"))
    if not program.exists():
        pytest.skip("the command line is not built")
    return program


def test_quick_rows_are_those_of_the_command_line(repository):
    paper = "chaher-geo-satellite"
    frame = onramp.papers.rows(paper, quick=True)
    printed = subprocess.run(
        [command(repository), "reproduce", paper, "--quick", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    rows = json.loads(printed.stdout)
    assert frame["id"].tolist() == [row["id"] for row in rows]
    assert frame["verdict"].tolist() == [row["verdict"] for row in rows]
    numbers = [row["measured"] for row in rows]
    for measured, number in zip(frame["measured_value"], numbers, strict=True):
        if isinstance(number, float):
            assert measured == pytest.approx(number)


def test_a_paper_that_is_unknown_is_named():
    with pytest.raises(ValueError, match="no such paper: 'chaher'"):
        onramp.papers.rows("chaher")
    with pytest.raises(ValueError, match="1 to 1000 seeds"):
        onramp.papers.rows(seeds=0)


def test_a_reproduction_can_be_interrupted():
    def fail(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        onramp.papers.rows("aron-druschel-1998", progress=fail)


def test_the_model_answers_as_the_command_line(repository):
    link = {"rate": "1.5 Mbit/s", "rtt": "560 ms", "queue": "40 packets", "packet": "512 B"}
    options = [word for key, value in link.items() for word in (f"--{key}", value)]
    answer = onramp.model.chaher(**link, background="409.6 kbit/s")
    printed = subprocess.run(
        [
            command(repository),
            "model",
            "chaher",
            *options,
            "--background",
            "409.6 kbit/s",
            "--json",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = json.loads(printed.stdout)
    assert answer.beta == wanted["beta"]
    assert answer.starts_twice == wanted["starts_twice"]
    assert answer.sources["cycle_s"].tolist() == [row["cycle_s"] for row in wanted["sources"]]
    numbers = onramp.model.chaher(rate=1.5e6, rtt=0.56, queue=40, packet=512, background=409_600)
    assert numbers.beta == answer.beta


def test_the_model_refuses_what_it_does_not_cover():
    link = {"rate": "1 Mbit/s", "rtt": "100 ms", "queue": "10 packets"}
    with pytest.raises(onramp.ModelError, match="does not cover this link"):
        onramp.model.chaher(**link, gamma=0.7)
    with pytest.raises(onramp.ModelError, match="packet: an IP packet"):
        onramp.model.chaher(**link, packet="10 B")
    with pytest.raises(onramp.ModelError, match="rtt: "):
        onramp.model.chaher(**{**link, "rtt": "100 parsec"})
