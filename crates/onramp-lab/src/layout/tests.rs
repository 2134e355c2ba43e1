//! Routes of paths and networks.

use super::*;
use onramp_scenario::Place;

const DUMBBELL: &str = include_str!("../../../../scenarios/wan.toml");

fn case(text: &str) -> Case {
    onramp_scenario::parse("x.toml", text)
        .unwrap()
        .cases
        .remove(0)
}

fn path(tables: &str) -> Case {
    case(&format!(
        "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \"1 \
         B\"\n{tables}"
    ))
}

fn packet(source: IpAddr, destination: IpAddr) -> Vec<u8> {
    let mut packet = vec![0; 60];
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            packet[0] = 0x45;
            packet[12..16].copy_from_slice(&source.octets());
            packet[16..20].copy_from_slice(&destination.octets());
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            packet[0] = 0x60;
            packet[8..24].copy_from_slice(&source.octets());
            packet[24..40].copy_from_slice(&destination.octets());
        }
        _ => panic!("{source} and {destination} are of different versions"),
    }
    packet
}

/// The numbers of the directed links that a packet between two addresses crosses, and the host
/// where it arrives.
fn route(
    wiring: &Wiring,
    from: Side,
    source: IpAddr,
    destination: IpAddr,
) -> Option<(Vec<u32>, Side)> {
    let mut position = wiring.lookup.route(&packet(source, destination), from)?;
    let mut links = Vec::new();
    loop {
        match wiring.routes.at(position) {
            Place::Link(wire) => links.push(wiring.wires[wire as usize].number),
            Place::Host(side) => return Some((links, side)),
        }
        position += 1;
    }
}

#[test]
fn a_path_is_one_link_in_each_direction() {
    let case = path("[[traffic]]\n");
    let layout = Layout::of(&case);
    let wiring = layout.wiring(&case);
    for Ends { sender, receiver } in [layout.hops(0)[0], layout.competing(0)] {
        assert_eq!(
            route(&wiring, Side::Sender, sender, receiver),
            Some((vec![0], Side::Receiver))
        );
        assert_eq!(
            route(&wiring, Side::Receiver, receiver, sender),
            Some((vec![1], Side::Sender))
        );
    }
    assert_ne!(layout.hops(0)[0].receiver, layout.competing(0).receiver);
    assert_eq!(
        wiring
            .wires
            .iter()
            .map(|wire| wire.slack_ns)
            .collect::<Vec<_>>(),
        [0, 0]
    );
}

#[test]
fn each_copy_has_the_route_between_its_ends() {
    let case = case(DUMBBELL);
    let layout = Layout::of(&case);
    let wiring = layout.wiring(&case);
    assert_eq!((wiring.wires.len(), wiring.links), (34, 34));
    for copy in 0..8 {
        let Ends { sender, receiver } = layout.hops(copy)[0];
        // In the file the bottleneck comes first, then the senders' links, then the receivers'.
        let (access, exit) = (2 * (1 + copy as u32), 2 * (9 + copy as u32));
        assert_eq!(
            route(&wiring, Side::Sender, sender, receiver),
            Some((vec![access, 0, exit], Side::Receiver))
        );
        let return_path = vec![exit + 1, 1, access + 1];
        assert_eq!(
            route(&wiring, Side::Receiver, receiver, sender),
            Some((return_path, Side::Sender))
        );
        assert_eq!(layout.bottleneck(copy), 0);
    }
    let slack = |number: u32| {
        wiring
            .wires
            .iter()
            .find(|wire| wire.number == number)
            .unwrap()
            .slack_ns
    };
    assert_eq!([slack(2), slack(0), slack(18)], [29_000_000, 1_000_000, 0]);
}

#[test]
fn copies_share_addresses_if_there_are_more_copies_than_nodes() {
    let case = case(&DUMBBELL.replace("count = 8", "count = 20"));
    let layout = Layout::of(&case);
    assert_eq!(
        (
            layout.sender_addresses().len(),
            layout.receiver_addresses().len()
        ),
        (8, 8)
    );
    assert_eq!(
        (layout.hops(3)[0], layout.hops(4)[0]),
        (layout.hops(19)[0], layout.hops(12)[0])
    );
}

#[test]
fn a_transfer_against_the_direction_of_a_link_crosses_it_in_reverse() {
    let case = path("from = \"receiver\"\nto = \"sender\"\n");
    let layout = Layout::of(&case);
    let (wiring, Ends { sender, receiver }) = (layout.wiring(&case), layout.hops(0)[0]);
    assert_eq!(
        route(&wiring, Side::Sender, sender, receiver),
        Some((vec![1], Side::Receiver))
    );
    assert_eq!(layout.bottleneck(0), 1);
}

#[test]
fn nodes_have_addresses_of_the_versions_that_flows_use() {
    let versions = |tables: &str| {
        let layout = Layout::of(&path(tables));
        let addresses = layout.receiver_addresses();
        addresses
            .iter()
            .map(|(address, _)| IpVersion::of(address))
            .collect::<Vec<_>>()
    };
    assert_eq!(versions(""), [IpVersion::V4]);
    assert_eq!(versions("ip = \"v6\"\n"), [IpVersion::V6]);
    // Each version has an address for transfers and one for competing flows.
    let both = [IpVersion::V4, IpVersion::V4, IpVersion::V6, IpVersion::V6];
    assert_eq!(versions("ip = \"v6\"\n[[traffic]]\n"), both);
}

#[test]
fn flows_of_both_versions_have_the_same_routes() {
    let case = path("ip = \"v6\"\n[[traffic]]\n");
    let layout = Layout::of(&case);
    let wiring = layout.wiring(&case);
    for Ends { sender, receiver } in [layout.hops(0)[0], layout.competing(0)] {
        assert_eq!(
            route(&wiring, Side::Sender, sender, receiver),
            Some((vec![0], Side::Receiver))
        );
    }
    assert!(layout.hops(0)[0].sender.is_ipv6() && layout.competing(0).sender.is_ipv4());
}

#[test]
fn packets_of_others_have_no_route() {
    let case = path("");
    let layout = Layout::of(&case);
    let (wiring, Ends { sender, receiver }) = (layout.wiring(&case), layout.hops(0)[0]);
    let other = "10.0.0.1".parse().unwrap();
    for (source, destination) in [
        (sender, other),
        (other, receiver),
        (receiver, sender),
        (sender, sender),
    ] {
        assert_eq!(route(&wiring, Side::Sender, source, destination), None);
    }
    // The kernel's packets to neighbours and routers.
    let link_local = packet("fe80::1".parse().unwrap(), "ff02::2".parse().unwrap());
    assert_eq!(wiring.lookup.route(&link_local, Side::Sender), None);
    assert_eq!(wiring.lookup.route(&[0x60; 39], Side::Sender), None);
    assert_eq!(wiring.lookup.route(&[0x45; 19], Side::Sender), None);
    assert_eq!(wiring.lookup.route(&[], Side::Sender), None);
}

#[test]
fn a_path_for_any_packet_carries_all_but_multicast_and_link_local() {
    let case = path("count = 3\n[[traffic]]\n");
    let layout = Layout::of_path(&case, IpVersion::ALL.to_vec());
    assert_eq!(layout.first_copy().len(), 2);
    let wiring = layout.wiring(&case).for_any_packet();
    let route = |source: &str, destination: &str, from| {
        let ends = [source, destination].map(|address| address.parse().unwrap());
        route(&wiring, from, ends[0], ends[1])
    };
    let there = Some((vec![0], Side::Receiver));
    let back = Some((vec![1], Side::Sender));
    assert_eq!(route("10.0.0.1", "192.0.2.1", Side::Sender), there);
    assert_eq!(route("2001:db8::1", "2001:db8::2", Side::Receiver), back);
    assert_eq!(route("10.0.0.1", "224.0.0.251", Side::Sender), None);
    assert_eq!(route("fe80::1", "ff02::2", Side::Receiver), None);
    assert_eq!(route("fe80::1", "fe80::2", Side::Receiver), None);
}
