//! Westwood+: after a loss, cwnd becomes the BDP at the measured rate.
//!
//! S. Mascolo, C. Casetti, M. Gerla, M. Sanadidi, R. Wang: TCP Westwood: Bandwidth Estimation for
//! Enhanced Transport over Wireless Links, 2001; L. Grieco, S. Mascolo: Performance Evaluation and
//! Comparison of Westwood+, New Reno and Vegas TCP Congestion Control, 2004. A loss need not mean
//! congestion. So cwnd is not halved, but set to what the path was measured to deliver.
//!
//! ```text
//!   sample   = delivered / time                 over a round trip, and at least 50 ms
//!   BWE      = 7/8 BWE + 1/8 sample             the first sample is taken as it is
//!   ssthresh = max(BWE * min RTT, 2 MSS)        at a loss; Reno's half while there is no sample
//! ```
//!
//! Between losses cwnd follows [`Reno`]. After a timeout cwnd is one segment, as with any
//! congestion avoidance here, and slow start leads to this ssthresh.
//!
//! Constants: Westwood+ takes one sample per round trip, because a sample for each ACK
//! overestimates the rate when ACKs are compressed. 50 ms keeps short paths from sampling single
//! packets. 7/8 is Linux's filter; it follows a change of the rate within about ten round trips.
//!
//! Differences from the papers: their filter's gain is derived from the sampling times (2001) or
//! close to 0.9 (2004). A longer RTT of the path is noticed only after a timeout, which forgets the
//! min RTT, as in Linux.
//!
//! Differences from Linux: Linux applies the filter twice, and sets ssthresh when recovery ends. In
//! both, ssthresh may exceed cwnd, because it is a measured BDP. Recovery must not raise cwnd to
//! it.

use super::reno::Reno;
use super::segments::at_least_two;
use super::{AckSample, Avoidance};
use crate::Window;

const MIN_INTERVAL_NS: u64 = 50_000_000;
const SECOND_NS: u128 = 1_000_000_000;

/// Congestion avoidance of Westwood+.
#[derive(Clone, Debug, Default)]
pub struct Westwood {
    reno: Reno,
    rate_bytes_per_s: Option<u64>,
    min_rtt_ns: Option<u64>,
    last_rtt_ns: u64,
    /// When the current sample began. The bytes of the ACK that began it are not counted.
    sample_start_ns: Option<u64>,
    sample_bytes: u64,
}

impl Westwood {
    /// Westwood+, based on this Reno.
    pub fn new(reno: Reno) -> Westwood {
        Westwood {
            reno,
            ..Westwood::default()
        }
    }

    fn count(&mut self, now_ns: u64, delivered_bytes: u64) {
        let Some(start_ns) = self.sample_start_ns else {
            self.sample_start_ns = Some(now_ns);
            return;
        };
        self.sample_bytes = self.sample_bytes.saturating_add(delivered_bytes);
        let elapsed_ns = now_ns.saturating_sub(start_ns);
        if self.min_rtt_ns.is_none() || elapsed_ns <= self.last_rtt_ns.max(MIN_INTERVAL_NS) {
            return;
        }
        let sample = u128::from(self.sample_bytes) * SECOND_NS / u128::from(elapsed_ns);
        let sample = u64::try_from(sample).unwrap_or(u64::MAX);
        self.rate_bytes_per_s = Some(match self.rate_bytes_per_s {
            Some(rate) => ((7 * u128::from(rate) + u128::from(sample)) / 8) as u64,
            None => sample,
        });
        self.sample_start_ns = Some(now_ns);
        self.sample_bytes = 0;
    }
}

impl Avoidance for Westwood {
    fn measure(&mut self, _window: &mut Window, ack: &AckSample) {
        if let Some(rtt_ns) = ack.rtt_ns {
            self.last_rtt_ns = rtt_ns;
            self.min_rtt_ns = Some(self.min_rtt_ns.unwrap_or(rtt_ns).min(rtt_ns));
        }
        self.count(ack.now_ns, ack.delivered_bytes);
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        self.reno.raise(window, ack);
    }

    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        let half_bytes = self.reno.ssthresh(window, now_ns, flight_bytes);
        let (Some(rate), Some(rtt_ns)) = (self.rate_bytes_per_s, self.min_rtt_ns) else {
            return half_bytes;
        };
        let bytes = u128::from(rate) * u128::from(rtt_ns) / SECOND_NS;
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        at_least_two(bytes / u64::from(window.mss_bytes), window.mss_bytes)
    }

    fn timeout(&mut self) {
        self.min_rtt_ns = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::MSS;
    use super::*;
    use crate::window::UNLIMITED;

    const MS: u64 = 1_000_000;

    /// Delivers ACKs of a segment each, `spacing_ms` apart, for `for_ms`.
    fn deliver(westwood: &mut Westwood, from_ms: u64, for_ms: u64, spacing_ms: u64) {
        let mut window = window(20);
        for now_ms in (from_ms..from_ms + for_ms).step_by(spacing_ms as usize) {
            let ack = AckSample {
                now_ns: now_ms * MS,
                delivered_bytes: MSS,
                rtt_ns: Some(100 * MS),
                ..AckSample::default()
            };
            westwood.measure(&mut window, &ack);
        }
    }

    fn window(segments: u64) -> Window {
        Window {
            cwnd_bytes: segments * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        }
    }

    /// Grieco & Mascolo 2004, section 2.
    #[test]
    fn the_estimate_is_the_delivery_rate_from_the_first_sample_on() {
        let mut westwood = Westwood::default();
        deliver(&mut westwood, 0, 250, 10);
        assert_eq!(westwood.rate_bytes_per_s, Some(100 * MSS));
    }

    /// Grieco & Mascolo 2004, section 2: a low-pass filter.
    #[test]
    fn the_estimate_follows_a_change_within_about_ten_round_trips() {
        let mut westwood = Westwood::default();
        deliver(&mut westwood, 0, 1000, 10);
        deliver(&mut westwood, 1000, 500, 20);
        let after_five = westwood.rate_bytes_per_s.unwrap() / MSS;
        assert!((70..85).contains(&after_five), "{after_five}");
        deliver(&mut westwood, 1500, 4000, 20);
        let late = westwood.rate_bytes_per_s.unwrap() / MSS;
        assert!((49..=51).contains(&late), "{late}");
    }

    /// Grieco & Mascolo 2004, section 2: ssthresh = BWE * RTTmin / segment size.
    #[test]
    fn a_loss_sets_ssthresh_to_the_measured_bdp() {
        let mut westwood = Westwood::default();
        deliver(&mut westwood, 0, 1000, 10);
        assert_eq!(westwood.ssthresh(&window(40), 0, 40 * MSS), 10 * MSS);
        assert_eq!(
            westwood.ssthresh(&window(1), 0, MSS),
            10 * MSS,
            "a second loss finds the same path"
        );
    }

    #[test]
    fn samples_take_50_ms_on_short_paths() {
        let mut westwood = Westwood::default();
        let mut window = window(20);
        for now_ms in 0..=51 {
            let rtt_ns = Some(MS);
            let ack = AckSample {
                now_ns: now_ms * MS,
                delivered_bytes: MSS,
                rtt_ns,
                ..AckSample::default()
            };
            assert_eq!(westwood.rate_bytes_per_s, None, "at {now_ms} ms");
            westwood.measure(&mut window, &ack);
        }
        assert_eq!(westwood.rate_bytes_per_s, Some(1000 * MSS));
    }

    #[test]
    fn before_the_first_sample_a_loss_halves_the_window() {
        assert_eq!(Westwood::default().ssthresh(&window(40), 0, 0), 20 * MSS);
    }

    #[test]
    fn a_timeout_forgets_the_min_rtt() {
        let mut westwood = Westwood::default();
        deliver(&mut westwood, 0, 1000, 10);
        westwood.timeout();
        let ack = AckSample {
            now_ns: 1000 * MS,
            rtt_ns: Some(300 * MS),
            ..AckSample::default()
        };
        westwood.measure(&mut window(20), &ack);
        assert_eq!(westwood.min_rtt_ns, Some(300 * MS));
    }
}
