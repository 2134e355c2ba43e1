"""How the output of `satellite` is read, without picoquic."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

import foreign
import results
import suite

RUN = """\
completion_us=5869356 limit_us=5500000 sent=9000 dropped=1000 retransmitted=12 spurious=1 repeated=0
phase=hold exit=none estimate=33494130 window=23500929 handed_over_us=0
passed=1
"""
LIST = "".join(f"test={path} path={path} control=bbr limit_us=5500000\n"
               for path in results.PATHS) + "test=cubic path=basic control=cubic limit_us=6500000\n"


def transfer(completion_us, passed=True):
    return results.Transfer(completion_us, 1000, 0, 0, 0, passed, {})


def test_a_run_has_its_times_losses_and_the_outcome_of_the_start_up():
    read = results.parse_run(RUN)
    assert (read.completion_us, read.retransmitted, read.passed) == (5869356, 12, True)
    assert read.lost_percent() == 10
    assert read.startup["phase"] == "hold"


def test_a_run_of_a_control_of_picoquic_has_no_start_up():
    lines = RUN.splitlines()
    assert results.parse_run(f"{lines[0]}\n{lines[2]}\n").startup == {}


@pytest.mark.parametrize(("text", "message"), [
    ("", "no `completion_us`"),
    (RUN.replace("passed=1\n", ""), "no `passed`"),
    (RUN.replace("sent=9000", "sent=many"), "`sent=many` is no number"),
    ("Segmentation fault\n", "expected `name=value`, found `Segmentation fault`"),
])
def test_output_that_is_cut_short_is_refused(text, message):
    with pytest.raises(foreign.Malformed, match=message):
        results.parse_run(text)


def test_a_list_names_the_limit_of_a_path_for_a_control():
    limits = results.parse_list(LIST)
    assert results.limit_us(limits, "basic", "cubic") == 6_500_000
    assert results.limit_us(limits, "small", "cubic") is None


def test_a_list_without_a_path_is_refused():
    with pytest.raises(foreign.Malformed, match="no limit of bbr for seeded"):
        results.parse_list(LIST.replace("path=seeded", "path=basic"))


def test_a_cell_marks_what_is_over_the_limit_of_its_control_or_else_of_bbr():
    limits = results.parse_list(LIST)
    transfers = {("basic", control): transfer(6_000_000) for control in ("cubic", "onramp")}
    row = results.table(limits, transfers, ["cubic", "onramp"]).splitlines()[-1]
    assert row.endswith("| 5.5 | 6.5 | 6.00 (0.0 %) | 6.00 * (0.0 %) |")


def test_a_transfer_that_fails_a_check_is_shown_as_failed():
    assert results.cell(transfer(1_000_000, passed=False), 5_500_000) == "1.00 failed"


def test_only_what_stands_between_the_marks_is_replaced():
    text = "before\n<begin>\nold\n<end>\nafter\n"
    new = foreign.replace_between(text, "<begin>", "<end>", "new\n")
    assert new == "before\n<begin>\nnew\n<end>\nafter\n"
    with pytest.raises(foreign.Malformed, match="expected one line"):
        foreign.replace_between(text.replace("<end>", ""), "<begin>", "<end>", "new\n")


def test_tests_of_sockets_and_long_ones_are_left_out():
    listed = "varint\nsockloop_ipv4\nstress\ncubic_jitter\n"
    assert suite.names(listed) == ["varint", "cubic_jitter"]


def test_the_reason_of_a_failed_test_is_its_last_message():
    output = "st/x_test.c:1 [f]: first\n\nictest/y_test.c:2 [g]: Got 7, >= 6\n\n" \
             "quic/picoquic/tls_api.c:3 [h]: Unloading openssl\n\n    Fails, error: -1.\n"
    assert suite.message(output) == "Got 7, >= 6"
    assert suite.message("Segmentation fault\n") == "no message"
