//! Transfers of the kernel's own congestion controls over emulated paths.

use crate::common;

use common::{case, case_with, lab_runs_here};
use onramp_lab::{run, supports, BuiltIn, Error, Outcome, RunOptions};
use onramp_results::{Record, Trace};
use onramp_scenario::units::format_size;
use onramp_scenario::{Avoidance, Buffer, Case, InitialWindow};
use onramp_testing::{undisturbed, HANG};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

fn outcome(case: &Case) -> Outcome {
    run(case, &mut BuiltIn, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn completion_s(record: &Record) -> f64 {
    record
        .completion_s
        .expect("a transfer of the lab is finished or an error")
}

/// Is the transfer complete within this multiple of its bound?
fn is_within(factor: f64) -> impl Fn(&Record) -> bool {
    move |record| completion_s(record) < factor * record.bound_s
}

fn traced(case: &Case) -> Outcome {
    let options = RunOptions {
        trace: true,
        ..RunOptions::default()
    };
    run(case, &mut BuiltIn, &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn cubic_on_a_short_path_comes_close_to_the_bound() {
    if !lab_runs_here() {
        return;
    }
    let case = case("10 Mbit/s", "40 ms", "1 MB");
    let record = undisturbed(
        || outcome(&case).record,
        |record| is_within(1.1)(record) && record.retransmitted_segments == 0,
    );
    assert!(completion_s(&record) >= record.bound_s, "{record:?}");
    assert!(is_within(1.1)(&record), "{record:?}");
    assert_eq!(
        (record.host.as_str(), record.exit_reason.as_str()),
        ("kernel", "none")
    );
    assert_eq!((record.retransmitted_segments, record.lost_packets), (0, 0));
}

#[test]
fn every_control_of_the_kernel_completes() {
    if !lab_runs_here() {
        return;
    }
    let available =
        std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    for avoidance in Avoidance::ALL
        .into_iter()
        .filter(|avoidance| available.contains(avoidance.name()))
    {
        let mut case = case("50 Mbit/s", "20 ms", "500 kB");
        case.transfer.avoidance = avoidance;
        assert_eq!(outcome(&case).record.avoidance, avoidance.name());
    }
}

#[test]
fn two_labs_run_at_once() {
    if !lab_runs_here() {
        return;
    }
    let case = case("20 Mbit/s", "40 ms", "1 MB");
    let two = || {
        thread::scope(|scope| {
            let labs = [(); 2].map(|()| scope.spawn(|| outcome(&case).record));
            labs.map(|lab| lab.join().unwrap())
        })
    };
    let records = undisturbed(two, |records| records.iter().all(is_within(1.6)));
    assert!(records.iter().all(is_within(1.6)), "{records:?}");
}

#[test]
fn random_losses_are_repaired() {
    if !lab_runs_here() {
        return;
    }
    let mut case = case("20 Mbit/s", "20 ms", "1 MB");
    case.path.forward.loss_ppm = 20_000;
    case.path.reverse.loss_ppm = 5_000;
    let outcome = outcome(&case);
    assert!(
        outcome.record.retransmitted_segments > 0,
        "{:?}",
        outcome.record
    );
    let lost = outcome.link.forward.lost.packets + outcome.link.reverse.lost.packets;
    assert!(lost > 0 && outcome.record.lost_packets == lost);
}

#[test]
fn a_full_queue_drops_packets_and_its_peak_is_its_limit() {
    if !lab_runs_here() {
        return;
    }
    let mut case = case("20 Mbit/s", "40 ms", "2 MB");
    case.transfer.avoidance = Avoidance::Reno;
    case.path.forward.queue = onramp_scenario::QueueLimit::Packets(20);
    let outcome = outcome(&case);
    assert!(
        outcome.record.dropped_packets > 0 && outcome.record.retransmitted_segments > 0,
        "{:?}",
        outcome.record
    );
    assert_eq!(outcome.link.forward.peak_queue.packets, 20);
}

#[test]
fn a_competing_flow_yields_to_the_transfer() {
    if !lab_runs_here() {
        return;
    }
    let case = case_with(
        "20 Mbit/s",
        "40 ms",
        "3 MB",
        "[[traffic]]\nlead = \"1.5 s\"\n",
    );
    let yields = |record: &Record| {
        let link_bytes_per_s = 20e6 / 8.0;
        let before = record.traffic_before_bytes_per_s.unwrap();
        let during = record.traffic_during_bytes_per_s.unwrap();
        (0.8 * link_bytes_per_s..link_bytes_per_s).contains(&before)
            && (0.05 * before..0.95 * before).contains(&during)
    };
    let record = undisturbed(|| outcome(&case).record, yields);
    assert!(yields(&record), "{record:?}");
    assert!(completion_s(&record) > 1.1 * record.bound_s, "{record:?}");
}

#[test]
fn the_trace_has_every_byte_and_the_state_of_the_sender() {
    if !lab_runs_here() {
        return;
    }
    let case = case("20 Mbit/s", "40 ms", "1 MB");
    let begins_in_time = |trace: &Trace| (0.06..0.09).contains(&trace.segments[0].time_s);
    let trace = undisturbed(
        || traced(&case).trace,
        |trace| begins_in_time(trace) && trace.sender.len() > 100,
    );
    let new: u64 = trace
        .segments
        .iter()
        .filter(|s| !s.retransmission)
        .map(|s| u64::from(s.length_bytes))
        .sum();
    assert_eq!(new, case.transfer.size_bytes);
    assert!(trace
        .segments
        .windows(2)
        .all(|pair| pair[0].time_s <= pair[1].time_s));
    assert!(begins_in_time(&trace), "{:?}", trace.segments[0]);
    assert!(trace.sender.len() > 100, "{} samples", trace.sender.len());
    assert!(trace
        .sender
        .windows(2)
        .all(|pair| pair[0].acked_bytes <= pair[1].acked_bytes));
    let last = trace.sender.last().unwrap();
    assert!(last.cwnd_bytes > 14_000 && last.srtt_s > 0.039, "{last:?}");
    let read = trace.receiver.last().unwrap();
    assert_eq!(read.received_bytes, case.transfer.size_bytes);
    assert!(
        read.time_s > trace.segments.last().unwrap().time_s,
        "{read:?}"
    );
}

#[test]
fn the_initial_window_is_that_of_the_scenario() {
    if !lab_runs_here() {
        return;
    }
    for segments in [3, 20] {
        let mut case = case("100 Mbit/s", "60 ms", "300 kB");
        case.transfer.initial_window = InitialWindow::Segments(segments);
        let first_flight = || {
            let trace = traced(&case).trace;
            let end_s = trace.segments[0].time_s + 0.03;
            let segments = trace.segments.iter();
            segments.filter(|segment| segment.time_s < end_s).count()
        };
        let flight = undisturbed(first_flight, |flight| *flight == segments as usize);
        assert_eq!(flight, segments as usize);
    }
}

#[test]
fn segments_have_the_size_of_the_scenario() {
    if !lab_runs_here() {
        return;
    }
    for packet_bytes in [512, 296, 1024] {
        let mut case = case("20 Mbit/s", "40 ms", "300 kB");
        case.transfer.segment_bytes = Some(packet_bytes);
        let outcome = traced(&case);
        let lengths = || {
            outcome
                .trace
                .segments
                .iter()
                .map(|segment| segment.length_bytes)
        };
        assert_eq!(
            lengths().max(),
            Some(packet_bytes - 52),
            "IP, TCP and timestamps take 52 bytes"
        );
        let full = lengths()
            .filter(|bytes| *bytes == packet_bytes - 52)
            .count();
        assert!(full * 10 > lengths().count() * 9, "nearly all are full");
        assert_eq!(
            outcome.record.sender_tcp,
            format!("segment {}", format_size(packet_bytes.into()))
        );
    }
}

#[test]
fn without_window_scaling_windows_are_below_64_kib() {
    if !lab_runs_here() {
        return;
    }
    let most = |window_scaling| {
        let mut case = case("100 Mbit/s", "40 ms", "3 MB");
        case.transfer.window_scaling = window_scaling;
        traced(&case)
            .trace
            .sender
            .iter()
            .map(|sample| sample.inflight_bytes)
            .max()
            .unwrap()
    };
    let scaled = undisturbed(|| most(true), |most| *most > 150_000);
    let unscaled = undisturbed(|| most(false), |most| *most > 50_000);
    assert!(
        scaled > 150_000 && unscaled <= 65_535 && unscaled > 50_000,
        "{scaled} and {unscaled}"
    );
}

#[test]
fn the_buffers_of_linux_are_auto_tuned() {
    if !lab_runs_here() {
        return;
    }
    let mut case = case("50 Mbit/s", "40 ms", "2 MB");
    case.receiver.buffer = Buffer::LinuxDefault;
    case.sender.buffer = Buffer::LinuxDefault;
    let record = undisturbed(|| outcome(&case).record, is_within(2.0));
    assert!(is_within(2.0)(&record), "{record:?}");
}

#[test]
fn an_application_that_writes_at_intervals_limits_the_transfer() {
    if !lab_runs_here() {
        return;
    }
    let writes = "write = \"10 kB\"\nwrite_every = \"200 ms\"\n";
    let mut case = case_with("20 Mbit/s", "20 ms", "100 kB", writes);
    // It pauses for longer than the patience of a run.
    let options = RunOptions {
        patience: Duration::from_millis(150),
        trace: true,
        ..RunOptions::default()
    };
    // A machine that stops the application for long looks like a path without progress.
    let run_once = |case: &Case| match run(case, &mut BuiltIn, &options) {
        Err(Error::Stalled { .. }) => None,
        result => Some(result.unwrap_or_else(|error| panic!("{error}"))),
    };
    // The tenth write is 1.8 s after the first. The first follows the request after 30 ms. The data
    // takes 10 ms and 4.2 ms to arrive.
    let is_punctual = |outcome: &Outcome| {
        (1.839..1.86).contains(&completion_s(&outcome.record))
            && write_times_s(outcome).all(|(write, first_s)| {
                // No write is delayed by earlier ones.
                (first_s - 0.03 - 0.2 * write as f64).abs() < 0.01
            })
    };
    let outcome = undisturbed(
        || run_once(&case),
        |outcome| outcome.as_ref().is_some_and(is_punctual),
    );
    let outcome = outcome.expect("the application's pauses are no stall");
    assert!(
        is_punctual(&outcome),
        "{:?}: {:?}",
        outcome.record,
        write_times_s(&outcome).collect::<Vec<_>>()
    );
    assert_eq!(outcome.record.application, "10 kB every 200 ms");
    // Data that is written faster than the path's rate waits, and all of it arrives.
    case.transfer.application = Some(onramp_scenario::Application::regular(50_000, 1_000_000));
    case.transfer.size_bytes = 1_000_000;
    let is_punctual = |outcome: &Outcome| is_within(1.3)(&outcome.record);
    let outcome = undisturbed(
        || run_once(&case),
        |outcome| outcome.as_ref().is_some_and(is_punctual),
    );
    let outcome = outcome.expect("it makes progress");
    assert!(is_punctual(&outcome), "{:?}", outcome.record);
}

/// When the first segment of each of ten writes of 10 kB left.
fn write_times_s(outcome: &Outcome) -> impl Iterator<Item = (u64, f64)> + '_ {
    (0..10_u64).map(|write| {
        let mut segments = outcome.trace.segments.iter();
        let first = segments.find(|segment| segment.start_byte >= write * 10_000);
        (write, first.expect("all of it was sent").time_s)
    })
}

#[test]
fn a_narrow_return_path_thins_acks() {
    if !lab_runs_here() {
        return;
    }
    let back = |filter: &str| {
        let tables = format!(
            "[path.reverse]\nrate = \"300 kbit/s\"\nqueue = \"64 KiB\"\nack_filter = {filter}\n"
        );
        outcome(&case_with("30 Mbit/s", "40 ms", "2 MB", &tables))
    };
    let is_faster =
        |plain: &Record, thinned: &Record| completion_s(thinned) < 0.8 * completion_s(plain);
    let (plain, thinned) = undisturbed(
        || (back("false"), back("true")),
        |(plain, thinned)| {
            is_faster(&plain.record, &thinned.record)
                && thinned.record.timeouts.unwrap_or(0) == 0
                && thinned.record.dropped_packets == 0
        },
    );
    assert_eq!(plain.link.reverse.thinned.packets, 0);
    assert!(
        thinned.link.reverse.thinned.packets > 100,
        "{:?}",
        thinned.link.reverse
    );
    assert_eq!(
        (
            thinned.record.dropped_packets,
            thinned.record.timeouts.unwrap_or(0)
        ),
        (0, 0)
    );
    assert!(
        is_faster(&plain.record, &thinned.record),
        "{:?}",
        thinned.record
    );
}

#[test]
fn a_path_that_loses_everything_is_an_error() {
    if !lab_runs_here() {
        return;
    }
    let mut case = case("20 Mbit/s", "20 ms", "1 MB");
    case.path.forward.loss_ppm = 1_000_000;
    let options = RunOptions {
        patience: Duration::from_millis(700),
        ..RunOptions::default()
    };
    let error = run(&case, &mut BuiltIn, &options).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Stalled {
                received_bytes: 0,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn the_stop_flag_stops_a_run() {
    if !lab_runs_here() {
        return;
    }
    let options = RunOptions::default();
    let stop = options.stop.clone();
    let (started, stopper) = (
        Instant::now(),
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        }),
    );
    let error = run(&case("1 Mbit/s", "40 ms", "1 GB"), &mut BuiltIn, &options).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error}");
    assert!(started.elapsed() < HANG, "1 GB takes two hours");
    stopper.join().unwrap();
}

#[test]
fn every_element_of_a_path_works_on_real_packets() {
    if !lab_runs_here() {
        return;
    }
    let mut case = case("20 Mbit/s", "40 ms", "2 MB");
    let text = "name = \"x\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"100 \
        packets\"\n\
        discipline = \"codel\"\nduplicate = \"0.1 %\"\njitter = \"2 ms\"\naggregate = \"3 \
            ms\"\npolicer_rate = \"100 Mbit/s\"\n\
        policer_burst = \"100 kB\"\nshaper_rate = \"15 Mbit/s\"\nshaper_burst = \"10 kB\"\n\
        [path.bursts]\nenter = \"0.05 %\"\nleave = \"50 %\"\n[[path.change]]\nat = \"200 \
            ms\"\nrate = \"10 Mbit/s\"\n\
        [[transfer]]\nsize = \"1 B\"\n";
    case.path = onramp_scenario::parse("x", text)
        .unwrap()
        .cases
        .remove(0)
        .path;
    // 2 MB take 0.8 s at 20 Mbit/s, and 1.6 s at 10 Mbit/s.
    let is_punctual = |record: &Record| (1.3..6.0).contains(&completion_s(record));
    let record = undisturbed(|| outcome(&case).record, is_punctual);
    assert!(is_punctual(&record), "{record:?}");
    assert!(record.loss.ends_with("in bursts"), "{record:?}");
}

#[test]
fn cases_for_the_simulator_only_are_refused_with_their_key() {
    let refused = |tables: &str| {
        supports(&case_with("1 Mbit/s", "40 ms", "1 MB", tables))
            .unwrap_err()
            .key
    };
    assert_eq!(refused("count = 1001\n"), "transfer.count");
    assert_eq!(refused("stack = \"lite\"\n"), "transfer.stack");
    assert_eq!(refused("recovery = \"newreno\"\n"), "transfer.recovery");
    assert_eq!(refused("timers = \"bsd\"\n"), "transfer.timers");
    assert_eq!(
        refused("initial_window = \"paper\"\n"),
        "transfer.initial_window"
    );
    assert_eq!(
        refused("initial_ssthresh = \"10 kB\"\n"),
        "transfer.initial_ssthresh"
    );
    assert_eq!(
        refused("[[traffic]]\ninitial_ssthresh = \"10 kB\"\n"),
        "traffic.initial_ssthresh"
    );
    assert_eq!(
        refused("byte_counting = \"2 segments\"\n"),
        "transfer.byte_counting"
    );
    assert_eq!(
        refused("window_scaling = false\n[[traffic]]\n"),
        "transfer.window_scaling"
    );
    assert_eq!(
        supports(&case_with(
            "1 Mbit/s",
            "40 ms",
            "1 MB",
            "window_scaling = false\nsegment = \"512 B\"\n"
        )),
        Ok(())
    );
    assert_eq!(refused("[sender]\nnagle = false\n"), "sender.nagle");
    assert_eq!(
        refused("[sender]\nwindow_validation = false\n"),
        "sender.window_validation"
    );
    assert_eq!(refused("[[traffic]]\ncount = 1001\n"), "traffic.count");
    assert_eq!(refused("[[traffic]]\nstack = \"lite\"\n"), "traffic.stack");
    let ends = "size = [\"1 kB\", \"1 MB\"]\narrivals = \"9 /s\"\ncount = 2000\nmeasured = true\n";
    for traffic in [
        "",
        "count = 2\n",
        "start = \"1 s\"\nstop = \"2 s\"\n",
        "dscp = \"ef\"\n",
        "kind = \"constant\"\nrate = \"1 Mbit/s\"\n",
        ends,
    ] {
        assert_eq!(
            supports(&case_with(
                "1 Mbit/s",
                "40 ms",
                "1 MB",
                &format!("[[traffic]]\n{traffic}")
            )),
            Ok(())
        );
    }
}

#[test]
fn receivers_that_the_kernel_cannot_be_are_refused() {
    let mut case = case("1 Mbit/s", "40 ms", "1 MB");
    case.receiver.sack = false;
    assert_eq!(supports(&case).unwrap_err().key, "receiver.sack");
    case.receiver.acks = onramp_scenario::Acks::Delayed;
    let error = run(&case, &mut BuiltIn, &RunOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`receiver.acks` asks for `delayed`"),
        "{error}"
    );
}

#[test]
fn unsupported_cases_are_refused_before_anything_is_made() {
    let mut unknown = case("20 Mbit/s", "20 ms", "1 MB");
    unknown.transfer.startup = "paced".into();
    let error = run(&unknown, &mut BuiltIn, &RunOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Startup { .. }), "{error}");
    let mut tiny = case("20 Mbit/s", "20 ms", "1 MB");
    tiny.path.mtu_bytes = 60;
    let error = run(&tiny, &mut BuiltIn, &RunOptions::default()).unwrap_err();
    assert!(error.to_string().contains("MTU"), "{error}");
}
