//! Capacity, BDP and queue of the bottleneck in payload bytes, to compare estimates, windows and
//! delivery with.

use onramp_results::Record;
use onramp_scenario::{header_bytes, IpVersion};

/// Share of payload in a full packet of 1500 bytes, for records from which it cannot be computed.
const ETHERNET_SHARE: f64 = (1500 - header_bytes(IpVersion::V4, true)) as f64 / 1500.0;

/// A record's bottleneck in payload units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    /// Payload bytes over wire bytes.
    pub(crate) payload_share: f64,
    /// Rate of payload that the path sustains.
    pub(crate) payload_bytes_per_s: f64,
    /// BDP: payload in flight when the pipe is full and the queue is empty.
    pub(crate) bdp_bytes: f64,
    /// Payload for which the queue has room, where its description can be parsed.
    pub(crate) queue_bytes: Option<f64>,
    /// Propagation round trip; 0 where the record has none.
    pub(crate) rtt_s: f64,
}

impl Link {
    /// The bottleneck of a record's path.
    pub(crate) fn of(record: &Record) -> Link {
        let rtt_s = if record.rtt_ms.is_finite() && record.rtt_ms > 0.0 {
            record.rtt_ms / 1e3
        } else {
            0.0
        };
        let payload_bytes_per_s = record.capacity_bytes_per_s as f64;
        let share = payload_bytes_per_s * 8.0 / record.capacity_bits_per_s as f64;
        let payload_share = if (0.1..1.0).contains(&share) {
            share
        } else {
            ETHERNET_SHARE
        };
        let bdp_bytes = payload_bytes_per_s * rtt_s;
        // The unit `bdp` of a queue is computed from the rate of the serialiser, not from a
        // shaper's.
        let queue_bdp_bytes = record.rate_bits_per_s as f64 / 8.0 * payload_share * rtt_s;
        let header_bytes = record.header_bytes() as f64;
        let packet_bytes = header_bytes * payload_share / (1.0 - payload_share);
        let queue_bytes = queue_bytes(&record.queue, queue_bdp_bytes, payload_share, packet_bytes);
        Link {
            payload_share,
            payload_bytes_per_s,
            bdp_bytes,
            queue_bytes,
            rtt_s,
        }
    }
}

/// Payload in a queue that is described as `0.5 bdp`, `40 packets` or `256 KiB`. A full packet
/// carries `packet_bytes` of payload.
fn queue_bytes(text: &str, bdp_bytes: f64, payload_share: f64, packet_bytes: f64) -> Option<f64> {
    let text = text.trim();
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let scale = match unit.trim().to_ascii_lowercase().as_str() {
        "bdp" => bdp_bytes,
        "packet" | "packets" => packet_bytes,
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
    fn queues_are_parsed_in_every_unit_of_a_scenario() {
        assert_eq!(queue_bytes("0.5 bdp", 1000.0, 0.9, 1.0), Some(500.0));
        let packets = queue_bytes("40 packets", 0.0, ETHERNET_SHARE, 1448.0);
        assert_eq!(packets, Some(40.0 * 1448.0));
        assert_eq!(queue_bytes("256 KiB", 0.0, 1.0, 1.0), Some(262_144.0));
        assert_eq!(queue_bytes("endless", 0.0, 1.0, 1.0), None);
    }

    #[test]
    fn capacity_is_that_of_a_shaper_and_the_queue_counts_in_the_serialiser_s_bdp() {
        let mut record = onramp_testing::samples::record("cubic-case", "none", "cubic", 1);
        let plain = Link::of(&record);
        assert!((plain.payload_share - ETHERNET_SHARE).abs() < 1e-6);
        record.capacity_bits_per_s /= 2;
        record.capacity_bytes_per_s /= 2;
        let shaped = Link::of(&record);
        assert!((shaped.payload_bytes_per_s * 2.0 - plain.payload_bytes_per_s).abs() < 2.0);
        assert!((shaped.queue_bytes.unwrap() - plain.queue_bytes.unwrap()).abs() < 2.0);
        let mut over_ipv6 = onramp_testing::samples::record("cubic-case", "none", "cubic", 1);
        over_ipv6.queue = "10 packets".to_owned();
        over_ipv6.sender_tcp = "IPv6, ECN".to_owned();
        over_ipv6.capacity_bytes_per_s = over_ipv6.capacity_bits_per_s / 8 * 1428 / 1500;
        let queue_bytes = Link::of(&over_ipv6).queue_bytes.unwrap();
        assert!((queue_bytes - 14_280.0).abs() < 1.0, "{queue_bytes}");
        record.capacity_bits_per_s = 0;
        assert_eq!(Link::of(&record).payload_share, ETHERNET_SHARE);
    }
}
