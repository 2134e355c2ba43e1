//! What `onramp advise` sees of connections.

use crate::common::{connection_of, listener, machine};
use onramp_kernel::{count_calls, own_programs, Observation, Observer};
use onramp_testing::wait_for;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::Duration;

/// A server sends each of these sizes when its client has asked for it, then closes. Returns its
/// port.
fn serve(sizes: &[usize], pause: Duration) -> u16 {
    let listener = listener();
    let (mut server, mut client) = connection_of(&listener);
    for &size in sizes {
        std::thread::sleep(pause);
        client.write_all(b"?").unwrap();
        server.read_exact(&mut [0]).unwrap();
        let payload = vec![0; size];
        std::thread::scope(|scope| {
            scope.spawn(|| server.write_all(&payload).unwrap());
            client.read_exact(&mut vec![0; size]).unwrap();
        });
    }
    server.shutdown(Shutdown::Both).unwrap();
    client.read_to_end(&mut Vec::new()).unwrap();
    client.peer_addr().unwrap().port()
}

/// What is seen of the server of these transfers.
fn observed(sizes: &[usize], pause: Duration) -> Observation {
    let observer = Observer::new(10_000).unwrap();
    let port = serve(sizes, pause);
    let seen = wait_for("the server's connection ends", || {
        let is_server = |seen: &Observation| seen.accepted && seen.port == port;
        observer.take().into_iter().find(is_server)
    });
    assert_eq!(observer.observed().lost, 0);
    seen
}

#[test]
fn each_transfer_of_a_connection_is_seen_with_its_bytes() {
    let Some(_machine) = machine() else { return };
    let sizes = [300_000, 1_000, 70_000];
    let seen = observed(&sizes, Duration::ZERO);
    let bytes: Vec<u64> = seen
        .transfers
        .iter()
        .map(|transfer| transfer.bytes)
        .collect();
    assert_eq!(bytes, sizes.map(|size| size as u64), "{seen:?}");
    assert!(seen.complete && seen.accepted, "{seen:?}");
    assert_eq!(seen.destination, "127.0.0.0/24");
    assert!(seen.min_rtt_s <= seen.max_rtt_s, "{seen:?}");
    assert!(seen.rounds >= 3 && seen.sent_segments >= 6, "{seen:?}");
    let total_s: f64 = seen.transfers.iter().map(|transfer| transfer.time_s).sum();
    assert!(total_s <= seen.duration_s, "{seen:?}");
    for pair in seen.transfers.windows(2) {
        let end_s = pair[0].start_s + pair[0].time_s;
        assert!(end_s < pair[1].start_s + 1e-9, "{seen:?}");
    }
}

#[test]
fn a_pause_of_the_application_belongs_to_no_transfer() {
    let Some(_machine) = machine() else { return };
    let pause = Duration::from_millis(400);
    let seen = observed(&[300_000, 1_000, 70_000], pause);
    assert_eq!(seen.transfers.len(), 3, "{seen:?}");
    for pair in seen.transfers.windows(2) {
        // An idle time is exact to two jiffies, of at most 10 ms each.
        let pause_s = pair[1].start_s - pair[0].start_s - pair[0].time_s;
        assert!(pause_s >= pause.as_secs_f64() - 0.02, "{seen:?}");
    }
}

#[test]
fn transfers_beyond_the_room_of_a_record_are_counted() {
    let Some(_machine) = machine() else { return };
    let seen = observed(&[777; 20], Duration::ZERO);
    assert_eq!(seen.transfer_count, 20);
    assert_eq!(seen.transfers.len(), 8);
    assert!(
        seen.transfers.iter().all(|transfer| transfer.bytes == 777),
        "{seen:?}"
    );
}

#[test]
fn nothing_is_left_of_an_observer() {
    let Some(_machine) = machine() else { return };
    let observer = Observer::new(1).unwrap();
    assert!(own_programs().unwrap().contains_key("observe"));
    drop(observer);
    assert!(!own_programs().unwrap().contains_key("observe"));
}

#[test]
#[ignore = "a measurement: run it with --ignored --nocapture on a machine without other work"]
fn cost_of_a_connection_and_of_a_round_trip() {
    let Some(_machine) = machine() else { return };
    let _observer = Observer::new(1).unwrap();
    for transfers in [1, 100] {
        let connections = 2000 / transfers;
        let sizes = vec![1000; transfers];
        let work = || {
            for _ in 0..connections {
                serve(&sizes, Duration::ZERO);
            }
        };
        let (costs, ()) = count_calls(work).unwrap();
        let cost = costs["observe"];
        println!(
            "{transfers} transfers: {:.1} calls and {:.0} ns a connection (both ends), {:.0} ns a \
             call",
            cost.calls as f64 / connections as f64,
            cost.ns as f64 / connections as f64,
            cost.ns as f64 / cost.calls as f64
        );
    }
}
