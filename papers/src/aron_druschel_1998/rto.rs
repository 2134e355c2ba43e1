//! Figure 6: the timeouts of four estimators for the same RTT samples (section 4.1).
//!
//! Every cell matches under these conventions:
//!
//! - There is no estimate before the first row.
//! - 4.4BSD's first sample counts one tick more than the column shows; later ones do not.
//! - The 4.4BSD column is Eq. (1) with shifts 3 and 2. The shifts 5 and 4 of later BSDs give the
//!   column of Brakmo & Peterson.
//! - The first three columns have no minimum of 2 ticks (none falls below it).
//! - Eq. (2) rounds up and then adds one.

use crate::{Bench, Error, Measured, Value};
use onramp_tcp::rto::decoupled::event_ticks;
use onramp_tcp::rto::scaled::ScaledEstimator;

/// Granularities of the paper's two clocks.
const COARSE_NS: u64 = 500_000_000;
const FINE_NS: u64 = 1_000_000;

/// The figure's RTT samples: RTT_c in ticks of 500 ms, and RTT_f in ticks of 1 ms.
const ROUND_TRIPS: [(u64, u64); 12] = [
    (0, 60),
    (0, 150),
    (1, 60),
    (0, 60),
    (0, 61),
    (0, 60),
    (0, 61),
    (0, 60),
    (0, 60),
    (0, 61),
    (0, 60),
    (1, 61),
];

pub fn measure(_bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    let mut original = ScaledEstimator::bsd(0);
    let mut brakmo = ScaledEstimator::brakmo(0);
    let mut fine = ScaledEstimator::bsd(0);
    for (number, (rtt_coarse, rtt_fine)) in (1..).zip(ROUND_TRIPS) {
        original.measure(rtt_coarse);
        brakmo.measure(rtt_coarse);
        fine.measure(rtt_fine);
        let decoupled = event_ticks(fine.rto_ticks() * FINE_NS, COARSE_NS);
        let cells = [
            original.rto_ticks(),
            brakmo.rto_ticks(),
            fine.rto_ticks(),
            decoupled,
        ]
        .map(|ticks| ticks.to_string());
        measured.exactly(format!("A.fig6.{number}"), Value::Text(cells.join(" ")));
    }
    Ok(measured)
}
