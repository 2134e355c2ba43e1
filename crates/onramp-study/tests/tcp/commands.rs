//! `onramp tcp serve` and `onramp tcp get`: transfers.

use super::peer::{
    accept, generated, read_all, report, reports, sha256, write_all, Host, KERNEL, OURS, PORT,
};
use crate::common::{keys, listing, undisturbed, wait_until};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

/// A machine that stops a process for longer than an RTO causes a timeout.
fn has_no_timeout(report: &Value) -> bool {
    report["timeouts"] == 0
}

#[test]
fn serve_sends_its_file_to_several_peers_at_once() {
    let Some(host) = Host::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (file, bytes) = (dir.path().join("file"), generated(2_000_000));
    fs::write(&file, &bytes).unwrap();
    let serve = host.serve(&["--file", file.to_str().unwrap()]);
    let peers: Vec<TcpStream> = (0..4).map(|_| host.connect()).collect();
    for peer in &peers {
        assert!(read_all(peer) == bytes);
    }
    drop(peers);
    wait_until("four reports", || serve.stdout().lines().count() == 4);
    serve.signal(Signal::SIGINT);
    let ran = serve.wait().code(0);
    for report in reports(&ran) {
        assert_eq!(
            (&report["sent_bytes"], &report["sent_sha256"]),
            (&2_000_000.into(), &sha256(&bytes).into())
        );
        assert!(report["local"] == format!("{OURS}:{PORT}") && report["failure"].is_null());
    }
}

#[test]
fn serve_receives_a_file_that_appears_when_it_is_complete() {
    let Some(host) = Host::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (file, bytes) = (dir.path().join("upload"), generated(1_000_000));
    let serve = host.serve(&["--receive", file.to_str().unwrap(), "--once"]);
    let peer = host.connect();
    (&peer).write_all(&bytes[..500_000]).unwrap();
    wait_until("it is being written", || !listing(dir.path()).is_empty());
    assert!(!file.exists());
    write_all(&peer, &bytes[500_000..]);
    assert_eq!(read_all(&peer), b"");
    assert_eq!(report(serve)["received_sha256"], sha256(&bytes));
    assert!(fs::read(&file).unwrap() == bytes && listing(dir.path()).len() == 1);
}

#[test]
fn get_sends_a_request_and_prints_the_answer() {
    let Some(host) = Host::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let question = dir.path().join("question");
    fs::write(&question, "What is on the ramp?").unwrap();
    let listener = host.listen();
    let get = host.get(&["--send", question.to_str().unwrap(), "--output", "-"]);
    let peer = accept(&listener);
    assert_eq!(read_all(&peer), b"What is on the ramp?");
    write_all(&peer, b"A car.");
    let ran = get.wait().code(0).warns(&["\"received_bytes\":6"]);
    assert_eq!(ran.stdout, "A car.");
}

#[test]
fn each_side_may_close_while_the_other_sends() {
    let Some(host) = Host::new() else { return };
    let bytes = generated(3_000_000);
    let serve = host.serve(&["--size", "3MB", "--once"]);
    let peer = host.connect();
    peer.shutdown(Shutdown::Write).unwrap();
    assert!(read_all(&peer) == bytes);
    assert_eq!(report(serve)["sent_bytes"], 3_000_000);
}

#[test]
fn a_slow_reader_stops_the_sender_without_loss() {
    let Some(host) = Host::new() else { return };
    let run = || {
        let serve = host.serve(&["--size", "12MB", "--once"]);
        let peer = host.connect();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert!(read_all(&peer) == generated(12_000_000));
        report(serve)
    };
    assert_eq!(undisturbed(run, has_no_timeout)["timeouts"], 0);
}

#[test]
fn every_configuration_of_the_stack_transfers() {
    let Some(host) = Host::new() else { return };
    for options in [
        &["--stack", "lite"][..],
        &["--stack", "lite", "--timers", "brakmo", "--acks", "every"],
        &["--no-sack", "--no-timestamps", "--no-window-scaling"],
        &[
            "--avoidance",
            "vegas",
            "--timers",
            "rfc6298",
            "--acks",
            "delayed",
        ],
        &[
            "--avoidance",
            "westwood",
            "--startup",
            "paced",
            "--mtu",
            "600",
        ],
        &["--startup", "pair", "--packet-pair", "answer-at-once"],
        &["--packet-pair", "probe", "--acks", "delayed"],
        &[
            "--avoidance",
            "reno",
            "--timers",
            "decoupled",
            "--initial-window",
            "2",
            "--receive-buffer",
            "20kB",
        ],
    ] {
        let run = || {
            let serve =
                host.serve(&[options, &["--size", "300kB", "--once", "--delay", "1ms"]].concat());
            assert!(
                read_all(&host.connect()) == generated(300_000),
                "{options:?}"
            );
            report(serve)
        };
        assert_eq!(
            undisturbed(run, has_no_timeout)["timeouts"],
            0,
            "{options:?}"
        );
        let listener = host.listen();
        let get = host.get(&[options, &["--delay", "1ms"]].concat());
        write_all(&accept(&listener), &generated(300_000));
        assert_eq!(
            report(get)["received_sha256"],
            sha256(&generated(300_000)),
            "{options:?}"
        );
    }
}

#[test]
fn a_device_that_the_user_made_stays() {
    let Some(host) = Host::new() else { return };
    let ip = format!(
        "tuntap add dev mine mode tun\nlink set mine mtu 1400 up\naddress add {KERNEL} \
            peer {OURS} dev mine\n"
    );
    host.run(|| onramp_host::ip(&ip)).unwrap();
    let port = PORT.to_string();
    let arguments = [
        "tcp",
        "serve",
        "--tun",
        "mine",
        "--address",
        OURS,
        "--port",
        &port,
        "--size",
        "50kB",
        "--once",
    ];
    let serve = host.run(|| crate::common::process::Background::onramp(arguments));
    wait_until("it listens", || serve.stderr().contains("listening"));
    assert_eq!(read_all(&host.connect()).len(), 50_000);
    serve
        .wait()
        .code(0)
        .says(&["50.0 kB in", "segments retransmitted", "SHA-256"]);
    assert!(devices(&host).contains("mine"));
}

#[test]
fn sigint_resets_connections_and_leaves_nothing() {
    let Some(host) = Host::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("never");
    let serve = host.serve(&["--receive", file.to_str().unwrap()]);
    let mut peer = host.connect();
    peer.write_all(b"the beginning").unwrap();
    wait_until("it is being written", || !listing(dir.path()).is_empty());
    assert!(devices(&host).contains("tun0"));
    serve.signal(Signal::SIGINT);
    serve.wait().code(130);
    assert_eq!(
        peer.read(&mut [0; 9]).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    assert!(listing(dir.path()).is_empty());
    assert!(!devices(&host).contains("tun0"));
}

#[test]
fn unknown_connections_are_refused_and_counted() {
    let Some(host) = Host::new() else { return };
    let serve = host.serve(&["--size", "1kB", "--once"]);
    let refused = host
        .run(|| TcpStream::connect((OURS, PORT + 1)))
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    host.run(|| {
        std::net::UdpSocket::bind((KERNEL, 0))
            .unwrap()
            .send_to(b"?", (OURS, 53))
    })
    .unwrap();
    assert_eq!(read_all(&host.connect()).len(), 1000);
    let report = report(serve);
    insta::assert_snapshot!(keys(&report).join(" "), @"data_segments_sent duplicates_received ecn \
        ecn_reductions failure goodput_bytes_per_s local marks_received packet_pairs packets \
        probes received_bytes received_sha256 recoveries remote retransmitted_segments \
        segments_received sent_bytes sent_sha256 srtt_s time_s timeouts");
    assert_eq!(report["packets"]["refused"], 1);
    assert!(report["packets"]["foreign"].as_u64() > Some(0));
}

/// The names of the devices in a namespace.
fn devices(host: &Host) -> String {
    host.run(|| fs::read_to_string("/proc/thread-self/net/dev"))
        .unwrap()
}
