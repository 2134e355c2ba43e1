//! The limit of a queue, in the unit in which the scenario gives it.

use onramp_config::key::quantity_kinds;
use onramp_config::shown;
use onramp_config::units::{
    bytes_in, count_of, format_bdp, format_count, format_size, parse_quantity, Quantity, UnitError,
    BDP, PACKETS, SIZE_UNITS,
};
use std::fmt;
use std::str::FromStr;

quantity_kinds! {
    /// The limit of a queue.
    Queue: QueueLimit, "queue",
        "a queue with its unit in quotes, for example \"0.5 bdp\", \"40 packets\" or \"256 KiB\"",
        str::parse, QueueLimit::measure;
}

const QUEUE: Quantity = Quantity {
    what: "queue",
    example: "0.5 bdp",
    units: &[&[PACKETS], SIZE_UNITS, &[BDP]],
    words: &[],
};

/// The limit of a queue, in the unit in which the scenario gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// A number of packets, whatever their size.
    Packets(u32),
    /// Bytes of IP packets.
    Bytes(u64),
    /// A share of the BDP (rate x round-trip time), in millionths.
    BdpPpm(u64),
}

impl QueueLimit {
    /// The limit in bytes on a channel of this rate and round-trip time; `None` where the limit
    /// counts packets.
    pub fn bytes(self, rate_bits_per_s: u64, rtt_ns: u64) -> Option<u64> {
        match self {
            QueueLimit::Packets(_) => None,
            QueueLimit::Bytes(bytes) => Some(bytes),
            QueueLimit::BdpPpm(ppm) => {
                let bytes =
                    u128::from(bytes_in(rate_bits_per_s, rtt_ns)) * u128::from(ppm) / 1_000_000;
                Some(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
        }
    }

    /// The limit's number, in its own unit.
    pub(super) fn amount(self) -> u64 {
        match self {
            QueueLimit::Packets(packets) => u64::from(packets),
            QueueLimit::Bytes(amount) | QueueLimit::BdpPpm(amount) => amount,
        }
    }

    /// Whether both limits count the same.
    pub(super) fn has_unit_of(self, other: QueueLimit) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// The limit divided by a number, at least `min`, in the limit's own unit.
    pub(super) fn divided(self, divisor: u32, min: u32) -> QueueLimit {
        let [wide_divisor, wide_min] = [divisor, min].map(u64::from);
        match self {
            QueueLimit::Packets(packets) => QueueLimit::Packets((packets / divisor).max(min)),
            QueueLimit::Bytes(bytes) => QueueLimit::Bytes((bytes / wide_divisor).max(wide_min)),
            QueueLimit::BdpPpm(ppm) => QueueLimit::BdpPpm((ppm / wide_divisor).max(wide_min)),
        }
    }
}

impl QueueLimit {
    /// The amount, in the range of its unit.
    fn measure(&self) -> Option<(u8, u64)> {
        let range = match *self {
            QueueLimit::Packets(_) => 0,
            QueueLimit::Bytes(_) => 1,
            QueueLimit::BdpPpm(_) => 2,
        };
        Some((range, self.amount()))
    }
}

/// `40 packets`, `256 KiB` or `0.4 bdp`; more than zero.
impl FromStr for QueueLimit {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = parse_quantity(&QUEUE, text)?;
        if value == 0 {
            return Err(UnitError::Zero {
                what: QUEUE.what,
                found: shown(text),
            });
        }
        match unit {
            PACKETS => count_of(value, &QUEUE, text).map(QueueLimit::Packets),
            BDP => Ok(QueueLimit::BdpPpm(value)),
            _ => Ok(QueueLimit::Bytes(value)),
        }
    }
}

impl fmt::Display for QueueLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match *self {
            QueueLimit::Packets(packets) => format_count(u64::from(packets), PACKETS.name),
            QueueLimit::Bytes(bytes) => format_size(bytes),
            QueueLimit::BdpPpm(ppm) => format_bdp(ppm),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_written_queue_reads_as_the_same_queue(n in 1u64.., packets in 1u32..) {
            for queue in [
                QueueLimit::Packets(packets),
                QueueLimit::Bytes(n),
                QueueLimit::BdpPpm(n),
            ] {
                prop_assert_eq!(queue.to_string().parse::<QueueLimit>().unwrap(), queue);
            }
        }
    }

    #[test]
    fn a_queue_is_written_as_the_scenario_writes_it() {
        let queues = [
            "40 packets",
            "1 packet",
            "256 KiB",
            "0.4 bdp",
            "1 bdp",
            "2.5 bdp",
        ];
        assert_eq!(
            queues.map(|queue| queue.parse::<QueueLimit>().unwrap().to_string()),
            queues
        );
    }
}
