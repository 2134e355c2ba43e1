//! The observer of one case: it shows what it sees to the writer of each format.

use crate::csv::Csv;
use crate::format::Format;
use crate::output::{Output, Place};
use crate::pcapng::Pcapng;
use crate::qlog::Qlog;
use crate::xplot::Xplot;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_tcp::{Connection, Flags};

/// Writes a format. Methods are those of [`Observer`], as far as any format needs them.
pub(crate) trait Writer: Send {
    fn flow_started(&mut self, flow: &FlowStart) {
        let _ = flow;
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let _ = packet;
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        let _ = packet;
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        let _ = (link, packet);
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        let _ = (link, why, packet);
    }

    /// `by_ack`: what it dealt with was an acknowledgement, and no timer.
    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection, by_ack: bool) {
        let _ = (time_ns, flow, sender, by_ack);
    }

    fn flow_ended(&mut self, flow: u32) {
        let _ = flow;
    }

    /// Flows that got no file: there were too many.
    fn flows_left_out(&self) -> u64 {
        0
    }

    /// The run is over: the files with their ends, still to be closed.
    fn finish(self: Box<Self>) -> Vec<Output>;
}

/// Traces one run.
pub struct CaseTrace {
    writers: Vec<Box<dyn Writer>>,
    /// The flow whose sender has just received an acknowledgement, and has not dealt with it yet.
    acknowledged: Option<u32>,
}

impl CaseTrace {
    pub(crate) fn new(formats: &[Format], case: &Case, place: &Place) -> CaseTrace {
        let writer = |format: &Format| -> Box<dyn Writer> {
            match format {
                Format::Csv => Box::new(Csv::new(place)),
                Format::Pcapng => Box::new(Pcapng::new(case, place)),
                Format::Qlog => Box::new(Qlog::new(case, place.clone())),
                Format::Xplot => Box::new(Xplot::new(place.clone())),
            }
        };
        CaseTrace {
            writers: formats.iter().map(writer).collect(),
            acknowledged: None,
        }
    }

    /// One that writes nothing.
    #[cfg(test)]
    pub(crate) fn idle() -> CaseTrace {
        CaseTrace {
            writers: Vec::new(),
            acknowledged: None,
        }
    }

    /// The files, still to be closed, and how many flows have none of their own.
    pub(crate) fn finish(self) -> (Vec<Output>, u64) {
        let flows_left_out = self
            .writers
            .iter()
            .map(|writer| writer.flows_left_out())
            .max();
        let outputs = self.writers.into_iter().flat_map(|writer| writer.finish());
        (outputs.collect(), flows_left_out.unwrap_or(0))
    }
}

impl Observer for CaseTrace {
    fn flow_started(&mut self, flow: &FlowStart) {
        self.writers
            .iter_mut()
            .for_each(|writer| writer.flow_started(flow));
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.writers
            .iter_mut()
            .for_each(|writer| writer.sent(packet));
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        let is_ack = packet.direction == Direction::Ack && packet.segment.flags.has(Flags::ACK);
        self.acknowledged = is_ack.then_some(packet.flow);
        self.writers
            .iter_mut()
            .for_each(|writer| writer.arrived(packet));
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.writers
            .iter_mut()
            .for_each(|writer| writer.entered(link, packet));
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        self.writers
            .iter_mut()
            .for_each(|writer| writer.dropped(link, why, packet));
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        let by_ack = self.acknowledged.take() == Some(flow);
        self.writers
            .iter_mut()
            .for_each(|writer| writer.sender_acted(time_ns, flow, sender, by_ack));
    }

    fn flow_ended(&mut self, _time_ns: u64, flow: u32) {
        self.writers
            .iter_mut()
            .for_each(|writer| writer.flow_ended(flow));
    }
}
