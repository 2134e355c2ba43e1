//! What the policy program costs a connection.

use super::common::{policy, port_of, with_pins, InForce};
use crate::common::{connection_of, listener, machine};
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::ProgramHandle;
use onramp_bpf::bindings::programs;
use onramp_kernel::count_calls;
use onramp_kernel::policy::Match;
use std::io::{Read, Write};
use std::net::TcpListener;

/// Connections of a measurement.
const CONNECTIONS: u64 = 2000;

/// Exchanges `bytes` from the accepted end, with an answer of a byte for each of `rounds`.
fn exchange(listener: &TcpListener, rounds: usize, bytes: usize) {
    let (mut accepted, mut client) = connection_of(listener);
    let mut buffer = vec![0; bytes];
    for _ in 0..rounds {
        accepted.write_all(&buffer).unwrap();
        client.read_exact(&mut buffer).unwrap();
        client.write_all(&[1]).unwrap();
        accepted.read_exact(&mut [0]).unwrap();
    }
}

#[test]
#[ignore = "a measurement: run it with --ignored --nocapture on a machine without other work"]
fn cost_of_a_connection_and_of_a_round_trip() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    let elsewhere = Match {
        local_ports: vec![1..=1],
        ..Match::default()
    };
    with_pins(|pins| {
        for (what, rule) in [
            ("no policy matches", policy("web", elsewhere, 1.0)),
            ("control group", policy("web", port_of(&listener), 0.0)),
            ("start-up", policy("web", port_of(&listener), 1.0)),
        ] {
            let _policies = InForce::new(pins, &[rule]);
            let program = ProgInfoIter::default()
                .find(|program| program.name.to_string_lossy() == programs::POLICY);
            let _held = ProgramHandle::from_prog_id(program.unwrap().id).unwrap();
            for rounds in [0, 100] {
                let connections = if rounds == 0 {
                    CONNECTIONS
                } else {
                    CONNECTIONS / 20
                };
                let (costs, ()) = count_calls(|| {
                    (0..connections).for_each(|_| exchange(&listener, rounds, 1000));
                })
                .unwrap();
                let cost = costs["policy"];
                println!(
                    "{what}, {rounds} exchanges: {:.1} calls and {:.0} ns a connection (both ends)",
                    cost.calls as f64 / connections as f64,
                    cost.ns as f64 / connections as f64
                );
            }
        }
    });
}
