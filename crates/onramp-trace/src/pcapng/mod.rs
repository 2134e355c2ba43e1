//! pcapng: all packets at every point that they pass. Each node is an interface, and so is the
//! entrance of each link, one for each direction.

use crate::address::{endpoints, node_address};
use crate::format::Format;
use crate::names;
use crate::output::{CaseFiles, Output};
use crate::packet;
use crate::writer::Writer;
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
/// `epb_flags`: the direction in which a packet passes the interface of a host.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// Writes the capture of a case, one file.
pub(crate) struct Pcapng {
    writer: PcapNgWriter<Output>,
    nodes: u32,
    /// Names of the directed links, by their numbers.
    links: Vec<String>,
    interfaces: u32,
    /// Interfaces for packets that queues evicted, by the number of the link. An interface is
    /// declared before its first packet.
    evicted: BTreeMap<u32, u32>,
    /// Nodes and addresses of the flows, by their numbers.
    flows: Vec<Option<Ends>>,
    /// Buffer for the packet that is being written, kept to save allocations.
    bytes: Vec<u8>,
}

/// The nodes of a flow, and its addresses in the direction of its data.
#[derive(Clone, Copy)]
struct Ends {
    from: u32,
    to: u32,
    data: Endpoints,
}

impl Pcapng {
    pub fn new(case: &Case, files: &CaseFiles) -> Pcapng {
        let section = SectionHeaderBlock {
            // Fixed, so that the file is the same on every machine.
            endianness: Endianness::Little,
            options: vec![
                SectionHeaderOption::UserApplication(Cow::Borrowed("onramp sim")),
                SectionHeaderOption::Comment(Cow::Owned(names::describe(case))),
            ],
            ..SectionHeaderBlock::default()
        };
        let writer = PcapNgWriter::with_section_header(files.file(Format::Pcapng), section);
        let network = &case.network;
        let mut capture = Pcapng {
            writer: writer.expect("writing to memory"),
            nodes: network.nodes.len() as u32,
            links: Vec::new(),
            interfaces: 0,
            evicted: BTreeMap::new(),
            flows: Vec::new(),
            bytes: Vec::new(),
        };
        for (node, name) in (0..).zip(&network.nodes) {
            let addresses: Vec<_> = case
                .ip_versions()
                .map(|ip| node_address(ip, node).to_string())
                .collect();
            let addresses = addresses.join(" and ");
            capture.interface(
                name,
                &format!("node {name}, {addresses}: what it sends and what arrives"),
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
        // This cannot fail: the interface of a block exists, and the writer writes to memory.
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

    /// The interface of a packet that entered a link and that its queue evicted later. At the
    /// entrance, where the packet is already, it would look like a packet that was sent twice.
    fn evicted(&mut self, link: u32) -> u32 {
        if let Some(interface) = self.evicted.get(&link) {
            return *interface;
        }
        let name = self.links[link as usize].clone();
        let what = format!(
            "thrown out of the queue of link {} from {}",
            link / 2 + 1,
            name.replace('>', " to ")
        );
        let interface = self.interface(&format!("{name} (queue)"), &what, None);
        self.evicted.insert(link, interface);
        interface
    }
}

impl Writer for Pcapng {
    fn flow_started(&mut self, flow: &FlowStart) {
        let number = flow.flow as usize;
        if self.flows.len() <= number {
            self.flows.resize(number + 1, None);
        }
        let data = endpoints(flow.ip, flow.flow, flow.from, flow.to);
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
            // At the limit, no interface is declared for a packet that cannot be written.
            DropReason::Evicted | DropReason::Thinned if !self.writer.get_ref().is_full() => {
                self.evicted(link)
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
