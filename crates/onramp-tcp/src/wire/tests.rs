//! Writes and reads random segments, and checks [`properties`] on the seeds of `fuzz/` and on
//! mutations of them.

use super::{parse, properties, write, Endpoints};
use crate::{EcnField, Flags, Options, PairOptions, SackBlocks, Segment};
use onramp_core::pairs::{Form, PairOption};
use proptest::prelude::*;
use std::net::{SocketAddrV4, SocketAddrV6};
use std::path::Path;

fn any_pairs() -> impl Strategy<Value = PairOptions> {
    let mark =
        prop::option::of((0u8..=2, any::<u8>()).prop_map(|(kind, id)| PairOption::of(kind, id)));
    // In ticks of 10 ms, which both forms can express.
    let reply =
        (any::<u8>(), 0u32..=420).prop_map(|(id, ticks)| PairOption::reply(id, ticks * 10_000_000));
    (
        prop::sample::select(Form::ALL.to_vec()),
        mark,
        prop::option::of(reply),
    )
        .prop_map(|(form, mark, reply)| {
            let form = (mark.is_some() || reply.is_some()).then_some(form);
            PairOptions {
                form,
                mark,
                reply,
                malformed: 0,
            }
        })
}

fn any_options() -> impl Strategy<Value = Options> {
    let sack = prop::collection::vec(any::<(u32, u32)>(), 0..=4).prop_map(|blocks| {
        blocks
            .iter()
            .fold(SackBlocks::default(), |mut sack, (left, right)| {
                sack.push(*left, *right);
                sack
            })
    });
    (
        any::<Option<u16>>(),
        prop::option::of(0u8..=14),
        any::<bool>(),
        any::<Option<(u32, u32)>>(),
        sack,
        any_pairs(),
    )
        .prop_map(
            |(mss, window_scale, sack_permitted, timestamps, sack, pairs)| Options {
                mss,
                window_scale,
                sack_permitted,
                timestamps,
                sack,
                pairs,
            },
        )
        .prop_filter("at most 40 bytes of options", |options| {
            options.wire_bytes() <= 40
        })
}

prop_compose! {
    fn any_segment()(
        (seq, ack, window, flags) in any::<(u32, u32, u16, u8)>(),
        payload_bytes in 0u32..1500,
        options in any_options(),
        tos in any::<u8>(),
    ) -> Segment {
        let ecn = EcnField::of_tos(tos);
        Segment { seq, ack, payload_bytes, window, flags: Flags(flags), ecn, options }
    }
}

fn any_endpoints() -> impl Strategy<Value = Endpoints> {
    let v4 = any::<(SocketAddrV4, SocketAddrV4)>().prop_map(|(from, to)| (from.into(), to.into()));
    // A packet has neither the scope nor the flow information of a socket's address.
    let plain = |address: SocketAddrV6| SocketAddrV6::new(*address.ip(), address.port(), 0, 0);
    let v6 = any::<(SocketAddrV6, SocketAddrV6)>()
        .prop_map(move |(from, to)| (plain(from).into(), plain(to).into()));
    prop_oneof![v4, v6].prop_map(|(source, destination)| Endpoints {
        source,
        destination,
    })
}

/// The files of one folder of seeds, sorted by name.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let mut paths: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// A seed with up to three of its pieces replaced.
fn mutated(target: &str) -> impl Strategy<Value = Vec<u8>> {
    let change = (
        any::<prop::sample::Index>(),
        0usize..5,
        prop::collection::vec(any::<u8>(), 0..5),
    );
    (
        prop::sample::select(seeds(target)),
        prop::collection::vec(change, 1..=3),
    )
        .prop_map(|(mut bytes, changes)| {
            for (index, cut, piece) in changes {
                let start = index.index(bytes.len() + 1);
                let end = (start + cut).min(bytes.len());
                bytes.splice(start..end, piece);
            }
            bytes
        })
}

#[test]
fn the_seeds_have_the_properties() {
    seeds("packet")
        .iter()
        .for_each(|bytes| properties::packet(bytes));
    seeds("options")
        .iter()
        .for_each(|bytes| properties::tcp_options(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn a_segment_is_read_as_it_was_written(
        segment in any_segment(),
        endpoints in any_endpoints(),
        identification in any::<u16>(),
        bit in any::<usize>(),
    ) {
        let bytes: Vec<u8> = (0..segment.payload_bytes)
            .map(|index| (index ^ segment.seq) as u8)
            .collect();
        let mut packet = Vec::new();
        let fill = |payload: &mut [u8]| payload.copy_from_slice(&bytes);
        write(&segment, &endpoints, identification, fill, &mut packet).unwrap();
        prop_assert_eq!(packet.len(), segment.wire_bytes(endpoints.ip()) as usize);
        let parsed = parse(&packet).unwrap();
        prop_assert_eq!((parsed.segment, parsed.endpoints), (segment, endpoints));
        prop_assert_eq!(parsed.payload, &bytes[..]);
        let identification = if endpoints.source.is_ipv4() { identification } else { 0 };
        prop_assert_eq!((parsed.identification, parsed.unknown_options), (identification, 0));
        properties::flipped(packet, bit);
    }

    #[test]
    fn mutations_of_packets(bytes in mutated("packet")) {
        properties::packet(&bytes);
    }

    #[test]
    fn mutations_of_options(bytes in mutated("options")) {
        properties::tcp_options(&bytes);
    }

    #[test]
    fn any_bytes_for_options(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        properties::tcp_options(&bytes);
    }
}
