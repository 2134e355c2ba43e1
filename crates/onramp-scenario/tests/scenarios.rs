//! The scenarios that come with Onramp, and the examples of the manual, have no mistakes.

use onramp_scenario::{parse, read, Buffer, Scenario, Stack, Transfer, Transport};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of `scenarios/` and of its folders, by their paths below it.
fn shipped() -> Vec<(String, Scenario)> {
    let scenarios = root().join("scenarios");
    let (mut files, mut folders) = (Vec::new(), vec![scenarios.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                files.push(entry);
            }
        }
    }
    // The files of folders come last.
    files.sort_by_key(|file| (file.components().count(), file.clone()));
    let name = |file: &Path| {
        file.strip_prefix(&scenarios)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    files
        .iter()
        .map(|file| {
            (
                name(file),
                read(file).unwrap_or_else(|e| panic!("{}", e.report(false))),
            )
        })
        .collect()
}

/// The TCP of a transfer; empty for Linux.
fn tcp(transfer: &Transfer) -> String {
    if transfer.transport == Transport::Quic {
        return " quic".to_owned();
    }
    match transfer.stack {
        Stack::Linux => String::new(),
        stack => {
            format!(
                " {} of {}/{}/{}",
                transfer.count,
                stack.name(),
                transfer.recovery.name(),
                transfer.timers.name()
            )
        }
    }
}

#[test]
fn each_file_makes_these_cases() {
    let mut table = String::new();
    for (file, scenario) in shipped() {
        writeln!(
            table,
            "{file}: {} ({}), {} cases",
            scenario.name,
            scenario.description,
            scenario.cases.len()
        )
        .unwrap();
        // The benchmark of real paths has thousands of cases.
        let is_listed = !file.starts_with("real/");
        for case in scenario.cases.iter().filter(|_| is_listed) {
            let (forward, reverse) = (&case.path.forward, &case.path.reverse);
            writeln!(
                table,
                "  {:>3} Mbit/s {:>3} ms {:<8} | back {} {} | loss {:>5} | {:<13} | \
                 {:>7} B {:<8} {:<5}{} run {:>2} seed {:016x}",
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
            writeln!(
                table,
                "  {} nodes, {} links",
                case.network.nodes.len(),
                case.network.links.len()
            )
            .unwrap();
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
        let stem = Path::new(&file).file_stem().unwrap().to_str().unwrap();
        let wanted = if file == "demo.toml" {
            "geo-download"
        } else {
            stem
        };
        assert_eq!(scenario.name, wanted);
        assert!(!scenario.description.is_empty(), "{file}");
        let buffer = match file.as_str() {
            "wan.toml" => Buffer::Bytes(512 << 10),
            "hostile/default-buffer.toml" | "real/default-buffers.toml" => Buffer::LinuxDefault,
            _ => Buffer::Bytes(64 << 20),
        };
        assert!(
            scenario
                .cases
                .iter()
                .any(|case| case.receiver.buffer == buffer),
            "{file}"
        );
    }
}

/// One command can run all of them.
#[test]
fn no_two_have_the_same_name() {
    let names: Vec<_> = shipped()
        .into_iter()
        .map(|(_, scenario)| scenario.name)
        .collect();
    assert_eq!(
        names.len(),
        names.iter().collect::<HashSet<_>>().len(),
        "{names:?}"
    );
}

#[test]
fn the_manual_lists_every_file() {
    let manual = std::fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    for (file, _) in shipped() {
        // The files of a folder share a line.
        let listed = file
            .split_once('/')
            .map_or(file.clone(), |(folder, _)| format!("{folder}/*.toml"));
        assert!(
            manual.contains(&format!("| `scenarios/{listed}` |")),
            "docs/scenarios.md lacks {listed}"
        );
    }
}

#[test]
fn the_manual_s_examples_are_scenarios() {
    let manual = std::fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let examples = manual
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0);
    let counts: Vec<_> = examples
        .map(|text| parse("docs/scenarios.md", text).unwrap().cases.len())
        .collect();
    assert_eq!(counts, [6, 9, 3, 1, 1, 2, 1, 4, 96, 1, 3]);
}
