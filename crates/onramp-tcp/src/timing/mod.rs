//! The two services that a host's operating system gives to TCP: a clock to read, and timer events.
//!
//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control,
//! 1998, section 4. Reading a clock is cheap and can be fine-grained. Being woken costs an
//! interrupt and is coarse. Therefore TCP uses the two services separately, knows the granularity
//! of each, and adapts to it.
//!
//! ```text
//! Measurement                           Events
//!   current_time(now), resolution         nth_tick_after(now, n), at_or_after(time), granularity
//!   used for: RTTs, idle times,           used for: retransmission, probes, persist timer,
//!             the timestamp option                  delayed ACKs, pacing
//!                       \                 /
//!                        Ticks: what a host has of both
//! ```
//!
//! [`Measurement`] is the paper's `currentTime()`: nanoseconds in 64 bits that advance only when
//! the host's clock does. They measure intervals, and their origin is arbitrary. [`Events`] is the
//! paper's second service. It may be a periodic interrupt or one that is requested. TCP asks for a
//! time and gets the first time at which the host can act. A timer of n ticks ends at the n-th tick
//! after it was set, so it lasts between n - 1 and n ticks (footnote 6).
//!
//! Hosts in these terms:
//!
//! | host | measures with | acts at |
//! |---|---|---|
//! | 4.4BSD: [`Ticks::BSD`] | slow timer, 500 ms | slow timer; delayed ACKs: fast timer, 200 ms |
//! | the paper's with coarse events | 1 ms | 500 ms |
//! | the paper's with 10 ms, 2 ms, and one with 1 ms | 1 ms | 10 ms, 2 ms, 1 ms |
//! | Linux: [`Ticks::FINE`] | 1 ns | 1 ns; a real host wakes about 50 us late |
//!
//! 4.4BSD's own timers do not depend on the host. Their slow and fast interrupts are
//! [`Ticks::every`] 500 ms and 200 ms at the host's phase, however finely that host could act. The
//! paper's aim is to improve this.
//!
//! All code of this crate that measures for a timer or schedules an event uses these two services.
//! `startup_clock` gives their resolution and granularity to a start-up algorithm of `core/`.
//! Start-up algorithms get the time as the host measures it ("both bandwidth estimation as well as
//! RTT estimation use the time measurement abstraction", section 4.2.1). Vegas and HyStart assume
//! fine clocks, so they get the exact time.

mod events;
mod grid;
mod measurement;

pub use events::Events;
pub use measurement::Measurement;

/// The two services of a host: how finely it measures time and schedules events, and the phase of
/// its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Granularity of time measurement.
    pub measure_ns: u64,
    /// Granularity of event scheduling.
    pub event_ns: u64,
    /// There is a tick at this time, and one every whole granularity after it.
    pub phase_ns: u64,
}

impl Ticks {
    /// A host that measures and schedules to the nanosecond.
    pub const FINE: Ticks = Ticks {
        measure_ns: 1,
        event_ns: 1,
        phase_ns: 0,
    };
    /// A BSD host, whose slow timer ticks twice a second.
    pub const BSD: Ticks = Ticks {
        measure_ns: 500_000_000,
        event_ns: 500_000_000,
        phase_ns: 0,
    };

    /// A periodic interrupt of this host with this period, which also serves as its clock.
    pub fn every(self, period_ns: u64) -> Ticks {
        Ticks {
            measure_ns: period_ns,
            event_ns: period_ns,
            ..self
        }
    }

    /// The measurement service.
    pub fn measurement(self) -> Measurement {
        Measurement::new(self.measure_ns, self.phase_ns)
    }

    /// The event service.
    pub fn events(self) -> Events {
        Events::new(self.event_ns, self.phase_ns)
    }

    /// Resolution and granularity, as a start-up algorithm of `core/` expects them.
    pub fn clock(self) -> onramp_core::Clock {
        let (measure_ns, event_ns) = (
            self.measurement().resolution_ns(),
            self.events().granularity_ns(),
        );
        onramp_core::Clock {
            measure_ns,
            event_ns,
        }
    }
}
/// The earliest of these times, if any is set. It is asked for after every segment, so it has no
/// branches.
#[inline]
pub(crate) fn earliest<const COUNT: usize>(times_ns: [Option<u64>; COUNT]) -> Option<u64> {
    const NEVER: u64 = u64::MAX;
    let times_ns = times_ns.map(|time_ns| time_ns.unwrap_or(NEVER));
    let first_ns = times_ns.into_iter().fold(NEVER, u64::min);
    (first_ns != NEVER).then_some(first_ns)
}
