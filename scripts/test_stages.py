"""Which stages of `make test-all` run, in a repository made for the test."""

import pathlib
import subprocess
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parent))

import stages

TABLE = """
everywhere = ["lock"]

[one]
what = "passes where a.txt says yes"
run = "grep -q yes a.txt"
inputs = ["a.txt"]
ci = true

[two]
what = "is too long for CI"
run = "true"
inputs = ["b.txt"]
ci = false
"""


def git(*arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", *arguments], check=True)


def commit():
    git("add", ".")
    git("commit", "--quiet", "--message", "a change")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Return a repository with two stages whose inputs are committed."""
    monkeypatch.setattr(stages, "REPOSITORY", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/stages.toml").write_text(TABLE)
    for name in ["a.txt", "b.txt", "lock"]:
        (tmp_path / name).write_text("yes\n")
    git("init", "--quiet")
    commit()
    return tmp_path


def to_be_run(capfd):
    capfd.readouterr()
    assert stages.main(["list"]) == 0
    lines = capfd.readouterr().out.splitlines()
    return [line.split()[0] for line in lines if "to be run" in line]


def test_a_stage_that_passed_runs_again_when_an_input_changes(repository, capfd):
    assert to_be_run(capfd) == ["one", "two"]
    assert stages.main(["run"]) == 0
    assert to_be_run(capfd) == []
    (repository / "b.txt").write_text("another\n")
    assert to_be_run(capfd) == ["two"]
    commit()
    assert to_be_run(capfd) == ["two"]
    (repository / "lock").write_text("another\n")
    commit()
    assert to_be_run(capfd) == ["one", "two"]


def test_ci_leaves_out_what_is_too_long(repository, capfd):
    assert stages.main(["changed"]) == 0
    assert to_be_run(capfd) == ["two"]


def test_a_stage_that_fails_is_not_noted(repository, capfd):
    (repository / "a.txt").write_text("no\n")
    commit()
    assert stages.main(["run"]) == 1
    assert to_be_run(capfd) == ["one"]


def test_a_pass_with_uncommitted_inputs_is_not_noted(repository, capfd):
    (repository / "a.txt").write_text("yes, but not committed\n")
    assert stages.main(["run", "one"]) == 0
    assert to_be_run(capfd) == ["one", "two"]


def test_another_command_is_another_stage(repository, capfd):
    assert stages.main(["run"]) == 0
    table = repository / ".ci/stages.toml"
    table.write_text(TABLE.replace('"true"', '"true # twice"'))
    assert to_be_run(capfd) == ["two"]


def test_the_gate_fails_where_a_stage_cannot_run(repository, capfd):
    table = repository / ".ci/stages.toml"
    table.write_text(TABLE + 'needs = "false"\n')
    assert stages.main(["run"]) == 1
    assert "it needs: false" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (TABLE.replace("ci = true\n", ""), "stage one needs the keys"),
        (TABLE.replace("b.txt", "nowhere.txt"), "stage two: git tracks no file at nowhere.txt"),
    ],
)
def test_a_mistake_in_the_table_is_named(repository, wrong, message):
    (repository / ".ci/stages.toml").write_text(wrong)
    with pytest.raises(stages.Mistake, match=message):
        stages.main(["list"])


def test_an_unknown_stage_is_refused(repository):
    with pytest.raises(stages.Mistake, match="there is no stage three; there are: one, two"):
        stages.main(["run", "three"])
