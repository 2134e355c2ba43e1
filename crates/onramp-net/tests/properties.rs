//! Whatever is offered, in whatever pattern, a link obeys these laws.

use onramp_net::{Bernoulli, Count, Discipline, DropTail, Limit, Link, Packet, Verdict};
use proptest::prelude::*;
use std::num::NonZeroU64;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbered {
    number: usize,
    bytes: u32,
}

impl Packet for Numbered {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }
}

#[derive(Clone, Debug)]
struct Setup {
    rate: u64,
    delay_ns: u64,
    limit: Limit,
    loss_ppm: u32,
    seed: u64,
    /// Pause before each packet, its size, and whether the driver polls before offering it.
    arrivals: Vec<(u64, u32, bool)>,
}

fn setups() -> impl Strategy<Value = Setup> {
    let limit = prop_oneof![(0u32..20).prop_map(Limit::Packets), (0u64..30_000).prop_map(Limit::Bytes)];
    let arrivals = proptest::collection::vec((0u64..3_000_000, 1u32..9000, any::<bool>()), 1..200);
    (
        1_000u64..2_000_000_000,
        0u64..50_000_000,
        limit,
        prop_oneof![Just(0u32), 0u32..=1_000_000],
        any::<u64>(),
        arrivals,
    )
        .prop_map(|(rate, delay_ns, limit, loss_ppm, seed, arrivals)| Setup {
            rate,
            delay_ns,
            limit,
            loss_ppm,
            seed,
            arrivals,
        })
}

struct Run {
    link: Link<Numbered>,
    verdicts: Vec<(u64, Numbered, Verdict)>,
    out: Vec<(u64, Numbered)>,
}

fn run(setup: &Setup, may_poll: bool) -> Run {
    let rate = NonZeroU64::new(setup.rate).unwrap();
    let loss = Bernoulli::new(setup.loss_ppm, setup.seed, 0);
    let mut link = Link::new(rate, setup.delay_ns, DropTail::new(setup.limit), loss);
    let (mut now_ns, mut verdicts, mut out) = (0, Vec::new(), Vec::new());
    for (number, &(pause_ns, bytes, poll)) in setup.arrivals.iter().enumerate() {
        now_ns += pause_ns;
        if poll && may_poll {
            out.extend(std::iter::from_fn(|| link.poll(now_ns)));
        }
        let packet = Numbered { number, bytes };
        verdicts.push((now_ns, packet, link.offer(now_ns, packet)));
    }
    out.extend(std::iter::from_fn(|| link.poll(u64::MAX / 2)));
    Run { link, verdicts, out }
}

fn count<'a>(packets: impl Iterator<Item = &'a Numbered>) -> Count {
    packets.fold(Count::default(), |sum, p| Count { packets: sum.packets + 1, bytes: sum.bytes + u64::from(p.bytes) })
}

proptest! {
    #[test]
    fn every_packet_is_accounted_for(setup in setups()) {
        let run = run(&setup, true);
        let stats = *run.link.stats();
        let of = |wanted: Verdict| count(run.verdicts.iter().filter(|(_, _, v)| *v == wanted).map(|(_, p, _)| p));
        prop_assert_eq!(stats.offered, count(run.verdicts.iter().map(|(_, p, _)| p)));
        prop_assert_eq!(stats.lost, of(Verdict::LostRandom));
        prop_assert_eq!(stats.dropped, of(Verdict::DroppedFull));
        prop_assert_eq!(stats.delivered, of(Verdict::Queued));
        prop_assert_eq!(stats.delivered, count(run.out.iter().map(|(_, p)| p)));
    }

    #[test]
    fn packets_leave_in_the_order_in_which_they_came(setup in setups()) {
        let run = run(&setup, true);
        prop_assert!(run.out.windows(2).all(|pair| pair[0].1.number < pair[1].1.number && pair[0].0 <= pair[1].0));
    }

    /// Each departure is that of a packet that starts at its arrival or at its predecessor's end, to the
    /// nanosecond; checked with 128-bit fractions, without carried remainders.
    #[test]
    fn departures_are_those_of_an_ideal_serialiser(setup in setups()) {
        let run = run(&setup, true);
        let rate = u128::from(setup.rate);
        let mut free_at = 0u128; // in ns x rate
        let queued = run.verdicts.iter().filter(|(_, _, verdict)| *verdict == Verdict::Queued);
        for ((arrival_ns, packet, _), (due_ns, out)) in queued.zip(&run.out) {
            let end = free_at.max(u128::from(*arrival_ns) * rate) + u128::from(packet.bytes) * 8_000_000_000;
            prop_assert_eq!(packet, out);
            prop_assert_eq!(u128::from(*due_ns), end / rate + u128::from(setup.delay_ns));
            free_at = end;
        }
    }

    #[test]
    fn the_queue_keeps_its_limit(setup in setups()) {
        let mut run = run(&setup, true);
        let peak = run.link.stats().peak_queue;
        match setup.limit {
            Limit::Packets(limit) => prop_assert!(peak.packets <= u64::from(limit)),
            Limit::Bytes(limit) => prop_assert!(peak.bytes <= limit),
        }
        prop_assert_eq!(run.link.queue(u64::MAX / 2).packets(), 0);
    }

    /// When the driver looks is of no consequence: the link's times are its own.
    #[test]
    fn looking_changes_nothing(setup in setups()) {
        prop_assert_eq!(run(&setup, true).out, run(&setup, false).out);
    }
}
