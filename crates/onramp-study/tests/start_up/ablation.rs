//! The contribution of each idea of `onramp`: the same runs with that idea switched off.

use super::*;
use onramp_core::Without;
use std::fs;

/// The name of the start-up with all its ideas.
const WHOLE: &str = "onramp";

/// The start-ups that are compared, as records name them.
fn startups() -> impl Iterator<Item = String> {
    let ideas = Without::all().into_iter();
    ideas.map(|without| match without == Without::default() {
        true => WHOLE.to_owned(),
        false => format!("{WHOLE} without {}", without.name()),
    })
}

/// The records of a scenario that compares `onramp` with the host's CUBIC, with each idea switched
/// off as well. Pieces of its text are replaced before.
fn records_without_each(file: &Path, replaced: &[(&str, &str)]) -> Vec<Value> {
    let both = format!("startup = {STARTUPS:?}");
    let mut text = fs::read_to_string(file).unwrap();
    for (old, new) in replaced {
        assert_eq!(text.matches(old).count(), 1, "{old} in {}", file.display());
        text = text.replace(old, new);
    }
    let (before, table) = text.split_once("[[transfer]]").unwrap();
    assert_eq!(table.matches(&both).count(), 1, "{}", file.display());
    let ideas = Without::all()
        .into_iter()
        .map(Without::name)
        .collect::<Vec<_>>();
    let tables = [
        format!("startup = {:?}", STARTUPS[0]),
        format!("startup = {WHOLE:?}\nwithout = {ideas:?}"),
    ];
    let text = tables.iter().fold(before.to_owned(), |text, own| {
        text + "[[transfer]]" + &table.replace(&both, own)
    });
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(file.file_name().unwrap());
    fs::write(&file, text).unwrap();
    records(&file)
}

/// A table in Markdown with a line for CUBIC alone, for `onramp`, and for `onramp` without each
/// idea.
fn table_of(header: &str, line: impl Fn(&str) -> String) -> String {
    let mut table = table_head(header);
    for startup in std::iter::once(STARTUPS[0].to_owned()).chain(startups()) {
        writeln!(table, "| {} | {} |", title(&startup), line(&startup)).unwrap();
    }
    table
}

/// The title of a line.
fn title(startup: &str) -> String {
    match startup.split_once(" without ") {
        Some((_, idea)) => format!("without `{idea}`"),
        None if startup == WHOLE => format!("`{WHOLE}`"),
        None => "CUBIC alone".to_owned(),
    }
}

/// The cells with a start-up, and the index of its runs.
fn cells_and_side(records: &[Value], startup: &str) -> (Vec<Cell>, usize) {
    match startup == STARTUPS[0] {
        true => (cells_with(records, WHOLE), 0),
        false => (cells_with(records, startup), 1),
    }
}

#[test]
fn on_exact_paths() {
    let all = records(&scenarios().join("ablation.toml"));
    let whole = cells_with(&all, WHOLE);
    let started_up = cells(&scenarios().join("start-up.toml"));
    let renamed = table(&started_up).replace("start-up ", "ablation ");
    assert_eq!(table(&whole), renamed, "the same paths and sizes");

    let header = "| | wasted round trips, 100 kB | 1 MB | 5 MB | resent in all | peak queue in \
        BDP, 5 MB | slowest, of CUBIC's time |";
    let table = table_of(header, |startup| {
        let (cells, side) = cells_and_side(&all, startup);
        assert_eq!(cells.len(), started_up.len(), "{startup}");
        let of_size = |bytes: f64, field: &str| -> Vec<f64> {
            let cells = cells
                .iter()
                .filter(is_long)
                .filter(|cell| cell.number("size_bytes") == bytes);
            cells.map(|cell| cell.medians(field)[side]).collect()
        };
        let wasted = [1e5, 1e6, 5e6].map(|bytes| {
            let rtts = of_size(bytes, "excess_rtts");
            format!("{:.2}, {:.2}", median(&rtts), quantile(rtts, 0.95))
        });
        let again: f64 = cells.iter().map(|cell| cell.retransmissions()[side]).sum();
        let queue = median(of_size(5e6, "peak_queue_bdp"));
        let slowest = cells
            .iter()
            .map(|cell| cell.completions_s())
            .map(|s| s[side] / s[0])
            .fold(0.0, f64::max);
        format!(
            "{} | {again} | {queue:.2} | {slowest:.2}",
            wasted.join(" | ")
        )
    });
    assert_in_manual("ablation", &table);
}

/// Whether it is slower than CUBIC by more than a round trip, or has more than twice as many
/// retransmissions.
fn is_bad(cell: &Cell) -> bool {
    is_slow(cell) || retransmits_too_much(cell)
}

fn is_slow(cell: &Cell) -> bool {
    cell.slower_by_rtts() > 1.0
}

fn retransmits_too_much(cell: &Cell) -> bool {
    let [none, onramp] = cell.retransmissions();
    onramp > 2.0 * none
}

/// `halved 1 and 5 MB`.
fn names<'a>(cells: impl Iterator<Item = &'a Cell>) -> String {
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    for cell in cells {
        let scenario = cell.any()["scenario"].as_str().unwrap().to_owned();
        let size = (cell.number("size_bytes") / 1e6).to_string();
        match names.last_mut() {
            Some((last, sizes)) if *last == scenario => sizes.push(size),
            _ => names.push((scenario, vec![size])),
        }
    }
    names
        .iter()
        .map(|(name, sizes)| format!("{name} {} MB", sizes.join(" and ")))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The cell with the maximum (sign 1) or minimum (sign -1) difference from the whole start-up in
/// round trips, and that difference; empty if there is none.
fn extreme(cells: &[Cell], whole: &[Cell], sign: f64) -> String {
    let rtts = |(cell, whole): (&Cell, &Cell)| cell.slower_by_rtts() - whole.slower_by_rtts();
    let extreme = cells
        .iter()
        .zip(whole)
        .max_by(|a, b| (sign * rtts(*a)).total_cmp(&(sign * rtts(*b))))
        .unwrap();
    match format!("{:+.1}", rtts(extreme)) {
        none if none.ends_with("0.0") => String::new(),
        rtts => format!("{} {rtts}", names(std::iter::once(extreme.0))),
    }
}

#[test]
fn on_hostile_paths() {
    let all: Vec<_> = files("hostile")
        .iter()
        .flat_map(|file| records_without_each(file, &[]))
        .collect();
    let whole = cells_with(&all, WHOLE);
    assert_eq!(whole.len(), 3 * files("hostile").len());
    let header = "| | rows that hurt (slow, resent) | time, of CUBIC's | resent in all | that \
        hurt, beyond `onramp`'s own | that no longer do | slowest against `onramp` | fastest |";
    let table = table_of(header, |startup| {
        let (cells, side) = cells_and_side(&all, startup);
        assert_eq!(cells.len(), whole.len(), "{startup}");
        let ratio = |cell: &Cell| cell.completions_s()[side] / cell.completions_s()[0];
        let mean =
            (cells.iter().map(|cell| ratio(cell).ln()).sum::<f64>() / cells.len() as f64).exp();
        let again: f64 = cells.iter().map(|cell| cell.retransmissions()[side]).sum();
        if side == 0 {
            return format!("| {mean:.2} | {again} | | | |");
        }
        let count = |is: fn(&Cell) -> bool| cells.iter().filter(|cell| is(cell)).count();
        // The whole start-up is not compared with itself.
        let was_bad = |whole: &Cell| startup != WHOLE && is_bad(whole);
        let differ = |is_now: bool| {
            let pairs = cells.iter().zip(&whole);
            names(
                pairs
                    .filter(|(cell, whole)| is_bad(cell) == is_now && was_bad(whole) != is_now)
                    .map(|(cell, _)| cell),
            )
        };
        format!(
            "{} ({}, {}) | {mean:.2} | {again} | {} | {} | {} | {}",
            count(is_bad),
            count(is_slow),
            count(retransmits_too_much),
            differ(true),
            differ(false),
            extreme(&cells, &whole, 1.0),
            extreme(&cells, &whole, -1.0),
        )
    });
    assert_in_manual("ablation, hostile", &table);
}

#[test]
fn beside_competing_flows() {
    let [long, ten] = ["beside-cubic.toml", "ten-at-once.toml"].map(|name| {
        let queues = "queue = [\"0.5 bdp\", \"1 bdp\", \"2 bdp\"]";
        let replaced = [(queues, "queue = \"1 bdp\"")];
        let file = scenarios().join("others").join(name);
        records_without_each(
            &file,
            if name == "beside-cubic.toml" {
                &replaced
            } else {
                &[]
            },
        )
    });
    let of = |records: &[Value], startup: &str| {
        let (mut cells, side) = cells_and_side(records, startup);
        assert_eq!(cells.len(), 1, "{startup}");
        (cells.remove(0), side)
    };
    let header = "| | long flow: left | newcomer's time | resent | ten at once: delivered | \
        fairness | resent |";
    let table = table_of(header, |startup| {
        let (cell, side) = of(&long, startup);
        let left = 100.0 * cell.medians("traffic_during_bytes_per_s")[side]
            / cell.number("capacity_bytes_per_s");
        let (took_s, again) = (cell.completions_s()[side], cell.retransmissions()[side]);
        let (all, side) = of(&ten, startup);
        let of_runs = |of: fn(&Run) -> f64| median(all.runs[side].iter().map(of));
        let (got_mb, fairness) = (
            of_runs(|run| run.sum("delivered_bytes") / 1e6),
            of_runs(Run::fairness),
        );
        let all_again = all.retransmissions()[side];
        format!(
            "{left:.1} % | {took_s:.1} s | {again} | {got_mb:.1} MB | {fairness:.2} | {all_again}"
        )
    });
    assert_in_manual("ablation, others", &table);
}
