#!/usr/bin/env python3
"""Check that figures in prose are those of the code and of the tables that they come from.

docs/figures.toml has the figures, and the places that repeat each; its comment describes the form.
A constant or a cell with another value, and a text that its page does not have, are printed with
page and line. Exits with 1 then. Python 3.11 or later: scripts/check-figures.py [FOLDER].
"""

import csv
import functools
import pathlib
import re
import sys
import tomllib
from fractions import Fraction

TABLE = "docs/figures.toml"

# What a unit is worth in the base unit of its kind.
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "minutes": 60 * 10**9,
         "bytes": 1, "kB": 10**3, "KiB": 2**10, "MiB": 2**20, "%": 1, "ppm": Fraction(1, 10**4),
         "": 1}
# The unit of a constant, by the last word of its name.
SUFFIXES = {"NS": "ns", "US": "us", "MS": "ms", "S": "s", "BYTES": "bytes", "PERCENT": "%",
            "PPM": "ppm"}


class Wrong(Exception):
    """A figure is not what the table says, or cannot be found. The message says why."""


def quantity(text, unit=""):
    """A figure such as `-1,164 ns`: its unit, its value and its last digit in base units."""
    match = re.fullmatch(r"([+-]?)([\d,]*\.?\d+) ?([a-zA-Z]+|%)?", text)
    if not match or (match[3] or unit) not in UNITS:
        raise Wrong(f"`{text}` is no figure with a known unit")
    digits = match[2].replace(",", "")
    worth = UNITS[match[3] or unit]
    last = Fraction(worth, 10 ** len(digits.partition(".")[2]))
    return match[3] or unit, Fraction(match[1] + digits) * worth, last


def rounds_to(exact, rounded):
    """Is `rounded` the figure `exact`, with fewer digits or in another unit?"""
    unit, value, _ = quantity(exact)
    _, shown, last = quantity(rounded, unit)
    return abs(value - shown) <= last / 2


class Page:
    """A file: as it is, and as its readers see it, without line ends and signs of comments."""

    def __init__(self, root, name):
        path = root / name
        if not path.is_file():
            raise Wrong(f"no file {name}")
        self.name = name
        self.source = path.read_text()
        self.text, self.starts = "", []
        for line in self.source.split("\n"):
            if not name.endswith(".md"):
                line = re.sub(r"^\s*(/\*+|\*/?|//[/!]?|#)", "", line)
            self.starts.append(len(self.text))
            self.text += "".join(word + " " for word in line.split())

    def line_of(self, text):
        """The line on which the text begins, from 1."""
        at = self.text.find(text)
        if at < 0:
            raise Wrong(f"the page does not have `{text}`")
        return sum(start <= at for start in self.starts)


def constant(source, name, parents=()):
    """The value of a `#define` of C or of a `const` of Rust: an integer expression."""
    found = (re.search(rf"^#define {name} (.*?)(?:/\*.*)?$", source, re.MULTILINE) or
             re.search(rf"\bconst {name}: [^=]+=\s*([^;]+);", source))
    if not found or name in parents:
        raise Wrong(f"no constant {name}")
    text = re.sub(r"\bU?INT64_C\((\d+)\)", r"\1", found[1])
    for unit, worth in (("secs", 10**9), ("millis", 10**6), ("micros", 10**3)):
        text = re.sub(rf"\bDuration::from_{unit}\(([^()]+)\)", rf"(\1 * {worth})", text)
    text = re.sub(r"(?<=\d)_(?=\d)", "", text)
    text = re.sub(r"\b[A-Z_][A-Z_0-9]*\b",
                  lambda other: str(constant(source, other[0], (*parents, name))), text)
    if not re.fullmatch(r"[\d\s+*/()<-]+", text):
        raise Wrong(f"{name} is `{text.strip()}`, which is no integer")
    return eval(text.replace("/", "//"))  # only digits and operators: see above


def check_constant(page, others, name, value):
    """Raise Wrong unless the code has this value."""
    unit = ""
    if "(" in name:
        match = re.search(name, page.source)
        if not match:
            raise Wrong(f"{page.name} does not match {name}")
        found = int(match[1].replace("_", ""))
    else:
        found = constant(page.source + "".join(other.source for other in others), name)
        if re.search(rf"\b{name}: Duration\b", page.source):
            unit = "ns"
        elif not name.endswith("_PER_S"):
            unit = SUFFIXES.get(name.rpartition("_")[2], "")
    if quantity(value)[1] != Fraction(found) * UNITS[unit]:
        raise Wrong(f"{page.name} has {name} = {found} {unit}".rstrip() + f", not {value}")


def tables(page, heading):
    """The tables below a heading of this text, or a file of CSV, as lists of rows of cells."""
    if page.name.endswith(".csv"):
        heads, *rows = csv.reader(page.source.splitlines())
        yield [heads, [], *rows]
        return
    is_below, rows = False, []
    for line in [*page.source.split("\n"), "# end"]:
        if line.lstrip().startswith("|"):
            cells = line.strip().strip("|").split("|")
            rows.append([re.sub("[*`]", "", cell).strip() for cell in cells])
            continue
        if rows and is_below:
            yield rows
        rows = []
        if line.startswith("#"):
            is_below = line.lstrip("#").strip() == heading


def cell(page, heading, row, column):
    """The text of a cell. An empty first cell of a row repeats the one above it."""
    wanted, names = row.split(" | "), column.split(" | ")
    for heads, _, *lines in tables(page, heading):
        places = [at for at in range(len(heads)) if heads[:at + 1][-len(names):] == names]
        above = ""
        for line in lines if places else []:
            above = line[0] or above
            if [above, *line[1:]][:len(wanted)] == wanted:
                return line[places[0]]
    raise Wrong(f"{page.name}#{heading} has no cell ({row}; {column})")


def check_cell(page, heading, row, column, values):
    """Raise Wrong unless the table's cell has these figures."""
    text = cell(page, heading, row, column)
    for value in values:
        if page.name.endswith(".csv"):
            if not rounds_to(text, value):
                raise Wrong(f"{page.name} has {text} in ({row}; {column}), not {value}")
            continue
        digits = re.escape(value.partition(" ")[0])
        if not re.search(rf"(?<![\d.,]){digits}(?!\d|[.,]\d)", text):
            raise Wrong(f"{page.name}#{heading} has `{text}` in ({row}; {column}), not {value}")


def check_place(page, values, text, figure=None, is_cell=False):
    """The line of a text that repeats figures. Raise Wrong where its figures are others."""
    for shown in [figure] if figure else values:
        if shown not in text:
            raise Wrong(f"`{text}` does not have {shown}")
    if figure and is_cell and not rounds_to(values[0], figure):
        raise Wrong(f"`{text}`: {figure} is not {values[0]}, rounded")
    return page.line_of(text)


def check(root):
    """All mistakes, as lines to print, and the number of places that were checked."""
    table, pages = (root / TABLE).read_text(), functools.cache(lambda name: Page(root, name))
    mistakes, count = [], 0
    groups = tomllib.loads(table)
    for group in groups.get("source", []) + groups.get("table", []):
        heading = group.get("heading")
        for figure in group["figures"]:
            size = 2 if heading is None else 3
            (*names, values), places = figure[:size], figure[size:]
            values = values if isinstance(values, list) else [values]
            reason = None
            try:
                if heading is None:
                    others = [pages(name) for name in group.get("with", [])]
                    check_constant(pages(group["file"]), others, *names, *values)
                else:
                    check_cell(pages(group["file"]), heading, *names, values)
            except Wrong as wrong:
                reason = wrong
            for page, *place in places:
                count += 1
                try:
                    line = check_place(pages(page), values, *place, is_cell=heading is not None)
                    if reason:
                        mistakes.append(f"{page}:{line}: `{place[0]}`: {reason}")
                except Wrong as wrong:
                    at = max(table.find(place[0].replace('"', '\\"')), 0)
                    line = table[:at].count("\n") + 1
                    mistakes.append(f"{page}: {wrong} ({TABLE}:{line})")
    return mistakes, count


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    mistakes, count = check(root)
    print("\n".join(mistakes or [f"{count} figures are those of the code and of the tables"]))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
