//! Appropriate byte counting: how much of an acknowledgement counts in slow start (RFC 3465).

use crate::Window;
use std::num::NonZeroU8;

/// By how much an acknowledgement makes the window grow in slow start, at the most. It grows by no
/// more than was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteCounting {
    /// By so many segments, the RFC's L; by one while a slow start repairs what a timeout left
    /// (section 2.3). 1 counts acknowledgements (RFC 5681, equation 2).
    Segments(NonZeroU8),
    /// By all that was acknowledged, as Linux does, after timeouts too.
    Unlimited,
}

impl ByteCounting {
    /// Counts acknowledgements, as 4.4BSD does.
    pub const ACKS: ByteCounting = ByteCounting::Segments(NonZeroU8::MIN);
}

/// A connection's counting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting {
    choice: ByteCounting,
    /// Slow start began again with one segment, and has not come to its threshold.
    restarted: bool,
}

impl Counting {
    pub fn new(choice: ByteCounting) -> Counting {
        Counting {
            choice,
            restarted: false,
        }
    }

    /// Slow start begins again with one segment. What arrived behind the loss is acknowledged at
    /// once then, which says nothing of what left the network meanwhile (section 2.3).
    pub fn restart(&mut self) {
        self.restarted = true;
    }

    /// What counts of so many bytes that an acknowledgement delivered.
    pub fn counted(&mut self, delivered_bytes: u64, window: &Window) -> u64 {
        if !window.in_slow_start() {
            self.restarted = false;
            return delivered_bytes;
        }
        let limit = match self.choice {
            ByteCounting::Unlimited => return delivered_bytes,
            ByteCounting::Segments(_) if self.restarted => 1,
            ByteCounting::Segments(segments) => segments.get(),
        };
        delivered_bytes.min(u64::from(limit) * u64::from(window.mss_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    /// RFC 3465, section 2.3, is of the slow start that follows the timeout alone.
    #[test]
    fn a_later_slow_start_counts_as_chosen_again() {
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
            "congestion avoidance is not counted by it"
        );
        assert_eq!(counting.counted(4000, &window(UNLIMITED)), 2000);
    }
}
