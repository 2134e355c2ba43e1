//! The assumptions of the model that a link does not meet.

use super::Link;
use crate::formulas::double_slow_start::Path;

/// Minimum window in packets for a fast retransmission, which needs three duplicate ACKs.
const MIN_FAST_RETRANSMIT_WINDOW: f64 = 4.0;
/// Maximum normalised buffer of the paper's simulations (figures 4 and 5).
const MAX_SIMULATED_BETA: f64 = 0.5;
/// Maximum window without window scaling.
const MAX_UNSCALED_WINDOW_BYTES: f64 = 65_535.0;

/// One sentence for each assumption of the model that the link does not meet. `spaced` is the rate
/// in packets per second at which slow start's packets are spaced.
pub(super) fn cautions(link: &Link, path: &Path, spaced: Option<f64>) -> Vec<String> {
    let rtt_s = link.rtt_ns as f64 / 1e9;
    let (beta, overflow) = (path.beta(), path.overflow_window());
    let burst_s = spaced.map(|rate| path.max_window() / 2.0 / rate);
    let window_bytes = path.max_window() * link.packet_bytes as f64;
    let mut cautions = Vec::new();
    if beta > MAX_SIMULATED_BETA {
        cautions.push(format!(
            "the queue is to be small against the round trip; a full one takes {:.0} ms to the \
             link's {:.0} ms, and the paper goes up to a beta of {MAX_SIMULATED_BETA}",
            path.buffer() / path.rate() * 1e3,
            rtt_s * 1e3,
        ));
    }
    if overflow < MIN_FAST_RETRANSMIT_WINDOW {
        cautions.push(format!(
            "windows are to be of many packets; slow start overflows the queue with \
             {overflow:.1}, too few for a fast retransmission, and the model leaves out timeouts",
        ));
    }
    if let Some(burst_s) = burst_s.filter(|burst_s| *burst_s > rtt_s) {
        cautions.push(format!(
            "spaced packets are to leave within a round trip; those of the threshold take \
             {:.0} ms, so that slow start is slower than the model's",
            burst_s * 1e3,
        ));
    }
    if window_bytes > MAX_UNSCALED_WINDOW_BYTES {
        cautions.push(format!(
            "the receiver's window is to be W_max at least, {:.0} kB here: both ends need window \
             scaling and such a buffer",
            window_bytes / 1e3,
        ));
    }
    cautions
}
