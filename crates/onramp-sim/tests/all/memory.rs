//! The path memory: what copies of a transfer remember for later copies on the same path.

use crate::network;

use network::fork;
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};

const PATH: &str = "[path]\nrate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"0.5 bdp\"\n";

fn case(network: &str, transfer: &str) -> Case {
    let receiver = "[receiver]\nbuffer = \"64 MiB\"\n";
    let size = if transfer.contains("size = ") {
        ""
    } else {
        "size = \"5 MB\"\n"
    };
    let transfer = format!("[[transfer]]\n{size}startup = \"onramp\"\n{transfer}");
    let text = format!("name = \"test\"\n{network}{receiver}{transfer}");
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
        .remove(0)
}

fn simulate(network: &str, transfer: &str) -> Outcome {
    run(&case(network, transfer), &Options::default()).expect("the case can be simulated")
}

/// Whether each copy started with a remembered BDP.
fn remembered(network: &str, transfer: &str) -> Vec<bool> {
    simulate(network, transfer)
        .records
        .iter()
        .map(|record| record.remembered_bytes.is_some())
        .collect()
}

#[test]
fn a_path_is_remembered_if_the_scenario_enables_the_memory() {
    for memory in ["careful", "at-once"] {
        let records = simulate(
            PATH,
            &format!("memory = \"{memory}\"\ncount = 3\nspacing = \"5 s\"\n"),
        )
        .records;
        assert_eq!(records[0].remembered_bytes, None);
        for record in &records[1..] {
            // The remembered BDP is 600 kB with headers. The algorithm may adapt this value.
            let bytes = record
                .remembered_bytes
                .expect("the first copy has measured it");
            assert!((300_000..1_200_000).contains(&bytes), "{bytes}");
            assert_eq!(record.startup, format!("onramp memory {memory}"));
        }
    }
    assert_eq!(
        remembered(PATH, "count = 3\nspacing = \"5 s\"\n"),
        [false; 3]
    );
    assert_eq!(
        remembered(PATH, "memory = \"off\"\ncount = 3\nspacing = \"5 s\"\n"),
        [false; 3]
    );
}

#[test]
fn a_run_with_a_memory_is_deterministic_and_independent_of_other_runs() {
    let transfer = "memory = \"careful\"\ncount = 4\nspacing = \"2 s\"\n";
    let records = |outcome: Outcome| -> Vec<Record> { outcome.records };
    assert_eq!(
        records(simulate(PATH, transfer)),
        records(simulate(PATH, transfer))
    );
}

#[test]
fn a_copy_beside_an_active_one_does_not_use_the_memory() {
    // The second copy starts while the first still sends, and the third when both have ended.
    let spaced = "memory = \"careful\"\ncount = 2\nspacing = \"900 ms\"\n";
    assert_eq!(remembered(PATH, spaced), [false, false]);
    let later = "memory = \"careful\"\ncount = 3\nspacing = \"6 s\"\n";
    assert_eq!(remembered(PATH, later), [false, true, true]);
}

#[test]
fn an_idle_copy_does_not_keep_others_from_using_the_memory() {
    // It writes twice, 10 s apart, and is idle when the second copy starts.
    let transfer = "size = \"10 MB\"\nwrite = \"5 MB\"\nwrite_every = \"10 s\"\n\
        memory = \"careful\"\ncount = 2\n";
    assert_eq!(
        remembered(PATH, &format!("{transfer}spacing = \"5 s\"\n")),
        [false, true]
    );
}

#[test]
fn a_memory_expires_after_ten_minutes() {
    assert_eq!(
        remembered(
            PATH,
            "memory = \"careful\"\ncount = 2\nspacing = \"598 s\"\n"
        ),
        [false, true]
    );
    assert_eq!(
        remembered(
            PATH,
            "memory = \"careful\"\ncount = 2\nspacing = \"605 s\"\n"
        ),
        [false, false]
    );
}

#[test]
fn a_much_different_rtt_invalidates_the_memory() {
    let changed = |rtt: &str| format!("{PATH}[[path.change]]\nat = \"9 s\"\nrtt = \"{rtt}\"\n");
    // The second copy confirms what the first one measured, so the third may use it at once.
    let transfer = "memory = \"at-once\"\ncount = 3\nspacing = \"5 s\"\n";
    for (rtt, fits) in [
        ("60 ms", true),
        ("48 ms", false),
        ("900 ms", true),
        ("1100 ms", false),
    ] {
        assert_eq!(
            remembered(&changed(rtt), transfer),
            [false, true, fits],
            "{rtt}"
        );
    }
}

#[test]
fn each_pair_of_hosts_has_its_own_memory() {
    let transfer =
        "memory = \"careful\"\nfrom = \"a\"\nto = [\"b\", \"c\"]\ncount = 4\nspacing = \"5 s\"\n";
    assert_eq!(remembered(&fork(), transfer), [false, false, true, true]);
}

#[test]
fn a_small_bdp_is_not_remembered() {
    // A BDP of 4 packets of 1500 bytes, less than four initial windows.
    let path = "[path]\nrate = \"2 Mbit/s\"\nrtt = \"24 ms\"\nqueue = \"20 packets\"\n";
    assert_eq!(
        remembered(
            path,
            "memory = \"careful\"\ncount = 2\nspacing = \"60 s\"\n"
        ),
        [false, false]
    );
}
