//! Figure 6 of Aron & Druschel (1998): twelve round trips, measured by two clocks, and four timeouts after each.
//!
//! It takes these conventions to match in every cell: no estimate before the first row; 4.4BSD's first measurement
//! counts one tick more than the column says, later ones do not; the 4.4BSD column is Eq. (1) with shifts 3 and 2,
//! not the shifts 5 and 4 of later BSDs, which are the column of Brakmo & Peterson; no bound of 2 ticks is applied
//! to the first three columns (none falls below it); Eq. (2) rounds up and then adds one.

use super::decoupled::event_ticks;
use super::scaled::ScaledEstimator;

/// Granularities of the paper's two clocks.
const COARSE_NS: u64 = 500_000_000;
const FINE_NS: u64 = 1_000_000;

/// RTT_c, RTO_O, RTO_B, RTT_f, RTO_Nf, RTO_Nc.
const FIGURE_6: [[u64; 6]; 12] = [
    [0, 3, 3, 60, 183, 2],
    [0, 3, 3, 150, 253, 2],
    [1, 5, 3, 60, 218, 2],
    [0, 4, 3, 60, 190, 2],
    [0, 3, 3, 61, 167, 2],
    [0, 3, 3, 60, 150, 2],
    [0, 3, 3, 61, 135, 2],
    [0, 3, 3, 60, 123, 2],
    [0, 3, 3, 60, 114, 2],
    [0, 3, 2, 61, 105, 2],
    [0, 3, 2, 60, 99, 2],
    [1, 5, 3, 61, 93, 2],
];

#[test]
fn all_cells_of_figure_6_match() {
    let mut original = ScaledEstimator::bsd(0);
    let mut brakmo = ScaledEstimator::brakmo(0);
    let mut fine = ScaledEstimator::bsd(0);
    let computed = FIGURE_6.map(|[rtt_coarse, _, _, rtt_fine, _, _]| {
        original.measure(rtt_coarse);
        brakmo.measure(rtt_coarse);
        fine.measure(rtt_fine);
        let decoupled = event_ticks(fine.rto_ticks() * FINE_NS, COARSE_NS);
        [rtt_coarse, original.rto_ticks(), brakmo.rto_ticks(), rtt_fine, fine.rto_ticks(), decoupled]
    });
    assert_eq!(computed, FIGURE_6);
}
