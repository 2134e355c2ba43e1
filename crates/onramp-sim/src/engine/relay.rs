//! Connections in series: relays on the way of the data, each of which ends one connection and
//! begins the next.
//!
//! ```text
//!            hop 0                    hop 1                   hop 2
//!   sender ========> receiver|sender ========> receiver|sender ========> receiver
//!   Server           `--- relay ---'           `--- relay ---'           reads
//! ```
//!
//! A relay reads from one connection as much as it can write into the next: what that has no room
//! for stays in the receive buffer, whose window closes. It passes on in both directions, the data,
//! the request, the end and a reset. It opens its connection when the one that came to it is
//! established, as a transparent proxy does.

use super::bundle::Hop;
use super::flow::Side;
use super::sender_app::fitting_bytes;
use super::Engine;
use crate::observe::Observer;
use onramp_tcp::{Connection, State};

impl<O: Observer> Engine<O> {
    /// The relay between a hop and the next one acts.
    pub(super) fn relay(&mut self, bundle_id: u32, lane: u32, hop: u32) {
        let Some(bundle) = &self.bundles[bundle_id as usize] else {
            return;
        };
        let all = &bundle.lanes[lane as usize].hops;
        let mut hops = [all[hop as usize], all[hop as usize + 1]];
        match hops {
            [Hop::Open(slot), Hop::Unopened] if self.is_established(slot, Side::Receiver) => {
                hops[1] = Hop::Open(self.open_hop(bundle_id, lane, hop + 1));
            }
            [Hop::Unopened, Hop::Open(slot)] if self.is_established(slot, Side::Sender) => {
                hops[0] = Hop::Open(self.open_hop(bundle_id, lane, hop));
            }
            _ => {}
        }
        let ends = [(hops[0], Side::Receiver), (hops[1], Side::Sender)];
        self.forward(bundle_id, ends[0], ends[1]);
        self.forward(bundle_id, ends[1], ends[0]);
        for (hop, side) in ends {
            let Hop::Open(slot) = hop else { continue };
            self.flows.get(slot).flush(side, &mut self.net);
            if side == Side::Sender {
                self.show_sender(slot);
            }
        }
    }

    /// Whatever one end of a relay has for the other: bytes, the end of them, or a reset.
    fn forward(
        &mut self,
        bundle_id: u32,
        (from, from_side): (Hop, Side),
        (to, to_side): (Hop, Side),
    ) {
        let Hop::Open(to) = to else { return };
        let now_ns = self.net.now_ns;
        let (bytes, ends, is_reset) = match from {
            Hop::Unopened => return,
            Hop::Over => {
                let has_failed = self.bundles[bundle_id as usize]
                    .as_ref()
                    .is_some_and(|bundle| bundle.failure.is_some());
                (0, true, has_failed)
            }
            Hop::Open(from) => {
                let Some(out) = self.flows.get(to).end(to_side) else {
                    return;
                };
                // The end of what has come so far is not the end of the data: no small segments for
                // it.
                let room_bytes = fitting_bytes(out, u64::MAX);
                let Some(came) = self.flows.get(from).end(from_side) else {
                    return;
                };
                let bytes = came.read(now_ns, room_bytes);
                let ends = came.peer_closed() && came.readable_bytes() == 0;
                (bytes, ends, came.failure().is_some())
            }
        };
        let Some(out) = self.flows.get(to).end(to_side) else {
            return;
        };
        let written_bytes = out.write(bytes);
        debug_assert_eq!(
            written_bytes, bytes,
            "a relay reads no more than it can pass on"
        );
        if is_reset && !is_over(out) {
            out.abort();
        } else if ends {
            out.close();
        }
    }

    /// The handshake of an end is complete.
    fn is_established(&mut self, slot: u32, side: Side) -> bool {
        self.flows.get(slot).end(side).is_some_and(|end| {
            !matches!(
                end.state(),
                State::SynSent | State::SynReceived | State::TimeWait | State::Closed
            )
        })
    }
}

/// An end that has nothing to do any more, but to wait for strays.
pub(super) fn is_over(connection: &Connection) -> bool {
    matches!(connection.state(), State::Closed | State::TimeWait)
}
