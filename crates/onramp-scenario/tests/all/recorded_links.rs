//! Scenarios that name recordings of links.

use onramp_net::{Config, Jitter, LossConfig, Recorded, Service};
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

/// The text without `rtt`, which a recorded delay excludes.
fn without_rtt(path: &str) -> String {
    scenario(path).replace("rtt = \"50 ms\"\n", "")
}

fn recorded_cases(path: &str) -> Vec<Case> {
    parse_in(Some(&folder()), "x.toml", &without_rtt(path))
        .unwrap_or_else(|error| panic!("{}", error.report(false)))
        .cases
}

/// The delays one way and the losses of the rows, in ms and percent.
fn rows(config: &Config) -> [Vec<u64>; 2] {
    let rows = |recorded: &Option<Recorded>, unit| match recorded {
        Some(recorded) => recorded.values.values().map(|value| value / unit).collect(),
        None => Vec::new(),
    };
    [
        rows(&config.recorded_delay, 1_000_000),
        rows(&config.recorded_loss, 10_000),
    ]
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
fn a_recorded_delay_is_that_of_both_directions_and_a_recorded_loss_is_not() {
    let case = recorded_cases("trace = \"orbit.csv\"").remove(0);
    let path = &case.path;
    assert_eq!(path.forward.rate_bits_per_s, 12_000_000);
    assert_eq!(
        (path.forward.delay_ns, path.rtt_ns),
        (20_000_000, 40_000_000)
    );
    assert_eq!(path.bdp_bytes(), 60_000);
    let [forward, reverse] = links(&case, 7);
    assert_eq!(rows(&forward), [vec![10, 30, 20], vec![0, 2, 1]]);
    assert_eq!(rows(&reverse), [vec![10, 30, 20], vec![]]);
    assert_eq!(reverse.loss, LossConfig::None);
    let words = ["trace orbit.csv", "delays of orbit.csv from 10 ms to 30 ms"];
    assert_eq!(path.forward.describe()[..2], words);
    assert_eq!(path.forward.describe_loss(), "1 % as recorded");
}

#[test]
fn each_direction_has_half_of_a_recorded_rtt() {
    let case = recorded_cases("rate = \"8 Mbit/s\"\ntrace = \"rtts.csv\"").remove(0);
    assert_eq!(case.path.rtt_ns, 30_000_000);
    let links = links(&case, 7);
    assert_eq!(
        links.each_ref().map(|link| link.rate_bits_per_s.get()),
        [8_000_000; 2]
    );
    assert_eq!(
        links.each_ref().map(rows),
        [[vec![10, 20], vec![]], [vec![10, 20], vec![]]]
    );
}

#[test]
fn a_return_path_may_have_a_delay_of_its_own() {
    let of = |reverse: &str| {
        let case = recorded_cases(&format!("trace = \"orbit.csv\"\n[path.reverse]\n{reverse}"));
        let [_, reverse] = links(&case[0], 7);
        (case[0].path.rtt_ns / 1_000_000, rows(&reverse))
    };
    assert_eq!(of("delay = \"5 ms\""), (25, [vec![], vec![]]));
    assert_eq!(
        of("delay_trace = \"delays.txt\""),
        (32, [vec![12, 14, 10], vec![]])
    );
    let losses = [vec![10, 30, 20], vec![1, 3]];
    assert_eq!(of("delay_trace = \"losses.csv\""), (40, losses));
    // Only the return path is recorded.
    let path = "rate = \"1 Mbit/s\"\n[path.reverse]\ndelay_trace = \"delays.txt\"";
    let path = cases(path).remove(0).path;
    assert_eq!(
        (path.forward.delay_ns, path.reverse.delay_ns),
        (38_000_000, 12_000_000)
    );
}

#[test]
fn a_rate_in_a_list_may_stand_beside_a_recorded_delay() {
    let rates = "rate = [\"1 Mbit/s\", \"2 Mbit/s\"]\ndelay_trace = \"delays.txt\"\n\
                 service = \"poisson\"";
    let cases = recorded_cases(rates);
    let rates: Vec<_> = cases
        .iter()
        .map(|case| case.path.reverse.rate_bits_per_s)
        .collect();
    assert_eq!(rates, [1_000_000, 2_000_000]);
    assert_eq!(
        cases[0].path.forward.describe()[0],
        "delays of delays.txt from 10 ms to 14 ms"
    );
}

#[test]
fn a_link_has_no_delay_beside_a_recorded_one() {
    let link = |delay: &str| {
        format!(
            "name = \"x\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[link]]\nfrom = \"a\"\n\
             to = \"b\"\n{delay}\n[[transfer]]\nsize = \"1 MB\"\nfrom = \"a\"\nto = \"b\"\n"
        )
    };
    let read = |delay: &str| parse_in(Some(&folder()), "x.toml", &link(delay));
    let case = read("trace = \"orbit.csv\"").unwrap().cases.remove(0);
    assert_eq!(case.path.rtt_ns, 40_000_000);
    let both = read("trace = \"orbit.csv\"\ndelay = \"1 ms\"")
        .unwrap_err()
        .report(false);
    assert!(
        both.contains("`link.trace` and `link.delay` exclude each other"),
        "{both}"
    );
    let none = read("rate = \"1 Mbit/s\"").unwrap_err().report(false);
    assert!(none.contains("`link.delay` is missing"), "{none}");
}

/// The times of the recording at which the rate, the delay and the loss of both directions begin.
fn all_offsets_ns(case: &Case, seed: u64) -> Vec<u64> {
    let of = |config: &Config| {
        let recorded = [&config.recorded_delay, &config.recorded_loss];
        let recorded = recorded
            .into_iter()
            .flatten()
            .map(|recorded| recorded.offset_ns);
        let service = match &config.service {
            Service::Steady => None,
            _ => Some(offset_ns(config)),
        };
        service.into_iter().chain(recorded).collect::<Vec<_>>()
    };
    links(case, seed).iter().flat_map(of).collect()
}

#[test]
fn rate_delay_and_loss_begin_at_the_same_time_of_the_recording() {
    let one = "trace = \"orbit.csv\"\ntrace_offset =";
    // The file of delays is three times as long as the trace: both begin at a time of the trace.
    let two = "trace = \"three.trace\"\ndelay_trace = \"delays.txt\"\ntrace_offset =";
    for (path, count, length_ns) in [(one, 4, 1_500_000_000), (two, 3, 10_000_000)] {
        let case = recorded_cases(&format!("{path} \"7 ms\"")).remove(0);
        assert_eq!(all_offsets_ns(&case, 7), vec![7_000_000; count]);
        let case = recorded_cases(&format!("{path} \"random\"")).remove(0);
        let of = |seed| all_offsets_ns(&case, seed);
        assert!((0..50).all(|seed| of(seed) == vec![of(seed)[0]; count]));
        assert!((0..50).all(|seed| of(seed)[0] < length_ns));
        assert!((1..50).any(|seed| of(seed) != of(0)));
        assert!(case
            .path
            .forward
            .describe()
            .iter()
            .any(|word| word == "from a random time of it"));
    }
}

#[test]
fn packets_overtake_each_other_only_with_the_key() {
    let reordering = Some(Jitter {
        max_ns: 0,
        reorder: true,
    });
    let of = |path: &str| {
        let case = recorded_cases(&format!("trace = \"orbit.csv\"\n{path}")).remove(0);
        links(&case, 7).map(|config| config.jitter)
    };
    assert_eq!(of(""), [None, None]);
    assert_eq!(of("reorder = true"), [reordering, None]);
    assert_eq!(of("[path.reverse]\nreorder = true"), [None, reordering]);
    let steady = "`path.reorder` has no effect without `path.jitter`";
    assert_eq!(mistake("rate = \"1 Mbit/s\"\nreorder = true"), steady);
}

#[test]
fn each_mistake_of_a_recorded_delay_or_loss_has_a_sentence() {
    let excluded = |path: &str, key: &str| {
        let found = mistake(&format!("trace = \"orbit.csv\"\n{path}"));
        assert!(found.contains(key), "{found}");
    };
    // Where it stands beside the trace, `rtt` is a mistake in each of them.
    excluded("", "`path.trace` and `path.rtt` exclude each other");
    excluded(
        "loss = \"1 %\"",
        "`path.trace` and `path.loss` exclude each other",
    );
    excluded(
        "loss_every = \"9 packets\"",
        "`path.trace` and `path.loss_every` exclude",
    );
    excluded(
        "[path.bursts]\nenter = \"1 %\"\nleave = \"2 %\"",
        "`path.bursts` exclude",
    );
    excluded(
        "delay_trace = \"delays.txt\"",
        "the file of `trace` has such a column too",
    );
    excluded(
        "rate = \"1 Mbit/s\"",
        "`path.trace` and `path.rate` exclude each other",
    );
    let change = |key: &str| format!("[[path.change]]\nat = \"1 s\"\n{key}");
    excluded(
        &change("rtt = \"9 ms\""),
        "`path.change.rtt` is for links without a recorded delay",
    );
    excluded(
        &change("loss = \"9 %\""),
        "`path.change.loss` is for links without a recorded loss",
    );
    assert_eq!(
        mistake(
            "rate = \"1 Mbit/s\"\n[path.reverse]\ndelay = \"1 ms\"\ndelay_trace = \"delays.txt\""
        ),
        "`path.reverse.delay_trace` and `path.reverse.delay` exclude each other"
    );
    let of = |path: &str| {
        let error = parse_in(Some(&folder()), "x.toml", &without_rtt(path)).unwrap_err();
        let faults = error
            .invalid()
            .unwrap()
            .faults()
            .iter()
            .map(ToString::to_string);
        faults.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        of("trace = \"rtts.csv\""),
        "`path.trace`: the trace rtts.csv: it has no column of rates, and `rate` is not given"
    );
    assert_eq!(
        of("rate = \"1 Mbit/s\"\ndelay_trace = \"negative.csv\""),
        "`path.delay_trace`: the trace negative.csv: line 3, column 2: expected a delay of 0 or \
         more, found \"-3\""
    );
    assert_eq!(
        of("rate = \"1 Mbit/s\"\ndelay_trace = \"lte.csv\""),
        "`path.delay_trace`: the trace lte.csv: its first line names no column of delays or losses"
    );
    assert!(of("rate = \"1 Mbit/s\"\ndelay_trace = \"words.trace\"").contains("line 2, column 1"));
    assert_eq!(of("rate = \"1 Mbit/s\""), "`path.rtt` is missing");
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
    assert!(of_file("words.csv").contains("names no column of rates, delays or losses"));
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
    for file in [
        "trace = \"three.trace\"",
        "rate = \"1 Mbit/s\"\ndelay_trace = \"delays.txt\"",
    ] {
        let error = parse("x.toml", &scenario(file)).unwrap_err().to_string();
        assert!(error.contains("a scenario that is no file"), "{error}");
    }
}
