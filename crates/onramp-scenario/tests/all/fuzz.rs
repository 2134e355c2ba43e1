//! No text makes the reader panic, and no error makes the renderer panic.

use onramp_scenario::{parse, Scenario, TrafficStart};
use proptest::prelude::*;

/// A `[path]` with many keys, units and lists, to mutate.
const EVERYTHING: &str = r#"
name = "every-key"
description = "Everything at once — é"
seed = 0x2a
[path]
rate = ["10 Mbit/s", "1.5 MB/s"]
rtt = "100 ms"
queue = ["1 bdp", "40 packets", "256 KiB"]
loss = ["0 %", "0.5 %"]
mtu = "1500 B"
[path.reverse]
rate = "5 Mbit/s"
queue = "40 packets"
loss = "1 %"
delay = "10 us"
[receiver]
buffer = ["linux-default", "64 MiB"]
[sender]
buffer = "64 MiB"
[[transfer]]
size = ["100 kB", "1 GB"]
startup = ["none", "standard"]
avoidance = ["cubic", "bbr", "reno"]
initial_window = ["host", "10 segments"]
repeat = 2
[[transfer]]
size = "100 kB"
startup = "paced"
[[traffic]]
startup = "none"
avoidance = "reno"
lead = "5 s"
"#;

/// The keys and tables that a `[path]` does not have.
const NETWORK: &str = r#"
name = "every-other-key"
[run]
duration = "30 s"
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "c"
[[link]]
from = "a"
to = "b"
rate = "100 Mbit/s"
delay = "5 ms"
queue = "60 packets"
discipline = "red"
ack_filter = false
duplicate = "0.1 %"
jitter = "4 ms"
reorder = true
[link.red]
min = "5 packets"
max = "15 packets"
probability = "10 %"
weight = "0.2 %"
gentle = false
[link.bursts]
enter = "0.1 %"
leave = "30 %"
loss_good = "0 %"
loss_bad = "90 %"
[[link.change]]
at = "1 s"
rate = "1 Mbit/s"
delay = "1 ms"
loss = "100 %"
[[link]]
from = "b"
to = "c"
rate = "20 Mbit/s"
delay = "20 ms"
mtu = "1400 B"
queue = "200 packets"
discipline = "fq-codel"
ecn = true
aggregate = "2 ms"
aggregate_most = 16
shaper_rate = "15 Mbit/s"
shaper_burst = "30 kB"
policer_rate = "50 Mbit/s"
policer_burst = "100 kB"
ef_rate = "1 Mbit/s"
ef_burst = "50 kB"
[link.codel]
target = "5 ms"
interval = "100 ms"
quantum = "1514 B"
[link.reverse]
rate = "5 Mbit/s"
delay = "1 ms"
discipline = "codel"
[receiver]
acks = "delayed"
timestamps = false
sack = true
window_scaling = true
[sender]
nagle = false
[[transfer]]
size = "20 MB"
stack = ["linux", "lite"]
dscp = ["ef", "best-effort"]
ip = ["v4", "v6"]
ecn = [true, false]
recovery = ["reno", "newreno"]
timers = ["bsd", "decoupled"]
segment = ["512 B", "1400 B"]
window_scaling = false
byte_counting = "2 segments"
initial_ssthresh = "64 kB"
from = ["a", "b"]
to = "c"
count = 4
start = "1 s"
spacing = "100 ms"
write = "50 kB"
write_every = "1 s"
[[traffic]]
kind = "transfer"
stack = "lite"
size = ["10 kB", "30 kB"]
arrivals = "5 /s"
count = 100
measured = true
from = "b"
to = "c"
start = "0 s"
stop = "25 s"
[[traffic]]
kind = "on-off"
rate = "5 Mbit/s"
packet = "1000 B"
on = "500 ms"
off = "500 ms"
distribution = "fixed"
from = "c"
to = "a"
lead = "1 s"
[[traffic]]
kind = "constant"
rate = "1 Mbit/s"
from = "a"
to = "b"
"#;

/// Reads the text, and shows the outcome as the command line does.
fn read_and_show(text: &str) {
    match parse("fuzz.toml", text) {
        Ok(scenario) => check(&scenario),
        Err(error) => {
            assert!(!error.report_of_width(80, false).is_empty());
            let invalid = error.invalid().expect("the text was short");
            for fault in invalid.faults() {
                let place = invalid.line_column(fault);
                assert_eq!(place.is_some(), fault.span.is_some());
                if let Some(span) = &fault.span {
                    assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
                }
            }
        }
    }
}

/// Conditions that simulator and lab rely on without a check.
fn check(scenario: &Scenario) {
    assert!((1..=100_000).contains(&scenario.cases.len()));
    for case in &scenario.cases {
        assert!(
            case.path.rtt_ns > 0
                && case.path.forward.rate_bits_per_s > 0
                && case.path.reverse.rate_bits_per_s > 0
        );
        assert_eq!(
            case.path.forward.delay_ns + case.path.reverse.delay_ns,
            case.path.rtt_ns
        );
        assert!(case.transfer.size_bytes > 0 && case.run > 0);
        for link in &case.network.links {
            for channel in [&link.forward, &link.reverse] {
                assert_eq!(
                    channel.link_config(case.path.rtt_ns, case.seed, 0).check(),
                    Ok(())
                );
            }
        }
        for copy in 0..case.transfer.count.min(1000) {
            let (from, to) = case.transfer.ends(copy);
            assert!(from != to && case.network.route(from, to).is_some());
        }
        for traffic in case.traffic.iter() {
            assert!(
                traffic.from != traffic.to
                    && case.network.route(traffic.from, traffic.to).is_some()
            );
            let is_lead = matches!(traffic.start, TrafficStart::Lead(_));
            assert!(!is_lead || case.traffic_start_ns(traffic) <= case.transfer_start_ns());
        }
    }
}

#[test]
fn the_files_before_mutation_are_good() {
    assert_eq!(
        parse("every.toml", EVERYTHING).unwrap().cases.len(),
        2 * 3 * 2 * 2 * (2 * 2 * 3 * 2 * 2 + 1)
    );
    assert_eq!(
        parse("network.toml", NETWORK).unwrap().cases.len(),
        2 * 2 * 2 * 2 * 2 * 2 * 2
    );
}

/// Pieces of files, to put where they do not belong.
fn piece() -> impl Strategy<Value = String> {
    let lines: Vec<String> = EVERYTHING
        .lines()
        .chain(NETWORK.lines())
        .map(|line| format!("{line}\n"))
        .collect();
    let odd = [
        "\"",
        "'",
        "[",
        "]",
        "[[",
        "=",
        "#",
        "\n",
        "\r\n",
        "{",
        "}",
        ",",
        ".",
        "-",
        "0",
        "999999999999999999999",
        "\\",
        "é",
        "\0",
        "\u{feff}",
        "\u{202e}",
        "\t",
        "\"\"\"",
        "nan",
        "inf",
        "true",
        "1979-05-27",
        "\"\\u001b\"",
        "bdp",
        "\"0 s\"",
    ];
    prop_oneof![
        proptest::sample::select(lines),
        proptest::sample::select(odd.map(str::to_owned).to_vec()),
        "\\PC{0,8}",
    ]
}

fn at(text: &str, share: f64) -> usize {
    let mut index = (text.len() as f64 * share) as usize;
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn mutations_of_a_good_file(
        is_path: bool,
        changes in prop::collection::vec((0.0..1.0f64, 0usize..30, piece()), 1..6),
    ) {
        let mut text = if is_path { EVERYTHING } else { NETWORK }.to_owned();
        for (share, cut, piece) in changes {
            let start = at(&text, share);
            let mut end = (start + cut).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.replace_range(start..end, &piece);
        }
        read_and_show(&text);
    }

    #[test]
    fn lines_in_any_order(pieces in prop::collection::vec(piece(), 0..40)) {
        read_and_show(&pieces.concat());
    }

    #[test]
    fn any_text(text in "(?s).{0,200}") {
        read_and_show(&text);
    }

    #[test]
    fn any_value_for_any_key(
        is_path: bool,
        line in 0usize..150,
        value in "\"[-0-9.]{1,12} ?(bit/s|GB/s|ns|s|/s|B|GiB|%|bdp|packets|segments)\"\
                  |-?[0-9]{1,25}|[0-9]\\.[0-9]|\\[\\]|\\{\\}|true|\"[a-c]\"",
    ) {
        let text = if is_path { EVERYTHING } else { NETWORK };
        let line = line % text.lines().count();
        let with_value = |(number, text): (usize, &str)| match text.split_once(" = ") {
            Some((key, _)) if number == line => format!("{key} = {value}\n"),
            _ => format!("{text}\n"),
        };
        let lines: String = text.lines().enumerate().map(with_value).collect();
        read_and_show(&lines);
    }

    #[test]
    fn any_network(
        ends in prop::collection::vec((0usize..8, 0usize..8), 1..12),
        from in 0usize..8,
        to in 0usize..8,
    ) {
        let nodes: String = (0..8).map(|n| format!("[[node]]\nname = \"{n}\"\n")).collect();
        let links: String = ends
            .iter()
            .map(|(from, to)| {
                format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\n\
                         delay = \"1 ms\"\n")
            })
            .collect();
        let transfer = format!("[[transfer]]\nsize = \"1 B\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
        read_and_show(&format!("name = \"x\"\n{nodes}{links}{transfer}"));
    }
}
