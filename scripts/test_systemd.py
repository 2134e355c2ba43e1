"""What scripts/systemd/run.py makes of a guest's reports: no machine is booted here."""

import importlib.util
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "systemd"
spec = importlib.util.spec_from_file_location("systemd_run", FOLDER / "run.py")
run = importlib.util.module_from_spec(spec)
sys.modules["systemd_run"] = run
spec.loader.exec_module(run)


def reports(**changed):
    return {check: ["ok", "1 s"] for check in run.CHECKS} | changed


def test_all_checks_must_be_reported_and_succeed():
    assert run.failures(reports()) == []
    silent = reports()
    del silent["purge"]
    assert run.failures(silent) == ["purge: did not report"]
    assert run.failures(reports(off=["failed", "2 s"])) == ["off: failed: 2 s"]


def test_the_guest_reports_the_checks_that_are_expected():
    guest = (FOLDER / "guest.sh").read_text()
    names = re.findall(r"^\t*(?:verdict|check|report|switch_off) ([a-z:-]+)", guest, re.MULTILINE)
    ends = {f"{step}:{boot}" for step in ("log", "end") for boot in ("first", "second")}
    assert set(names) - {"log:", "end:"} | ends == set(run.CHECKS)


def test_the_table_replaces_the_one_from_before(tmp_path, monkeypatch):
    page = tmp_path / "kernels.md"
    page.write_text("before\n<!-- systemd -->\nold\n<!-- end of systemd -->\nafter\n")
    monkeypatch.setattr(run, "PAGE", page)
    run.record(run.table(reports(stop=["ok", "0.07 s"])))
    text = page.read_text()
    assert text.startswith("before\n<!-- systemd -->\n")
    assert text.endswith("<!-- end of systemd -->\nafter\n")
    assert "| 0.07 s |" in text
    assert "old" not in text


def test_the_container_has_what_the_manifest_grants_and_no_more():
    process = run.container()["process"]
    wanted = ["CAP_BPF", "CAP_NET_ADMIN", "CAP_PERFMON"]
    assert process["capabilities"]["bounding"] == wanted
    assert process["noNewPrivileges"]
    mounts = {mount["destination"]: mount for mount in run.container()["mounts"]}
    assert mounts["/sys/fs/bpf"]["options"] == ["bind", "rw"]
    assert mounts["/sys/fs/cgroup"]["options"] == ["bind", "ro"]
