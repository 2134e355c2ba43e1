//! Packets that Linux 6.18 sent over a veth pair with transmit checksums on, captured by tcpdump,
//! as hexadecimal text. Those over
//! IPv6 left through a TUN device, with `net.ipv6.auto_flowlabels` 0.

use super::{parse, write, Endpoints};
use crate::{Flags, Options, SackBlocks, Segment};

const SYN: &str = "4500 003c 7f69 4000 4006 a6b6 0a4d 0001 0a4d 0002
    811e 0050 4d22 c9f4 0000 0000 a002 faf0 64e3 0000
    0204 05b4 0402 080a 4b36 efd0 0000 0000 0103 030a";
const SYN_ACK: &str = "4500 003c 0000 4000 4006 2620 0a4d 0002 0a4d 0001
    0050 811e 4376 2dbe 4d22 c9f5 a012 fe88 c097 0000
    0204 05b4 0402 080a 73d1 bb9c 4b36 efd0 0103 030a";
const DATA: &str = "4500 0045 7f6c 4000 4006 a6aa 0a4d 0001 0a4d 0002
    811e 0050 4d22 c9fb 4376 2dbf 8018 003f 8376 0000
    0101 080a 4b36 f164 73d1 bc04
    4f6e 7261 6d70 2073 6179 7320 6865 6c6c 6f";
const FIN: &str = "4500 0034 7f6e 4000 4006 a6b9 0a4d 0001 0a4d 0002
    811e 0050 4d22 ca11 4376 2dbf 8011 003f e6e7 0000
    0101 080a 4b36 f3bc 73d1 be5c";
const SACK_BESIDE_TIMESTAMPS: &str = "4500 0050 828e 4000 4006 a37d 0a4d 0002 0a4d 0001
    0050 d136 e9b3 6025 2d10 e5ea f010 0040 af17 0000
    0101 080a b56c b3e4 19fb d2ba
    0101 051a 2d10 f971 2d10 f972 2d10 f1a1 2d10 f1a2 2d10 e9d1 2d10 e9d2";
const SACK_OF_FOUR: &str = "4500 004c 8986 4000 4006 9c89 0a4d 0002 0a4d 0001
    0050 d146 8a57 4377 7bf8 efd4 e010 003f 1e17 0000
    0101 0522 7bf9 0b2b 7bf9 0b2c 7bf9 035b 7bf9 035c 7bf8 fb8b 7bf8 fb8c 7bf8 f3bb 7bf8 f3bc";
const SYN_WITHOUT_TIMESTAMPS: &str = "4500 0030 4b16 4000 4006 db15 0a4d 0001 0a4d 0002
    df7a 0050 6aed 2900 0000 0000 7002 faf0 ffd9 0000
    0204 05b4 0101 0402";
const BARE_ACK: &str = "4500 0028 4b17 4000 4006 db1c 0a4d 0001 0a4d 0002
    df7a 0050 6aed 2901 d059 34f7 5010 faf0 273d 0000";

const SYN_OVER_IPV6: &str =
    "6000 0000 0028 0640 2001 0db8 0000 0000 0000 0000 0000 0001 2001 0db8 0000 0000
    0000 0000 0000 0002 e2e6 0050 c8c4 5a4f 0000 0000 a002 fd20 035e 0000 0204 05a0
    0402 080a 1872 cd60 0000 0000 0103 030a";
const ACK_OVER_IPV6: &str =
    "6000 0000 0020 0640 2001 0db8 0000 0000 0000 0000 0000 0001 2001 0db8 0000 0000
    0000 0000 0000 0002 e2e6 0050 c8c4 5a50 0000 2329 8010 0040 07d9 0000 0101 080a
    1872 cd60 0000 03e8";
const DATA_OVER_IPV6: &str =
    "6000 0000 0031 0640 2001 0db8 0000 0000 0000 0000 0000 0001 2001 0db8 0000 0000
    0000 0000 0000 0002 e2e6 0050 c8c4 5a50 0000 2329 8018 0040 9fa0 0000 0101 080a
    1872 cd60 0000 03e8 4f6e 7261 6d70 2073 6179 7320 6865 6c6c 6f";

const ALL: [&str; 11] = [
    SYN,
    SYN_ACK,
    DATA,
    FIN,
    SACK_BESIDE_TIMESTAMPS,
    SACK_OF_FOUR,
    SYN_WITHOUT_TIMESTAMPS,
    BARE_ACK,
    SYN_OVER_IPV6,
    ACK_OVER_IPV6,
    DATA_OVER_IPV6,
];

fn packet(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> = hexadecimal
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// A packet with 12 bytes of options, which are timestamps, and 17 bytes of payload.
pub(super) fn data() -> Vec<u8> {
    packet(DATA)
}

/// The same payload over IPv6.
pub(super) fn data_over_ipv6() -> Vec<u8> {
    packet(DATA_OVER_IPV6)
}

fn segment(hexadecimal: &str) -> Segment {
    parse(&packet(hexadecimal)).unwrap().segment
}

fn blocks(blocks: &[(u32, u32)]) -> SackBlocks {
    let mut sack = SackBlocks::default();
    for (left, right) in blocks {
        assert!(sack.push(*left, *right));
    }
    sack
}

#[test]
fn linuxs_packets_are_written_as_the_same_bytes() {
    for hexadecimal in ALL {
        let packet = packet(hexadecimal);
        let parsed = parse(&packet).unwrap();
        let mut again = Vec::new();
        let fill = |payload: &mut [u8]| payload.copy_from_slice(parsed.payload);
        write(
            &parsed.segment,
            &parsed.endpoints,
            parsed.identification,
            fill,
            &mut again,
        )
        .unwrap();
        assert_eq!(again, packet, "{hexadecimal}");
        assert_eq!(
            parsed.segment.wire_bytes(parsed.endpoints.ip()) as usize,
            packet.len()
        );
        assert_eq!((parsed.time_to_live, parsed.unknown_options), (64, 0));
    }
}

#[test]
fn its_handshake_is_read_as_tcpdump_shows_it() {
    let options = |timestamps| Options {
        mss: Some(1460),
        window_scale: Some(10),
        sack_permitted: true,
        timestamps: Some(timestamps),
        ..Options::default()
    };
    let syn = Segment {
        seq: 1_294_125_556,
        window: 64_240,
        flags: Flags::SYN,
        options: options((1_261_891_536, 0)),
        ..Segment::default()
    };
    let syn_ack = Segment {
        seq: 1_131_818_430,
        ack: 1_294_125_557,
        window: 65_160,
        flags: Flags::SYN.with(Flags::ACK),
        options: options((1_943_124_892, 1_261_891_536)),
        ..Segment::default()
    };
    assert_eq!((segment(SYN), segment(SYN_ACK)), (syn, syn_ack));
}

#[test]
fn its_data_are_read_as_tcpdump_shows_them() {
    let packet = data();
    let parsed = parse(&packet).unwrap();
    let expected = Segment {
        seq: 1_294_125_563,
        ack: 1_131_818_431,
        payload_bytes: 17,
        window: 63,
        flags: Flags::PSH.with(Flags::ACK),
        options: Options {
            timestamps: Some((1_261_891_940, 1_943_124_996)),
            ..Options::default()
        },
        ..Segment::default()
    };
    assert_eq!(
        (parsed.segment, parsed.payload),
        (expected, &b"Onramp says hello"[..])
    );
    let endpoints = Endpoints {
        source: "10.77.0.1:33054".parse().unwrap(),
        destination: "10.77.0.2:80".parse().unwrap(),
    };
    assert_eq!(
        (parsed.endpoints, parsed.identification),
        (endpoints, 32_620)
    );
}

#[test]
fn its_packets_over_ipv6_have_the_mss_and_the_endpoints_of_ipv6() {
    assert_eq!(segment(SYN_OVER_IPV6).options.mss, Some(1440));
    let packet = data_over_ipv6();
    let parsed = parse(&packet).unwrap();
    assert_eq!(parsed.payload, b"Onramp says hello");
    let endpoints = Endpoints {
        source: "[2001:db8::1]:58086".parse().unwrap(),
        destination: "[2001:db8::2]:80".parse().unwrap(),
    };
    assert_eq!(parsed.endpoints, endpoints);
}

#[test]
fn its_sack_blocks_are_read_latest_first_as_rfc_2018_section_4_has_them() {
    let first = 756_082_153;
    let beside_timestamps = blocks(&[5000, 3000, 1000].map(|gap| (first + gap, first + gap + 1)));
    assert_eq!(
        segment(SACK_BESIDE_TIMESTAMPS).options.sack,
        beside_timestamps
    );
    let first = 2_079_911_891;
    let four = blocks(&[7000, 5000, 3000, 1000].map(|gap| (first + gap, first + gap + 1)));
    assert_eq!(
        segment(SACK_OF_FOUR).options,
        Options {
            sack: four,
            ..Options::default()
        }
    );
}
