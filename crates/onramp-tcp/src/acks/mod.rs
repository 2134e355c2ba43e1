//! When a receiver sends acknowledgements.

mod bsd;
mod delayed;
mod every;
mod linux;

pub use bsd::Bsd;
pub use delayed::Delayed;
pub use every::Every;
pub use linux::Linux;

use crate::{Acks, Ticks};
use enum_dispatch::enum_dispatch;

/// A data segment that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// When it arrived.
    pub now_ns: u64,
    /// Payload bytes.
    pub payload_bytes: u32,
    /// Maximum payload of the sender's segments.
    pub mss_bytes: u32,
    /// The negotiated MSS, which includes the space of options: 4.4BSD's `t_maxseg`.
    pub negotiated_mss_bytes: u32,
    /// It was the next expected segment, and no data above it was waiting.
    pub in_order: bool,
    /// Bytes in order and not yet acknowledged, including this segment.
    pub unacknowledged_bytes: u64,
    /// The PSH bit was set.
    pub push: bool,
    /// Number of segments beyond the second for which an ACK may wait, because the return path is
    /// slow.
    pub stretch_segments: u32,
}

/// When to send the acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send it immediately.
    Now,
    /// Send it at this time, unless another segment carries it earlier.
    At(u64),
}

/// Decides when to acknowledge. The connection itself acknowledges segments out of order,
/// duplicates and FINs immediately (RFC 5681, section 4.2). They are reported to the policy too.
#[enum_dispatch]
pub trait AckPolicy: std::fmt::Debug + Send {
    /// A segment with data arrived.
    fn arrived(&mut self, arrival: &Arrival) -> Decision;

    /// A segment arrived whose data was a duplicate or outside the window. Called instead of
    /// [`arrived`](AckPolicy::arrived).
    fn duplicate(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// A segment arrived that shows that the sender's cwnd may be very low: it has a mark (CE), or
    /// it was probably retransmitted. Called before [`arrived`](AckPolicy::arrived).
    fn marked(&mut self) {}

    /// Reports the last advertised window, and whether this segment enlarges the next one
    /// ([`ReceiveWindow::arrived`](crate::receive_window::ReceiveWindow::arrived)). Called before
    /// [`arrived`](AckPolicy::arrived).
    fn window(&mut self, offered_bytes: u64, grew: bool) {
        let _ = (offered_bytes, grew);
    }

    /// Reports our smoothed RTT (0 if unknown) and RTO, whenever they change.
    fn round_trip(&mut self, srtt_ns: u64, timeout_ns: u64) {
        let _ = (srtt_ns, timeout_ns);
    }

    /// The application read data; `emptied`: it read everything. Returns whether a delayed ACK must
    /// be sent now.
    fn read(&mut self, now_ns: u64, emptied: bool) -> bool {
        let _ = (now_ns, emptied);
        false
    }

    /// The timer of the delayed ACK expired. The ACK is sent now, and [`sent`](AckPolicy::sent)
    /// follows.
    fn expired(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// An acknowledgement was sent, alone or with data.
    fn sent(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// Our side sent data of its own.
    fn sent_data(&mut self, now_ns: u64) {
        let _ = now_ns;
    }
}

/// One of the policies.
#[enum_dispatch(AckPolicy)]
#[derive(Clone, Debug)]
pub enum AnyAckPolicy {
    /// Linux's.
    Linux,
    /// RFC 5681's.
    Delayed,
    /// 4.4BSD's.
    Bsd,
    /// Every segment at once.
    Every,
}

/// The chosen policy, on a host with these clocks.
pub fn new(choice: Acks, ticks: Ticks) -> AnyAckPolicy {
    match choice {
        Acks::Linux => Linux::new(ticks).into(),
        Acks::Delayed => Delayed::default().into(),
        Acks::Bsd => Bsd::new(ticks).into(),
        Acks::Every => Every.into(),
        Acks::Every4 => Delayed::joining(4).into(),
        Acks::Every16 => Delayed::joining(16).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 1122, section 4.2.3.2.
    const MAX_DELAY_NS: u64 = 500_000_000;

    /// An event of a policy.
    #[derive(Clone, Debug)]
    enum Event {
        Arrived {
            payload_bytes: u32,
            in_order: bool,
            push: bool,
            grew: bool,
            window_bytes: u64,
        },
        Duplicate,
        RoundTrip(u64, u64),
        Read(bool),
        SentData,
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            6 => (any::<u32>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<u64>()).prop_map(
                |(payload_bytes, in_order, push, grew, window_bytes)| Event::Arrived {
                    payload_bytes, in_order, push, grew, window_bytes
                }
            ),
            1 => Just(Event::Duplicate),
            1 => (any::<u64>(), any::<u64>())
                .prop_map(|(srtt_ns, timeout_ns)| Event::RoundTrip(srtt_ns, timeout_ns)),
            1 => any::<bool>().prop_map(Event::Read),
            1 => Just(Event::SentData),
        ]
    }

    proptest! {
        #[test]
        fn no_acknowledgement_waits_for_more_than_half_a_second(
            choice in prop::sample::select(Acks::ALL),
            mut now_ns in 0..=1u64 << 62,
            phase_ns in any::<u64>(),
            mss_bytes in prop_oneof![0..=1460u32, any::<u32>()],
            stretch_segments in 0..3u32,
            events in prop::collection::vec(
                (event(), prop_oneof![0..=50_000_000u64, 0..=1u64 << 55]),
                1..80,
            ),
        ) {
            let mut policy = new(choice, Ticks { phase_ns, ..Ticks::FINE });
            // When the oldest unacknowledged data arrived, and when its ACK is due.
            let mut waiting: Option<(u64, u64)> = None;
            let mut unacknowledged_bytes = 0;
            for (event, pause_ns) in events {
                now_ns += pause_ns;
                if let Some((since_ns, at_ns)) = waiting.filter(|&(_, at_ns)| at_ns <= now_ns) {
                    prop_assert!(at_ns - since_ns <= MAX_DELAY_NS);
                    policy.expired(at_ns);
                    policy.sent(at_ns);
                    (waiting, unacknowledged_bytes) = (None, 0);
                }
                let decision = match event {
                    Event::Arrived { payload_bytes, in_order, push, grew, window_bytes } => {
                        unacknowledged_bytes += u64::from(payload_bytes);
                        policy.window(window_bytes, grew);
                        Some(policy.arrived(
                            &Arrival {
                                now_ns,
                                payload_bytes,
                                mss_bytes,
                                negotiated_mss_bytes: mss_bytes,
                                in_order,
                                unacknowledged_bytes,
                                push,
                                stretch_segments,
                            }
                        ))
                    }
                    Event::Duplicate => {
                        policy.duplicate(now_ns);
                        Some(Decision::Now)
                    }
                    Event::RoundTrip(srtt_ns, timeout_ns) => {
                        policy.round_trip(srtt_ns, timeout_ns);
                        None
                    }
                    Event::Read(emptied) => policy.read(now_ns, emptied).then_some(Decision::Now),
                    Event::SentData => {
                        policy.sent_data(now_ns);
                        Some(Decision::Now)
                    }
                };
                match decision {
                    Some(Decision::Now) => {
                        policy.sent(now_ns);
                        (waiting, unacknowledged_bytes) = (None, 0);
                    }
                    Some(Decision::At(at_ns)) => {
                        prop_assert!(at_ns > now_ns);
                        let (since_ns, earlier_ns) = waiting.unwrap_or((now_ns, at_ns));
                        waiting = Some((since_ns, at_ns.min(earlier_ns)));
                    }
                    None => {}
                }
            }
        }
    }
}
