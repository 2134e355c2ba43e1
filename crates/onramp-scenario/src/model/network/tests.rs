use super::*;
use proptest::prelude::*;

/// Links between nodes by their numbers; rates and delays grow with the link's place.
fn network(nodes: usize, ends: &[(usize, usize)]) -> Network {
    let plain = crate::parse(
        "x.toml",
        "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"2 ms\"\n\
         [[transfer]]\nsize = \"1 B\"\n",
    );
    let plain = plain.unwrap().cases.remove(0).network.links[0].clone();
    let link = |(place, &(from, to)): (u64, &(usize, usize))| {
        let with = |channel: &Channel, delay_ns| Channel {
            rate_bits_per_s: 1_000_000 * (place + 1),
            delay_ns,
            ..channel.clone()
        };
        let (forward, reverse) = (
            with(&plain.forward, 10 * (place + 1)),
            with(&plain.reverse, place + 1),
        );
        NetworkLink {
            from,
            to,
            mtu_bytes: 1500 - place as u32,
            forward,
            reverse,
        }
    };
    Network {
        nodes: (0..nodes).map(|n| n.to_string()).collect(),
        links: (0..).zip(ends).map(link).collect(),
    }
}

fn nodes_of(network: &Network, from: usize, route: &[Hop]) -> Vec<usize> {
    let mut nodes = vec![from];
    for hop in route {
        let link = &network.links[hop.link];
        let (start, end) = if hop.is_forward {
            (link.from, link.to)
        } else {
            (link.to, link.from)
        };
        assert_eq!(nodes.last(), Some(&start));
        nodes.push(end);
    }
    nodes
}

#[test]
fn of_equally_short_routes_the_one_with_the_first_link_is_taken() {
    let square = network(4, &[(0, 2), (1, 0), (1, 3), (3, 2)]);
    assert_eq!(
        nodes_of(&square, 0, &square.route(0, 3).unwrap()),
        [0, 2, 3]
    );
    assert_eq!(
        nodes_of(&square, 3, &square.route(3, 0).unwrap()),
        [3, 1, 0]
    );
    let twice = network(2, &[(1, 0), (0, 1)]);
    assert_eq!(
        twice.route(0, 1).unwrap(),
        [Hop {
            link: 0,
            is_forward: false
        }]
    );
}

#[test]
fn no_route_leads_between_islands() {
    let islands = network(4, &[(0, 1), (2, 3)]);
    assert_eq!(islands.islands(), [0, 0, 2, 2]);
    assert_eq!((islands.route(0, 3), islands.path(3, 1)), (None, None));
    assert_eq!(
        (islands.route(1, 1), islands.path(1, 1)),
        (Some(vec![]), None)
    );
}

#[test]
fn a_path_has_the_slowest_channel_and_all_delays() {
    let line = network(4, &[(1, 2), (1, 0), (2, 3)]);
    let path = line.path(0, 3).unwrap();
    assert_eq!(
        (path.forward.rate_bits_per_s, path.reverse.rate_bits_per_s),
        (1_000_000, 1_000_000)
    );
    // The forward path passes link 1 backwards, and links 0 and 2 forwards. The return path
    // passes their other channels.
    assert_eq!(
        (path.forward.delay_ns, path.reverse.delay_ns),
        (2 + 10 + 30, 20 + 1 + 3)
    );
    assert_eq!((path.rtt_ns, path.mtu_bytes), (66, 1498));
}

#[test]
fn the_bottleneck_is_the_link_with_the_smallest_capacity_per_copy() {
    let text = include_str!("../../../../../scenarios/wan.toml");
    let case = crate::parse("wan.toml", text).unwrap().cases.remove(0);
    assert_eq!(case.path.forward.rate_bits_per_s, 155_520_000);
    assert_eq!(case.path.reverse.rate_bits_per_s, 155_520_000);
    assert_eq!(case.path.reverse.framing, crate::Framing::Aal5);
    let alone = case
        .network
        .path(case.transfer.from[0], case.transfer.to[0])
        .unwrap();
    assert_eq!(
        (alone.forward.rate_bits_per_s, alone.rtt_ns),
        (100_000_000, case.path.rtt_ns)
    );
    let one = crate::parse("wan.toml", &text.replace("count = 8", "count = 1"))
        .unwrap()
        .cases
        .remove(0);
    assert_eq!(one.path, alone);
}

#[test]
fn a_shaped_link_is_as_slow_as_its_shaper() {
    let mut line = network(3, &[(0, 1), (1, 2)]);
    line.links[1].forward.shaper = Some(crate::TokenBucket {
        rate_bits_per_s: 500,
        burst_bytes: 3_000,
    });
    assert_eq!(line.path(0, 2).unwrap().forward.rate_bits_per_s, 2_000_000);
}

#[test]
fn a_path_s_network_has_that_path() {
    let path = network(2, &[(0, 1)]).path(0, 1).unwrap();
    assert_eq!(path.network().path(0, 1), Some(path.clone()));
}

proptest! {
    #[test]
    fn both_directions_are_equally_short_and_each_hop_leads_nearer(
        ends in prop::collection::vec((0usize..7, 0usize..7), 1..14),
        from in 0usize..7,
        to in 0usize..7,
    ) {
        let network = network(7, &ends);
        let (there, back) = (network.route(from, to), network.route(to, from));
        prop_assert_eq!(there.as_ref().map(Vec::len), back.as_ref().map(Vec::len));
        prop_assert_eq!(there.is_some(), network.islands()[from] == network.islands()[to]);
        if let Some(route) = there {
            let nodes = nodes_of(&network, from, &route);
            prop_assert_eq!(nodes.last(), Some(&to));
            for (at, node) in nodes.iter().enumerate() {
                prop_assert_eq!(network.route(*node, to).unwrap(), &route[at..]);
            }
        }
    }
}
