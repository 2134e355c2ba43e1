//! The result of a transfer.

use super::{Error, Transfer};
use crate::application::Application;
use crate::endpoint::{Counts, Ended};
use onramp_host::now_ns;
use onramp_tcp::{Failure, PairCounts};
use serde::Serialize;
use std::net::SocketAddr;

/// The result of one transfer. The serialised names are an interface (`onramp tcp --json`).
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Our address and port.
    pub local: SocketAddr,
    /// The peer's address and port.
    pub remote: SocketAddr,
    /// Bytes of payload that were sent.
    pub sent_bytes: u64,
    /// Their SHA-256; null if there were none.
    pub sent_sha256: Option<String>,
    /// Bytes of payload that were received.
    pub received_bytes: u64,
    /// Their SHA-256; null if there were none.
    pub received_sha256: Option<String>,
    /// From the first SYN until all data had arrived or had been acknowledged. For a transfer that
    /// failed: until its end.
    pub time_s: f64,
    /// Bytes of payload in both directions, divided by `time_s`.
    pub goodput_bytes_per_s: u64,
    /// Segments with payload that were sent, with retransmissions.
    pub data_segments_sent: u64,
    /// Segments that were retransmitted.
    pub retransmitted_segments: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Recoveries that ACKs started.
    pub recoveries: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Both ends used ECN (RFC 3168).
    pub ecn: bool,
    /// Reductions of cwnd because the peer had received marks.
    pub ecn_reductions: u64,
    /// New segments that arrived with a mark.
    pub marks_received: u64,
    /// Segments that arrived.
    pub segments_received: u64,
    /// Segments that arrived and were not acceptable, or contained nothing new.
    pub duplicates_received: u64,
    /// Smoothed round-trip time; 0 if none was measured.
    pub srtt_s: f64,
    /// Null if one of the ends does not support packet pairs.
    pub packet_pairs: Option<PairCounts>,
    /// Packets that arrived on the device since the start.
    pub packets: Counts,
    /// Why the transfer is incomplete; null if it is complete.
    pub failure: Option<String>,
}

impl Report {
    /// The result of a transfer that has ended. `counts` are those of its endpoint.
    pub fn of<W>(ended: &Ended<Transfer<W>>, counts: Counts) -> Report
    where
        Transfer<W>: Application<Error = Error>,
    {
        let transfer = &ended.application;
        let complete_ns = transfer.complete_ns();
        let time_s = (complete_ns.unwrap_or_else(now_ns) - ended.started_ns) as f64 / 1e9;
        let bytes = transfer.sent.bytes + transfer.received.bytes;
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
            ecn: ended.has_ecn,
            ecn_reductions: ended.stats.ecn_reductions,
            marks_received: ended.stats.marks_received,
            segments_received: ended.stats.segments_received,
            duplicates_received: ended.stats.duplicates_received,
            srtt_s: ended.srtt_ns as f64 / 1e9,
            packet_pairs: ended.pairs,
            packets: counts,
            failure: complete_ns.is_none().then(|| why_incomplete(ended)),
        }
    }
}

fn why_incomplete<W>(ended: &Ended<Transfer<W>>) -> String
where
    Transfer<W>: Application<Error = Error>,
{
    let peer = ended.ends.destination;
    let transfer = &ended.application;
    let so_far = format!(
        "after {} bytes sent and {} bytes received",
        transfer.sent.bytes, transfer.received.bytes
    );
    if let Some(error) = &ended.error {
        return format!("{error} ({peer}, {so_far})");
    }
    match ended.failure {
        Some(Failure::Refused) => {
            format!("{peer} refused the connection: no program listens on this port")
        }
        Some(Failure::TimedOut) if ended.stats.segments_received == 0 => {
            let ours = ended.ends.source.ip();
            format!(
                "{peer} does not answer: check that it is up, and that `ip route get {ours}` \
                 names the device"
            )
        }
        Some(Failure::Reset) => format!("{peer} reset the connection {so_far}"),
        Some(Failure::TimedOut) => format!("{peer} stopped answering {so_far}"),
        Some(Failure::Aborted) => format!("the connection with {peer} was aborted {so_far}"),
        None => format!("the connection with {peer} ended early, {so_far}"),
    }
}
