//! qlog 0.3 (draft-ietf-quic-qlog-main-schema-02 to -04, draft-ietf-quic-qlog-quic-events), as a
//! sequence of JSON texts (RFC 7464): one file for each flow, from the view of the sender's host.
//!
//! qlog is made for QUIC. TCP lacks some of its fields, and these are made up so that tools for
//! QUIC work: each packet of the sender has a packet number of its own, and an ACK names the
//! numbers of the packets that it is the first to acknowledge. Fields that QUIC lacks are in `tcp`
//! members. `docs/traces.md` describes all events.

mod log;
mod metrics;
mod numbers;

use crate::format::Format;
use crate::names;
use crate::output::{CaseFiles, Output, MAX_FLOW_FILES};
use crate::writer::Writer;
use log::Log;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, FlowStart, PacketEvent};
use onramp_tcp::Connection;
use std::collections::BTreeMap;

/// Writes the logs of a case, one file for each flow.
pub(crate) struct Qlog {
    files: CaseFiles,
    case: String,
    nodes: Vec<String>,
    logs: BTreeMap<u32, Log>,
    finished: Vec<Output>,
    flows_left_out: u64,
}

impl Qlog {
    pub fn new(case: &Case, files: CaseFiles) -> Qlog {
        let nodes = case.network.nodes.clone();
        Qlog {
            files,
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
        if self.logs.len() + self.finished.len() == MAX_FLOW_FILES {
            self.flows_left_out += 1;
        } else {
            let output = self.files.flow_file(Format::Qlog, flow.flow);
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
