//! The path that the parts share.

use crate::Settings;

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
