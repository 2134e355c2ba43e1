//! `onramp model`: its answers as text and as JSON, and what it refuses.

use crate::common::{keys, onramp, Ran};
use serde_json::Value;

/// Section 5 of Chaher et al. 1998: a T1 satellite link.
const SATELLITE: [&str; 12] = [
    "model",
    "chaher",
    "--rate",
    "1.5 Mbit/s",
    "--rtt",
    "560 ms",
    "--queue",
    "40 packets",
    "--background",
    "409.6 kbit/s",
    "--packet",
    "512 B",
];
const MANUAL: &str = include_str!("../../../docs/model.md");

fn chaher(more: &[&str]) -> Ran {
    onramp([&SATELLITE[..], more].concat())
}

/// A link of 10 Mbit/s and 100 ms with these differences.
fn link(queue: &str, more: &[&str]) -> Ran {
    onramp(
        [
            &[
                "model",
                "chaher",
                "--rate",
                "10 Mbit/s",
                "--rtt",
                "100 ms",
                "--queue",
                queue,
            ][..],
            more,
        ]
        .concat(),
    )
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let found = value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"));
    assert!(
        (found / expected - 1.0).abs() < 2e-3,
        "{found} for {expected}"
    );
}

#[test]
fn the_papers_link_as_text() {
    insta::assert_snapshot!("satellite", chaher(&[]).code(0).stdout);
    insta::assert_snapshot!("large-queue", link("1 bdp", &[]).code(0).stdout);
    insta::assert_snapshot!(
        "small-queue",
        link("0.05 bdp", &["--gamma", "0.3"]).code(0).stdout
    );
}

#[test]
fn the_manual_shows_what_it_prints() {
    let shown = MANUAL
        .split_once("<!-- onramp model -->\n```text\n")
        .expect("an example in docs/model.md")
        .1;
    let shown = shown
        .split_once("```\n<!-- /onramp model -->")
        .expect("its end")
        .0;
    assert_eq!(
        shown,
        chaher(&[]).code(0).stdout,
        "put it into docs/model.md"
    );
}

/// The tolerance is that of 1.5 Mbit/s in packets: the paper uses 366 for 366.2 per second.
#[test]
fn the_papers_link_as_json() {
    let ran = chaher(&["--json", "--gamma", "0.34", "--spacing", "1802.24 kbit/s"]).code(0);
    let answer = ran.json();
    near(&answer["rate_packets_per_s"], 366.2);
    near(&answer["rho"], 100.0 / 366.2);
    near(&answer["beta"], 0.2666);
    near(&answer["overflow_window_packets"], 69.07);
    near(&answer["max_window_packets"], 179.2);
    near(&answer["gamma_max"], 0.3855);
    near(&answer["max_spacing_packets_per_s"], 481.0);
    near(&answer["max_spacing_bits_per_s"], 481.0 * 4096.0);
    assert_eq!(
        (&answer["starts_twice"], &answer["gamma_helps"]),
        (&true.into(), &true.into())
    );
    let sources = answer["sources"].as_array().unwrap();
    let of = |key: &str| {
        sources
            .iter()
            .map(|source| source[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("what"), ["tahoe", "gamma", "gamma", "spacing", "queue"]);
    assert_eq!(of("gamma"), [0.5, 0.38, 0.34, 0.5, 0.5]);
    assert_eq!(of("slow_starts"), [2, 1, 1, 1, 1]);
    near(&of("spacing_packets_per_s")[3], 440.0);
    let phases = |source: usize| sources[source]["phases"].as_array().unwrap().clone();
    let names = phases(0)
        .iter()
        .map(|phase| phase["phase"].clone())
        .collect::<Vec<_>>();
    assert_eq!(names, ["overflow", "slow-start", "avoidance", "detection"]);
    assert_eq!(phases(3).len(), 3);
    let sum = |key: &str| {
        phases(0)
            .iter()
            .map(|phase| phase[key].as_f64().unwrap())
            .sum::<f64>()
    };
    near(
        &sources[0]["packets_per_s"],
        sum("packets") / sum("seconds"),
    );
    near(
        &sources[0]["share_of_available"],
        sum("packets") / sum("seconds") / 266.2,
    );
}

/// The manual has exactly the keys that the command prints.
#[test]
fn the_manual_has_its_keys() {
    let answer = chaher(&["--json"]).code(0).json();
    let source = &answer["sources"][0];
    let parts = [&answer, &answer["link"], source, &source["phases"][0]];
    let schema = MANUAL
        .split_once("## JSON")
        .expect("a section in docs/model.md")
        .1;
    for key in parts.iter().flat_map(|part| keys(part)) {
        assert!(schema.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn a_queue_may_have_any_unit_of_a_scenario() {
    let beta = |queue| link(queue, &["--json"]).code(0).json()["beta"].clone();
    // The BDP of 10 Mbit/s and 100 ms is 125 kB: 83.3 packets of 1500 B, and one that is being
    // sent.
    near(
        &beta("0.2 bdp"),
        25_000.0 / 1500.0 / (125_000.0 / 1500.0 + 1.0),
    );
    assert_eq!(beta("0.2 bdp"), beta("25 kB"));
    assert_eq!(beta("30 kB"), beta("20 packets"));
}

#[test]
fn assumptions_that_the_link_does_not_meet_are_named() {
    let cautions = |queue, more: &[&str], says: &str| link(queue, more).code(0).says(&[says]);
    cautions(
        "1 bdp",
        &[],
        "caution: the queue is to be small against the round trip; a full one takes 100 ms",
    );
    cautions(
        "2 packets",
        &["--background", "5 Mbit/s"],
        "caution: windows are to be of many packets;",
    );
    cautions(
        "2 bdp",
        &["--spacing", "10 Mbit/s"],
        "caution: spaced packets are to leave within a round trip;",
    );
    cautions(
        "0.2 bdp",
        &[],
        "caution: the receiver's window is to be W_max at least, 152 kB",
    );
    let none = link("0.1 bdp", &["--rtt", "30 ms"]);
    none.code(2)
        .warns(&["'--rtt <TIME>' cannot be used multiple times"]);
    let none = onramp([
        "model",
        "chaher",
        "--rate",
        "10 Mbit/s",
        "--rtt",
        "40 ms",
        "--queue",
        "0.2 bdp",
    ])
    .code(0);
    assert!(!none.stdout.contains("caution"), "{none:#?}");
}

#[test]
fn links_that_the_model_does_not_cover_are_refused() {
    let refused = |more: &[&str], says: &str| link("20 packets", more).code(2).warns(&[says]);
    refused(
        &["--gamma", "0.51"],
        "onramp: the model does not cover this link: gamma is 0.51; it must be above 0 and at \
         most 1/2",
    );
    refused(&["--gamma", "-1"], "gamma is -1; it must be above 0");
    refused(&["--gamma", "NaN"], "gamma is NaN; it must be above 0");
    refused(
        &["--gamma", "half"],
        "invalid value 'half' for '--gamma <SHARE>'",
    );
    refused(&["--gamma", "0.001"], "the slow start's ssthresh is 0.1");
    refused(
        &["--background", "10 Mbit/s"],
        "the background is 833.3 packets/s; it must be at least 0 and less than",
    );
    refused(
        &["--spacing", "9 Mbit/s"],
        "packets/s make the source the bottleneck",
    );
    refused(
        &["--packet", "40 B"],
        "an IP packet with a TCP segment has 41 B to 65535 B",
    );
    refused(&["--packet", "9 parsec"], "unknown unit `parsec`");
    link("40", &[])
        .code(2)
        .warns(&["the queue `40` has no unit"]);
    link("500 B", &[])
        .code(2)
        .warns(&["the window that overflows the buffer is 0.67"]);
    onramp([
        "model",
        "chaher",
        "--rate",
        "10 Mbit/s",
        "--rtt",
        "0 s",
        "--queue",
        "9 packets",
    ])
    .code(2)
    .warns(&["the round trip is 0; it must be a number above 0"]);
    let error = link("20 packets", &["--gamma", "0.6", "--json"])
        .code(2)
        .json_error();
    assert_eq!(
        (&error["exit_code"], error["error"].is_string()),
        (&2.into(), true)
    );
}
