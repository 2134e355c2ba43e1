//! Acknowledges every segment immediately. No RFC asks for it, but slow start was first described
//! for it, and it gives a sender the clearest ACK clock (RFC 2525, section 2.13, "Stretch ACK
//! violation", describes the effect of fewer ACKs).

use super::{AckPolicy, Arrival, Decision};

/// Acknowledges every segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Every;

impl AckPolicy for Every {
    fn arrived(&mut self, _arrival: &Arrival) -> Decision {
        Decision::Now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_segment_is_acknowledged_immediately() {
        assert_eq!(
            Every.arrived(&Arrival {
                payload_bytes: 1,
                ..Arrival::default()
            }),
            Decision::Now
        );
    }
}
