"""Plots show what is in the results."""

import math

import matplotlib.pyplot as plt
import numpy as np
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
    for draw in (plot.completion, plot.bars, plot.cdf, plot.slowdown):
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


def test_slowdowns_have_a_median_and_a_tail_for_each_bin_of_sizes():
    size = [1000 * kilobytes for kilobytes in range(1, 101)]
    frame = pd.DataFrame(
        {
            "algorithms": "cubic",
            "size_bytes": [*size, 100_000],
            "bound_s": 0.5,
            "completion_s": [*(0.5 * kilobytes / 1000 for kilobytes in size), float("nan")],
        }
    )
    ax = plot.slowdown(frame)
    assert labels(ax) == ["cubic, median", "cubic, 99 %"]
    median, upper = ax.get_lines()
    assert len(median.get_xdata()) == 10
    assert median.get_xdata()[-1] == 100_000
    assert upper.get_ydata()[-1] == 100
    assert 95 <= median.get_ydata()[-1] <= 96


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


@pytest.fixture
def random_paths():
    """2000 random paths, on which onramp takes 0.5 of the time above 100 ms, and 2 below."""
    generator = np.random.default_rng(1)
    paths = pd.DataFrame(
        {
            "rate_bits_per_s": 10 ** generator.uniform(6, 9, 2000),
            "rtt_ms": 10 ** generator.uniform(1, 3, 2000),
            "size_bytes": 100_000,
            "queue": "1 bdp",
            "loss": "0 %",
            "path": "path",
        }
    ).rename_axis("cell")
    ratio = np.where(paths["rtt_ms"] > 100, 0.5, 2.0)
    pair = [
        paths.assign(startup="none", completion_s=3.0),
        paths.assign(startup="onramp", completion_s=3.0 * ratio),
    ]
    return pd.concat(pair).reset_index()


def test_bins_have_geometric_means_and_counts(random_paths):
    bins = plot.binned_ratios(random_paths, "onramp", bins=(3, 1))
    low, high = random_paths["rate_bits_per_s"].min(), random_paths["rate_bits_per_s"].max()
    assert bins["min_rate_bits_per_s"].tolist() == pytest.approx(np.geomspace(low, high, 4)[:-1])
    assert bins["max_rtt_ms"].tolist() == [random_paths["rtt_ms"].max()] * 3
    for _, row in bins.iterrows():
        within = random_paths["rate_bits_per_s"].between(
            row["min_rate_bits_per_s"], row["max_rate_bits_per_s"]
        )
        times = random_paths[within].pivot_table(
            index="cell", columns="startup", values="completion_s"
        )
        assert row["pairs"] == len(times)
        mean = np.exp(np.log(times["onramp"] / times["none"]).mean())
        assert row["ratio"] == pytest.approx(mean)
    # The two rates at the ends, and those between bins, are in one bin each.
    assert bins["pairs"].sum() == 2000
    fine = plot.binned_ratios(random_paths, "onramp", bins=20)
    assert set(fine[fine["min_rtt_ms"] > 100]["ratio"].round(9)) == {0.5}
    assert set(fine[fine["max_rtt_ms"] < 100]["ratio"].round(9)) == {2.0}


def test_cells_of_a_sweep_are_compared_one_by_one(random_paths):
    """Though they have the same path."""
    same = random_paths.assign(rate_bits_per_s=1e6, rtt_ms=50.0)
    (row,) = plot.binned_ratios(same, "onramp", bins=3).itertuples()
    assert row.pairs == 2000
    logarithms = np.log(random_paths[random_paths["startup"] == "onramp"]["completion_s"] / 3)
    assert row.ratio == pytest.approx(np.exp(logarithms.mean()))


def test_a_map_of_random_paths_has_bins(random_paths):
    ax = plot.ratio_map(random_paths, "onramp")
    bins = plot.binned_ratios(random_paths, "onramp", bins=12)
    assert len(ax.texts) == len(bins) <= 144
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    few = bins["pairs"].min() + 1
    drawn = plot.ratio_map(random_paths, "onramp", bins=12, min_pairs=few)
    kept = bins[bins["pairs"] >= few]
    assert len(drawn.texts) == len(kept) < len(bins)
    wanted = [f"{row.ratio:.2f}\n({row.pairs})" for row in kept.itertuples()]
    assert [text.get_text() for text in drawn.texts] == wanted
    assert drawn.collections[0].get_array().count() == len(kept)


def test_bins_that_cannot_be_drawn_are_refused(random_paths):
    for wrong in (0, (3, 0), (1, 2, 3)):
        with pytest.raises(ValueError, match="expected a number of bins"):
            plot.ratio_map(random_paths, "onramp", bins=wrong)
    with pytest.raises(ValueError, match="`min_pairs` is 2001, but no bin has more than"):
        plot.ratio_map(random_paths, "onramp", min_pairs=2001)
    with pytest.raises(ValueError, match="'rtt_ms' has 0: expected numbers above 0"):
        plot.ratio_map(random_paths.assign(rtt_ms=0.0), "onramp", bins=3)
    unfinished = random_paths.assign(completion_s=math.nan)
    with pytest.raises(ValueError, match="the column 'startup' has no 'onramp'"):
        plot.ratio_map(unfinished, "onramp", bins=3)


def test_one_transfer_over_time(results):
    row = len(results) - 1
    for draw in (plot.sequence, plot.window, plot.queue):
        assert draw(results, row).get_xlabel() == "time since the connect (s)"
    drawn = plot.sequence(results, row).get_lines()
    assert max(max(line.get_ydata()) for line in drawn) == pytest.approx(1000, abs=1.5)
    with pytest.raises(ValueError, match="there is no row 99"):
        plot.queue(results, 99)
