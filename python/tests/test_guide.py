"""The examples of the guide, docs/python.md, run."""

import os
import pathlib
import re
import subprocess
import sys

import distributed
import matplotlib.pyplot as plt
import pytest

#: Instead of the thousands of samples of the guide, and its many seeds.
FEWER = [(r"samples=[0-9_]+", "samples=200"), (r"seeds=[0-9]{3,}", "seeds=2")]
#: The guide runs `onramp`.
PROGRAM = pathlib.Path(os.environ["ONRAMP"])


@pytest.fixture
def guide(repository):
    text = (repository / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    return blocks


def test_the_examples_have_types(guide, repository, tmp_path):
    """`mypy --strict` accepts them, as one program."""
    program = tmp_path / "guide.py"
    program.write_text("\n".join(guide), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", program],
        capture_output=True,
        text=True,
        check=False,
        # The configuration, and what `make lint` has read already, are there.
        cwd=repository / "python",
    )
    assert done.stdout == "Success: no issues found in 1 source file\n", done.stderr


# Dask warns of ports and sockets of its own.
@pytest.mark.filterwarnings("default")
def test_the_examples_run(guide, repository, tmp_path, monkeypatch):
    for folder in ("scenarios", "examples"):
        (tmp_path / folder).symlink_to(repository / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(PROGRAM.parent), prepend=os.pathsep)
    # A later example uses the names of an earlier one.
    names = {"__name__": "guide"}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False
    ) as cluster:
        for number, block in enumerate(guide):
            text = block
            for many, few in FEWER:
                text = re.sub(many, few, text)
            text = text.replace("tcp://scheduler:8786", cluster.scheduler_address)
            text = text.replace("/shared/", "shared/")
            exec(compile(text, f"<example {number} of docs/python.md>", "exec"), names)
    plt.close("all")
