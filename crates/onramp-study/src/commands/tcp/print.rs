//! Printing the report of a transfer.

use super::sink::Sink;
use onramp_cli::failure::{Failure, DONE, MISSED};
use onramp_cli::text;
use onramp_tcp::PairCounts;
use onramp_tun::transfer::{Report, Transfer};
use onramp_tun::{Counts, Ended};

/// How reports are printed.
#[derive(Clone, Copy)]
pub struct Style {
    pub json: bool,
    /// Standard output receives the data of the transfer: the report goes to standard error.
    pub stdout_is_data: bool,
}

/// Completes the file of a transfer that succeeded, and returns the report.
pub fn complete(ended: Ended<Transfer<Sink>>, counts: Counts) -> Result<Report, Failure> {
    let report = Report::of(&ended, counts);
    if report.failure.is_none() {
        ended.application.sink.finish()?;
    }
    Ok(report)
}

/// Prints the report, and returns the exit code.
pub fn print(report: &Report, style: Style) -> u8 {
    let text = match (&report.failure, style.json) {
        (_, true) => {
            serde_json::to_string(report).expect("the keys of our records are strings") + "\n"
        }
        (Some(_), false) => String::new(),
        (None, false) => summary(report),
    };
    match style.stdout_is_data {
        false => text::out(format_args!("{text}")),
        true => eprint!("{text}"),
    }
    if let (Some(failure), false) = (&report.failure, style.json) {
        eprintln!("onramp: {failure}");
    }
    match report.failure {
        Some(_) => MISSED,
        None => DONE,
    }
}

/// The report as lines of text.
fn summary(report: &Report) -> String {
    let part = |label: &str, bytes: u64, hash: &Option<String>| {
        hash.as_ref()
            .map(|hash| format!("  {label} {}, SHA-256 {hash}\n", text::bytes(bytes)))
            .unwrap_or_default()
    };
    let pairs = report.packet_pairs.map(|counts| {
        let PairCounts {
            pairs,
            replies,
            answers,
            ..
        } = counts;
        format!(
            "  packet pairs: {pairs} sent, {replies} replies used; {answers} pairs of the peer \
             measured\n"
        )
    });
    format!(
        "{}: {} in {:.3} s, {}; {} of {} retransmitted, {}\n{}{}{}",
        report.remote,
        text::bytes(report.sent_bytes + report.received_bytes),
        report.time_s,
        text::rate(report.goodput_bytes_per_s),
        report.retransmitted_segments,
        text::count(report.data_segments_sent as usize, "segment"),
        text::count(report.timeouts as usize, "timeout"),
        part("sent", report.sent_bytes, &report.sent_sha256),
        part("received", report.received_bytes, &report.received_sha256),
        pairs.unwrap_or_default(),
    )
}
