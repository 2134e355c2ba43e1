"""Plots show what is in the results."""

import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import onramp
from onramp import plot


@pytest.fixture(scope="module")
def results():
    return onramp.simulate(
        onramp.Scenario(
            name="grid",
            path=onramp.Path(rate=["10 Mbit/s", "50 Mbit/s"], rtt=["20 ms", "200 ms"]),
            receiver=onramp.Receiver(buffer="64 MiB"),
            transfer=[onramp.Transfer(size=["100 kB", "1 MB"], startup=["none", "onramp"])],
        ),
        traces=True,
    )


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_completion_has_a_line_for_each_start_up(results):
    frame = results.to_pandas()
    frame = frame[(frame["rtt_ms"] == 200) & (frame["rate_bits_per_s"] == 10e6)]
    ax = plot.completion(frame)
    assert labels(ax) == ["cubic", "onramp + cubic", "bound"]
    first = ax.get_lines()[0]
    assert list(first.get_xdata()) == [100_000, 1_000_000]
    wanted = frame[frame["startup"] == "none"].sort_values("size_bytes")["completion_s"]
    assert list(first.get_ydata()) == wanted.tolist()


def test_axes_that_are_given_are_used(results):
    frame = results.to_pandas()
    for draw in (plot.completion, plot.bars, plot.cdf):
        given = plt.subplots()[1]
        assert draw(frame, ax=given) is given


def test_bars_have_the_medians(results):
    frame = results.to_pandas()
    frame = frame[(frame["size_bytes"] == 1_000_000) & (frame["rate_bits_per_s"] == 50e6)]
    ax = plot.bars(frame)
    widths = [bar.get_width() for bar in ax.patches]
    by_startup = frame.sort_values("rtt_ms").groupby("startup", sort=False)["completion_s"]
    assert widths == [width for _, group in by_startup for width in group]


def test_a_distribution_ends_at_the_share_that_finished():
    frame = pd.DataFrame(
        {
            "algorithms": ["a"] * 4,
            "completion_s": [1.0, 3.0, 2.0, math.nan],
        }
    )
    line = plot.cdf(frame).get_lines()[0]
    assert list(line.get_xdata()) == [1.0, 1.0, 2.0, 3.0]
    assert list(line.get_ydata()) == [0.0, 0.25, 0.5, 0.75]


def test_ratios_compare_like_with_like(results):
    frame = results.to_pandas()
    ratios = plot.ratios(frame, "onramp")
    one = frame[(frame["rtt_ms"] == 200) & (frame["rate_bits_per_s"] == 50e6)]
    times = one.pivot_table(index="size_bytes", columns="startup", values="completion_s")
    wanted = math.prod(times["onramp"] / times["none"]) ** 0.5
    assert ratios[50_000_000, 200.0] == pytest.approx(wanted)
    with pytest.raises(ValueError, match="has no 'paced'; it has 'none', 'onramp'"):
        plot.ratios(frame, "paced")


def test_the_heat_map_has_a_cell_for_each_path(results):
    ax = plot.ratio_map(results.to_pandas(), "onramp")
    assert len(ax.texts) == 4
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["20", "200"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["10", "50"]


def test_one_transfer_over_time(results):
    row = len(results) - 1
    for draw in (plot.sequence, plot.window, plot.queue):
        assert draw(results, row).get_xlabel() == "time since the connect (s)"
    drawn = plot.sequence(results, row).get_lines()
    assert max(max(line.get_ydata()) for line in drawn) == pytest.approx(1000, abs=1.5)
    with pytest.raises(ValueError, match="there is no row 99"):
        plot.queue(results, 99)
