//! All packets wherever they were seen: one interface for each node, one for each directed link's
//! entrance.

use crate::address::{endpoints, node_address};
use crate::case_trace::Writer;
use crate::format::Format;
use crate::names;
use crate::output::{Output, Place};
use crate::packet;
use onramp_scenario::{units, Case};
use onramp_sim::observe::{Direction, DropReason, FlowStart, PacketEvent};
use onramp_tcp::wire::Endpoints;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::interface_statistics::{
    InterfaceStatisticsBlock, InterfaceStatisticsOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

/// Timestamps count 10^-9 s.
const NANOSECONDS: u8 = 9;
/// `epb_flags`: which way a packet passes a host's interface.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// Writes the capture of a case.
pub(crate) struct Pcapng {
    writer: PcapNgWriter<Output>,
    nodes: u32,
    /// Names of the directed links, by their numbers.
    links: Vec<String>,
    interfaces: u32,
    /// Interfaces of what queues threw out, which are there once that has happened.
    inside: BTreeMap<u32, u32>,
    /// Nodes and ends of the flows, by their numbers.
    flows: Vec<Option<Ends>>,
    /// The packet that is written; kept for its memory.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Ends {
    from: u32,
    to: u32,
    data: Endpoints,
}

impl Pcapng {
    pub fn new(case: &Case, place: &Place) -> Pcapng {
        let section = SectionHeaderBlock {
            // Not the machine's: the file is the same everywhere.
            endianness: Endianness::Little,
            options: vec![
                SectionHeaderOption::UserApplication(Cow::Borrowed("onramp sim")),
                SectionHeaderOption::Comment(Cow::Owned(names::describe(case))),
            ],
            ..SectionHeaderBlock::default()
        };
        let writer = PcapNgWriter::with_section_header(place.file(Format::Pcapng), section);
        let network = &case.network;
        let mut capture = Pcapng {
            writer: writer.expect("writing to memory"),
            nodes: network.nodes.len() as u32,
            links: Vec::new(),
            interfaces: 0,
            inside: BTreeMap::new(),
            flows: Vec::new(),
            bytes: Vec::new(),
        };
        for (node, name) in (0..).zip(&network.nodes) {
            let address = node_address(node);
            capture.interface(
                name,
                &format!("node {name}, {address}: what it sends and what arrives"),
                None,
            );
        }
        for (number, link) in (1..).zip(&network.links) {
            let (from, to) = (&network.nodes[link.from], &network.nodes[link.to]);
            for (from, to, channel) in [(from, to, &link.forward), (to, from, &link.reverse)] {
                let (name, rate) = (
                    format!("{from}>{to}"),
                    units::format_rate(channel.rate_bits_per_s),
                );
                let what = format!("entrance of link {number} from {from} to {to}, {rate}");
                capture.interface(&name, &what, Some(channel.rate_bits_per_s));
                capture.links.push(name);
            }
        }
        capture
    }

    fn interface(&mut self, name: &str, description: &str, bits_per_s: Option<u64>) -> u32 {
        let mut options = vec![
            InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
            InterfaceDescriptionOption::IfDescription(Cow::Borrowed(description)),
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
        ];
        options.extend(bits_per_s.map(InterfaceDescriptionOption::IfSpeed));
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: 0,
            options,
        };
        self.block(block);
        self.interfaces += 1;
        self.interfaces - 1
    }

    fn block<'a>(&mut self, block: impl PcapNgBlock<'a>) {
        // Its interface exists, and writing to memory does not fail.
        let _ = self.writer.write_pcapng_block(block);
    }

    fn packet(
        &mut self,
        interface: u32,
        packet: &PacketEvent<'_>,
        option: Option<EnhancedPacketOption<'static>>,
    ) {
        let Some(Some(ends)) = self.flows.get(packet.flow as usize) else {
            return;
        };
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        if packet::write(packet, &ends.data, &mut bytes).is_ok()
            && self.writer.get_mut().entry().is_some()
        {
            self.block(EnhancedPacketBlock {
                interface_id: interface,
                timestamp: Duration::from_nanos(packet.time_ns),
                original_len: packet.wire_bytes,
                data: Cow::Borrowed(&bytes),
                options: option.into_iter().collect(),
            });
        }
        self.bytes = bytes;
    }

    fn at_host(&mut self, packet: &PacketEvent<'_>, flags: u32) {
        let Some(Some(ends)) = self.flows.get(packet.flow as usize) else {
            return;
        };
        let from_sender = packet.direction != Direction::Ack;
        let node = if from_sender == (flags == OUTBOUND) {
            ends.from
        } else {
            ends.to
        };
        self.packet(node, packet, Some(EnhancedPacketOption::Flags(flags)));
    }

    /// Where a packet is shown that had entered a link and was thrown out of its queue: a second
    /// time at the entrance it would look like a packet sent twice.
    fn inside(&mut self, link: u32) -> u32 {
        if let Some(interface) = self.inside.get(&link) {
            return *interface;
        }
        let name = self.links[link as usize].clone();
        let what = format!(
            "thrown out of the queue of link {} from {}",
            link / 2 + 1,
            name.replace('>', " to ")
        );
        let interface = self.interface(&format!("{name} (queue)"), &what, None);
        self.inside.insert(link, interface);
        interface
    }
}

impl Writer for Pcapng {
    fn flow_started(&mut self, flow: &FlowStart) {
        let number = flow.flow as usize;
        if self.flows.len() <= number {
            self.flows.resize(number + 1, None);
        }
        let data = endpoints(flow.flow, flow.from, flow.to);
        self.flows[number] = Some(Ends {
            from: flow.from,
            to: flow.to,
            data,
        });
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.at_host(packet, OUTBOUND);
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        self.at_host(packet, INBOUND);
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.packet(self.nodes + link, packet, None);
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        let comment = match why {
            DropReason::QueueFull => "dropped: queue full",
            DropReason::Early => "dropped: early, by the queue's management",
            DropReason::Evicted => "dropped: thrown out of the queue",
            DropReason::Thinned => "dropped: a later acknowledgement says as much",
            DropReason::Random => "dropped: lost at random",
            DropReason::Policer => "dropped: policer's rate exceeded",
        };
        let interface = match why {
            // An interface for a packet that has no place is none.
            DropReason::Evicted | DropReason::Thinned if !self.writer.get_ref().is_full() => {
                self.inside(link)
            }
            _ => self.nodes + link,
        };
        self.packet(
            interface,
            packet,
            Some(EnhancedPacketOption::Comment(Cow::Borrowed(comment))),
        );
    }

    fn finish(mut self: Box<Self>) -> Vec<Output> {
        if let Some(note) = self.writer.get_ref().limit_note() {
            let options = vec![InterfaceStatisticsOption::Comment(Cow::Owned(note))];
            self.block(InterfaceStatisticsBlock {
                interface_id: 0,
                timestamp: 0,
                options,
            });
        }
        vec![self.writer.into_inner()]
    }
}

#[cfg(test)]
mod tests;
