//! A start-up that is over for good hands the connection over to the kernel's own congestion
//! avoidance. The hand-over changes nothing but the name.

use crate::common::{choose, connection_of, control_of, listener_on, machine, row};
use onramp_kernel::{loaded, Avoidance, Options, Registration};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

const CHUNK_BYTES: usize = 256 << 10;
/// Far more than a start-up over loopback needs: some 100 round trips.
const MAX_CHUNKS: usize = 20_000;

/// The last byte of what [`send_until`] sends.
const END: u8 = 9;

/// Sends until `is_enough`, or so many chunks. The other end reads everything.
pub fn send_until(
    mut sender: &TcpStream,
    mut receiver: &TcpStream,
    mut is_enough: impl FnMut() -> bool,
) {
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut buffer = vec![0; CHUNK_BYTES];
            let mut is_last = false;
            while !is_last {
                let read = receiver.read(&mut buffer).unwrap();
                is_last = buffer[..read].last() == Some(&END);
            }
        });
        let data = vec![7; CHUNK_BYTES];
        for _ in 0..MAX_CHUNKS {
            if is_enough() {
                break;
            }
            sender.write_all(&data).unwrap();
        }
        sender.write_all(&[END]).unwrap();
    });
}

/// Sends until the socket has another congestion control than this one.
fn send_until_handed_over(sender: &TcpStream, receiver: &TcpStream, name: &str) {
    send_until(sender, receiver, || control_of(sender) != name);
}

#[test]
fn a_bulk_transfer_goes_on_with_the_kernels_own_avoidance() {
    let Some(_machine) = machine() else { return };
    for avoidance in [Avoidance::Cubic, Avoidance::Reno] {
        for startup in ["standard", "paced", "onramp"] {
            let options = Options {
                avoidance,
                ..Options::new(startup)
            };
            let registration = Registration::new(&options).unwrap();
            let (sender, receiver) = connection_of(&listener_on(registration.name()));
            send_until_handed_over(&sender, &receiver, registration.name());
            assert_eq!(control_of(&sender), avoidance.name(), "{startup}");

            // The connection is still listed, with the reason of its exit.
            let shown = row(&sender);
            assert_eq!(shown.congestion_control, registration.name());
            assert_eq!(shown.controlled_by, avoidance.name());
            assert_eq!(shown.phase, "done");
            assert!(shown.handed_over_time_s >= shown.exit_time_s, "{shown:?}");
            // It no longer uses the registration.
            let totals = registration.totals().unwrap();
            assert_eq!((totals.started, totals.live), (1, 0), "{totals:?}");
            assert_eq!(totals.exits[shown.exit_reason], 1, "{totals:?}");
            let all = loaded().unwrap();
            let own = all.iter().find(|one| one.name == registration.name());
            assert_eq!(own.unwrap().connections, 0);
        }
    }
}

#[test]
fn a_socket_that_was_handed_over_can_choose_the_start_up_again() {
    let Some(_machine) = machine() else { return };
    let registration = Registration::new(&Options::new("onramp")).unwrap();
    let (sender, receiver) = connection_of(&listener_on(registration.name()));
    send_until_handed_over(&sender, &receiver, registration.name());
    choose(&sender, registration.name());
    let shown = row(&sender);
    assert_eq!(shown.controlled_by, registration.name());
    assert_eq!((shown.phase, shown.exit_reason), ("slow-start", "none"));
    assert_eq!(shown.handed_over_time_s, None);
    let totals = registration.totals().unwrap();
    assert_eq!((totals.started, totals.live), (2, 1), "{totals:?}");
}
