"""How neqo's sources are edited and its output is read, without neqo."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

import edits
import foreign
import nss
import tables

UPLOADS = """\
slow_start=classic time_us=1000000 sent=120 passed=100
slow_start=onramp time_us=500000 sent=99 passed=100
"""
TESTS = """\
test cc::classic ... ok
test cc::search - should panic ... ok
test sender::limited ... FAILED

thread 'sender::limited' (7) panicked at src/sender.rs:5:9:
assertion `left == right` failed
  left: 1
 right: 2
stack backtrace:
"""


def test_an_edit_names_a_place_that_is_not_there_once():
    edit = edits.Edit("pace.rs", "const A: u8 = 1;\n", "const B: u8 = 2;\n")
    assert edit.apply("const A: u8 = 1;\n") == "const A: u8 = 1;\nconst B: u8 = 2;\n"
    for content, count in (("", 0), ("const A: u8 = 1;\n" * 2, 2)):
        with pytest.raises(edits.Changed, match=f"pace.rs has `const A: u8 = 1;` {count} times"):
            edit.apply(content)


def test_an_edit_goes_before_behind_or_instead_of_its_place():
    texts = {how: edits.Edit("f", "b", "X", how).apply("abc")
             for how in ("before", "behind", "instead")}
    assert texts == {"before": "aXbc", "behind": "abXc", "instead": "aXc"}


def test_a_copy_has_edits_and_added_files_and_keeps_what_has_not_changed(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    for name in ("src/a.rs", "src/b.rs", ".git/config", "target/old"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("fn main() {}\n")
    change = [edits.Edit("src/a.rs", "{}", "{ run() }", "instead")]
    edits.copy(source, target, change, [("src/c.rs", "new\n")])
    found = {path.relative_to(target).as_posix(): path.read_text()
             for path in target.rglob("*") if path.is_file()}
    assert found == {"src/a.rs": "fn main() { run() }\n", "src/b.rs": "fn main() {}\n",
                     "src/c.rs": "new\n"}
    written = (target / "src/a.rs").stat().st_mtime_ns
    edits.copy(source, target, change, [("src/c.rs", "new\n")])
    assert (target / "src/a.rs").stat().st_mtime_ns == written
    with pytest.raises(edits.Changed, match="has no src/d.rs"):
        edits.copy(source, target, [edits.Edit("src/d.rs", "a", "b")])


def test_an_older_nss_is_accepted_and_its_missing_names_are_left_out(tmp_path):
    files = {"nss/nss/lib/nss/nss.h": "#define NSS_VMAJOR 3\n#define NSS_VMINOR 124\n",
             "nss/nss/lib/ssl/sslt.h": "ssl_grp_kem_a = 1,\n",
             "rs/Cargo.toml": 'min-version = "3.126"\n',
             "rs/src/constants.rs": "TLS_GRP_KEM_A = ssl_grp_kem_a,\n"
                                    "TLS_GRP_KEM_AB = ssl_grp_kem_ab,\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    changes = nss.edits_of_nss_rs(tmp_path / "rs", nss.Nss(tmp_path))
    edits.copy(tmp_path / "rs", tmp_path / "copy", changes)
    assert (tmp_path / "copy/Cargo.toml").read_text() == 'min-version = "3.124"\n'
    assert (tmp_path / "copy/src/constants.rs").read_text() == "TLS_GRP_KEM_A = ssl_grp_kem_a,\n"


def test_uploads_are_compared_to_the_default_slow_start():
    uploads = tables.parse(UPLOADS, ["classic", "onramp"])
    assert tables.ratio(uploads, "onramp") == 0.5
    assert [uploads[name].dropped() for name in ("classic", "onramp")] == [20, 0]
    found = {(tables.PATHS[0], size): uploads for size in tables.SIZES}
    assert tables.summary(found, ["classic", "onramp"]).splitlines()[-1] == \
        "| `onramp` | 0.50 | 0.50 | 0.50 | 0 | 0.50 | 0.50 | 0.50 |"
    assert tables.table(found, ["classic", "onramp"]).splitlines()[-1] == \
        "| 10 | 20 ms | 0.3 BDP | 5 MB | 1.000 s | 0.50 |"


@pytest.mark.parametrize("text, message", [
    (UPLOADS.replace("sent=99 ", ""), "found `slow_start=onramp"),
    (UPLOADS.splitlines()[0], "no upload of onramp"),
])
def test_output_of_uploads_that_is_cut_short_is_refused(text, message):
    with pytest.raises(foreign.Malformed, match=message):
        tables.parse(text, ["classic", "onramp"])


def test_tests_of_neqo_have_a_result_and_a_reason():
    assert tables.tests(TESTS) == ({"cc::classic", "cc::search"}, {"sender::limited"})
    assert tables.message(TESTS, "sender::limited") == \
        "src/sender.rs:5:9 assertion `left == right` failed left: 1 right: 2"
    assert tables.message(TESTS, "cc::classic") == "no message"
    with pytest.raises(foreign.Malformed, match="ran no test"):
        tables.tests("error: could not compile")
