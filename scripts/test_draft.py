"""The Internet-Draft docs/draft/onramp.xml says what core/ does: pytest scripts/test_draft.py.

The code of the draft decides on the recorded inputs of scripts/draft/recordings, and on the same
inputs with random changes, as the C of core/ does. Its constants are those of the headers.
"""

import ctypes
import importlib.util
import itertools
import os
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
    "TRAIN_POINTS_WITHOUT_FIRST",  # MIN_POINTS are as many
    "ENSEMBLE_MAX_MEMBERS", "ENSEMBLE_TRIES",  # of an implementation with several processors
    "PATH_MEMORY_KEEP_NS",  # the same
    "STARTUP_INTERRUPT_NS",  # hosts that cannot pace: not `onramp`
    "STARTUP_MAX_PARAMETERS", "PPM",  # parameters of other algorithms
    "STARTUP_STATE_BYTES", "STARTUP_UNLIMITED", "NS_PER_S",
}
# Functions that hosts call, with tests of their own.
OF_HOSTS = [
    "on_idle", "paces", "ends_for_good", "is_known", "initial_rate", "after", "learn_first_round"]
RECORDINGS = sorted((SCRIPTS / "draft/recordings").glob("*.json.xz"))
# The stage `draft` sets it: more inputs, and the lines that they reach.
IS_LONG = "ONRAMP_DRAFT_LONG" in os.environ
SEEDS = range(8 if IS_LONG else 1)


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
    return native.Core(tmp_path_factory.mktemp("core"))


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
    code, text = specification.code(), specification.DRAFT.read_text()
    for name in specification.constants():
        places = len(re.findall(rf"\b{name}\b", text))
        assert re.search(rf"\b{name}\b", code) or places > 1, name


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_the_draft_decides_as_core(path, draft, core):
    events = list(native.decide(core, recording.read(path)))
    assert len(events) > 1000
    assert list(replay.differences(draft, events)) == []


def disturbed(path, seed, core):
    events = disturbance.disturb(recording.read(path), f"{seed} {path.name}")
    return list(native.decide(core, events))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_draft_decides_as_core_on_disturbed_inputs(seed, draft, core):
    for path in RECORDINGS:
        events = disturbed(path, seed, core)
        assert list(replay.differences(draft, events)) == [], path.name


@pytest.mark.parametrize("restart_bytes", [0, 40_000])
@pytest.mark.parametrize("idle_ns", [0, 300 * 10**9, 300 * 10**9 + 1])
@pytest.mark.parametrize("unreported_bytes", [0, 16 << 20, (16 << 20) + 1])
def test_an_idle_time_leaves_what_core_says(restart_bytes, idle_ns, unreported_bytes, draft, core):
    numbers = [restart_bytes, idle_ns, unreported_bytes]
    left = core.library.host_restart_bytes__extern(*map(ctypes.c_uint64, numbers))
    assert draft["on_idle"](*numbers) == left


@pytest.mark.parametrize("phase", ["APPROACH", "AVOIDANCE", "DONE"])
@pytest.mark.parametrize("pacing_bytes_per_s", [1, 2**64 - 1])
@pytest.mark.parametrize("restart_bytes", [0, 40_000])
def test_a_host_paces_and_ends_as_core_says(phase, pacing_bytes_per_s, restart_bytes, draft, core):
    decision = recording.RECORDS["Decision"](
        phase=draft[phase], pacing_bytes_per_s=pacing_bytes_per_s, restart_bytes=restart_bytes)
    for numbers in itertools.product([1, 2, 3], repeat=3):
        paces = core.library.host_paces__extern(
            draft[phase], *map(ctypes.c_uint64, [pacing_bytes_per_s, *numbers]))
        assert draft["paces"](decision, *numbers) == paces
    for unreported_bytes in (16 << 20, (16 << 20) + 1):
        ends = core.library.host_ends_busy_connection__extern(
            ctypes.byref(decision), ctypes.c_uint64(unreported_bytes))
        assert draft["ends_for_good"](decision, unreported_bytes) == ends


HOUR_NS = 3600 * 10**9


@pytest.mark.parametrize("rate", [0, 75_000, 100_000, 600_000, 4_799_999, 4_800_000])
@pytest.mark.parametrize("age_ns", [0, HOUR_NS, HOUR_NS + 1])
@pytest.mark.parametrize("was_too_fast", [False, True])
@pytest.mark.parametrize(
    "prefix", [(0, 0, False), (200_000, HOUR_NS, False), (200_000, HOUR_NS, True),
               (200_000, HOUR_NS + 1, True)])
@pytest.mark.parametrize("outcome", ["CARRIED", "TOO_FAST"])
def test_the_initial_rate_is_learned_as_in_core(
        rate, age_ns, was_too_fast, prefix, outcome, draft, core):
    now_ns = 2 * HOUR_NS
    host = (rate, age_ns, was_too_fast)
    in_core = [(ctypes.c_uint64 * 3)(known, now_ns - age, flag)
               for known, age, flag in (host, prefix)]
    core.library.first_round_learn__extern(
        *in_core, draft[outcome], ctypes.c_uint64(now_ns))
    learned = draft["learn_first_round"](host, prefix, draft[outcome])
    assert [(known, now_ns - at, flag) for known, at, flag in in_core] == list(learned)


@pytest.mark.parametrize("name", ["UNVALIDATED_QUARTERS", "GROUP_SAMPLES", "DELAY_DIVISOR"])
def test_another_constant_decides_otherwise(name, draft, core):
    other = specification.load()
    other[name] += 1
    events = list(native.decide(core, recording.read(RECORDINGS[0])))
    assert any(replay.differences(other, events))


@pytest.mark.skipif(not IS_LONG, reason="takes long: the stage `draft`")
def test_the_inputs_reach_each_line_of_on_start_on_ack_and_on_loss(core):
    """Those of the host's functions are reached by the tests above."""
    recorded = [disturbed(path, seed, core) for path in RECORDINGS for seed in SEEDS]
    run = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename != str(specification.DRAFT):
            return None
        run.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        draft = specification.load()
        for events in recorded:
            assert list(replay.differences(draft, events)) == []
    finally:
        sys.settrace(before)
    of_host = {line for name in OF_HOSTS
               for line in lines_of(draft[name].__code__)}
    code = compile(specification.code(), str(specification.DRAFT), "exec")
    lines = specification.code().split("\n")
    missed = sorted(set(lines_of(code)) - run - of_host)
    assert [lines[number - 1] for number in missed] == []


def lines_of(compiled):
    yield from (line for _, _, line in compiled.co_lines() if line)
    for constant in compiled.co_consts:
        if hasattr(constant, "co_lines"):
            yield from lines_of(constant)
