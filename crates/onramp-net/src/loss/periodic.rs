//! Loss of every n-th data packet.

/// Maximum size of a TCP segment without payload: 20 bytes of IPv4 header and 60 bytes, the
/// maximum, of TCP header.
const LARGEST_WITHOUT_PAYLOAD_BYTES: u32 = 80;

/// Drops the n-th data packet and every n-th data packet after it. This gives the sawtooth of the
/// throughput formulas, which count the data packets between two losses. A SYN or an ACK among them
/// would only shift the pattern.
#[derive(Clone, Debug)]
pub(crate) struct Periodic {
    every: u32,
    /// Packets since the last loss.
    passed: u32,
}

impl Periodic {
    pub fn new(every: u32) -> Periodic {
        Periodic { every, passed: 0 }
    }

    #[inline]
    pub fn loses(&mut self, wire_bytes: u32) -> bool {
        if wire_bytes <= LARGEST_WITHOUT_PAYLOAD_BYTES {
            return false;
        }
        self.passed += 1;
        let lost = self.passed == self.every;
        if lost {
            self.passed = 0;
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(every: u32, sizes: impl IntoIterator<Item = u32>) -> Vec<usize> {
        let mut process = Periodic::new(every);
        let lost = sizes.into_iter().map(|bytes| process.loses(bytes));
        lost.enumerate()
            .filter_map(|(at, lost)| lost.then_some(at))
            .collect()
    }

    #[test]
    fn every_third_packet_is_lost() {
        assert_eq!(lost(3, [1500; 10]), [2, 5, 8]);
    }

    #[test]
    fn a_period_of_one_loses_every_packet() {
        assert_eq!(lost(1, [1500; 3]), [0, 1, 2]);
    }

    #[test]
    fn segments_without_payload_pass_and_are_not_counted() {
        assert_eq!(lost(2, [60, 1500, 40, 80, 81, 52]), [4]);
    }
}
