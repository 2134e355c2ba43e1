//! The benchmark of real paths: `scenarios/real/`, and the table that shows what `onramp` makes of
//! it beside the host's own CUBIC.
//!
//! `make test` runs a part of it and compares the table with a snapshot. `make real` runs all of it
//! in a release build, prints the table and the cells that miss a target, and with
//! `INSTA_UPDATE=always` writes the table into docs/real-paths.md. `ONRAMP_REAL` names families, so
//! that only those run: `ONRAMP_REAL="ack jitter" make real`.

mod cell;
mod recorded;
mod set;
mod table;
#[cfg(feature = "quic")]
mod transports;

use set::{Extent, Family};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The families that `ONRAMP_REAL` asks for: those whose names contain one of its words.
fn asked_for(families: Vec<Family>) -> Vec<Family> {
    let Ok(words) = std::env::var("ONRAMP_REAL") else {
        return families;
    };
    let is_asked_for = |family: &Family| words.split(' ').any(|word| family.name.contains(word));
    families.into_iter().filter(is_asked_for).collect()
}

/// Runs for a minute or two: a part of the repeats, and one queue of three beside long flows.
#[test]
fn a_part_of_the_set() {
    let families = set::families();
    let results = set::run(&families, Extent::Part);
    insta::assert_snapshot!("part", table::of(&families, &results));
}

/// `make real`.
#[test]
#[ignore = "takes minutes, in a release build: make real"]
fn the_whole_set() {
    let families = asked_for(set::families());
    let results = set::run(&families, Extent::Whole);
    let table = table::of(&families, &results);
    println!("{table}\n{}", table::misses(&families, &results));
    if std::env::var_os("ONRAMP_REAL").is_none() {
        onramp_comparison::manual::enter(&root().join("docs/real-paths.md"), "real", &table);
    }
}

/// `make real-quic`: the same over QUIC, beside noq's CUBIC, and beside `onramp` over TCP.
#[cfg(feature = "quic")]
#[test]
#[ignore = "takes minutes, in a release build: make real-quic"]
fn the_whole_set_over_quic() {
    let families = asked_for(set::families());
    let over_tcp = set::run(&families, Extent::Whole);
    let families = set::over_quic(families);
    let over_quic = set::run(&families, Extent::Whole);
    let table = transports::table(&families, &over_tcp, &over_quic);
    println!("{table}\n{}", table::of(&families, &over_quic));
    println!("{}", table::misses(&families, &over_quic));
    println!("{}", transports::misses(&families, &over_tcp, &over_quic));
    if std::env::var_os("ONRAMP_REAL").is_none() {
        onramp_comparison::manual::enter(&root().join("docs/real-paths.md"), "real-quic", &table);
    }
}

/// `make real-cellular TRACES=DIR`.
#[test]
#[ignore = "needs the traces of others: make real-cellular TRACES=DIR"]
fn recorded_cellular_links() {
    let folder = std::env::var("TRACES").expect("TRACES names a folder with traces of mahimahi");
    let (families, missing) = recorded::families(Path::new(&folder));
    for file in missing {
        println!(
            "skipped: {} is not there (docs/real-paths.md says where traces come from)",
            file.display()
        );
    }
    let results = set::run(&families, Extent::Whole);
    println!(
        "{}\n{}",
        table::of(&families, &results),
        table::misses(&families, &results)
    );
}
