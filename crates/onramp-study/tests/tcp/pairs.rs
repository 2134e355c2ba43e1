//! Packet pairs between two of our endpoints, and with this machine's kernel, which supports them
//! only under `onramp exec`.

use super::peer::{generated, read_all, report, sha256, Host, OURS, PORT};
use crate::common::process::Background;
use crate::common::{undisturbed, wait_until};
use serde_json::Value;
use std::fs;

/// A path so slow that its spacing exceeds the noise of the programs, and a transfer with several
/// pairs.
const PATH: [&str; 4] = ["--rate", "10Mbit/s", "--delay", "50ms"];
const SIZE: usize = 500_000;

/// A count of packet pairs in a report.
#[track_caller]
fn count(report: &Value, key: &str) -> u64 {
    report["packet_pairs"][key]
        .as_u64()
        .unwrap_or_else(|| panic!("both ends know pairs: {report}"))
}

/// A Python program in the namespace, with start-up `pair`.
fn exec(host: &Host, program: &str) -> Background {
    host.run(|| Background::onramp(["exec", "--startup", "pair", "--", "python3", "-c", program]))
}

#[test]
fn two_of_our_endpoints_measure_pairs() {
    let Some(host) = Host::new() else { return };
    // Packets go from one device to the other.
    host.run(|| fs::write("/proc/sys/net/ipv4/ip_forward", "1"))
        .unwrap();
    let size = SIZE.to_string() + " B";
    let serve =
        host.serve(&[&["--startup", "pair", "--size", &size, "--once"], &PATH[..]].concat());
    let from = format!("{OURS}:{PORT}");
    let device = [
        "--tun",
        "tun1",
        "--address",
        "10.8.0.2",
        "--host",
        "10.8.0.1",
    ];
    let arguments = [
        &[
            "--json",
            "tcp",
            "get",
            "--packet-pair",
            "answer",
            "--from",
            &from,
        ],
        &device[..],
    ]
    .concat();
    let received = report(host.run(|| Background::onramp(arguments)));
    let sent = report(serve);
    assert_eq!(received["received_sha256"], sha256(&generated(SIZE as u64)));
    assert!(
        count(&sent, "pairs") > 0 && count(&sent, "replies") > 0,
        "{sent}"
    );
    assert!(count(&received, "answers") > 0, "{received}");
    assert_eq!(
        (count(&sent, "malformed"), count(&received, "malformed")),
        (0, 0)
    );
}

#[test]
fn a_kernel_without_packet_pairs_gets_none() {
    let Some(host) = Host::new() else { return };
    let serve = host.serve(&[
        "--startup",
        "pair",
        "--packet-pair",
        "probe",
        "--size",
        "300kB",
        "--once",
    ]);
    assert!(read_all(&host.connect()) == generated(300_000));
    assert!(report(serve)["packet_pairs"].is_null());
}

/// On a busy machine the kernel may take both segments of a pair from the device at once.
#[test]
fn a_kernel_with_packet_pairs_answers_ours() {
    let Some(host) = Host::new() else { return };
    let size = SIZE.to_string() + " B";
    let program = format!(
        "import socket\n\
         connection = socket.create_connection(('{OURS}', {PORT}))\n\
         while connection.recv(65536): pass"
    );
    let run = || {
        let serve =
            host.serve(&[&["--startup", "pair", "--size", &size, "--once"], &PATH[..]].concat());
        let client = exec(&host, &program);
        let sent = report(serve);
        client.wait().code(0);
        assert_eq!(count(&sent, "malformed"), 0);
        assert!(count(&sent, "pairs") > 0, "{sent}");
        sent
    };
    let sent = undisturbed(run, |sent| count(sent, "replies") > 0);
    assert!(count(&sent, "replies") > 0, "{sent}");
}

#[test]
fn our_endpoint_answers_the_pairs_of_a_kernel() {
    let Some(host) = Host::new() else { return };
    for packet_pair in ["answer", "answer-at-once", "probe"] {
        let program = format!(
            "import socket\n\
             server = socket.create_server(('0.0.0.0', {PORT}))\n\
             print('listening', flush=True)\n\
             connection, _ = server.accept()\n\
             connection.sendall(bytes({SIZE}))"
        );
        let server = exec(&host, &program);
        wait_until("it listens", || server.stdout().contains("listening"));
        let received = report(host.get(&[&["--packet-pair", packet_pair], &PATH[..]].concat()));
        server.wait().code(0);
        assert_eq!(received["received_bytes"], SIZE);
        assert!(count(&received, "answers") > 0, "{received}");
        assert_eq!(count(&received, "malformed"), 0);
        // ACKs that are pairs.
        assert_eq!(
            count(&received, "pairs") > 0,
            packet_pair == "probe",
            "{received}"
        );
    }
}
