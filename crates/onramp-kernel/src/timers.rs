//! The kernel's timers of a connection that a registration can change (`bpf/timers.h`).

use crate::{Error, Result};
use nix::time::{clock_getres, ClockId};
use onramp_bpf::bindings;
use serde::{Serialize, Serializer};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The kernel's own minimum RTO and the maximum of its delayed ACKs. A timer can only be shortened.
const KERNEL_TIMER: Duration = Duration::from_millis(200);

/// The kernel refuses timers of fewer ticks (TCP_TIMEOUT_MIN).
const MIN_TICKS: u32 = 2;

/// The time of a timer that this kernel takes: two ticks to 200 ms. The kernel rounds up to whole
/// ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    us: NonZeroU32,
}

impl Timer {
    /// A timer of so many nanoseconds.
    ///
    /// # Errors
    /// [`Error::TimerOutOfRange`]
    pub fn from_ns(ns: u64) -> Result<Timer> {
        let (time, range) = (Duration::from_nanos(ns), Timer::range());
        if !range.contains(&time) {
            return Err(Error::TimerOutOfRange { time, range });
        }
        let us = NonZeroU32::new(time.as_nanos().div_ceil(1000) as u32);
        Ok(Timer {
            us: us.expect("the range begins above 0"),
        })
    }

    /// The shortest and the longest timer that this kernel takes.
    pub fn range() -> RangeInclusive<Duration> {
        MIN_TICKS * Timer::tick()..=KERNEL_TIMER
    }

    /// The kernel's tick, 1/CONFIG_HZ: the resolution of its coarse clock.
    pub fn tick() -> Duration {
        clock_getres(ClockId::CLOCK_MONOTONIC_COARSE)
            .expect("Linux has the clock")
            .into()
    }

    /// The time, before the kernel rounds it.
    pub fn time(self) -> Duration {
        Duration::from_micros(u64::from(self.us.get()))
    }
}

/// In seconds.
impl Serialize for Timer {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.time().as_secs_f64())
    }
}

/// What a registration changes in the kernel's timers of its connections; `None`: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timers {
    /// The least that the retransmission timeout exceeds the smoothed RTT, 200 ms in the kernel.
    #[serde(rename = "rto_min_s")]
    pub rto_min: Option<Timer>,
    /// The longest that an ACK is delayed, 200 ms in the kernel.
    #[serde(rename = "delack_max_s")]
    pub delack_max: Option<Timer>,
}

impl Timers {
    pub(crate) fn record(self) -> bindings::Timers {
        let us = |timer: Option<Timer>| timer.map_or(0, |timer| timer.us.get());
        bindings::Timers {
            rto_min_us: us(self.rto_min),
            delack_max_us: us(self.delack_max),
        }
    }

    pub(crate) fn of(record: bindings::Timers) -> Timers {
        let timer = |us| NonZeroU32::new(us).map(|us| Timer { us });
        Timers {
            rto_min: timer(record.rto_min_us),
            delack_max: timer(record.delack_max_us),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_has_two_ticks_to_200_ms() {
        let least = MIN_TICKS * Timer::tick();
        for time in [least, KERNEL_TIMER] {
            assert_eq!(Timer::from_ns(time.as_nanos() as u64).unwrap().time(), time);
        }
        for ns in [0, least.as_nanos() as u64 - 1, 200_000_001] {
            let error = Timer::from_ns(ns).unwrap_err();
            assert!(matches!(error, Error::TimerOutOfRange { .. }), "{error}");
        }
    }
}
