//! Two programs without any knowledge of packet pairs, and the packets between them.

use super::{has_option, of_type, PERMITTED};
use crate::common::process::Background;
use crate::common::sandbox::Hosts;
use crate::common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

const PORT: u16 = 8000;
const SIZE: usize = 300_000;

/// Accepts one connection and sends. Both ends stay until they are stopped.
fn server() -> String {
    format!(
        "import signal, socket\n\
         server = socket.create_server(('{}', {PORT}))\n\
         print('listening', flush=True)\n\
         connection, _ = server.accept()\n\
         connection.recv(1)\n\
         connection.sendall(bytes({SIZE}))\n\
         signal.pause()",
        Hosts::SERVER
    )
}

fn client() -> String {
    format!(
        "import signal, socket\n\
         connection = socket.create_connection(('{}', {PORT}))\n\
         connection.sendall(b'?')\n\
         left = {SIZE}\n\
         while left: left -= len(connection.recv(left))\n\
         print('received', flush=True)\n\
         signal.pause()",
        Hosts::SERVER
    )
}

/// A Python program in a host, alone or under `onramp exec` with these options.
fn start(host: &str, program: &str, options: Option<&str>) -> Background {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", host]);
    if let Some(options) = options {
        command
            .args([env!("CARGO_BIN_EXE_onramp"), "exec"])
            .args(options.split(' '))
            .arg("--");
    }
    command.args(["python3", "-c", program]);
    Background::spawn(command)
}

/// A segment of a capture.
struct Captured {
    from_server: bool,
    seq: u32,
    ack: u32,
    payload_bytes: u32,
    options: Vec<u8>,
}

/// `None`, with a note, without tshark.
fn read_capture(capture: &Path) -> Option<Vec<Captured>> {
    let fields = ["ip.src", "tcp.seq", "tcp.ack", "tcp.len", "tcp.options"]
        .map(|field| ["-e", field])
        .concat();
    let filter = format!("tcp.port == {PORT}");
    let ran = Command::new("tshark")
        .arg("-r")
        .arg(capture)
        .args(["-Y", &filter, "-T", "fields"])
        .args(fields)
        .output();
    let output = match ran {
        Ok(output) => output,
        Err(error) => {
            assert!(
                std::env::var_os("CI").is_none(),
                "scripts/setup.sh installs tshark: {error}"
            );
            eprintln!("skipped: tshark: {error}");
            return None;
        }
    };
    let segment = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse().unwrap();
        let hex = |at: usize| u8::from_str_radix(&fields[4][at..at + 2], 16).unwrap();
        Captured {
            from_server: fields[0] == Hosts::SERVER,
            seq: number(1),
            ack: number(2),
            payload_bytes: number(3),
            options: (0..fields[4].len()).step_by(2).map(hex).collect(),
        }
    };
    Some(
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(segment)
            .collect(),
    )
}

/// A transfer between two programs, each with or without `onramp exec`. Returns what `onramp ss`
/// shows of the ends of the connection, and the captured packets.
fn transfer(options: [Option<&str>; 2]) -> (Vec<Value>, Option<Vec<Captured>>) {
    let hosts = Hosts::new();
    for host in [&hosts.server, &hosts.client] {
        // The RTT of a veth pair is so short that the kernel sends large packets at any rate.
        let cut = ["-n", host, "link", "set", "cable", "gso_max_segs", "1"];
        assert!(Command::new("ip").args(cut).status().unwrap().success());
    }
    let capture = tempfile::NamedTempFile::new().unwrap();
    let mut tshark = Command::new("ip");
    tshark
        .args([
            "netns",
            "exec",
            &hosts.client,
            "tshark",
            "-i",
            "cable",
            "-w",
        ])
        .arg(capture.path());
    let tshark = Command::new("tshark")
        .arg("--version")
        .output()
        .is_ok()
        .then(|| Background::spawn(tshark));
    if let Some(tshark) = &tshark {
        wait_until("the capture runs", || tshark.stderr().contains("Capturing"));
    }
    let server = start(&hosts.server, &server(), options[0]);
    assert_eq!(server.first_line(), "listening");
    let client = start(&hosts.client, &client(), options[1]);
    assert_eq!(client.first_line(), "received");
    // Connections of an earlier test with the same addresses may still be closing.
    let namespaces = [&hosts.server, &hosts.client]
        .map(|host| fs::metadata(format!("/run/netns/{host}")).unwrap().ino());
    let of_them = |row: &Value| {
        row["network_namespace"]
            .as_u64()
            .is_some_and(|inode| namespaces.contains(&inode))
    };
    let rows = connections().into_iter().filter(of_them).collect();
    for program in [client, server] {
        program.signal(Signal::SIGTERM);
        drop(program);
    }
    if let Some(tshark) = tshark {
        tshark.signal(Signal::SIGINT);
        tshark.wait();
    }
    (rows, read_capture(capture.path()))
}

#[test]
fn two_unmodified_programs_exchange_pairs() {
    let Some(_machine) = machine() else { return };
    let (rows, captured) = transfer([Some("--startup pair"); 2]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let end = |address: &str| {
        rows.iter()
            .find(|row| row["local"].as_str().unwrap().starts_with(address))
            .unwrap()
    };
    let (sender, receiver) = (&end(Hosts::SERVER)["pairs"], &end(Hosts::CLIENT)["pairs"]);
    assert!(sender["sent"].as_u64().unwrap() > 1, "{sender}");
    assert_eq!(sender["sent"], receiver["measured"], "{sender}, {receiver}");
    assert_eq!(
        (
            &receiver["sent"],
            &receiver["ignored"],
            &receiver["malformed"]
        ),
        (&0.into(), &0.into(), &0.into())
    );
    assert!(
        receiver["measured_interval_s"]
            .as_f64()
            .is_some_and(|interval_s| interval_s < 1.0),
        "{receiver}"
    );

    let Some(captured) = captured else { return };
    let says = |from_server: bool| {
        captured
            .iter()
            .find(|segment| segment.from_server == from_server)
            .unwrap()
    };
    for syn in [says(false), says(true)] {
        assert!(
            syn.options.windows(6).any(|bytes| bytes == PERMITTED),
            "{:?}",
            syn.options
        );
    }
    let mut pairs = 0;
    for second in captured.iter().filter(|segment| segment.from_server) {
        let Some(id) = of_type(&second.options, 2) else {
            continue;
        };
        let of_pair = |kind| {
            captured
                .iter()
                .find(|segment| of_type(&segment.options, kind) == Some(id))
        };
        // A capture on a busy machine may lack packets.
        let (Some(first), Some(reply)) = (of_pair(1), of_pair(3)) else {
            continue;
        };
        assert_eq!(first.seq + first.payload_bytes, second.seq);
        assert_eq!([first.payload_bytes, second.payload_bytes], [1440; 2]);
        // Later segments may have arrived before a busy receiver could answer.
        assert!(!reply.from_server && reply.ack >= second.seq + second.payload_bytes);
        pairs += 1;
    }
    assert!(
        (1..=sender["sent"].as_u64().unwrap()).contains(&pairs),
        "{pairs}, {sender}"
    );
}

#[test]
fn onramp_exchanges_trains_if_both_ends_support_pairs() {
    let Some(_machine) = machine() else { return };
    let (rows, captured) = transfer([Some("--packet-pairs"); 2]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(
        rows.iter().all(|row| row["congestion_control"]
            .as_str()
            .unwrap()
            .starts_with("onramp")),
        "{rows:?}"
    );
    let end = |address: &str| {
        rows.iter()
            .find(|row| row["local"].as_str().unwrap().starts_with(address))
            .unwrap()
    };
    let (sender, receiver) = (&end(Hosts::SERVER)["pairs"], &end(Hosts::CLIENT)["pairs"]);
    assert!(sender["reported"].as_u64().unwrap() >= 4, "{sender}");
    assert!(
        receiver["measured"].as_u64() >= sender["reported"].as_u64(),
        "{sender}, {receiver}"
    );
    assert_eq!(
        (&receiver["sent"], &receiver["malformed"]),
        (&0.into(), &0.into()),
        "{receiver}"
    );

    let Some(captured) = captured else { return };
    let seconds = captured
        .iter()
        .filter(|segment| segment.from_server && of_type(&segment.options, 2) == Some(1));
    let ends: Vec<_> = seconds
        .map(|second| (second.seq, second.seq + second.payload_bytes))
        .collect();
    assert!(ends.len() > 2, "the initial window is one train: {ends:?}");
    let replies = captured
        .iter()
        .filter(|segment| of_type(&segment.options, 3).is_some());
    assert!(
        replies.clone().count() >= 4
            && replies
                .clone()
                .all(|reply| !reply.from_server && reply.payload_bytes == 0)
    );
}

#[test]
fn a_peer_without_the_option_gets_a_normal_connection() {
    let Some(_machine) = machine() else { return };
    for (options, peer) in [
        ([Some("--startup pair"), None], "a program as it is"),
        (
            [None, Some("--startup pair")],
            "a program as it is that listens",
        ),
        (
            [Some("--startup pair"), Some("--startup paced")],
            "another start-up",
        ),
        (
            [Some("--packet-pairs"), Some("--startup onramp")],
            "onramp where nobody asked for pairs",
        ),
    ] {
        let (rows, captured) = transfer(options);
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row["pairs"].is_null()),
            "{peer}: {rows:?}"
        );
        let Some(captured) = captured else { return };
        let with_option = captured
            .iter()
            .filter(|segment| has_option(&segment.options));
        // The SYN of the end with the option offers it, and no option follows.
        assert_eq!(
            with_option.count(),
            usize::from(options[1] == Some("--startup pair")),
            "{peer}"
        );
        assert!(
            captured.iter().any(|segment| segment.payload_bytes == 1448),
            "{peer}: no segment is full"
        );
    }
}

#[test]
fn in_the_lab_receivers_answer_pairs_unless_the_scenario_switches_it_off() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let transfers = "[[transfer]]\nsize = \"200 kB\"\nstartup = \"pair\"\n";
    for (receiver, answers) in [("", true), ("[receiver]\npacket_pair = \"none\"\n", false)] {
        let file = scenario(dir.path(), "pairs", receiver, transfers);
        let result = onramp(["lab".as_ref(), file.as_os_str(), "--json".as_ref()])
            .code(0)
            .json()[0]
            .clone();
        // On a busy machine the measurement is inexact, but it exists.
        assert_eq!(
            result["estimate_bytes_per_s"].is_u64(),
            answers,
            "{receiver}: {result}"
        );
    }
}
