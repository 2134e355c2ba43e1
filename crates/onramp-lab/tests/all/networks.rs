//! Copies of a transfer, networks of several links, and runs with a duration.

use crate::common;

use common::{case_with, lab_runs_here};
use onramp_lab::{run, supports, BuiltIn, Error, Outcome, RunOptions};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_testing::{undisturbed, HANG};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

fn outcome(case: &Case, trace: bool) -> Outcome {
    let options = RunOptions {
        trace,
        ..RunOptions::default()
    };
    run(case, &mut BuiltIn, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// A dumbbell: this many pairs of hosts, each with 100 Mbit/s, on both sides of a link of 40
/// Mbit/s, with an RTT of 20 ms.
fn dumbbell(pairs: usize, transfer: &str) -> Case {
    let names = |letter: char| (1..=pairs).map(move |n| format!("{letter}{n}"));
    let all: Vec<String> = ["left", "right"]
        .map(str::to_owned)
        .into_iter()
        .chain(names('s'))
        .chain(names('r'))
        .collect();
    let nodes: String = all
        .iter()
        .map(|name| format!("[[node]]\nname = \"{name}\"\n"))
        .collect();
    let link = |from: &str, to: &str, rate: u32, delay: u32, queue: u32| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate} Mbit/s\"\ndelay = \
             \"{delay} ms\"\n\
             queue = \"{queue} packets\"\n"
        )
    };
    let mut links = link("left", "right", 40, 8, 40);
    names('s').for_each(|name| links += &link(&name, "left", 100, 1, 200));
    names('r').for_each(|name| links += &link("right", &name, 100, 1, 200));
    let list = |letter| {
        names(letter)
            .map(|name| format!("\"{name}\""))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let text = format!(
        "name = \"dumbbell\"\n{nodes}{links}[receiver]\nbuffer = \"4 MiB\"\n[[transfer]]\nstartup \
         = \"none\"\n\
         avoidance = \"cubic\"\nfrom = [{}]\nto = [{}]\ncount = {pairs}\n{transfer}",
        list('s'),
        list('r')
    );
    onramp_scenario::parse("dumbbell", &text)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .cases
        .remove(0)
}

fn completion_s(record: &Record) -> f64 {
    record
        .completion_s
        .unwrap_or_else(|| panic!("unfinished: {record:?}"))
}

#[test]
fn eight_copies_share_the_bottleneck_of_a_dumbbell() {
    if !lab_runs_here() {
        return;
    }
    // Together the copies are 4 MB and their headers, which take 0.83 s at the bottleneck.
    let last_s = |outcome: &Outcome| outcome.records().map(completion_s).fold(0.0, f64::max);
    let case = dumbbell(8, "size = \"500 kB\"\n");
    let outcome = undisturbed(|| outcome(&case, true), |outcome| last_s(outcome) < 2.5);
    let records: Vec<&Record> = outcome.records().collect();
    assert_eq!(
        records.iter().map(|record| record.flow).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
    assert!(records.iter().all(|record| record.finished
        && record.delivered_bytes == 500_000
        && record.rtt_ms == 20.0));
    let last_s = last_s(&outcome);
    assert!((0.83..2.5).contains(&last_s), "{last_s}");
    // The queue is much shorter than eight initial windows.
    assert!(
        records[0].dropped_packets > 0 && outcome.link.forward.peak_queue.packets == 40,
        "{:?}",
        outcome.link.forward
    );
    let resent: u64 = records
        .iter()
        .map(|record| record.retransmitted_segments)
        .sum();
    assert!(resent > 0);
    // Each sender's link has carried its copy, and the bottleneck all packets that were not
    // dropped.
    let links = &outcome.link.links;
    assert_eq!(links.len(), 34);
    assert!((1..=8).all(|pair| links[2 * pair].delivered.bytes > 500_000));
    let sent: u64 = (1..=8).map(|pair| links[2 * pair].delivered.packets).sum();
    assert_eq!(links[0].offered.packets, sent);
    for trace in outcome.into_copies().map(|(_, trace)| trace) {
        let new = trace
            .segments
            .iter()
            .filter(|segment| !segment.retransmission);
        assert_eq!(
            new.map(|segment| u64::from(segment.length_bytes))
                .sum::<u64>(),
            500_000
        );
        assert!(!trace.sender.is_empty());
    }
}

#[test]
fn the_time_of_a_single_copy_is_the_sum_of_its_links() {
    if !lab_runs_here() {
        return;
    }
    let case = dumbbell(1, "size = \"60 kB\"\n");
    // The second round trip carries the data beyond the first ten segments.
    let has_two_rounds = |record: &Record| (0.5..3.0).contains(&record.excess_rtts.unwrap());
    let record = undisturbed(|| outcome(&case, false).record, has_two_rounds);
    assert!(has_two_rounds(&record), "{record:?}");
    assert_eq!(
        (record.dropped_packets, record.rate_bits_per_s),
        (0, 40_000_000)
    );
}

#[test]
fn copies_start_one_after_another() {
    if !lab_runs_here() {
        return;
    }
    let case = case_with(
        "20 Mbit/s",
        "20 ms",
        "50 kB",
        "count = 3\nstart = \"100 ms\"\nspacing = \"300 ms\"\n",
    );
    const STARTS_S: [f64; 3] = [0.1, 0.4, 0.7];
    // Each copy is alone: 50 kB take 20 ms and four round trips.
    let is_right = |record: &Record, wanted_s: f64| {
        (record.start_s - wanted_s).abs() < 0.02 && completion_s(record) < 0.2
    };
    let outcome = undisturbed(
        || outcome(&case, false),
        |outcome| {
            let mut records = outcome.records().zip(STARTS_S);
            records.all(|(record, wanted_s)| is_right(record, wanted_s))
        },
    );
    for (record, wanted_s) in outcome.records().zip(STARTS_S) {
        assert!(is_right(record, wanted_s), "at {wanted_s}: {record:?}");
    }
    assert_eq!(outcome.records().count(), 3);
}

#[test]
fn a_run_ends_at_its_duration_with_unfinished_transfers() {
    if !lab_runs_here() {
        return;
    }
    let tables = "count = 3\nspacing = \"400 ms\"\n[run]\nduration = \"600 ms\"\n";
    let case = case_with("10 Mbit/s", "20 ms", "5 MB", tables);
    let outcome = undisturbed(
        || outcome(&case, false),
        |outcome| {
            let delivered: Vec<u64> = outcome.records().map(|it| it.delivered_bytes).collect();
            delivered[0] > 300_000 && delivered[1] > 0
        },
    );
    let [first, second, third] = outcome.records().collect::<Vec<_>>()[..] else {
        panic!("three records")
    };
    for record in [first, second, third] {
        assert_eq!(
            (record.finished, record.completion_s, record.excess_rtts),
            (false, None, None)
        );
    }
    // 10 Mbit/s carry 750 kB in 0.6 s.
    assert!(
        (300_000..750_000).contains(&first.delivered_bytes),
        "{first:?}"
    );
    assert!(
        second.delivered_bytes > 0 && first.delivered_bytes + second.delivered_bytes < 750_000,
        "{second:?}"
    );
    assert_eq!((third.delivered_bytes, third.start_s), (0, 0.8));
}

#[test]
fn a_run_ends_when_all_transfers_are_complete() {
    if !lab_runs_here() {
        return;
    }
    let started = Instant::now();
    let duration = format!("[run]\nduration = \"{} s\"\n", 2 * HANG.as_secs());
    let record = outcome(&case_with("20 Mbit/s", "20 ms", "50 kB", &duration), false).record;
    assert!(record.finished && started.elapsed() < HANG, "{record:?}");
}

#[test]
fn data_can_flow_in_both_directions() {
    if !lab_runs_here() {
        return;
    }
    let tables = "from = \"receiver\"\nto = \"sender\"\n[path.reverse]\nrate = \"5 Mbit/s\"\n";
    let case = case_with("20 Mbit/s", "20 ms", "300 kB", tables);
    let is_punctual = |record: &Record| completion_s(record) < 1.5 * record.bound_s;
    let record = undisturbed(|| outcome(&case, false).record, is_punctual);
    assert_eq!(record.rate_bits_per_s, 5_000_000);
    assert!(
        completion_s(&record) >= record.bound_s && is_punctual(&record),
        "{record:?}"
    );
}

#[test]
fn a_duration_ends_the_run_before_a_later_start() {
    if !lab_runs_here() {
        return;
    }
    let options = RunOptions::default();
    let stop = options.stop.clone();
    let started = Instant::now();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
    });
    let case = case_with(
        "1 Mbit/s",
        "40 ms",
        "1 GB",
        "count = 2\nspacing = \"3600 s\"\n[[traffic]]\nlead = \"1 s\"\n",
    );
    let error = run(&case, &mut BuiltIn, &options).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error}");
    assert!(started.elapsed() < HANG, "1 GB takes two hours");
    stopper.join().unwrap();
}

#[test]
fn routes_with_different_mtus_are_refused() {
    let mut case = dumbbell(2, "size = \"1 kB\"\n");
    assert_eq!(supports(&case), Ok(()));
    let mut network = onramp_scenario::Network::clone(&case.network);
    network.links[2].mtu_bytes = 1000;
    case.network = network.into();
    let error = supports(&case).unwrap_err();
    assert_eq!(error.key, "link.mtu");
    assert!(
        error
            .to_string()
            .contains("packets of 1 kB from `s2` to `r2`"),
        "{error}"
    );
}

/// A server, an edge and a client. The link between server and edge is fast; the other one
/// loses a share of the packets.
fn split(size: &str, loss: &str, keys: &str) -> Case {
    let text = format!(
        "name = \"split\"\n[[node]]\nname = \"server\"\n[[node]]\nname = \"edge\"\n[[node]]\n\
         name = \"client\"\n[[link]]\nfrom = \"server\"\nto = \"edge\"\nrate = \"80 Mbit/s\"\n\
         delay = \"10 ms\"\n[[link]]\nfrom = \"edge\"\nto = \"client\"\nrate = \"20 Mbit/s\"\n\
         delay = \"20 ms\"\nloss = \"{loss}\"\n[receiver]\nbuffer = \"4 MiB\"\n[[transfer]]\n\
         size = \"{size}\"\nstartup = \"none\"\navoidance = \"cubic\"\nfrom = \"server\"\n\
         to = \"client\"\n{keys}"
    );
    let scenario = onramp_scenario::parse("split", &text);
    scenario.unwrap_or_else(|e| panic!("{e:?}")).cases.remove(0)
}

#[test]
fn a_relay_repairs_the_losses_of_its_own_hop() {
    if !lab_runs_here() {
        return;
    }
    let outcome = outcome(&split("1 MB", "1 %", "split = \"edge\"\n"), true);
    let (record, links) = (&outcome.record, &outcome.link.links);
    assert_eq!((record.finished, record.delivered_bytes), (true, 1_000_000));
    assert!(record.retransmitted_segments > 0, "{record:?}");
    // Segments that the second link loses are not retransmitted over the first link.
    let segments = 1_000_000_u64.div_ceil(1448);
    assert!(
        (segments..segments + 9).contains(&links[0].offered.packets),
        "{:?}",
        links[0]
    );
    assert!(links[2].offered.packets > segments + 9, "{:?}", links[2]);
    // The trace is that of the hop that crosses the slower link.
    let resent = outcome
        .trace
        .segments
        .iter()
        .filter(|segment| segment.retransmission);
    assert!(resent.count() > 0);
    assert!(outcome
        .trace
        .sender
        .iter()
        .any(|sample| sample.srtt_s > 0.039));
}

#[test]
fn a_hop_carries_no_more_than_the_buffer_of_its_relay_in_a_round_trip() {
    if !lab_runs_here() {
        return;
    }
    let seconds = |buffer: &str| {
        let keys = format!("split = \"edge\"\nsplit_buffer = \"{buffer}\"\n");
        completion_s(&outcome(&split("1 MB", "0 %", &keys), false).record)
    };
    // 1 MB in pieces of 32 KiB, and what the kernel adds to a buffer, at 40 ms each.
    let small_s = seconds("32 KiB");
    assert!(small_s > 0.8, "{small_s}");
    let large_s = undisturbed(|| seconds("4 MiB"), |seconds| *seconds < small_s - 0.2);
    assert!(large_s < small_s - 0.2, "{large_s}, {small_s}");
}
