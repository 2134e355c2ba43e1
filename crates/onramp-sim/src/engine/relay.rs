//! Connections in series: relays on the path, each of which terminates one connection and starts
//! the next.
//!
//! ```text
//!            hop 0                    hop 1                   hop 2
//!   sender ========> receiver|sender ========> receiver|sender ========> receiver
//!   SenderApp        `--- relay ---'           `--- relay ---'           reads
//! ```
//!
//! A relay reads from one connection as much as it can write into the next. The rest stays in the
//! receive buffer, whose window closes. A relay forwards data, the request, the end of the stream
//! and a reset, in both directions. It opens its own connection when the incoming connection is
//! established, as a transparent proxy does.

use super::bundle::Hop;
use super::flow::Side;
use super::sender_app::fitting_bytes;
use super::Engine;
use crate::observe::Observer;
use onramp_tcp::{Connection, State};

impl<O: Observer> Engine<O> {
    /// Runs the relay between a hop and the next one.
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

    /// Forwards everything that one end of a relay has for the other: bytes, the end of the stream,
    /// or a reset.
    fn forward(
        &mut self,
        bundle_id: u32,
        (from, from_side): (Hop, Side),
        (to, to_side): (Hop, Side),
    ) {
        let Hop::Open(to) = to else { return };
        let now_ns = self.net.now_ns;
        let (bytes, has_ended, is_reset) = match from {
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
                // The end of the received data is not the end of the stream, so it must not lead to
                // a small segment.
                let room_bytes = fitting_bytes(out, u64::MAX);
                let Some(incoming) = self.flows.get(from).end(from_side) else {
                    return;
                };
                let bytes = incoming.read(now_ns, room_bytes);
                let has_ended = incoming.peer_has_closed() && incoming.readable_bytes() == 0;
                (bytes, has_ended, incoming.failure().is_some())
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
        } else if has_ended {
            out.close();
        }
    }

    /// Whether the handshake of an end is complete.
    fn is_established(&mut self, slot: u32, side: Side) -> bool {
        self.flows.get(slot).end(side).is_some_and(|end| {
            !matches!(
                end.state(),
                State::SynSent | State::SynReceived | State::TimeWait | State::Closed
            )
        })
    }
}

/// Whether an end is closed or only waits in TIME-WAIT for late segments.
pub(super) fn is_over(connection: &Connection) -> bool {
    matches!(connection.state(), State::Closed | State::TimeWait)
}
