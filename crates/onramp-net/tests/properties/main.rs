//! Properties that hold for every sequence of offered packets. A plain link is an ideal serialiser
//! with a queue. Every link conserves packets and is deterministic.

mod setups;

use onramp_net::{
    Change, Config, Count, Departure, Limit, Link, LossConfig, QueueConfig, Recorded,
    RecordedTable, Service, Verdict,
};
use proptest::prelude::*;
use setups::{any_setups, count, expedited_setups, framings, losses, plain_setups, run, Numbered};

proptest! {
    #[test]
    fn packets_leave_in_the_order_of_their_arrival(setup in plain_setups()) {
        let run = run(&setup, true);
        let in_order = |a: &Departure<Numbered>, b: &Departure<Numbered>| {
            a.packet.number < b.packet.number && a.due_ns <= b.due_ns
        };
        prop_assert!(run.out.is_sorted_by(in_order));
    }

    /// Each packet starts at its arrival or at the end of the packet before it, and departs at the
    /// exact nanosecond. The expected times are computed with 128-bit fractions, without carried
    /// remainders.
    #[test]
    fn departures_are_those_of_an_ideal_serialiser(setup in plain_setups()) {
        let run = run(&setup, true);
        let rate = u128::from(setup.config.rate_bits_per_s.get());
        let mut free_at = 0u128; // in ns x rate
        let queued = run.verdicts.iter().filter(|(_, _, verdict)| *verdict == Verdict::Queued);
        for ((arrival_ns, packet, _), left) in queued.zip(&run.out) {
            let end = free_at.max(u128::from(*arrival_ns) * rate)
                + u128::from(packet.bytes) * 8_000_000_000;
            prop_assert_eq!(*packet, left.packet);
            let delay_ns = u128::from(setup.config.delay_ns);
            prop_assert_eq!(u128::from(left.due_ns), end / rate + delay_ns);
            free_at = end;
        }
    }

    /// A change makes a link one with elements, even if it comes too late to change anything.
    #[test]
    fn a_plain_link_agrees_with_one_that_has_elements(
        setup in plain_setups(),
        framing in framings(),
        loss in losses(),
    ) {
        let config = Config { framing, loss, ..setup.config };
        let change = Change {
            at_ns: 1 << 62,
            rate_bits_per_s: Some(config.rate_bits_per_s),
            delay_ns: None,
            loss_ppm: None,
        };
        let changing = Config { changes: vec![change], ..config.clone() };
        let [mut plain, mut other] = [config, changing].map(|config| Link::from_config(&config));
        let mut now_ns = 0;
        for (number, &(pause_ns, bytes, looks)) in setup.arrivals.iter().enumerate() {
            now_ns += pause_ns;
            if looks {
                let poll = |link: &mut Link<Numbered>| -> Vec<_> {
                    std::iter::from_fn(|| link.poll(now_ns)).collect()
                };
                prop_assert_eq!(poll(&mut plain), poll(&mut other));
                prop_assert_eq!(plain.queue(now_ns), other.queue(now_ns));
            }
            let packet = Numbered::new(number, bytes);
            prop_assert_eq!(plain.offer(now_ns, packet), other.offer(now_ns, packet));
            prop_assert_eq!(plain.next_departure_ns(), other.next_departure_ns());
            prop_assert_eq!(plain.stats(), other.stats());
        }
        while let Some(next_ns) = plain.next_departure_ns() {
            prop_assert_eq!(other.next_departure_ns(), Some(next_ns));
            prop_assert_eq!(plain.poll(next_ns), other.poll(next_ns));
        }
        prop_assert_eq!(plain.stats(), other.stats());
    }

    /// A recording of the same delay and the same loss in each row is what a link has without one.
    #[test]
    fn a_recording_without_a_change_agrees_with_a_plain_link(
        setup in plain_setups(),
        offset_ns in 0u64..20_000_000,
    ) {
        let loss_ppm = match setup.config.loss {
            LossConfig::Bernoulli { ppm } => ppm,
            _ => 0,
        };
        let (delay_ns, loss) = (setup.config.delay_ns, f64::from(loss_ppm) / 1e6);
        let row = |at_ms: u32| format!("{at_ms},{delay_ns},{loss}\n");
        let text = format!("time_ms,delay_ns,loss\n{}{}{}", row(0), row(3), row(5));
        let table = RecordedTable::parse(&text).unwrap();
        let recorded = |values| Recorded { values, offset_ns };
        let config = Config {
            delay_ns: 7,
            loss: LossConfig::None,
            recorded_delay: table.delays.map(recorded),
            recorded_loss: table.losses.map(recorded),
            ..setup.config.clone()
        };
        let [plain, other] = [setup.config.clone(), config].map(|config| {
            run(&setups::Setup { config, arrivals: setup.arrivals.clone() }, true)
        });
        prop_assert_eq!(plain.verdicts, other.verdicts);
        prop_assert_eq!(plain.out, other.out);
        prop_assert_eq!(plain.link.stats(), other.link.stats());
    }

    /// A recorded delay is that of the same changes, given one by one.
    #[test]
    fn a_recording_agrees_with_changes_at_the_same_times(
        setup in plain_setups(),
        (delay, loss) in setups::recordings(),
    ) {
        let recorded = Config {
            recorded_delay: Some(delay.clone()),
            recorded_loss: Some(loss.clone()),
            ..setup.config.clone()
        };
        let both = delay.from(0).zip(loss.from(0));
        let changes = both.take_while(|((at_ns, _), _)| *at_ns < 3_000_000_000).map(
            |((at_ns, delay_ns), (_, loss_ppm))| Change {
                at_ns,
                rate_bits_per_s: None,
                delay_ns: Some(delay_ns),
                loss_ppm: Some(loss_ppm as u32),
            },
        );
        let changing = Config { changes: changes.collect(), ..setup.config.clone() };
        let [one, other] = [recorded, changing].map(|config| {
            run(&setups::Setup { config, arrivals: setup.arrivals.clone() }, true)
        });
        // A slow link is busy for longer than the changes last.
        let before = |run: &setups::Run| -> Vec<_> {
            let early = run.out.iter().filter(|left| left.due_ns < 2_900_000_000);
            early.map(|left| (left.due_ns, left.packet.number)).collect()
        };
        prop_assert_eq!(before(&one), before(&other));
        prop_assert_eq!(one.verdicts, other.verdicts);
    }

    #[test]
    fn the_queue_never_exceeds_its_limit(setup in plain_setups()) {
        let mut run = run(&setup, true);
        let peak = run.link.stats().peak_queue;
        match setup.config.queue {
            QueueConfig::DropTail(Limit::Packets(limit)) => {
                prop_assert!(peak.packets <= u64::from(limit));
            }
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
            let has_verdict =
                run.verdicts.iter().filter(|(_, _, verdict)| wanted.contains(verdict));
            count(has_verdict.map(|(_, packet, _)| packet))
        };
        prop_assert_eq!(stats.offered, count(run.verdicts.iter().map(|(_, packet, _)| packet)));
        prop_assert_eq!(stats.policed, of(&[Verdict::Policed]));
        prop_assert_eq!(stats.lost, of(&[Verdict::LostRandom]));
        prop_assert_eq!(stats.dropped, of(&[Verdict::DroppedFull, Verdict::DroppedEarly]));
        prop_assert_eq!(stats.evicted, count(&run.dropped));
        prop_assert_eq!(stats.delivered, count(run.out.iter().map(|left| &left.packet)));
        let copies = run.out.iter().filter(|left| left.is_copy);
        prop_assert_eq!(stats.duplicated, count(copies.map(|left| &left.packet)));
        // The link is empty: each accepted packet left exactly once, or was returned as dropped.
        let originals = run.out.iter().filter(|left| !left.is_copy).map(|left| left.packet);
        let mut returned: Vec<Numbered> = originals.chain(run.dropped.iter().copied()).collect();
        returned.sort_by_key(|packet| packet.number);
        let queued = run.verdicts.iter().filter(|(_, _, verdict)| *verdict == Verdict::Queued);
        prop_assert!(queued.map(|(_, packet, _)| *packet).eq(returned));
    }

    #[test]
    fn departures_are_in_order_of_time_and_copies_before_originals(setup in any_setups()) {
        let run = run(&setup, true);
        prop_assert!(run.out.is_sorted_by_key(|left| left.due_ns));
        for pair in run.out.windows(2).filter(|pair| pair[0].is_copy) {
            let [copy, original] = [&pair[0], &pair[1]];
            prop_assert_eq!((copy.packet, copy.due_ns), (original.packet, original.due_ns));
            prop_assert!(!original.is_copy);
        }
        prop_assert!(run.out.last().is_none_or(|last| !last.is_copy));
    }

    /// Only queues with ECN mark packets, only those of connections with ECN, and each once. The
    /// copy of a marked packet has the mark too.
    #[test]
    fn marks_are_counted_and_only_where_both_sides_have_ecn(setup in any_setups()) {
        let has_ecn = match &setup.config.queue {
            QueueConfig::Red(red) => red.ecn,
            QueueConfig::CoDel(codel) => codel.ecn,
            QueueConfig::FqCoDel(fq) => fq.ecn,
            QueueConfig::DualPi2(_) => true,
            QueueConfig::DropTail(_) | QueueConfig::AckFilter(_) => false,
        };
        let run = run(&setup, true);
        let originals = run.out.iter().filter(|left| !left.is_copy).map(|left| &left.packet);
        let marked = originals.chain(&run.dropped).filter(|packet| packet.marked);
        prop_assert_eq!(run.link.stats().marked, count(marked.clone()));
        prop_assert!(marked.clone().all(|packet| has_ecn && packet.flow % 2 == 0));
        for pair in run.out.windows(2).filter(|pair| pair[0].is_copy) {
            prop_assert_eq!(pair[0].packet.marked, pair[1].packet.marked);
        }
    }

    /// Flows in separate queues may overtake each other, and jitter may reorder any packets.
    /// Otherwise the order is kept.
    #[test]
    fn packets_are_reordered_only_by_flow_queues_and_jitter(setup in any_setups()) {
        if setup.config.jitter.is_some_and(|jitter| jitter.reorder) {
            return Ok(());
        }
        let run = run(&setup, true);
        let queue = &setup.config.queue;
        let has_flow_queues = matches!(queue, QueueConfig::FqCoDel(_) | QueueConfig::DualPi2(_))
            || setup.config.expedited.is_some();
        for flow in 0..4 {
            let of_flow = run.out.iter().filter(|left| {
                !left.is_copy && (!has_flow_queues || left.packet.flow == flow)
            });
            prop_assert!(of_flow.is_sorted_by(|a, b| a.packet.number < b.packet.number));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_result(setup in any_setups()) {
        let (one, other) = (run(&setup, true), run(&setup, true));
        prop_assert_eq!(one.out, other.out);
        prop_assert_eq!(one.link.stats(), other.link.stats());
    }

    /// The driver's polls do not influence the times of the link.
    #[test]
    fn polling_changes_nothing(setup in any_setups()) {
        let (polled, not_polled) = (run(&setup, true), run(&setup, false));
        prop_assert_eq!(polled.out, not_polled.out);
        prop_assert_eq!(polled.dropped, not_polled.dropped);
        prop_assert_eq!(polled.link.stats(), not_polled.link.stats());
    }

    /// A driver that polls exactly at the reported departure times receives every packet in the
    /// nanosecond in which it is due.
    #[test]
    fn polling_at_the_reported_times_is_never_late(setup in any_setups()) {
        let mut run = run(&setups::Setup { arrivals: Vec::new(), ..setup.clone() }, false);
        let mut now_ns = 0;
        for (number, &(pause_ns, bytes, _)) in setup.arrivals.iter().enumerate() {
            let arrival_ns = now_ns + pause_ns;
            let due = |run: &setups::Run| {
                run.link.next_departure_ns().filter(|at_ns| *at_ns <= arrival_ns)
            };
            while let Some(at_ns) = due(&run) {
                prop_assert!(at_ns >= now_ns, "next departure at {at_ns}, but it is {now_ns}");
                now_ns = at_ns;
                while let Some(left) = run.link.poll(now_ns) {
                    prop_assert_eq!(left.due_ns, now_ns);
                }
            }
            now_ns = arrival_ns;
            run.link.offer(now_ns, Numbered::new(number, bytes));
        }
    }

    /// In every window, a link accepts at most burst + rate x time from one expedited flow.
    #[test]
    fn a_profile_bounds_each_flow(setup in any_setups()) {
        let Some(profile) = setup.config.expedited else { return Ok(()) };
        let run = run(&setup, true);
        let rate = u128::from(profile.rate_bits_per_s.get());
        for flow in 2..4 {
            let of_flow = run.verdicts.iter().filter(|(_, packet, verdict)| {
                packet.flow == flow && *verdict == Verdict::Queued
            });
            let accepted: Vec<(u64, u128)> =
                of_flow.map(|(at_ns, packet, _)| (*at_ns, u128::from(packet.bytes))).collect();
            for first in 0..accepted.len() {
                let mut bytes = 0;
                for (at_ns, more) in &accepted[first..] {
                    bytes += more;
                    let tokens = u128::from(at_ns - accepted[first].0) * rate
                        + u128::from(profile.burst_bytes) * 8_000_000_000;
                    prop_assert!(bytes * 8_000_000_000 <= tokens);
                }
            }
        }
    }

    /// After an expedited packet has arrived, at most one packet of another class leaves before it.
    /// No conforming packet is dropped, because the link can carry all guaranteed rates.
    #[test]
    fn an_expedited_packet_waits_for_at_most_one_other_and_is_not_dropped(
        setup in expedited_setups(),
    ) {
        let run = run(&setup, true);
        let delay_ns = setup.config.delay_ns;
        let expedited = run.verdicts.iter().filter(|(_, packet, _)| packet.expedited);
        for (arrival_ns, packet, verdict) in expedited {
            prop_assert!(*verdict != Verdict::DroppedFull);
            if *verdict != Verdict::Queued {
                continue;
            }
            let before = run.out.iter().take_while(|left| left.packet != *packet);
            let later = before.filter(|left| left.due_ns - delay_ns > *arrival_ns);
            prop_assert!(later.filter(|left| !left.packet.expedited).count() <= 1);
        }
    }

    /// A link without a profile has one class. A link with a profile treats packets that are not
    /// expedited like a link without a profile.
    #[test]
    fn a_profile_does_not_affect_packets_that_are_not_expedited(setup in any_setups()) {
        let unmarked = |run: &setups::Run| {
            let out = run.out.iter().map(|left| (left.due_ns, left.packet.number, left.is_copy));
            let dropped = run.dropped.iter().map(|packet| packet.number);
            let verdicts = run.verdicts.iter().map(|(_, _, verdict)| *verdict);
            let (out, dropped): (Vec<_>, Vec<_>) = (out.collect(), dropped.collect());
            (out, dropped, verdicts.collect::<Vec<_>>(), run.link.stats())
        };
        let config = Config { expedited: None, ..setup.config.clone() };
        let classless = setups::Setup { config, ..setup.clone() };
        let unmark = |packet| Numbered { expedited: false, ..packet };
        let plain = unmarked(&setups::run_with(&classless, true, unmark));
        prop_assert_eq!(&unmarked(&run(&classless, true)), &plain);
        let profiled = setups::run_with(&setup, true, unmark);
        prop_assert_eq!(&unmarked(&profiled), &plain);
    }

    /// In every window, a shaped link carries at most burst + rate x time.
    #[test]
    fn a_shaper_bounds_what_leaves(setup in any_setups()) {
        let is_constant = setup.config.jitter.is_none()
            && setup.config.aggregation.is_none()
            && setup.config.late.is_none()
            && setup.config.steps.is_none()
            && setup.config.service == Service::Steady
            && setup.config.recorded_delay.is_none()
            && setup.config.changes.is_empty();
        let Some(shaper) = setup.config.shaper.filter(|_| is_constant) else {
            return Ok(());
        };
        let run = run(&setup, true);
        // A packet takes its tokens when its serialisation starts, which follows from its end.
        let starts = run.out.iter().filter(|left| !left.is_copy).map(|left| {
            let link_bytes = setup.config.framing.link_bytes(left.packet.bytes);
            let service_ns = link_bytes * 8_000_000_000 / setup.config.rate_bits_per_s.get();
            (left.due_ns - setup.config.delay_ns - service_ns, u128::from(left.packet.bytes))
        });
        let starts: Vec<(u64, u128)> = starts.collect();
        for first in 0..starts.len() {
            let mut bytes = 0;
            for (start_ns, more) in &starts[first..] {
                bytes += more;
                // The end and the time of service are both rounded down to whole nanoseconds, so
                // allow one nanosecond for each.
                let elapsed_ns = u128::from(start_ns - starts[first].0 + 2);
                let tokens = elapsed_ns * u128::from(shaper.rate_bits_per_s.get())
                    + u128::from(shaper.burst_bytes) * 8_000_000_000;
                prop_assert!(bytes * 8_000_000_000 <= tokens);
            }
        }
    }
}
