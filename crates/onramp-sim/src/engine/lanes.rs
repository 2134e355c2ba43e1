//! Connections side by side, as XFTP had them (Allman, Kruse & Ostermann 1996): an application
//! hands its payload out in records to whichever of them has less than one to send, and another one
//! puts them together again. The records are our choice.
//!
//! Where the number of connections changes, the sending application decides it. It opens them
//! itself or, where the receiver connects, tells that with the next segment of the first
//! connection; those that are too many get no more records.

use super::adaptive::Observation;
use super::bundle::Hop;
use super::flow::Side;
use super::sender_app::RECORD_BYTES;
use super::Engine;
use crate::observe::Observer;
use onramp_scenario::{Connect, Connections};

impl<O: Observer> Engine<O> {
    /// The sending application acts, at one of its connections.
    pub(super) fn drive_sender_lane(&mut self, slot: u32, bundle_id: u32) {
        self.drive_lane(slot, bundle_id);
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        if bundle.has_failed() {
            return self.abort_lanes(bundle_id, Side::Sender);
        }
        let is_empty = bundle
            .payload
            .as_ref()
            .is_some_and(|payload| payload.is_empty());
        if is_empty && !std::mem::replace(&mut bundle.end_was_signalled, true) {
            // Those that have nothing under way would not hear of it.
            let slots: Vec<u32> = bundle
                .lanes
                .iter()
                .filter_map(|lane| lane.slot(0))
                .collect();
            slots
                .into_iter()
                .filter(|other| *other != slot)
                .for_each(|other| self.drive_lane(other, bundle_id));
        } else if !is_empty {
            self.adapt_lane_count(bundle_id);
        }
    }

    fn drive_lane(&mut self, slot: u32, bundle_id: u32) {
        let flow = self.flows.get(slot);
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        match &mut bundle.payload {
            Some(payload) => flow.drive_sender_shared(payload, &mut self.net),
            None => flow.drive_sender(&mut self.net),
        }
        let is_first = flow.member.is_some_and(|member| member.lane == 0);
        if let (Some(startup_log), Some(sender), true) =
            (&mut bundle.startup_log, flow.sender(), is_first)
        {
            startup_log.record(self.net.now_ns, sender);
        }
        self.show_sender(slot);
    }

    /// The receiving application acts, at one of its connections.
    pub(super) fn drive_receiver_lane(&mut self, slot: u32, bundle_id: u32, lane: u32) {
        let now_ns = self.net.now_ns;
        let flow = self.flows.get(slot);
        let got_bytes = flow.drive_receiver(&mut self.net);
        if let Some(end) = flow
            .end(Side::Receiver)
            .filter(|end| end.peer_closed() && end.readable_bytes() == 0)
        {
            end.close();
            flow.flush(Side::Receiver, &mut self.net);
        }
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        if bundle.has_failed() {
            return self.abort_lanes(bundle_id, Side::Receiver);
        }
        if got_bytes == 0 {
            return;
        }
        bundle.received_bytes += got_bytes;
        bundle.lanes[lane as usize].received_bytes += got_bytes;
        let is_complete = bundle.is_complete();
        let first_bytes = bundle.lanes[0].received_bytes;
        let mut requested = 0;
        while let Some((_, number)) = bundle
            .pending_opens
            .front()
            .filter(|(place_bytes, _)| *place_bytes < first_bytes)
        {
            requested += number;
            bundle.pending_opens.pop_front();
        }
        if O::ACTIVE {
            self.net.observer.delivered(now_ns, flow.number, got_bytes);
        }
        if is_complete {
            let finished = self.take_bundle(bundle_id, Some(now_ns));
            self.record_finished(finished);
        } else {
            self.open_lanes(bundle_id, requested);
        }
    }

    /// One connection has given up: the host at these ends gives up the others.
    fn abort_lanes(&mut self, bundle_id: u32, side: Side) {
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        bundle.pending_opens.clear();
        let hop = |hops: usize| {
            if side == Side::Sender {
                0
            } else {
                hops as u32 - 1
            }
        };
        let slots: Vec<u32> = bundle
            .lanes
            .iter()
            .filter_map(|lane| lane.slot(hop(lane.hops.len())))
            .collect();
        for slot in slots {
            let flow = self.flows.get(slot);
            if let Some(end) = flow.end(side).filter(|end| !super::relay::is_over(end)) {
                end.abort();
                flow.flush(side, &mut self.net);
            }
        }
        (0..self.lane_count(bundle_id)).for_each(|lane| self.end_members(bundle_id, lane));
    }

    fn lane_count(&self, bundle_id: u32) -> u32 {
        self.bundles[bundle_id as usize]
            .as_ref()
            .map_or(0, |bundle| bundle.lanes.len() as u32)
    }

    /// Once in a round trip of the first connection, where the number of connections changes.
    fn adapt_lane_count(&mut self, bundle_id: u32) {
        let now_ns = self.net.now_ns;
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        let Some(adaptation) = bundle
            .adaptation
            .as_mut()
            .filter(|adaptation| adaptation.is_due(now_ns))
        else {
            return;
        };
        let Some(first) = bundle.lanes[0].slot(0) else {
            return;
        };
        let flow = self.flows.get(first);
        let has_started = flow.sender_app().has_started();
        let Some(sender) = flow
            .sender()
            .filter(|sender| has_started && sender.srtt_ns() > 0)
        else {
            return;
        };
        let (srtt_ns, cwnd_bytes) = (sender.srtt_ns(), sender.window().cwnd_bytes);
        let sent_bytes = sender.acked_bytes() + sender.outstanding_bytes();
        let (mut open, mut retransmitted_segments) =
            (Vec::new(), bundle.sender_retransmitted_segments);
        let mut opening: u32 = bundle.pending_opens.iter().map(|(_, number)| number).sum();
        for lane in &bundle.lanes {
            let Some(slot) = lane.slot(0) else {
                opening += u32::from(lane.hops[0] == Hop::Unopened);
                continue;
            };
            let flow = self.flows.get(slot);
            retransmitted_segments += flow
                .sender()
                .map_or(0, |sender| sender.stats().retransmitted_segments);
            match flow.sender_app() {
                sender_app if sender_app.is_closed() => {}
                sender_app if sender_app.has_started() => open.push(slot),
                _ => opening += 1,
            }
        }
        let (number, all_are_sending) = (open.len() as u32 + opening, opening == 0);
        let observation = Observation {
            now_ns,
            srtt_ns,
            retransmitted_segments,
            number,
            all_are_sending,
        };
        let (wanted, why) = adaptation.next_count(observation);
        let left_records = bundle
            .payload
            .as_ref()
            .map_or(0, |payload| payload.remaining_bytes() / RECORD_BYTES);
        let wanted = wanted
            .min(number.saturating_add(u32::try_from(left_records).unwrap_or(u32::MAX)))
            .max(1);
        debug_assert!(wanted <= Connections::MOST.max(number));
        if wanted != number {
            bundle.log_connection_count(now_ns, wanted, why, cwnd_bytes);
        }
        if wanted > number {
            match self.flows.group(bundle.group).connect {
                Connect::Sender => self.open_lanes(bundle_id, wanted - number),
                Connect::Receiver => bundle
                    .pending_opens
                    .push_back((sent_bytes, wanted - number)),
            }
        } else {
            // The first one stays: the youngest go.
            for slot in open
                .into_iter()
                .skip(1)
                .rev()
                .take((number - wanted) as usize)
            {
                self.flows.get(slot).sender_app_mut().retire();
                self.drive_lane(slot, bundle_id);
            }
        }
    }
}
