//! ACK aggregation: what is acknowledged beyond the delivery rate (Linux: `extra_acked`).
//!
//! A WiFi or cellular link delivers nothing for some milliseconds, then much at once. cwnd must
//! cover what is outstanding meanwhile.

/// Rounds of each of the two windows whose maximum counts.
const WINDOW_ROUNDS: u64 = 5;
/// An epoch ends after so many segments.
const MAX_EPOCH_SEGMENTS: u64 = 1 << 20;

/// The degree of aggregation.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    epoch_ns: u64,
    epoch_acked_bytes: u64,
    /// Maxima of the present window and the one before.
    extra_bytes: [u64; 2],
    rounds: u64,
}

impl Aggregation {
    /// An epoch begins.
    pub fn restart(&mut self, now_ns: u64) {
        self.epoch_ns = now_ns;
        self.epoch_acked_bytes = 0;
    }

    /// Takes an acknowledgement of `acked_bytes`. `bytes_per_s`: BBR's delivery rate.
    pub fn add(
        &mut self,
        now_ns: u64,
        acked_bytes: u64,
        bytes_per_s: u64,
        round_begins: bool,
        cwnd_bytes: u64,
        mss_bytes: u64,
    ) {
        if round_begins {
            self.rounds += 1;
            if self.rounds >= WINDOW_ROUNDS {
                self.rounds = 0;
                self.extra_bytes = [0, self.extra_bytes[0]];
            }
        }
        let expected = |epoch_ns: u64| {
            let bytes = u128::from(bytes_per_s) * u128::from(now_ns - epoch_ns) / 1_000_000_000;
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        let mut expected_bytes = expected(self.epoch_ns);
        if self.epoch_acked_bytes <= expected_bytes
            || self.epoch_acked_bytes + acked_bytes >= MAX_EPOCH_SEGMENTS * mss_bytes
        {
            self.restart(now_ns);
            expected_bytes = 0;
        }
        self.epoch_acked_bytes += acked_bytes;
        let extra = self.epoch_acked_bytes.saturating_sub(expected_bytes);
        self.extra_bytes[0] = self.extra_bytes[0].max(extra.min(cwnd_bytes));
    }

    /// The most that was acknowledged beyond the rate in the last five to ten rounds.
    pub fn extra_bytes(&self) -> u64 {
        self.extra_bytes[0].max(self.extra_bytes[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks_at_once_are_extra() {
        let mut aggregation = Aggregation::default();
        for burst in 1..=4 {
            for _ in 0..10 {
                // 10 kB each 10 ms at 1 MB/s
                aggregation.add(burst * 10_000_000, 1000, 1_000_000, false, 100_000, 1000);
            }
        }
        assert_eq!(aggregation.extra_bytes(), 10_000);
    }

    #[test]
    fn the_maximum_is_forgotten_after_two_windows() {
        let mut aggregation = Aggregation::default();
        aggregation.add(1, 50_000, 1, true, 100_000, 1000);
        for round in 1..10 {
            aggregation.add(round * 1_000_000_000, 1, 1_000_000, true, 100_000, 1000);
        }
        assert_eq!(aggregation.extra_bytes(), 1);
    }
}
