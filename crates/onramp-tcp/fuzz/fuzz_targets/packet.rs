//! Fuzzes the packet parser: any bytes are a packet. Checks the parser's own properties, and
//! compares it with the parser of the crate etherparse.
#![no_main]

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, Ipv4Slice, TcpSlice};
use onramp_tcp::wire::{parse, parse_unverified, properties, Error};
use onramp_tcp::Flags;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::packet(bytes);
    compare_with_etherparse(bytes);
});

/// Checks that two independent parsers agree on whether the bytes are a packet, and on its
/// contents.
fn compare_with_etherparse(bytes: &[u8]) {
    let ours = parse_unverified(bytes);
    // etherparse's slice of IPv6 skips extension headers, which our parser does not support. The
    // properties above hold for IPv6 too.
    if bytes.first().is_some_and(|first| first >> 4 == 6) {
        return;
    }
    let Some((ip, tcp)) = read_by_etherparse(bytes) else {
        assert!(ours.is_err(), "only our parser accepts {bytes:02x?}");
        return;
    };
    let parsed = match ours {
        Ok(parsed) => parsed,
        // etherparse reads options only on request, and accepts other ones.
        Err(Error::Option(_)) => return,
        Err(error) => panic!("only etherparse accepts {bytes:02x?}: {error}"),
    };
    let header = ip.header();
    assert_eq!(parsed.endpoints.source.ip(), header.source_addr());
    assert_eq!(
        parsed.endpoints.destination.ip(),
        header.destination_addr()
    );
    assert_eq!(parsed.endpoints.source.port(), tcp.source_port());
    assert_eq!(parsed.endpoints.destination.port(), tcp.destination_port());
    assert_eq!(
        (parsed.identification, parsed.time_to_live),
        (header.identification(), header.ttl())
    );
    assert_eq!(parsed.segment.ecn as u8, header.ecn().value());
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
    let are_checksums_correct = Sum16BitWords::new()
        .add_slice(header.slice())
        .ones_complement()
        == 0
        && tcp.calc_checksum_ipv4(header.source(), header.destination()) == Ok(tcp.checksum());
    if are_checksums_correct {
        assert_eq!(parse(bytes), ours);
    }
}

fn read_by_etherparse(bytes: &[u8]) -> Option<(Ipv4Slice<'_>, TcpSlice<'_>)> {
    let ip = Ipv4Slice::from_slice(bytes).ok()?;
    let payload = ip.payload();
    // etherparse skips authentication headers, which our parser does not support.
    if payload.fragmented || ip.header().protocol() != IpNumber::TCP {
        return None;
    }
    let tcp = TcpSlice::from_slice(payload.payload).ok()?;
    Some((ip, tcp))
}
