"""The plan of a sweep: which cells there are, and the scenario of each.

A *cell* is a scenario with one value of each axis. Its values and its seed follow from the number
of the cell and the seed of the sweep alone, by SHA-256, so that any machine can run any cell.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from onramp import _onramp, _toml
from onramp._errors import OnrampError
from onramp._keys import find
from onramp._quantities import quantity
from onramp.axes import Drawn, Grid, Value

#: What follows from the rest of a plan.
_DERIVED = {"kinds", "orders", "template"}


def _hash(*words: object) -> int:
    """Return 64 bits that depend on the words alone."""
    text = json.dumps(words, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _mark(key: str) -> str:
    """Return the text that stands for a key's value in the template of cells."""
    return f"<value of {key}>"


@dataclass
class Plan:
    """What a sweep runs."""

    base: dict[str, Any]
    grids: dict[str, Grid]
    drawn: dict[str, Drawn]
    samples: int
    sampling: str
    seed: int
    batch: int
    kinds: dict[str, str] = field(default_factory=dict)
    orders: dict[str, list[int]] = field(default_factory=dict)
    #: The text of a cell's scenario, with marks for what differs between cells.
    template: str = ""

    def __post_init__(self) -> None:
        self.template = self._template()
        if self.sampling == "latin-hypercube":
            # Each of the strata of an axis has one sample, in an order that looks random.
            for key in self.drawn:
                ranks = [(_hash(self.seed, "stratum", key, n), n) for n in range(self.samples)]
                self.orders[key] = [n for _, n in sorted(ranks)]

    def _template(self) -> str:
        document = copy.deepcopy(self.base) | {key: _mark(key) for key in ("name", "seed")}
        taken = {"name": "the number of the cell"}
        for key in (*self.grids, *self.drawn):
            self.kinds[key], tables = find(document, key)
            for place, table in tables.items():
                if place in taken:
                    raise OnrampError(
                        f"an axis is named `{key}`, but {taken[place]} sets `{place}` already"
                    )
                taken[place] = f"`{key}`"
                table[place.rpartition(".")[2]] = _mark(key)
        return _toml.dumps(document)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.samples * math.prod(len(grid.values) for grid in self.grids.values())

    @property
    def batches(self) -> int:
        """The number of batches."""
        return -(-self.cells // self.batch)

    def values(self, cell: int) -> dict[str, Value]:
        """Return the value of each axis. Cells of one sample stand together."""
        sample, place = divmod(cell, self.cells // self.samples)
        values: dict[str, Value] = {}
        for key, grid in reversed(self.grids.items()):
            place, index = divmod(place, len(grid.values))
            values[key] = grid.values[index]
        for key, drawn in self.drawn.items():
            share = _hash(self.seed, "share", key, sample) / 2**64
            if key in self.orders:
                share = (self.orders[key][sample] + share) / self.samples
            values[key] = drawn.at(min(share, math.nextafter(1.0, 0.0)))
        return values

    def examples(self, key: str) -> tuple[Value, ...]:
        """Return values of an axis that have all its types."""
        if key in self.grids:
            return self.grids[key].values
        # A range has fractions.
        return self.drawn[key].values or (0.0,)

    def text(self, cell: int, values: dict[str, Value]) -> str:
        """Return the text of a cell's scenario."""
        # The seed of a scenario has 63 bits.
        seed = _hash(self.seed, "seed", sorted(values.items())) >> 1
        written: dict[str, object] = {"name": f"cell-{cell}", "seed": seed}
        for key, value in values.items():
            axis = self.grids.get(key) or self.drawn[key]
            if axis.unit is None:
                written[key] = quantity(key, self.kinds[key], value)
            else:
                written[key] = f"{value} {axis.unit}"
        text = self.template
        for key, of_key in written.items():
            text = text.replace(_toml.written(key, _mark(key)), _toml.written(key, of_key))
        return text

    def of_batch(self, number: int) -> range:
        """Return the cells of a batch."""
        return range(number * self.batch, min((number + 1) * self.batch, self.cells))

    @cached_property
    def manifest(self) -> str:
        """The description of the sweep, from which :meth:`read` makes the plan again."""
        content = {key: value for key, value in asdict(self).items() if key not in _DERIVED}
        content["version"] = _onramp.version()
        return json.dumps(content, indent=2, default=str) + "\n"

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the description: what files of one sweep have in common."""
        return hashlib.sha256(self.manifest.encode()).hexdigest()

    @classmethod
    def read(cls, manifest: str) -> tuple[Plan, str]:
        """Return the plan that a manifest describes, and the version that ran it."""
        content = json.loads(manifest)
        version = content.pop("version")
        for axes, kind in (("grids", Grid), ("drawn", Drawn)):
            for key, axis in content[axes].items():
                content[axes][key] = kind(**axis | {"values": tuple(axis["values"])})
        return cls(**content), version
