//! Sorts records into groups that can be compared, and repeats into rows.

use crate::condition::{joined, Condition};
use crate::link::Link;
use crate::spread::Spread;
use crate::statistics;
use onramp_plot::units::printable;
use onramp_results::{Record, TRAFFIC};
use onramp_scenario::NO_STARTUP;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Transfers of one size over one path. The rows differ only in the algorithms of the sender.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// In the order in which they first appear.
    pub(crate) rows: Vec<Row<'a>>,
    /// The minimum possible time, where it is the same for all rows.
    pub(crate) bound_s: Option<f64>,
    /// [`Row::indent`] for the row of the bound.
    pub(crate) bound_indent: usize,
    /// Whether the group has results of several hosts: of simulator and kernel.
    pub(crate) has_mixed_hosts: bool,
}

/// All repeats of one sender: the same start-up, avoidance, initial window and TCP on one host. A
/// repeat may have several flows.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) label: String,
    /// Colour and marker in plots. Rows with the same label have the same look in all groups.
    pub(crate) look: usize,
    /// Positions of the records in the list from which the groups were made.
    pub(crate) indices: Vec<usize>,
    pub(crate) records: Vec<&'a Record>,
    pub(crate) completion: Option<Spread>,
    /// Median completion time over that of the baseline.
    pub(crate) ratio: Option<f64>,
    /// Blanks before the median, so that the decimal points of a group stand below each other.
    pub(crate) indent: usize,
    /// Whether the ratios of its host refer to this row.
    pub(crate) is_baseline: bool,
}

impl Row<'_> {
    /// Number of suspect runs.
    pub(crate) fn suspects(&self) -> usize {
        self.records.iter().filter(|r| r.suspect).count()
    }

    /// Median and range of a value.
    pub(crate) fn spread(&self, value: impl Fn(&Record) -> f64) -> Option<Spread> {
        Spread::of(self.records.iter().map(|r| value(r)))
    }

    /// Number of transfers that were cut off by the end of their run.
    pub(crate) fn unfinished(&self) -> usize {
        self.records.iter().filter(|r| !r.finished).count()
    }

    /// Number of runs from which the records come.
    fn runs(&self) -> usize {
        self.records
            .iter()
            .map(|r| r.run)
            .collect::<HashSet<u32>>()
            .len()
    }

    /// Jain's index of the flows of each run, where all have one size: of their mean rates where
    /// all are finished, of what they delivered where none is. `None` where no run has several such
    /// flows.
    pub(crate) fn fairness(&self) -> Option<Spread> {
        let mut runs: BTreeMap<u32, Vec<&Record>> = BTreeMap::new();
        for record in &self.records {
            runs.entry(record.run).or_default().push(record);
        }
        Spread::of(runs.into_values().filter_map(|flows| fairness_of(&flows)))
    }

    /// Median and range over the repeats that have the value.
    pub(crate) fn spread_of_some(&self, value: impl Fn(&Record) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.records.iter().filter_map(|r| value(r)))
    }
}

/// Jain's index of the flows of one run.
fn fairness_of(flows: &[&Record]) -> Option<f64> {
    let delivered = |flow: &&Record| flow.delivered_bytes as f64;
    let rate = |flow: &&Record| Some(delivered(flow) / flow.completion_s?);
    let is_finished = |flow: &&Record| flow.completion_s.is_some();
    let rates: Vec<f64> = match flows.iter().any(is_finished) {
        true => flows.iter().map(rate).collect::<Option<_>>()?,
        false => flows.iter().map(delivered).collect(),
    };
    let has_one_size = flows
        .iter()
        .all(|flow| flow.size_bytes == flows[0].size_bytes);
    (rates.len() > 1 && has_one_size).then(|| statistics::fairness(&rates))
}

impl<'a> Group<'a> {
    /// The first record. All records of a group share scenario, path, buffers and size.
    pub(crate) fn first(&self) -> &'a Record {
        self.rows[0].records[0]
    }

    /// The bottleneck of the path.
    pub(crate) fn link(&self) -> Link {
        Link::of(self.first())
    }

    /// All records, row by row.
    pub(crate) fn records(&self) -> impl Iterator<Item = &'a Record> + '_ {
        self.rows.iter().flat_map(|row| row.records.iter().copied())
    }

    /// Number of records of each row, where it is the same for all rows.
    pub(crate) fn common_n(&self) -> Option<usize> {
        let n = self.rows[0].records.len();
        self.rows
            .iter()
            .all(|row| row.records.len() == n)
            .then_some(n)
    }

    /// The row to which the ratio of a row refers; `None` where the group has none.
    pub(crate) fn baseline(&self, row: &Row<'_>) -> Option<&Row<'a>> {
        let host = &row.records[0].host;
        let of_host = |one: &&Row<'a>| one.is_baseline && one.records[0].host == *host;
        self.rows.iter().find(of_host)
    }

    /// `geo-download · 1 MB`, `background · traffic beside 5 MB`.
    pub(crate) fn title(&self) -> String {
        let parts = [Condition::Scenario, Condition::Size];
        joined(parts.map(|one| one.text(self.first())))
    }

    /// Number of runs of each row, where it is the same for all rows.
    fn common_runs(&self) -> Option<usize> {
        let runs = self.rows[0].runs();
        self.rows
            .iter()
            .all(|row| row.runs() == runs)
            .then_some(runs)
    }

    /// `3 runs each`, `8 flows each`, `24 flows of 3 runs each`.
    pub(crate) fn repeats(&self) -> Option<String> {
        match (self.common_n()?, self.common_runs()?) {
            (1, _) => Some("1 run each".to_owned()),
            (n, runs) if n == runs => Some(format!("{n} runs each")),
            (n, 1) => Some(format!("{n} flows each")),
            (n, runs) => Some(format!("{n} flows of {runs} runs each")),
        }
    }

    /// `50 Mbit/s · 600 ms · queue 0.5 bdp · receive buffer 64 MiB · sim · 3 runs each`.
    pub(crate) fn conditions(&self) -> String {
        let first = self.first();
        let of_path = Condition::OF_PATH.iter();
        let shown = of_path.filter(|one| !one.is_default(first));
        let host = (!self.has_mixed_hosts).then(|| printable(&first.host));
        joined(
            shown
                .map(|one| one.text(first))
                .chain(host)
                .chain(self.repeats()),
        )
    }
}

/// Sorts records into groups and rows, both in order of first appearance.
pub(crate) fn groups(records: &[Record]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<Key<'_>, usize> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        let at = *places.entry(key(record)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group {
                rows: Vec::new(),
                bound_s: None,
                bound_indent: 0,
                has_mixed_hosts: false,
            });
        }
        add(&mut groups[at].rows, index, record);
    }
    groups.iter_mut().for_each(complete);
    let mut labels: Vec<String> = Vec::new();
    for row in groups.iter_mut().flat_map(|group| &mut group.rows) {
        row.look = labels
            .iter()
            .position(|label| *label == row.label)
            .unwrap_or_else(|| {
                labels.push(row.label.clone());
                labels.len() - 1
            });
    }
    groups
}

/// The conditions of a record: texts and numbers. Those with the same key can be compared.
type Key<'a> = ([&'a str; 9], [Option<u64>; 5]);

fn key(record: &Record) -> Key<'_> {
    let texts = [
        &record.scenario,
        &record.queue,
        &record.loss,
        &record.path,
        &record.application,
        &record.receiver_buffer,
        &record.sender_buffer,
        &record.role,
        &record.sizes,
    ];
    // The sizes of traffic are random, and those that are drawn from a distribution.
    let is_fixed = record.role != TRAFFIC && record.sizes.is_empty();
    let size_bytes = is_fixed.then_some(record.size_bytes);
    let numbers = [
        Some(record.rate_bits_per_s),
        Some(record.rtt_ms.to_bits()),
        Some(record.capacity_bits_per_s),
        record.beside_bytes,
        size_bytes,
    ];
    (texts.map(String::as_str), numbers)
}

fn same_row(a: &Record, b: &Record) -> bool {
    a.host == b.host
        && a.beside == b.beside
        && a.label == b.label
        && a.startup == b.startup
        && a.avoidance == b.avoidance
        && a.initial_window == b.initial_window
        && a.transport == b.transport
        && a.stack == b.stack
        && a.recovery == b.recovery
        && a.timers == b.timers
        && a.sender_tcp == b.sender_tcp
        && a.connections == b.connections
        && a.remembered_bytes.is_some() == b.remembered_bytes.is_some()
}

fn add<'a>(rows: &mut Vec<Row<'a>>, index: usize, record: &'a Record) {
    if let Some(row) = rows.iter_mut().find(|row| same_row(row.records[0], record)) {
        row.indices.push(index);
        row.records.push(record);
    } else {
        rows.push(Row {
            label: String::new(),
            look: 0,
            indices: vec![index],
            records: vec![record],
            completion: None,
            ratio: None,
            indent: 0,
            is_baseline: false,
        });
    }
}

/// Computes all that depends on several records of the group: labels, medians, ratios, the bound.
fn complete(group: &mut Group<'_>) {
    let first = group.first();
    let has_mixed_hosts = group.records().any(|r| r.host != first.host);
    let same_bound = |r: &Record| (r.bound_s - first.bound_s).abs() <= first.bound_s.abs() * 1e-9;
    let one_bound = first.bound_s.is_finite() && group.records().all(same_bound);
    group.has_mixed_hosts = has_mixed_hosts;
    group.bound_s = one_bound.then_some(first.bound_s);
    for row in &mut group.rows {
        row.label = label(row.records[0], has_mixed_hosts);
        row.completion = row.spread_of_some(|r| r.completion_s);
    }
    for at in 0..group.rows.len() {
        let baseline = baseline_of(&group.rows, &group.rows[at].records[0].host);
        group.rows[at].is_baseline = at == baseline;
        // Where transfers did not finish, the median of the others does not describe all of them.
        let of_all = |row: &Row<'_>| row.completion.filter(|_| row.unfinished() == 0);
        let (own, base) = (of_all(&group.rows[at]), of_all(&group.rows[baseline]));
        group.rows[at].ratio = own
            .zip(base)
            .map(|(own, base)| own.median / base.median)
            .filter(|r| r.is_finite());
    }
    indent(group);
}

/// Moves medians with fewer digits before the decimal point to the right.
fn indent(group: &mut Group<'_>) {
    let digits = |value: f64| {
        if value.abs() < 1e7 {
            (value.abs().max(1.0).log10().floor() as usize) + 1
        } else {
            1
        }
    };
    let of_row = |row: &Row<'_>| row.completion.map_or(1, |c| digits(c.median));
    let of_bound = group.bound_s.map_or(1, digits);
    let max = group.rows.iter().map(of_row).fold(of_bound, usize::max);
    for row in &mut group.rows {
        row.indent = max - of_row(row);
    }
    group.bound_indent = max - of_bound;
}

/// The row to which the ratios of a host refer. It is the first of these that exists:
///
/// 1. plain CUBIC with the initial window of the host;
/// 2. plain CUBIC beside plain CUBIC, for measured traffic;
/// 3. any plain CUBIC;
/// 4. the first row of the host.
fn baseline_of(rows: &[Row<'_>], host: &str) -> usize {
    let on_host = |row: &Row<'_>| row.records[0].host == host;
    let plain = |row: &Row<'_>| {
        on_host(row) && row.records[0].startup == NO_STARTUP && row.records[0].avoidance == "cubic"
    };
    let beside_plain = |row: &Row<'_>| plain(row) && row.records[0].beside == "cubic";
    rows.iter()
        .position(|row| {
            plain(row)
                && row.records[0].initial_window == "host"
                && row.records[0].beside.is_empty()
        })
        .or_else(|| rows.iter().position(beside_plain))
        .or_else(|| rows.iter().position(plain))
        .or_else(|| rows.iter().position(on_host))
        .unwrap_or(0)
}

/// Examples: `cubic`, `paced + cubic, IW 4`, `kernel: paced + cubic`. On a remembered path: `onramp
/// memory careful + cubic, remembered`. For traffic: `cubic beside paced + cubic`.
fn label(record: &Record, shows_host: bool) -> String {
    let mut label = if shows_host {
        format!("{}: ", record.host)
    } else {
        String::new()
    };
    label += &record.algorithms();
    if record.remembered_bytes.is_some() {
        label += ", remembered";
    }
    if !record.beside.is_empty() {
        label += &format!(" beside {}", record.beside);
    }
    printable(&label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples::record;

    #[test]
    fn the_baseline_is_plain_cubic_at_any_position() {
        let records = [
            record("a", "paced", "cubic", 1),
            record("a", "none", "bbr", 1),
            record("a", "none", "cubic", 1),
        ];
        let groups = groups(&records);
        let baseline: Vec<bool> = groups[0].rows.iter().map(|row| row.is_baseline).collect();
        assert_eq!(baseline, [false, false, true]);
        assert_eq!(groups[0].rows[2].ratio, Some(1.0));
    }

    #[test]
    fn each_host_has_its_own_baseline() {
        let mut records = vec![
            record("a", "none", "cubic", 1),
            record("a", "none", "cubic", 1),
        ];
        records[1].host = "kernel".to_owned();
        records[1].completion_s = Some(9.0);
        let groups = groups(&records);
        assert_eq!(groups.len(), 1);
        assert!(groups[0]
            .rows
            .iter()
            .all(|row| row.is_baseline && row.ratio == Some(1.0)));
        assert_eq!(groups[0].rows[1].label, "kernel: cubic");
    }

    #[test]
    fn a_start_up_looks_the_same_in_every_group() {
        let records = [
            record("a", "none", "cubic", 1),
            record("a", "paced", "cubic", 1),
            record("b", "paced", "cubic", 1),
        ];
        let groups = groups(&records);
        assert_eq!((groups[0].rows[1].look, groups[1].rows[0].look), (1, 1));
    }

    #[test]
    fn another_tcp_makes_another_row_and_is_named() {
        let mut records = vec![record("a", "none", "reno", 1); 4];
        records[1].recovery = "newreno".to_owned();
        for (record, recovery) in records[2..].iter_mut().zip(["reno", "newreno"]) {
            (record.stack, record.recovery, record.timers) =
                ("lite".into(), recovery.into(), "bsd".into());
        }
        records[3].timers = "decoupled".to_owned();
        let groups = groups(&records);
        let labels: Vec<&str> = groups[0]
            .rows
            .iter()
            .map(|row| row.label.as_str())
            .collect();
        assert_eq!(
            labels,
            [
                "reno",
                "reno, newreno",
                "reno, lite",
                "reno, lite, newreno, decoupled timers"
            ]
        );
    }

    #[test]
    fn measured_traffic_is_one_group_of_all_sizes() {
        let mut records = vec![record("a", "none", "cubic", 1); 4];
        for (record, size_bytes) in records[1..].iter_mut().zip([10, 20, 10]) {
            (record.role, record.size_bytes) = (TRAFFIC.to_owned(), size_bytes);
        }
        let groups = groups(&records);
        assert_eq!(groups.len(), 2);
        assert_eq!(
            (groups[1].title().as_str(), groups[1].rows[0].indices.len()),
            ("a · traffic", 3)
        );
        assert!(
            groups[1].conditions().ends_with("3 flows each"),
            "{}",
            groups[1].conditions()
        );
    }

    #[test]
    fn traffic_beside_different_transfers_is_not_pooled() {
        let mut records = vec![record("a", "none", "cubic", 1); 5];
        for (one, (beside, bytes)) in records.iter_mut().zip([
            ("paced + cubic", 10),
            ("cubic", 10),
            ("paced + cubic", 10),
            ("cubic", 20),
        ]) {
            (one.role, one.beside, one.beside_bytes) =
                (TRAFFIC.to_owned(), beside.to_owned(), Some(bytes));
        }
        let groups = groups(&records);
        let titles: Vec<String> = groups.iter().map(Group::title).collect();
        assert_eq!(
            titles,
            [
                "a · traffic beside 10 B",
                "a · traffic beside 20 B",
                "a · 1 MB"
            ]
        );
        let labels: Vec<&str> = groups[0]
            .rows
            .iter()
            .map(|row| row.label.as_str())
            .collect();
        assert_eq!(labels, ["cubic beside paced + cubic", "cubic beside cubic"]);
        assert!(groups[0].rows[1].is_baseline && !groups[0].rows[0].is_baseline);
    }

    #[test]
    fn paths_and_applications_that_differ_are_not_pooled() {
        let mut records = vec![record("a", "none", "cubic", 1); 3];
        records[1].path = "codel".to_owned();
        records[2].application = "1 kB every 1 s".to_owned();
        let groups = groups(&records);
        let conditions: Vec<String> = groups.iter().map(Group::conditions).collect();
        assert_eq!(groups.len(), 3);
        assert!(conditions[1].contains(" · codel · "), "{conditions:?}");
        assert!(
            conditions[2].contains(" · application writes 1 kB every 1 s · "),
            "{conditions:?}"
        );
    }

    #[test]
    fn repeats_make_one_row_and_sizes_make_groups() {
        let mut records = vec![
            record("a", "none", "cubic", 1),
            record("a", "none", "cubic", 2),
        ];
        records.push(Record {
            size_bytes: 5,
            ..records[0].clone()
        });
        let groups = groups(&records);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].rows[0].indices, [0, 1]);
    }

    /// Two flows in one run, with these completion times, of which 3 MB and 1 MB have arrived.
    fn two_flows(completions_s: [Option<f64>; 2]) -> Option<Spread> {
        let flow = |(completion_s, megabytes): (Option<f64>, u64)| Record {
            completion_s,
            delivered_bytes: megabytes * 1_000_000,
            ..record("a", "none", "cubic", 1)
        };
        let records: Vec<Record> = completions_s.into_iter().zip([3, 1]).map(flow).collect();
        groups(&records)[0].rows[0].fairness()
    }

    #[test]
    fn fairness_is_that_of_rates_or_of_what_arrived_until_the_end() {
        let median = |spread: Option<Spread>| spread.map(|spread| spread.median);
        assert_eq!(median(two_flows([Some(3.0), Some(1.0)])), Some(1.0));
        assert_eq!(median(two_flows([Some(1.0), Some(1.0)])), Some(0.8));
        assert_eq!(median(two_flows([None, None])), Some(0.8));
        assert_eq!(two_flows([Some(1.0), None]), None, "the other has no rate");
        let alone = [
            record("a", "none", "cubic", 1),
            record("a", "none", "cubic", 2),
        ];
        assert_eq!(
            groups(&alone)[0].rows[0].fairness(),
            None,
            "each run has one flow"
        );
    }
}
