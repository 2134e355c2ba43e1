//! Every segment is acknowledged at once: no RFC's way, but the one for which slow start was
//! described first, and the clearest clock for a sender (RFC 2525, section 2.13, "Stretch ACK
//! violation", on what fewer ACKs do).

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
    fn every_segment_is_acknowledged_at_once() {
        assert_eq!(
            Every.arrived(&Arrival {
                payload_bytes: 1,
                ..Arrival::default()
            }),
            Decision::Now
        );
    }
}
