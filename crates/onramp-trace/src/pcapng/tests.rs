//! The capture of a short transfer, read back.

use crate::format::Format;
use crate::testing;
use onramp_tcp::wire;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};

/// The blocks of the capture, each described in a line.
fn blocks(max_entries: u64) -> Vec<String> {
    let bytes = testing::written_bytes(&[Format::Pcapng], max_entries)
        .remove(0)
        .1;
    let mut reader = PcapNgReader::new(&bytes[..]).unwrap();
    let mut lines = Vec::new();
    while let Some(block) = reader.next_block() {
        lines.push(match block.unwrap() {
            Block::InterfaceDescription(interface) => {
                let texts = interface.options.iter().filter_map(|option| match option {
                    InterfaceDescriptionOption::IfName(text)
                    | InterfaceDescriptionOption::IfDescription(text) => Some(text.to_string()),
                    _ => None,
                });
                texts.collect::<Vec<_>>().join(": ")
            }
            Block::EnhancedPacket(packet) => {
                let parsed = wire::parse(&packet.data).expect("right checksums");
                let (segment, ends) = (parsed.segment, parsed.endpoints);
                let comment = packet.options.iter().find_map(|option| match option {
                    EnhancedPacketOption::Comment(text) => Some(text.to_string()),
                    _ => None,
                });
                format!(
                    "{} ns on {}: {} > {}, {} bytes{}",
                    packet.timestamp.as_nanos(),
                    packet.interface_id,
                    ends.source,
                    ends.destination,
                    segment.payload_bytes,
                    comment.map_or(String::new(), |comment| format!(", {comment}"))
                )
            }
            other => format!("{other:?}"),
        });
    }
    lines
}

#[test]
fn a_capture_begins_with_its_interfaces() {
    insta::assert_snapshot!(blocks(6).join("\n"));
}

#[test]
fn a_dropped_packet_is_there_with_the_reason() {
    let blocks = blocks(u64::MAX);
    let dropped: Vec<_> = blocks
        .iter()
        .filter(|line| line.contains("dropped"))
        .collect();
    // An evicted packet has an interface of its own: it is already at the entrance of the link.
    let expected = [
        (" on 2: ", "dropped: queue full"),
        (" on 4: ", "dropped: thrown out of the queue"),
    ];
    assert_eq!(dropped.len(), expected.len());
    for (line, (interface, comment)) in dropped.iter().zip(expected) {
        assert!(
            line.contains(interface) && line.ends_with(comment),
            "{line}"
        );
    }
}

#[test]
fn a_file_begins_with_these_bytes() {
    let bytes = testing::written_bytes(&[Format::Pcapng], 1).remove(0).1;
    let hexadecimal: Vec<String> = bytes[..28]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    insta::assert_snapshot!(hexadecimal.join(" "));
}
