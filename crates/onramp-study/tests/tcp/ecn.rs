//! Explicit congestion notification (RFC 3168) on the wire, with this machine's kernel: our TCP and
//! the kernel negotiate it, the emulated path marks packets, the receiver echoes the marks, and the
//! sender reduces cwnd and says so.

use super::peer::{accept, generated, read_all, report, write_all, Host, PORT};
use onramp_tcp::wire::{self, Parsed};
use onramp_tcp::{EcnField, Flags};
use std::fs;
use std::path::Path;

/// A path with a queue that CoDel keeps. Slow start overshoots its target, and nothing is dropped.
const PATH: [&str; 7] = [
    "--rate", "20Mbit/s", "--delay", "20ms", "--queue", "2000", "--codel",
];
const SIZE_BYTES: u64 = 6_000_000;

/// The value of `net.ipv4.tcp_ecn` with which the kernel asks. The default, 2, only accepts.
const KERNEL_ASKS: &str = "1";

/// The packets of a capture file of this process, in order.
fn packets(capture: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(capture).unwrap();
    let (mut packets, mut at) = (Vec::new(), 24);
    while at < bytes.len() {
        let length = u32::from_ne_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        packets.push(bytes[at + 16..at + 16 + length].to_vec());
        at += 16 + length;
    }
    packets
}

/// What the segments of one direction say about ECN.
#[derive(Debug, Default)]
struct Bits {
    syn: Option<Flags>,
    /// New data with ECT(0), with CE, and without either.
    ect: u64,
    ce: u64,
    plain: u64,
    /// Segments with ECE, and with CWR.
    ece: u64,
    cwr: u64,
    /// Segments without data that have ECT or CE.
    bare_ect: u64,
    /// Segments with ECE behind the last data of the other direction.
    late_ece: u64,
}

impl Bits {
    fn add(&mut self, parsed: &Parsed<'_>) {
        let segment = &parsed.segment;
        if segment.flags.has(Flags::SYN) {
            self.syn = Some(segment.flags);
            return;
        }
        match (segment.payload_bytes > 0, segment.ecn) {
            (false, ecn) => self.bare_ect += u64::from(ecn.is_capable()),
            (true, EcnField::Ce) => self.ce += 1,
            (true, EcnField::NotEct) => self.plain += 1,
            (true, _) => self.ect += 1,
        }
        self.ece += u64::from(segment.flags.has(Flags::ECE));
        self.cwr += u64::from(segment.flags.has(Flags::CWR));
    }
}

/// The segments that we sent, and those that arrived, as our end of the path saw them.
fn both(capture: &Path, our_port_is: impl Fn(u16) -> bool) -> [Bits; 2] {
    let mut bits = [Bits::default(), Bits::default()];
    // The kernel also looks for IPv6 routers.
    let is_ipv4 = |packet: &Vec<u8>| packet[0] >> 4 == 4;
    for packet in packets(capture).into_iter().filter(is_ipv4) {
        // The kernel leaves checksums to the device.
        let parsed = wire::parse_unverified(&packet).unwrap();
        let is_ours = our_port_is(parsed.endpoints.source.port());
        let (same, other) = (usize::from(!is_ours), usize::from(is_ours));
        bits[same].add(&parsed);
        bits[same].late_ece += u64::from(parsed.segment.flags.has(Flags::ECE));
        if parsed.segment.payload_bytes > 0 {
            bits[other].late_ece = 0;
        }
    }
    bits
}

/// The kernel's count of packets that arrived with CE in its namespace.
fn kernels_marks(host: &Host) -> u64 {
    let text = host
        .run(|| fs::read_to_string("/proc/thread-self/net/netstat"))
        .unwrap();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("IpExt:"))
        .collect();
    let values = lines[0].split_whitespace().zip(lines[1].split_whitespace());
    let marks = values
        .filter(|(name, _)| *name == "InCEPkts")
        .map(|(_, value)| value);
    marks.map(|value| value.parse::<u64>().unwrap()).sum()
}

fn asks() -> Flags {
    Flags::ECE.with(Flags::CWR)
}

/// The kernel connects and asks; we agree, and send.
#[test]
fn our_data_is_marked_and_the_kernel_echoes() {
    let Some(host) = Host::new() else { return };
    host.run(|| fs::write("/proc/sys/net/ipv4/tcp_ecn", KERNEL_ASKS))
        .unwrap();
    let capture = tempfile::NamedTempFile::new().unwrap();
    let (size, file) = (format!("{SIZE_BYTES} B"), capture.path().to_str().unwrap());
    let own = ["--size", &size, "--once", "--capture", file];
    let serve = host.serve(&[&PATH[..], &own].concat());
    let received = read_all(&host.connect());
    let report = report(serve);
    assert!(received == generated(SIZE_BYTES));
    let [ours, kernels] = both(capture.path(), |port| port == PORT);
    // RFC 3168, section 6.1.1
    assert!(kernels.syn.unwrap().has(asks()));
    assert!(ours.syn.unwrap().has(Flags::ECE) && !ours.syn.unwrap().has(Flags::CWR));
    assert_eq!(
        (&report["ecn"], &report["marks_received"]),
        (&true.into(), &0.into())
    );
    // The capture shows our packets before the path: with ECT(0), and none with CE.
    assert!(
        ours.ect > SIZE_BYTES / 1500 && ours.ce == 0 && ours.bare_ect == 0,
        "{ours:?}"
    );
    assert_eq!(
        ours.plain,
        report["retransmitted_segments"].as_u64().unwrap(),
        "{ours:?}"
    );
    // The path marks; the kernel counts the marks and echoes them; we reduce cwnd and say so.
    let reductions = report["ecn_reductions"].as_u64().unwrap();
    assert!(
        kernels_marks(&host) > 0 && kernels.ece > 0 && reductions > 0,
        "{report}"
    );
    // A reduction behind the last data finds no segment that could say so.
    let unsaid = u64::from(kernels.late_ece > 0);
    assert!(
        ours.cwr + unsaid >= reductions,
        "{ours:?} {kernels:?} {report}"
    );
    // An ECE ends with the next CWR: the kernel does not echo all the time.
    assert!(
        kernels.bare_ect == 0 && kernels.ece * 2 < ours.ect,
        "{kernels:?}"
    );
}

/// We connect and ask; the kernel agrees by default, and sends.
#[test]
fn the_kernels_data_is_marked_and_we_echo() {
    let Some(host) = Host::new() else { return };
    let capture = tempfile::NamedTempFile::new().unwrap();
    let (listener, bytes) = (host.listen(), generated(SIZE_BYTES));
    let own = [
        "--ecn",
        "request",
        "--capture",
        capture.path().to_str().unwrap(),
    ];
    let get = host.get(&[&PATH[..], &own].concat());
    write_all(&accept(&listener), &bytes);
    let report = report(get);
    assert_eq!(report["received_bytes"], SIZE_BYTES);
    let [ours, kernels] = both(capture.path(), |port| port != PORT);
    assert!(ours.syn.unwrap().has(asks()));
    assert!(kernels.syn.unwrap().has(Flags::ECE) && !kernels.syn.unwrap().has(Flags::CWR));
    assert_eq!(report["ecn"], true);
    // The kernel's packets have crossed the path, which has marked some.
    assert_eq!(report["marks_received"], kernels.ce);
    assert!(
        kernels.ce > 0 && kernels.ect > SIZE_BYTES / 1500 / 2,
        "{kernels:?}"
    );
    assert!(ours.ece > 0 && ours.bare_ect == 0, "{ours:?}");
    // The kernel has understood our ECE, and we have understood its CWR.
    assert!(kernels.cwr > 0, "{kernels:?}");
    assert!(ours.ece < kernels.ect, "{ours:?} {kernels:?}");
}

#[test]
fn without_ecn_at_one_end_nothing_is_marked() {
    let Some(host) = Host::new() else { return };
    host.run(|| fs::write("/proc/sys/net/ipv4/tcp_ecn", KERNEL_ASKS))
        .unwrap();
    let size = format!("{SIZE_BYTES} B");
    let serve = host.serve(&[&PATH[..], &["--size", &size, "--once", "--ecn", "off"]].concat());
    assert!(read_all(&host.connect()) == generated(SIZE_BYTES));
    let report = report(serve);
    assert_eq!(
        (&report["ecn"], &report["ecn_reductions"]),
        (&false.into(), &0.into())
    );
    assert_eq!(kernels_marks(&host), 0);
    // CoDel drops instead.
    assert!(report["retransmitted_segments"].as_u64().unwrap() > 0);
}
