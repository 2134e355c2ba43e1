"""What the program `satellite` prints, and the tables made of it."""

import dataclasses

from foreign import Malformed

# Limits of the tests that are for BBR, which every path has, and for CUBIC.
BBR, CUBIC = "bbr", "cubic"

# What each path of satellite_test.c is, in the order of the table. Rates are those of the direction
# of the data and of the ACKs.
PATHS = {
    "basic": "250 and 3 Mbit/s",
    "seeded": "the same, the BDP is known",
    "jitter": "the same, 3 ms of jitter",
    "loss": "the same, 1 of 64 packets is lost",
    "loss_fc": "the same, lost, flow control of 2 BDP",
    "preemptive": "the same, lost, preemptive repeats",
    "preemptive_fc": "20 and 2 Mbit/s, 10 MB, lost, repeats, flow control of BDP/2",
    "medium": "50 and 10 Mbit/s",
    "small": "10 and 2 Mbit/s",
    "small_up": "2 and 10 Mbit/s",
}


@dataclasses.dataclass(frozen=True)
class Limit:
    """A test of satellite_test.c: its path, and the control that its limit is for."""

    test: str
    path: str
    control: str
    limit_us: int


@dataclasses.dataclass(frozen=True)
class Transfer:
    """One transfer: a test that ran with a congestion control."""

    completion_us: int
    sent: int
    dropped: int
    retransmitted: int
    spurious: int
    # The transfer was complete, and every check of the test passed, its limit aside.
    passed: bool
    # How Onramp's start-up went; empty for picoquic's own controls.
    startup: dict

    def lost_percent(self):
        """The share of the sender's packets that the link dropped."""
        return 100 * self.dropped / max(self.sent + self.dropped, 1)


def fields(line):
    """The fields of a line of `name=value`."""
    pairs = [word.partition("=") for word in line.split()]
    if not pairs or not all(equals for _, equals, _ in pairs):
        raise Malformed(f"expected `name=value`, found `{line}`")
    return {name: value for name, _, value in pairs}


def number(record, name):
    """A field that is a number."""
    try:
        return int(record[name])
    except KeyError:
        raise Malformed(f"no `{name}` in {record}") from None
    except ValueError:
        raise Malformed(f"`{name}={record[name]}` is no number") from None


def parse_list(text):
    """The limits that `satellite list` prints."""
    limits = []
    for line in text.splitlines():
        record = fields(line)
        unknown = {"test", "path", "control"} - record.keys()
        if unknown:
            raise Malformed(f"no `{min(unknown)}` in `{line}`")
        limits.append(Limit(record["test"], record["path"], record["control"],
                            number(record, "limit_us")))
    missing = PATHS.keys() - {limit.path for limit in limits if limit.control == BBR}
    if missing:
        raise Malformed(f"no limit of {BBR} for {', '.join(sorted(missing))}")
    return limits


def parse_run(text):
    """The transfer that `satellite run` prints."""
    record = {}
    for line in text.splitlines():
        record.update(fields(line))
    startup = {name: record[name] for name in
               ("phase", "exit", "estimate", "window", "handed_over_us") if name in record}
    return Transfer(
        completion_us=number(record, "completion_us"), sent=number(record, "sent"),
        dropped=number(record, "dropped"), retransmitted=number(record, "retransmitted"),
        spurious=number(record, "spurious"), passed=number(record, "passed") == 1,
        startup=startup)


def limit_us(limits, path, control):
    """The limit that the tests have for a control on a path; None: they have none."""
    return next((limit.limit_us for limit in limits
                 if (limit.path, limit.control) == (path, control)), None)


def cell(transfer, limit):
    """What the table says of a transfer. `limit`: that of its path and control."""
    text = f"{transfer.completion_us / 1e6:.2f}"
    if not transfer.passed:
        return f"{text} failed"
    if transfer.completion_us > limit:
        text += " *"
    return f"{text} ({transfer.lost_percent():.1f} %)"


def table(limits, transfers, controls):
    """The table in Markdown. `transfers` are by path and control."""
    heading = ["test", "path", "limit, BBR", "limit, CUBIC", *controls]
    rows = [heading, ["---"] * 2 + ["---:"] * (len(heading) - 2)]
    for path, description in PATHS.items():
        if not any((path, control) in transfers for control in controls):
            continue
        for_bbr, for_cubic = (limit_us(limits, path, control) for control in (BBR, CUBIC))
        row = [f"`{path}`", description, f"{for_bbr / 1e6:.1f}",
               f"{for_cubic / 1e6:.1f}" if for_cubic else ""]
        for control in controls:
            own = limit_us(limits, path, control) or for_bbr
            row.append(cell(transfers[path, control], own))
        rows.append(row)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
