//! Several requests on a connection, and sizes that are drawn: the kernel takes the simulator's
//! times.

use crate::common;

use common::lab_runs_here;
use onramp_lab::{run, BuiltIn, Outcome, RunOptions};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_testing::undisturbed;
use std::time::Duration;

/// How far the kernel's times may be from the simulator's, as a share of them.
const WITHIN: f64 = 0.05;

/// A download of CUBIC with such requests, over a path without anything random.
fn case(rate: &str, rtt: &str, transfer: &str) -> Case {
    let text = format!(
        "name = \"requests\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"1 bdp\"\n\
         [receiver]\nbuffer = \"16 MiB\"\n[[transfer]]\nstartup = \"none\"\n{transfer}"
    );
    onramp_scenario::parse("requests", &text)
        .unwrap_or_else(|error| panic!("{error}"))
        .cases
        .remove(0)
}

fn on_kernel(case: &Case) -> Outcome {
    let options = RunOptions {
        trace: true,
        // The receiver thinks for longer.
        patience: Duration::from_millis(100),
        ..RunOptions::default()
    };
    run(case, &mut BuiltIn, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn simulated(case: &Case) -> Vec<Record> {
    let outcome = onramp_sim::run(case, &onramp_sim::Options::default());
    outcome.unwrap_or_else(|error| panic!("{error}")).records
}

/// The times of a record that answers have.
fn times(record: &Record) -> [Option<f64>; 3] {
    [
        record.completion_s,
        record.first_answer_s,
        record.later_answer_s,
    ]
}

fn agree(kernel: &Record, sim: &Record) -> bool {
    let mut pairs = times(kernel).into_iter().zip(times(sim));
    pairs.all(|pair| match pair {
        (Some(kernel_s), Some(sim_s)) => (kernel_s / sim_s - 1.0).abs() < WITHIN,
        (kernel_s, sim_s) => kernel_s == sim_s,
    })
}

/// The kernel's outcome, whose times are the simulator's.
fn compared(case: &Case) -> (Outcome, Record) {
    let sim = simulated(case).remove(0);
    let outcome = undisturbed(|| on_kernel(case), |outcome| agree(&outcome.record, &sim));
    let kernel = &outcome.record;
    assert!(agree(kernel, &sim), "kernel {kernel:?}\nsimulator {sim:?}");
    assert_eq!(
        (kernel.delivered_bytes, kernel.bound_s, &kernel.application),
        (sim.delivered_bytes, sim.bound_s, &sim.application)
    );
    (outcome, sim)
}

/// Answers of 150 kB, each of which waits for a think time after the one before. The pauses are
/// longer than an RTO, so that the kernel begins again with its initial window.
#[test]
fn answers_on_a_connection_that_is_kept_alive_take_the_simulators_time() {
    if !lab_runs_here() {
        return;
    }
    let case = case(
        "20 Mbit/s",
        "60 ms",
        "size = \"600 kB\"\nrequests = 4\nthink = \"exponential 700 ms\"\n",
    );
    let (outcome, sim) = compared(&case);
    // The think times are those of the simulator: the last byte arrives when its did.
    let options = onramp_sim::Options {
        trace: true,
        ..onramp_sim::Options::default()
    };
    let traced = onramp_sim::run(&case, &options).expect("the case can be simulated");
    let last_s = traced.traces[0]
        .receiver
        .last()
        .expect("it has read")
        .time_s;
    let kernel_s = outcome.trace.receiver.last().expect("it has read").time_s;
    assert!(last_s > sim.completion_s.unwrap() + 0.7, "{last_s}");
    assert!((kernel_s - last_s).abs() < 0.05, "{kernel_s}, {last_s}");
}

/// 24 requests leave at once when the first answer is there.
#[test]
fn a_page_over_one_multiplexed_connection_takes_the_simulators_time() {
    if !lab_runs_here() {
        return;
    }
    let keys = "size = \"250 kB\"\nrequests = 25\nconnections = \"multiplexed\"\n";
    let (outcome, _) = compared(&case("50 Mbit/s", "60 ms", keys));
    assert_eq!(outcome.record.connections, "multiplexed");
}

#[test]
fn a_video_stalls_as_often_as_in_the_simulator() {
    if !lab_runs_here() {
        return;
    }
    let video = |rate: &str| {
        let keys = "size = \"1 MB\"\nrequests = 5\nplay = \"300 ms\"\nplayer_buffer = \"700 ms\"\n";
        compared(&case(rate, "40 ms", keys))
    };
    let (fast, _) = video("50 Mbit/s");
    assert_eq!(
        (fast.record.stalls, fast.record.stalled_s),
        (Some(0), Some(0.0))
    );
    let (slow, sim) = video("4 Mbit/s");
    assert_eq!(slow.record.stalls, Some(4));
    let difference_s = slow.record.stalled_s.unwrap() - sim.stalled_s.unwrap();
    assert!(difference_s.abs() < 0.05, "{:?}", slow.record);
}

#[test]
fn copies_draw_the_sizes_of_the_simulator() {
    if !lab_runs_here() {
        return;
    }
    let case = case(
        "100 Mbit/s",
        "20 ms",
        "size = \"web-search\"\ncount = 5\nspacing = \"exponential 700 ms\"\n",
    );
    let sim = simulated(&case);
    let are_alike = |kernel: &[&Record]| {
        let mut pairs = kernel.iter().zip(&sim);
        pairs.all(|(kernel, sim)| agree(kernel, sim) && (kernel.start_s - sim.start_s).abs() < 0.02)
    };
    let outcome = undisturbed(
        || on_kernel(&case),
        |outcome| are_alike(&outcome.records().collect::<Vec<_>>()),
    );
    let records: Vec<&Record> = outcome.records().collect();
    assert!(are_alike(&records), "{records:?}\n{sim:?}");
    let drawn = |record: &Record| {
        (
            record.size_bytes,
            record.sizes.clone(),
            record.delivered_bytes,
        )
    };
    let wanted: Vec<_> = sim.iter().map(drawn).collect();
    assert_eq!(records.into_iter().map(drawn).collect::<Vec<_>>(), wanted);
    assert!(wanted.iter().any(|one| one.0 != wanted[0].0), "{wanted:?}");
}
