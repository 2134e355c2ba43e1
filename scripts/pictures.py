#!/usr/bin/env python3
"""Draw the pictures of the README and of docs/how-it-works.md from simulated transfers.

    scripts/pictures.py --study target/release/onramp-study [--out docs/images]

Writes gain, map, ratios, timeline, rounds and states.svg: the same files on every machine. The
inputs are the simulator and docs/images/ratios.csv, and the only dependency is Python 3.11.

    scripts/pictures.py --quantiles random-paths

writes ratios.csv from the Parquet files of the study of docs/python.md; it needs pandas.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEGMENT_BYTES = 1448
RATIOS = ROOT / "docs/images/ratios.csv"
LARGE, DEFAULT = "64 MiB", "linux-default"

STYLE = """
svg { --page: #ffffff; --ink: #1c2024; --faint: #5c656e; --grid: #dfe3e7; --base: #8a949e;
  --gain: #0072b2; --less: #7ab8de; --bound: #d55e00; }
@media (prefers-color-scheme: dark) {
  svg { --page: #14171a; --ink: #e4e8eb; --faint: #a6b0b8; --grid: #33393f; --base: #7d8790;
  --gain: #4da6e8; --less: #2f6d9c; --bound: #ff8f5a; } }
text { fill: var(--ink); font: 12px system-ui, "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums; }
.title { font-size: 15px; font-weight: 600; }
.strong { font-weight: 600; }
.faint { fill: var(--faint); }
.page { fill: var(--page); }
.grid { stroke: var(--grid); }
.axis { stroke: var(--faint); fill: none; }
.base { fill: var(--base); }
.gain { fill: var(--gain); }
.less { fill: var(--less); }
.bound-fill { fill: var(--bound); }
.bound { stroke: var(--bound); stroke-width: 2; fill: none; }
.data { stroke: var(--gain); stroke-width: 1; opacity: 0.75; }
.ack { stroke: var(--base); stroke-width: 0.8; opacity: 0.8; }
.curve-all { stroke: var(--base); stroke-width: 2.5; fill: none; }
.curve-large { stroke: var(--gain); stroke-width: 2.5; fill: none; }
.box { fill: var(--page); stroke: var(--gain); stroke-width: 1.5; }
"""


class Picture:
    """An SVG file of its own, with its style for bright and dark pages."""

    def __init__(self, width, height, title, subtitle, description):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(description)}">',
            f"<style>{STYLE}</style>",
            f'<rect class="page" x="0" y="0" width="{width}" height="{height}"/>']
        self.text(16, 26, title, "title")
        self.text(16, 45, subtitle, "faint")

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" '
                          f'text-anchor="{anchor}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, kind):
        self.parts.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" '
                          f'x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def bar(self, x, y, width, height, kind, strength=1):
        faint = "" if strength == 1 else f' fill-opacity="{strength:.2f}"'
        self.parts.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" '
                          f'width="{width:.1f}" height="{height:.1f}"{faint}/>')

    def path(self, commands, kind):
        self.parts.append(f'<path class="{kind}" d="{commands}"/>')

    def arrow(self, x1, y1, x2, y2):
        """A line along an axis, with a head at its end."""
        self.line(x1, y1, x2, y2, "axis")
        dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
        self.path(f"M{x2 - 7 * dx - 4 * dy},{y2 - 7 * dy - 4 * dx} L{x2},{y2} "
                  f"L{x2 - 7 * dx + 4 * dy},{y2 - 7 * dy + 4 * dx}", "axis")

    def legend(self, y, entries):
        x = 16
        for kind, words in entries:
            if kind in ("data", "ack", "bound"):
                self.line(x, y - 4, x + 18, y - 4, kind)
            else:
                self.bar(x, y - 9, 18, 10, kind)
            self.text(x + 24, y, words)
            x += 24 + 6.6 * len(words) + 22

    def write(self, path):
        path.write_text("\n".join([*self.parts, "</svg>", ""]))


class Study:
    """Runs scenarios in the simulator."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())

    def records(self, scenario):
        """The records of a scenario file."""
        return json.loads(self.run("sim", str(scenario), "--json"))

    def of(self, text, beside=None):
        """The records of a scenario file with this text, and with files beside it."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {"scenario.toml": text, **(beside or {})}.items():
                pathlib.Path(folder, name).write_text(content)
            return self.records(pathlib.Path(folder, "scenario.toml"))

    def traces(self, scenario):
        """What happened over time in each case of a scenario file."""
        with tempfile.TemporaryDirectory() as folder:
            self.run("sim", str(scenario), "--out", folder)
            return [json.loads(path.read_text())
                    for path in sorted(pathlib.Path(folder, "traces").glob("[0-9].json"))]

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], check=True, capture_output=True,
                              text=True).stdout


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms"


def draw_gain(study):
    """Times of a download over six RTTs: CUBIC, and `onramp` with both receive buffers."""
    scenario = ROOT / "scenarios/gain.toml"
    large = study.records(scenario)
    default = study.of(scenario.read_text().replace(f'"{LARGE}"', f'"{DEFAULT}"'))
    rows = []
    for cubic, onramp, cubic_default, onramp_default in zip(
            large[::2], large[1::2], default[::2], default[1::2], strict=True):
        # One bar for both: the receive buffer does not limit CUBIC here.
        assert abs(cubic_default["completion_s"] / cubic["completion_s"] - 1) < 0.005
        rows.append((cubic["rtt_ms"], cubic["bound_s"], cubic["completion_s"],
                     onramp_default["completion_s"], onramp["completion_s"]))
    description = "Time of a download of 1 MB at 50 Mbit/s. " + "; ".join(
        f"RTT {rtt:.0f} ms: cubic {cubic * 1000:.0f} ms, onramp with the default buffer "
        f"{default * 1000:.0f} ms, onramp with a large one {best * 1000:.0f} ms"
        for rtt, _, cubic, default, best in rows)
    height = 82 + 56 * len(rows) + 48
    picture = Picture(760, height, "Time of a download: 1 MB, 50 Mbit/s, queue of 1 BDP",
                      "simulated; percentages: change of the time against CUBIC", description)
    picture.legend(66, [("base", "CUBIC"), ("less", "onramp, Linux's default receive buffer"),
                        ("gain", "onramp, large receive buffer"), ("bound", "minimum")])
    left, top, scale = 96, 82, 590 / max(row[2] for row in rows) * 0.9
    bottom = top + 56 * len(rows)
    for tick in range(5):
        x = left + tick * scale
        picture.line(x, top, x, bottom, "grid")
        picture.text(x, bottom + 17, str(tick), "faint", "middle")
    picture.text(left + 2.2 * scale, bottom + 36, "completion time (s)", "faint", "middle")
    for at, (rtt, bound, cubic, *ours) in enumerate(rows):
        y = top + 56 * at + 4
        picture.text(left - 8, y + 27, f"RTT {rtt:.0f} ms", anchor="end")
        picture.bar(left, y, cubic * scale, 14, "base")
        picture.text(left + cubic * scale + 6, y + 11, seconds(cubic), "faint")
        for place, (time, kind) in enumerate(zip(ours, ("less", "gain"), strict=True), 1):
            picture.bar(left, y + 16 * place, time * scale, 14, kind)
            words = f"{seconds(time)} (−{(1 - time / cubic) * 100:.0f} %)"
            picture.text(left + time * scale + 6, y + 16 * place + 11, words, "strong")
        picture.line(left + bound * scale, y - 2, left + bound * scale, y + 48, "bound")
    picture.line(left, top, left, bottom, "axis")
    return picture


def draw_map(study):
    """The ratio of the times of `onramp` and CUBIC over rate, RTT and size."""
    records = study.records(ROOT / "docs/images/map.toml")
    rates = sorted({record["rate_bits_per_s"] for record in records})
    rtts = sorted({record["rtt_ms"] for record in records})
    sizes = sorted({record["size_bytes"] for record in records})
    times = {(record["rate_bits_per_s"], record["rtt_ms"], record["size_bytes"],
              record["startup"]): record["completion_s"] for record in records}
    ratios = {key[:3]: times[*key[:3], "onramp"] / times[*key[:3], "none"]
              for key in times if key[3] == "none"}
    description = "Time of onramp divided by that of CUBIC. " + "; ".join(
        f"{size // 1000} kB: " + ", ".join(
            f"{rate / 1e6:g} Mbit/s and {rtt:g} ms {ratios[rate, rtt, size]:.2f}"
            for rate in rates for rtt in rtts) for size in sizes)
    cell_x, cell_y, width = 50, 30, 50 * len(rtts)
    panel = 90 + cell_y * len(rates)
    picture = Picture(100 + (width + 40) * 2, 60 + panel * 2,
                      "Time of onramp / time of CUBIC",
                      "simulated; queue of 1 BDP, Linux's default receive buffer; below 1: faster",
                      description)
    for at, size in enumerate(sizes):
        left, top = 90 + (width + 40) * (at % 2), 90 + panel * (at // 2)
        picture.text(left + width / 2, top - 14, f"{size // 1000} kB" if size < 10**6 else
                     f"{size // 10**6} MB", "strong", "middle")
        for row, rate in enumerate(rates[::-1]):
            y = top + cell_y * row
            if at % 2 == 0:
                picture.text(left - 8, y + 20, f"{rate / 1e6:g} Mbit/s", anchor="end")
            for column, rtt in enumerate(rtts):
                ratio, x = ratios[rate, rtt, size], left + cell_x * column
                kind = "gain" if ratio < 0.995 else "bound-fill" if ratio > 1.005 else "base"
                strength = min(abs(1 - ratio) / 0.5, 1) * 0.75 if kind != "base" else 0.15
                picture.bar(x, y, cell_x - 2, cell_y - 2, kind, strength)
                picture.text(x + cell_x / 2 - 1, y + 19, f"{ratio:.2f}", "", "middle")
        for column, rtt in enumerate(rtts):
            picture.text(left + cell_x * column + cell_x / 2, top + cell_y * len(rates) + 14,
                         f"{rtt:g}", "faint", "middle")
        picture.text(left + width / 2, top + cell_y * len(rates) + 34, "RTT (ms)", "faint",
                     "middle")
    return picture


def write_quantiles(folder):
    """The quantiles of `onramp`'s time divided by CUBIC's over the random paths of a sweep."""
    import pandas
    frame = pandas.read_parquet(folder).set_index("cell")
    cubic = frame[frame["startup"] == "none"]
    ratios = frame[frame["startup"] == "onramp"]["completion_s"] / cubic["completion_s"]
    large = ratios[(cubic["path.rate"] * cubic["path.rtt"] / 8 / 1500 >= 60)
                   & (cubic["transfer.size"] >= 100e3)]
    percents = [0, 0.1, 0.2, 0.5, *range(1, 100), 99.5, 99.8, 99.9, 99.95, 100]
    with RATIOS.open("w") as file:
        file.write("percent,all,large\n")
        for percent in percents:
            file.write(f"{percent:g},{ratios.quantile(percent / 100):.3f},"
                       f"{large.quantile(percent / 100):.3f}\n")


def draw_ratios():
    """The distribution of the ratio of the times over 100,000 random paths."""
    with RATIOS.open() as file:
        rows = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
    medians = next(row for row in rows if row["percent"] == 50)
    description = (
        "The share of 100,000 random paths over the time of onramp divided by that of CUBIC. "
        f"Half of the paths are at {medians['all']:.2f} or below; of those with a BDP of 60 "
        f"packets and objects of 100 kB, half are at {medians['large']:.2f} or below.")
    left, right, top, bottom, least, most = 70, 730, 90, 320, 0.2, 1.6
    picture = Picture(760, 376, "Time of onramp / time of CUBIC over 100,000 random paths",
                      "simulated; the share of the paths whose ratio is at most this one",
                      description)
    picture.legend(68, [("base", "all paths, 10 kB to 1 MB"),
                        ("gain", "a BDP of 60 packets or more, 100 kB or more")])

    def place(ratio, percent):
        return (left + (ratio - least) / (most - least) * (right - left),
                bottom - percent / 100 * (bottom - top))

    for percent in range(0, 101, 25):
        _, y = place(least, percent)
        picture.line(left, y, right, y, "grid")
        picture.text(left - 8, y + 4, f"{percent} %", "faint", "end")
    for tenth in range(2, 17, 2):
        x, _ = place(tenth / 10, 0)
        picture.line(x, top, x, bottom, "bound" if tenth == 10 else "grid")
        picture.text(x, bottom + 17, f"{tenth / 10:.1f}", "faint", "middle")
    picture.text(place(1, 0)[0] - 8, bottom - 10, "faster", "strong", "end")
    picture.text(place(1, 0)[0] + 8, bottom - 10, "slower", "strong")
    for name, kind in (("all", "curve-all"), ("large", "curve-large")):
        shown = [place(row[name], row["percent"]) for row in rows if least <= row[name] <= most]
        picture.path("M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in shown), kind)
    beyond = max(row["all"] for row in rows)
    picture.text(right, bottom + 38, f"the slowest path of all: {beyond:.1f}", "faint", "end")
    picture.text((left + right) / 2, bottom + 38, "ratio", "faint", "middle")
    return picture


def draw_timeline(traces):
    """Each segment and each ACK between sender and receiver: CUBIC beside `onramp`."""
    ends = [max(point["time_s"] for point in trace["receiver"]) for trace in traces]
    names = ["CUBIC", "onramp, then CUBIC"]
    description = "A download of 300 kB over 20 Mbit/s and 100 ms, packet by packet. " + "; ".join(
        f"{name}: complete after {end * 1000:.0f} ms"
        for name, end in zip(names, ends, strict=True))
    scale = 760  # pixels a second
    height = 104 + max(ends) * scale + 30
    picture = Picture(760, round(height), "300 kB over 20 Mbit/s and 100 ms, packet by packet",
                      "simulated; time runs downwards, each line is a packet", description)
    picture.legend(68, [("data", "data"), ("ack", "ACKs and the handshake")])
    top = 104
    for tick in range(0, int(max(ends) * 10) + 1):
        y = top + tick / 10 * scale
        picture.line(60, y, 740, y, "grid")
        picture.text(52, y + 4, f"{tick * 100} ms", "faint", "end")
    for at, (trace, name, end) in enumerate(zip(traces, names, ends, strict=True)):
        sender, receiver = 80 + 350 * at, 350 + 350 * at
        picture.text((sender + receiver) / 2, 90, name, "strong", "middle")
        picture.text(sender, 100, "server", "faint", "middle")
        picture.text(receiver, 100, "client", "faint", "middle")
        arrivals = {point["received_bytes"]: point["time_s"] for point in trace["receiver"]}
        acks = {point["acked_bytes"]: point["time_s"] for point in trace["sender"]
                if point["acked_bytes"]}
        # The SYN, its answer, the request.
        times = [0, 0.05, 0.1, trace["segments"][0]["time_s"]]
        for number in range(3):
            ends_of_line = (sender, receiver) if number % 2 else (receiver, sender)
            picture.line(ends_of_line[0], top + times[number] * scale,
                         ends_of_line[1], top + times[number + 1] * scale, "ack")
        for segment in trace["segments"]:
            upto = segment["start_byte"] + segment["length_bytes"]
            picture.line(sender, top + segment["time_s"] * scale,
                         receiver, top + arrivals[upto] * scale, "data")
            if upto in acks:
                picture.line(receiver, top + arrivals[upto] * scale,
                             sender, top + acks[upto] * scale, "ack")
        for x in (sender, receiver):
            picture.line(x, top, x, top + end * scale, "axis")
        picture.text((sender + receiver) / 2, top + end * scale + 16,
                     f"complete after {end * 1000:.0f} ms", "strong", "middle")
    return picture


def draw_rounds(traces):
    """The segments that leave in each round trip, beside the BDP."""
    bdp = 20e6 * 0.1 / 8 / 1500
    counts = []
    for trace in traces:
        first = trace["segments"][0]["time_s"]
        rounds = [0] * 7
        for segment in trace["segments"]:
            rounds[int((segment["time_s"] - first) / 0.1003)] += 1
        counts.append(rounds)
    description = (f"Segments sent in each round trip; the BDP is {bdp:.0f} segments. " + "; ".join(
        f"{name}: {', '.join(map(str, filter(None, rounds)))}"
        for name, rounds in zip(["CUBIC", "onramp"], counts, strict=True)))
    picture = Picture(760, 330, "What leaves in each round trip",
                      "300 kB over 20 Mbit/s and 100 ms, simulated", description)
    picture.legend(68, [("base", "CUBIC"), ("gain", "onramp"),
                        ("bound", f"BDP: {bdp:.0f} segments of 1500 bytes")])
    left, top, bottom, scale = 70, 86, 280, 190 / 180
    for tick in range(0, 181, 60):
        picture.line(left, bottom - tick * scale, 700, bottom - tick * scale, "grid")
        picture.text(left - 8, bottom - tick * scale + 4, str(tick), "faint", "end")
    last = max(len(list(filter(None, rounds))) for rounds in counts)
    for at in range(last):
        x = left + 20 + 120 * at
        for place, (rounds, kind) in enumerate(zip(counts, ("base", "gain"), strict=True)):
            if not rounds[at]:
                continue
            picture.bar(x + 38 * place, bottom - rounds[at] * scale, 34, rounds[at] * scale, kind)
            picture.text(x + 38 * place + 17, bottom - rounds[at] * scale - 5,
                         str(rounds[at]), "strong", "middle")
        picture.text(x + 36, bottom + 17, f"{at + 1}", "faint", "middle")
    picture.line(left, bottom - bdp * scale, 700, bottom - bdp * scale, "bound")
    picture.line(left, bottom, 700, bottom, "axis")
    picture.line(left, top, left, bottom, "axis")
    picture.text(385, bottom + 38, "round trip, from the first data on", "faint", "middle")
    return picture


def draw_states():
    """The states of `onramp`, as the comment of core/algorithms/onramp.h has them."""
    picture = Picture(
        760, 262, "The states of onramp", "DONE: CUBIC goes on with the window",
        "SLOW START leads to PACING when the rate is known, PACING to APPROACH at the first ACK of "
        "a paced segment, APPROACH to HOLD when eight samples are delayed, HOLD back to APPROACH "
        "when the delay passes, and to DONE when it stays. A loss leads to RETREAT, which leads "
        "back to APPROACH after a light loss, and to DONE after another.")
    boxes = {"SLOW START": (20, 100), "PACING": (190, 100), "APPROACH": (340, 100),
             "HOLD": (490, 100), "DONE": (650, 100), "RETREAT": (340, 210)}
    for name, (x, y) in boxes.items():
        width = 90 if name == "DONE" else 100
        picture.bar(x, y, width, 36, "box")
        picture.text(x + width / 2, y + 23, name, "strong", "middle")
    for x1, x2, *words in ((120, 190, "the rate", "is known"), (290, 340, "first", "ACK"),
                           (440, 490, "delay"), (590, 650, "the delay", "stays")):
        picture.arrow(x1, 110, x2, 110)
        for at, word in enumerate(words[::-1]):
            picture.text((x1 + x2) / 2, 92 - 14 * at, word, "faint", "middle")
    picture.arrow(490, 128, 440, 128)
    picture.text(465, 148, "it passes", "faint", "middle")
    picture.arrow(370, 136, 370, 210)
    picture.text(362, 176, "a loss", "faint", "end")
    picture.arrow(410, 210, 410, 136)
    picture.text(418, 176, "it was light", "faint")
    picture.line(440, 228, 695, 228, "axis")
    picture.arrow(695, 228, 695, 136)
    picture.text(565, 246, "any other loss, after its repair", "faint", "middle")
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--study", default=ROOT / "target/release/onramp-study")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/images")
    parser.add_argument("--quantiles", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.quantiles:
        write_quantiles(arguments.quantiles)
        return
    study = Study(arguments.study)
    traces = study.traces(ROOT / "docs/images/timeline.toml")
    pictures = {"gain": draw_gain(study), "map": draw_map(study), "states": draw_states(),
                "ratios": draw_ratios(),
                "timeline": draw_timeline(traces), "rounds": draw_rounds(traces)}
    for name, picture in pictures.items():
        picture.write(arguments.out / f"{name}.svg")


if __name__ == "__main__":
    main()
