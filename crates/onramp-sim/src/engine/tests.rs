//! Tests of the engine without TCP: datagrams over links.

use super::{Engine, RunResult};
use crate::observe::{Direction, DropReason, FlowStart, NoObserver, Observer, PacketEvent};
use crate::plan::{Datagrams, Load, Plan};
use crate::routes::Routes;
use onramp_net::{Aggregation, Change, Config, Count, Jitter, Limit, LossConfig, QueueConfig};
use onramp_scenario::random::Stream;
use onramp_scenario::{Distribution, OnOff, Packets, TrafficKind};
use proptest::prelude::*;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::AtomicBool;

/// 12 Mbit/s: a packet of 1500 bytes takes a millisecond.
fn link(delay_ns: u64, packets: u32) -> Config {
    Config::plain(
        NonZeroU64::new(12_000_000).unwrap(),
        delay_ns,
        Limit::Packets(packets),
    )
}

fn datagrams(route: u32, rate_bits_per_s: u64, stop_ns: u64) -> Load {
    source(
        route,
        &TrafficKind::Constant(packets(rate_bits_per_s)),
        stop_ns,
    )
}

fn source(route: u32, kind: &TrafficKind, stop_ns: u64) -> Load {
    let (from, to, bottleneck, traffic) = (0, 1, 0, 0);
    let times = onramp_scenario::Datagrams::new(kind, 0..stop_ns, Stream::new(1));
    Load::Datagrams(Datagrams {
        route,
        from,
        to,
        bottleneck,
        traffic,
        dscp: onramp_scenario::Dscp::BestEffort,
        times: times.expect("the kind has datagrams"),
    })
}

fn packets(rate_bits_per_s: u64) -> Packets {
    Packets {
        rate_bits_per_s,
        packet_bytes: 1500,
    }
}

fn plan(
    links: Vec<Config>,
    routes: &[&[u32]],
    rate_bits_per_s: u64,
    stop_ns: u64,
    until_ns: u64,
) -> Plan {
    let mut arena = Routes::default();
    let loads = routes
        .iter()
        .map(|route| {
            datagrams(
                arena.add(route, Direction::Datagram),
                rate_bits_per_s,
                stop_ns,
            )
        })
        .collect();
    // A run without transfers continues as long as a meter time remains.
    let meter_ns = vec![until_ns.min(u64::MAX - 1)];
    Plan {
        links,
        routes: arena,
        groups: Vec::new(),
        loads,
        meter_ns,
        until_ns,
        seed: 1,
    }
}

/// The events of a run, in order.
#[derive(Default)]
struct Log(Vec<(&'static str, u32, u64)>);

impl Observer for Log {
    fn flow_started(&mut self, flow: &FlowStart) {
        self.0.push(("flow", flow.flow, flow.time_ns));
    }
    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.0.push(("sent", packet.flow, packet.time_ns));
    }
    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        self.0.push(("arrived", packet.flow, packet.time_ns));
    }
    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.0.push(("entered", link, packet.time_ns));
    }
    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.0.push(("departed", link, packet.time_ns));
    }
    fn dropped(&mut self, link: u32, _why: DropReason, packet: &PacketEvent<'_>) {
        self.0.push(("dropped", link, packet.time_ns));
    }
}

fn run(plan: Plan) -> (RunResult, Vec<(&'static str, u32, u64)>) {
    let (result, log) = Engine::new(plan, Log::default())
        .unwrap()
        .run(&AtomicBool::new(false))
        .unwrap();
    (result, log.0)
}

#[test]
fn a_packet_takes_the_serialisation_time_and_the_delay_of_each_link() {
    let (result, log) = run(plan(
        vec![link(5_000_000, 9), link(700, 9)],
        &[&[0, 1]],
        1_000,
        1,
        u64::MAX,
    ));
    let ms = 1_000_000;
    let wanted = [
        ("flow", 0, 0),
        ("sent", 0, 0),
        ("entered", 0, 0),
        ("departed", 0, 6 * ms),
        ("entered", 1, 6 * ms),
        ("departed", 1, 7 * ms + 700),
        ("arrived", 0, 7 * ms + 700),
    ];
    assert_eq!(log, wanted);
    assert_eq!(
        (result.net.sent, result.net.in_flight, result.meter),
        (1, 0, vec![(u64::MAX - 1, 1472)])
    );
}

#[test]
fn at_the_same_nanosecond_links_act_before_sources_and_in_order() {
    // Both sources send every millisecond, and packets leave both links at the same milliseconds.
    let (_, log) = run(plan(
        vec![link(0, 9), link(0, 9)],
        &[&[1], &[0]],
        12_000_000,
        2_000_001,
        u64::MAX,
    ));
    let at_1_ms: Vec<_> = log
        .into_iter()
        .filter(|(_, _, ns)| *ns == 1_000_000)
        .map(|(what, n, _)| (what, n))
        .collect();
    let wanted = [
        ("departed", 0),
        ("arrived", 1),
        ("departed", 1),
        ("arrived", 0),
        ("sent", 0),
        ("entered", 1),
        ("sent", 1),
        ("entered", 0),
    ];
    assert_eq!(at_1_ms, wanted);
}

#[test]
fn a_full_queue_drops_arriving_packets() {
    // Twice the link's rate: one packet is in service and three are queued, then every other packet
    // is dropped.
    let (result, log) = run(plan(
        vec![link(0, 3)],
        &[&[0]],
        24_000_000,
        100_000_000,
        u64::MAX,
    ));
    let dropped = log.iter().filter(|(what, ..)| *what == "dropped").count() as u64;
    assert_eq!(
        (result.net.sent, result.net.links[0].dropped.packets),
        (200, dropped)
    );
    assert!((94..=98).contains(&dropped), "{dropped}");
    assert_eq!(result.net.in_flight, 0);
}

#[test]
fn a_run_ends_at_its_duration_with_packets_in_flight() {
    let (result, log) = run(plan(
        vec![link(50_000_000, 9)],
        &[&[0]],
        12_000_000,
        u64::MAX,
        20_000_000,
    ));
    assert!(log.iter().all(|(_, _, ns)| *ns <= 20_000_000));
    assert_eq!((result.net.sent, result.net.in_flight as u64), (21, 21));
}

/// Routes over a bottleneck, link 1, which a host and link 0 feed. Two links come after it, one of
/// them with a third behind it. So links 1 and 2 can offer packets ahead of time.
const TREE: [&[u32]; 3] = [&[0, 1, 2, 3], &[1, 4], &[0, 1, 4]];

proptest! {
    #[test]
    fn links_that_offer_packets_ahead_of_time_change_no_result(
        delays in prop::collection::vec(0u64..30_000_000, 5),
        megabits in prop::collection::vec(1u64..40, 5),
        queues in prop::collection::vec(0u32..20, 5),
        loss_ppm in prop::collection::vec(0u32..100_000, 5),
        rate in 1_000_000u64..50_000_000,
        until_ns in 1_000_000u64..200_000_000,
    ) {
        let links: Vec<Config> = (0..5).map(|number| {
            let mut config = link(delays[number], queues[number]);
            config.rate_bits_per_s = NonZeroU64::new(megabits[number] * 1_000_000).unwrap();
            config.loss = LossConfig::Bernoulli { ppm: loss_ppm[number] };
            config.seed = number as u64;
            config
        }).collect();
        let plan = || plan(links.clone(), &TREE, rate, 100_000_000, until_ns);
        let (in_order, log) = run(plan());
        let engine = Engine::new(plan(), NoObserver).unwrap();
        let (ahead, _) = engine.run(&AtomicBool::new(false)).unwrap();
        let needs_no_event = log.iter().any(|(what, link, _)| *what == "departed" && *link == 1);
        prop_assert_eq!(ahead.events < in_order.events, needs_no_event);
        prop_assert_eq!(&ahead.net, &in_order.net);
        prop_assert_eq!(&ahead.meter, &in_order.meter);
        prop_assert_eq!(ahead.end_ns, in_order.end_ns);
    }

    #[test]
    fn packets_are_conserved_and_a_drained_run_has_no_packets_in_flight(
        delays in prop::collection::vec(0u64..30_000_000, 3),
        queue in 0u32..20,
        loss_ppm in 0u32..300_000,
        duplicate_ppm in 0u32..300_000,
        rate in 1_000_000u64..50_000_000,
        codel in any::<bool>(),
        jitter in prop::option::of((0u64..20_000_000, any::<bool>())),
        hold in prop::option::of((1u64..10_000_000, 1u32..9)),
        slower_at_ms in prop::option::of(1u64..150),
        until_ms in prop::option::of(1u64..200),
    ) {
        let links: Vec<Config> = (0..).zip(&delays).map(|(seed, &delay_ns)| {
            let mut config = link(delay_ns, queue);
            config.loss = LossConfig::Bernoulli { ppm: loss_ppm };
            (config.duplicate_ppm, config.seed) = (duplicate_ppm, seed);
            config.jitter = jitter.map(|(max_ns, reorder)| Jitter { max_ns, reorder });
            config.aggregation = hold.map(|(interval_ns, most)| {
                let max_packets = NonZeroU32::new(most).unwrap();
                Aggregation { interval_ns, in_slots: false, gap_ns: 0, max_packets }
            });
            config.changes.extend(slower_at_ms.map(|ms| Change {
                at_ns: ms * 1_000_000,
                rate_bits_per_s: NonZeroU64::new(3_000_000),
                delay_ns: Some(1_000_000),
                loss_ppm: Some(2 * loss_ppm),
            }));
            if codel {
                config.queue = QueueConfig::CoDel(onramp_net::CoDelConfig::default());
            }
            config
        }).collect();
        let until_ns = until_ms.map_or(u64::MAX, |ms| ms * 1_000_000);
        let routes: [&[u32]; 3] = [&[0, 1], &[2, 1], &[1]];
        let (result, log) = run(plan(links, &routes, rate, 100_000_000, until_ns));
        let count = |what| log.iter().filter(|(seen, ..)| *seen == what).count() as u64;
        let sum = |of: fn(&onramp_net::LinkStats) -> Count| {
            result.net.links.iter().map(|link| of(link).packets).sum::<u64>()
        };
        prop_assert_eq!(count("sent"), result.net.sent);
        let dropped =
            sum(|link| link.lost) + sum(|link| link.dropped) + sum(|link| link.evicted);
        prop_assert_eq!(count("dropped"), dropped);
        let copies = sum(|link| link.duplicated);
        let gone = count("arrived") + count("dropped");
        prop_assert_eq!(count("sent") + copies, gone + result.net.in_flight as u64);
        if until_ms.is_none() {
            prop_assert_eq!(result.net.in_flight, 0);
        }
    }
}

#[test]
fn an_on_off_source_pauses_at_its_times() {
    let mut plan = plan(vec![link(0, 9)], &[&[0]], 12_000_000, 20_000_000, u64::MAX);
    let on_off = OnOff {
        on: packets(12_000_000),
        mean_on_ns: 2_000_000,
        mean_off_ns: 8_000_000,
        distribution: Distribution::Fixed,
    };
    plan.loads = vec![source(0, &TrafficKind::OnOff(on_off), 20_000_000)];
    let (_, log) = run(plan);
    let sent_ms: Vec<u64> = log
        .iter()
        .filter(|(what, ..)| *what == "sent")
        .map(|(_, _, ns)| ns / 1_000_000)
        .collect();
    assert_eq!(sent_ms, [0, 1, 10, 11]);
}

#[test]
fn fq_codel_has_a_queue_for_each_source_of_datagrams() {
    let mut config = link(0, 0);
    config.queue = QueueConfig::FqCoDel(onramp_net::FqCoDelConfig::default());
    let mut plan = plan(
        vec![config],
        &[&[0], &[0]],
        24_000_000,
        2_000_000_000,
        u64::MAX,
    );
    plan.loads.truncate(1);
    plan.loads.push(datagrams(0, 1_000_000, 2_000_000_000));
    let (result, log) = run(plan);
    let count = |what| {
        log.iter()
            .filter(|(seen, flow, _)| *seen == what && *flow == 1)
            .count()
    };
    assert!(
        result.net.links[0].evicted.packets > 100,
        "the other flow has a persistent queue"
    );
    assert_eq!((count("sent"), count("arrived")), (167, 167));
}
