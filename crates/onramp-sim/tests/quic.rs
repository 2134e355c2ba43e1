//! Transfers over QUIC.
#![cfg(feature = "quic")]

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};

const PATH: &str = "name = \"quic\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"40 ms\"\n\
                    queue = \"1 bdp\"\n";

/// The cases of a path with more keys, and of tables behind it.
fn cases(keys: &str, tables: &str) -> Vec<Case> {
    let buffer = "[receiver]\nbuffer = \"64 MiB\"\n";
    let text = format!("{PATH}{keys}{buffer}{tables}");
    let scenario = onramp_scenario::parse("quic.toml", &text);
    scenario.unwrap_or_else(|e| panic!("{e}")).cases
}

fn outcome(case: &Case) -> Outcome {
    run(case, &Options::default()).unwrap()
}

fn record(keys: &str, transfer: &str) -> Record {
    let table = format!("[[transfer]]\nsize = \"1 MB\"\ntransport = \"quic\"\n{transfer}");
    let mut cases = cases(keys, &table);
    assert_eq!(cases.len(), 1);
    outcome(&cases.remove(0)).records.remove(0)
}

#[test]
fn a_download_is_complete() {
    let record = record("", "startup = \"none\"\n");
    assert!(record.finished);
}
