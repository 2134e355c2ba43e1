//! What a broken reservation costs: its owner waits before the next one to the same destination.
//! How long is tested in `bpf/tests/native/penalties.c`.

use super::traffic::set_lossy;
use super::{ask, in_force, rate, Host, MEGABYTE};
use crate::common::{connection_of, listener};
use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use nix::errno::Errno;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use nix::time::{clock_gettime, ClockId};
use onramp_bpf::bindings::OWNER_USER;
use onramp_testing::wait_until;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// The map of the penalties of the latest registration.
fn penalties() -> MapHandle {
    let maps = MapInfoIter::default().filter(|info| info.name == "onramp_broken");
    let latest = maps.map(|info| info.id).max().expect("qos is registered");
    MapHandle::from_map_id(latest).unwrap()
}

fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// The key and the level of the only penalty.
fn only_penalty(map: &MapHandle) -> (Vec<u8>, u32) {
    let keys: Vec<_> = map.keys().collect();
    let [key] = &keys[..] else {
        panic!("one penalty: {keys:?}")
    };
    let value = map.lookup(key, MapFlags::ANY).unwrap().unwrap();
    (
        key.clone(),
        u32::from_ne_bytes(value[8..12].try_into().unwrap()),
    )
}

/// Writes a penalty of this level, whose reservation breaks now.
fn set(map: &MapHandle, key: &[u8], level: u32) {
    // struct onramp_penalty of bpf/intf.h
    let value = [
        &monotonic_ns().to_ne_bytes()[..],
        &level.to_ne_bytes(),
        &[0; 4],
    ]
    .concat();
    map.update(key, &value, MapFlags::ANY).unwrap();
}

/// Reserves a rate for a new connection, and breaks the reservation by losses.
fn break_one(listener: &TcpListener) {
    setsockopt(listener, TcpMaxSeg, &1448).unwrap();
    let (sender, receiver) = connection_of(listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    break_by_losses(sender, receiver);
}

/// Sends until losses break the sender's reservation, then closes the connection.
fn break_by_losses(sender: TcpStream, mut receiver: TcpStream) {
    set_lossy(&receiver);
    let reader = std::thread::spawn(move || {
        let _ = receiver.read_to_end(&mut Vec::new());
    });
    let mut writer = sender.try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        let _ = writer.write_all(&vec![0; 400_000]);
    });
    wait_until("losses break the reservation", || {
        in_force(&sender).is_none()
    });
    sender.shutdown(std::net::Shutdown::Both).unwrap();
    drop(sender);
    writing.join().unwrap();
    reader.join().unwrap();
}

#[test]
fn the_next_connection_to_the_destination_waits_too() {
    let Some(_host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    break_one(&listener);
    let map = penalties();
    let (key, level) = only_penalty(&map);
    // struct onramp_penalty_key: the owner, the network namespace, the destination
    let owner = OWNER_USER | u64::from(nix::unistd::geteuid().as_raw());
    let localhost = std::net::Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets();
    assert_eq!(
        (&key[..8], &key[16..], level),
        (&owner.to_ne_bytes()[..], &localhost[..], 1)
    );
    // Longer than this test takes.
    set(&map, &key, 7);
    let (socket, _client) = connection_of(&listener);
    assert_eq!(ask(&socket, rate(MEGABYTE)), Err(Errno::EAGAIN));
    // A listening socket does not know the destination: its connections get nothing.
    ask(&listener, rate(MEGABYTE)).unwrap();
    let (accepted, _client) = connection_of(&listener);
    assert_eq!(in_force(&accepted), None);
    // Another destination has no penalty.
    let elsewhere = TcpListener::bind("127.0.0.2:0").unwrap();
    let other = TcpStream::connect(elsewhere.local_addr().unwrap()).unwrap();
    ask(&other, rate(MEGABYTE)).unwrap();
}
