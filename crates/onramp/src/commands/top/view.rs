//! The lines of the view. Everything is said in words and signs; colour only repeats it.

use super::columns::{fitting, median, quantile, resent, short, Row, COLUMNS, SELECTED};
use super::state::{Lower, State};
use crossterm::style::{ContentStyle, StyledContent, Stylize};
use onramp_cli::text;
use onramp_kernel::Connection;
use onramp_service::counts::{
    exit_in_words, GroupCounts, Interval, PolicyCounts, State as PolicyState,
};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Lines of the table, with its heading, that are kept for the policies before the lower part gets
/// any.
const MIN_TABLE: usize = 4;
/// Lines of the lower part, where there is room.
const LOWER: usize = 10;
/// Below this height there is only the table.
const MIN_HEIGHT: usize = 10;

/// A line of the screen: pieces, each with its look.
pub type Line = Vec<StyledContent<String>>;

/// As many lines as the screen has, each as wide as the screen.
pub fn lines(state: &State, width: usize, height: usize) -> Vec<Line> {
    let lines = match state.shows_help {
        true => help(width),
        false => policies(state, width, height),
    };
    of_height(lines, height)
        .into_iter()
        .map(|line| of_width(line, width))
        .collect()
}

fn policies(state: &State, width: usize, height: usize) -> Vec<Line> {
    let rows = state.rows();
    let wanted = (rows.len() + 1).max(MIN_TABLE);
    let rest = height.saturating_sub(2);
    let lower = match height {
        ..MIN_HEIGHT => 0,
        _ => rest
            .saturating_sub(wanted)
            .max(LOWER.min(rest.saturating_sub(MIN_TABLE))),
    };
    let below = match state.lower {
        Lower::Policy => policy(width, state, &rows),
        Lower::Starting => starting(width, &state.starting),
    };
    let mut lines = vec![heading(state)];
    let table = rest.saturating_sub(lower);
    lines.extend(of_height(self::table(width, table, state, &rows), table));
    lines.extend(of_height(below, lower));
    lines.push(plain(footer(state, width)));
    lines
}

fn of_height(mut lines: Vec<Line>, height: usize) -> Vec<Line> {
    lines.resize(height, Line::new());
    lines
}

fn of_width(mut line: Line, width: usize) -> Line {
    let mut rest = width;
    line.push(String::new().stylize());
    let last = line.len() - 1;
    let pieces = line.into_iter().enumerate().map(|(at, piece)| {
        let text = match at == last {
            true => " ".repeat(rest),
            false => cut(piece.content(), rest),
        };
        rest -= text.width();
        StyledContent::new(*piece.style(), text)
    });
    pieces.collect()
}

/// What fits of a text.
fn cut(text: &str, width: usize) -> String {
    let mut rest = width;
    let printable = text::printable(text);
    let fitting = printable.chars().take_while(|char| {
        let columns = char.width().unwrap_or(0);
        let fits = columns <= rest;
        rest = rest.saturating_sub(columns);
        fits
    });
    fitting.collect()
}

/// A cell of a table, with the gap behind it.
fn cell(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blanks = width + 1 - text.width();
    text + &" ".repeat(blanks)
}

fn plain(text: String) -> Line {
    vec![text.stylize()]
}

fn bold(text: String) -> Line {
    vec![text.bold()]
}

fn heading(state: &State) -> Line {
    let service = &state.counts.service;
    let off = state
        .counts
        .policies
        .iter()
        .filter(|policy| is_switched_off(policy))
        .count();
    if let Some(trouble) = &state.trouble {
        return bold(format!("NO NEWS: {trouble}"));
    }
    let policies = match state.counts.policies.len() {
        1 => "1 policy".to_owned(),
        several => format!("{several} policies"),
    };
    let mut words = vec![format!("onramp {}", service.version), policies];
    if off > 0 {
        words.push(format!("{off} SWITCHED OFF"));
    }
    if service.started_s > 0.0 {
        words.push(format!(
            "up {}",
            duration(state.counts.time_s - service.started_s)
        ));
    }
    if state.is_paused {
        words.push("PAUSED".to_owned());
    }
    bold(words.join(", "))
}

fn footer(state: &State, width: usize) -> String {
    if state.is_filtering {
        return format!("filter: {}_  (Enter: keep, Esc: none)", state.filter);
    }
    let order = if state.is_reversed { ", reversed" } else { "" };
    let mut words = format!("sorted by {}{order}", state.sort_column().heading);
    if !state.filter.is_empty() {
        words += &format!(", filter: {}", state.filter);
    }
    // As many keys as fit beside what is in force.
    let keys = [
        "q quit  ? help  s sort  / filter  p pause  c connections",
        "q quit  ? help  s sort  / filter",
        "q quit  ? help",
    ];
    let lines = keys.map(|keys| format!("{keys} | {words}"));
    let fitting = lines.into_iter().find(|line| line.width() <= width);
    fitting.unwrap_or_else(|| keys[2].to_owned())
}

fn table(width: usize, height: usize, state: &State, rows: &[Row]) -> Vec<Line> {
    let Some(selected) = state.selected_of(rows) else {
        let words = match state.filter.is_empty() {
            true => "The configuration has no policy.".to_owned(),
            false => format!(
                "No policy has {:?} in its name, start-up or state.",
                state.filter
            ),
        };
        return wrapped(&words, width);
    };
    let shown = fitting(width);
    let sorted = state.sort_column();
    let mut heading = vec![" ".repeat(SELECTED.len()).bold()];
    for column in &shown {
        let blanks = column.width + 1 - column.heading.len();
        heading.push(match std::ptr::eq(*column, sorted) {
            true => column.heading.to_owned().bold().underlined(),
            false => column.heading.to_owned().bold(),
        });
        heading.push(" ".repeat(blanks).bold());
    }
    let lines = rows.iter().enumerate().map(|(at, row)| {
        let cells = shown
            .iter()
            .map(|column| cell(&(column.cell)(row), column.width));
        let style = row_style(state, row.policy);
        let (mark, style) = match at == selected {
            true => (SELECTED.to_owned(), style.bold()),
            false => (" ".repeat(SELECTED.len()), style),
        };
        vec![style.apply(mark + &cells.collect::<String>())]
    });
    // The table scrolls as far as the selected policy needs.
    let above = (selected + 2).saturating_sub(height.max(2));
    [heading].into_iter().chain(lines.skip(above)).collect()
}

fn is_switched_off(policy: &PolicyCounts) -> bool {
    matches!(policy.state, PolicyState::SwitchedOff { .. })
}

fn row_style(state: &State, policy: &PolicyCounts) -> ContentStyle {
    let ratio = policy
        .comparison
        .and_then(|comparison| comparison.time_to_100_kb);
    let style = ContentStyle::new();
    match ratio {
        _ if !state.uses_colour => style,
        _ if is_switched_off(policy) => style.dark_red(),
        Some(ratio) if ratio.lower > 1.0 => style.dark_yellow(),
        Some(ratio) if ratio.upper < 1.0 => style.dark_green(),
        _ => style,
    }
}

fn wrapped(text: &str, width: usize) -> Vec<Line> {
    text::wrap(text, width).into_iter().map(plain).collect()
}

fn title(words: &str, width: usize) -> Line {
    bold(format!("{:-<width$}", format!("--- {words} ")))
}

/// The selected policy, in sentences.
fn policy(width: usize, state: &State, rows: &[Row]) -> Vec<Line> {
    let Some(selected) = state.selected_of(rows) else {
        return Vec::new();
    };
    let policy = rows[selected].policy;
    let mut lines = vec![title(&policy.name, width)];
    for sentence in sentences(state, policy) {
        lines.extend(wrapped(&sentence, width));
    }
    lines
}

fn sentences(state: &State, policy: &PolicyCounts) -> Vec<String> {
    let mut lines = Vec::new();
    let startup = policy.startup.as_deref().unwrap_or("no start-up");
    if let PolicyState::SwitchedOff { reason, time_s } = &policy.state {
        let ago = duration(state.counts.time_s - time_s);
        lines.push(format!("Switched off {ago} ago: {reason}."));
    }
    lines.push(format!(
        "{startup}, then {}. {}",
        policy.avoidance,
        verdict(policy)
    ));
    lines.push(group_line(startup, &policy.with_startup));
    if policy.control.connections > 0 {
        lines.push(group_line("control", &policy.control));
    }
    lines.push(exits(&policy.with_startup));
    let (time, estimate) = (
        &policy.with_startup.startup_time,
        &policy.with_startup.estimate,
    );
    if let Some(rate) = estimate.quantile(0.5) {
        let (half, most) = (median(time), quantile(time, 0.9));
        lines.push(format!(
            "Start-up: median {half}, 90 % below {most}; median estimate {}.",
            text::rate(rate as u64)
        ));
    }
    lines.extend(initial_rate(state, policy));
    lines
}

/// `None` if the policy has no start-up, or if its start-up is not registered.
fn initial_rate(state: &State, policy: &PolicyCounts) -> Option<String> {
    let name = policy.congestion_control.as_ref()?;
    match &state.initial_rates {
        Ok(rates) => Some(format!("Initial rate: {}.", rates.get(name)?)),
        Err(error) => Some(format!("Initial rate: unknown, because {error}.")),
    }
}

/// What the canary's test says, as a sentence.
fn verdict(policy: &PolicyCounts) -> String {
    let Some(comparison) = policy.comparison else {
        return match policy.control.connections {
            0 => "There is no control group to compare with.".to_owned(),
            _ => "No test runs.".to_owned(),
        };
    };
    let Some(ratio) = comparison.time_to_100_kb else {
        return "Too few connections for a comparison.".to_owned();
    };
    let times = match ratio {
        Interval { upper, .. } if upper < 1.0 => "Certainly faster",
        Interval { lower, .. } if lower > 1.0 => "Certainly SLOWER",
        _ => "Neither faster nor slower for certain",
    };
    let resent = comparison
        .retransmitted
        .map_or(String::new(), |difference| {
            let points = |share: f64| format!("{:+.2}", 100.0 * share);
            format!(
                ", resent {} points ({} to {})",
                points(difference.estimate),
                points(difference.lower),
                points(difference.upper)
            )
        });
    format!(
        "{times}: x {:.3} ({:.3} to {:.3}) to 100 kB{resent}.",
        ratio.estimate, ratio.lower, ratio.upper
    )
}

fn group_line(name: &str, group: &GroupCounts) -> String {
    format!(
        "{name}: {} connections, {} live; 100 kB {}, 90 % {}; 1 MB {}; RTT {}; resent {}",
        short(group.connections),
        short(group.live),
        median(&group.time_to_100_kb),
        quantile(&group.time_to_100_kb, 0.9),
        median(&group.time_to_1_mb),
        median(&group.smoothed_rtt),
        resent(group),
    )
}

fn exits(group: &GroupCounts) -> String {
    let all: u64 = group.exits.values().sum();
    let mut exits: Vec<_> = group
        .exits
        .iter()
        .filter(|(_, startups)| **startups > 0)
        .collect();
    exits.sort_by_key(|(_, startups)| std::cmp::Reverse(**startups));
    let words = exits.into_iter().map(|(exit, startups)| {
        let percent = 100.0 * *startups as f64 / all as f64;
        format!("{exit} {percent:.0} % ({})", exit_in_words(exit))
    });
    match all {
        0 => "No start-up has ended.".to_owned(),
        _ => format!("Exits: {}.", words.collect::<Vec<_>>().join(", ")),
    }
}

/// Connections that begin at present.
fn starting(width: usize, starting: &Result<Vec<Connection>, String>) -> Vec<Line> {
    let all = match starting {
        Ok(all) => all,
        Err(error) => {
            let mut lines = vec![title("connections starting now", width)];
            lines.extend(wrapped(
                &format!("Connections cannot be listed: {error}"),
                width,
            ));
            return lines;
        }
    };
    let heading = [
        "REMOTE", "PHASE", "AGE", "CWND", "RTT", "ESTIMATE", "PACING",
    ];
    let row = |cells: [String; 7]| -> String {
        let widths = [22, 13, 8, 8, 8, 11, 11];
        let cells = cells.iter().zip(widths);
        cells.map(|(text, width)| cell(text, width)).collect()
    };
    let words = format!("{} starting now", text::count(all.len(), "connection"));
    let mut lines = vec![title(&words, width), bold(row(heading.map(str::to_owned)))];
    lines.extend(all.iter().map(|one| plain(row(starting_cells(one)))));
    lines
}

fn starting_cells(connection: &Connection) -> [String; 7] {
    let rate = |rate: Option<u64>| rate.map_or_else(|| "-".to_owned(), text::rate);
    [
        connection.remote.to_string(),
        connection.phase.to_owned(),
        format!("{:.2} s", connection.age_s),
        text::bytes(connection.cwnd_bytes),
        format!("{:.1} ms", connection.srtt_s * 1e3),
        rate(connection.estimate_bytes_per_s),
        rate(connection.pacing_bytes_per_s),
    ]
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => text::count((seconds / 86_400) as usize, "day"),
    }
}

fn help(width: usize) -> Vec<Line> {
    let keys = [
        ("q, Esc", "quit"),
        (
            "up, down",
            "select a policy; its numbers are below the table",
        ),
        (
            "s, left, right",
            "sort by another column: the largest or the worst first",
        ),
        ("r", "reverse the order"),
        ("/", "filter by name, start-up and state; Esc: all policies"),
        ("p, space", "pause, and go on"),
        (
            "c, Tab",
            "connections that are starting now, or the selected policy",
        ),
    ];
    let entry = |label: &str, meaning: &str| -> Vec<Line> {
        let text = text::wrapped(label, 15, meaning, width);
        text.lines().map(|line| plain(line.to_owned())).collect()
    };
    let mut lines = vec![bold("Keys (any key goes back)".to_owned())];
    for (key, what) in keys {
        lines.extend(entry(key, what));
    }
    lines.push(bold("Columns, as many as fit (docs/metrics.md)".to_owned()));
    for column in COLUMNS {
        lines.extend(entry(column.heading, column.meaning));
    }
    lines
}
