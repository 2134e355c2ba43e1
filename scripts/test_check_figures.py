"""What check-figures.py finds, in a folder of its own: pytest scripts/test_check_figures.py."""

import importlib.util
import pathlib

import pytest

SCRIPT = pathlib.Path(__file__).with_name("check-figures.py")
spec = importlib.util.spec_from_file_location("check_figures", SCRIPT)
figures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(figures)

HEADER = """\
/* The queue holds 8 bins
 * of 1 ms. */
#define BINS (2 * HALF_BINS) /* of a window */
#define HALF_BINS 4
#define BIN_NS (1 * UINT64_C(1000000))
#define LOOP LOOP
"""
RUST = """\
const DEADLINE: Duration = Duration::from_secs(10);
pub const MAX_BYTES: usize = 16 * 1024;
    let size = [0; 472];
"""
PAGE = """\
# Costs

The window has eight
bins, and a request has 10 s.

## Measured

| path | | CUBIC, ns | `onramp`, ns | resent, CUBIC | `onramp` |
|---|---|---|---|---|---|
| **fast** | first | 1,164 | 449 (440-460) | 12 | 3 |
| | again | 1,200 | 451 | 14 | 0 |

An ACK takes 1.2 us on the fast path.
"""
RESULTS = """\
family,startup,left
ten,fast,76.968
ten,slow,87.18
"""
TABLE = """\
[[source]]
file = "core/a.h"
figures = [["BINS", "8", ["docs/page.md", "The window has eight bins", "eight"]]]
[[table]]
file = "docs/page.md"
heading = "Measured"
figures = [
    ["fast", "CUBIC, ns", "1,164 ns", ["docs/page.md", "takes 1.2 us on the fast", "1.2 us"]],
]
"""


@pytest.fixture
def root(tmp_path):
    for name, text in [("core/a.h", HEADER), ("a.rs", RUST), ("docs/page.md", PAGE),
                       ("docs/figures.toml", TABLE)]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def change(root, name, old, new):
    text = (root / name).read_text()
    assert old in text
    (root / name).write_text(text.replace(old, new))


def test_figures_that_agree_are_counted(root):
    assert figures.check(root) == ([], 2)


def test_a_changed_constant_names_page_and_line(root):
    change(root, "core/a.h", "HALF_BINS 4", "HALF_BINS 5")
    assert figures.check(root)[0] == [
        "docs/page.md:3: `The window has eight bins`: core/a.h has BINS = 10, not 8"]


def test_a_changed_cell_names_page_and_line(root):
    change(root, "docs/page.md", "1,164", "1,310")
    assert figures.check(root)[0] == [
        "docs/page.md:13: `takes 1.2 us on the fast`: docs/page.md#Measured has `1,310` in "
        "(fast; CUBIC, ns), not 1,164 ns"]


def test_a_text_that_has_gone_names_the_line_of_the_table(root):
    change(root, "docs/page.md", "eight", "nine")
    assert figures.check(root)[0] == [
        "docs/page.md: the page does not have `The window has eight bins` "
        "(docs/figures.toml:3)"]


def test_a_figure_that_is_rounded_wrongly_is_found(root):
    change(root, "docs/figures.toml", 'takes 1.2 us on the fast", "1.2 us"',
           'takes 1.3 us on the fast", "1.3 us"')
    [mistake] = figures.check(root)[0]
    assert "1.3 us is not 1,164 ns, rounded" in mistake


def test_a_place_must_have_the_figure(root):
    change(root, "docs/figures.toml", ', "eight"', "")
    [mistake] = figures.check(root)[0]
    assert "`The window has eight bins` does not have 8" in mistake


@pytest.mark.parametrize(("file", "name", "value"), [
    ("core/a.h", "BINS", "8"),
    ("core/a.h", "BIN_NS", "1 ms"),
    ("a.rs", "DEADLINE", "10 s"),
    ("a.rs", "MAX_BYTES", "16 KiB"),
    ("a.rs", r"\[0; (\d+)\]", "472 bytes"),
])
def test_constants_of_c_and_rust_are_computed(root, file, name, value):
    figures.check_constant(figures.Page(root, file), [], name, value)
    with pytest.raises(figures.Wrong):
        figures.check_constant(figures.Page(root, file), [], name, "7 ms")


@pytest.mark.parametrize("name", ["MISSING", "LOOP", "BIN"])
def test_a_constant_that_is_not_there_is_a_mistake(root, name):
    with pytest.raises(figures.Wrong, match="no constant"):
        figures.check_constant(figures.Page(root, "core/a.h"), [], name, "1")


@pytest.mark.parametrize(("row", "column", "text"), [
    ("fast", "onramp, ns", "449 (440-460)"),
    ("fast | again", "CUBIC, ns", "1,200"),
    ("fast | again", "resent, CUBIC | onramp", "0"),
])
def test_a_cell_is_found_by_row_and_column(root, row, column, text):
    assert figures.cell(figures.Page(root, "docs/page.md"), "Measured", row, column) == text


def test_a_file_of_csv_is_a_table_whose_figures_are_rounded(root):
    (root / "results.csv").write_text(RESULTS)
    page = figures.Page(root, "results.csv")
    figures.check_cell(page, "", "ten | fast", "left", ["77.0"])
    with pytest.raises(figures.Wrong, match="results.csv has 87.18 in .*, not 87.1"):
        figures.check_cell(page, "", "ten | slow", "left", ["87.1"])


def test_a_part_of_a_number_is_not_the_figure(root):
    page = figures.Page(root, "docs/page.md")
    figures.check_cell(page, "Measured", "fast", "onramp, ns", ["449", "460"])
    for part in ["44", "9", "1,16"]:
        with pytest.raises(figures.Wrong):
            figures.check_cell(page, "Measured", "fast", "onramp, ns", [part])


def test_texts_span_the_lines_of_a_comment(root):
    assert figures.Page(root, "core/a.h").line_of("holds 8 bins of 1 ms") == 1
