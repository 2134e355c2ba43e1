//! CSV: a line for each ACK that a sender processed, with the state of the sender afterwards.

use crate::format::Format;
use crate::output::{CaseFiles, Output};
use crate::writer::Writer;
use onramp_core::{phase_name, UNLIMITED};
use onramp_tcp::Connection;
use std::io::Write as _;

const HEADER: &str = "time_ns,flow,acked_bytes,cwnd_bytes,ssthresh_bytes,inflight_bytes,\
                      outstanding_bytes,peer_window_bytes,srtt_ns,rto_ns,pacing_bytes_per_s,\
                      startup_phase,timeouts,retransmitted_segments,\
                      ecn_reductions\n";

/// Writes the lines of all flows of a case into one file.
pub(crate) struct Csv {
    output: Output,
}

impl Csv {
    pub fn new(files: &CaseFiles) -> Csv {
        let mut output = files.file(Format::Csv);
        output.frame().extend(HEADER.bytes());
        Csv { output }
    }
}

impl Writer for Csv {
    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection, by_ack: bool) {
        if by_ack {
            if let Some(out) = self.output.entry() {
                line(out, time_ns, flow, sender);
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<Output> {
        vec![self.output]
    }
}

fn line(out: &mut Vec<u8>, time_ns: u64, flow: u32, sender: &Connection) {
    let (window, stats) = (sender.window(), sender.stats());
    // A field without a value is empty.
    let field = |out: &mut Vec<u8>, value: Option<u64>| {
        let _ = match value {
            Some(value) => write!(out, ",{value}"),
            None => write!(out, ","),
        };
    };
    let _ = write!(out, "{time_ns},{flow}");
    field(out, Some(sender.acked_bytes()));
    field(out, Some(window.cwnd_bytes));
    field(
        out,
        Some(window.ssthresh_bytes).filter(|bytes| *bytes != UNLIMITED),
    );
    field(out, Some(sender.inflight_bytes()));
    field(out, Some(sender.flight_size_bytes()));
    field(out, Some(sender.peer_window_bytes()));
    field(out, Some(sender.srtt_ns()).filter(|ns| *ns != 0));
    field(out, Some(sender.rto_ns()));
    field(out, sender.pacing_bytes_per_s());
    let phase = sender
        .startup()
        .map_or("", |decision| phase_name(decision.phase));
    let _ = writeln!(
        out,
        ",{phase},{},{},{}",
        stats.timeouts, stats.retransmitted_segments, stats.ecn_reductions
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn each_ack_is_a_line() {
        insta::assert_snapshot!(testing::written(&[Format::Csv], u64::MAX).remove(0).1);
    }
}
