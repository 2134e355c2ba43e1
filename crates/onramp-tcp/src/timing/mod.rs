//! The two services that a host's operating system gives to TCP: time that is read, and moments at
//! which it can act.
//!
//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control,
//! 1998, section 4. In one sentence: reading a clock is cheap and can be fine, being woken costs an
//! interrupt and is coarse, so TCP asks for each apart, knows how fine each is, and adapts.
//!
//! ```text
//!              current_time(now)  resolution                   nth_tick_after(now, n)  at_or_after(time)  granularity
//!   Measurement --------------------------------        Events ------------------------------------------------------
//!     round trips, idle times, the timestamp option       retransmission, probes, persist, delayed ACKs, paced segments
//!                            \                            /
//!                             Ticks: what a host has of both
//! ```
//!
//! [`Measurement`] is the paper's `currentTime()`: nanoseconds in 64 bits, which move on only when
//! the host's clock does. They serve to measure intervals and begin anywhere. [`Events`] is its
//! second service, be it a periodic interrupt or one that is asked for: TCP says what moment it
//! wants, and gets the first one at which the host can act. A timer of n ticks ends at the n-th
//! tick after it was set, so that it lasts between n - 1 and n ticks: footnote 6.
//!
//! Hosts in these terms:
//!
//! | host | measures by | acts at |
//! |---|---|---|
//! | 4.4BSD: [`Ticks::BSD`] | its slow timer, 500 ms | the slow timer, 500 ms; for delayed ACKs the fast timer, 200 ms |
//! | the paper's with coarse events | 1 ms | 500 ms |
//! | the paper's of 10 ms and 2 ms, and one of 1 ms | 1 ms | 10 ms, 2 ms, 1 ms |
//! | Linux: [`Ticks::FINE`] | 1 ns | 1 ns; a real one is woken some 50 us late |
//!
//! 4.4BSD's own timers know no host: their slow and fast interrupts are [`Ticks::every`] 500 ms and
//! 200 ms at the host's phase, whatever else that host could do. This is what the paper sets out to
//! mend.
//!
//! Everything in this crate that measures for a timer or schedules goes through the two;
//! `onramp_clock`, by which a start-up of `core/` learns what it may expect, is their resolution
//! and granularity. Start-ups are told the time as it is measured ("both bandwidth estimation as
//! well as RTT estimation use the time measurement abstraction", section 4.2.1); Vegas and HyStart,
//! which came with fine clocks, are told the exact one.

mod events;
mod grid;
mod measurement;

pub use events::Events;
pub use measurement::Measurement;

/// What a host has of the two services: how finely it measures time and schedules events, and where
/// its ticks lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Granularity of measuring.
    pub measure_ns: u64,
    /// Granularity of scheduling.
    pub event_ns: u64,
    /// The ticks lie at this time and whole granularities after it.
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

    /// An interrupt of this host that comes so often, and counts time too.
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

    /// What a start-up of `core/` may expect of both.
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
