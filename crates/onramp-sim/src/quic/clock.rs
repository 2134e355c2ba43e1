//! Simulated time as the `Instant` that noq has. Only differences of instants matter.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The instant of simulated time 0.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The instant of a simulated time.
pub(super) fn at(now_ns: u64) -> Instant {
    *START + Duration::from_nanos(now_ns)
}

/// The simulated time of an instant.
pub(super) fn ns_of(instant: Instant) -> u64 {
    let since = instant.saturating_duration_since(*START);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
