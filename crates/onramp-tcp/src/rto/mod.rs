//! Retransmission timers: RTT estimation and the retransmission timeout (RTO).
//!
//! An estimator owns the two services of its host ([`timing`](crate::timing)). It gets exact times,
//! and measures and schedules as its host would.
//!
//! All estimators keep a backed-off timeout until the next valid sample (Karn's algorithm; RFC
//! 6298, section 5), because an acknowledgement of a retransmission is ambiguous.

mod brakmo;
mod bsd;
pub mod decoupled;
mod linux;
mod ns;
mod rfc6298;
pub mod scaled;
pub mod ticked;

pub use brakmo::{brakmo, brakmo_scaling};
pub use bsd::Bsd;
pub use decoupled::Decoupled;
pub use linux::Linux;
pub use ns::Ns;
pub use rfc6298::Rfc6298;

use crate::{Ticks, Timers};
use enum_dispatch::enum_dispatch;

/// The RTT estimator of a retransmission timer.
#[enum_dispatch]
pub trait Rto: std::fmt::Debug + Send {
    /// Takes an RTT sample: a segment sent at `sent_ns` was acknowledged at `now_ns`. The segment
    /// was sent once (Karn's algorithm), or a timestamp showed which transmission was acknowledged.
    /// If one acknowledgement covers several segments, the sample is that of the oldest.
    fn sample(&mut self, sent_ns: u64, now_ns: u64);

    /// Does the estimator take a sample of every acknowledgement? Otherwise one segment at a time
    /// is timed.
    fn wants_every_ack(&self) -> bool {
        true
    }

    /// Does the estimator want the newest segment that an acknowledgement covers, even if that
    /// segment was retransmitted? Then it also gets
    /// [`sample_retransmitted`](Rto::sample_retransmitted).
    fn wants_newest(&self) -> bool {
        false
    }

    /// Takes a sample of a retransmitted segment: last sent at `sent_ns`, acknowledged at `now_ns`.
    fn sample_retransmitted(&mut self, sent_ns: u64, now_ns: u64) {
        let _ = (sent_ns, now_ns);
    }

    /// Does the estimator use the echoed timestamp of the timed segment?
    fn wants_echoes(&self) -> bool {
        false
    }

    /// Takes a sample of the timed segment. By the echoed timestamp its RTT is `option_ns`, in
    /// whole milliseconds. `sent_ns` is `None` if the segment was retransmitted (Karn's algorithm).
    fn sample_echoed(&mut self, sent_ns: Option<u64>, option_ns: u64, now_ns: u64) {
        let _ = option_ns;
        if let Some(sent_ns) = sent_ns {
            self.sample(sent_ns, now_ns);
        }
    }

    /// The handshake is complete. Called after the handshake's sample, if any, and before any data.
    fn established(&mut self) {}

    /// Number of SYN timeouts of an active open before the first [`back_off`](Rto::back_off).
    fn linear_syn_timeouts(&self) -> u32 {
        0
    }

    /// When a timer that starts now expires, with the current backoff. Always after `now_ns`.
    fn deadline_ns(&self, now_ns: u64) -> u64;

    /// The current timeout with its backoff, without the clock's quantisation.
    fn timeout_ns(&self) -> u64;

    /// The timer expired: doubles the timeout, up to the estimator's maximum.
    fn back_off(&mut self);

    /// A fast retransmission starts.
    fn on_fast_retransmit(&mut self) {}

    /// Smoothed RTT; 0 before the first sample.
    fn srtt_ns(&self) -> u64;

    /// Mean deviation of the RTT; 0 before the first sample.
    fn rttvar_ns(&self) -> u64;
}

/// One of the timers.
#[enum_dispatch(Rto)]
#[derive(Clone, Debug)]
pub enum AnyRto {
    /// RFC 6298.
    Rfc6298,
    /// Linux.
    Linux,
    /// 4.4BSD, with its own scaling or that of Brakmo & Peterson.
    Bsd,
    /// Aron & Druschel's.
    Decoupled,
    /// ns.
    Ns,
}

/// The chosen timer, on a host with these clocks.
pub fn new(choice: Timers, ticks: Ticks) -> AnyRto {
    match choice {
        Timers::Rfc6298 => Rfc6298::new(ticks).into(),
        Timers::Linux => Linux::new(ticks).into(),
        Timers::Bsd => Bsd::new(ticks).into(),
        Timers::Brakmo => brakmo(ticks).into(),
        Timers::BrakmoScaling => brakmo_scaling(ticks).into(),
        Timers::Decoupled => Decoupled::new(ticks).into(),
        Timers::Ns => Ns::new(ticks).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// An event of a timer.
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
            Timers::Bsd | Timers::Brakmo | Timers::BrakmoScaling => (SECOND_NS, 64 * SECOND_NS),
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
            let (min_ns, max_ns) = bounds_ns(choice, ticks);
            let mut rto = new(choice, ticks);
            for (event, now_ns) in events {
                match event {
                    Event::Sample { sent_ns, now_ns } => rto.sample(sent_ns, now_ns),
                    Event::BackOff => rto.back_off(),
                    Event::Established => rto.established(),
                }
                prop_assert!((min_ns..=max_ns).contains(&rto.timeout_ns()), "{rto:?}");
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
