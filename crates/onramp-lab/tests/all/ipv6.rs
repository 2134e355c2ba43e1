//! Transfers over IPv6 between real sockets: they are as exact as over IPv4, and take the larger
//! headers longer.

use crate::common;

use common::{case_with, lab_runs_here};
use onramp_lab::{run, BuiltIn, Outcome, Path, RunOptions};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_testing::undisturbed;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

fn outcome(case: &Case) -> Outcome {
    run(case, &mut BuiltIn, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn completion_s(record: &Record) -> f64 {
    record
        .completion_s
        .expect("a transfer of the lab is finished or an error")
}

#[test]
fn a_transfer_takes_longer_than_over_ipv4_by_its_larger_headers() {
    if !lab_runs_here() {
        return;
    }
    let run = || {
        ["v4", "v6"].map(|ip| {
            let tables = format!("ip = \"{ip}\"\n");
            outcome(&case_with("10 Mbit/s", "40 ms", "2 MB", &tables)).record
        })
    };
    // 2 MB are 1382 segments of 1448 bytes, or 1401 of 1428, each with 20 bytes more.
    let added_s = |[v4, v6]: &[Record; 2]| completion_s(v6) - completion_s(v4);
    let expected_s = (1401.0 * 72.0 - 1382.0 * 52.0) * 8.0 / 10e6;
    let is_exact = |records: &[Record; 2]| (added_s(records) - expected_s).abs() < 0.002;
    let records = undisturbed(run, is_exact);
    assert!(is_exact(&records), "{} {records:#?}", added_s(&records));
    let [v4, v6] = &records;
    assert_eq!(
        (v4.sender_tcp.as_str(), v6.sender_tcp.as_str()),
        ("", "IPv6")
    );
    let bound_s = v6.bound_s - v4.bound_s;
    assert!((bound_s - expected_s).abs() < 0.001, "{bound_s}");
}

#[test]
fn the_trace_has_segments_of_1428_bytes() {
    if !lab_runs_here() {
        return;
    }
    let case = case_with("20 Mbit/s", "20 ms", "142800 B", "ip = \"v6\"\n");
    let options = RunOptions {
        trace: true,
        ..RunOptions::default()
    };
    let trace = undisturbed(
        || run(&case, &mut BuiltIn, &options).unwrap().trace,
        |trace| trace.segments.len() == 100,
    );
    assert_eq!(trace.segments.len(), 100);
    assert!(trace
        .segments
        .iter()
        .all(|segment| segment.length_bytes == 1428));
}

#[test]
fn segments_may_be_smaller_and_copies_have_routes_of_their_own() {
    if !lab_runs_here() {
        return;
    }
    let text = "name = \"test\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
         [[node]]\nname = \"hub\"\n[[node]]\nname = \"c\"\n\
         [[link]]\nfrom = \"a\"\nto = \"hub\"\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[link]]\nfrom = \"b\"\nto = \"hub\"\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n\
         [[link]]\nfrom = \"hub\"\nto = \"c\"\nrate = \"20 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[transfer]]\nsize = \"10000 B\"\nip = \"v6\"\nsegment = \"1000 B\"\nstartup = \"none\"\n\
         from = [\"a\", \"b\"]\nto = \"c\"\ncount = 2\n";
    let case = &onramp_scenario::parse("test", text).unwrap().cases[0];
    let outcome = outcome(case);
    let records: Vec<&Record> = outcome.records().collect();
    let times_s = [0, 1].map(|copy| completion_s(records[copy]));
    // Two round trips, of 20 ms and of 50 ms.
    assert!(times_s[0] >= 0.04 && times_s[1] >= 0.1, "{times_s:?}");
    assert_eq!(records[0].sender_tcp, "IPv6, segment 1 kB");
}

#[test]
fn both_versions_share_a_path_and_expedited_packets_are_recognised() {
    if !lab_runs_here() {
        return;
    }
    let tables = "ip = \"v6\"\ndscp = \"ef\"\n[[traffic]]\nsize = \"100 kB\"\ncount = 2\n\
                  measured = true\nlead = \"0 s\"\n";
    let mut case = case_with("10 Mbit/s", "20 ms", "100 kB", tables);
    case.path.forward.expedited = Some(onramp_scenario::TokenBucket {
        rate_bits_per_s: 2_000_000,
        burst_bytes: 20_000,
    });
    let outcome = outcome(&case);
    assert_eq!(outcome.traffic.len(), 2);
    assert!(outcome.traffic.iter().all(|record| record.finished));
    // Packets beyond the profile were dropped, so the link has seen the code point.
    assert!(outcome.record.policed_packets > 0, "{:?}", outcome.record);
}

#[test]
fn a_thinned_return_path_reads_acks_over_ipv6() {
    if !lab_runs_here() {
        return;
    }
    let text = "name = \"test\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\n\
         queue = \"100 packets\"\n[path.reverse]\nrate = \"100 kbit/s\"\nack_filter = true\n\
         [[transfer]]\nsize = \"1 MB\"\nip = \"v6\"\nstartup = \"none\"\n";
    let case = &onramp_scenario::parse("test", text).unwrap().cases[0];
    let outcome = outcome(case);
    assert!(
        outcome.link.reverse.thinned.packets > 0,
        "{:?}",
        outcome.link.reverse
    );
}

/// What a host has counted of packets that arrived with CE.
fn marks(path: &Path) -> u64 {
    let read = || std::fs::read_to_string("/proc/thread-self/net/snmp6").unwrap();
    let text = path.receiver.run(read).unwrap();
    let marks = text
        .lines()
        .filter_map(|line| line.strip_prefix("Ip6InCEPkts"));
    marks
        .map(|count| count.trim().parse::<u64>().unwrap())
        .sum()
}

/// The response of the kernel's CUBIC keeps the queue short, so nothing is dropped.
#[test]
fn queues_mark_packets_and_the_kernel_counts_the_marks_and_responds() {
    if !lab_runs_here() {
        return;
    }
    for discipline in ["red", "codel", "fq-codel"] {
        let text = format!(
            "name = \"test\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\n\
             queue = \"400 packets\"\ndiscipline = \"{discipline}\"\necn = true\n\
             [receiver]\nbuffer = \"16 MiB\"\n[[transfer]]\nsize = \"6 MB\"\nip = \"v6\"\n\
             ecn = true\nstartup = \"none\"\navoidance = \"cubic\"\n"
        );
        let case = &onramp_scenario::parse("test", &text).unwrap().cases[0];
        let is_marked = |record: &Record| {
            record.marked_packets > 0
                && (record.dropped_packets, record.retransmitted_segments) == (0, 0)
        };
        let marked = undisturbed(|| outcome(case).record, is_marked);
        assert!(is_marked(&marked), "{marked:?}");
    }
}

#[test]
fn the_kernel_counts_the_marks_that_the_link_sets() {
    if !lab_runs_here() {
        return;
    }
    let text = "name = \"test\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\n\
         queue = \"400 packets\"\ndiscipline = \"codel\"\necn = true\n\
         [[transfer]]\nsize = \"1 B\"\nip = \"v6\"\necn = true\nstartup = \"none\"\n";
    let case = &onramp_scenario::parse("test", text).unwrap().cases[0];
    const BYTES: usize = 6_000_000;
    let path = Path::of(case).unwrap();
    assert!(path.sender_address.is_ipv6() && path.receiver_address.is_ipv6());
    let address = SocketAddr::new(path.sender_address, 0);
    let listen = || TcpListener::bind(address);
    let listener = path.sender.run(listen).unwrap().unwrap();
    let address = listener.local_addr().unwrap();
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(&vec![0; BYTES]).unwrap();
    });
    let download = || {
        let mut all = Vec::new();
        TcpStream::connect(address)?.read_to_end(&mut all)?;
        Ok::<_, std::io::Error>(all.len())
    };
    assert_eq!(path.receiver.run(download).unwrap().unwrap(), BYTES);
    served.join().unwrap();
    assert!(marks(&path) > 0);
}
