//! Long-term sampling: the rate of a token-bucket policer (Flach et al., An Internet-Wide Analysis
//! of Traffic Policing, 2016; Linux: "long-term bw sampling").
//!
//! ```text
//!   interval = 4 to 16 rounds, from a loss to a loss, with lost >= 20 % of delivered
//!   two successive intervals whose rates differ by at most 1/8: their mean is the policer's rate,
//!   used for 48 rounds
//! ```

/// Rounds of an interval, at least and at most.
const MIN_ROUNDS: u64 = 4;
const MAX_ROUNDS: u64 = 4 * MIN_ROUNDS;
/// Lost by delivered of an interval, in 1/256: about 20 %.
const LOSSES_256: u64 = 50;
/// Rates are equal if they differ by this part, or by 4 kbit/s.
const EQUAL_DIVISOR: u64 = 8;
const EQUAL_BYTES_PER_S: u64 = 500;
/// Rounds for which the policer's rate is used.
const USE_ROUNDS: u64 = 48;
const MS_NS: u64 = 1_000_000;

/// Totals of the connection at an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub now_ns: u64,
    pub delivered_bytes: u64,
    pub lost_bytes: u64,
}

/// Detects a policer.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    bytes_per_s: u64,
    is_used: bool,
    is_sampling: bool,
    begin: Totals,
    rounds: u64,
}

impl Policer {
    /// The rate of the policer, if there is one.
    pub fn rate(&self) -> Option<u64> {
        self.is_used.then_some(self.bytes_per_s)
    }

    /// Forgets everything.
    pub fn reset(&mut self, now: Totals) {
        *self = Policer {
            begin: now,
            ..Policer::default()
        };
    }

    /// Takes an acknowledgement. Returns true if the policer's rate was used long enough.
    pub fn sample(
        &mut self,
        now: Totals,
        found_loss: bool,
        round_begins: bool,
        is_probing: bool,
        is_app_limited: bool,
    ) -> bool {
        if self.is_used {
            self.rounds += u64::from(is_probing && round_begins);
            let is_over = is_probing && round_begins && self.rounds >= USE_ROUNDS;
            if is_over {
                self.reset(now);
            }
            return is_over;
        }
        if !self.is_sampling {
            if !found_loss {
                return false;
            }
            self.begin_interval(now);
            self.is_sampling = true;
        }
        if is_app_limited {
            self.reset(now);
            return false;
        }
        self.rounds += u64::from(round_begins);
        if self.rounds > MAX_ROUNDS {
            self.reset(now);
        } else if self.rounds >= MIN_ROUNDS && found_loss {
            self.end_interval(now);
        }
        false
    }

    fn begin_interval(&mut self, now: Totals) {
        self.begin = now;
        self.rounds = 0;
    }

    fn end_interval(&mut self, now: Totals) {
        let lost = now.lost_bytes - self.begin.lost_bytes;
        let delivered = now.delivered_bytes - self.begin.delivered_bytes;
        let time_ms = (now.now_ns - self.begin.now_ns) / MS_NS;
        if delivered == 0 || lost * 256 < LOSSES_256 * delivered || time_ms == 0 {
            return;
        }
        let rate = delivered.saturating_mul(1000) / time_ms;
        let difference = rate.abs_diff(self.bytes_per_s);
        let is_equal =
            difference <= self.bytes_per_s / EQUAL_DIVISOR || difference <= EQUAL_BYTES_PER_S;
        if self.bytes_per_s > 0 && is_equal {
            self.bytes_per_s = self.bytes_per_s.midpoint(rate);
            self.is_used = true;
            self.rounds = 0;
        } else {
            self.bytes_per_s = rate;
            self.begin_interval(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 ms with a loss in each. Returns the totals after them.
    fn rounds(policer: &mut Policer, mut now: Totals, count: u64, kb: u64, lost_kb: u64) -> Totals {
        for _ in 0..count {
            now.now_ns += 100 * MS_NS;
            now.delivered_bytes += kb * 1000;
            now.lost_bytes += lost_kb * 1000;
            policer.sample(now, lost_kb > 0, true, true, false);
        }
        now
    }

    #[test]
    fn two_equal_lossy_intervals_show_a_policer() {
        let mut policer = Policer::default();
        let now = rounds(&mut policer, Totals::default(), 1, 100, 30);
        let now = rounds(&mut policer, now, 4, 100, 30);
        assert_eq!(policer.rate(), None);
        let now = rounds(&mut policer, now, 4, 104, 30);
        // 1 MB/s in the first interval, 1.03 MB/s in the second
        assert_eq!(policer.rate(), Some(1_015_000));
        rounds(&mut policer, now, 48, 100, 0);
        assert_eq!(policer.rate(), None, "its rate is used for 48 rounds");
    }

    #[test]
    fn few_losses_and_different_rates_show_none() {
        let mut policer = Policer::default();
        rounds(&mut policer, Totals::default(), 30, 100, 15);
        assert_eq!(policer.rate(), None);
        let mut policer = Policer::default();
        let mut now = Totals::default();
        for kb in [100, 150, 100, 150] {
            now = rounds(&mut policer, now, 4, kb, 40);
        }
        assert_eq!(policer.rate(), None);
    }
}
