//! The path that the parts share.

use crate::{Ledger, Settings};

/// The paper's numbers.
pub(super) fn ledger() -> Ledger {
    Ledger::read(include_str!("paper.toml"))
}

/// One bottleneck.
pub(super) const START: &str = include_str!("start.toml");

/// A buffer in percent of the BDP: the share, and the key that sets it.
pub(super) fn buffer(percent: u32) -> (f64, Settings) {
    let share = f64::from(percent) / 100.0;
    (
        share,
        Settings::of([("path.queue", format!("{share} bdp"))]),
    )
}
