//! The clock: CLOCK_MONOTONIC in nanoseconds, the clock of `bpf_ktime_get_ns` in BPF.

use nix::sys::time::TimeSpec;
use nix::time::{clock_gettime, clock_nanosleep, ClockId, ClockNanosleepFlags};
use std::time::Duration;

/// The time now.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux has CLOCK_MONOTONIC");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// Sleeps until a time. Returns at once if it has passed.
pub fn sleep_until(at_ns: u64) {
    let at = TimeSpec::from_duration(Duration::from_nanos(at_ns));
    let (clock, absolute) = (ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME);
    while clock_nanosleep(clock, absolute, &at) == Err(nix::Error::EINTR) {}
}
