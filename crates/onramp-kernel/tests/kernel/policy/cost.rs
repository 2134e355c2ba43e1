//! What the policy program costs a connection.

use super::common::{policy, port_of, with_pins, InForce};
use crate::common::{connection_of, listener, listener_on, machine};
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::ProgramHandle;
use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;
use onramp_bpf::bindings::programs;
use onramp_kernel::policy::{Match, Rule, Start};
use onramp_kernel::{count_calls, Options, Registration};
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

/// A policy's match that no connection of these tests has.
fn elsewhere() -> Match {
    Match {
        local_ports: vec![1..=1],
        ..Match::default()
    }
}

/// Makes the program in force one of this process, whose calls are counted.
fn hold_the_policy_program() -> ProgramHandle {
    let program =
        ProgInfoIter::default().find(|program| program.name.to_string_lossy() == programs::POLICY);
    ProgramHandle::from_prog_id(program.unwrap().id).unwrap()
}

#[test]
#[ignore = "a measurement: run it with --ignored --nocapture on a machine without other work"]
fn cost_of_a_connection_and_of_a_round_trip() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        for (what, rule) in [
            ("no policy matches", policy("web", elsewhere(), 1.0)),
            ("control group", policy("web", port_of(&listener), 0.0)),
            ("start-up", policy("web", port_of(&listener), 1.0)),
        ] {
            let _policies = InForce::new(pins, &[rule]);
            let _held = hold_the_policy_program();
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

/// Bytes of a small object, and connections of a round.
const SMALL_BYTES: usize = 3000;
const ROUND: u32 = 1000;
/// Rounds, and the variable that says another number. Few suffice in a machine whose clock counts
/// instructions (scripts/kernels/cost.py).
const ROUNDS: usize = 15;
const ROUNDS_VARIABLE: &str = "ONRAMP_COST_ROUNDS";

/// CPU time of this thread for a connection that carries a small object, in nanoseconds. The thread
/// has both ends, and the loopback device delivers in it.
fn cpu_ns_of_a_small_object(listener: &TcpListener) -> f64 {
    let cpu_ns = || {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
        (usage.user_time() + usage.system_time()).num_nanoseconds() as f64
    };
    exchange(listener, 1, SMALL_BYTES);
    let before = cpu_ns();
    (0..ROUND).for_each(|_| exchange(listener, 1, SMALL_BYTES));
    (cpu_ns() - before) / f64::from(ROUND)
}

/// Prints what each program takes of a connection that carries a small object. The kernel's
/// statistics cost time of their own.
fn print_programs(what: &str, listener: &TcpListener) {
    let (costs, ()) =
        count_calls(|| (0..ROUND).for_each(|_| exchange(listener, 1, SMALL_BYTES))).unwrap();
    for (program, cost) in costs.into_iter().filter(|(_, cost)| cost.calls > 0) {
        println!(
            "{what}: {program}: {:.1} calls and {:.0} ns a connection",
            cost.calls as f64 / f64::from(ROUND),
            cost.ns as f64 / f64::from(ROUND)
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
#[ignore = "a measurement: run it with --ignored --nocapture on a machine without other work"]
fn cost_of_a_connection_with_a_small_object() {
    let Some(_machine) = machine() else { return };
    let options = || Options {
        governor_bound_ppm: 0,
        ..Options::new("onramp")
    };
    let count = std::env::var(ROUNDS_VARIABLE).map_or(ROUNDS, |count| count.parse().unwrap());
    let mut rounds: [Vec<f64>; 5] = Default::default();
    with_pins(|pins| {
        for round in 1..=count {
            let plain = cpu_ns_of_a_small_object(&listener());
            let loaded = {
                let registration = Registration::new(&options()).unwrap();
                let listener = listener_on(registration.name());
                let cpu_ns = cpu_ns_of_a_small_object(&listener);
                if round == count {
                    print_programs("load", &listener);
                }
                cpu_ns
            };
            let listener = listener();
            let under = |what: &str, rule: Rule| {
                let _policies = InForce::new(pins, &[rule]);
                let _held = hold_the_policy_program();
                let cpu_ns = cpu_ns_of_a_small_object(&listener);
                if round == count {
                    print_programs(what, &listener);
                }
                cpu_ns
            };
            let by_share = |share| Rule {
                start: Some(Start {
                    options: options(),
                    share,
                }),
                ..policy("web", port_of(&listener), share)
            };
            let found = [
                plain,
                loaded,
                under("no policy matches", policy("web", elsewhere(), 1.0)),
                under("control group", by_share(0.0)),
                under("start-up", by_share(1.0)),
            ];
            for (all, found) in rounds.iter_mut().zip(found) {
                all.push(found);
            }
        }
    });
    let plain = rounds[0].clone();
    let what = [
        "plain",
        "load",
        "service, no policy matches",
        "service, control group",
        "service, start-up",
    ];
    for (what, values) in what.into_iter().zip(rounds) {
        // Each with the plain one of its round, for what else the machine did
        let more = values
            .iter()
            .zip(&plain)
            .map(|(value, plain)| value - plain);
        let more = median(more.collect());
        println!(
            "{what}: {:.0} ns of CPU a connection, {more:+.0} ns ({:+.1} %)",
            median(values),
            100.0 * more / median(plain.clone())
        );
    }
}
