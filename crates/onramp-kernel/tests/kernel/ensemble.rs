//! Ensembles: connections of this host to one destination count each other while they start up.

use crate::common::{choose, connection_of, listener_on, machine};
use libbpf_rs::query::MapInfoIter;
use onramp_kernel::{Event, Input, Options, Registration};
use onramp_testing::{undisturbed, wait_until};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

/// A registered start-up that reports every input.
fn registered(startup: &str) -> Registration {
    let options = Options {
        record: true,
        ..Options::new(startup)
    };
    Registration::new(&options).unwrap()
}

/// The maps with counts, of all registrations.
fn maps() -> BTreeSet<u32> {
    let counts = MapInfoIter::default().filter(|info| info.name == "onramp_siblings");
    counts.map(|info| info.id).collect()
}

/// Sends a byte over a connection, and returns the number of siblings in the ACK's input. Only the
/// first ACK of a connection is sure to be an input: the host skips further quiet ones.
fn siblings(registration: &Registration, (sender, receiver): &mut (TcpStream, TcpStream)) -> u64 {
    sender.write_all(&[1]).unwrap();
    receiver.read_exact(&mut [0]).unwrap();
    let port = sender.local_addr().unwrap().port();
    let peer = sender.peer_addr().unwrap().port();
    let mut all: Vec<Event> = Vec::new();
    wait_until("the ACK is an input", || {
        let events = registration.take_events().into_iter();
        all.extend(events.filter(|e| e.local.port() == port && e.remote.port() == peer));
        all.iter().any(|event| matches!(event.input, Input::Ack(_)))
    });
    let ack = all.iter().find_map(|event| match event.input {
        Input::Ack(ack) => Some(ack.siblings),
        _ => None,
    });
    ack.expect("there is one")
}

fn connections(listener: &TcpListener, count: usize) -> Vec<(TcpStream, TcpStream)> {
    (0..count).map(|_| connection_of(listener)).collect()
}

/// Waits until the sockets of so many connections are closed, or have left the congestion control.
fn wait_until_live(registration: &Registration, live: u64) {
    wait_until("connections have ended", || {
        registration.totals().unwrap().live == live
    });
}

#[test]
fn ten_connections_to_one_address_see_nine_others_until_one_ends() {
    let Some(_machine) = machine() else { return };
    // A connection is counted for a second after its start: a machine that stops for longer
    // disturbs the run.
    let run = || {
        let registration = registered("onramp");
        let mut ten = connections(&listener_on(registration.name()), 10);
        let with_all = siblings(&registration, &mut ten[0]);
        drop(ten.pop());
        wait_until_live(&registration, 9);
        let after_a_close = siblings(&registration, &mut ten[1]);
        choose(&ten[8].0, "reno");
        wait_until_live(&registration, 8);
        let after_a_change = siblings(&registration, &mut ten[2]);
        [with_all, after_a_close, after_a_change]
    };
    assert_eq!(undisturbed(run, |seen| *seen == [9, 8, 7]), [9, 8, 7]);
}

#[test]
fn a_killed_process_leaves_nothing_that_counts() {
    let Some(_machine) = machine() else { return };
    let run = || {
        let registration = registered("onramp");
        let listener = listener_on(registration.name());
        let mut own = connections(&listener, 2);
        // The processes hold the only descriptors of their connections' sending ends.
        let (mut processes, mut receivers) = (Vec::new(), Vec::new());
        for (sender, receiver) in connections(&listener, 4) {
            let mut sleeper = Command::new("sleep");
            sleeper.arg("infinity");
            sleeper.stdin(Stdio::from(std::os::fd::OwnedFd::from(sender)));
            processes.push(sleeper.spawn().unwrap());
            receivers.push(receiver);
        }
        let before = siblings(&registration, &mut own[0]);
        for process in &mut processes {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        drop(receivers);
        wait_until_live(&registration, 2);
        [before, siblings(&registration, &mut own[1])]
    };
    assert_eq!(undisturbed(run, |seen| *seen == [5, 1]), [5, 1]);
}

#[test]
fn an_algorithm_that_takes_no_share_counts_nothing() {
    let Some(_machine) = machine() else { return };
    // The kernel frees the maps of earlier registrations later.
    let before = maps();
    let registration = registered("paced");
    assert!(maps().is_subset(&before));
    let mut three = connections(&listener_on(registration.name()), 3);
    assert_eq!(siblings(&registration, &mut three[0]), 0);
    let _sharing = registered("onramp");
    assert_eq!(maps().difference(&before).count(), 1);
}
