//! Packet numbers as in QUIC: every packet of the sender has its own, retransmissions too.

use std::collections::BTreeMap;

/// A packet that is not acknowledged yet.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    end: u64,
    number: u64,
    sent_ns: u64,
    is_retransmission: bool,
}

/// The packets of a sender.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    next: u64,
    /// By the offset of the first byte.
    in_flight: BTreeMap<u64, InFlight>,
}

/// What is new in an ACK.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Acknowledged {
    /// Ranges of packet numbers, first and last, that no earlier ACK acknowledged.
    pub ranges: Vec<(u64, u64)>,
    /// RTT sample: the time since the newest of these packets was sent. `None` for a retransmission
    /// (Karn's rule).
    pub rtt_ns: Option<u64>,
}

impl Numbers {
    /// A packet is sent with the bytes from `start` to before `end`. Returns its number, and the
    /// numbers of the packets whose bytes it retransmits.
    pub fn sent(
        &mut self,
        start: u64,
        end: u64,
        is_retransmission: bool,
        time_ns: u64,
    ) -> (u64, Vec<u64>) {
        let number = self.next;
        self.next += 1;
        let mut replaced = Vec::new();
        if start < end {
            let overlapping: Vec<u64> = self
                .in_flight
                .range(..end)
                .rev()
                .take_while(|(_, p)| p.end > start)
                .map(|(at, _)| *at)
                .collect();
            for at in overlapping.into_iter().rev() {
                replaced.extend(self.in_flight.remove(&at).map(|packet| packet.number));
            }
            self.in_flight.insert(
                start,
                InFlight {
                    end,
                    number,
                    sent_ns: time_ns,
                    is_retransmission,
                },
            );
        }
        (number, replaced)
    }

    /// An ACK of all bytes before an offset, and of these SACK blocks.
    pub fn acknowledged(&mut self, before: u64, sack: &[(u64, u64)], time_ns: u64) -> Acknowledged {
        let mut packets = Vec::new();
        while let Some(first) = self
            .in_flight
            .first_entry()
            .filter(|entry| entry.get().end <= before)
        {
            packets.push(first.remove());
        }
        for (left, right) in sack {
            let covered = self
                .in_flight
                .range(*left..(*right).max(*left))
                .filter(|(_, p)| p.end <= *right);
            let covered: Vec<u64> = covered.map(|(at, _)| *at).collect();
            packets.extend(covered.iter().filter_map(|at| self.in_flight.remove(at)));
        }
        packets.sort_unstable_by_key(|packet| packet.number);
        let mut acknowledged = Acknowledged::default();
        for packet in &packets {
            match acknowledged.ranges.last_mut() {
                Some((_, last)) if *last + 1 == packet.number => *last = packet.number,
                _ => acknowledged.ranges.push((packet.number, packet.number)),
            }
        }
        acknowledged.rtt_ns = packets
            .last()
            .filter(|packet| !packet.is_retransmission)
            .map(|packet| time_ns - packet.sent_ns);
        acknowledged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_sent() -> Numbers {
        let mut numbers = Numbers::default();
        for number in 0..3 {
            assert_eq!(
                numbers.sent(number * 100, number * 100 + 100, false, number),
                (number, vec![])
            );
        }
        numbers
    }

    #[test]
    fn an_ack_names_new_packets_and_samples_the_rtt_of_the_newest() {
        let mut numbers = three_sent();
        let ranges = |ranges: &[(u64, u64)], rtt_ns| Acknowledged {
            ranges: ranges.to_vec(),
            rtt_ns,
        };
        assert_eq!(
            numbers.acknowledged(100, &[(200, 300)], 12),
            ranges(&[(0, 0), (2, 2)], Some(10))
        );
        assert_eq!(
            numbers.acknowledged(100, &[(200, 300)], 13),
            ranges(&[], None)
        );
        assert_eq!(
            numbers.acknowledged(300, &[], 21),
            ranges(&[(1, 1)], Some(20))
        );
    }

    #[test]
    fn a_retransmission_has_a_new_number_and_gives_no_rtt_sample() {
        let mut numbers = three_sent();
        assert_eq!(numbers.sent(100, 200, true, 50), (3, vec![1]));
        let acknowledged = numbers.acknowledged(300, &[], 60);
        assert_eq!(
            acknowledged,
            Acknowledged {
                ranges: vec![(0, 0), (2, 3)],
                rtt_ns: None
            }
        );
    }

    #[test]
    fn a_packet_may_replace_two_and_an_empty_packet_replaces_none() {
        let mut numbers = three_sent();
        assert_eq!(numbers.sent(50, 150, true, 50), (3, vec![0, 1]));
        assert_eq!(numbers.sent(300, 300, false, 51), (4, vec![]));
        assert_eq!(numbers.sent(300, 400, false, 52), (5, vec![]));
    }
}
