//! qlog 0.3 (draft-ietf-quic-qlog-main-schema-02 to -04, draft-ietf-quic-qlog-quic-events), as a
//! sequence of JSON texts (RFC 7464): one file for each flow, told from the sender's host.
//!
//! qlog is made for QUIC. What TCP has not is made up so that readers of QUIC's logs work: each
//! packet that the sender sends has a number of its own, and an acknowledgement names the numbers
//! of the packets that it is the first to acknowledge. What QUIC has not is in `tcp` members.
//! `docs/traces.md` tells readers all of it.

mod log;
mod metrics;
mod numbers;

use crate::case_trace::Writer;
use crate::format::Format;
use crate::names;
use crate::output::{Output, Place};
use crate::xplot::MOST_FLOWS;
use log::Log;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, FlowStart, PacketEvent};
use onramp_tcp::Connection;
use std::collections::BTreeMap;

/// Writes the logs of a case.
pub(crate) struct Qlog {
    place: Place,
    case: String,
    nodes: Vec<String>,
    logs: BTreeMap<u32, Log>,
    finished: Vec<Output>,
    flows_left_out: u64,
}

impl Qlog {
    pub fn new(case: &Case, place: Place) -> Qlog {
        let nodes = case.network.nodes.clone();
        Qlog {
            place,
            case: names::describe(case),
            nodes,
            logs: BTreeMap::new(),
            finished: Vec::new(),
            flows_left_out: 0,
        }
    }
}

impl Writer for Qlog {
    fn flow_started(&mut self, flow: &FlowStart) {
        if self.logs.len() + self.finished.len() == MOST_FLOWS {
            self.flows_left_out += 1;
        } else {
            let output = self.place.flow_file(Format::Qlog, flow.flow);
            self.logs.insert(
                flow.flow,
                Log::new(output, flow, &self.case, &self.nodes[flow.from as usize]),
            );
        }
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        if let (Direction::Data, Some(log)) = (packet.direction, self.logs.get_mut(&packet.flow)) {
            log.sent(packet);
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if let (Direction::Ack, Some(log)) = (packet.direction, self.logs.get_mut(&packet.flow)) {
            log.received(packet);
        }
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection, _by_ack: bool) {
        if let Some(log) = self.logs.get_mut(&flow) {
            log.acted(time_ns, sender);
        }
    }

    fn flow_ended(&mut self, flow: u32) {
        self.finished
            .extend(self.logs.remove(&flow).map(Log::finish));
    }

    fn flows_left_out(&self) -> u64 {
        self.flows_left_out
    }

    fn finish(mut self: Box<Self>) -> Vec<Output> {
        self.finished.extend(
            std::mem::take(&mut self.logs)
                .into_values()
                .map(Log::finish),
        );
        self.finished
    }
}
