"""Recorded inputs and decisions of `onramp`.

    *.bin      of scripts/draft/record.c, from the simulator
    *.jsonl    of `onramp lab --record`, from the kernel
    *.json.xz  inputs alone, by columns: those of the tests
"""

import ctypes
import itertools
import json
import lzma
import re
from types import SimpleNamespace

from specification import BINDINGS

TYPES = {"u64": ctypes.c_uint64, "u32": ctypes.c_uint32, "u16": ctypes.c_uint16,
         "u8": ctypes.c_uint8}
KINDS = {1: "Start", 2: "Ack", 3: "Loss"}


def structures():
    """The records of core/startup.h, with the layout of C."""
    text, found = BINDINGS.read_text(), {}
    for name in ("Clock", "Start", "Ack", "Loss", "Decision"):
        body = re.search(rf"pub struct {name} {{(.*?)^}}", text, re.DOTALL | re.MULTILINE)[1]
        fields = [(field, TYPES.get(kind) or found[kind])
                  for field, kind in re.findall(r"pub (\w+): (\w+),", body)]
        found[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    return found


RECORDS = structures()


def bit(name):
    return int(re.search(rf"pub const {name}: \w+ = (\d+);", BINDINGS.read_text())[1])


FLAGS = {"is_cwnd_limited": bit("ACK_CWND_LIMITED"), "is_app_limited": bit("ACK_APP_LIMITED"),
         "is_recovering": bit("ACK_RECOVERING")}
OPTIONS = {"has_timestamps": bit("OPTION_TIMESTAMPS"),
           "acks_are_delayed": bit("OPTION_DELAYED_ACKS")}


def as_input(kind, record):
    """The record as the draft names its members."""
    members = {name: getattr(record, name) for name, _ in record._fields_}
    names, flags = {"Start": (OPTIONS, "options"), "Ack": (FLAGS, "flags")}.get(kind, ({}, ""))
    members.update((name, members[flags] & value != 0) for name, value in names.items())
    return SimpleNamespace(**members)


def read_binary(path):
    """Events of record.c: (kind, the number of the event before it or 0, input, decision)."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        kind, before = KINDS[int.from_bytes(data[at:at + 8], "little")], data[at + 8:at + 16]
        at += 16
        record = RECORDS[kind].from_buffer_copy(data, at)
        at += ctypes.sizeof(record)
        decision = RECORDS["Decision"].from_buffer_copy(data, at)
        at += ctypes.sizeof(decision)
        yield kind, int.from_bytes(before, "little"), record, decision


def read_lines(path):
    latest, number = {}, 0
    for line in path.open():
        event = json.loads(line)
        [(kind, members)] = event["input"].items()
        if event["startup"] != "onramp" or kind == "end":
            continue
        number += 1
        key = (event["transfer"], event["connection"])
        before = latest.get(key, 0) if kind != "start" else 0
        latest[key] = number
        name = kind.capitalize()
        yield name, before, filled(name, members), filled("Decision", event["decision"])


def filled(name, members):
    """A record with these members; others are 0."""
    record = RECORDS[name]()
    for field, value in members.items():
        is_clock = isinstance(value, dict)
        setattr(record, field, RECORDS["Clock"](*value.values()) if is_clock else value)
    return record


def write_inputs(path, events):
    """Write the inputs by columns, as differences to the value before: they are small numbers."""
    columns = {name: {} for name in KINDS.values()}
    for kind, _, record, _ in events:
        for name, of in record._fields_:
            if of is not RECORDS["Clock"]:
                columns[kind].setdefault(name, []).append(getattr(record, name))
    for column in (column for of_kind in columns.values() for column in of_kind.values()):
        column[1:] = [value - last for last, value in itertools.pairwise(column)]
    text = json.dumps({"kinds": "".join(kind[0] for kind, *_ in events),
                       "steps": [number - before for number, (_, before, *_) in
                                 enumerate(events, 1)],
                       "columns": columns}, separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def read_inputs(path):
    data = json.loads(lzma.decompress(path.read_bytes()))
    records = {}
    for kind, columns in data["columns"].items():
        values = [itertools.accumulate(column) for column in columns.values()]
        records[kind[0]] = kind, list(columns), zip(*values)
    for number, (letter, step) in enumerate(zip(data["kinds"], data["steps"]), 1):
        kind, names, rows = records[letter]
        yield kind, number - step, filled(kind, dict(zip(names, next(rows)))), None


def read(path):
    """All events of a recording: kind, the number of the event before or 0, input, decision."""
    ways = {".bin": read_binary, ".jsonl": read_lines, ".xz": read_inputs}
    return list(ways[path.suffix](path))
