//! Whether cwnd limits the sender, decided as in Linux (`tcp_cwnd_validate()`,
//! `tcp_is_cwnd_limited()`).

use crate::Window;

/// How much of cwnd was used in the last round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    was_full: bool,
    max_pipe_bytes: u64,
    /// The round ends when all bytes below are acknowledged.
    round_end: u64,
    sent_in_burst: bool,
}

impl Usage {
    /// A segment was sent.
    pub fn sent(&mut self) {
        self.sent_in_burst = true;
    }

    /// Nothing more can be sent now: either cwnd is full, or something else limits the sender.
    pub fn burst_ends(&mut self, is_full: bool, pipe_bytes: u64, una: u64, nxt: u64) {
        if !(std::mem::take(&mut self.sent_in_burst) || is_full) {
            return;
        }
        let begins = una >= self.round_end;
        if begins || is_full || !self.was_full && pipe_bytes > self.max_pipe_bytes {
            *self = Usage {
                was_full: is_full,
                max_pipe_bytes: pipe_bytes,
                round_end: nxt,
                sent_in_burst: false,
            };
        }
    }

    /// Did this cwnd limit the sender? In slow start cwnd is to double, so half of it in use is
    /// enough.
    pub fn is_limited_by(&self, window: &Window) -> bool {
        self.was_full || window.in_slow_start() && window.cwnd_bytes < 2 * self.max_pipe_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    #[test]
    fn a_window_that_was_full_once_in_a_round_trip_limits() {
        let mut usage = Usage::default();
        let avoiding = Window {
            cwnd_bytes: 10_000,
            ssthresh_bytes: 5_000,
            mss_bytes: 1000,
        };
        usage.sent();
        usage.burst_ends(true, 10_000, 0, 10_000);
        usage.sent();
        usage.burst_ends(false, 8_000, 5_000, 13_000);
        assert!(usage.is_limited_by(&avoiding), "this round trip still");
        usage.sent();
        usage.burst_ends(false, 8_000, 10_000, 18_000);
        assert!(!usage.is_limited_by(&avoiding));
        let starting = Window {
            ssthresh_bytes: UNLIMITED,
            ..avoiding
        };
        assert!(
            usage.is_limited_by(&starting)
                && !usage.is_limited_by(&Window {
                    cwnd_bytes: 16_000,
                    ..starting
                })
        );
    }
}
