//! Retransmission timers: what a measured round trip means, and when to give up waiting.
//!
//! An estimator owns its host's services of [`timing`](crate::timing): it is told exact times, and
//! measures and schedules as its host would.
//!
//! All of them keep a timeout that was backed off until the next valid sample (Karn; RFC 6298,
//! section 5): an acknowledgement of a retransmission says nothing about the path.

mod brakmo;
mod bsd;
pub mod decoupled;
mod linux;
mod ns;
mod rfc6298;
pub mod scaled;
pub mod ticked;

pub use brakmo::brakmo;
pub use bsd::Bsd;
pub use decoupled::Decoupled;
pub use linux::Linux;
pub use ns::Ns;
pub use rfc6298::Rfc6298;

use crate::{Ticks, Timers};

/// A retransmission timer's estimator.
pub trait Rto: std::fmt::Debug + Send {
    /// A segment that was sent at `sent_ns` was acknowledged at `now_ns`. It had been sent once
    /// only (Karn), or a timestamp told which transmission was meant. Of several that one
    /// acknowledgement covers, the oldest.
    fn sample(&mut self, sent_ns: u64, now_ns: u64);

    /// Whether it wants a sample of every acknowledgement; otherwise one segment is timed at a
    /// time.
    fn wants_every_ack(&self) -> bool {
        true
    }

    /// Whether it wants, of the segments that one acknowledgement covers, the one that was sent
    /// last, and that also where it had been sent before:
    /// [`sample_repeated`](Rto::sample_repeated).
    fn wants_newest(&self) -> bool {
        false
    }

    /// A segment that had been sent before, at `sent_ns` for the last time, was acknowledged at
    /// `now_ns`.
    fn sample_repeated(&mut self, sent_ns: u64, now_ns: u64) {
        let _ = (sent_ns, now_ns);
    }

    /// Whether it wants what a timestamp says of the segment that is timed.
    fn wants_echoes(&self) -> bool {
        false
    }

    /// The segment that is timed was acknowledged, and by the timestamp option that the
    /// acknowledgement echoes the round trip took `option_ns`, whole milliseconds. `None`: it was
    /// sent more than once (Karn).
    fn sample_echoed(&mut self, sent_ns: Option<u64>, option_ns: u64, now_ns: u64) {
        let _ = option_ns;
        if let Some(sent_ns) = sent_ns {
            self.sample(sent_ns, now_ns);
        }
    }

    /// The handshake is complete. Comes after its sample, if it gave one, and before any data.
    fn established(&mut self) {}

    /// So many timeouts of an active open's SYN come before the first call of
    /// [`back_off`](Rto::back_off).
    fn linear_syn_timeouts(&self) -> u32 {
        0
    }

    /// When a timer that is started now expires, with the backoff that is in force. Always after
    /// `now_ns`.
    fn deadline_ns(&self, now_ns: u64) -> u64;

    /// The timeout in force, backoff included, without the clock's quantisation.
    fn timeout_ns(&self) -> u64;

    /// The timer expired: double the timeout, up to the estimator's bound.
    fn back_off(&mut self);

    /// Acknowledgements told of a loss, and a segment is sent again.
    fn retransmitted_fast(&mut self) {}

    /// Smoothed round-trip time; 0 before the first sample.
    fn srtt_ns(&self) -> u64;

    /// Mean deviation of round-trip times; 0 before the first sample.
    fn rttvar_ns(&self) -> u64;
}

/// The chosen estimator, on a host with these clocks.
pub fn new(choice: Timers, ticks: Ticks) -> Box<dyn Rto> {
    match choice {
        Timers::Rfc6298 => Box::new(Rfc6298::new(ticks)),
        Timers::Linux => Box::new(Linux::new(ticks)),
        Timers::Bsd => Box::new(Bsd::new(ticks)),
        Timers::Brakmo => Box::new(brakmo(ticks)),
        Timers::Decoupled => Box::new(Decoupled::new(ticks)),
        Timers::Ns => Box::new(Ns::new(ticks)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// What may happen to a timer.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Sample { sent_ns: u64, now_ns: u64 },
        BackOff,
        Established,
    }

    fn event() -> impl Strategy<Value = Event> {
        let time = || prop_oneof![0..=1u64 << 62, 0..=10 * SECOND_NS];
        prop_oneof![
            4 => (time(), time()).prop_map(|(sent_ns, now_ns)| Event::Sample { sent_ns, now_ns }),
            2 => Just(Event::BackOff),
            1 => Just(Event::Established),
        ]
    }

    fn bounds_ns(choice: Timers, ticks: Ticks) -> (u64, u64) {
        match choice {
            Timers::Rfc6298 => (SECOND_NS, 60 * SECOND_NS),
            Timers::Linux => (SECOND_NS / 5, 120 * SECOND_NS),
            Timers::Bsd | Timers::Brakmo => (SECOND_NS, 64 * SECOND_NS),
            Timers::Decoupled => (2 * ticks.event_ns.max(SECOND_NS / 10), 64 * SECOND_NS),
            Timers::Ns => (2 * ticks.measure_ns.max(1), 2000 * SECOND_NS),
        }
    }

    proptest! {
        #[test]
        fn timeouts_stay_within_their_bounds_and_end_after_they_begin(
            choice in prop::sample::select(Timers::ALL),
            measure_ns in 0..=2 * SECOND_NS,
            event_ns in 1..=2 * SECOND_NS,
            phase_ns in 0..=1u64 << 62,
            events in prop::collection::vec((event(), 0..=1u64 << 62), 1..60),
        ) {
            let ticks = Ticks { measure_ns, event_ns, phase_ns };
            let (least_ns, most_ns) = bounds_ns(choice, ticks);
            let mut rto = new(choice, ticks);
            for (event, now_ns) in events {
                match event {
                    Event::Sample { sent_ns, now_ns } => rto.sample(sent_ns, now_ns),
                    Event::BackOff => rto.back_off(),
                    Event::Established => rto.established(),
                }
                prop_assert!((least_ns..=most_ns).contains(&rto.timeout_ns()), "{rto:?}");
                // Neither may overflow.
                let _ = (rto.srtt_ns(), rto.rttvar_ns());
                let deadline_ns = rto.deadline_ns(now_ns);
                prop_assert!(deadline_ns > now_ns);
                prop_assert!(deadline_ns <= now_ns + rto.timeout_ns() + event_ns);
            }
        }
    }

    #[test]
    fn a_backed_off_timeout_waits_for_a_sample() {
        for &choice in Timers::ALL {
            let mut rto = new(
                choice,
                Ticks {
                    event_ns: 10_000_000,
                    ..Ticks::FINE
                },
            );
            rto.sample(0, 100_000_000);
            rto.established();
            let before_ns = rto.timeout_ns();
            rto.back_off();
            assert_eq!(rto.timeout_ns(), 2 * before_ns, "{choice:?}");
            rto.back_off();
            assert_eq!(rto.timeout_ns(), 4 * before_ns, "{choice:?}");
            rto.sample(10 * SECOND_NS, 10 * SECOND_NS + 100_000_000);
            assert!(rto.timeout_ns() <= before_ns, "{choice:?}");
        }
    }
}
