//! Connections that exchange small messages leave the start-up for the kernel's own control.

use crate::common::{connection_of, control_of, listener_on, machine};
use onramp_kernel::{Avoidance, Options, Registration};
use std::io::{Read, Write};
use std::net::TcpStream;

/// More exchanges than a start-up stays with (HOST_MAX_QUIET_ACKS of core/host.h).
const MANY: usize = 250;
/// So few exchanges keep the start-up, even if each causes two acknowledgements.
const FEW: usize = 40;

/// Sends a small message to the other end and back, so many times.
fn exchange([near, far]: [&mut TcpStream; 2], times: usize) {
    let mut message = [7; 100];
    for _ in 0..times {
        near.write_all(&message).unwrap();
        far.read_exact(&mut message).unwrap();
        far.write_all(&message).unwrap();
        near.read_exact(&mut message).unwrap();
    }
}

#[test]
fn a_connection_for_small_messages_goes_on_with_the_kernels_own_control() {
    let Some(_machine) = machine() else { return };
    for avoidance in [Avoidance::Cubic, Avoidance::Reno] {
        let options = Options {
            avoidance,
            ..Options::new("onramp")
        };
        let registration = Registration::new(&options).unwrap();
        let (mut near, mut far) = connection_of(&listener_on(registration.name()));
        exchange([&mut near, &mut far], FEW);
        assert_eq!(control_of(&near), registration.name());
        exchange([&mut near, &mut far], MANY);
        assert_eq!(control_of(&near), avoidance.name());
        let totals = registration.totals().unwrap();
        assert_eq!(totals.live, 0, "{totals:?}");
        assert_eq!(totals.exits["application"], 1, "{totals:?}");
        // The connection still works, and its data is whole.
        exchange([&mut near, &mut far], FEW);
    }
}
