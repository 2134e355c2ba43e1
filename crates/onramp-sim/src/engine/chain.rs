//! Connections in series: relays on the way of the data, each of which ends one connection and begins the next.
//!
//! ```text
//!            hop 0                    hop 1                   hop 2
//!   sender ========> receiver|sender ========> receiver|sender ========> receiver
//!   Server           `--- relay ---'           `--- relay ---'           reads
//! ```
//!
//! A relay reads from one connection as much as it can write into the next: what that has no room for stays in the receive
//! buffer, whose window closes. It passes on in both directions, the data, the request, the end and a reset. It opens its
//! connection when the one that came to it is established, as a transparent proxy does.

use super::bundle::{sum, Bundle, Hop, Member};
use super::finished::Finished;
use super::flow::Side;
use super::serve::fitting_bytes;
use super::startup::Watched;
use super::Engine;
use crate::observe::Observer;
use onramp_scenario::Connect;
use onramp_tcp::{Connection, State, Stats};

impl<O: Observer> Engine<O> {
    /// A transfer of several connections starts: its first connection is opened.
    pub(super) fn start_bundle(&mut self, group_number: u32, copy: u64, size_bytes: u64) {
        let group = self.flows.group(group_number);
        let hops = group.bundle.as_ref().map_or(1, |bundling| bundling.hops.len());
        let first = match group.connect {
            Connect::Sender => 0,
            Connect::Receiver => hops as u32 - 1,
        };
        let transfer = self.flows.started();
        self.bundles.push(Some(Box::new(Bundle {
            group: group_number,
            copy,
            transfer,
            hops: vec![Hop::Unopened; hops],
            size_bytes,
            received_bytes: 0,
            started_ns: self.net.now_ns,
            bottleneck: group.way(copy).bottleneck,
            traced_flow: transfer,
            failure: None,
            stats: Stats::default(),
            watch: Some(Watched::new(self.net.now_ns)),
        })));
        let slot = self.open_hop(self.bundles.len() as u32 - 1, first);
        self.act(slot, self.flows.opens(group_number));
    }

    /// Opens a connection of a transfer. Its slot; its SYN has not left yet.
    fn open_hop(&mut self, place: u32, hop: u32) -> u32 {
        let bundle = self.bundles[place as usize].as_mut().expect("a transfer under way");
        let (group, copy, transfer) = (bundle.group, bundle.copy, bundle.transfer);
        let bundling = self.flows.group(group).bundle.as_ref().expect("it has several connections");
        let hop_group = bundling.hops[hop as usize];
        let member = Member { bundle: place, transfer, hop, is_last: hop as usize + 1 == bundling.hops.len() };
        let number = self.flows.started();
        let slot = self.flows.start(hop_group, copy, bundle.size_bytes, self.seed, Some(member), &mut self.net);
        bundle.hops[hop as usize] = Hop::Open(slot);
        if self.flows.group(hop_group).way(copy).bottleneck == bundle.bottleneck {
            bundle.traced_flow = number;
        }
        slot
    }

    /// An end of one of its connections has heard of something: the host that it is at acts.
    pub(super) fn act_member(&mut self, slot: u32, side: Side, member: Member) {
        let Member { bundle, hop, is_last, .. } = member;
        // Before a relay hands it on: what comes of it is not what began it.
        self.note_trouble(bundle, slot);
        match side {
            Side::Sender if hop == 0 => self.serve_member(slot, bundle),
            Side::Receiver if is_last => self.download_member(slot, bundle),
            Side::Sender => self.relay(bundle, hop - 1),
            Side::Receiver => self.relay(bundle, hop),
        }
        self.end_members(bundle);
    }

    fn note_trouble(&mut self, place: u32, slot: u32) {
        let trouble = self.flows.get(slot).trouble();
        if let Some(bundle) = self.bundles[place as usize].as_mut().filter(|_| trouble.is_some()) {
            bundle.note(trouble);
        }
    }

    fn serve_member(&mut self, slot: u32, place: u32) {
        let flow = self.flows.get(slot);
        flow.serve(&mut self.net);
        let bundle = self.bundles[place as usize].as_mut().expect("a transfer under way");
        if let (Some(watch), Some(sender)) = (&mut bundle.watch, flow.sender()) {
            sender.startup().into_iter().for_each(|decision| watch.look(self.net.now_ns, decision));
        }
        self.show_sender(slot);
    }

    fn download_member(&mut self, slot: u32, place: u32) {
        let flow = self.flows.get(slot);
        let got_bytes = flow.download(&mut self.net);
        let bundle = self.bundles[place as usize].as_mut().expect("a transfer under way");
        if got_bytes == 0 {
            return;
        }
        bundle.received_bytes += got_bytes;
        let is_complete = bundle.is_complete();
        if O::ACTIVE {
            self.net.observer.delivered(self.net.now_ns, flow.number, got_bytes);
        }
        if is_complete {
            let finished = self.take_bundle(place, Some(self.net.now_ns));
            self.close(finished);
        }
    }

    /// The relay between a hop and the next one acts.
    fn relay(&mut self, place: u32, hop: u32) {
        let Some(bundle) = &self.bundles[place as usize] else { return };
        let mut hops = [bundle.hops[hop as usize], bundle.hops[hop as usize + 1]];
        match hops {
            [Hop::Open(slot), Hop::Unopened] if self.stands(slot, Side::Receiver) => {
                hops[1] = Hop::Open(self.open_hop(place, hop + 1));
            }
            [Hop::Unopened, Hop::Open(slot)] if self.stands(slot, Side::Sender) => {
                hops[0] = Hop::Open(self.open_hop(place, hop));
            }
            _ => {}
        }
        let ends = [(hops[0], Side::Receiver), (hops[1], Side::Sender)];
        self.pass(place, ends[0], ends[1]);
        self.pass(place, ends[1], ends[0]);
        for (hop, side) in ends {
            let Hop::Open(slot) = hop else { continue };
            self.flows.get(slot).settle(side, &mut self.net);
            if side == Side::Sender {
                self.show_sender(slot);
            }
        }
    }

    /// Whatever one end of a relay has for the other: bytes, the end of them, or a reset.
    fn pass(&mut self, place: u32, (from, from_side): (Hop, Side), (to, to_side): (Hop, Side)) {
        let Hop::Open(to) = to else { return };
        let now_ns = self.net.now_ns;
        let (bytes, ends, is_reset) = match from {
            Hop::Unopened => return,
            Hop::Over => {
                let has_failed = self.bundles[place as usize].as_ref().is_some_and(|bundle| bundle.failure.is_some());
                (0, true, has_failed)
            }
            Hop::Open(from) => {
                let Some(out) = self.flows.get(to).end(to_side) else { return };
                // The end of what has come so far is not the end of the data: no small segments for it.
                let room_bytes = fitting_bytes(out, u64::MAX);
                let Some(came) = self.flows.get(from).end(from_side) else { return };
                let bytes = came.read(now_ns, room_bytes);
                let ends = came.peer_closed() && came.readable_bytes() == 0;
                (bytes, ends, came.failure().is_some())
            }
        };
        let Some(out) = self.flows.get(to).end(to_side) else { return };
        let written_bytes = out.write(bytes);
        debug_assert_eq!(written_bytes, bytes, "a relay reads no more than it can pass on");
        if is_reset && !is_over(out) {
            out.abort();
        } else if ends {
            out.close();
        }
    }

    /// The handshake of an end is complete.
    fn stands(&mut self, slot: u32, side: Side) -> bool {
        self.flows.get(slot).end(side).is_some_and(|end| {
            !matches!(end.state(), State::SynSent | State::SynReceived | State::TimeWait | State::Closed)
        })
    }

    fn show_sender(&mut self, slot: u32) {
        let flow = self.flows.get(slot);
        if let Some(sender) = flow.sender().filter(|_| O::ACTIVE) {
            self.net.observer.sender_acted(self.net.now_ns, flow.number, sender);
        }
    }

    /// Takes away those of its connections that are over, and tells the relays beside them.
    fn end_members(&mut self, place: u32) {
        while let Some(hop) = self.over_hop(place) {
            let Some(bundle) = &mut self.bundles[place as usize] else { return };
            let Hop::Open(slot) = std::mem::replace(&mut bundle.hops[hop as usize], Hop::Over) else { return };
            let flow = self.flows.get(slot);
            flow.forget_events(&mut self.net);
            bundle.stats = sum(bundle.stats, flow.sender().map(Connection::stats).unwrap_or_default());
            let relays = bundle.hops.len() as u32 - 1;
            if O::ACTIVE {
                self.net.observer.flow_ended(self.net.now_ns, flow.number);
            }
            self.flows.remove(slot);
            for relay in [hop.checked_sub(1), Some(hop)].into_iter().flatten().filter(|relay| *relay < relays) {
                self.relay(place, relay);
            }
        }
        if self.bundles[place as usize].as_ref().is_some_and(|bundle| bundle.is_over()) {
            let given_up = self.take_bundle(place, None);
            self.close(given_up);
            self.bundles[place as usize] = None;
        }
    }

    fn over_hop(&mut self, place: u32) -> Option<u32> {
        let bundle = self.bundles[place as usize].as_ref()?;
        (0..bundle.hops.len() as u32).find(|hop| bundle.slot(*hop).is_some_and(|slot| self.flows.get(slot).is_over()))
    }

    fn take_bundle(&mut self, place: u32, completed_ns: Option<u64>) -> Option<Finished> {
        let bundle = self.bundles[place as usize].as_mut()?;
        let mut under_way = Stats::default();
        for slot in (0..bundle.hops.len() as u32).filter_map(|hop| bundle.slot(hop)) {
            under_way = sum(under_way, self.flows.get(slot).sender().map(Connection::stats).unwrap_or_default());
        }
        bundle.take_finished(completed_ns, under_way)
    }

    /// What is to be told of those that the end of the run has overtaken.
    pub(super) fn take_unfinished_bundles(&mut self) -> Vec<Finished> {
        (0..self.bundles.len() as u32).filter_map(|place| self.take_bundle(place, None)).collect()
    }
}

fn is_over(connection: &Connection) -> bool {
    matches!(connection.state(), State::Closed | State::TimeWait)
}
