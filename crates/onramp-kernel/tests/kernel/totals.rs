//! Totals of a registration, with traffic over loopback.

use crate::common::{connection_of, drop_arrivals, listener_on, machine};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use onramp_kernel::{loaded, Options, Registration, Totals};
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
    // A share of retransmitted segments is never all of them.
    for (startup, governor_bound_ppm) in [("standard", 0), ("onramp", 1_000_000)] {
        let options = Options {
            governor_bound_ppm,
            ..Options::new(startup)
        };
        let registration = Registration::new(&options).unwrap();
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
        let governor = registration.governor().unwrap();
        assert_eq!(governor.is_some(), governor_bound_ppm > 0);
        if let Some(governor) = governor {
            let addresses: Vec<_> = governor.destinations.iter().map(|d| &*d.address).collect();
            assert_eq!(addresses, ["127.0.0.1"]);
        }
    }
}
