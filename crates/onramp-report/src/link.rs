//! What the bottleneck can carry, counted in payload: the yardstick for estimates, windows and delivery.

use onramp_scenario::{Record, HEADER_BYTES};

/// Share of payload in a full packet of 1500 bytes, where the record does not tell a better one.
const ETHERNET_SHARE: f64 = (1500 - HEADER_BYTES) as f64 / 1500.0;

/// A record's bottleneck in payload units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    /// Payload over wire bytes.
    pub(crate) payload_share: f64,
    /// What the link carries of payload.
    pub(crate) payload_bytes_per_s: f64,
    /// Payload under way when the path is full and the queue empty.
    pub(crate) bdp_bytes: f64,
    /// Payload that the queue holds, where its description can be read.
    pub(crate) queue_bytes: Option<f64>,
    /// Propagation round trip; 0 where the record holds none.
    pub(crate) rtt_s: f64,
}

impl Link {
    /// A record has no MTU, but its bound is 2 RTT plus all wire bytes over the rate, so payload / wire
    /// follows; on a full packet that is (mtu - 52) / mtu.
    pub(crate) fn of(record: &Record) -> Link {
        let rtt_s = if record.rtt_ms.is_finite() && record.rtt_ms > 0.0 { record.rtt_ms / 1e3 } else { 0.0 };
        let rate_bytes_per_s = record.rate_bits_per_s as f64 / 8.0;
        let wire_bytes = (record.bound_s - 2.0 * rtt_s) * rate_bytes_per_s;
        let share = record.size_bytes as f64 / wire_bytes;
        // A transfer of less than some packets says more about its last packet than about the link.
        let is_telling = record.size_bytes >= 20_000 && (0.5..1.0).contains(&share);
        let payload_share = if is_telling { share } else { ETHERNET_SHARE };
        let payload_bytes_per_s = rate_bytes_per_s * payload_share;
        let bdp_bytes = payload_bytes_per_s * rtt_s;
        let queue_bytes = queue_bytes(&record.queue, bdp_bytes, payload_share);
        Link { payload_share, payload_bytes_per_s, bdp_bytes, queue_bytes, rtt_s }
    }
}

/// Payload in a queue of `0.5 bdp`, `40 packets` or `256 KiB`.
fn queue_bytes(text: &str, bdp_bytes: f64, payload_share: f64) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let scale = match unit.trim().to_ascii_lowercase().as_str() {
        "bdp" => bdp_bytes,
        "packet" | "packets" => HEADER_BYTES as f64 * payload_share / (1.0 - payload_share),
        "b" | "byte" | "bytes" => payload_share,
        "kb" => 1e3 * payload_share,
        "mb" => 1e6 * payload_share,
        "gb" => 1e9 * payload_share,
        "kib" => 1024.0 * payload_share,
        "mib" => 1024.0 * 1024.0 * payload_share,
        "gib" => 1024.0 * 1024.0 * 1024.0 * payload_share,
        _ => return None,
    };
    Some(number * scale).filter(|b| b.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_read_in_every_unit_of_a_scenario() {
        assert_eq!(queue_bytes("0.5 bdp", 1000.0, 0.9), Some(500.0));
        let packets = queue_bytes("40 packets", 0.0, ETHERNET_SHARE).unwrap();
        assert!((packets - 40.0 * 1448.0).abs() < 1e-6, "{packets}");
        assert_eq!(queue_bytes("256 KiB", 0.0, 1.0), Some(262_144.0));
        assert_eq!(queue_bytes("endless", 0.0, 1.0), None);
    }

    #[test]
    fn the_payload_share_follows_from_the_bound() {
        let mut record = crate::sample::record("cubic-case", "none", "cubic", 1);
        record.size_bytes = 1_000_000;
        let packets = 1_000_000_u64.div_ceil(1448);
        let wire = 1_000_000 + packets * HEADER_BYTES;
        record.bound_s = 2.0 * record.rtt_ms / 1e3 + wire as f64 * 8.0 / record.rate_bits_per_s as f64;
        let link = Link::of(&record);
        assert!((link.payload_share - ETHERNET_SHARE).abs() < 1e-4);
        record.bound_s = f64::NAN;
        assert_eq!(Link::of(&record).payload_share, ETHERNET_SHARE);
    }
}
