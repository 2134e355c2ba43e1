"""What the program `uploads` and neqo's tests print, and the tables made of it."""

import dataclasses
import math
import re

from foreign import Malformed

# 10 to 50 Mbit/s, 20 to 200 ms, queues of 0.3 and 1 BDP.
RATES_MBIT_PER_S = 10, 25, 50
RTTS_MS = 20, 50, 100, 200
QUEUES_TENTHS = 3, 10
SIZES = {100_000: "100 kB", 1_000_000: "1 MB", 5_000_000: "5 MB"}
# neqo's default slow start, to which all others are compared.
DEFAULT = "classic"


@dataclasses.dataclass(frozen=True, order=True)
class Path:
    """A path of the table."""

    rate_mbit_per_s: int
    rtt_ms: int
    queue_tenths: int

    def arguments(self):
        """The path for `uploads`."""
        return [str(self.rate_mbit_per_s), str(self.rtt_ms), str(self.queue_tenths)]


@dataclasses.dataclass(frozen=True)
class Upload:
    """An upload: its time behind the handshake, and the packets that left and that arrived."""

    time_us: int
    sent: int
    passed: int

    def dropped(self):
        """The packets that the queue dropped. Packets are under way when the counts begin and end,
        so without a drop more may arrive than leave."""
        return max(self.sent - self.passed, 0)


PATHS = [Path(rate, rtt, queue) for rate in RATES_MBIT_PER_S for rtt in RTTS_MS
         for queue in QUEUES_TENTHS]


def parse(text, slow_starts):
    """The uploads that `uploads` prints, by slow start."""
    uploads = {}
    for line in text.splitlines():
        match = re.fullmatch(r"slow_start=(\w+) time_us=(\d+) sent=(\d+) passed=(\d+)", line)
        if not match:
            raise Malformed(f"expected an upload, found `{line}`")
        uploads[match[1]] = Upload(*map(int, match.groups()[1:]))
    missing = [name for name in slow_starts if name not in uploads]
    if missing:
        raise Malformed(f"no upload of {', '.join(missing)}")
    return uploads


def ratio(uploads, name):
    """The time of a slow start, of that of neqo's default."""
    return uploads[name].time_us / uploads[DEFAULT].time_us


def geometric_mean(values):
    """The geometric mean of ratios."""
    return math.exp(sum(map(math.log, values)) / len(values))


def markdown(rows, left):
    """A table in Markdown, whose first columns are aligned to the left."""
    rule = ["---"] * left + ["---:"] * (len(rows[0]) - left)
    return "".join(f"| {' | '.join(row)} |\n" for row in [rows[0], rule, *rows[1:]])


def summary(results, slow_starts):
    """The table of all uploads together. `results` are uploads by path and size."""
    rows = [["slow start", f"time, of `{DEFAULT}`", "best", "worst", "packets dropped",
             *SIZES.values()]]
    for name in slow_starts:
        ratios = [ratio(uploads, name) for uploads in results.values()]
        dropped = sum(uploads[name].dropped() for uploads in results.values())
        of_sizes = [geometric_mean([ratio(uploads, name) for (_, one), uploads in results.items()
                                    if one == size]) for size in SIZES]
        rows.append([f"`{name}`", f"{geometric_mean(ratios):.2f}", f"{min(ratios):.2f}",
                     f"{max(ratios):.2f}", f"{dropped:,}", *(f"{one:.2f}" for one in of_sizes)])
    return markdown(rows, 1)


def table(results, slow_starts):
    """The table of each upload."""
    others = [name for name in slow_starts if name != DEFAULT]
    rows = [["Mbit/s", "RTT", "queue", "size", f"`{DEFAULT}`", *(f"`{name}`" for name in others)]]
    for (path, size), uploads in results.items():
        rows.append([str(path.rate_mbit_per_s), f"{path.rtt_ms} ms",
                     f"{path.queue_tenths / 10:g} BDP", SIZES[size],
                     f"{uploads[DEFAULT].time_us / 1e6:.3f} s",
                     *(f"{ratio(uploads, name):.2f}" for name in others)])
    return markdown(rows, 0)


def tests(text):
    """The tests that `cargo test` ran: names that passed, and names that failed."""
    found = re.findall(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$", text, re.MULTILINE)
    if not found:
        raise Malformed("`cargo test` ran no test")
    by_result = {"ok": set(), "FAILED": set()}
    for name, result in found:
        by_result[result].add(name)
    return by_result["ok"], by_result["FAILED"]


def message(text, test):
    """The message with which a test failed, in a line."""
    match = re.search(rf"^thread '{re.escape(test)}'.* panicked at (\S+):\n"
                      r"(.*(?:\n +(?:left|right): .*)*)", text, re.MULTILINE)
    return f"{match[1]} {' '.join(match[2].split())}" if match else "no message"
