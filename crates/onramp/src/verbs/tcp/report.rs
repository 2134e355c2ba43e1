//! What is said of a transfer.

use super::transfer::{Error, Transfer};
use crate::text;
use onramp_tcp::{Failure, PairCounts};
use onramp_tun::{now_ns, Counts, Ended};
use serde::Serialize;
use std::io::Write;
use std::net::SocketAddrV4;

/// One connection's transfer, as `--json` prints it.
#[derive(Serialize)]
pub struct Report {
    local: SocketAddrV4,
    remote: SocketAddrV4,
    sent_bytes: u64,
    sent_sha256: Option<String>,
    received_bytes: u64,
    received_sha256: Option<String>,
    /// From the first SYN until all had arrived or had been acknowledged; until its end for one
    /// that failed.
    time_s: f64,
    goodput_bytes_per_s: u64,
    data_segments_sent: u64,
    retransmitted_segments: u64,
    timeouts: u64,
    recoveries: u64,
    probes: u64,
    segments_received: u64,
    duplicates_received: u64,
    srtt_s: f64,
    /// Null where one of the ends does not know them.
    packet_pairs: Option<PairCounts>,
    packets: Packets,
    failure: Option<String>,
}

/// What arrived on the device since the start.
#[derive(Serialize)]
struct Packets {
    received: u64,
    foreign: u64,
    damaged: u64,
    refused: u64,
}

impl Report {
    pub fn of<W: Write>(ended: &Ended<Transfer<W>>, counts: Counts) -> Report {
        let transfer = &ended.application;
        let complete_ns = transfer.complete_ns();
        let time_s = (complete_ns.unwrap_or_else(now_ns) - ended.started_ns) as f64 / 1e9;
        let bytes = transfer.sent.bytes + transfer.received.bytes;
        let Counts {
            received,
            foreign,
            damaged,
            refused,
        } = counts;
        Report {
            local: ended.ends.source,
            remote: ended.ends.destination,
            sent_bytes: transfer.sent.bytes,
            sent_sha256: transfer.sent.sha256(),
            received_bytes: transfer.received.bytes,
            received_sha256: transfer.received.sha256(),
            time_s,
            goodput_bytes_per_s: (bytes as f64 / time_s.max(1e-9)) as u64,
            data_segments_sent: ended.stats.data_segments_sent,
            retransmitted_segments: ended.stats.retransmitted_segments,
            timeouts: ended.stats.timeouts,
            recoveries: ended.stats.recoveries,
            probes: ended.stats.probes,
            segments_received: ended.stats.segments_received,
            duplicates_received: ended.stats.duplicates_received,
            srtt_s: ended.srtt_ns as f64 / 1e9,
            packet_pairs: ended.pairs,
            packets: Packets {
                received,
                foreign,
                damaged,
                refused,
            },
            failure: complete_ns.is_none().then(|| why(ended)),
        }
    }

    /// Why it is not complete.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// On standard output, if that is free; a failure on standard error, too.
    pub fn print(&self, json: bool, is_stdout_free: bool) {
        let text = match (&self.failure, json) {
            (_, true) => serde_json::to_string(self).expect("our records have string keys") + "\n",
            (Some(_), false) => String::new(),
            (None, false) => self.text(),
        };
        match is_stdout_free {
            true => text::out(format_args!("{text}")),
            false => eprint!("{text}"),
        }
        if let (Some(failure), false) = (&self.failure, json) {
            eprintln!("onramp: {failure}");
        }
    }

    /// Lines for people.
    fn text(&self) -> String {
        let part = |what: &str, bytes: u64, hash: &Option<String>| {
            hash.as_ref()
                .map(|hash| format!("  {what} {}, SHA-256 {hash}\n", text::bytes(bytes)))
                .unwrap_or_default()
        };
        let pairs = self.packet_pairs.map(|PairCounts { pairs, replies, answers, .. }| {
            format!("  packet pairs: {pairs} sent, {replies} replies taken; {answers} of the peer's measured\n")
        });
        format!(
            "{}: {} in {:.3} s, {}; {} of {} sent again, {}\n{}{}{}",
            self.remote,
            text::bytes(self.sent_bytes + self.received_bytes),
            self.time_s,
            text::rate(self.goodput_bytes_per_s),
            self.retransmitted_segments,
            text::count(self.data_segments_sent as usize, "segment"),
            text::count(self.timeouts as usize, "timeout"),
            part("sent", self.sent_bytes, &self.sent_sha256),
            part("received", self.received_bytes, &self.received_sha256),
            pairs.unwrap_or_default(),
        )
    }
}

fn why<W>(ended: &Ended<Transfer<W>>) -> String
where
    Transfer<W>: onramp_tun::Application<Error = Error>,
{
    let peer = ended.ends.destination;
    let transfer = &ended.application;
    let so_far = || {
        let [sent, received] = [transfer.sent.bytes, transfer.received.bytes].map(text::bytes);
        format!("after {sent} given to it and {received} received")
    };
    if let Some(error) = &ended.error {
        return format!("{error} ({peer}, {})", so_far());
    }
    match ended.failure {
        Some(Failure::Refused) => format!("{peer} refused the connection: nothing listens there"),
        Some(Failure::TimedOut) if ended.stats.segments_received == 0 => {
            let ours = ended.ends.source.ip();
            format!(
                "{peer} does not answer: is it up, and does `ip route get {ours}` name the device?"
            )
        }
        Some(Failure::Reset) => format!("{peer} reset the connection {}", so_far()),
        Some(Failure::TimedOut) => format!("{peer} does not answer any more, {}", so_far()),
        Some(Failure::Aborted) => format!("the connection with {peer} was cut off {}", so_far()),
        None => format!("the connection with {peer} ended early, {}", so_far()),
    }
}
