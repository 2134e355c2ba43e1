//! Moving live sockets, and what is left of a registration that has ended.

use crate::common::{choose, connection_of, listener_on, machine};
use nix::sys::socket::{getsockopt, sockopt::TcpCongestion};
use onramp_kernel::{status, unload, Connections, Error, Lifetime, Options, Registration, Status};
use onramp_testing::wait_until;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;

const STARTUP: &str = "spaced";
const NAME: &str = "onramp_spaced";

/// Ends the registration when it is dropped.
struct Undo;

impl Drop for Undo {
    fn drop(&mut self) {
        let _ = unload(STARTUP, &Connections::Keep); // the test may have unloaded it
    }
}

fn load() -> Undo {
    let _ = unload(STARTUP, &Connections::Keep); // An earlier run may have failed.
    let options = Options {
        lifetime: Lifetime::UntilUnloaded,
        ..Options::new(STARTUP)
    };
    Registration::new(&options).unwrap();
    Undo
}

fn entry() -> Option<Status> {
    let mut all = status().unwrap().into_iter();
    all.find(|status| status.loaded.name == NAME)
}

fn control(socket: &impl AsFd) -> String {
    let name = getsockopt(socket, TcpCongestion).unwrap();
    name.to_string_lossy().trim_end_matches('\0').to_owned()
}

fn exchange(sender: &mut TcpStream, receiver: &mut TcpStream) {
    sender.write_all(&[7; 50_000]).unwrap();
    receiver.read_exact(&mut [0; 50_000]).unwrap();
}

#[test]
fn live_sockets_are_moved_and_go_on() {
    let Some(_machine) = machine() else { return };
    let _undo = load();
    let listener = listener_on(NAME);
    let mut ends: Vec<_> = (0..200).map(|_| connection_of(&listener)).collect();
    // The receiver must be able to take it all, because nobody reads meanwhile.
    for (sender, receiver) in &mut ends {
        exchange(sender, receiver);
    }
    let unloaded = unload(STARTUP, &Connections::To("reno".to_owned())).unwrap();
    let moved = unloaded.moved.unwrap();
    assert_eq!((moved.sockets, moved.refused), (201, 0), "and the listener");
    assert!(moved.to.iter().eq(["reno"]), "{:?}", moved.to);
    assert_eq!(unloaded.references_left, 0);
    assert!(entry().is_none());
    assert_eq!(control(&listener), "reno");
    let later = connection_of(&listener);
    assert_eq!(control(&later.0), "reno");
    for (sender, receiver) in &mut ends {
        assert_eq!(control(sender), "reno");
        exchange(sender, receiver);
    }
}

#[test]
fn a_leftover_is_shown_and_can_be_moved_later() {
    let Some(_machine) = machine() else { return };
    let _undo = load();
    let listener = listener_on(NAME);
    let unconnected = nix::sys::socket::socket(
        nix::sys::socket::AddressFamily::Inet,
        nix::sys::socket::SockType::Stream,
        nix::sys::socket::SockFlag::SOCK_CLOEXEC,
        None,
    )
    .unwrap();
    choose(&unconnected, NAME);
    let ends = connection_of(&listener);
    let unloaded = unload(STARTUP, &Connections::Keep).unwrap();
    assert_eq!((unloaded.moved, unloaded.references_left), (None, 3));
    let left = entry().expect("it is shown as long as it is used");
    assert!(!left.loaded.registered);
    assert_eq!((left.loaded.connections, left.other_references), (1, 2));
    // There is nothing that it could change without moving them.
    let again = unload(STARTUP, &Connections::Keep);
    assert!(matches!(again, Err(Error::NotLoaded { .. })));

    let unknown = unload(STARTUP, &Connections::To("vegetable".to_owned()));
    assert!(matches!(unknown, Err(Error::NoControl { .. })));
    let moved = unload(STARTUP, &Connections::ToPreviousDefault).unwrap();
    assert_eq!(moved.moved.unwrap().sockets, 2);
    assert_eq!(moved.references_left, 1, "of the unconnected socket");
    let of_host = onramp_kernel::default_in_this_namespace().unwrap();
    assert_eq!(control(&ends.0), of_host);
    drop(unconnected);
    wait_until("nothing is left", || entry().is_none());
}
