//! The columns of the table of policies.

use onramp_service::counts::{GroupCounts, Histogram, Interval, PolicyCounts, State};

/// A policy as it is shown: with its rate since the look before.
pub struct Row<'a> {
    pub policy: &'a PolicyCounts,
    /// New connections a second, of both groups.
    pub new_per_s: Option<f64>,
}

/// A column. Its key sorts the policies, the smallest first.
pub struct Column {
    pub heading: &'static str,
    /// What it means, for the help.
    pub meaning: &'static str,
    pub width: usize,
    /// Columns of a high rank are left out first where the terminal is narrow.
    pub rank: u8,
    pub cell: fn(&Row) -> String,
    pub key: fn(&Row) -> Option<f64>,
}

macro_rules! column {
    ($heading:literal, $width:literal, $rank:literal, $cell:expr, $key:expr, $meaning:literal) => {
        Column {
            heading: $heading,
            meaning: $meaning,
            width: $width,
            rank: $rank,
            cell: $cell,
            key: $key,
        }
    };
}

/// All columns, in their order.
#[rustfmt::skip]
pub const COLUMNS: &[Column] = &[
    column!("POLICY", 12, 0, |row| row.policy.name.clone(), |_| Some(0.0),
        "its name; sorted: as in the configuration"),
    column!("STATE", 12, 1, state, |row| Some(state_rank(&row.policy.state)),
        "on, canary with its percentage, off, switched off"),
    column!("NEW/S", 7, 4, |row| number(row.new_per_s), |row| minus(row.new_per_s),
        "new connections a second, of both groups"),
    column!("LIVE", 6, 7, |row| short(live(row)), |row| minus(Some(live(row) as f64)),
        "connections that have not ended"),
    column!("100 kB", 8, 3, |row| median(&row.policy.with_startup.time_to_100_kb),
        |row| minus(row.policy.with_startup.time_to_100_kb.quantile(0.5)),
        "median time to 100 kB with the start-up"),
    column!("CONTROL", 8, 5, |row| median(&row.policy.control.time_to_100_kb),
        |row| minus(row.policy.control.time_to_100_kb.quantile(0.5)),
        "the same of the control group"),
    column!("RATIO 100 kB", 16, 2, |row| interval(ratio(row)),
        |row| minus(ratio(row).map(|ratio| ratio.estimate)),
        "time with the start-up over the control group's, interval"),
    column!("RATIO 1 MB", 16, 9, |row| interval(ratio_of_1_mb(row)),
        |row| minus(ratio_of_1_mb(row).map(|ratio| ratio.estimate)),
        "the same for 1 MB"),
    column!("RESENT", 7, 6, |row| resent(&row.policy.with_startup),
        |row| minus(row.policy.with_startup.segments.retransmitted_share()),
        "retransmitted share of segments with the start-up"),
    column!("CONTROL", 7, 8, |row| resent(&row.policy.control),
        |row| minus(row.policy.control.segments.retransmitted_share()),
        "the same of the control group"),
    column!("RTT", 8, 10, |row| median(&row.policy.with_startup.smoothed_rtt),
        |row| minus(row.policy.with_startup.smoothed_rtt.quantile(0.5)),
        "median of the smoothed RTT with the start-up"),
    column!("START-UP", 9, 11, |row| row.policy.startup.clone().unwrap_or_else(|| "-".to_owned()),
        |_| Some(0.0), "the start-up"),
];

/// The columns that fit, in their order. The first two always do; they are cut.
pub fn fitting(width: usize) -> Vec<&'static Column> {
    let mut by_rank: Vec<&Column> = COLUMNS.iter().collect();
    by_rank.sort_by_key(|column| column.rank);
    let mut used = SELECTED.len();
    let mut rank = 1;
    for column in by_rank {
        used += column.width + 1;
        if used > width + 1 {
            break;
        }
        rank = rank.max(column.rank);
    }
    COLUMNS
        .iter()
        .filter(|column| column.rank <= rank)
        .collect()
}

/// The mark of the selected row.
pub const SELECTED: &str = "> ";

fn minus(value: Option<f64>) -> Option<f64> {
    value.map(|value| -value)
}

fn state(row: &Row) -> String {
    match &row.policy.state {
        State::On => "on".to_owned(),
        State::Canary { percent } => format!("canary {percent} %"),
        State::Off => "off".to_owned(),
        State::SwitchedOff { .. } => "SWITCHED OFF".to_owned(),
    }
}

fn state_rank(state: &State) -> f64 {
    match state {
        State::SwitchedOff { .. } => 0.0,
        State::Canary { .. } => 1.0,
        State::On => 2.0,
        State::Off => 3.0,
    }
}

fn live(row: &Row) -> u64 {
    row.policy.with_startup.live + row.policy.control.live
}

fn ratio(row: &Row) -> Option<Interval> {
    row.policy.comparison?.time_to_100_kb
}

fn ratio_of_1_mb(row: &Row) -> Option<Interval> {
    row.policy.comparison?.time_to_1_mb
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(
        dash,
        |Interval {
             estimate,
             lower,
             upper,
             ..
         }| { format!("{estimate:.2} {lower:.2}-{upper:.2}") },
    )
}

pub fn resent(group: &GroupCounts) -> String {
    let share = group.segments.retransmitted_share();
    share.map_or_else(dash, |share| format!("{:.2} %", 100.0 * share))
}

/// The median of times, in milliseconds or seconds.
pub fn median(times: &Histogram) -> String {
    quantile(times, 0.5)
}

pub fn quantile(times: &Histogram, share: f64) -> String {
    times
        .quantile(share)
        .map_or_else(dash, |time_us| match time_us {
            ..1e4 => format!("{:.1} ms", time_us / 1e3),
            ..1e6 => format!("{:.0} ms", time_us / 1e3),
            _ => format!("{:.2} s", time_us / 1e6),
        })
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(dash, |value| match value {
        ..10.0 => format!("{value:.1}"),
        _ => short(value as u64),
    })
}

/// A number in at most six columns.
pub fn short(value: u64) -> String {
    match value {
        0..100_000 => value.to_string(),
        100_000..10_000_000 => format!("{} k", value / 1_000),
        _ => format!("{} M", value / 1_000_000),
    }
}

fn dash() -> String {
    "-".to_owned()
}
