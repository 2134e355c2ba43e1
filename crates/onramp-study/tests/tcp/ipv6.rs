//! Our TCP and this machine's kernel over IPv6.

use super::peer::{generated, read_all, report, write_all, Host, PORT};
use crate::common::process::Background;
use crate::common::{onramp, wait_until};
use std::fs;
use std::net::{TcpListener, TcpStream};

const OURS: &str = "fd00:9::2";
const KERNEL: &str = "fd00:9::1";
const DEVICE: [&str; 6] = ["--tun", "tun0", "--address", OURS, "--host", KERNEL];
/// A path on which slow start overshoots the target of CoDel, and nothing is dropped.
const MARKING: [&str; 7] = [
    "--rate", "20Mbit/s", "--delay", "20ms", "--queue", "2000", "--codel",
];
const SIZE_BYTES: u64 = 6_000_000;

/// The kernel's count of IPv6 packets that arrived with CE in its namespace.
fn kernels_marks(host: &Host) -> u64 {
    let text = host.run(|| fs::read_to_string("/proc/thread-self/net/snmp6").unwrap());
    let marks = text
        .lines()
        .filter_map(|line| line.strip_prefix("Ip6InCEPkts"));
    marks
        .map(|count| count.trim().parse::<u64>().unwrap())
        .sum()
}

#[test]
fn the_kernel_downloads_and_counts_the_marks_of_the_path() {
    let Some(host) = Host::new() else { return };
    host.run(|| fs::write("/proc/sys/net/ipv4/tcp_ecn", "1"))
        .unwrap();
    let size = format!("{SIZE_BYTES} B");
    let fixed = [
        "--json", "tcp", "serve", "--port", "8080", "--once", "--size", &size,
    ];
    let serve = host.run(|| Background::onramp([&fixed[..], &DEVICE, &MARKING].concat()));
    wait_until("it listens", || serve.stderr().contains("listening"));
    let peer = host.run(|| TcpStream::connect((OURS, PORT))).unwrap();
    let received = read_all(&peer);
    drop(peer);
    let report = report(serve);
    assert!(received == generated(SIZE_BYTES));
    assert_eq!(report["local"], format!("[{OURS}]:{PORT}"));
    assert!(
        kernels_marks(&host) > 0 && report["ecn_reductions"].as_u64() > Some(0),
        "{report}"
    );
}

#[test]
fn we_upload_to_the_kernel_in_segments_of_the_mss_of_ipv6() {
    let Some(host) = Host::new() else { return };
    let listener = host.run(|| TcpListener::bind(("::", PORT))).unwrap();
    let from = format!("[{KERNEL}]:{PORT}");
    let fixed = [
        "--json",
        "tcp",
        "get",
        "--from",
        &from,
        "--size",
        "1428000 B",
    ];
    let get = host.run(|| Background::onramp([&fixed[..], &DEVICE].concat()));
    let peer = listener.accept().unwrap().0;
    assert!(read_all(&peer) == generated(1_428_000));
    write_all(&peer, b"");
    let report = report(get);
    // 1500 bytes are 40 of IPv6, 20 of TCP, 12 of timestamps and 1428 of payload; the FIN is in
    // the last segment or in one of its own.
    let segments = report["data_segments_sent"].as_u64().unwrap()
        - report["retransmitted_segments"].as_u64().unwrap();
    assert!((1000..=1001).contains(&segments), "{report}");
}

#[test]
fn mixed_versions_and_a_small_mtu_are_refused() {
    let Some(host) = Host::new() else { return };
    let serve = [
        "tcp", "serve", "--port", "80", "--size", "1kB", "--tun", "tun0",
    ];
    let refused = |arguments: &[&str], says: &str| {
        host.run(|| onramp([&serve[..], arguments].concat()))
            .code(2)
            .warns(&[says]);
    };
    refused(
        &["--address", OURS, "--host", "10.9.0.1"],
        "--host 10.9.0.1 and --address fd00:9::2 are of different IP versions",
    );
    refused(
        &["--address", OURS, "--host", KERNEL, "--mtu", "1000"],
        "--mtu 1000 is too small for IPv6, which needs 1280 bytes or more",
    );
    let get = ["tcp", "get", "--from", "10.9.0.1:80"];
    host.run(|| onramp([&get[..], &DEVICE].concat()))
        .code(2)
        .warns(&["--from 10.9.0.1 and --address fd00:9::2 are of different IP versions"]);
}
