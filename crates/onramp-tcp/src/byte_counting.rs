//! Appropriate byte counting (RFC 3465): how much of an acknowledgement counts in slow start.

use crate::Window;
use std::num::NonZeroU8;

/// The limit L of RFC 3465: by how much an acknowledgement may make cwnd grow in slow start. cwnd
/// never grows by more than was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteCounting {
    /// By at most this many segments; by one while a slow start repairs the losses of a timeout
    /// (section 2.3). 1 counts acknowledgements (RFC 5681, equation 2).
    Segments(NonZeroU8),
    /// By everything acknowledged, as in Linux, also after timeouts.
    Unlimited,
}

impl ByteCounting {
    /// Counts acknowledgements, as 4.4BSD does.
    pub const ACKS: ByteCounting = ByteCounting::Segments(NonZeroU8::MIN);
}

/// Byte counting of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting {
    choice: ByteCounting,
    /// Slow start restarted with one segment, and cwnd has not reached ssthresh since.
    is_restarted: bool,
}

impl Counting {
    pub fn new(choice: ByteCounting) -> Counting {
        Counting {
            choice,
            is_restarted: false,
        }
    }

    /// Slow start restarts with one segment. Data that arrived after the loss is then acknowledged
    /// at once, which does not show how much left the network meanwhile (section 2.3).
    pub fn restart(&mut self) {
        self.is_restarted = true;
    }

    /// How many of `delivered_bytes` count.
    pub fn counted(&mut self, delivered_bytes: u64, window: &Window) -> u64 {
        if !window.in_slow_start() {
            self.is_restarted = false;
            return delivered_bytes;
        }
        let limit = match self.choice {
            ByteCounting::Unlimited => return delivered_bytes,
            ByteCounting::Segments(_) if self.is_restarted => 1,
            ByteCounting::Segments(segments) => segments.get(),
        };
        delivered_bytes.min(u64::from(limit) * u64::from(window.mss_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    /// RFC 3465, section 2.3, applies only to the slow start after a timeout.
    #[test]
    fn a_later_slow_start_counts_as_configured_again() {
        let mut counting = Counting::new(ByteCounting::Segments(NonZeroU8::new(2).unwrap()));
        let window = |ssthresh_bytes| Window {
            cwnd_bytes: 5000,
            ssthresh_bytes,
            mss_bytes: 1000,
        };
        assert_eq!(counting.counted(4000, &window(UNLIMITED)), 2000);
        counting.restart();
        assert_eq!(counting.counted(4000, &window(UNLIMITED)), 1000);
        assert_eq!(
            counting.counted(4000, &window(5000)),
            4000,
            "byte counting does not limit congestion avoidance"
        );
        assert_eq!(counting.counted(4000, &window(UNLIMITED)), 2000);
    }
}
