//! The table: a row for each family.

use crate::cell::Cell;
use crate::set::{Family, Kind};
use onramp_comparison::statistics::{geometric_mean, median, quantile};
use onramp_comparison::Run;
use onramp_scenario::units::format_time;
use std::fmt::Write;

/// `misses` names at most this many cells of a family.
const MAX_NAMED: usize = 5;

/// The whole table, as Markdown.
pub fn of(families: &[Family], results: &[Vec<Cell>]) -> String {
    let pairs = || families.iter().zip(results);
    let of_kind = |kinds: &[Kind]| {
        let is_of = |(family, _): &(&Family, &Vec<Cell>)| kinds.contains(&family.kind);
        pairs().filter(is_of).collect::<Vec<_>>()
    };
    let mut text = String::from(
        "| family | cells | waste CUBIC | waste onramp, 95 % | 100 kB | 1 MB | 5 MB | slowest \
         cell | slow cells | resend too much | worst run | target |\n|---|---|---|---|---|---|---|\
         ---|---|---|---|---|\n",
    );
    for (family, cells) in pairs().filter(|(family, _)| is_single(family.kind)) {
        if !cells.is_empty() {
            writeln!(text, "{}", row(family, cells)).unwrap();
        }
    }
    text += &whole_set(&pairs().collect::<Vec<_>>());
    let together = of_kind(&[Kind::Together]);
    if !together.is_empty() {
        text += "\n| family | apart | resent, CUBIC onramp | Jain | MB after 22 RTT | target |\n\
                 |---|---|---|---|---|---|\n";
        for (family, cells) in together {
            for cell in cells {
                writeln!(text, "{}", row_together(family, cell)).unwrap();
            }
        }
    }
    let beside = of_kind(&[Kind::Beside]);
    if !beside.is_empty() {
        text += "\n| family | queue | left to the long flow, CUBIC onramp | points less | time, \
                 CUBIC onramp | target |\n|---|---|---|---|---|---|\n";
        for (family, cells) in beside {
            for cell in cells {
                writeln!(text, "{}", row_beside(family, cell)).unwrap();
            }
        }
    }
    text
}

fn is_single(kind: Kind) -> bool {
    !matches!(kind, Kind::Together | Kind::Beside)
}

/// The geometric mean of the cells' ratios; a dash without cells.
fn mean_ratio<'a>(cells: impl Iterator<Item = &'a Cell>) -> String {
    shown_mean(cells.map(Cell::ratio))
}

/// The geometric mean of the ratios of all pairs of runs with the same seed. Over a recording the
/// start decides how long a transfer takes: medians of starts would compare different starts.
fn mean_of_starts<'a>(cells: impl Iterator<Item = &'a Cell>) -> String {
    shown_mean(cells.flat_map(Cell::pairs).map(|(_, ratio)| ratio))
}

fn shown_mean(ratios: impl Iterator<Item = f64>) -> String {
    geometric_mean(ratios).map_or("-".to_owned(), |mean| format!("{mean:.2}"))
}

/// The wasted round trips of these cells: 1 MB and more, and long paths alone where those count.
fn wasted<'a>(family: &Family, cells: &'a [Cell]) -> impl Iterator<Item = &'a Cell> + use<'a> {
    let is_long_alone = family.kind == Kind::Long;
    cells
        .iter()
        .filter(move |cell| cell.size_bytes() >= 1_000_000 && (cell.is_long() || !is_long_alone))
}

fn row(family: &Family, cells: &[Cell]) -> String {
    let all = |side: usize| -> Vec<f64> {
        let medians = wasted(family, cells).map(|cell| median(cell.wasted(side)));
        medians.collect()
    };
    let of_size = |bytes: u64| {
        let is_counted = |cell: &&Cell| {
            cell.size_bytes() == bytes && (family.kind != Kind::Long || cell.is_long())
        };
        let counted = cells.iter().filter(is_counted);
        if family.kind == Kind::Cellular {
            return mean_of_starts(counted);
        }
        mean_ratio(counted)
    };
    let slowest = cells.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let slowest = slowest.map_or(String::new(), |cell| {
        format!("{:.2}, {:+.1} RTT", cell.ratio(), cell.behind_rtts())
    });
    let resends = |cell: &&Cell| match family.kind {
        Kind::Policed => {
            let [cubic, onramp] = cell.medians(Run::resent);
            onramp > cubic
        }
        _ => cell.resends_too_much(),
    };
    let runs = || cells.iter().flat_map(Cell::pairs);
    let worst_rtts = runs().map(|(rtts, _)| rtts).fold(f64::MIN, f64::max);
    let worst_ratio = runs().map(|(_, ratio)| ratio).fold(f64::MIN, f64::max);
    format!(
        "| {} | {} | {:.1} | {:.2}, {:.2} | {} | {} | {} | {slowest} | {} | {} | {worst_rtts:+.1} \
         RTT, {worst_ratio:.2} | {} |",
        family.name,
        cells.len(),
        median(all(0)),
        median(all(1)),
        quantile(all(1), 0.95),
        of_size(100_000),
        of_size(1_000_000),
        of_size(5_000_000),
        cells.iter().filter(|cell| cell.is_slow()).count(),
        cells.iter().filter(resends).count(),
        family.target,
    )
}

/// The rows of the set as a whole.
fn whole_set(results: &[(&Family, &Vec<Cell>)]) -> String {
    let cells = |is: fn(Kind) -> bool| {
        let of_kind = results.iter().filter(move |(family, _)| is(family.kind));
        of_kind.flat_map(|(_, cells)| cells.iter())
    };
    let is_counted =
        |kind: Kind| is_single(kind) && !matches!(kind, Kind::Cellular | Kind::DefaultBuffers);
    let long = cells(is_counted).filter(|cell| cell.is_long() && cell.size_bytes() == 1_000_000);
    let all: Vec<&Cell> = cells(is_single).collect();
    let Some(slowest) = all.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio())) else {
        return String::new();
    };
    let behind = all
        .iter()
        .map(|cell| cell.behind_rtts())
        .fold(f64::MIN, f64::max);
    let unpoliced = cells(|kind| is_single(kind) && kind != Kind::Policed);
    let mut text = "\n| the set | | target |\n|---|---|---|\n".to_owned();
    let rows = [
        (
            "geometric mean of time, 1 MB, BDP >= 60 packets, without cellular and default buffers",
            mean_ratio(long),
            "<= 0.68",
        ),
        (
            "slowest cell",
            format!("{:.2} of CUBIC's time, {behind:+.1} RTT", slowest.ratio()),
            "<= 1.03, 0.5 RTT",
        ),
        (
            "slow cells",
            format!(
                "{} of {}",
                all.iter().filter(|cell| cell.is_slow()).count(),
                all.len()
            ),
            "0",
        ),
        (
            "cells that resend too much, without policers",
            unpoliced
                .filter(|cell| cell.resends_too_much())
                .count()
                .to_string(),
            "0",
        ),
    ];
    for (what, value, target) in rows {
        writeln!(text, "| {what} | {value} | {target} |").unwrap();
    }
    text
}

fn row_together(family: &Family, cell: &Cell) -> String {
    let [cubic, onramp] = cell.medians(Run::resent);
    let [cubic_jain, onramp_jain] = cell.medians(Run::fairness);
    let [cubic_mb, onramp_mb] = cell.medians(Run::delivered_bytes).map(|bytes| bytes / 1e6);
    format!(
        "| {} | {} | {cubic} {onramp} | {cubic_jain:.2} {onramp_jain:.2} | {cubic_mb:.1} \
         {onramp_mb:.1} | {} |",
        family.name,
        format_time(cell.case.transfer.spacing.mean_ns()),
        family.target,
    )
}

fn row_beside(family: &Family, cell: &Cell) -> String {
    let [cubic, onramp] = cell.medians(Run::left_percent);
    let [cubic_s, onramp_s] = cell.medians(Run::completion_s);
    format!(
        "| {} | {} | {cubic:.1} {onramp:.1} % | {:.1} | {cubic_s:.1} {onramp_s:.1} s | {} |",
        family.name,
        cell.case.path.forward.queue,
        cubic - onramp,
        family.target,
    )
}

/// The cells that are slow or resend too much, the worst of each family first.
pub fn misses(families: &[Family], results: &[Vec<Cell>]) -> String {
    let mut text = String::new();
    for (family, cells) in families.iter().zip(results) {
        if !is_single(family.kind) {
            continue;
        }
        let misses = |cell: &&Cell| cell.is_slow() || cell.resends_too_much();
        let mut missing: Vec<_> = cells.iter().filter(misses).collect();
        missing.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
        if !missing.is_empty() {
            writeln!(
                text,
                "{}: {} cells miss a target",
                family.name,
                missing.len()
            )
            .unwrap();
        }
        for cell in missing.iter().take(MAX_NAMED) {
            writeln!(text, "  {}", cell.line()).unwrap();
        }
    }
    text
}
