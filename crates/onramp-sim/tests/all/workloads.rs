//! What `onramp` does for pages, for connections that are kept alive, for video, and for flows of
//! measured sizes: the tables of docs/deploy.md, from `scenarios/workloads`. `make workloads`
//! writes them.

use onramp_comparison::manual::{enter, Entered};
use onramp_results::Record;
use onramp_scenario::{Connections, Scenario};
use onramp_sim::{run, Options};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The records of a file, in pairs: CUBIC's and `onramp`'s of the same path, size and repeat.
fn pairs(file: &str, is_wanted: impl Fn(Connections) -> bool) -> Vec<[Record; 2]> {
    let file = root().join(format!("scenarios/workloads/{file}.toml"));
    let Scenario { cases, .. } = onramp_scenario::read(&file).expect("the scenario is right");
    let cases = cases
        .iter()
        .filter(|case| is_wanted(case.transfer.connections));
    let (mut cubic, mut onramp) = (Vec::new(), Vec::new());
    for case in cases {
        let outcome = run(case, &Options::default()).expect("the case can be simulated");
        let records = outcome.records.into_iter();
        match case.transfer.startup.as_str() {
            "none" => cubic.extend(records),
            _ => onramp.extend(records),
        }
    }
    let given = |record: &Record| (record.size_bytes, record.start_s.to_bits());
    assert!(cubic.iter().map(given).eq(onramp.iter().map(given)));
    cubic.into_iter().zip(onramp).map(|(a, b)| [a, b]).collect()
}

/// A row: the geometric mean of the ratios, their range, and the cells that are faster and slower
/// by more than 3 %.
fn row(what: &str, pairs: &[[Record; 2]], time_s: impl Fn(&Record) -> Option<f64>) -> String {
    let ratios: Vec<f64> = pairs
        .iter()
        .map(|[cubic, onramp]| time_s(onramp).unwrap() / time_s(cubic).unwrap())
        .collect();
    let count = ratios.len();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count as f64).exp();
    let [least, most] = [f64::min, f64::max]
        .map(|pick: fn(f64, f64) -> f64| ratios.iter().copied().reduce(pick).unwrap());
    let faster = ratios.iter().filter(|ratio| **ratio < 0.97).count();
    let slower = ratios.iter().filter(|ratio| **ratio > 1.03).count();
    let resent = |side: usize| {
        let counts = pairs.iter().map(|pair| pair[side].retransmitted_segments);
        counts.sum::<u64>()
    };
    format!(
        "| {what} | {mean:.2} | {least:.2} to {most:.2} | {faster} / {slower} / {count} | {} / {} \
         |\n",
        resent(0),
        resent(1)
    )
}

fn table() -> String {
    let six = |number| number == Connections::Fixed(6);
    let page = [
        ("six connections", pairs("page", six)),
        (
            "one multiplexed connection",
            pairs("page", |number| !six(number)),
        ),
    ];
    let mut text = String::from(
        "| | mean | range | faster / slower / cells | resent, CUBIC / onramp |\n\
         |---|---|---|---|---|\n",
    );
    for (how, pairs) in &page {
        for (size, bytes) in [("500 kB", 500_000), ("2 MB", 2_000_000)] {
            let of_size = |pair: &&[Record; 2]| pair[0].size_bytes == bytes;
            let pairs: Vec<_> = pairs.iter().filter(of_size).cloned().collect();
            let what = format!("a page of 50 objects, {size}, {how}");
            text += &row(&what, &pairs, |record| record.completion_s);
        }
    }
    let kept = pairs("keep-alive", |_| true);
    for (size, bytes) in [("100 kB", 500_000), ("1 MB", 5_000_000)] {
        let of_size = |pair: &&[Record; 2]| pair[0].size_bytes == bytes;
        let kept: Vec<_> = kept.iter().filter(of_size).cloned().collect();
        let first = format!("keep-alive, answers of {size}: the first");
        text += &row(&first, &kept, |record| record.first_answer_s);
        text += &row("the four after an idle time", &kept, |record| {
            record.later_answer_s
        });
    }
    let video = pairs("video", |_| true);
    text += &row("video of 5 Mbit/s: start", &video, |record| {
        record.first_answer_s
    });
    text += &row("its later segments", &video, |record| record.later_answer_s);
    for [cubic, onramp] in &video {
        assert_eq!((cubic.stalls, onramp.stalls), (Some(0), Some(0)));
    }
    text
}

/// Flow completion times by size: the mean and the 99th percentile of the slowdown, completion over
/// the bound.
fn flows() -> String {
    let mut text = String::from(
        "| size | flows | mean slowdown, CUBIC | onramp | 99th percentile, CUBIC | onramp | mean \
         time, onramp over CUBIC |\n|---|---|---|---|---|---|---|\n",
    );
    let pairs = pairs("flows", |_| true);
    let bins = [
        ("up to 30 kB", 0, 30_000),
        ("30 kB to 100 kB", 30_000, 100_000),
        ("100 kB to 1 MB", 100_000, 1_000_000),
        ("1 MB to 10 MB", 1_000_000, 10_000_000),
        ("more than 10 MB", 10_000_000, u64::MAX),
        ("all", 0, u64::MAX),
    ];
    for (name, over, upto) in bins {
        let is_in = |pair: &&[Record; 2]| over < pair[0].size_bytes && pair[0].size_bytes <= upto;
        let flows: Vec<_> = pairs.iter().filter(is_in).collect();
        let count = flows.len();
        let slowdowns = |side: usize| {
            let slowdown =
                |pair: &&[Record; 2]| pair[side].completion_s.unwrap() / pair[side].bound_s;
            let mut all: Vec<f64> = flows.iter().map(slowdown).collect();
            all.sort_by(f64::total_cmp);
            let mean = all.iter().sum::<f64>() / count as f64;
            (mean, all[(count * 99).div_ceil(100) - 1])
        };
        let time_s = |side: usize| {
            let times = flows.iter().map(|pair| pair[side].completion_s.unwrap());
            times.sum::<f64>()
        };
        let ([(cubic, cubic_p99), (onramp, onramp_p99)], ratio) =
            ([0, 1].map(slowdowns), time_s(1) / time_s(0));
        text += &format!(
            "| {name} | {count} | {cubic:.2} | {onramp:.2} | {cubic_p99:.1} | {onramp_p99:.1} | \
             {ratio:.2} |\n"
        );
    }
    text
}

#[test]
fn the_page_for_operators_has_the_flow_completion_times() {
    let entered = enter(&root().join("docs/deploy.md"), "flows", &flows());
    assert_ne!(entered, Entered::Differs, "make workloads");
}

#[test]
fn the_page_for_operators_has_the_figures_of_the_workloads() {
    let entered = enter(&root().join("docs/deploy.md"), "workloads", &table());
    assert_ne!(entered, Entered::Differs, "make workloads");
}
