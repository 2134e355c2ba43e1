//! Which connections a policy chooses.

use super::common::{gets_it, next_control, policy, port_of, with_pins, InForce};
use crate::common::{choose, connection_of, control_of, listener, machine};
use nix::sched::{unshare, CloneFlags};
use onramp_kernel::policy::{Cgroup, Family, Match, Prefix, Rule};
use onramp_kernel::ExecCgroup;
use std::net::{IpAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

fn prefix(address: &str, length: u8) -> Prefix {
    Prefix::new(address.parse::<IpAddr>().unwrap(), length).unwrap()
}

#[test]
fn a_local_port_and_a_destination_choose_connections_of_both_versions_of_ip() {
    let Some(_machine) = machine() else { return };
    let (own, other) = (listener(), listener());
    let both = TcpListener::bind("[::]:0").unwrap();
    let chosen = |destinations, family, listener: &TcpListener| Match {
        destinations,
        family,
        ..port_of(listener)
    };
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("web", port_of(&own), 1.0)]);
        assert!(gets_it(&own) && !gets_it(&other));
        // The end that connects has another local port.
        let (_accepted, client) = connection_of(&own);
        assert!(!control_of(&client).starts_with("onramp"));
        let (v4, v6) = (Some(Family::Ipv4), Some(Family::Ipv6));
        let loopback = || prefix("127.0.0.0", 8);
        let port = both.local_addr().unwrap().port();
        for (destinations, family, over_v4, over_v6) in [
            (vec![], None, true, true),
            (vec![], v4, true, false),
            (vec![], v6, false, true),
            (vec![loopback()], None, true, false),
            (vec![prefix("::1", 128)], None, false, true),
            (vec![prefix("::", 0)], None, true, true),
            (vec![prefix("0.0.0.0", 0)], None, true, false),
            (
                vec![prefix("127.0.0.2", 32), prefix("2001:db8::", 32)],
                None,
                false,
                false,
            ),
            (vec![loopback()], v6, false, false),
        ] {
            let rule = policy("web", chosen(destinations.clone(), family, &both), 1.0);
            policies.get().apply(&[rule]).unwrap();
            for (address, expected) in [("127.0.0.1", over_v4), ("::1", over_v6)] {
                let client = std::net::TcpStream::connect((address, port)).unwrap();
                let accepted = both.accept().unwrap().0;
                let name = control_of(&accepted);
                let found = name.starts_with("onramp_paced.");
                assert_eq!(
                    found, expected,
                    "{destinations:?} {family:?} {address}: {name}"
                );
                drop(client);
            }
        }
    });
}

#[test]
fn a_program_that_chooses_a_congestion_control_keeps_it() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    choose(&listener, "reno");
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 1.0)]);
        assert_eq!(next_control(&listener), "reno");
        assert_eq!(policies.connections(), (0, 0));
        assert_eq!(policies.snapshot().totals.chosen_by_program, 1);
    });
}

/// Runs `ip` in the network namespace of this thread.
fn ip(arguments: &str) {
    let mut command = Command::new("ip");
    let status = command.args(arguments.split(' ')).status().unwrap();
    assert!(status.success(), "ip {arguments}");
}

#[test]
fn a_route_that_locks_its_congestion_control_keeps_its_connections_out_of_both_groups() {
    let Some(_machine) = machine() else { return };
    with_pins(|pins| {
        unshare(CloneFlags::CLONE_NEWNET).unwrap();
        ip("link set lo up");
        let listener = listener();
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 0.5)]);
        const CONNECTIONS: u64 = 32;
        ip("route replace local 127.0.0.1 dev lo table local congctl lock reno");
        (0..CONNECTIONS).for_each(|_| assert_eq!(next_control(&listener), "reno"));
        assert_eq!(policies.connections(), (0, 0));
        let totals = policies.snapshot().totals;
        assert_eq!((totals.chosen_by_program, totals.refused), (CONNECTIONS, 0));
        // Without the lock the route's choice is a default: the start-up replaces it.
        ip("route replace local 127.0.0.1 dev lo table local congctl reno");
        (0..CONNECTIONS).for_each(|_| drop(next_control(&listener)));
        let (startup, control) = policies.connections();
        assert_eq!(startup + control, CONNECTIONS);
        assert!(startup > 0 && control > 0, "{startup} {control}");
        assert_eq!(policies.snapshot().totals.refused, 0);
    });
}

#[test]
fn only_root_may_enter_the_directories_of_the_pins() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        // An earlier version left it open.
        std::fs::create_dir(pins).unwrap();
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(pins, open).unwrap();
        let policies = InForce::new(pins, &[policy("web", port_of(&listener), 1.0)]);
        for part in ["", "maps", "links", "registrations"] {
            let mode = std::fs::metadata(pins.join(part))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o700, "{part}");
        }
        policies.stop();
    });
}

/// Python that listens, and prints its port and what the first connection has.
const LISTENS: &str = r#"
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
print(server.accept()[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).decode())
"#;

/// Starts [`LISTENS`], connects to it, and returns what it prints about the connection.
fn control_in(command: &mut Command) -> String {
    use std::io::{BufRead, BufReader, Read};
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut port = String::new();
    output.read_line(&mut port).unwrap();
    let address = format!("127.0.0.1:{}", port.trim());
    let _client = std::net::TcpStream::connect(address).unwrap();
    let mut name = String::new();
    output.read_to_string(&mut name).unwrap();
    child.wait().unwrap();
    name.trim().trim_end_matches('\0').to_owned()
}

/// [`LISTENS`] in a cgroup.
fn in_cgroup(cgroup: &Path) -> Command {
    let procs = cgroup.join("cgroup.procs");
    let mut command = Command::new("python3");
    command.args(["-c", LISTENS]);
    // SAFETY: the closure writes to a file, which is safe enough in a test with few threads.
    unsafe { command.pre_exec(move || std::fs::write(&procs, b"0")) };
    command
}

fn below_the_root(cgroup: &Path) -> String {
    let root = onramp_kernel::cgroup2_mount().unwrap();
    format!("/{}", cgroup.strip_prefix(root).unwrap().display())
}

#[test]
fn a_cgroup_chooses_its_descendants_also_if_it_is_made_later() {
    let Some(_machine) = machine() else { return };
    let parent = ExecCgroup::create().unwrap();
    let [web, later] = ["web.service", "later.service"].map(|name| parent.path().join(name));
    let _ = std::fs::create_dir(&web);
    let chosen = |cgroups| Match {
        cgroups,
        ..Match::default()
    };
    let made = Made(vec![web.clone(), later.join("worker"), later.clone()]);
    with_pins(|pins| {
        let later_path = Cgroup::Path(below_the_root(&later));
        let rules = [policy(
            "web",
            chosen(vec![Cgroup::Unit("web.service".to_owned())]),
            1.0,
        )];
        let mut policies = InForce::new(pins, &rules);
        assert!(control_in(&mut in_cgroup(&web)).starts_with("onramp_paced."));
        assert!(!control_in(&mut in_cgroup(parent.path())).starts_with("onramp"));
        // By a path, for a cgroup that does not exist yet, and one below it.
        policies
            .get()
            .apply(&[policy("later", chosen(vec![later_path]), 1.0)])
            .unwrap();
        assert!(!control_in(&mut in_cgroup(&web)).starts_with("onramp"));
        std::fs::create_dir(&later).unwrap();
        std::fs::create_dir(later.join("worker")).unwrap();
        assert!(control_in(&mut in_cgroup(&later.join("worker"))).starts_with("onramp_paced."));
        // Removed and made again, it has another number.
        std::fs::remove_dir(later.join("worker")).unwrap();
        std::fs::remove_dir(&later).unwrap();
        std::fs::create_dir(&later).unwrap();
        assert!(control_in(&mut in_cgroup(&later)).starts_with("onramp_paced."));
    });
    drop(made);
}

/// Cgroups that are removed when this value is dropped.
struct Made(Vec<std::path::PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = std::fs::remove_dir(path);
        }
    }
}

/// For each name: makes the cgroup where it does not exist, connects from it, and removes it.
/// Prints how many of these connections had no start-up.
const CONNECTS_FROM_CGROUPS: &str = r#"
import os, socket, sys
parent, names = sys.argv[1], sys.argv[2:]
server = socket.create_server(("127.0.0.1", 0))
without = 0
def enter(folder):
    with open(folder + "/cgroup.procs", "w") as processes:
        processes.write("0")
for name in names:
    cgroup = parent + "/" + name
    os.makedirs(cgroup, exist_ok=True)
    enter(cgroup)
    client = socket.create_connection(server.getsockname())
    control = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    without += not control.startswith(b"onramp_paced.")
    client.close()
    server.accept()[0].close()
    enter(parent)
    os.rmdir(cgroup)
print(without)
"#;

/// [`CONNECTS_FROM_CGROUPS`] for cgroups below this one.
fn connects_from(parent: &Path, names: impl IntoIterator<Item = String>) -> std::process::Child {
    let mut command = Command::new("python3");
    command.args(["-c", CONNECTS_FROM_CGROUPS]).arg(parent);
    command.args(names).stdout(std::process::Stdio::piped());
    command.spawn().unwrap()
}

/// How many of its connections had no start-up.
fn without_a_start_up(child: std::process::Child) -> u32 {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.trim().parse().unwrap()
}

/// A policy for the cgroups of a unit that no other test has.
fn policy_of_a_unit() -> (String, Rule) {
    let unit = format!("onramp-test-{}.service", std::process::id());
    let matches = Match {
        cgroups: vec![Cgroup::Unit(unit.clone())],
        ..Match::default()
    };
    (unit, policy("unit", matches, 1.0))
}

#[test]
fn no_connection_of_a_new_cgroup_is_missed_while_policies_are_replaced() {
    const CONNECTIONS: usize = 300;
    let Some(_machine) = machine() else { return };
    let parent = ExecCgroup::create().unwrap();
    let (unit, rule) = policy_of_a_unit();
    let _made = Made(vec![parent.path().join(&unit)]);
    with_pins(|pins| {
        let mut policies = InForce::new(pins, std::slice::from_ref(&rule));
        let mut child = connects_from(parent.path(), vec![unit; CONNECTIONS]);
        while child.try_wait().unwrap().is_none() {
            policies.get().apply(std::slice::from_ref(&rule)).unwrap();
        }
        assert_eq!(without_a_start_up(child), 0);
        assert_eq!(policies.snapshot().totals.cgroups_lost, 0);
    });
}

#[test]
fn a_cgroup_that_is_made_while_policies_are_put_into_force_for_the_first_time_has_them() {
    let Some(_machine) = machine() else { return };
    let parent = ExecCgroup::create().unwrap();
    let (unit, rule) = policy_of_a_unit();
    with_pins(|pins| {
        let is_in_force = AtomicBool::new(false);
        let (policies, made) = std::thread::scope(|scope| {
            let maker = scope.spawn(|| {
                let mut made = Made(Vec::new());
                while !is_in_force.load(Ordering::Relaxed) {
                    let slice = parent.path().join(format!("{}.slice", made.0.len()));
                    std::fs::create_dir_all(slice.join(&unit)).unwrap();
                    made.0.extend([slice.join(&unit), slice]);
                }
                made
            });
            let policies = InForce::new(pins, &[rule]);
            is_in_force.store(true, Ordering::Relaxed);
            (policies, maker.join().unwrap())
        });
        // The last ones were made while the programs were attached.
        let last = made.0.iter().rev().skip(1).step_by(2).take(200);
        let names = last.map(|path| {
            let below = path.strip_prefix(parent.path()).unwrap();
            below.display().to_string()
        });
        assert_eq!(without_a_start_up(connects_from(parent.path(), names)), 0);
        drop((policies, made));
    });
}

#[test]
fn a_user_chooses_connections_also_of_a_container() {
    const NOBODY: u32 = 65534;
    let Some(_machine) = machine() else { return };
    let chosen = Match {
        users: vec![NOBODY],
        ..Match::default()
    };
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("nobody", chosen, 1.0)]);
        let python = || {
            let mut command = Command::new("python3");
            command.args(["-c", LISTENS]);
            command
        };
        assert!(!control_in(&mut python()).starts_with("onramp"));
        assert!(control_in(python().uid(NOBODY)).starts_with("onramp_paced."));
        // Own user, network, cgroup, PID and mount namespaces. It is root there, and user 65534
        // here. Nobody outside can connect to it, so it does that itself.
        let inside = "ip link set lo up && exec python3 -c \"$1\"";
        let both_ends = r#"
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
print(server.accept()[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).decode())
"#;
        let mut unshare = Command::new("unshare");
        unshare.args([
            "--user",
            "--map-root-user",
            "--net",
            "--cgroup",
            "--pid",
            "--fork",
        ]);
        unshare
            .args(["--mount", "sh", "-c", inside, "sh", both_ends])
            .uid(NOBODY);
        let output = unshare.output().unwrap();
        let name = String::from_utf8(output.stdout).unwrap();
        if name.is_empty() {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            eprintln!("left out: this host makes no user namespaces: {error}");
            return;
        }
        assert!(name.starts_with("onramp_paced."), "{name}");
        assert!(policies.connections().0 >= 3);
    });
}
