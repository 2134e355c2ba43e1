#!/usr/bin/env python3
"""Measures start-ups on a kernel in an emulator, beside the simulator.

    scripts/kernels/startups.py --onramp target/release/onramp --cache target/kernels

Scenarios run by `onramp lab` of a guest in virtual time, and by `onramp sim` of this host. A guest
for each part: the exact paths with each size, real paths, and recordings of mobile networks, which
--traces names. The cache keeps what each guest measured. docs/comparison.md and docs/real-paths.md
get tables of what is kept; with --kept nothing is booted, and only the simulator runs again. Exit
codes: 0 measured, 1 a run failed, 3 there is no kernel or no emulator.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import machine
import packages
import virtual

sys.path.append(str(machine.HERE.parent))
from foreign import Malformed, replace_between

ROOT = machine.HERE.parent.parent
SCENARIOS = ROOT / "scenarios"
PAGES = {"comparison": ROOT / "docs" / "comparison.md", "real": ROOT / "docs" / "real-paths.md"}
MARKS = ("<!-- kernel -->", "<!-- /kernel -->")
RECORDED_MARKS = ("<!-- kernel, recorded -->", "<!-- /kernel, recorded -->")
# By the names of parts.
SIZES = {name.lower().replace(" ", "-"): name for size, name in virtual.SIZES.items()
         if size <= 5_000_000}
# Transfers that differ by more are listed.
APART_PERCENT = 5
# Those of `onramp compare-startups`, which follow CUBIC.
STARTUPS = ("none", "hystart", "search", "suss", "jump", "halfback", "bbrstart", "rapid", "lift",
            "standard", "paced", "spaced", "hoe", "astart")
# `onramp` on a host that knows nothing, in each run: the simulator's hosts know nothing either.
ONRAMP = {"startup": "onramp", "initial_rate": "5 Mbit/s"}
EXACT = {"rate": ["10 Mbit/s", "50 Mbit/s"]}
ONE_PATH = {"rate": "50 Mbit/s", "rtt": "100 ms", "queue": "1 bdp"}
# Slots of aggregated ACKs and lateness are random, so their repeats differ. An exact path repeats
# to show that it does not.
REPEATS, EXACT_REPEATS, STARTS = 5, 9, 9
RECORDINGS = ("Verizon-LTE-short", "ATT-LTE-driving-2016")


def scenario(name, file, path, transfers):
    """A shipped scenario by another name, with these keys of the path, and with these transfers."""
    head, _, _ = (SCENARIOS / file).read_text().partition("\n[[transfer]]")
    for key, value in {"name": name, **path}.items():
        line = f"{key} = {json.dumps(value)}"
        head, found = re.subn(rf"^{key} = .*$", lambda _: line, head, count=1, flags=re.MULTILINE)
        if not found:
            raise machine.Unusable(f"{file} has no line of the key {key}")
    tables = ["\n".join(["[[transfer]]", *(f"{key} = {json.dumps(value)}"
                                           for key, value in transfer.items())])
              for transfer in transfers]
    return "\n\n".join([head.strip(), *tables]) + "\n"


def with_avoidance(transfers, **keys):
    """Transfers with CUBIC where they name no other avoidance, and with these keys."""
    return [{"avoidance": "cubic", **transfer, **keys} for transfer in transfers]


def exact(name):
    """The 12 exact paths with one size and all start-ups."""
    transfers = [{"startup": list(STARTUPS)}, ONRAMP,
                 {"startup": "none", "initial_window": ["32 segments", "100 segments"]},
                 {"startup": "none", "avoidance": "bbr"}]
    return {name: scenario(name, "start-up.toml", EXACT,
                           with_avoidance(transfers, size=SIZES[name]))}


def real():
    """Real paths, and one exact path many times."""
    def of(name, file, path, sizes, repeat):
        transfers = with_avoidance([{"startup": "none"}, ONRAMP], size=sizes, repeat=repeat)
        return scenario(name, file, path, transfers)

    both = ["1 MB", "5 MB"]
    rate = {key: ONE_PATH[key] for key in ("rate", "rtt")}
    return {
        "aggregated": of("aggregated", "real/ack-aggregation.toml", rate, both, REPEATS),
        "late_link": of("late-link", "real/late-link.toml", rate, both, REPEATS),
        "one": of("one", "start-up.toml", ONE_PATH, "1 MB", EXACT_REPEATS),
    }


def recorded(traces):
    """Recordings, and the files that these scenarios name."""
    scenarios, files = {}, []
    for recording in RECORDINGS:
        down, up = (f"{recording}.{end}" for end in ("down", "up"))
        name = recording.lower()
        text = scenario(name, "real/synthetic-lte.toml", {"trace": down}, with_avoidance(
            [{"startup": "none"}, ONRAMP], size=list(SIZES.values()), repeat=STARTS))
        scenarios[name] = text.replace("traces/synthetic-lte.up", up)
        files += [traces / down, traces / up]
    return scenarios, files


def parts(traces):
    """The scenarios and the files of each part."""
    found = {name: (exact(name), []) for name in SIZES} | {"real": (real(), [])}
    return found | ({"recorded": recorded(traces)} if traces else {})


def measure(guests, name, scenarios, files, folder):
    """Runs a part in a guest. Its scenarios stay beside its results, for the simulator."""
    place = machine.empty(folder) / "scenarios"
    place.mkdir()
    for scenario_name, text in scenarios.items():
        (place / f"{scenario_name}.toml").write_text(text)
    for file in files:
        machine.copy(file, place / file.name)
    return guests.measure(name, folder, "startups.sh",
                          {f"scenarios/{file.name}": file for file in place.iterdir()})


def simulate(onramp, file):
    """The records of a scenario in the simulator, by case."""
    printed = subprocess.run([onramp, "sim", file, "--json"], capture_output=True, text=True,
                             check=False)
    if printed.returncode != 0:
        raise machine.Unusable(f"onramp sim {file.name}: {printed.stderr.strip()[-300:]}")
    return {record["case"]: record for record in json.loads(printed.stdout)}


def sender(record):
    """What sent, as the tables name it."""
    if record["initial_window"] != "host":
        return f"iw{record['initial_window'].split()[0]}"
    if record["avoidance"] != "cubic":
        return record["avoidance"]
    return record["startup"].split()[0]


class Both:
    """A transfer in the simulator and on the kernel."""

    def __init__(self, simulated, measured):
        self.records = (simulated, measured)
        self.sender, self.size, self.run = sender(measured), measured["size_bytes"], measured["run"]
        self.path = (measured["rate_bits_per_s"] // 1_000_000, measured["rtt_ms"],
                     measured["queue"], measured["path"])
        self.is_late = measured["suspect"]

    def of_each(self, key):
        """A value in the simulator and on the kernel."""
        return [record[key] for record in self.records]

    def difference(self):
        """How much longer the simulator takes, in percent of the kernel's time."""
        simulated, measured = self.of_each("completion_s")
        return (simulated / measured - 1) * 100

    def cell(self):
        """The path and the size: what start-ups are compared over."""
        return self.path, self.size, self.run


def both(onramp, folder):
    """The transfers of a part, by scenario, and what the guest said of itself."""
    verdicts, runs = virtual.kept(folder)
    found = {}
    for name, records in runs.items():
        simulated = simulate(onramp, folder / "scenarios" / f"{name}.toml")
        found[name] = [Both(simulated[record["case"]], record) for record in records
                       if record["finished"] and simulated[record["case"]]["finished"]]
    return verdicts, found


def pair(values, digits):
    """The simulator's and the kernel's value."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def ratios(transfers, baseline):
    """The times of CUBIC's, in the simulator and on the kernel."""
    pairs = [(transfer.of_each("completion_s"), baseline[transfer.cell()].of_each("completion_s"))
             for transfer in transfers if transfer.cell() in baseline]
    return [[times[host] / of[host] for times, of in pairs] for host in (0, 1)]


def means(of_hosts):
    """The geometric means of the simulator's and the kernel's values."""
    return [virtual.mean(values) for values in of_hosts]


def group(transfers, key):
    """Transfers by what a function returns for each."""
    groups = {}
    for transfer in transfers:
        groups.setdefault(key(transfer), []).append(transfer)
    return groups


def table(columns, rows):
    """A table in Markdown."""
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def path_name(of):
    rate, rtt, queue, _ = of.path
    return f"{rate} Mbit/s, {rtt:.0f} ms, {queue}"


def late(transfers):
    return f"{sum(transfer.is_late for transfer in transfers)} of {len(transfers)}"


def exact_tables(transfers):
    """The start-ups over the exact paths, and the cells in which the hosts differ."""
    by_sender = group(transfers, lambda transfer: transfer.sender)
    baseline = {transfer.cell(): transfer for transfer in by_sender["none"]}
    measured_sizes = {virtual.SIZES[of.size] for of in transfers}
    sizes = [size for size in SIZES.values() if size in measured_sizes]
    columns = ["start-up", *sizes, "all", "median difference", "largest",
               f"above {APART_PERCENT} %", "resent in a run", "late runs"]
    rows = []
    for name, of_sender in by_sender.items():
        of_size = [means(ratios([of for of in of_sender if virtual.SIZES[of.size] == size],
                                        baseline)) for size in sizes]
        whole = means(ratios(of_sender, baseline))
        differences = [of.difference() for of in of_sender]
        largest = max(differences, key=abs)
        resent = [sum(of.of_each("retransmitted_segments")[host] for of in of_sender)
                  / len(of_sender) for host in (0, 1)]
        rows.append((whole[1], [
            name, *(pair(of, 3) for of in of_size), pair(whole, 3),
            f"{median(differences):+.1f} %", f"{largest:+.1f} %",
            str(sum(abs(of) > APART_PERCENT for of in differences)), pair(resent, 1),
            late(of_sender)]))
    yield from table(columns, [row for _, row in sorted(rows, key=lambda row: row[0])])
    apart = [of for of in transfers if abs(of.difference()) > APART_PERCENT]
    yield ""
    yield f"Transfers that differ by more than {APART_PERCENT} %, {len(apart)} of {len(transfers)}:"
    yield ""
    cells = sorted(group(apart, Both.cell).items())
    yield from table(["path", "size", "difference"], [
        [path_name(of_cell[0]), virtual.SIZES[of_cell[0].size],
         ", ".join(f"`{of.sender}` {of.difference():+.1f} %"
                   for of in sorted(of_cell, key=lambda of: -abs(of.difference())))]
        for _, of_cell in cells])


def real_tables(aggregated, late_link, one):
    """Wasted round trips over real paths, and of one path many times."""
    rows = []
    of_path = group(aggregated, lambda of: of.path[3])
    named = [(f"ACKs aggregated for {' '.join(path.split()[2:4])}", of)
             for path, of in of_path.items()]
    named.append(("link and return path up to 1 ms late after 1 ms of idle time", late_link))
    named.append(("exact", one))
    for name, transfers in named:
        for size, of_size in group(transfers, lambda of: of.size).items():
            wasted, resent = [], []
            for sent in ("none", "onramp"):
                of_sender = [of for of in of_size if of.sender == sent]
                excess = [[of.of_each("excess_rtts")[host] for of in of_sender] for host in (0, 1)]
                wasted += [pair(map(median, excess), 2), pair([min(excess[1]), max(excess[1])], 2)]
                resent.append(", ".join(str(sum(of.of_each("retransmitted_segments")[host]
                                                for of in of_sender)) for host in (0, 1)))
            rows.append([name, virtual.SIZES[size], *wasted, *resent, late(of_size)])
    yield from table(["path", "size", "CUBIC", "least, most", "`onramp`", "least, most",
                      "resent, CUBIC", "resent, `onramp`", "late runs"], rows)


def recorded_tables(recordings):
    """Times of CUBIC's over the recordings."""
    rows = []
    for name, transfers in recordings.items():
        baseline = {of.cell(): of for of in transfers if of.sender == "none"}
        for size, of_size in group(transfers, lambda of: of.size).items():
            found = ratios([of for of in of_size if of.sender == "onramp"], baseline)
            differences = [of.difference() for of in of_size]
            rows.append([name, virtual.SIZES[size], pair(means(found), 2),
                         pair(map(max, found), 2), f"{median(differences):+.1f} %",
                         f"{max(differences, key=abs):+.1f} %", late(of_size)])
    yield from table(["recording", "size", "of CUBIC's time", "slowest start", "median difference",
                      "largest", "late runs"], rows)


def pages(onramp, folders):
    """The lines of each page's tables, of the parts that are kept."""
    found = {name: both(onramp, folder) for name, folder in folders.items()}
    of_exact = [found[name] for name in SIZES if found[name][1]]
    exact_transfers = [of for _, runs in of_exact for transfers in runs.values()
                       for of in transfers]
    if exact_transfers:
        yield PAGES["comparison"], *MARKS, [
            measured([verdicts for verdicts, _ in of_exact]), "", *exact_tables(exact_transfers)]
    verdicts, runs = found["real"]
    if runs:
        yield PAGES["real"], *MARKS, [measured([verdicts]), "", *real_tables(**runs)]
    verdicts, runs = found["recorded"]
    if runs:
        yield PAGES["real"], *RECORDED_MARKS, [measured([verdicts]), "", *recorded_tables(runs)]


def measured(verdicts):
    """When and where guests measured."""
    days = sorted({of_guest["clock"][1] for of_guest in verdicts})
    return f"{' to '.join(days)}, Linux {verdicts[0]['kernel'][1]}. Simulator, kernel:"


def main():
    parser = virtual.arguments(__doc__)
    parser.add_argument("--traces", type=Path, help="folder with recordings of mahimahi")
    parser.add_argument("--kept", action="store_true", help="boot nothing: simulate again")
    parser.add_argument("part", nargs="*", help=f"of {', '.join(parts(Path()))}")
    arguments = parser.parse_args()
    all_parts = parts(arguments.traces)
    run = arguments.cache.resolve() / "run"
    folders = {name: run / f"startups-{arguments.kernel}-{name}" for name in parts(Path())}
    good = []
    try:
        if not arguments.kept:
            guests = virtual.Guests("startups", arguments)
            good = [measure(guests, name, *all_parts[name], folders[name])
                    for name in arguments.part or all_parts]
    except (packages.Unavailable, machine.Unusable) as reason:
        print(f"startups: nothing can be measured here: {reason}")
        return 3
    try:
        for page, begin, end, lines in pages(arguments.onramp.resolve(), folders):
            print("\n".join(lines))
            new = "\n".join(["", *lines, "", ""])
            page.write_text(replace_between(page.read_text(), begin, end, new))
    except (Malformed, machine.Unusable) as reason:
        print(f"startups: {reason}")
        return 1
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
