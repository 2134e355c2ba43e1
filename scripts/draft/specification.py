"""The Internet-Draft docs/draft/onramp.xml: its code, and the constants of its tables.

The names of states, exits and flags are those of core/startup.h, as core/src/bindings.rs has them.
"""

import copy
import pathlib
import re
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).parents[2]
DRAFT = ROOT / "docs/draft/onramp.xml"
BINDINGS = ROOT / "core/src/bindings.rs"

# What a unit of the tables is worth.
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "MiB": 2**20, "": 1}
# The draft's name of a number of core/startup.h, where it is not the name without its prefix.
NAMES = {"EXIT_NONE": "NO_EXIT", "FIRST_ROUND_UNKNOWN": "UNKNOWN",
         "FIRST_ROUND_CARRIED": "CARRIED", "FIRST_ROUND_TOO_FAST": "TOO_FAST"}


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def constants():
    """The constants of the tables: name, and value with its unit, as the draft has them."""
    found = {}
    for table in ElementTree.parse(DRAFT).iter("table"):
        if text_of(table.find("thead/tr/th")) != "Constant":
            continue
        for row in table.iter("tr"):
            name, value, *_ = [text_of(cell) for cell in row]
            if row.find("td") is not None:
                assert name not in found, f"{name} is in two rows"
                found[name] = value
    return found


def worth(value):
    """The number of a value such as `600,000` or `4 ms`, in base units."""
    number, _, unit = value.partition(" ")
    return int(number.replace(",", "")) * UNITS[unit]


def code():
    """The code of the draft, in its order."""
    blocks = ElementTree.parse(DRAFT).iter("sourcecode")
    return "\n".join(block.text for block in blocks if block.get("type") == "python")


def numbers():
    """Phases, exits, kinds of loss and outcomes: the numbers that recordings have."""
    pattern = r"pub const ((?:PHASE|EXIT|LOSS|FIRST_ROUND)_\w+): \w+ = (\d+);"
    found = re.findall(pattern, BINDINGS.read_text())
    return {NAMES.get(name, name.removeprefix("PHASE_")): int(value) for name, value in found}


def load():
    """The algorithm: what the draft's code defines."""
    names = {"copy": copy.copy, **numbers()}
    names.update((name, worth(value)) for name, value in constants().items())
    exec(compile(code(), str(DRAFT), "exec"), names)
    return names
