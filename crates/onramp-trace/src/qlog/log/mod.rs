//! The log of one flow.

use super::metrics::{Reported, Value};
use super::numbers::Numbers;
use crate::address::endpoints;
use crate::output::Output;
use crate::sender_view::SenderView;
use onramp_sim::observe::{FlowStart, PacketEvent};
use onramp_tcp::{Connection, EcnField, Flags, Segment};
use serde_json::json;
use std::fmt;
use std::io::Write as _;

/// The byte before each JSON text (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;
/// Flags in the order of their bits.
const FLAGS: [(Flags, &str); 7] = [
    (Flags::FIN, "FIN"),
    (Flags::SYN, "SYN"),
    (Flags::RST, "RST"),
    (Flags::PSH, "PSH"),
    (Flags::ACK, "ACK"),
    (Flags::ECE, "ECE"),
    (Flags::CWR, "CWR"),
];

/// A time in nanoseconds, written in milliseconds with six decimals, which is exact.
struct Milliseconds(u64);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// Writes the events of one flow.
pub(super) struct Log {
    output: Output,
    view: SenderView,
    numbers: Numbers,
    received: u64,
    reported: Reported,
    last_ns: u64,
}

impl Log {
    pub fn new(mut output: Output, flow: &FlowStart, case: &str, node: &str) -> Log {
        let ends = endpoints(flow.ip, flow.flow, flow.from, flow.to);
        let title = format!(
            "flow {} from {} to {}",
            flow.flow, ends.source, ends.destination
        );
        let is_part = (flow.transfer, flow.lane, flow.hop) != (flow.flow, 0, 0);
        let part = format!(
            " of transfer {}: connection {}, hop {}",
            flow.transfer,
            flow.lane + 1,
            flow.hop + 1
        );
        let title = if is_part { title + &part } else { title };
        let mut header = json!({
            "qlog_version": "0.3",
            "qlog_format": "JSON-SEQ",
            "title": title,
            "description": format!("onramp sim, {case}"),
            "trace": {
                "title": title,
                "vantage_point": { "name": node, "type": "server" },
                "common_fields": {
                    "time_format": "relative",
                    "reference_time": 0,
                    "protocol_type": ["TCP"],
                    "group_id": format!("flow-{}", flow.flow),
                },
            },
        });
        // Some crate of a program may let serde_json keep another order.
        header.sort_all_objects();
        output.frame().push(RECORD_SEPARATOR);
        let _ = writeln!(output, "{header}");
        let (view, numbers, reported) = Default::default();
        Log {
            output,
            view,
            numbers,
            received: 0,
            reported,
            last_ns: flow.time_ns,
        }
    }

    pub fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.last_ns = packet.time_ns;
        let (start, end, _) = self.view.sent(packet);
        let is_retransmission = packet.retransmission;
        let (number, lost) = self
            .numbers
            .sent(start, end, is_retransmission, packet.time_ns);
        for number in lost {
            let header = format_args!(r#"{{"packet_type":"1RTT","packet_number":{number}}}"#);
            self.event(
                packet.time_ns,
                "recovery:packet_lost",
                format_args!(r#""header":{header}"#),
            );
        }
        let segment = packet.segment;
        let frames = match segment.payload_bytes {
            0 => String::new(),
            length => format!(
                r#"{{"frame_type":"stream","stream_id":0,"offset":{start},"length":{length}}}"#
            ),
        };
        let retransmission = if is_retransmission {
            r#","retransmission":true"#
        } else {
            ""
        };
        let (common, tcp) = (
            Common {
                number,
                packet,
                frames: &frames,
            },
            Tcp(segment),
        );
        let data = format_args!(r#"{common},"tcp":{{{tcp}{retransmission}}}"#);
        self.event(packet.time_ns, "transport:packet_sent", data);
    }

    pub fn received(&mut self, packet: &PacketEvent<'_>) {
        self.last_ns = packet.time_ns;
        let number = self.received;
        self.received += 1;
        let (mut frames, mut window) = (String::new(), String::new());
        if let Some(ack) = self.view.received(packet.segment) {
            let acknowledged = self
                .numbers
                .acknowledged(ack.acked, &ack.sack, packet.time_ns);
            if let Some(rtt_ns) = acknowledged.rtt_ns {
                self.reported.measured(rtt_ns);
            }
            if !acknowledged.ranges.is_empty() {
                frames = format!(
                    r#"{{"frame_type":"ack","acked_ranges":{}}}"#,
                    Ranges(&acknowledged.ranges)
                );
            }
            let (acked, window_bytes) = (ack.acked, ack.window_end - ack.acked);
            window = format!(r#","acked_bytes":{acked},"window_bytes":{window_bytes}"#);
            if !ack.sack.is_empty() {
                window += &format!(r#","sack":{}"#, Ranges(&ack.sack));
            }
        }
        let (common, tcp) = (
            Common {
                number,
                packet,
                frames: &frames,
            },
            Tcp(packet.segment),
        );
        let data = format_args!(r#"{common},"tcp":{{{tcp}{window}}}"#);
        self.event(packet.time_ns, "transport:packet_received", data);
    }

    pub fn acted(&mut self, time_ns: u64, sender: &Connection) {
        self.last_ns = time_ns;
        if let Some((old, new, trigger)) = self.reported.changed_state(sender) {
            let member = |name, value: Option<&str>| {
                value.map_or(String::new(), |v| format!(r#""{name}":"{v}","#))
            };
            let (old, trigger) = (member("old", old), member("trigger", trigger));
            let data = format_args!(r#"{old}{trigger}"new":"{new}""#);
            self.event(time_ns, "recovery:congestion_state_updated", data);
        }
        let mut data = String::new();
        for (name, value) in self.reported.changed_metrics(sender) {
            let comma = if data.is_empty() { "" } else { "," };
            data += &match value {
                Value::Count(value) => format!(r#"{comma}"{name}":{value}"#),
                Value::Time(ns) => format!(r#"{comma}"{name}":{}"#, Milliseconds(ns)),
            };
        }
        if !data.is_empty() {
            self.event(time_ns, "recovery:metrics_updated", format_args!("{data}"));
        }
    }

    pub fn finish(mut self) -> Output {
        if let Some(note) = self.output.limit_note() {
            let out = self.output.frame();
            write_event(
                out,
                self.last_ns,
                "generic:warning",
                format_args!(r#""message":"{note}""#),
            );
        }
        self.output
    }

    fn event(&mut self, time_ns: u64, name: &str, data: fmt::Arguments<'_>) {
        if let Some(out) = self.output.entry() {
            write_event(out, time_ns, name, data);
        }
    }
}

fn write_event(out: &mut Vec<u8>, time_ns: u64, name: &str, data: fmt::Arguments<'_>) {
    out.push(RECORD_SEPARATOR);
    let time = Milliseconds(time_ns);
    let _ = writeln!(
        out,
        r#"{{"time":{time},"name":"{name}","data":{{{data}}}}}"#
    );
}

/// The members that packets of both directions have.
struct Common<'a> {
    number: u64,
    packet: &'a PacketEvent<'a>,
    frames: &'a str,
}

impl fmt::Display for Common<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, frames) = (self.number, self.frames);
        let (length, payload) = (self.packet.wire_bytes, self.packet.segment.payload_bytes);
        write!(
            f,
            r#""header":{{"packet_type":"1RTT","packet_number":{number}}},"#
        )?;
        write!(
            f,
            r#""raw":{{"length":{length},"payload_length":{payload}}},"frames":[{frames}]"#
        )
    }
}

/// The members that only TCP has.
struct Tcp<'a>(&'a Segment);

impl fmt::Display for Tcp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Segment {
            seq,
            ack,
            window,
            flags,
            ecn,
            ..
        } = self.0;
        write!(f, r#""seq":{seq},"ack":{ack},"window":{window},"flags":["#)?;
        let names = FLAGS.iter().filter(|(flag, _)| flags.has(*flag));
        for (at, (_, name)) in names.enumerate() {
            write!(f, "{}\"{name}\"", if at == 0 { "" } else { "," })?;
        }
        write!(f, "]")?;
        match ecn {
            EcnField::NotEct => Ok(()),
            EcnField::Ect1 => write!(f, r#","ecn":"ECT(1)""#),
            EcnField::Ect0 => write!(f, r#","ecn":"ECT(0)""#),
            EcnField::Ce => write!(f, r#","ecn":"CE""#),
        }
    }
}

/// Ranges as an array of arrays.
struct Ranges<'a>(&'a [(u64, u64)]);

impl fmt::Display for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[")?;
        for (at, (from, to)) in self.0.iter().enumerate() {
            write!(f, "{}[{from},{to}]", if at == 0 { "" } else { "," })?;
        }
        write!(f, "]")
    }
}

#[cfg(test)]
mod tests;
