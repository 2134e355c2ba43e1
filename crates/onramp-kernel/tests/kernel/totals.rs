//! Totals of a registration, and its governor, with traffic over loopback.

use crate::common::{connection_of, drop_arrivals, listener_on, machine};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use onramp_core::governor::{DESTINATION_STARTUPS, TRY_INTERVAL};
use onramp_core::{exit_name, EXIT_GOVERNED, PHASE_DONE};
use onramp_kernel::{loaded, Event, Input, Options, Registration, Totals};
use onramp_testing::wait_until;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

/// What a connection of these tests transfers: 60 segments, more than an initial window.
const BYTES: usize = 60_000;
const MSS_BYTES: u32 = 1000;

/// The share of arrivals that a lossy receiver drops, in 256ths: a tenth.
const LOSSY: u32 = 26;

/// A listener whose connections use this congestion control and small segments.
fn listener(registration: &Registration) -> TcpListener {
    let listener = listener_on(registration.name());
    setsockopt(&listener, TcpMaxSeg, &MSS_BYTES).unwrap();
    listener
}

/// Transfers [`BYTES`] on a new connection and closes it. The receiver drops a share of what
/// arrives, in 256ths.
fn transfer(listener: &TcpListener, dropped: u32) {
    let (mut sender, mut receiver) = connection_of(listener);
    if dropped > 0 {
        drop_arrivals(&receiver, dropped);
    }
    let writer = thread::spawn(move || {
        sender.write_all(&vec![0; BYTES]).unwrap();
        // The receiver closes first, so no FIN of this end is dropped for long.
        let _ = sender.read(&mut [0]);
    });
    receiver.read_exact(&mut vec![0; BYTES]).unwrap();
    drop(receiver);
    writer.join().unwrap();
}

/// Waits until a number of connections has ended, and returns the totals.
fn totals_of(registration: &Registration, ended: u64) -> Totals {
    wait_until("the connections end", || {
        let totals = registration.totals().unwrap();
        totals.started == ended && totals.live == 0
    });
    registration.totals().unwrap()
}

#[test]
fn totals_count_what_connections_did() {
    let Some(_machine) = machine() else { return };
    let registration = Registration::new(&Options::new("standard")).unwrap();
    assert_eq!(registration.totals().unwrap().started, 0);
    let listener = listener(&registration);
    let open = connection_of(&listener);
    for _ in 0..5 {
        transfer(&listener, 0);
    }
    wait_until("five connections end", || {
        registration.totals().unwrap().live == 1
    });
    drop(open);
    let totals = totals_of(&registration, 6);
    let bytes = 5 * BYTES as u64;
    // The kernel counts a FIN as a byte.
    let with_fins = bytes..=bytes + totals.started;
    assert!(with_fins.contains(&totals.delivered_bytes), "{totals:?}");
    // Segments may be smaller than they could be, and tail loss probes may repeat one.
    let least = bytes / u64::from(MSS_BYTES);
    assert!(
        totals.sent_segments >= least && totals.startup_sent_segments <= totals.sent_segments,
        "{totals:?}"
    );
    assert_eq!(totals.exits.values().sum::<u64>(), 6);
    assert!(totals.exits["none"] >= 1, "{totals:?}");
    let timed: u64 = totals
        .startup_times
        .iter()
        .map(|class| class.startups)
        .sum();
    assert_eq!(timed, 6);
    assert!(totals.startup_time_s > 0.0);
    // Another process sees the same.
    let all = loaded().unwrap();
    let listed = all.iter().find(|loaded| loaded.name == registration.name());
    assert_eq!(listed.unwrap().totals().unwrap(), totals);
}

#[test]
fn retransmissions_count_for_the_start_up_that_caused_them() {
    let Some(_machine) = machine() else { return };
    // `standard` ends with the loss, before anything is retransmitted.
    for startup in ["standard", "onramp"] {
        let options = Options {
            governor_bound_ppm: 0,
            ..Options::new(startup)
        };
        let registration = Registration::new(&options).unwrap();
        assert_eq!(registration.governor().unwrap(), None);
        let listener = listener(&registration);
        // Loopback carries several segments in a packet, so one connection may lose nothing.
        let mut connections = 0;
        let totals = loop {
            thread::scope(|scope| {
                (0..8).for_each(|_| {
                    scope.spawn(|| transfer(&listener, LOSSY));
                });
            });
            connections += 8;
            let totals = totals_of(&registration, connections);
            if totals.exits["loss"] >= 8 {
                break totals;
            }
            assert!(connections < 800, "{startup}: {totals:?}");
        };
        let retransmitted = totals.startup_retransmitted_segments;
        assert!(
            (totals.exits["loss"]..=totals.retransmitted_segments).contains(&retransmitted),
            "{startup}: {totals:?}"
        );
        let share = totals.startup_retransmitted_share().unwrap();
        assert!(share < 0.5, "{startup}: {totals:?}");
    }
}

#[test]
fn events_that_nobody_takes_are_counted_when_the_ring_is_full() {
    let Some(_machine) = machine() else { return };
    let registration = Registration::new(&Options::new("standard")).unwrap();
    let listener = listener(&registration);
    // EVENT_RING_BYTES of bpf/startup/events.h. A start is an event.
    let room = 256 * 1024 / size_of::<onramp_bpf::bindings::Event>() as u64;
    for _ in 0..room + 10 {
        drop(connection_of(&listener));
    }
    let lost = registration.totals().unwrap().events_lost;
    let taken = registration.take_events().len() as u64;
    assert!(
        (10..room).contains(&lost) && taken <= room,
        "{taken} taken, {lost} lost"
    );
}

/// Was the connection of this event held back?
fn is_governed(event: &Event) -> bool {
    event.decision.exit == EXIT_GOVERNED
}

/// The starts among the events, in order.
fn starts(registration: &Registration) -> Vec<Event> {
    let mut events = registration.take_events();
    events.retain(|event| matches!(event.input, Input::Start(_)));
    events
}

#[test]
fn a_destination_where_start_ups_retransmit_too_much_begins_with_slow_start_until_it_is_good() {
    let Some(_machine) = machine() else { return };
    let options = Options {
        governor_bound_ppm: 20_000,
        ..Options::new("paced")
    };
    let registration = Registration::new(&options).unwrap();
    let listener = listener(&registration);
    let governor = || registration.governor().unwrap().unwrap();
    let mut bad = 0;
    while governor().held_destinations() == 0 {
        transfer(&listener, LOSSY);
        bad += 1;
        totals_of(&registration, bad);
        assert!(bad < 100, "{:?}", governor());
    }
    let destinations = governor().destinations;
    assert_eq!(
        (destinations.len(), &*destinations[0].address),
        (1, "127.0.0.1")
    );
    assert!(destinations[0].governed.startups >= DESTINATION_STARTUPS / 2);
    assert!(
        !governor().host.holds,
        "too few for all connections: {:?}",
        governor()
    );
    let starts_so_far = starts(&registration);
    assert!(starts_so_far.len() as u64 == bad && !starts_so_far.iter().any(is_governed));

    // One connection of sixteen tries. The path is good, so the average falls with each.
    let average = || governor().destinations[0].governed.average;
    let mut connections = 0;
    while governor().held_destinations() > 0 {
        let before = average();
        for _ in 0..TRY_INTERVAL {
            transfer(&listener, 0);
        }
        connections += u64::from(TRY_INTERVAL);
        totals_of(&registration, bad + connections);
        assert!(average() < before, "{:?} after {before:?}", average());
        let starts = starts(&registration);
        let (last, held) = starts.split_last().unwrap();
        assert!(held.iter().all(is_governed) && !is_governed(last));
        assert!(held.iter().all(|e| e.decision.phase == PHASE_DONE));
    }
    transfer(&listener, 0);
    assert!(!is_governed(&starts(&registration)[0]));

    let held = connections - connections / u64::from(TRY_INTERVAL);
    let totals = totals_of(&registration, bad + connections + 1);
    assert_eq!(totals.governed, held, "{totals:?}");
    assert_eq!(totals.exits[exit_name(EXIT_GOVERNED)], totals.governed);
}

#[test]
fn a_path_without_losses_never_makes_the_governor_hold() {
    let Some(_machine) = machine() else { return };
    // `onramp` ends on loopback (exit: path), often before it has sent enough to count.
    let registration = Registration::new(&Options::new("paced")).unwrap();
    let listener = listener(&registration);
    for _ in 0..3 * TRY_INTERVAL {
        transfer(&listener, 0);
    }
    let totals = totals_of(&registration, (3 * TRY_INTERVAL).into());
    assert_eq!(totals.governed, 0);
    let governor = registration.governor().unwrap().unwrap();
    assert!(
        !governor.host.holds && governor.host.startups > 0,
        "{governor:?}"
    );
    assert!(governor.host.average < Some(governor.bound), "{governor:?}");
}
