"""The Internet-Draft docs/draft/onramp.xml says what core/ does: pytest scripts/test_draft.py.

The code of the draft decides on the recorded inputs of scripts/draft/recordings, and on the same
inputs with random changes, as the C of core/ does. Its constants are those of the headers.
"""

import importlib.util
import pathlib
import re
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).parent
sys.path.insert(0, str(SCRIPTS / "draft"))

import disturbance  # noqa: E402
import native  # noqa: E402
import recording  # noqa: E402
import replay  # noqa: E402
import specification  # noqa: E402

spec = importlib.util.spec_from_file_location("check_figures", SCRIPTS / "check-figures.py")
figures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(figures)

HEADERS = [
    *(f"core/measure/{name}.h" for name in ("ack_train", "flight", "pair_rate", "receiver_clock")),
    *(f"core/parts/{name}.h" for name in ("ensemble", "first_round", "path_memory")),
    "core/algorithms/onramp/state.h", "core/host.h", "core/startup.h", "core/math.h",
]
# What the draft leaves out before a name.
PREFIXES = ["", "ONRAMP_", "PAIR_RATE_", "HOST_", "STARTUP_"]
# Constants that decide nothing of `onramp`, and reasons.
UNSPECIFIED = {
    "TRAIN_CLOSE_DIVISOR",  # a variant
    "ENSEMBLE_MAX_MEMBERS", "ENSEMBLE_TRIES",  # of an implementation with several processors
    "PATH_MEMORY_KEEP_NS",  # the same
    "STARTUP_INTERRUPT_NS",  # hosts that cannot pace: not `onramp`
    "STARTUP_STATE_BYTES", "STARTUP_UNLIMITED", "NS_PER_S",
}
RECORDINGS = sorted((SCRIPTS / "draft/recordings").glob("*.json.xz"))
SEEDS = range(3)


@pytest.fixture(scope="module")
def headers():
    return [figures.Page(specification.ROOT, name) for name in HEADERS]


@pytest.fixture(scope="module")
def names(headers):
    """The constants of the headers."""
    source = "".join(page.source for page in headers)
    return set(re.findall(r"^#define ([A-Z_]+) ", source, re.MULTILINE)) - {"TRAIN_VARIANTS"}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    return native.compile_core(tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="module")
def draft():
    return specification.load()


def in_headers(name, names):
    [found] = {prefix + name for prefix in PREFIXES} & names or {None}
    return found


def test_constants_are_those_of_the_headers(headers, names):
    for name, value in specification.constants().items():
        found = in_headers(name, names)
        assert found, f"no header has {name}"
        figures.check_constant(headers[0], headers[1:], found, value)


def test_each_constant_of_the_headers_is_in_the_draft(names):
    specified = {in_headers(name, names) for name in specification.constants()}
    assert names - specified == UNSPECIFIED


def test_each_constant_is_used_or_explained():
    code, constants = specification.code(), specification.constants()
    unused = {name for name in constants if not re.search(rf"\b{name}\b", code)}
    text = specification.DRAFT.read_text()
    assert not {name for name in unused if len(re.findall(rf"\b{name}\b", text)) < 2}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_the_draft_decides_as_core(path, draft, core):
    events = list(native.decide(core, recording.read(path)))
    assert len(events) > 500
    assert list(replay.differences(draft, events)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_the_draft_decides_as_core_on_disturbed_inputs(seed, draft, core):
    for path in RECORDINGS:
        events = disturbance.disturb(recording.read(path), f"{seed} {path.name}")
        events = list(native.decide(core, events))
        assert list(replay.differences(draft, events)) == [], path.name


@pytest.mark.parametrize("name", ["UNVALIDATED_QUARTERS", "GROUP_SAMPLES", "MIN_DELAY_NS"])
def test_another_constant_decides_otherwise(name, draft, core):
    other = specification.load()
    other[name] += 1
    events = list(native.decide(core, recording.read(RECORDINGS[0])))
    assert any(replay.differences(other, events))


def test_each_line_of_the_algorithm_is_run(core):
    """The recordings and their changes reach each line of the draft's code."""
    code, run = compile(specification.code(), str(specification.DRAFT), "exec"), set()

    def trace(frame, event, _):
        if frame.f_code.co_filename != str(specification.DRAFT):
            return None
        run.add(frame.f_lineno)
        return trace

    def lines_of(compiled):
        yield from (line for _, _, line in compiled.co_lines() if line)
        for constant in compiled.co_consts:
            if hasattr(constant, "co_lines"):
                yield from lines_of(constant)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        draft = specification.load()
        for path in RECORDINGS:
            for seed in SEEDS:
                events = disturbance.disturb(recording.read(path), f"{seed} {path.name}")
                list(replay.differences(draft, list(native.decide(core, events))))
    finally:
        sys.settrace(before)
    lines = specification.code().split("\n")
    missed = {number: lines[number - 1] for number in sorted(set(lines_of(code)) - run)}
    assert missed == {}
