//! Wireshark finds no problem in our packets if none are lost.

use super::peer::{accept, generated, read_all, report, write_all, Host, PORT};
use crate::common::undisturbed;
use std::path::Path;
use std::process::Command;
use tempfile::NamedTempFile;

/// A queue so large that nothing is lost, and an RTT so long that a timer does not mistake a busy
/// processor for a loss.
const PATH: [&str; 6] = ["--rate", "100Mbit/s", "--delay", "50ms", "--queue", "10000"];

/// The packets of a capture that match a filter, one per line; `None`, with a note, without tshark.
fn tshark(capture: &Path, filter: &str) -> Option<String> {
    let checks = ["tcp.check_checksum:TRUE", "ip.check_checksum:TRUE"]
        .map(|check| ["-o", check])
        .concat();
    // The data is not HTTP, whatever the port is.
    let dissector = ["-d".to_owned(), format!("tcp.port=={PORT},data")];
    let ran = Command::new("tshark")
        .arg("-r")
        .arg(capture)
        .args(checks)
        .args(dissector)
        .args(["-Y", filter])
        .output();
    match ran {
        Ok(output) => {
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(error) => {
            assert!(
                std::env::var_os("CI").is_none(),
                "scripts/setup.sh installs tshark: {error}"
            );
            eprintln!("skipped: tshark: {error}");
            None
        }
    }
}

fn has_no_remark(capture: &NamedTempFile) -> bool {
    remarks(capture.path()).is_none_or(|remarks| remarks.is_empty())
}

/// What Wireshark finds remarkable in the course of a connection. A machine that stops a process
/// for long causes some of it: a retransmission, a probe.
fn remarks(capture: &Path) -> Option<String> {
    tshark(capture, "tcp.analysis.flags && !tcp.analysis.window_update")
}

fn is_clean(capture: &Path) {
    let Some(all) = tshark(capture, "tcp.len > 0") else {
        return;
    };
    assert!(
        all.lines().count() >= 1_000_000 / 1448,
        "{}",
        all.lines().count()
    );
    // 0xffff stands for 0 (RFC 1624, section 3). Linux writes it, and Wireshark expects 0.
    let sum = "tcp.checksum != 0xffff";
    assert_eq!(
        tshark(
            capture,
            &format!("(tcp.checksum.status != 1 && {sum}) || ip.checksum.status != 1")
        )
        .unwrap(),
        ""
    );
    assert_eq!(remarks(capture).unwrap(), "");
    // Warnings and errors, by their number in Wireshark's epan/proto.h.
    let errors = format!("_ws.malformed || (_ws.expert.severity >= 0x600000 && {sum})");
    assert_eq!(tshark(capture, &errors).unwrap(), "");
}

#[test]
fn wireshark_finds_no_problem_in_sent_packets() {
    let Some(host) = Host::new() else { return };
    let run = || {
        let capture = NamedTempFile::new().unwrap();
        let options = [
            "--capture",
            capture.path().to_str().unwrap(),
            "--size",
            "1MB",
            "--once",
        ];
        let serve = host.serve(&[&PATH[..], &options].concat());
        assert!(read_all(&host.connect()) == generated(1_000_000));
        report(serve);
        capture
    };
    is_clean(undisturbed(run, has_no_remark).path());
}

#[test]
fn wireshark_finds_no_problem_in_the_acks() {
    let Some(host) = Host::new() else { return };
    let run = || {
        let capture = NamedTempFile::new().unwrap();
        let listener = host.listen();
        let get = host.get(&[&PATH[..], &["--capture", capture.path().to_str().unwrap()]].concat());
        write_all(&accept(&listener), &generated(1_000_000));
        report(get);
        capture
    };
    is_clean(undisturbed(run, has_no_remark).path());
}
