//! Sent segments as text, one line each.

use crate::pair::{Crossing, End, Pair};
use onramp_core::pairs::{FIRST, REPLY, SECOND};
use onramp_tcp::{Flags, Transmit};
use std::fmt::Write;

/// Stream offset of a sequence number, for ends whose initial sequence number is 0.
fn offset(number: u32) -> i64 {
    i64::from(number.wrapping_sub(1) as i32)
}

/// Flags, range of stream offsets, packet pairs, ECN, and `rexmt` for a retransmission. A segment
/// without flags and data shows what it acknowledges.
pub fn text(transmit: &Transmit) -> String {
    let segment = &transmit.segment;
    let mut text = String::new();
    for (flag, letter) in [(Flags::SYN, 'S'), (Flags::FIN, 'F'), (Flags::RST, 'R')] {
        if segment.flags.has(flag) {
            write!(text, "{letter} ").unwrap();
        }
    }
    let start = offset(segment.seq);
    if segment.payload_bytes > 0 {
        write!(
            text,
            "{start}:{} ",
            start + i64::from(segment.payload_bytes)
        )
        .unwrap();
    } else if text.is_empty() || segment.flags.has(Flags::SYN.with(Flags::ACK)) {
        write!(text, "ack {} ", offset(segment.ack)).unwrap();
    }
    for &(left, right) in segment.options.sack.as_slice() {
        write!(text, "[{}:{}] ", offset(left), offset(right)).unwrap();
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
    for (flag, name) in [(Flags::ECE, "ece "), (Flags::CWR, "cwr ")] {
        if segment.flags.has(flag) {
            text.push_str(name);
        }
    }
    if segment.ecn.is_capable() {
        text.push_str("ect ");
    }
    if transmit.retransmission {
        text.push_str("rexmt ");
    }
    text.trim_end().to_owned()
}

/// One line per segment: time in ms, contents, and then cwnd and ssthresh in segments of 1000
/// bytes. The client's segments are on the right.
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
