//! Whatever is offered, in whatever pattern, a link obeys these laws: a plain one those of a
//! serialiser and its queue, any one those of conservation and determinism.

#[path = "links/mod.rs"]
mod links;

use links::{any_setups, count, expedited_setups, plain_setups, run, Numbered};
use onramp_net::{Config, Count, Limit, QueueConfig, Verdict};
use proptest::prelude::*;

proptest! {
    #[test]
    fn packets_leave_in_the_order_in_which_they_came(setup in plain_setups()) {
        let run = run(&setup, true);
        prop_assert!(run.out.is_sorted_by(|a, b| a.packet.number < b.packet.number && a.due_ns <= b.due_ns));
    }

    /// Each departure is that of a packet that starts at its arrival or at its predecessor's end,
    /// to the nanosecond; checked with 128-bit fractions, without carried remainders.
    #[test]
    fn departures_are_those_of_an_ideal_serialiser(setup in plain_setups()) {
        let run = run(&setup, true);
        let rate = u128::from(setup.config.rate_bits_per_s.get());
        let mut free_at = 0u128; // in ns x rate
        let queued = run.verdicts.iter().filter(|(_, _, verdict)| *verdict == Verdict::Queued);
        for ((arrival_ns, packet, _), left) in queued.zip(&run.out) {
            let end = free_at.max(u128::from(*arrival_ns) * rate) + u128::from(packet.bytes) * 8_000_000_000;
            prop_assert_eq!(*packet, left.packet);
            prop_assert_eq!(u128::from(left.due_ns), end / rate + u128::from(setup.config.delay_ns));
            free_at = end;
        }
    }

    #[test]
    fn the_queue_keeps_its_limit(setup in plain_setups()) {
        let mut run = run(&setup, true);
        let peak = run.link.stats().peak_queue;
        match setup.config.queue {
            QueueConfig::DropTail(Limit::Packets(limit)) => prop_assert!(peak.packets <= u64::from(limit)),
            QueueConfig::DropTail(Limit::Bytes(limit)) => prop_assert!(peak.bytes <= limit),
            _ => unreachable!("plain links have drop-tail queues"),
        }
        prop_assert_eq!(run.link.queue(u64::MAX / 2), Count::default());
    }

    #[test]
    fn every_packet_is_accounted_for(setup in any_setups()) {
        let run = run(&setup, true);
        let stats = run.link.stats();
        let of = |wanted: &[Verdict]| {
            count(run.verdicts.iter().filter(|(_, _, verdict)| wanted.contains(verdict)).map(|(_, packet, _)| packet))
        };
        prop_assert_eq!(stats.offered, count(run.verdicts.iter().map(|(_, packet, _)| packet)));
        prop_assert_eq!(stats.policed, of(&[Verdict::Policed]));
        prop_assert_eq!(stats.lost, of(&[Verdict::LostRandom]));
        prop_assert_eq!(stats.dropped, of(&[Verdict::DroppedFull, Verdict::DroppedEarly]));
        prop_assert_eq!(stats.evicted, count(&run.dropped));
        prop_assert_eq!(stats.delivered, count(run.out.iter().map(|left| &left.packet)));
        prop_assert_eq!(stats.duplicated, count(run.out.iter().filter(|left| left.copy).map(|left| &left.packet)));
        // Nothing is left inside: each accepted packet came out exactly once, or was handed back.
        let originals = run.out.iter().filter(|left| !left.copy).map(|left| left.packet);
        let mut returned: Vec<Numbered> = originals.chain(run.dropped.iter().copied()).collect();
        returned.sort_by_key(|packet| packet.number);
        let queued = run.verdicts.iter().filter(|(_, _, verdict)| *verdict == Verdict::Queued);
        prop_assert!(queued.map(|(_, packet, _)| *packet).eq(returned));
    }

    #[test]
    fn departures_are_in_order_of_time_and_copies_before_originals(setup in any_setups()) {
        let run = run(&setup, true);
        prop_assert!(run.out.is_sorted_by_key(|left| left.due_ns));
        for pair in run.out.windows(2).filter(|pair| pair[0].copy) {
            prop_assert!(pair[1].packet == pair[0].packet && pair[1].due_ns == pair[0].due_ns && !pair[1].copy);
        }
        prop_assert!(run.out.last().is_none_or(|last| !last.copy));
    }

    /// Flows that are queued apart may overtake each other, and jitter may let anyone; otherwise
    /// nobody does.
    #[test]
    fn only_those_overtake_that_may(setup in any_setups()) {
        if setup.config.jitter.is_some_and(|jitter| jitter.reorder) {
            return Ok(());
        }
        let run = run(&setup, true);
        let apart = matches!(setup.config.queue, QueueConfig::FqCoDel(_)) || setup.config.expedited.is_some();
        for flow in 0..4 {
            let of_flow = run.out.iter().filter(|left| !left.copy && (!apart || left.packet.flow == flow));
            prop_assert!(of_flow.is_sorted_by(|a, b| a.packet.number < b.packet.number));
        }
    }

    #[test]
    fn the_same_seed_does_the_same(setup in any_setups()) {
        let (one, other) = (run(&setup, true), run(&setup, true));
        prop_assert_eq!(one.out, other.out);
        prop_assert_eq!(one.link.stats(), other.link.stats());
    }

    /// When the driver looks is of no consequence: the link's times are its own.
    #[test]
    fn looking_changes_nothing(setup in any_setups()) {
        let (looking, waiting) = (run(&setup, true), run(&setup, false));
        prop_assert_eq!(looking.out, waiting.out);
        prop_assert_eq!(looking.dropped, waiting.dropped);
        prop_assert_eq!(looking.link.stats(), waiting.link.stats());
    }

    /// A driver that comes back when it is told to, and only then, finds every packet in its
    /// nanosecond.
    #[test]
    fn who_comes_when_told_is_never_late(setup in any_setups()) {
        let mut run = run(&links::Setup { arrivals: Vec::new(), ..setup.clone() }, false);
        let mut now_ns = 0;
        for (number, &(pause_ns, bytes, _)) in setup.arrivals.iter().enumerate() {
            let arrival_ns = now_ns + pause_ns;
            while let Some(at_ns) = run.link.next_departure_ns().filter(|at_ns| *at_ns <= arrival_ns) {
                prop_assert!(at_ns >= now_ns, "told to come at {at_ns}, which was over at {now_ns}");
                now_ns = at_ns;
                while let Some(left) = run.link.poll(now_ns) {
                    prop_assert_eq!(left.due_ns, now_ns);
                }
            }
            now_ns = arrival_ns;
            run.link.offer(now_ns, Numbered::new(number, bytes));
        }
    }

    /// What of an expedited flow a link takes in: over every window, no more than burst + rate x
    /// time.
    #[test]
    fn a_profile_bounds_each_flow(setup in any_setups()) {
        let Some(profile) = setup.config.expedited else { return Ok(()) };
        let run = run(&setup, true);
        for flow in 2..4 {
            let of_flow = run.verdicts.iter().filter(|(_, packet, verdict)| {
                packet.flow == flow && *verdict == Verdict::Queued
            });
            let taken: Vec<(u64, u128)> =
                of_flow.map(|(at_ns, packet, _)| (*at_ns, u128::from(packet.bytes))).collect();
            for first in 0..taken.len() {
                let mut bytes = 0;
                for (at_ns, more) in &taken[first..] {
                    bytes += more;
                    let tokens = u128::from(at_ns - taken[first].0) * u128::from(profile.rate_bits_per_s.get());
                    prop_assert!(bytes * 8_000_000_000 <= u128::from(profile.burst_bytes) * 8_000_000_000 + tokens);
                }
            }
        }
    }

    /// Of the packets that leave after an expedited one has come, at most one that is not leaves
    /// before it; and none that conforms is dropped, since the link has what was guaranteed.
    #[test]
    fn an_expedited_packet_waits_for_one_other_at_most_and_is_not_dropped(setup in expedited_setups()) {
        let run = run(&setup, true);
        let delay_ns = setup.config.delay_ns;
        for (arrival_ns, packet, verdict) in run.verdicts.iter().filter(|(_, packet, _)| packet.expedited) {
            prop_assert!(*verdict != Verdict::DroppedFull);
            if *verdict != Verdict::Queued {
                continue;
            }
            let before = run.out.iter().take_while(|left| left.packet != *packet);
            let later = before.filter(|left| left.due_ns - delay_ns > *arrival_ns);
            prop_assert!(later.filter(|left| !left.packet.expedited).count() <= 1);
        }
    }

    /// A link without a profile knows no classes, and one with a profile treats packets without a
    /// class as such a link.
    #[test]
    fn without_profile_or_class_nothing_is_expedited(setup in any_setups()) {
        let unmarked = |run: &links::Run| {
            let out = run.out.iter().map(|left| (left.due_ns, left.packet.number, left.copy));
            let dropped = run.dropped.iter().map(|packet| packet.number);
            let verdicts = run.verdicts.iter().map(|(_, _, verdict)| *verdict);
            (out.collect::<Vec<_>>(), dropped.collect::<Vec<_>>(), verdicts.collect::<Vec<_>>(), run.link.stats())
        };
        let classless = links::Setup { config: Config { expedited: None, ..setup.config.clone() }, ..setup.clone() };
        let plain = unmarked(&links::run_with(&classless, true, |packet| Numbered { expedited: false, ..packet }));
        prop_assert_eq!(&unmarked(&run(&classless, true)), &plain);
        let profiled = links::run_with(&setup, true, |packet| Numbered { expedited: false, ..packet });
        prop_assert_eq!(&unmarked(&profiled), &plain);
    }

    /// A shaped link carries no more than burst + rate x time, however long one looks.
    #[test]
    fn a_shaper_bounds_what_leaves(setup in any_setups()) {
        let plain_exit = setup.config.jitter.is_none() && setup.config.aggregation.is_none();
        let Some(shaper) = setup.config.shaper.filter(|_| plain_exit && setup.config.changes.is_empty()) else {
            return Ok(());
        };
        let run = run(&setup, true);
        // A packet takes its tokens when it starts, of which its end tells the time.
        let starts = run.out.iter().filter(|left| !left.copy).map(|left| {
            let service_ns = u64::from(left.packet.bytes) * 8_000_000_000 / setup.config.rate_bits_per_s.get();
            (left.due_ns - setup.config.delay_ns - service_ns, u128::from(left.packet.bytes))
        });
        let starts: Vec<(u64, u128)> = starts.collect();
        for first in 0..starts.len() {
            let mut bytes = 0;
            for (start_ns, more) in &starts[first..] {
                bytes += more;
                // The end is cut to a whole nanosecond, the time of service too: one more at each
                // side.
                let tokens = u128::from(start_ns - starts[first].0 + 2) * u128::from(shaper.rate_bits_per_s.get());
                prop_assert!(bytes * 8_000_000_000 <= u128::from(shaper.burst_bytes) * 8_000_000_000 + tokens);
            }
        }
    }
}
