//! What is counted of the connections of both groups.

use super::common::{policy, port_of, with_pins, InForce};
use crate::common::{connection_of, control_of, listener, machine};
use nix::sched::{unshare, CloneFlags};
use onramp_kernel::policy::GroupCounts;
use onramp_testing::wait_until;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;

/// Sends so many bytes on a new connection, and closes it.
fn transfer(listener: &TcpListener, bytes: usize) {
    let (mut sender, mut receiver) = connection_of(listener);
    let writer = thread::spawn(move || {
        sender.write_all(&vec![0; bytes]).unwrap();
        let _ = sender.read(&mut [0]); // The receiver closes first.
    });
    receiver.read_exact(&mut vec![0; bytes]).unwrap();
    drop(receiver);
    writer.join().unwrap();
}

fn wait_until_all_ended(policies: &mut InForce, connections: u64) {
    wait_until("the connections end", || {
        let ended = policies.groups().map(|group| group.ended);
        ended[0] + ended[1] == connections
    });
}

fn values(times: &[u64]) -> u64 {
    times.iter().sum()
}

#[test]
fn the_share_decides_for_each_connection_and_both_groups_are_counted() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 0.25)]);
        const CONNECTIONS: u64 = 800;
        let mut with_startup = 0;
        for _ in 0..CONNECTIONS {
            let (accepted, _client) = connection_of(&listener);
            with_startup += u64::from(control_of(&accepted).starts_with("onramp_paced."));
        }
        wait_until_all_ended(&mut policies, CONNECTIONS);
        let (startup, control) = policies.connections();
        assert_eq!((startup, startup + control), (with_startup, CONNECTIONS));
        // 200 expected; six standard deviations of a binomial distribution are 73.
        assert!((127..=273).contains(&startup), "{startup}");
        let [startup, control] = policies.groups();
        // Nothing was sent: all were cut off before their start-up ended.
        assert_eq!(
            (startup.exits.iter().sum::<u64>(), control.exits),
            (with_startup, [0; 16])
        );
        assert_eq!(startup.segments.connections, with_startup);
        assert_eq!(values(&control.time_to_size[0].counts), 0);
    });
}

#[test]
fn times_to_both_sizes_are_measured_in_the_same_way_in_both_groups() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        for (group, share) in [(0, 1.0), (1, 0.0)] {
            let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), share)]);
            transfer(&listener, 1_200_000);
            wait_until_all_ended(&mut policies, 1);
            let [first, second] = policies.groups()[group]
                .time_to_size
                .map(|times| times.sum_us);
            assert!(
                0 < first && first <= second,
                "group {group}: {first} us, {second} us"
            );
            for bytes in [50_000, 500_000] {
                transfer(&listener, bytes);
            }
            wait_until_all_ended(&mut policies, 3);
            let groups = policies.groups();
            let of: GroupCounts = groups[group];
            let sizes = of.time_to_size.map(|times| values(&times.counts));
            assert_eq!(
                (of.connections, sizes),
                (3, [2, 1]),
                "group {group}: {of:?}"
            );
            assert_eq!(of.segments.connections, 3);
            assert!(of.segments.sent >= 20, "group {group}: {:?}", of.segments);
            assert_eq!(values(&of.smoothed_rtt.counts), 3);
            assert_eq!(groups[1 - group].connections, 0);
        }
    });
}

#[test]
fn an_idle_time_does_not_count_as_slow() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 0.0)]);
        let (mut sender, mut receiver) = connection_of(&listener);
        const IDLE: std::time::Duration = std::time::Duration::from_millis(400);
        for bytes in [60_000, 60_000] {
            thread::sleep(IDLE);
            sender.write_all(&vec![0; bytes]).unwrap();
            receiver.read_exact(&mut vec![0; bytes]).unwrap();
        }
        drop((sender, receiver));
        wait_until_all_ended(&mut policies, 1);
        let times = policies.groups()[1].time_to_size[0];
        assert_eq!(values(&times.counts), 1);
        assert!(
            u128::from(times.sum_us) < IDLE.as_micros(),
            "{} us",
            times.sum_us
        );
    });
}

#[test]
fn a_public_prefix_has_a_bounded_part_of_the_counts() {
    let Some(_machine) = machine() else { return };
    with_pins(|pins| {
        // Here and in what this thread starts
        unshare(CloneFlags::CLONE_NEWNET).unwrap();
        for arguments in ["link set lo up", "address add 198.51.100.1/24 dev lo"] {
            let status = Command::new("ip").args(arguments.split(' ')).status();
            assert!(status.unwrap().success(), "{arguments}");
        }
        let listener = TcpListener::bind("198.51.100.1:0").unwrap();
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 0.5)]);
        let mut with_startup = 0;
        for _ in 0..100 {
            let (accepted, _client) = connection_of(&listener);
            with_startup += u64::from(control_of(&accepted).starts_with("onramp_paced."));
        }
        let (startup, control) = policies.connections();
        assert_eq!(startup + control, 22);
        assert_eq!(policies.snapshot().totals.not_counted, 78);
        // They get the start-up by the same share: 50 expected, standard deviation 5.
        assert!((20..=80).contains(&with_startup), "{with_startup}");
    });
}
