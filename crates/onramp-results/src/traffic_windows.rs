//! The times over which competing traffic is measured, the same in simulator and lab.

use std::ops::Range;

/// The number of round trips over which competing traffic is measured, before a transfer and from
/// its start on.
pub const TRAFFIC_RTTS: u64 = 20;

/// The 20 round trips before the start of a transfer and the 20 round trips from it on, each
/// limited to the time of the traffic. `traffic_ns` lasts from the traffic's start to its stop, or
/// to the end of the observation. A window may be empty.
pub fn traffic_windows(start_ns: u64, rtt_ns: u64, traffic_ns: &Range<u64>) -> [Range<u64>; 2] {
    let window_ns = rtt_ns.saturating_mul(TRAFFIC_RTTS);
    let (first_ns, last_ns) = (
        start_ns.saturating_sub(window_ns),
        start_ns.saturating_add(window_ns),
    );
    [first_ns..start_ns, start_ns..last_ns].map(|window| {
        let begin_ns = window.start.max(traffic_ns.start);
        begin_ns..window.end.min(traffic_ns.end).max(begin_ns)
    })
}

/// Bytes per second within a window; `None` if the window is empty.
pub fn rate_in(window: &Range<u64>, bytes: f64) -> Option<f64> {
    (!window.is_empty()).then(|| bytes / ((window.end - window.start) as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_with_traffic_counts() {
        assert_eq!(
            traffic_windows(1000, 10, &(0..u64::MAX)),
            [800..1000, 1000..1200]
        );
        assert_eq!(
            traffic_windows(1000, 10, &(950..1100)),
            [950..1000, 1000..1100]
        );
        assert_eq!(traffic_windows(100, 10, &(0..u64::MAX)), [0..100, 100..300]);
        assert!(traffic_windows(1000, 10, &(1300..2000))
            .iter()
            .all(Range::is_empty));
        assert!(traffic_windows(1000, 10, &(0..500))
            .iter()
            .all(Range::is_empty));
    }

    #[test]
    fn an_empty_window_has_no_rate() {
        assert_eq!(rate_in(&(1_000_000_000..3_000_000_000), 10.0), Some(5.0));
        assert_eq!(rate_in(&(5..5), 0.0), None);
    }
}
