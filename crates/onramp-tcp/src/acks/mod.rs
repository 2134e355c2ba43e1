//! When a receiver acknowledges.

/// A data segment that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub now_ns: u64,
    /// Payload.
    pub payload_bytes: u32,
    /// The largest payload that the sender may send.
    pub mss_bytes: u32,
    /// It was the next one expected, and nothing beyond it was waiting.
    pub in_order: bool,
    /// In order and not yet acknowledged, this segment included.
    pub unacknowledged_bytes: u64,
    /// It had the PSH bit.
    pub push: bool,
}

/// What is to become of the acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send it now.
    Now,
    /// Send it at this moment, unless it goes out with something else before.
    At(u64),
}

/// Decides when to acknowledge. Segments out of order, duplicates and FINs are acknowledged at once by the
/// connection itself (RFC 5681, section 4.2); the policy hears of them too.
pub trait AckPolicy: std::fmt::Debug + Send {
    /// A segment with data arrived.
    fn arrived(&mut self, arrival: &Arrival) -> Decision;

    /// An acknowledgement went out, alone or with data.
    fn sent(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// The delayed acknowledgement's moment came, and it goes out now.
    fn expired(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// Our side sends data of its own, as in a dialogue.
    fn sent_data(&mut self, now_ns: u64) {
        let _ = now_ns;
    }
}
