//! The receive window of a policy's connections.

use super::common::{policy, port_of, with_pins, InForce};
use crate::common::{connection_of, control_of, listener, machine};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::RcvBuf;
use onramp_kernel::policy::{Match, ReceiverCounts, Rule};
use onramp_testing::wait_until;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};

const WINDOW: u32 = 512 << 10;
/// Nobody else uses it.
const DESTINATION: Ipv4Addr = Ipv4Addr::new(127, 77, 38, 9);

fn lifting(matches: Match, window_bytes: Option<u32>) -> Rule {
    Rule {
        receive_window_bytes: window_bytes,
        ..policy("lift", matches, 1.0)
    }
}

fn is_lifted(socket: &TcpStream) -> bool {
    // A buffer holds the window, and up to as many bytes of the kernel's records.
    getsockopt(socket, RcvBuf).unwrap() > WINDOW as usize * 3 / 2
}

/// The ends of a connection that has carried some small segments in one direction. The kernel's
/// header prediction takes all of them.
fn used(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let (mut accepted, mut client) = connection_of(listener);
    for _ in 0..3 {
        client.write_all(&[0; 100]).unwrap();
        accepted.read_exact(&mut [0; 100]).unwrap();
    }
    (accepted, client)
}

fn to_destination(start: bool, window_bytes: Option<u32>) -> Rule {
    let destinations = Match {
        destinations: vec![
            onramp_kernel::policy::Prefix::new(IpAddr::V4(DESTINATION), 32).unwrap(),
        ],
        ..Match::default()
    };
    let mut rule = lifting(destinations, window_bytes);
    rule.start = rule.start.filter(|_| start);
    rule
}

#[test]
fn connections_of_a_policy_offer_its_receive_window_until_it_is_gone() {
    let Some(_machine) = machine() else { return };
    let (own, other) = (listener(), listener());
    let far = TcpListener::bind((DESTINATION, 0)).unwrap();
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[lifting(port_of(&own), Some(WINDOW))]);
        let counts = |policies: &mut InForce| policies.snapshot().lifts;
        let (accepted, client) = used(&own);
        assert!(is_lifted(&accepted) && !is_lifted(&client));
        assert!(control_of(&accepted).starts_with("onramp_paced."));
        let (beside, _client) = used(&other);
        assert!(!is_lifted(&beside));
        let ReceiverCounts { lifted, live, .. } = counts(&mut policies);
        assert_eq!((lifted, live), (1, 1));
        drop((accepted, client));
        wait_until("the lift is given back", || {
            counts(&mut policies).live_bytes == 0
        });

        // Connections that this host opens, with a start-up and without one.
        for start in [true, false] {
            policies
                .get()
                .apply(&[to_destination(start, Some(WINDOW))])
                .unwrap();
            assert!(is_lifted(&connection_of(&far).1), "{start}");
        }
        // A limit, and a reload without the key
        policies.get().receive_limit_bytes = u64::from(WINDOW);
        policies
            .get()
            .apply(&[to_destination(true, Some(WINDOW))])
            .unwrap();
        assert!(!is_lifted(&connection_of(&far).1));
        assert_eq!(counts(&mut policies).beyond_limit, 1);
        policies.get().apply(&[to_destination(true, None)]).unwrap();
        assert!(!is_lifted(&connection_of(&far).1));
        assert_eq!(counts(&mut policies).beyond_limit, 1);
        // More than the host allows changes nothing.
        let too_large = policies
            .get()
            .apply(&[to_destination(true, Some(u32::MAX))]);
        assert!(too_large
            .unwrap_err()
            .to_string()
            .contains("net.ipv4.tcp_rmem"));
        policies.stop();
        assert!(!is_lifted(&used(&own).0) && !is_lifted(&connection_of(&far).1));
    });
}

#[test]
fn the_program_that_follows_knows_what_was_lifted() {
    let Some(_machine) = machine() else { return };
    let own = listener();
    with_pins(|pins| {
        let policies = InForce::new(pins, &[lifting(port_of(&own), Some(WINDOW))]);
        let ends = used(&own);
        policies.crash();
        let mut next = InForce::new(pins, &[lifting(port_of(&own), Some(WINDOW))]);
        assert_eq!(next.snapshot().lifts.live, 1);
        drop(ends);
        wait_until("the lift is given back", || next.snapshot().lifts.live == 0);
    });
}
