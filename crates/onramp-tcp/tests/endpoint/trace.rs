//! What was sent, as text: one line a segment.

use crate::pair::{Crossing, End, Pair};
use onramp_tcp::{Flags, Transmit};
use std::fmt::Write;

/// Places in the streams of ends whose initial sequence number is 0.
fn place(number: u32) -> i64 {
    i64::from(number.wrapping_sub(1) as i32)
}

/// Flags, range of the stream and whether it goes out again; of one without any of these, what it acknowledges.
pub fn text(transmit: &Transmit) -> String {
    let segment = &transmit.segment;
    let mut text = String::new();
    for (flag, letter) in [(Flags::SYN, 'S'), (Flags::FIN, 'F'), (Flags::RST, 'R')] {
        if segment.flags.has(flag) {
            write!(text, "{letter} ").unwrap();
        }
    }
    let start = place(segment.seq);
    if segment.payload_bytes > 0 {
        write!(text, "{start}:{} ", start + i64::from(segment.payload_bytes)).unwrap();
    } else if text.is_empty() || segment.flags.has(Flags::SYN.with(Flags::ACK)) {
        write!(text, "ack {} ", place(segment.ack)).unwrap();
    }
    for &(left, right) in segment.options.sack.as_slice() {
        write!(text, "[{}:{}] ", place(left), place(right)).unwrap();
    }
    if transmit.retransmission {
        text.push_str("again ");
    }
    text.trim_end().to_owned()
}

/// When, who, what, and the sender's window and threshold in bytes.
pub fn lines(pair: &Pair, from: End, entries: std::ops::Range<usize>) -> Vec<String> {
    let line = |crossing: &Crossing| format!("{:>7.1} {}", crossing.now_ns as f64 / 1e6, text(&crossing.transmit));
    pair.log[entries].iter().filter(|crossing| crossing.from == from).map(line).collect()
}
