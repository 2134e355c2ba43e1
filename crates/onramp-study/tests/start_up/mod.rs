//! Start-up `onramp` on the paths of `scenarios/`, compared with the host's own CUBIC. The tables
//! for readers are in docs/algorithms/onramp-*.md; `INSTA_UPDATE=always cargo test -p onramp-study
//! --test simulator start_up` writes them there.

mod ablation;
mod evaluation;
mod remembered;

use crate::common::*;
use onramp_report::statistics::{median, quantile};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The start-ups of the tables, in their order.
const STARTUPS: [&str; 2] = ["none", "onramp"];

/// The hostile paths: scenarios, and their titles in the manual, in its order.
const HOSTILE: [(&str, &str); 22] = [
    ("random-loss", "1 % random loss"),
    ("loss-bursts", "bursts of loss (Gilbert-Elliott)"),
    ("jitter-5", "5 ms jitter, both directions"),
    ("jitter-20", "20 ms jitter, both directions"),
    ("reordering", "3 ms jitter that reorders"),
    (
        "wifi-bunches",
        "WiFi: packets aggregated for 3 ms, both directions",
    ),
    ("lte-bunches", "LTE: ACKs aggregated for 10 ms"),
    ("thin-acks", "0.5 Mbit/s return path, ACK filter"),
    ("narrow-way-back", "0.5 Mbit/s return path, no filter"),
    ("policer-20", "100 Mbit/s line, policer of 20 Mbit/s, 64 kB"),
    ("policer-50", "1 Gbit/s line, policer of 50 Mbit/s, 128 kB"),
    ("shaper-20", "100 Mbit/s line, shaper of 20 Mbit/s, 100 kB"),
    ("shaper-50", "1 Gbit/s line, shaper of 50 Mbit/s, 64 kB"),
    ("fair-queue", "FQ-CoDel"),
    ("halved", "rate halved at 250 ms"),
    ("doubled", "rate doubled at 250 ms"),
    ("longer", "RTT 100 ms, 160 ms from 250 ms on"),
    ("shorter", "RTT 100 ms, 50 ms from 250 ms on"),
    ("default-buffer", "Linux's default receive buffer"),
    ("writes-100", "writes of 100 kB every 150 ms"),
    ("writes-400", "writes of 400 kB every 500 ms"),
    ("geo-loss", "600 ms, 0.1 % loss"),
];

/// All runs of one path and size, of each start-up.
#[derive(Default)]
struct Cell {
    runs: [Vec<Run>; 2],
}

/// The records of the measured transfers, and of the measured competing flows.
#[derive(Default)]
struct Run {
    transfers: Vec<Value>,
    others: Vec<Value>,
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = scenarios()
        .join(folder)
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
}

/// The records of a file, without the transfers that the simulator does not support.
fn records(file: &Path) -> Vec<Value> {
    let ran = onramp([
        "sim".as_ref(),
        file.as_os_str(),
        "--json".as_ref(),
        "--skip-missing".as_ref(),
    ])
    .code(0);
    ran.json().as_array().unwrap().clone()
}

fn cells(file: &Path) -> Vec<Cell> {
    cells_with(&records(file), STARTUPS[1])
}

/// The cells of records in their order: runs without a start-up, and with this one.
fn cells_with(records: &[Value], with: &str) -> Vec<Cell> {
    let key = |record: &Value| {
        let size = if record["role"] == "traffic" {
            "beside_bytes"
        } else {
            "size_bytes"
        };
        [
            "scenario",
            "rate_bits_per_s",
            "rtt_ms",
            "queue",
            "loss",
            size,
        ]
        .map(|field| record[field].to_string())
    };
    let mut cells: Vec<(_, Cell)> = Vec::new();
    for record in records {
        let is_other = record["role"] == "traffic";
        let startup = match record["beside"].as_str().unwrap() {
            "" => record["startup"].as_str().unwrap(),
            beside => beside
                .split_once(" + ")
                .map_or(STARTUPS[0], |(startup, _)| startup),
        };
        let Some(side) = [STARTUPS[0], with].iter().position(|side| *side == startup) else {
            continue;
        };
        let key = key(record);
        let index = cells
            .iter()
            .position(|(other, _)| *other == key)
            .unwrap_or_else(|| {
                cells.push((key, Cell::default()));
                cells.len() - 1
            });
        let runs = &mut cells[index].1.runs[side];
        let run = record["run"].as_u64().unwrap() as usize;
        runs.resize_with(runs.len().max(run), Run::default);
        let run = &mut runs[run - 1];
        (if is_other {
            &mut run.others
        } else {
            &mut run.transfers
        })
        .push(record.clone());
    }
    cells.into_iter().map(|(_, cell)| cell).collect()
}

/// The median of a field. Unfinished transfers have no completion time.
fn median_of<'a>(records: impl Iterator<Item = &'a Value>, field: &str) -> f64 {
    median(records.map(|record| record[field].as_f64().unwrap_or(f64::NAN)))
}

impl Run {
    fn sum(&self, field: &str) -> f64 {
        self.transfers
            .iter()
            .map(|record| record[field].as_f64().unwrap())
            .sum()
    }

    /// Jain's fairness index of the delivered bytes: 1 if all are equal.
    fn fairness(&self) -> f64 {
        let squares: f64 = self
            .transfers
            .iter()
            .map(|record| record["delivered_bytes"].as_f64().unwrap().powi(2))
            .sum();
        self.sum("delivered_bytes").powi(2) / squares / self.transfers.len() as f64
    }
}

impl Cell {
    fn any(&self) -> &Value {
        &self.runs[0][0].transfers[0]
    }

    fn number(&self, field: &str) -> f64 {
        self.any()[field].as_f64().unwrap()
    }

    /// Medians over all transfers of all runs.
    fn medians(&self, field: &str) -> [f64; 2] {
        [0, 1].map(|i| median_of(self.runs[i].iter().flat_map(|run| &run.transfers), field))
    }

    fn completions_s(&self) -> [f64; 2] {
        self.medians("completion_s")
    }

    fn retransmissions(&self) -> [f64; 2] {
        [0, 1].map(|i| {
            median(
                self.runs[i]
                    .iter()
                    .map(|run| run.sum("retransmitted_segments")),
            )
        })
    }

    fn slower_by_rtts(&self) -> f64 {
        let [none_s, onramp_s] = self.completions_s();
        (onramp_s - none_s) / self.number("rtt_ms") * 1e3
    }

    /// The exit reasons of `onramp` in its runs.
    fn exits(&self) -> String {
        let records = self.runs[1].iter().flat_map(|run| &run.transfers);
        let mut reasons: Vec<_> = records
            .map(|record| record["exit_reason"].as_str().unwrap())
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons.join(", ")
    }

    /// The results of competing flows, or of transfers that share the path.
    fn others(&self) -> String {
        if self.runs[0].iter().any(|run| !run.others.is_empty()) {
            let [none_s, onramp_s] = [0, 1].map(|i| {
                median_of(
                    self.runs[i].iter().flat_map(|run| &run.others),
                    "completion_s",
                )
            });
            return format!("the others take {none_s:.3} {onramp_s:.3} s");
        }
        if self.any()["traffic_during_bytes_per_s"].is_number() {
            let capacity = self.number("capacity_bytes_per_s");
            let [none, onramp] = self
                .medians("traffic_during_bytes_per_s")
                .map(|rate| 100.0 * rate / capacity);
            return format!("the other is left {none:.1} {onramp:.1} %");
        }
        if self.runs[0].iter().any(|run| run.transfers.len() > 1) {
            let all = |of: fn(&Run) -> f64| [0, 1].map(|i| median(self.runs[i].iter().map(of)));
            let ([none_mb, onramp_mb], [none, onramp]) = (
                all(|run| run.sum("delivered_bytes") / 1e6),
                all(Run::fairness),
            );
            return format!(
                "all get {none_mb:.1} {onramp_mb:.1} MB, fairness {none:.2} {onramp:.2}"
            );
        }
        String::new()
    }

    /// The difference in round trips, in bold if `onramp` is slower than CUBIC by more than one.
    fn difference(&self) -> String {
        bold_if(
            self.slower_by_rtts() > 1.0,
            format!("{:+.2}", self.slower_by_rtts()),
        )
    }

    fn retransmits_too_much(&self) -> bool {
        let [none, onramp] = self.retransmissions();
        onramp > 2.0 * none
    }

    /// The retransmissions, in bold if `onramp` has more than twice as many as CUBIC.
    fn retransmissions_text(&self) -> String {
        let [none, onramp] = self.retransmissions();
        bold_if(self.retransmits_too_much(), format!("{none}, {onramp}"))
    }

    fn path(&self) -> String {
        let [scenario, queue] =
            ["scenario", "queue"].map(|field| self.any()[field].as_str().unwrap());
        format!(
            "{scenario} {} Mbit/s {} ms {queue}",
            self.number("rate_bits_per_s") / 1e6,
            self.number("rtt_ms")
        )
    }

    fn line(&self) -> String {
        let seconds = |s: f64| {
            if s.is_nan() {
                "-".to_owned()
            } else {
                format!("{s:.3}")
            }
        };
        let ([none_s, onramp_s], rtts) = (self.completions_s(), self.slower_by_rtts());
        let rtts = if rtts.is_nan() {
            String::new()
        } else {
            format!("{rtts:+.2}")
        };
        let ([none_retransmitted, onramp_retransmitted], [none_bdp, onramp_bdp]) =
            (self.retransmissions(), self.medians("peak_queue_bdp"));
        let line = format!(
            "{:<46} {:>5} MB | {:>7} {:>7} | {rtts:>7} | {none_retransmitted:>4} \
             {onramp_retransmitted:>4} | \
             {none_bdp:.2} {onramp_bdp:.2} | {:<25} {}",
            self.path(),
            self.number("size_bytes") / 1e6,
            seconds(none_s),
            seconds(onramp_s),
            self.exits(),
            self.others(),
        );
        line.trim_end().to_owned()
    }
}

fn bold_if(is_bold: bool, text: String) -> String {
    if is_bold {
        format!("**{text}**")
    } else {
        text
    }
}

/// A table with a line for each path and size: medians without a start-up and with `onramp`.
fn table<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> String {
    let [none, onramp] = STARTUPS;
    let mut table = format!(
        "{:<46} {:>8} | {none:>7} {onramp:>7} | {:>7} | {:>9} | {:>9} | exit\n",
        "path", "size", "RTTs", "resent", "queue bdp"
    );
    for cell in cells {
        writeln!(table, "{}", cell.line()).unwrap();
    }
    table
}

/// The heading of a table in Markdown.
fn table_head(header: &str) -> String {
    format!(
        "{header}\n{}|\n",
        "|---".repeat(header.matches('|').count() - 1)
    )
}

/// Asserts that the page of `onramp` that has this table has it between its marks.
fn assert_in_manual(name: &str, table: &str) {
    let page = match name {
        "pairs" => "algorithms/onramp-packet-pairs.md",
        _ if name.starts_with("memory") => "algorithms/onramp-memory.md",
        _ => "algorithms/onramp-evaluation.md",
    };
    assert_in_page(page, name, table);
}

/// Asserts that this page of docs/ has this table between its marks.
fn assert_in_page(page: &str, name: &str, table: &str) {
    /// One table at a time is written.
    static PAGES: Mutex<()> = Mutex::new(());
    let _alone = PAGES
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(page);
    let text = fs::read_to_string(&file).unwrap();
    let [begin, end] = [format!("<!-- {name} -->\n"), format!("<!-- /{name} -->")];
    let (before, rest) = text.split_once(&begin).expect(name);
    let (found, after) = rest.split_once(&end).expect(name);
    if found != table && std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&file, [before, &begin, table, &end, after].concat()).unwrap();
    } else {
        assert!(
            found == table,
            "`INSTA_UPDATE=always` puts this into docs/{page}:\n\n{table}"
        );
    }
}

/// Whether the BDP is at least 60 packets. On shorter paths, which half a dozen initial windows
/// fill, a start-up can gain little.
fn is_long(cell: &&Cell) -> bool {
    cell.number("rate_bits_per_s") * cell.number("rtt_ms") / 1e3 / 8.0 / 1500.0 >= 60.0
}

#[test]
fn on_exact_paths() {
    let cells = cells(&scenarios().join("start-up.toml"));
    insta::assert_snapshot!("start-up", table(&cells));

    let of_size = |is: fn(f64) -> bool| -> Vec<f64> {
        let cells = cells
            .iter()
            .filter(is_long)
            .filter(|cell| is(cell.number("size_bytes")));
        cells.map(|cell| cell.medians("excess_rtts")[1]).collect()
    };
    let (large, small) = (of_size(|bytes| bytes >= 1e6), of_size(|bytes| bytes < 1e6));
    assert_eq!((large.len(), small.len()), (32, 16));
    assert!(quantile(large.clone(), 0.5) <= 1.3, "{large:?}");
    assert!(quantile(large.clone(), 0.95) <= 2.0, "{large:?}");
    assert!(quantile(small.clone(), 0.5) <= 1.1, "{small:?}");
    for cell in &cells {
        let ([none_s, onramp_s], [none_retransmitted, onramp_retransmitted]) =
            (cell.completions_s(), cell.retransmissions());
        assert!(onramp_s <= none_s * 1.02, "slower: {}", cell.line());
        let has_room = cell.any()["queue"] != "0.3 bdp";
        assert!(
            !has_room || onramp_retransmitted == 0.0 || none_retransmitted > 0.0,
            "losses: {}",
            cell.line()
        );
    }
}

#[test]
fn on_hostile_paths() {
    let cells: Vec<_> = files("hostile")
        .iter()
        .flat_map(|file| cells(file))
        .collect();
    assert_eq!(cells.len(), 3 * HOSTILE.len());
    insta::assert_snapshot!("hostile", table(&cells));

    let mut table = table_head(
        "| path | 100 kB: difference | 1 MB: difference, resent | 5 MB: CUBIC, onramp, \
         difference, resent | exit |",
    );
    for (scenario, title) in HOSTILE {
        let of_path: Vec<_> = cells
            .iter()
            .filter(|cell| cell.any()["scenario"] == scenario)
            .collect();
        let [small, medium, large] = of_path[..] else {
            panic!("{scenario}: {} sizes", of_path.len())
        };
        let [none_s, onramp_s] = large.completions_s();
        let small_retransmitted = if small.retransmits_too_much() {
            format!(", {}", small.retransmissions_text())
        } else {
            String::new()
        };
        writeln!(
            table,
            "| {title} | {}{small_retransmitted} | {}, {} | {none_s:.2} s, {onramp_s:.2} s, {}, \
             {} | {} |",
            small.difference(),
            medium.difference(),
            medium.retransmissions_text(),
            large.difference(),
            large.retransmissions_text(),
            large.exits()
        )
        .unwrap();
    }
    assert_in_manual("hostile", &table);
}

/// The cells whose times differ by a tenth of a round trip or more, without and with packet pairs.
fn pairs_table(without: &[Cell], with_pairs: &[Cell]) -> String {
    let mut table = table_head(
        "| path | size | CUBIC | onramp | with pairs | gain | retransmitted: CUBIC, onramp, with \
         pairs |",
    );
    assert_eq!(without.len(), with_pairs.len());
    for (cell, pairs) in without.iter().zip(with_pairs) {
        assert_eq!(cell.any()["scenario"], pairs.any()["scenario"]);
        let ([none_s, onramp_s], [_, pairs_s]) = (cell.completions_s(), pairs.completions_s());
        let gain = (onramp_s - pairs_s) / cell.number("rtt_ms") * 1e3;
        if gain.abs() < 0.1 {
            continue;
        }
        let title = HOSTILE
            .iter()
            .find(|(scenario, _)| cell.any()["scenario"] == *scenario)
            .map(|(_, title)| title)
            .expect("every hostile path has a title");
        let [none, onramp] = cell.retransmissions();
        let [_, pairs] = pairs.retransmissions();
        writeln!(
            table,
            "| {title} | {} MB | {none_s:.3} s | {onramp_s:.3} s | {pairs_s:.3} s | {gain:+.2} | \
             {none}, {onramp}, {pairs} |",
            cell.number("size_bytes") / 1e6,
        )
        .unwrap();
    }
    table
}

/// The hostile paths, with packet pairs on both ends.
#[test]
fn on_hostile_paths_with_packet_pairs() {
    let dir = tempfile::tempdir().unwrap();
    let with_pairs = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        assert!(!text.contains("[sender]"), "{}", file.display());
        let copy = dir.path().join(file.file_name().unwrap());
        fs::write(&copy, format!("{text}\n[sender]\npacket_pairs = true\n")).unwrap();
        cells(&copy)
    };
    let hostile = files("hostile");
    let cells_with_pairs: Vec<_> = hostile.iter().flat_map(with_pairs).collect();
    insta::assert_snapshot!("hostile-pairs", table(&cells_with_pairs));
    let without: Vec<_> = hostile.iter().flat_map(|file| cells(file)).collect();
    assert_in_manual("pairs", &pairs_table(&without, &cells_with_pairs));
    let cells = cells_with_pairs;

    // The measured rate does not depend on the return path.
    let narrow: Vec<_> = cells
        .iter()
        .filter(|cell| cell.any()["scenario"] == "narrow-way-back")
        .collect();
    assert_eq!(narrow.len(), 3);
    for cell in narrow {
        let (rate, capacity) = (
            cell.medians("estimate_bytes_per_s")[1],
            cell.number("capacity_bytes_per_s"),
        );
        assert!(
            (rate / capacity - 1.0).abs() < 0.02,
            "{rate} of {capacity}: {}",
            cell.line()
        );
        assert!(cell.slower_by_rtts() < -0.8, "{}", cell.line());
    }
}

#[test]
fn beside_competing_flows() {
    let cells: Vec<_> = files("others")
        .iter()
        .flat_map(|file| cells(file))
        .collect();
    insta::assert_snapshot!("others", table(&cells));
}
