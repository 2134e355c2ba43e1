//! Flows with a guaranteed rate beside best-effort flows.

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};

fn cases(text: &str) -> Vec<Case> {
    let path = "name = \"test\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"100 ms\"\n\
        ef_rate = \"2.2 Mbit/s\"\nef_burst = \"50 kB\"\n";
    let text = format!("{path}[receiver]\nbuffer = \"64 MiB\"\n{text}");
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
}

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

fn records(text: &str) -> Vec<Record> {
    cases(text)
        .iter()
        .flat_map(|case| simulate(case).records)
        .collect()
}

const COMPETING: &str = "[[traffic]]\ncount = 12\nstart = \"0 s\"\n";

#[test]
fn a_guaranteed_flow_gets_its_rate_beside_competing_flows() {
    // The application writes 2 Mbit/s.
    let writes = "write = \"2.5 kB\"\nwrite_every = \"10 ms\"\ndscp = [\"ef\", \"best-effort\"]\n";
    let text = format!("{COMPETING}[[transfer]]\nsize = \"500 kB\"\nstart = \"10 s\"\n{writes}");
    let records = records(&text);
    let [ef, other] = &records[..] else {
        panic!("two cases")
    };
    assert_eq!(
        (ef.sender_tcp.as_str(), other.sender_tcp.as_str()),
        ("EF", "")
    );
    assert_eq!(
        (ef.capacity_bits_per_s, other.capacity_bits_per_s),
        (2_200_000, 10_000_000)
    );
    assert_eq!((ef.policed_packets, ef.retransmitted_segments), (0, 0));
    let took = |record: &Record| record.completion_s.unwrap();
    assert!(
        took(ef) < 2.3 && took(other) > 1.5 * took(ef),
        "{} and {} s",
        took(ef),
        took(other)
    );
    assert!(other.dropped_packets > 0 && other.policed_packets == 0);
}

#[test]
fn a_flow_is_policed_beyond_its_guarantee_even_on_an_idle_link() {
    let records = records(
        "[[transfer]]\nsize = \"2 MB\"\nstartup = \"none\"\ndscp = [\"ef\", \"best-effort\"]\n",
    );
    let [ef, other] = &records[..] else {
        panic!("two cases")
    };
    assert!(
        ef.policed_packets > 10 && ef.policed_packets == ef.dropped_packets,
        "{ef:?}"
    );
    assert_eq!(other.policed_packets, 0);
    assert!(ef.excess_rtts.unwrap() >= 0.0 && ef.bound_s > 7.0, "{ef:?}");
    assert!(other.completion_s.unwrap() < 2.5, "{other:?}");
}

#[test]
fn each_copy_and_each_connection_has_its_own_guarantee() {
    let of = |keys: &str| {
        records(&format!(
            "[[transfer]]\nsize = \"1 MB\"\ndscp = \"ef\"\n{keys}"
        ))
    };
    let slowest = |records: &[Record]| {
        records
            .iter()
            .map(|record| record.completion_s.unwrap())
            .fold(0.0, f64::max)
    };
    let alone = of("");
    let copies = of("count = 3\n");
    assert!(
        slowest(&copies) < 1.5 * slowest(&alone),
        "{} and {} s",
        slowest(&copies),
        slowest(&alone)
    );
    let connections = of("connections = 3\n");
    assert!(
        slowest(&connections) < 0.6 * slowest(&alone),
        "{} and {} s",
        slowest(&connections),
        slowest(&alone)
    );
    assert!(
        connections[0].excess_rtts.unwrap() > 0.0
            && connections[0].capacity_bits_per_s == 6_600_000
    );
}

/// The stream conforms to its profile or exceeds it. Best-effort traffic fills the link in both
/// cases.
#[test]
fn expedited_datagrams_pass_if_they_conform() {
    let policed = |rate: &str, dscp: &str| {
        let stream = format!(
            "[[traffic]]\nkind = \"constant\"\nrate = \"{rate}\"\ndscp = \"{dscp}\"\n\
                start = \"0 s\"\n"
        );
        records(&format!(
            "{stream}{COMPETING}[[transfer]]\nsize = \"1 MB\"\nstart = \"5 s\"\n"
        ))[0]
            .policed_packets
    };
    assert_eq!(
        (
            policed("2.2 Mbit/s", "ef"),
            policed("4.4 Mbit/s", "best-effort")
        ),
        (0, 0)
    );
    assert!(policed("4.4 Mbit/s", "ef") > 500);
}

/// The receiver's ACKs are best effort, so a profile on the return path does not apply to them.
#[test]
fn acks_are_best_effort() {
    let profile = "[path.reverse]\nef_rate = \"1 kbit/s\"\nef_burst = \"1500 B\"\n";
    let outcome = |return_path: &str| {
        records(&format!(
            "{return_path}[[transfer]]\nsize = \"200 kB\"\ndscp = \"ef\"\n"
        ))
        .remove(0)
    };
    let (without, with) = (outcome(""), outcome(profile));
    assert_eq!(with.completion_s, without.completion_s);
}

#[test]
fn without_a_profile_the_dscp_has_no_effect() {
    let of = |dscp: &str| {
        let path =
            "name = \"test\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"100 ms\"\nloss = \"1 %\"\n";
        let text =
            format!("{path}{COMPETING}[[transfer]]\nsize = \"1 MB\"\nstart = \"2 s\"\n{dscp}");
        let case = onramp_scenario::parse("test.toml", &text)
            .expect("the scenario is right")
            .cases
            .remove(0);
        let outcome = simulate(&case);
        (outcome.links.clone(), outcome.records[0].completion_s)
    };
    assert_eq!(of("dscp = \"ef\"\n"), of(""));
}
