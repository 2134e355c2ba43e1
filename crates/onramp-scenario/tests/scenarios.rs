//! The scenarios that come with Onramp, and the example of the manual, are read without a mistake.

use onramp_scenario::{parse, read, Buffer, Scenario, Stack, Transfer};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped() -> Vec<(String, Scenario)> {
    let mut files: Vec<_> = std::fs::read_dir(root().join("scenarios")).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let name = |file: &Path| file.file_name().unwrap().to_str().unwrap().to_owned();
    files
        .iter()
        .map(|file| (name(file), read(file).unwrap_or_else(|e| panic!("{:?}", miette::Report::new(e)))))
        .collect()
}

/// Nothing where a transfer is one of Linux.
fn tcp(transfer: &Transfer) -> String {
    match transfer.stack {
        Stack::Linux => String::new(),
        stack => {
            format!(" {} of {}/{}/{}", transfer.count, stack.name(), transfer.recovery.name(), transfer.timers.name())
        }
    }
}

#[test]
fn each_file_makes_these_cases() {
    let mut table = String::new();
    for (file, scenario) in shipped() {
        writeln!(table, "{file}: {} ({}), {} cases", scenario.name, scenario.description, scenario.cases.len())
            .unwrap();
        for case in &scenario.cases {
            let (forward, reverse) = (&case.path.forward, &case.path.reverse);
            writeln!(
                table,
                "  {:>3} Mbit/s {:>3} ms {:<8} | back {} {} | loss {:>5} | {:<13} | {:>7} B {:<8} {:<5}{} run {:>2} seed {:016x}",
                forward.rate_bits_per_s / 1_000_000,
                case.path.rtt_ns / 1_000_000,
                forward.queue,
                reverse.rate_bits_per_s / 1_000_000,
                reverse.queue,
                forward.loss_ppm,
                case.receiver.buffer,
                case.transfer.size_bytes,
                case.transfer.startup,
                case.transfer.avoidance.name(),
                tcp(&case.transfer),
                case.run,
                case.seed,
            )
            .unwrap();
        }
        let case = &scenario.cases[0];
        if case.network.links.len() > 1 {
            writeln!(table, "  {} nodes, {} links", case.network.nodes.len(), case.network.links.len()).unwrap();
        }
        for traffic in case.traffic.iter() {
            writeln!(table, "  beside {traffic:?}").unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn names_are_those_of_the_files() {
    for (file, scenario) in shipped() {
        let wanted = if file == "demo.toml" { "geo-download" } else { file.trim_end_matches(".toml") };
        assert_eq!(scenario.name, wanted);
        assert!(!scenario.description.is_empty(), "{file}");
        let buffer = if file == "wan.toml" { 512 << 10 } else { 64 << 20 };
        assert!(scenario.cases.iter().any(|case| case.receiver.buffer == Buffer::Bytes(buffer)), "{file}");
    }
}

#[test]
fn the_manual_lists_every_file() {
    let manual = std::fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    for (file, _) in shipped() {
        assert!(manual.contains(&format!("| `scenarios/{file}` |")), "docs/scenarios.md lacks {file}");
    }
}

#[test]
fn the_manual_s_examples_are_scenarios() {
    let manual = std::fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let examples = manual.split("```toml\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let counts: Vec<_> = examples.map(|text| parse("docs/scenarios.md", text).unwrap().cases.len()).collect();
    assert_eq!(counts, [6, 3, 1, 2, 1, 4, 96, 1, 3]);
}
