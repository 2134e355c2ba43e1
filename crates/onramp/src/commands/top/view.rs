//! Draws the view. Everything is said in words and signs; colour only repeats it.

use super::columns::{fitting, median, quantile, resent, short, Row, COLUMNS, SELECTED};
use super::state::{Lower, State};
use onramp_cli::text;
use onramp_kernel::Connection;
use onramp_service::counts::{
    exit_in_words, GroupCounts, Interval, PolicyCounts, State as PolicyState,
};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Paragraph, Row as TableRow, Table, TableState, Wrap};
use ratatui::Frame;
use unicode_width::UnicodeWidthStr;

/// Lines of the table, with its heading, that are kept for the policies before the lower part gets
/// any.
const MIN_TABLE: u16 = 4;
/// Lines of the lower part, where there is room.
const LOWER: u16 = 10;
/// Below this height there is only the table.
const MIN_HEIGHT: u16 = 10;

pub fn draw(frame: &mut Frame, state: &State) {
    let area = frame.area();
    if state.shows_help {
        frame.render_widget(Paragraph::new(help()).wrap(Wrap { trim: false }), area);
        return;
    }
    let rows = state.rows();
    let wanted = (rows.len() as u16).saturating_add(1).max(MIN_TABLE);
    let rest = area.height.saturating_sub(2);
    let lower = match area.height {
        ..MIN_HEIGHT => 0,
        _ => rest
            .saturating_sub(wanted)
            .max(LOWER.min(rest.saturating_sub(MIN_TABLE))),
    };
    let [header, table, below, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(lower),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(heading(state)), header);
    draw_table(frame, table, state, &rows);
    match state.lower {
        Lower::Policy => draw_policy(frame, below, state, &rows),
        Lower::Starting => draw_starting(frame, below, &state.starting),
    }
    frame.render_widget(Paragraph::new(footer_line(state, area.width)), footer);
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn heading(state: &State) -> Line<'static> {
    let service = &state.counts.service;
    let off = state
        .counts
        .policies
        .iter()
        .filter(|policy| is_switched_off(policy))
        .count();
    if let Some(trouble) = &state.trouble {
        return Line::styled(format!("NO NEWS: {trouble}"), bold());
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
    Line::styled(words.join(", "), bold())
}

fn footer_line(state: &State, width: u16) -> Line<'static> {
    if state.is_filtering {
        return Line::raw(format!(
            "filter: {}_  (Enter: keep, Esc: none)",
            state.filter
        ));
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
    let fitting = lines
        .into_iter()
        .find(|line| line.width() <= usize::from(width));
    Line::raw(fitting.unwrap_or_else(|| keys[2].to_owned()))
}

fn draw_table(frame: &mut Frame, area: Rect, state: &State, rows: &[Row]) {
    if rows.is_empty() {
        let words = match state.filter.is_empty() {
            true => "The configuration has no policy.".to_owned(),
            false => format!(
                "No policy has {:?} in its name, start-up or state.",
                state.filter
            ),
        };
        frame.render_widget(Paragraph::new(words).wrap(Wrap { trim: true }), area);
        return;
    }
    let shown = fitting(area.width);
    let sorted = state.sort_column();
    let heading = shown
        .iter()
        .map(|column| match std::ptr::eq(*column, sorted) {
            true => {
                Cell::from(column.heading).style(Style::new().add_modifier(Modifier::UNDERLINED))
            }
            false => Cell::from(column.heading),
        });
    let lines = rows.iter().map(|row| {
        let cells = shown.iter().map(|column| Cell::from((column.cell)(row)));
        TableRow::new(cells).style(row_style(state, row.policy))
    });
    let widths = shown.iter().map(|column| Constraint::Length(column.width));
    let table = Table::new(lines, widths)
        .header(TableRow::new(heading).style(bold()))
        .column_spacing(1)
        .highlight_symbol(SELECTED)
        .row_highlight_style(bold());
    let mut place = TableState::default().with_selected(state.selected_of(rows));
    frame.render_stateful_widget(table, area, &mut place);
}

fn is_switched_off(policy: &PolicyCounts) -> bool {
    matches!(policy.state, PolicyState::SwitchedOff { .. })
}

fn row_style(state: &State, policy: &PolicyCounts) -> Style {
    let ratio = policy
        .comparison
        .and_then(|comparison| comparison.time_to_100_kb);
    match ratio {
        _ if !state.uses_colour => Style::new(),
        _ if is_switched_off(policy) => Style::new().fg(Color::Red),
        Some(ratio) if ratio.lower > 1.0 => Style::new().fg(Color::Yellow),
        Some(ratio) if ratio.upper < 1.0 => Style::new().fg(Color::Green),
        _ => Style::new(),
    }
}

/// The selected policy, in sentences.
fn draw_policy(frame: &mut Frame, area: Rect, state: &State, rows: &[Row]) {
    let Some(selected) = state.selected_of(rows) else {
        return;
    };
    let policy = rows[selected].policy;
    let title = format!("--- {} ", policy.name);
    let title = format!("{title:-<width$}", width = usize::from(area.width));
    let mut lines = vec![Line::styled(title, bold())];
    lines.extend(sentences(state, policy).into_iter().map(Line::raw));
    let text = Paragraph::new(Text::from(lines)).wrap(Wrap { trim: true });
    frame.render_widget(text, area);
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
fn draw_starting(frame: &mut Frame, area: Rect, starting: &Result<Vec<Connection>, String>) {
    let title = match starting {
        Ok(all) => format!("--- {} starting now ", text::count(all.len(), "connection")),
        Err(_) => "--- connections starting now ".to_owned(),
    };
    let title = format!("{title:-<width$}", width = usize::from(area.width));
    let [line, below] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(Paragraph::new(Line::styled(title, bold())), line);
    match starting {
        Err(error) => {
            let words = format!("Connections cannot be listed: {error}");
            frame.render_widget(Paragraph::new(words).wrap(Wrap { trim: true }), below);
        }
        Ok(all) => {
            let heading = [
                "REMOTE", "PHASE", "AGE", "CWND", "RTT", "ESTIMATE", "PACING",
            ];
            let rows = all
                .iter()
                .map(|connection| TableRow::new(starting_cells(connection)));
            let widths = [22, 13, 8, 8, 8, 11, 11].map(Constraint::Length);
            let header = TableRow::new(heading).style(bold());
            let table = Table::new(rows, widths).header(header).column_spacing(1);
            frame.render_widget(table, below);
        }
    }
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

fn help() -> Text<'static> {
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
    let mut lines = vec![Line::styled("Keys (any key goes back)", bold())];
    lines.extend(keys.map(|(key, what)| Line::raw(format!("{key:<16}{what}"))));
    lines.push(Line::styled(
        "Columns, as many as fit (docs/metrics.md)",
        bold(),
    ));
    lines.extend(
        COLUMNS
            .iter()
            .map(|column| Line::raw(format!("{:<16}{}", column.heading, column.meaning))),
    );
    Text::from(lines)
}
