//! What real paths do, between real sockets: recordings, random rates, cells, slots and late
//! timers.

use crate::common;

use common::lab_runs_here;
use onramp_lab::{run, BuiltIn, RunOptions};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_testing::undisturbed;
use std::path::Path;

/// A download of CUBIC over such a path, which may name the traces of `scenarios/real`.
fn case(path: &str, size: &str) -> Case {
    let rtt = match path.contains("delay_trace") {
        true => "",
        false => "rtt = \"40 ms\"\n",
    };
    let text = format!(
        "name = \"test\"\n[path]\n{rtt}{path}\n[receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nsize = \"{size}\"\nstartup = \"none\"\navoidance = \"cubic\"\n"
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/real");
    onramp_scenario::parse_in(Some(&folder), "test", &text)
        .unwrap_or_else(|error| panic!("{error}"))
        .cases
        .remove(0)
}

fn record(case: &Case) -> Record {
    run(case, &mut BuiltIn, &RunOptions::default())
        .unwrap_or_else(|error| panic!("{error}"))
        .record
}

/// Completion as a multiple of the bound, which knows the recording and the random rates.
fn of_bound(record: &Record) -> f64 {
    record.completion_s.expect("the lab waits for it") / record.bound_s
}

/// A link that carries more than its recording, or begins it at another time, ends before the
/// bound.
#[test]
fn a_recorded_link_carries_what_its_trace_says() {
    if !lab_runs_here() {
        return;
    }
    let path = "trace = \"traces/synthetic-lte.down\"\ntrace_offset = \"3 s\"\nqueue = \"1 MB\"\n\
                [path.reverse]\ntrace = \"traces/synthetic-lte.up\"";
    let case = case(path, "2 MB");
    let is_good = |record: &Record| (1.0..1.6).contains(&of_bound(record));
    let record = undisturbed(|| record(&case), is_good);
    assert!(is_good(&record), "{record:?}");
    assert!(record
        .path
        .starts_with("trace synthetic-lte.down, from 3 s of it"));
}

/// 12 Mbit/s for half a second, nothing for half a second, 24 Mbit/s for half a second.
#[test]
fn a_table_of_rates_is_a_recording_too() {
    if !lab_runs_here() {
        return;
    }
    let path = "trace = \"../../crates/onramp-scenario/tests/traces/lte.csv\"\n\
                queue = \"1 MB\"\n[path.reverse]\nrate = \"10 Mbit/s\"";
    let case = case(path, "3 MB");
    let is_good = |record: &Record| (1.0..1.2).contains(&of_bound(record));
    let record = undisturbed(|| record(&case), is_good);
    assert!(is_good(&record), "{record:?}");
}

/// The recording has 30 ms one way in the second that is replayed, and 10 ms otherwise: with its
/// mean the transfer would end before the bound.
#[test]
fn a_recorded_delay_is_that_of_the_run() {
    if !lab_runs_here() {
        return;
    }
    let path = "rate = \"20 Mbit/s\"\nqueue = \"1 MB\"\ntrace_offset = \"1 s\"\n\
                delay_trace = \"../../crates/onramp-scenario/tests/traces/slower.csv\"";
    let case = case(path, "30 kB");
    let is_good = |record: &Record| (1.0..1.7).contains(&of_bound(record));
    let record = undisturbed(|| record(&case), is_good);
    assert!(is_good(&record) && record.bound_s > 0.12, "{record:?}");
}

#[test]
fn random_rates_are_those_of_the_seed() {
    if !lab_runs_here() {
        return;
    }
    let steps = "rate = \"20 Mbit/s\"\nqueue = \"1 MB\"\n[path.steps]\nevery = \"50 ms\"\n\
                 min = \"5 Mbit/s\"\noutage = \"100 ms\"\noutage_every = \"500 ms\"";
    let poisson = "rate = \"12 Mbit/s\"\nqueue = \"1 MB\"\nservice = \"poisson\"";
    for path in [steps, poisson] {
        let case = case(path, "2 MB");
        let is_good = |record: &Record| (1.0..1.6).contains(&of_bound(record));
        let record = undisturbed(|| record(&case), is_good);
        assert!(is_good(&record), "{path}: {record:?}");
    }
}

/// 1500 bytes are 32 cells of 53 bytes: 13 % more than the packets alone.
#[test]
fn a_link_of_cells_is_slower_than_one_of_packets() {
    if !lab_runs_here() {
        return;
    }
    let of = |framing: &str| {
        let path = format!("rate = \"20 Mbit/s\"\nqueue = \"1 MB\"\nframing = \"{framing}\"");
        case(&path, "4 MB")
    };
    let (packets, cells) = (of("packets"), of("aal5"));
    let is_slower = |both: &(Record, Record)| {
        let slower = both.1.completion_s > both.0.completion_s.map(|packets_s| 1.08 * packets_s);
        slower && (1.0..1.6).contains(&of_bound(&both.1))
    };
    let both = undisturbed(|| (record(&packets), record(&cells)), is_slower);
    assert!(is_slower(&both), "{both:?}");
    assert!(both.1.path.starts_with("aal5"), "{}", both.1.path);
}

/// The lateness of a record is the link thread's own: a late timer is a part of the path.
#[test]
fn slots_and_late_timers_delay_real_packets() {
    if !lab_runs_here() {
        return;
    }
    let punctual = case("rate = \"20 Mbit/s\"", "100 kB");
    let late = case(
        "rate = \"20 Mbit/s\"\nlate = \"20 ms\"\nlate_after = \"1 ms\"\n[path.reverse]\n\
         aggregate = \"30 ms\"\naggregate_slots = true\naggregate_gap = \"8 us\"",
        "100 kB",
    );
    // Four round trips, each with a wait for a slot of 15 ms and for a timer of 10 ms on average.
    let is_later = |both: &(Record, Record)| {
        both.1.completion_s > both.0.completion_s.map(|punctual_s| punctual_s + 0.03)
    };
    let both = undisturbed(|| (record(&punctual), record(&late)), is_later);
    assert!(is_later(&both), "{both:?}");
}
