//! Applies changes of rate, delay and loss to a link.

use super::Elements;
use crate::serialiser::{Instant, Serialiser};
use crate::Packet;

impl<P: Packet> Elements<P> {
    /// Applies all changes up to and including `now_ns`, each after all events before it.
    #[cold]
    pub(super) fn advance_over_changes(&mut self, now_ns: u64) {
        while let Some(change) = self.changes.pop_until(now_ns) {
            // Compare with the fraction of the nanosecond: a packet whose last bit leaves later in
            // the same nanosecond is still in service.
            while self.busy_until <= Instant::at(change.at_ns) && self.end_service() {}
            if let Some(rate_bits_per_s) = change.rate_bits_per_s {
                let serialiser = Serialiser::new(rate_bits_per_s, self.serialiser.framing());
                self.change_rate(change.at_ns, serialiser);
            }
            if let Some(delay_ns) = change.delay_ns {
                self.propagation.set_delay_ns(delay_ns);
            }
            if let Some(loss_ppm) = change.loss_ppm {
                self.loss.change_to(loss_ppm);
            }
        }
    }

    fn change_rate(&mut self, at_ns: u64, serialiser: Serialiser) {
        let previous = std::mem::replace(&mut self.serialiser, serialiser);
        self.busy_until = match &self.in_service {
            Some(packet) => {
                serialiser.end_after_change(&previous, at_ns, self.busy_until, packet.wire_bytes())
            }
            None => Instant::at(at_ns),
        };
    }
}
