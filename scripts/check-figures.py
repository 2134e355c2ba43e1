#!/usr/bin/env python3
"""Check that figures in prose are those of the code and of the tables that they come from.

docs/figures.toml has a row for each constant of the code and each cell of a table that prose
repeats, with the places that repeat it. A quoted text that its page lacks, and a constant or a cell
with another value, are printed with page and line. Exits with 1 then. Python 3.11 or later, without
packages: scripts/check-figures.py [FOLDER].
"""

import pathlib
import re
import sys
import tomllib
from fractions import Fraction

TABLE = "docs/figures.toml"

# What a figure's unit is worth in the base unit of its kind.
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "minutes": 60 * 10**9,
         "bytes": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "%": 1, "": 1}
# Units of constants, by the last word of their name.
SUFFIXES = {"NS": "ns", "US": "us", "MS": "ms", "S": "s", "BYTES": "bytes", "PERCENT": "%",
            "PPM": "ppm"}
UNITS["ppm"] = Fraction(1, 10**4)  # of a percent


class Wrong(Exception):
    """A row cannot be checked, or has another value. The message says why."""


def quantity(text, unit=""):
    """The number that `text` begins with, in base units, and the worth of its last digit."""
    match = re.fullmatch(r"([+-]?[\d,]*\.?\d+) ?(\w+|%)?.*", text.strip(" *~"), re.DOTALL)
    if not match:
        raise Wrong(f"`{text}` is no figure")
    digits = match[1].replace(",", "")
    worth = UNITS.get(match[2] or unit, UNITS.get(unit, 1))
    decimals = len(digits.partition(".")[2])
    return Fraction(digits) * worth, Fraction(1, 10**decimals) * worth


def rounds_to(exact, rounded, unit):
    """Is `rounded` the figure `exact`, with fewer digits or in another unit?"""
    (value, _), (shown, digit) = quantity(exact, unit), quantity(rounded, unit)
    return abs(value - shown) <= digit / 2


class Page:
    """A file as its readers see it: without line ends, and without the signs of comments."""

    def __init__(self, root, name):
        path = root / name
        if not path.is_file():
            raise Wrong(f"{name}: no such file")
        self.raw = path.read_text()
        self.lines = self.raw.split("\n")
        words, self.starts, length = [], [], 0
        for line in self.lines:
            if not name.endswith(".md"):
                line = re.sub(r"^\s*(/\*+|\*/?|//[/!]?|#)", "", line)
            text = "".join(word + " " for word in line.split())
            self.starts.append(length)
            words.append(text)
            length += len(text)
        self.text = "".join(words)

    def line_of(self, quote):
        """The line on which the quoted text begins, from 1; None: the page lacks it."""
        at = self.text.find(" ".join(quote.split()))
        return None if at < 0 else sum(start <= at for start in self.starts)


def constant(page, name, seen=()):
    """The value of a `#define`, of a `const` of Rust, or of a variable of Python."""
    expression = None
    for pattern in (rf"^#define {name} (.*?)(?:/\*.*)?$",
                    rf"^\s*(?:pub(?:\([a-z]+\))? )?(?:const|static) {name}: [^=]+=\s*([^;]+);",
                    rf"^{name} = ([^#\n]+)"):
        if match := re.search(pattern, page.raw, re.MULTILINE):
            expression = match[1]
            break
    if expression is None or name in seen:
        raise Wrong(f"no constant {name}")
    expression = re.sub(r"\bU?INT64_C\((\d+)\)", r"\1", expression)
    for call, worth in (("from_secs", 10**9), ("from_millis", 10**6), ("from_micros", 10**3)):
        expression = re.sub(rf"\b(?:\w+::)*{call}\(([^()]+)\)", rf"(\1 * {worth})", expression)
    expression = re.sub(r"(?<=\d)(?:_?[ui](?:8|16|32|64|size)|[uU]?[lL]+|[uU])\b", "", expression)
    expression = re.sub(r"(?<=\d)_(?=\d)", "", expression)
    expression = re.sub(r"\b(?:\w+::)*([A-Z_][A-Z_0-9]*)\b",
                        lambda other: str(constant(page, other[1], (*seen, name))), expression)
    if not re.fullmatch(r"[\d\s.+*/()<-]+|[\d\s]*0x[\da-f]+", expression):
        raise Wrong(f"{name} is `{expression.strip()}`, which is no number")
    return eval(expression.replace("/", "//") if "." not in expression else expression)


def check_constant(root, row):
    """Raise Wrong unless the code has this value."""
    page = Page(root, row["file"])
    if "count" in row:
        found, unit, what = len(re.findall(row["count"], page.raw, re.MULTILINE)), "", row["count"]
    else:
        what = row["name"]
        for other in row.get("with", []):
            page.raw += Page(root, other).raw
        found = constant(page, what)
        duration = "Duration" in "".join(line for line in page.lines if f" {what}:" in line)
        unit = "ns" if duration else SUFFIXES.get(what.rpartition("_")[2], "")
    if quantity(row["value"])[0] != Fraction(found) * UNITS[unit]:
        raise Wrong(f"{row['file']} has {what} = {found} {unit}".rstrip()
                    + f", {TABLE} has {row['value']}")


def tables(page, section):
    """The tables below a heading of this text, as lists of rows."""
    inside, rows = False, []
    for line in [*page.lines, "# end"]:
        if line.lstrip().startswith("|"):
            cells = [cell.strip().strip("*`") for cell in line.strip().strip("|").split("|")]
            rows.append(cells)
            continue
        if rows and inside:
            yield rows
        rows = []
        if line.startswith("#"):
            inside = line.lstrip("#").strip() == section


def cell(page, row):
    """The text of a cell of a table. An empty first cell repeats the one above it."""
    wanted = [part.strip() for part in row["row"].split("|")]
    for heads, _, *lines in tables(page, row["section"]):
        if row["column"] not in heads:
            continue
        above = ""
        for line in lines:
            above = line[0] or above
            if [above, *line[1:]][:len(wanted)] == wanted:
                return line[heads.index(row["column"])]
    raise Wrong(f"{row['table']}: no cell ({row['row']}; {row['column']}) in `{row['section']}`")


def check_cell(root, row):
    """Raise Wrong unless the table's cell has this figure."""
    text = cell(Page(root, row["table"]), row)
    if not re.search(rf"(?<![\d.,]){re.escape(row['value'])}(?![\d]|[.,]\d)", text):
        raise Wrong(f"{row['table']} has `{text}` in ({row['row']}; {row['column']}), "
                    f"{TABLE} has {row['value']}")


def check_quote(root, row, quote, is_cell):
    """The line of a quoted text. Raise Wrong where its figure is not the row's."""
    place = Page(root, quote["page"]).line_of(quote["text"])
    figure = quote.get("as", row["value"])
    if figure not in quote["text"]:
        raise Wrong(f"`{quote['text']}` does not contain {figure}")
    if is_cell and figure != row["value"] and not rounds_to(row["value"], figure,
                                                            row.get("unit", "")):
        raise Wrong(f"{figure} is not {row['value']} {row.get('unit', '')}".rstrip())
    if place is None:
        raise Wrong(f"the page does not contain `{quote['text']}`")
    return place


def check(root):
    """All mistakes, as lines to print, and the number of quotes."""
    text = (root / TABLE).read_text()
    mistakes, count = [], 0
    for kind, rows in tomllib.loads(text).items():
        for row in rows:
            reason = None
            try:
                (check_cell if kind == "cell" else check_constant)(root, row)
            except Wrong as wrong:
                reason = wrong
            for quote in row["quotes"]:
                count += 1
                try:
                    place = f"{quote['page']}:{check_quote(root, row, quote, kind == 'cell')}"
                    if reason:
                        mistakes.append(f"{place}: `{quote['text']}`: {reason}")
                except Wrong as wrong:
                    line = text[:max(text.find(quote["text"]), 0)].count("\n") + 1
                    mistakes.append(f"{quote['page']}: {wrong} ({TABLE}:{line})")
    return mistakes, count


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    mistakes, count = check(root if root.is_dir() else root.parent.parent)
    print("\n".join(mistakes or [f"{count} figures are those of the code and of the tables"]))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
