//! Parallel connections, as in XFTP (Allman, Kruse & Ostermann 1996). The sending application gives
//! its payload in records to whichever connection has less than one record to send. The receiving
//! application puts the records together. The sources do not describe the records; they are our
//! choice.
//!
//! If the number of connections is adaptive, the sending application decides it. It opens new
//! connections itself. If the receiver connects, the receiver learns of the new number with the
//! next segment of the first connection. Surplus connections get no more records.

use super::adaptive::Observation;
use super::bundle::Hop;
use super::flow::Side;
use super::sender_app::RECORD_BYTES;
use super::Engine;
use crate::observe::Observer;
use onramp_scenario::{Connect, Connections};
use onramp_tcp::State;

impl<O: Observer> Engine<O> {
    /// Runs the sending application at one of its connections.
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
            // Connections without data in flight have no event at which they would notice the end.
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

    /// Runs the receiving application at one of its connections.
    pub(super) fn drive_receiver_lane(&mut self, slot: u32, bundle_id: u32, lane: u32) {
        let now_ns = self.net.now_ns;
        let flow = self.flows.get(slot);
        let got_bytes = flow.drive_receiver(&mut self.net);
        if let Some(end) = flow
            .end(Side::Receiver)
            .filter(|end| end.peer_has_closed() && end.readable_bytes() == 0)
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
        if bundle.page.is_some() {
            self.request_objects(slot, bundle_id);
        }
        let Some(bundle) = self.bundles[bundle_id as usize]
            .as_mut()
            .filter(|_| got_bytes > 0)
        else {
            return;
        };
        bundle.received_bytes += got_bytes;
        bundle.lanes[lane as usize].received_bytes += got_bytes;
        let is_complete = bundle.is_complete();
        let first_bytes = bundle.lanes[0].received_bytes;
        let mut requested = 0;
        while let Some((_, number)) = bundle
            .pending_opens
            .front()
            .filter(|(offset_bytes, _)| *offset_bytes < first_bytes)
        {
            requested += number;
            bundle.pending_opens.pop_front();
        }
        if O::ACTIVE {
            let number = self.flows.get(slot).number();
            self.net.observer.delivered(now_ns, number, got_bytes);
        }
        if is_complete {
            let finished = self.take_bundle(bundle_id, Some(now_ns));
            self.record_finished(finished);
        } else {
            self.open_lanes(bundle_id, requested);
        }
    }

    /// Requests the next object of a page on a connection that has no request, or closes the
    /// connection if there is no further object. Opens the other connections when the first object
    /// has arrived.
    pub(super) fn request_objects(&mut self, slot: u32, bundle_id: u32) {
        let flow = self.flows.get(slot);
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        let (size_bytes, group) = (bundle.size_bytes, bundle.group);
        let (Some(page), Some(answers)) = (&mut bundle.page, flow.take_answers()) else {
            return;
        };
        let was_named = !page.answers.times.is_empty();
        page.answers.times.extend(answers.times);
        let count = page.requests.count;
        let names_others = !was_named && !page.answers.times.is_empty();
        if let Some((tcp, _)) = flow.tcp_mut() {
            let end = tcp.ends[Side::Receiver as usize].as_mut();
            if let (Some(requester), Some(end)) = (&mut tcp.requester, end) {
                if requester.is_idle() && end.state() == State::Established {
                    match page.next_bytes(size_bytes) {
                        Some(bytes) => requester.assign(bytes),
                        None if page.has_all() => end.close(),
                        None => {}
                    }
                }
            }
        }
        // Sends the request, or the end of the stream.
        flow.drive_receiver(&mut self.net);
        if names_others {
            let plan = self.flows.group(group).bundle.as_ref();
            let connections = plan.map_or(1, |plan| plan.connections.max());
            // The first connection has the second object already.
            self.open_lanes(bundle_id, connections.min(count - 1) - 1);
        }
    }

    /// One connection has failed, so the host at these ends aborts the others.
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

    /// Adapts the number of lanes, once per round trip of the first connection.
    fn adapt_lane_count(&mut self, bundle_id: u32) {
        let now_ns = self.net.now_ns;
        let is_due = self.bundles[bundle_id as usize]
            .as_ref()
            .and_then(|bundle| bundle.adaptation.as_ref())
            .is_some_and(|adaptation| adaptation.is_due(now_ns));
        if !is_due {
            return;
        }
        let Some(first) = self.first_lane(bundle_id) else {
            return;
        };
        let Some(lanes) = self.observe_lanes(bundle_id) else {
            return;
        };
        let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
            return;
        };
        let Some(adaptation) = &mut bundle.adaptation else {
            return;
        };
        let number = lanes.sending.len() as u32 + lanes.opening;
        let (wanted, why) = adaptation.next_count(Observation {
            now_ns,
            srtt_ns: first.srtt_ns,
            retransmitted_segments: lanes.retransmitted_segments,
            number,
            all_are_sending: lanes.opening == 0,
        });
        // Each new lane needs at least one record.
        let remaining_records = bundle
            .payload
            .as_ref()
            .map_or(0, |payload| payload.remaining_bytes() / RECORD_BYTES);
        let wanted = wanted
            .min(number.saturating_add(u32::try_from(remaining_records).unwrap_or(u32::MAX)))
            .max(1);
        debug_assert!(wanted <= Connections::MAX.max(number));
        if wanted != number {
            bundle.log_connection_count(now_ns, wanted, why, first.cwnd_bytes);
        }
        if wanted > number {
            match self.flows.group(bundle.group).connect {
                Connect::Sender => self.open_lanes(bundle_id, wanted - number),
                Connect::Receiver => bundle
                    .pending_opens
                    .push_back((first.sent_bytes, wanted - number)),
            }
        } else {
            self.retire_lanes(bundle_id, &lanes.sending, number - wanted);
        }
    }

    /// The first lane's sender, once it has started and has an RTT sample.
    fn first_lane(&mut self, bundle_id: u32) -> Option<FirstLane> {
        let slot = self.bundles[bundle_id as usize].as_ref()?.lanes[0].slot(0)?;
        let flow = self.flows.get(slot);
        let tcp = flow.tcp().filter(|tcp| tcp.sender_app.has_started())?;
        let sender = tcp.sender().filter(|sender| sender.srtt_ns() > 0)?;
        Some(FirstLane {
            srtt_ns: sender.srtt_ns(),
            cwnd_bytes: sender.window().cwnd_bytes,
            sent_bytes: sender.acked_bytes() + sender.flight_size_bytes(),
        })
    }

    fn observe_lanes(&mut self, bundle_id: u32) -> Option<Lanes> {
        let bundle = self.bundles[bundle_id as usize].as_ref()?;
        let mut lanes = Lanes {
            sending: Vec::new(),
            opening: bundle.pending_opens.iter().map(|(_, number)| number).sum(),
            retransmitted_segments: bundle.sender_retransmitted_segments,
        };
        for lane in &bundle.lanes {
            let Some(slot) = lane.slot(0) else {
                lanes.opening += u32::from(lane.hops[0] == Hop::Unopened);
                continue;
            };
            let flow = self.flows.get(slot);
            lanes.retransmitted_segments += flow
                .sender()
                .map_or(0, |sender| sender.stats().retransmitted_segments);
            match flow.tcp().map(|tcp| &tcp.sender_app) {
                Some(sender_app) if sender_app.is_closed() => {}
                Some(sender_app) if sender_app.has_started() => lanes.sending.push(slot),
                _ => lanes.opening += 1,
            }
        }
        Some(lanes)
    }

    /// Retires the youngest `number` of the sending lanes. The first lane always stays.
    fn retire_lanes(&mut self, bundle_id: u32, sending: &[u32], number: u32) {
        for slot in sending.iter().skip(1).rev().take(number as usize) {
            if let Some((tcp, _)) = self.flows.get(*slot).tcp_mut() {
                tcp.sender_app.retire();
            }
            self.drive_lane(*slot, bundle_id);
        }
    }
}

/// The state of the first lane's sender.
struct FirstLane {
    srtt_ns: u64,
    cwnd_bytes: u64,
    /// Stream offset up to which data was sent.
    sent_bytes: u64,
}

/// The state of all lanes of a bundle.
struct Lanes {
    /// Slots of the lanes that get data, in the order of their starts.
    sending: Vec<u32>,
    /// Number of lanes that are not open yet.
    opening: u32,
    /// Segments retransmitted so far, by all lanes.
    retransmitted_segments: u64,
}
