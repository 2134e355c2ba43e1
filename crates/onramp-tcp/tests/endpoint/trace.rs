//! What was sent, as text: one line a segment.

use crate::pair::{Crossing, End, Pair};
use onramp_tcp::Flags;
use std::fmt::Write;

/// Places in the streams of ends whose initial sequence number is 0.
fn place(number: u32) -> i64 {
    i64::from(number.wrapping_sub(1) as i32)
}

/// A segment: when, who, flags, range of the stream, acknowledgement, blocks, window.
pub fn line(crossing: &Crossing) -> String {
    let segment = &crossing.transmit.segment;
    let mut line = format!("{:>8.3} {} ", crossing.now_ns as f64 / 1e6, if crossing.from == End::Client { '>' } else { '<' });
    for (flag, letter) in [(Flags::SYN, 'S'), (Flags::FIN, 'F'), (Flags::RST, 'R')] {
        if segment.flags.has(flag) {
            write!(line, "{letter} ").unwrap();
        }
    }
    let start = place(segment.seq);
    if segment.payload_bytes > 0 {
        write!(line, "{start}:{} ", start + i64::from(segment.payload_bytes)).unwrap();
    }
    if segment.flags.has(Flags::ACK) {
        write!(line, "ack {} ", place(segment.ack)).unwrap();
    }
    for &(left, right) in segment.options.sack.as_slice() {
        write!(line, "[{}:{}] ", place(left), place(right)).unwrap();
    }
    if crossing.transmit.retransmission {
        line.push_str("again ");
    }
    line.trim_end().to_owned()
}

/// All that an end sent from the `from`-th entry of the log on.
pub fn lines(pair: &Pair, end: End, from: usize) -> Vec<String> {
    pair.log[from..].iter().filter(|crossing| crossing.from == end).map(line).collect()
}
