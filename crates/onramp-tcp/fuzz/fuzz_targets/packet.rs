//! Any bytes as a packet: its own properties, and the same answer as the parser of the crate
//! etherparse.
#![no_main]

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, Ipv4Slice, TcpSlice};
use onramp_tcp::wire::*;
use onramp_tcp::Flags;

#[allow(dead_code)]
#[path = "../../src/wire/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::packet(bytes);
    compared(bytes);
});

/// Two parsers written apart agree on what a packet is, and on what it says.
fn compared(bytes: &[u8]) {
    let ours = parse_unverified(bytes);
    let Some((ip, tcp)) = read_by_etherparse(bytes) else {
        assert!(ours.is_err(), "only we read {bytes:02x?}");
        return;
    };
    let parsed = match ours {
        Ok(parsed) => parsed,
        // It reads options only where it is asked to, and differs in which of them it takes.
        Err(Error::Option(_)) => return,
        Err(error) => panic!("only etherparse reads {bytes:02x?}: {error}"),
    };
    let header = ip.header();
    assert_eq!(*parsed.endpoints.source.ip(), header.source_addr());
    assert_eq!(
        *parsed.endpoints.destination.ip(),
        header.destination_addr()
    );
    assert_eq!(parsed.endpoints.source.port(), tcp.source_port());
    assert_eq!(parsed.endpoints.destination.port(), tcp.destination_port());
    assert_eq!(
        (parsed.identification, parsed.time_to_live),
        (header.identification(), header.ttl())
    );
    assert_eq!(parsed.ecn, header.ecn().value());
    let segment = parsed.segment;
    assert_eq!(
        (segment.seq, segment.ack),
        (tcp.sequence_number(), tcp.acknowledgment_number())
    );
    assert_eq!(
        (segment.window, parsed.payload),
        (tcp.window_size(), tcp.payload())
    );
    for (flag, set) in [
        (Flags::FIN, tcp.fin()),
        (Flags::SYN, tcp.syn()),
        (Flags::RST, tcp.rst()),
        (Flags::PSH, tcp.psh()),
        (Flags::ACK, tcp.ack()),
    ] {
        assert_eq!(segment.flags.has(flag), set);
    }
    let right_sums = Sum16BitWords::new()
        .add_slice(header.slice())
        .ones_complement()
        == 0
        && tcp.calc_checksum_ipv4(header.source(), header.destination()) == Ok(tcp.checksum());
    if right_sums {
        assert_eq!(parse(bytes), ours);
    }
}

fn read_by_etherparse(bytes: &[u8]) -> Option<(Ipv4Slice<'_>, TcpSlice<'_>)> {
    let ip = Ipv4Slice::from_slice(bytes).ok()?;
    let payload = ip.payload();
    // Authentication headers, which it looks behind, are not for us.
    if payload.fragmented || ip.header().protocol() != IpNumber::TCP {
        return None;
    }
    let tcp = TcpSlice::from_slice(payload.payload).ok()?;
    Some((ip, tcp))
}
