//! The observer of one case. It passes every event of the run to the writer of each format.

use crate::csv::Csv;
use crate::format::Format;
use crate::names;
use crate::output::{CaseFiles, Output};
use crate::pcapng::Pcapng;
use crate::qlog::Qlog;
use crate::writer::Writer;
use crate::xplot::Xplot;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_tcp::{Connection, Flags};

/// Traces one run: an observer that writes the files of a case. [`Traces`](crate::Traces) makes it
/// before the run and takes it back after the run.
pub struct CaseTrace {
    writers: Vec<Box<dyn Writer>>,
    /// The flow whose sender has received an ACK that it has not processed yet.
    acknowledged: Option<u32>,
}

/// A file of a trace that was kept in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    /// Its name, as in a folder of traces.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// The flow in the file, numbered from 0 as flows start; `None`: all flows.
    pub flow: Option<u32>,
    /// Whether the file ended at its limit: later entries are missing.
    pub limited: bool,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl CaseTrace {
    /// An observer that keeps its files in memory, each with at most `max_entries` entries.
    pub fn in_memory(formats: &[Format], case: &Case, max_entries: u64) -> CaseTrace {
        let files = CaseFiles {
            directory: None,
            stem: names::stems(&[case]).remove(0),
            max_entries,
        };
        CaseTrace::new(formats, case, &files)
    }

    /// The files of a run with [`CaseTrace::in_memory`], in the order of their flows.
    pub fn into_files(self) -> Vec<MemoryFile> {
        let (outputs, _) = self.finish();
        let mut files: Vec<MemoryFile> = outputs
            .into_iter()
            .map(|output| MemoryFile {
                name: output.name.clone(),
                format: output.format,
                flow: output.flow,
                limited: output.limited,
                bytes: output.into_bytes(),
            })
            .collect();
        files.sort_by_key(|file| (file.format.name(), file.flow));
        files
    }

    pub(crate) fn new(formats: &[Format], case: &Case, files: &CaseFiles) -> CaseTrace {
        let writer = |format: &Format| -> Box<dyn Writer> {
            match format {
                Format::Csv => Box::new(Csv::new(files)),
                Format::Pcapng => Box::new(Pcapng::new(case, files)),
                Format::Qlog => Box::new(Qlog::new(case, files.clone())),
                Format::Xplot => Box::new(Xplot::new(files.clone())),
            }
        };
        CaseTrace {
            writers: formats.iter().map(writer).collect(),
            acknowledged: None,
        }
    }

    /// An observer that writes nothing.
    #[cfg(test)]
    pub(crate) fn idle() -> CaseTrace {
        CaseTrace {
            writers: Vec::new(),
            acknowledged: None,
        }
    }

    /// The files, still to be closed, and the number of flows without a file.
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
