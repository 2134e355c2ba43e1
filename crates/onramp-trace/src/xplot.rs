//! Time-sequence graphs, one for each flow, as tcptrace draws them from a capture at the sender.
//!
//! A file is a program for xplot: a line for each mark, a line for each change of colour, and `go`
//! at the end. Sequence numbers are relative, as in Wireshark: 0 is the SYN, 1 the first byte.

use crate::address::endpoints;
use crate::format::Format;
use crate::output::{CaseFiles, Output, MAX_FLOW_FILES};
use crate::sender_view::{Ack, SenderView};
use crate::writer::Writer;
use onramp_sim::observe::{Direction, FlowStart, PacketEvent};
use onramp_tcp::Flags;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;

/// tcptrace marks the third duplicate ACK, which makes a sender retransmit.
const THIRD_DUPLICATE: u32 = 3;

/// Writes the graphs of a case, one file for each flow.
pub(crate) struct Xplot {
    files: CaseFiles,
    graphs: BTreeMap<u32, Graph>,
    finished: Vec<Output>,
    flows_left_out: u64,
}

impl Xplot {
    pub fn new(files: CaseFiles) -> Xplot {
        Xplot {
            files,
            graphs: BTreeMap::new(),
            finished: Vec::new(),
            flows_left_out: 0,
        }
    }
}

impl Writer for Xplot {
    fn flow_started(&mut self, flow: &FlowStart) {
        if self.graphs.len() + self.finished.len() == MAX_FLOW_FILES {
            self.flows_left_out += 1;
        } else {
            self.graphs.insert(
                flow.flow,
                Graph::new(self.files.flow_file(Format::Xplot, flow.flow), flow),
            );
        }
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        if let (Direction::Data, Some(graph)) =
            (packet.direction, self.graphs.get_mut(&packet.flow))
        {
            graph.sent(packet);
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if let (Direction::Ack, Some(graph)) = (packet.direction, self.graphs.get_mut(&packet.flow))
        {
            if let Some(ack) = graph.view.received(packet.segment) {
                graph.acked(packet, &ack);
            }
        }
    }

    fn flow_ended(&mut self, flow: u32) {
        self.finished
            .extend(self.graphs.remove(&flow).map(Graph::finish));
    }

    fn flows_left_out(&self) -> u64 {
        self.flows_left_out
    }

    fn finish(mut self: Box<Self>) -> Vec<Output> {
        self.finished.extend(
            std::mem::take(&mut self.graphs)
                .into_values()
                .map(Graph::finish),
        );
        self.finished
    }
}

/// A time in nanoseconds, written as xplot's `timeval`: seconds with six decimals.
#[derive(Clone, Copy, Default)]
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:06}",
            self.0 / 1_000_000_000,
            self.0 / 1000 % 1_000_000
        )
    }
}

/// The sequence number of an offset. The numbers of xplot have 32 bits.
fn sequence(offset: u64) -> u32 {
    (offset as u32).wrapping_add(1)
}

/// The graph of one flow.
struct Graph {
    output: Output,
    view: SenderView,
    colour: &'static str,
    last: Option<Last>,
}

/// The last ACK.
struct Last {
    time: Time,
    acked: u64,
    window_end: u64,
    /// Number of duplicate ACKs.
    duplicates: u32,
}

impl Graph {
    fn new(mut output: Output, flow: &FlowStart) -> Graph {
        let ends = endpoints(flow.ip, flow.flow, flow.from, flow.to);
        let _ = write!(
            output,
            "timeval unsigned\ntitle\n{}_==>_{} (time sequence graph)\n\
             xlabel\ntime\nylabel\nsequence number\n",
            ends.source, ends.destination
        );
        Graph {
            output,
            view: SenderView::default(),
            colour: "",
            last: None,
        }
    }

    /// Counts one segment or ACK. Returns whether the file has room for its marks.
    fn count_entry(&mut self) -> bool {
        self.output.entry().is_some()
    }

    fn draw(&mut self, colour: &'static str, mark: fmt::Arguments<'_>) {
        if colour != self.colour {
            self.colour = colour;
            let _ = writeln!(self.output, "{colour}");
        }
        let _ = writeln!(self.output, "{mark}");
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let (start, end, syn) = self.view.sent(packet);
        if (start == end && !syn) || !self.count_entry() {
            return;
        }
        let (time, end) = (Time(packet.time_ns), sequence(end));
        let start = if syn { 0 } else { sequence(start) };
        let fin = packet.segment.flags.has(Flags::FIN);
        let colour = match () {
            () if packet.retransmission => "red",
            () if syn || fin => "orange",
            () => "white",
        };
        self.draw(colour, format_args!("darrow {time} {start}"));
        self.draw(colour, format_args!("uarrow {time} {end}"));
        self.draw(colour, format_args!("line {time} {start} {time} {end}"));
        let texts = [(packet.retransmission, "R"), (syn, "SYN"), (fin, "FIN")];
        for (_, text) in texts.into_iter().filter(|(is_so, _)| *is_so) {
            self.draw(colour, format_args!("atext {time} {end}\n{text}"));
        }
    }

    fn acked(&mut self, packet: &PacketEvent<'_>, ack: &Ack) {
        if !self.count_entry() {
            return;
        }
        let time = Time(packet.time_ns);
        let mut now = Last {
            time,
            acked: ack.acked,
            window_end: ack.window_end,
            duplicates: 0,
        };
        let (acked, window_end) = (sequence(now.acked), sequence(now.window_end));
        if let Some(last) = self.last.take() {
            let (then, was_acked, was_end) =
                (last.time, sequence(last.acked), sequence(last.window_end));
            self.draw(
                "green",
                format_args!("line {then} {was_acked} {time} {was_acked}"),
            );
            if last.acked != now.acked {
                self.draw(
                    "green",
                    format_args!("line {time} {was_acked} {time} {acked}"),
                );
            } else {
                self.draw("green", format_args!("dtick {time} {acked}"));
                // A segment with data, or of the handshake, is no duplicate ACK.
                let is_duplicate = packet.segment.sequence_bytes() == 0;
                now.duplicates = last.duplicates + u32::from(is_duplicate);
                if now.duplicates == THIRD_DUPLICATE {
                    self.draw(
                        "green",
                        format_args!("atext {time} {acked}\n{THIRD_DUPLICATE}"),
                    );
                }
            }
            self.draw(
                "yellow",
                format_args!("line {then} {was_end} {time} {was_end}"),
            );
            if was_end != window_end {
                self.draw(
                    "yellow",
                    format_args!("line {time} {was_end} {time} {window_end}"),
                );
            } else {
                self.draw("yellow", format_args!("utick {time} {window_end}"));
            }
        }
        for (left, right) in &ack.sack {
            let (left, right) = (sequence(*left), sequence(*right));
            self.draw("purple", format_args!("line {time} {left} {time} {right}"));
            self.draw("purple", format_args!("htick {time} {left}"));
            self.draw("purple", format_args!("htick {time} {right}"));
        }
        self.last = Some(now);
    }

    fn finish(mut self) -> Output {
        if let (Some(note), Some(last)) = (self.output.limit_note(), &self.last) {
            let (time, acked) = (last.time, sequence(last.acked));
            self.draw("red", format_args!("btext {time} {acked}\n{note}"));
        }
        let _ = writeln!(self.output, "go");
        self.output
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::testing;

    #[test]
    fn a_short_transfer_is_drawn() {
        insta::assert_snapshot!(testing::written(&[Format::Xplot], u64::MAX).remove(0).1);
    }
}
