//! Scenarios that name recordings of links.

use onramp_net::{Config, Service};
use onramp_scenario::{parse, parse_in, Case, Error};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces")
}

fn scenario(path: &str) -> String {
    format!("name = \"x\"\n[path]\nrtt = \"50 ms\"\n{path}\n[[transfer]]\nsize = \"1 MB\"\n")
}

fn cases(path: &str) -> Vec<Case> {
    parse_in(Some(&folder()), "x.toml", &scenario(path))
        .unwrap_or_else(|error| panic!("{}", error.report(false)))
        .cases
}

fn mistake(path: &str) -> String {
    let error = parse_in(Some(&folder()), "x.toml", &scenario(path)).unwrap_err();
    let Error::Invalid(invalid) = error else {
        panic!("{error}")
    };
    let of_fault = |fault: &onramp_scenario::Fault| fault.to_string();
    let faults: Vec<_> = invalid.faults().iter().map(of_fault).collect();
    faults.join("; ")
}

/// The configurations of both directions in a run with this seed.
fn links(case: &Case, seed: u64) -> [Config; 2] {
    let config = |(number, channel): (u32, &onramp_scenario::Channel)| {
        let config = channel.link_config(case.path.rtt_ns, seed, number);
        config.check().unwrap();
        config
    };
    [(0, &case.path.forward), (1, &case.path.reverse)].map(config)
}

fn offset_ns(config: &Config) -> u64 {
    match &config.service {
        Service::Trace { offset_ns, .. } | Service::Rates { offset_ns, .. } => *offset_ns,
        other => panic!("{other:?}"),
    }
}

const BOTH: &str = "trace = \"three.trace\"\n[path.reverse]\ntrace = \"three.trace\"";

#[test]
fn the_mean_rate_of_a_trace_stands_for_its_rate() {
    let case = cases("trace = \"three.trace\"").remove(0);
    // Three opportunities of 1500 bytes in 10 ms.
    assert_eq!(case.path.forward.rate_bits_per_s, 3_600_000);
    assert_eq!(case.path.bdp_bytes(), 22_500);
    let [forward, reverse] = links(&case, 7);
    assert_eq!(offset_ns(&forward), 0);
    // The return path follows the rate alone.
    assert_eq!(
        (reverse.service, reverse.rate_bits_per_s.get()),
        (Service::Steady, 3_600_000)
    );
}

#[test]
fn a_file_of_rates_has_their_mean_and_is_told_by_its_name() {
    let case = cases("trace = \"lte.csv\"\ntrace_offset = \"1.25 s\"").remove(0);
    assert_eq!(case.path.forward.rate_bits_per_s, 12_000_000);
    let [forward, reverse] = links(&case, 7);
    assert!(matches!(forward.service, Service::Rates { .. }));
    assert_eq!(offset_ns(&forward), 1_250_000_000);
    assert_eq!(
        (reverse.service, reverse.rate_bits_per_s.get()),
        (Service::Steady, 12_000_000)
    );
    assert_eq!(case.path.forward.describe()[0], "trace lte.csv");
    let random = "trace = \"lte.csv\"\ntrace_offset = \"random\"";
    let case = cases(random).remove(0);
    assert!((0..50).all(|seed| offset_ns(&links(&case, seed)[0]) < 1_500_000_000));
}

#[test]
fn starts_at_several_times_are_several_cases() {
    let offsets = format!("trace_offset = [\"0 s\", \"3 ms\"]\n{BOTH}");
    let of = |case: &Case| links(case, 7).each_ref().map(offset_ns);
    let all: Vec<_> = cases(&offsets).iter().map(of).collect();
    assert_eq!(all, [[0, 0], [3_000_000, 3_000_000]]);
}

#[test]
fn a_random_start_is_the_same_in_both_directions_and_another_in_each_repeat() {
    let case = cases(&format!("trace_offset = \"random\"\n{BOTH}")).remove(0);
    let of = |seed| links(&case, seed).each_ref().map(offset_ns);
    assert!((0..50).all(|seed| of(seed)[0] == of(seed)[1] && of(seed)[0] < 10_000_000));
    assert!((1..50).any(|seed| of(seed) != of(0)));
}

#[test]
fn a_return_path_may_have_lists_of_its_own() {
    let reverse = "rate = \"1 Mbit/s\"\naggregate = \"2 ms\"\n\
                   [path.reverse]\naggregate = [\"1 ms\", \"4 ms\"]";
    let both = |case: &Case| {
        let interval =
            |channel: &onramp_scenario::Channel| channel.aggregation.unwrap().interval_ns;
        [interval(&case.path.forward), interval(&case.path.reverse)]
    };
    let all: Vec<_> = cases(reverse).iter().map(both).collect();
    assert_eq!(all, [[2_000_000, 1_000_000], [2_000_000, 4_000_000]]);
}

#[test]
fn each_mistake_has_a_sentence() {
    let of_file = |file: &str| mistake(&format!("trace = \"{file}\""));
    assert_eq!(
        of_file("backwards.trace"),
        "`path.trace`: the trace backwards.trace: line 3 goes backwards: 4 ms come after 5 ms"
    );
    assert_eq!(
        of_file("words.trace"),
        "`path.trace`: the trace words.trace: line 2 is not a number of milliseconds: \"two\""
    );
    assert_eq!(
        of_file("empty.trace"),
        "`path.trace`: the trace empty.trace: it is empty"
    );
    assert_eq!(
        of_file("backwards.csv"),
        "`path.trace`: the trace backwards.csv: line 4 is not later than the row before it"
    );
    assert!(of_file("words.csv").contains("names no column of rates: expected `rate_bits_per_s`"));
    assert!(of_file("zeros.trace").contains("all its times are 0"));
    assert!(of_file("missing.trace").contains("No such file"));
    assert!(of_file(".").contains("not a regular file"));
    assert_eq!(
        mistake("rate = \"1 Mbit/s\"\ntrace_offset = \"1 s\""),
        "`path.trace_offset` has no effect without `path.trace`"
    );
    assert_eq!(
        mistake("rate = \"1 Mbit/s\"\ntrace = \"three.trace\""),
        "`path.trace` and `path.rate` exclude each other"
    );
    assert_eq!(
        mistake("trace = \"three.trace\"\n[[path.change]]\nat = \"1 s\"\nrate = \"1 Mbit/s\""),
        "`path.change.rate` is for links of a steady rate, but this is `trace`"
    );
    assert_eq!(
        mistake(
            "rate = \"1 Mbit/s\"\nservice = \"poisson\"\n[path.steps]\nevery = \"1 s\"\n\
             min = \"2 Mbit/s\""
        ),
        "`path.steps` is for a steady service, but this is `poisson`; \
         `path.steps.min` is 2 Mbit/s, but the link carries only 1 Mbit/s"
    );
}

#[test]
fn a_scenario_that_is_no_file_names_no_other_file() {
    let error = parse("x.toml", &scenario("trace = \"three.trace\"")).unwrap_err();
    assert!(
        error.to_string().contains("a scenario that is no file"),
        "{error}"
    );
}
