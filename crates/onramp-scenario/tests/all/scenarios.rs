//! The scenarios that come with Onramp, and the examples of the manual, have no mistakes.

use onramp_core::fnv1a;
use onramp_scenario::{parse, read, Buffer, Case, Scenario, Stack, Transfer, Transport};
use std::collections::HashSet;
use std::fmt::Write;
use std::hash::Hash;
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

/// What a case is, in a line.
fn line(case: &Case) -> String {
    let (forward, reverse) = (&case.path.forward, &case.path.reverse);
    format!(
        "{} bit/s {} ns {} | back {} {} | loss {} | {} | {} B {} {}{} run {} seed {:016x}\n",
        forward.rate_bits_per_s,
        case.path.rtt_ns,
        forward.queue,
        reverse.rate_bits_per_s,
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
}

/// How many different values the cases have.
fn count<T: Eq + Hash>(cases: &[Case], value: impl Fn(&Case) -> T) -> usize {
    cases.iter().map(value).collect::<HashSet<_>>().len()
}

/// A row a file, with a digest of its cases and of the traffic beside them. To see what changed,
/// print the cases of a file before and after the change: `ONRAMP_CASES=wan.toml cargo test -p
/// onramp-scenario each_file -- --nocapture`.
#[test]
fn each_file_makes_these_cases() {
    let shown = std::env::var("ONRAMP_CASES").unwrap_or_default();
    let mut table = "cases paths sizes start-ups runs links traffic digest\n".to_owned();
    for (file, scenario) in shipped() {
        let cases = &scenario.cases;
        let mut lines: String = cases.iter().map(line).collect();
        for traffic in cases[0].traffic.iter() {
            writeln!(lines, "beside {traffic:?}").unwrap();
        }
        if file == shown {
            println!("{lines}");
        }
        writeln!(
            table,
            "{:>5} {:>5} {:>5} {:>9} {:>4} {:>5} {:>7} {:016x} {file}: {}",
            cases.len(),
            count(cases, |case| format!("{:?}", case.network)),
            count(cases, |case| case.transfer.size_bytes),
            count(cases, |case| case.transfer.startup.clone()),
            count(cases, |case| case.run),
            cases[0].network.links.len(),
            cases[0].traffic.len(),
            fnv1a(lines.bytes()),
            scenario.description,
        )
        .unwrap();
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
            "hostile/default-buffer.toml"
            | "real/default-buffers.toml"
            | "second/odd-buffers.toml" => Buffer::LinuxDefault,
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
    let manual: String = ["", "-paths", "-transfers", "-examples"]
        .map(|part| root().join(format!("docs/scenarios{part}.md")))
        .iter()
        .map(|page| std::fs::read_to_string(page).unwrap())
        .collect();
    let examples = manual
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0);
    let counts: Vec<_> = examples
        .map(|text| parse("docs/scenarios.md", text).unwrap().cases.len())
        .collect();
    assert_eq!(counts, [6, 9, 1, 2, 3, 3, 4, 1, 1, 4, 96, 1, 3]);
}
