//! `lab`, `exec` and `unload` end early: nothing of Onramp is left, and other connections continue.

use crate::common::process::{Asking, Background, Descendant, Held, ANSWERING};
use crate::common::*;
use nix::libc;
use nix::sys::signal::Signal;
use nix::sys::socket::{setsockopt, sockopt::TcpCongestion};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

const SHORT: &str = "[[transfer]]\nsize = \"100 kB\"\nstartup = \"paced\"\n";
/// A transfer of more than an hour: it does not end before a test has looked at it.
const LONG: &str = "[[transfer]]\nsize = \"10 GB\"\nstartup = \"paced\"\n";

fn lab(file: &Path, arguments: &[&OsStr]) -> Background {
    Background::onramp(
        [OsStr::new("lab"), file.as_os_str()]
            .iter()
            .chain(arguments),
    )
}

/// Whether a connection of a process's registration has this many acknowledged bytes.
fn has_sent(pid: u32, bytes: u64) -> bool {
    let names = registered_by(pid);
    let of_it = |connection: &serde_json::Value| {
        names
            .iter()
            .any(|name| connection["congestion_control"] == **name)
    };
    connections()
        .iter()
        .any(|connection| of_it(connection) && connection["acked_bytes"].as_u64().unwrap() >= bytes)
}

#[test]
fn a_killed_lab_leaves_nothing_and_the_next_one_works() {
    let Some(_machine) = machine() else { return };
    // A congestion control, and the program of the option for packet pairs.
    for (startup, links) in [("paced", 1), ("pair", 2)] {
        is_cleaned_up_when_killed(&LONG.replace("paced", startup), links);
    }
}

fn is_cleaned_up_when_killed(transfer: &str, links: usize) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let lab_ = lab(
        &scenario(dir.path(), "long", "", transfer),
        &["--out".as_ref(), out.as_ref()],
    );
    let pid = lab_.pid();
    wait_until("the transfer is under way", || has_sent(pid, 200_000));
    let held = Held::by(pid);
    assert_eq!(held.namespaces.len(), 2, "two hosts");
    assert!(
        held.programs.len() >= 5 && held.maps.len() >= 3 && held.links.len() == links,
        "a congestion control"
    );
    assert_eq!(
        held.inside_left()
            .iter()
            .filter(|line| *line == "onramp0")
            .count(),
        2,
        "a device each"
    );

    lab_.signal(Signal::SIGKILL);
    assert_eq!(lab_.wait().code, None);

    wait_until("the congestion control is gone", || nothing_left_of(pid));
    wait_until("programs, maps and links are gone", || held.bpf_left() == 0);
    wait_until("devices and sockets are gone", || {
        held.inside_left().is_empty()
    });
    wait_until("the namespaces are free", || !held.is_referred_to());
    assert!(listing(&out).is_empty(), "{:?}", listing(&out));

    let next = scenario(dir.path(), "next", "", SHORT);
    onramp(["lab".as_ref(), next.as_os_str()])
        .code(0)
        .says(&["paced + cubic"]);
}

#[test]
fn an_interrupted_lab_prints_and_writes_completed_transfers() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (out, recording) = (dir.path().join("out"), dir.path().join("recording"));
    let file = scenario(dir.path(), "interrupted", "", &format!("{SHORT}{LONG}"));
    let options = [
        "--out".as_ref(),
        out.as_os_str(),
        "--record".as_ref(),
        recording.as_os_str(),
    ];
    let lab_ = lab(&file, &options);
    let pid = lab_.pid();
    wait_until("the second transfer is under way", || {
        has_sent(pid, 200_000)
    });
    let held = Held::by(pid);
    lab_.signal(Signal::SIGINT);
    lab_.wait()
        .code(130)
        .says(&["100 kB", "paced + cubic", "report.html"]);

    let results: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(results.as_array().unwrap().len(), 1);
    assert_eq!(results[0]["size_bytes"], 100_000);
    assert!(std::fs::read_to_string(out.join("report.html"))
        .unwrap()
        .contains("The run was interrupted"));
    onramp(["replay".as_ref(), recording.as_os_str()]).code(0);
    let names = listing(dir.path()).into_iter().collect::<Vec<_>>();
    assert_eq!(names, ["interrupted.toml", "out", "recording"]);

    wait_until("nothing is left", || {
        nothing_left_of(pid) && held.bpf_left() == 0
    });
    assert!(held.inside_left().is_empty() && !held.is_referred_to());
}

#[test]
fn two_concurrent_labs_have_different_names_and_leave_nothing() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let transfers = format!("{SHORT}{LONG}");
    let labs = ["one", "two"].map(|name| {
        lab(
            &scenario(dir.path(), name, "", &transfers),
            &["--json".as_ref()],
        )
    });
    let pids = labs.each_ref().map(Background::pid);
    // Then the first transfer of each is complete.
    wait_until("both send in their second transfers", || {
        pids.iter().all(|&pid| has_sent(pid, 200_000))
    });
    let names: Vec<String> = pids.iter().flat_map(|&pid| registered_by(pid)).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names.iter().all(|name| name.starts_with("onramp_paced")),
        "{names:?}"
    );
    assert_ne!(names[0], names[1]);
    for (lab, scenario) in labs.into_iter().zip(["one", "two"]) {
        lab.signal(Signal::SIGINT);
        let records = lab.wait().code(130).json();
        assert_eq!(records[0]["scenario"], scenario);
        assert_eq!(records[0]["startup"], "paced");
        // The exit reason is one of this start-up's own, so it was the one that ran.
        assert!(
            !["none", "unfinished"].contains(&records[0]["exit_reason"].as_str().unwrap()),
            "{records}"
        );
    }
    assert!(pids.iter().all(|&pid| nothing_left_of(pid)));
}

#[test]
fn the_program_of_a_killed_exec_continues_and_the_next_exec_removes_its_cgroup() {
    let Some(_machine) = machine() else { return };
    let exec = Background::onramp(["exec", "--", "python3", "-c", ANSWERING]);
    let (python, port) = python_and_port(&exec);
    let pid = exec.pid();
    let name = registered_by(pid).pop().expect("exec has registered");
    let mut before = Asking::connect(port);
    assert_eq!(before.congestion_control(), name);

    exec.signal(Signal::SIGKILL);
    exec.wait();
    wait_until("nothing is registered", || registered_by(pid).is_empty());
    assert!(python.is_running());
    assert_eq!(
        before.congestion_control(),
        name,
        "a live connection keeps it and goes on"
    );
    let default = onramp_kernel::default_in_this_namespace().unwrap();
    assert_eq!(
        Asking::connect(port).congestion_control(),
        default,
        "a new connection has the host's own"
    );

    let cgroup = python.cgroup();
    assert!(cgroup
        .file_name()
        .unwrap()
        .to_string_lossy()
        .starts_with(&format!("onramp-exec-{pid}-")));
    onramp(["exec", "--", "true"]).code(0);
    assert!(
        cgroup.is_dir() && python.is_running(),
        "a cgroup in use stays"
    );
    assert_eq!(before.congestion_control(), name);
    python.kill();
    wait_until("the last connection's congestion control is gone", || {
        nothing_left_of(pid)
    });
    onramp(["exec", "--", "true"]).code(0);
    assert!(!cgroup.exists());
}

/// The output of [`ANSWERING`].
fn python_and_port(exec: &Background) -> (Descendant, u16) {
    let line = exec.first_line();
    let (pid, port) = line
        .split_once(' ')
        .unwrap_or_else(|| panic!("a PID and a port: {line:?}"));
    (Descendant::new(pid.parse().unwrap()), port.parse().unwrap())
}

#[test]
fn a_signal_to_exec_reaches_the_program() {
    let Some(_machine) = machine() else { return };
    let exec = Background::onramp(["exec", "--", "python3", "-c", ANSWERING]);
    let (python, _) = python_and_port(&exec);
    let (pid, cgroup) = (exec.pid(), python.cgroup());
    exec.signal(Signal::SIGTERM);
    exec.wait().code(143);
    assert!(!python.is_running());
    assert!(!cgroup.exists());
    assert!(nothing_left_of(pid));

    let script = "trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    let dir = tempfile::tempdir().unwrap();
    let ready: PathBuf = dir.path().join("ready");
    let script = script.replace("echo ready", &format!("touch {}", ready.display()));
    let exec = Background::onramp(["exec", "--", "sh", "-c", &script]);
    wait_until("the program runs", || ready.exists());
    exec.signal(Signal::SIGTERM);
    exec.wait().code(9).says(&["caught"]);
}

#[test]
fn a_thousand_connections_continue_after_unload() {
    const CONNECTIONS: usize = 1000;
    let Some(_machine) = machine() else { return };
    allow_descriptors(2 * CONNECTIONS + 200);
    let loaded = Loaded::new("standard", &[]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    setsockopt(&listener, TcpCongestion, &OsString::from("onramp_standard")).unwrap();
    let address = listener.local_addr().unwrap();
    let mut pairs: Vec<(TcpStream, TcpStream)> = (0..CONNECTIONS)
        .map(|_| {
            (
                TcpStream::connect(address).unwrap(),
                listener.accept().unwrap().0,
            )
        })
        .collect();
    drop(listener);
    let entry = || {
        status()
            .into_iter()
            .find(|loaded| loaded["name"] == "onramp_standard" && loaded["owner_pid"].is_null())
    };
    assert_eq!(entry().unwrap()["connections"], CONNECTIONS);

    onramp(["unload", "standard"])
        .code(0)
        .says(&["onramp_standard is no longer registered; 1000 connections that use it continue."]);
    drop(loaded);
    let left = entry().unwrap();
    assert_eq!(
        (&left["registered"], &left["connections"]),
        (&false.into(), &CONNECTIONS.into())
    );
    onramp(["status"])
        .code(0)
        .says(&["its connections end (no longer registered)"]);
    for (index, (receiver, sender)) in pairs.iter_mut().enumerate() {
        let sent = [index as u8; 3000];
        let mut received = [0; 3000];
        sender.write_all(&sent).unwrap();
        receiver.read_exact(&mut received).unwrap();
        assert_eq!(sent, received);
    }
    let own = connections()
        .into_iter()
        .filter(|connection| connection["local"] == address.to_string());
    assert!(
        own.map(|connection| assert_eq!(connection["acked_bytes"], 3000))
            .count()
            == CONNECTIONS
    );

    // The receiver closes first, so that the sender does not wait in TIME-WAIT.
    pairs
        .into_iter()
        .for_each(|(receiver, sender)| drop((receiver, sender)));
    wait_until("nothing is left of it", || entry().is_none());
}

fn allow_descriptors(count: usize) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both calls get a complete rlimit that outlives them.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit), 0);
        limit.rlim_cur = limit.rlim_cur.max(count as libc::rlim_t);
        limit.rlim_max = limit.rlim_max.max(limit.rlim_cur);
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
    }
}
