//! What was sent, as text: one line a segment.

use crate::pair::{Crossing, End, Pair};
use onramp_core::pairs::{FIRST, REPLY, SECOND};
use onramp_tcp::{Flags, Transmit};
use std::fmt::Write;

/// Places in the streams of ends whose initial sequence number is 0.
fn place(number: u32) -> i64 {
    i64::from(number.wrapping_sub(1) as i32)
}

/// Flags, range of the stream, packet pairs and whether it goes out again; of one without flags and
/// data, what it acknowledges.
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
        write!(
            text,
            "{start}:{} ",
            start + i64::from(segment.payload_bytes)
        )
        .unwrap();
    } else if text.is_empty() || segment.flags.has(Flags::SYN.with(Flags::ACK)) {
        write!(text, "ack {} ", place(segment.ack)).unwrap();
    }
    for &(left, right) in segment.options.sack.as_slice() {
        write!(text, "[{}:{}] ", place(left), place(right)).unwrap();
    }
    for option in segment.options.pairs.iter() {
        match option.kind {
            FIRST => write!(text, "first {} ", option.id).unwrap(),
            SECOND => write!(text, "second {} ", option.id).unwrap(),
            REPLY => write!(
                text,
                "reply {}: {} ms ",
                option.id,
                f64::from(option.interval_ns) / 1e6
            )
            .unwrap(),
            _ => {}
        }
    }
    if transmit.retransmission {
        text.push_str("again ");
    }
    text.trim_end().to_owned()
}

/// A segment a line: when, what, and window and threshold then, in segments of 1000 bytes; the
/// client's to the right.
pub fn lines(pair: &Pair) -> Vec<String> {
    let line = |crossing: &Crossing| {
        let (at_ms, text) = (crossing.now_ns / 1_000_000, text(&crossing.transmit));
        let threshold = match crossing.window.ssthresh_bytes {
            u64::MAX => "-".to_owned(),
            bytes => format!("{:.1}", bytes as f64 / 1e3),
        };
        match crossing.from {
            End::Server => {
                format!(
                    "{at_ms:>5} {text:<20} cwnd {:.1} of {threshold}",
                    crossing.window.cwnd_bytes as f64 / 1e3
                )
            }
            End::Client => format!("{at_ms:>5} {:>50} {text}", ""),
        }
    };
    pair.log.iter().map(line).collect()
}
