//! `onramp ss`: the live connections.

use super::totals;
use crate::cli::SsArguments;
use onramp_cli::failure::DONE;
use onramp_cli::text;
use onramp_cli::text::out;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{Connection, Pairs};

pub fn run(arguments: &SsArguments, json: bool) -> Answer {
    if arguments.summary {
        return summary(json);
    }
    let all = onramp_kernel::connections()?;
    if json {
        print_json(&all);
        return Ok(DONE);
    }
    let mut heading = "STATE, LOCAL, REMOTE, CONTROL, PHASE, EXIT, AT, ESTIMATE, PACING, CWND, \
                       SSTHRESH, SRTT, RETRANS"
        .to_owned();
    let mut rows: Vec<_> = all.iter().map(row).collect();
    if all.iter().any(|connection| connection.pairs.is_some()) {
        heading += ", PAIRS";
        for (row, connection) in rows.iter_mut().zip(&all) {
            row.push(connection.pairs.map_or_else(|| "-".to_owned(), pairs));
        }
    }
    text::print_table(&heading, rows);
    for counted in totals::all()? {
        out(format_args!("{}\n", totals::line(&counted)));
    }
    Ok(DONE)
}

/// The totals of each start-up.
fn summary(json: bool) -> Answer {
    let all = totals::all()?;
    if json {
        print_json(&all);
        return Ok(DONE);
    }
    for counted in &all {
        out(format_args!("{}", totals::paragraph(counted)));
    }
    Ok(DONE)
}

fn row(connection: &Connection) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        connection.state.to_owned(),
        connection.local.to_string(),
        connection.remote.to_string(),
        control(connection),
        connection.phase.to_owned(),
        connection.exit_reason.to_owned(),
        or_dash(connection.exit_time_s.map(|time| format!("{time:.3} s"))),
        or_dash(connection.estimate_bytes_per_s.map(text::rate)),
        or_dash(connection.pacing_bytes_per_s.map(text::rate)),
        text::bytes(connection.cwnd_bytes),
        or_dash(connection.ssthresh_bytes.map(text::bytes)),
        format!("{:.1} ms", connection.srtt_s * 1e3),
        connection.retransmitted_segments.to_string(),
    ]
}

/// The congestion control, and the one that followed it.
fn control(connection: &Connection) -> String {
    match connection.handed_over_time_s {
        None => connection.congestion_control.clone(),
        Some(_) => format!(
            "{}, now {}",
            connection.congestion_control, connection.controlled_by
        ),
    }
}

/// The counts of packet pairs that are not 0.
fn pairs(pairs: Pairs) -> String {
    let interval = |interval_s: Option<f64>| {
        interval_s.map_or(String::new(), |s| format!(" ({:.3} ms)", s * 1e3))
    };
    let counts = [
        (pairs.sent, "sent", String::new()),
        (
            pairs.reported,
            "reported",
            interval(pairs.reported_interval_s),
        ),
        (
            pairs.measured,
            "measured",
            interval(pairs.measured_interval_s),
        ),
        (pairs.malformed, "malformed", String::new()),
        (pairs.ignored, "ignored", String::new()),
    ];
    let counted = counts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = counted
        .map(|(count, what, interval)| format!("{count} {what}{interval}"))
        .collect();
    match parts.is_empty() {
        true => "none yet".to_owned(),
        false => parts.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counts_of_pairs_above_zero_are_shown() {
        let none = Pairs::default();
        assert_eq!(pairs(none), "none yet");
        let sender = Pairs {
            sent: 4,
            reported: 3,
            reported_interval_s: Some(0.000_571),
            ignored: 1,
            ..none
        };
        assert_eq!(pairs(sender), "4 sent, 3 reported (0.571 ms), 1 ignored");
        let receiver = Pairs {
            measured: 4,
            measured_interval_s: Some(0.002),
            malformed: 2,
            ..none
        };
        assert_eq!(pairs(receiver), "4 measured (2.000 ms), 2 malformed");
    }
}
