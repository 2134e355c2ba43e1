#!/usr/bin/env python3
"""Write the tables of docs/class.md and docs/your-own-path.md from the files that they show.

    scripts/examples.py --study target/release/onramp-study [--check]

A table stands between the marks `<!-- NAME -->` and `<!-- /NAME -->`. Exits with 1 where --check
finds another table.
"""

import argparse
import pathlib
import re
import sys

import pictures

ROOT = pictures.ROOT
CLASS, OWN = ROOT / "docs/class.md", ROOT / "docs/your-own-path.md"


def first_file(page):
    """The first TOML file that a page shows."""
    return re.search(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)[1]


def changed(text, **values):
    """A file with other values of its keys; `None` leaves a key out."""
    for key, value in values.items():
        line = "" if value is None else f"{key} = {value}\n"
        text, count = re.subn(rf"^{key} = .*\n", lambda _, line=line: line, text, count=1,
                              flags=re.MULTILINE)
        assert count, f"no key {key}"
    return text


def table(head, *rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("| ---", "|---").replace(
        "--- |", "---|")


def seconds(value):
    return f"{value:#.3g} s" if value < 1 else f"{value:.2f} s"


def time_and_resent(record):
    return f"{seconds(record['completion_s'])}, {record['retransmitted_segments']}"


def medians(records):
    """The median, least and maximum time, and the median of what was resent, of each start-up."""
    found = {}
    for record in records:
        found.setdefault((record["size_bytes"], record["startup"]), []).append(record)
    result = {}
    for key, group in found.items():
        times = sorted(record["completion_s"] for record in group)
        resent = sorted(record["retransmitted_segments"] for record in group)
        middle = len(times) // 2
        result[key] = (times[middle], times[0], times[-1], resent[middle])
    return result


def class_tables(study):
    """The tables of the solutions: (name, table)."""
    base = first_file(CLASS)
    cubic = changed(base, startup='"none"', size='"100 kB"')
    rates = study.of(changed(cubic, rate='["10 Mbit/s", "100 Mbit/s", "1 Gbit/s"]'))
    near = study.of(changed(cubic, rate='"100 Mbit/s"', rtt='"50 ms"'))
    yield "rates", table(
        ["RTT", "100 ms, 10 Mbit/s", "100 ms, 100 Mbit/s", "100 ms, 1 Gbit/s", "50 ms, 100 Mbit/s"],
        ["time", *(seconds(record["completion_s"]) for record in [*rates, *near])])

    wasted = study.of(changed(base, size='"20 MB"'))
    yield "round trips", table(["20 MB", "CUBIC", "`onramp`"], [
        "wasted round trips", *(f"{record['excess_rtts']:.1f}" for record in wasted)])

    windows = study.of(changed(
        base, rate='"10 Mbit/s"', rtt='"40 ms"', queue='["10 packets", "100 packets"]',
        size='"300 kB"', startup='"none"', avoidance='"cubic"\ninitial_window = '
        '["10 segments", "32 segments", "100 segments"]'))
    yield "windows", table(
        ["initial window", "10 packets: time, resent", "100 packets: time, resent"],
        *([record["initial_window"], time_and_resent(record), time_and_resent(windows[at + 3])]
          for at, record in enumerate(windows[:3])))

    stops = study.of(changed(base, queue='["0.25 bdp", "1 bdp", "2 bdp"]', size='"20 MB"',
                             startup='["standard", "hystart", "onramp"]', avoidance='"reno"'))
    yield "stops", table(
        ["segments resent, queue of", "0.25 BDP", "1 BDP", "2 BDP"],
        *([name, *(str(record["retransmitted_segments"]) for record in stops[at::3])]
          for at, name in enumerate(["slow start (`standard`)", "HyStart++ (`hystart`)",
                                     "`onramp`"])))

    third = '"cubic"\n\n[[transfer]]\nsize = "1 MB"\nstartup = "onramp"\nwithout = "spacing"\n' \
        'label = "no pacing"\navoidance = "cubic"'
    pacing = study.of(changed(base, queue='["0.1 bdp", "1 bdp"]', avoidance=third))
    yield "pacing", table(
        ["", "0.1 BDP: time, resent", "1 BDP: time, resent, peak queue"],
        *([name, time_and_resent(pacing[at]),
           f"{time_and_resent(pacing[at + 3])}, {pacing[at + 3]['peak_queue_bdp']:.2f} BDP"]
          for at, name in enumerate(["CUBIC", "`onramp`", "without pacing"])))

    policed = study.of(changed(
        base, queue='"0.3 bdp"\npolicer_rate = "10 Mbit/s"\npolicer_burst = "64 kB"'))
    measured = policed[1]["estimate_bytes_per_s"] / policed[1]["capacity_bytes_per_s"]
    yield "policer", table(
        ["", "time, resent", "measured rate, of the policer's"],
        ["CUBIC", time_and_resent(policed[0]), ""],
        ["`onramp`", time_and_resent(policed[1]), f"{measured:.1f}"])

    beside = study.records(ROOT / "scenarios/others/beside-cubic.toml")
    rows = []
    for startup, name in (("none", "CUBIC"), ("onramp", "`onramp`")):
        group = [record for record in beside
                 if record["startup"] == startup and record["queue"] == "1 bdp"]
        before, during, time = (
            sorted(record[key] for record in group)[len(group) // 2] for key in (
                "traffic_before_bytes_per_s", "traffic_during_bytes_per_s", "completion_s"))
        rows.append([name, f"{before * 8 / 1e6:.1f} Mbit/s", f"{during * 8 / 1e6:.1f} Mbit/s",
                     f"{time:.1f} s"])
    yield "fairness", table(
        ["newcomer, queue of 1 BDP", "long flow before", "in the first 20 round trips",
         "newcomer's time"], *rows)


def own_tables(study):
    """The tables of the policer and of the recorded rate."""
    base = first_file(OWN)
    found = medians(study.of(changed(
        base, jitter=None,
        queue='"0.5 bdp"\npolicer_rate = "20 Mbit/s"\npolicer_burst = "128 kB"')))
    sizes = [(10**5, "100 kB"), (10**6, "1 MB"), (10**7, "10 MB")]
    yield "policed", table(
        ["", "time: CUBIC, `onramp`", "resent: CUBIC, `onramp`"],
        *([name, ", ".join(seconds(found[size, startup][0]) for startup in ("none", "onramp")),
           ", ".join(str(found[size, startup][3]) for startup in ("none", "onramp"))]
          for size, name in sizes))
    line = re.search(r"```text\n(time_s.*?)```", OWN.read_text(), re.DOTALL)[1]
    text = changed(base, jitter=None, queue='"1 MB"').replace(
        'rate = "100 Mbit/s"', 'trace = "line.csv"\ntrace_offset = "random"', 1)
    found = medians(study.of(text, {"line.csv": line}))
    yield "recorded", table(
        ["", "CUBIC (least to most)", "`onramp`"],
        *([name, *(f"{seconds(time)} ({seconds(least)} to {seconds(most)})"
                   for time, least, most, _ in (found[size, "none"], found[size, "onramp"]))]
          for size, name in sizes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--study", default=ROOT / "target/release/onramp-study")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    study, differs = pictures.Study(arguments.study), False
    for page, tables in ((CLASS, class_tables), (OWN, own_tables)):
        text = page.read_text()
        for name, made in tables(study):
            found = re.search(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", text, re.DOTALL)
            if found[0] != made:
                differs = True
                print(f"{page.relative_to(ROOT)}: another table of `{name}`")
                text = text[:found.start()] + made + text[found.end():]
        if not arguments.check:
            page.write_text(text)
    return 1 if differs and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
