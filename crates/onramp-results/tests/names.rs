//! How records name what distinguishes the cases of a scenario.

use onramp_results::Record;
use onramp_scenario::{parse, Case};

const PATH: &str = "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\n";

fn cases(text: &str) -> Vec<Case> {
    parse("x.toml", &format!("{PATH}{text}"))
        .unwrap_or_else(|e| panic!("{}", e.report(false)))
        .cases
}

#[test]
fn the_end_that_connects_has_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 B\"\n[[transfer]]\nsize = \"1 B\"\n\
                connect = \"sender\"\n";
    let found: Vec<_> = cases(text)
        .iter()
        .map(|case| {
            (
                case.transfer.connect.name(),
                Record::of_case(case, "sim").application,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("receiver", String::new()),
            ("sender", "unasked (sender connects)".to_owned())
        ]
    );
}

#[test]
fn clocks_of_a_host_have_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 B\"\nstack = \"lite\"\n\
                timers = [\"bsd\", \"decoupled\"]\n\
                clock = \"1 ms\"\ntick = [\"500 ms\", \"10 ms\"]\nstartup = [\"none\", \"paced\"]\n\
                [[transfer]]\nsize = \"1 B\"\nstack = \"lite\"\nclock = \"500 ms\"\n";
    let labels: Vec<_> = cases(text)
        .iter()
        .map(|case| Record::of_case(case, "sim").algorithms())
        .collect();
    let wanted = [
        "reno, lite, clock 1 ms",
        "paced + reno, lite, clock 1 ms",
        "reno, lite, clock 1 ms, tick 10 ms",
        "paced + reno, lite, clock 1 ms, tick 10 ms",
        "reno, lite, decoupled timers, clock 1 ms",
        "paced + reno, lite, decoupled timers, clock 1 ms",
        "reno, lite, decoupled timers, clock 1 ms, tick 10 ms",
        "paced + reno, lite, decoupled timers, clock 1 ms, tick 10 ms",
        "reno, lite",
    ];
    assert_eq!(labels, wanted);
}

#[test]
fn choices_of_a_transfer_s_tcp_have_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 B\"\nsegment = [\"1500 B\", \"512 B\"]\n\
                stack = [\"linux\", \"lite\"]\n\
                startup = \"none\"\nbyte_counting = [\"1 segment\", \"unlimited\"]\n\
                [[transfer]]\nsize = \"1 B\"\nstartup = \"none\"\nwindow_scaling = false\n\
                byte_counting = \"2 segments\"\n";
    let labels: Vec<_> = cases(text)
        .iter()
        .map(|case| Record::of_case(case, "sim").algorithms())
        .collect();
    let wanted = [
        "cubic, byte counting 1 segment",
        "cubic",
        "reno, lite",
        "reno, lite, byte counting unlimited",
        "cubic, segment 512 B, byte counting 1 segment",
        "cubic, segment 512 B",
        "reno, lite, segment 512 B",
        "reno, lite, segment 512 B, byte counting unlimited",
        "cubic, no window scaling, byte counting 2 segments",
    ];
    assert_eq!(labels, wanted);
}

#[test]
fn numbers_of_connections_have_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 B\"\nconnections = [1, 4, \"adaptive\"]\n";
    let cases = cases(text);
    let labels: Vec<_> = cases
        .iter()
        .map(|case| Record::of_case(case, "sim").algorithms())
        .collect();
    assert_eq!(
        labels,
        [
            "standard + cubic",
            "standard + cubic, 4 connections",
            "standard + cubic, adaptive connections"
        ]
    );
}

#[test]
fn splits_have_words() {
    let nodes = ["a", "m", "b"]
        .map(|name| format!("[[node]]\nname = \"{name}\"\n"))
        .concat();
    let link = |ends: [&str; 2]| {
        format!(
            "[[link]]\nfrom = \"{}\"\nto = \"{}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n",
            ends[0], ends[1]
        )
    };
    let links = [["a", "m"], ["m", "b"]].map(link).concat();
    let keys = [
        "",
        "split = \"m\"\n",
        "split = [\"m\"]\nsplit_buffer = \"64 KiB\"\n",
        "split = \"m\"\nsplit_rate = \"800 kbit/s\"\nstartup = \"none\"\n",
    ];
    let table =
        |keys: &str| format!("[[transfer]]\nsize = \"1 B\"\nfrom = \"a\"\nto = \"b\"\n{keys}");
    let text = format!("name = \"x\"\n{nodes}{links}{}", keys.map(table).concat());
    let cases = parse("x.toml", &text).unwrap().cases;
    let records: Vec<_> = cases
        .iter()
        .map(|case| Record::of_case(case, "sim"))
        .collect();
    let labels: Vec<_> = records.iter().map(Record::algorithms).collect();
    let wanted = [
        "standard + cubic",
        "standard + cubic, split at m",
        "standard + cubic, split at m, buffer 64 KiB",
        "cubic, split at m, rate 800 kbit/s",
    ];
    assert_eq!(labels, wanted);
    assert_eq!(
        cases[1].transfer.split.as_ref().unwrap().buffer_bytes,
        4 << 20,
        "the default, which has no words"
    );
    assert!(records
        .windows(2)
        .all(|pair| pair[0].bound_s == pair[1].bound_s));
}

#[test]
fn applications_have_words() {
    let transfer = "[[transfer]]\nsize = \"1 MB\"\n";
    let text = format!(
        "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"10 ms\"\n\
                        {transfer}{transfer}write = \"1 kB\"\nwrite_every = \"1 s\"\n"
    );
    let cases = parse("x.toml", &text).unwrap().cases;
    let of = |case| Record::of_case(case, "sim").application;
    assert_eq!([of(&cases[0]), of(&cases[1])], ["", "1 kB every 1 s"]);
}

#[test]
fn reservations_multiply_and_have_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 kB\"\n[[transfer]]\nsize = \"1 kB\"\n\
                startup = \"qos\"\n\
                qos_rate = [\"1 Mbit/s\", \"2 Mbit/s\"]\nqos_burst = [\"3 kB\", \"9 kB\"]\n";
    let startups: Vec<_> = cases(text)
        .iter()
        .map(|case| Record::of_case(case, "sim").startup)
        .collect();
    let wanted = [
        "standard",
        "qos 1 Mbit/s burst 3 kB",
        "qos 1 Mbit/s burst 9 kB",
        "qos 2 Mbit/s burst 3 kB",
        "qos 2 Mbit/s burst 9 kB",
    ];
    assert_eq!(startups, wanted);
}

#[test]
fn slow_start_without_hystart_has_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 kB\"\nstartup = [\"none\", \"standard\"]\n\
                hystart = [true, false]\n";
    let startups: Vec<_> = cases(text)
        .iter()
        .map(|case| Record::of_case(case, "sim").startup)
        .collect();
    let wanted = [
        "none",
        "none without HyStart",
        "standard",
        "standard without HyStart",
    ];
    assert_eq!(startups, wanted);
}

#[test]
fn parameters_multiply_and_have_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 kB\"\nstartup = \"hystart\"\n\
                [transfer.parameters]\ncss_rounds = [3, 5]\n\
                min_rtt_thresh = [\"4 ms\", \"2 ms\"]\n";
    let startups: Vec<_> = cases(text)
        .iter()
        .map(|case| Record::of_case(case, "sim").startup)
        .collect();
    let wanted = [
        "hystart min_rtt_thresh 2 ms css_rounds 3",
        "hystart",
        "hystart min_rtt_thresh 2 ms",
        "hystart css_rounds 3",
    ];
    assert!(
        wanted
            .iter()
            .all(|words| startups.contains(&(*words).to_owned())),
        "{startups:?}"
    );
    assert_eq!(startups.len(), 4);
}

#[test]
fn switched_off_ideas_multiply_and_have_words() {
    let text = "rtt = \"1 s\"\n[[transfer]]\nsize = \"1 kB\"\nstartup = \"onramp\"\n[[transfer]]\n\
                size = \"1 kB\"\n\
                startup = \"onramp\"\nwithout = [\"spacing\", \"delay\"]\n";
    let startups: Vec<_> = cases(text)
        .iter()
        .map(|case| Record::of_case(case, "sim").startup)
        .collect();
    assert_eq!(
        startups,
        ["onramp", "onramp without spacing", "onramp without delay"]
    );
}
