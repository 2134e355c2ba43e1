//! Transfers over IPv6 in the simulator: the larger headers, and the MSS that follows from them.

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options};
use onramp_tcp::{Flags, IpVersion};

const PATH: &str = "[path]\nrate = \"12 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"100 packets\"\n";

fn cases(text: &str) -> Vec<Case> {
    onramp_scenario::parse("test.toml", &format!("name = \"test\"\n{text}"))
        .expect("the scenario is right")
        .cases
}

fn record(case: &Case) -> Record {
    run(case, &Options::default()).unwrap().records.remove(0)
}

#[test]
fn a_tiny_transfer_takes_the_time_of_its_headers() {
    let text = format!("{PATH}[[transfer]]\nsize = \"1000 B\"\nip = \"v6\"\n");
    let record = record(&cases(&text)[0]);
    // As over IPv4 (transfers.rs), and 20 bytes more for each packet.
    let bytes = [80, 80, 72 + 80, 72 + 1072].iter().sum::<u64>() as f64;
    let wanted_s = 0.2 + bytes * 8.0 / 12e6;
    let found_s = record.completion_s.unwrap();
    assert!(
        (found_s - wanted_s).abs() < 2e-9,
        "{found_s} instead of {wanted_s}"
    );
    assert_eq!(record.sender_tcp, "IPv6");
}

#[test]
fn the_versions_are_rows_of_one_table_and_differ_by_their_headers() {
    let text = format!("{PATH}[[transfer]]\nsize = \"2 MB\"\nip = [\"v4\", \"v6\"]\n");
    let records: Vec<Record> = cases(&text).iter().map(record).collect();
    let [v4, v6] = &records[..] else {
        panic!("{records:#?}")
    };
    assert_eq!(
        (v4.sender_tcp.as_str(), v6.sender_tcp.as_str()),
        ("", "IPv6")
    );
    assert_eq!(
        (v4.ip_version(), v6.ip_version()),
        (IpVersion::V4, IpVersion::V6)
    );
    assert_eq!(v4.capacity_bytes_per_s, 12_000_000 / 8 * 1448 / 1500);
    assert_eq!(v6.capacity_bytes_per_s, 12_000_000 / 8 * 1428 / 1500);
    let ratio = v6.completion_s.unwrap() / v4.completion_s.unwrap();
    assert!((1.0..1.014).contains(&ratio), "{ratio}");
}

/// What packets say about their sizes.
#[derive(Default)]
struct Sizes {
    largest_bytes: u32,
    payload_bytes: u32,
    mss: Vec<u16>,
}

impl Observer for Sizes {
    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.largest_bytes = self.largest_bytes.max(packet.wire_bytes);
        self.payload_bytes = self.payload_bytes.max(packet.segment.payload_bytes);
        if packet.segment.flags.has(Flags::SYN) {
            assert!(packet.direction != Direction::Datagram);
            self.mss.extend(packet.segment.options.mss);
        }
    }
}

#[test]
fn both_ends_announce_an_mss_of_1440_and_packets_fill_the_mtu() {
    let text = format!("{PATH}[[transfer]]\nsize = \"100 kB\"\nip = \"v6\"\n");
    let (_, sizes) = run_observed(&cases(&text)[0], &Options::default(), Sizes::default()).unwrap();
    assert_eq!(sizes.mss, [1440, 1440]);
    assert_eq!((sizes.largest_bytes, sizes.payload_bytes), (1500, 1428));
}

#[test]
fn traffic_has_a_version_of_its_own() {
    let traffic = "[[transfer]]\nsize = \"100 kB\"\n[[traffic]]\nip = \"v6\"\nsize = \"100 kB\"\n\
                   measured = true\nlead = \"1 s\"\n";
    let case = &cases(&format!("{PATH}{traffic}"))[0];
    let records = run(case, &Options::default()).unwrap().records;
    assert_eq!(
        [records[0].ip_version(), records[1].ip_version()],
        [IpVersion::V4, IpVersion::V6]
    );
}
