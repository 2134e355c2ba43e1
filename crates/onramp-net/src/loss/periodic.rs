//! Every n-th data packet.

/// A TCP segment without payload is at most so large: 20 bytes of IPv4 and 60 of TCP, the most that
/// its header takes.
const LARGEST_WITHOUT_PAYLOAD_BYTES: u32 = 80;

/// Loses the n-th of the packets that carry data, and each n-th after it. The sawtooth of the
/// formulas: they count the packets between two losses, and a SYN or an acknowledgement among them
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
    fn the_third_packet_is_lost_and_each_third_after_it() {
        assert_eq!(lost(3, [1500; 10]), [2, 5, 8]);
    }

    #[test]
    fn every_packet_is_lost_where_each_is_the_first() {
        assert_eq!(lost(1, [1500; 3]), [0, 1, 2]);
    }

    #[test]
    fn segments_without_payload_pass_and_are_not_counted() {
        assert_eq!(lost(2, [60, 1500, 40, 80, 81, 52]), [4]);
    }
}
