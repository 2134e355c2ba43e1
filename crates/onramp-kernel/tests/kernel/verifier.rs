//! The cost of loading: the instructions that the kernel's verifier processes for each program.

use crate::common::machine;
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::ObjectBuilder;
use onramp_kernel::{Avoidance, Error, Options, Registration};
use std::collections::BTreeMap;
use std::fs;

/// The limit for a program of a start-up. The kernel refuses a program at 1,000,000. On Linux 6.18
/// and with clang 14, `astart` needs 53,000, `onramp` 35,000 and the others 7,000 at most; other
/// kernels and compilers differ by a factor of two.
const MAX_STARTUP_INSTRUCTIONS: u64 = 150_000;

/// The limit for a program of the tools; TCP_QOS needs 15,000.
const MAX_TOOL_INSTRUCTIONS: u64 = 60_000;

/// The programs that this process holds, by name, and the instructions that the verifier processed
/// for each of them: the kernel writes the number into `fdinfo` (Linux 5.16 and later).
fn processed_instructions() -> BTreeMap<String, u64> {
    let names: BTreeMap<u32, String> = ProgInfoIter::default()
        .map(|program| (program.id, program.name.to_string_lossy().into_owned()))
        .collect();
    let mut programs = BTreeMap::new();
    for descriptor in fs::read_dir("/proc/self/fdinfo").unwrap() {
        let Ok(text) = fs::read_to_string(descriptor.unwrap().path()) else {
            continue; // the directory's own descriptor
        };
        let field = |name: &str| -> Option<u64> {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
        };
        if let (Some(id), Some(processed)) = (field("prog_id:"), field("verified_insns:")) {
            programs.insert(names[&(id as u32)].clone(), processed);
        }
    }
    programs
}

/// Prints the numbers of all programs that are loaded, and compares each with the limit.
fn check(object: &str, max_instructions: u64) {
    let programs = processed_instructions();
    assert!(!programs.is_empty(), "{object}: no program is loaded");
    for (program, processed) in &programs {
        println!("{object:<28} {program:<16} {processed:>8} instructions");
        assert!(
            *processed <= max_instructions,
            "{object}: the verifier processed {processed} instructions of {program}; \
             the limit is {max_instructions}"
        );
    }
}

#[test]
fn the_verifier_processes_no_more_instructions_than_the_limit() {
    let Some(_machine) = machine() else { return };
    for startup in onramp_bpf::STARTUPS {
        for &avoidance in Avoidance::ALL {
            let options = Options {
                avoidance,
                packet_pairs: startup.with_pairs,
                ..Options::new(startup.name)
            };
            let _registration = match Registration::new(&options) {
                Err(Error::NoAvoidance { .. }) => continue,
                result => result.unwrap(),
            };
            let pairs = if startup.with_pairs { ", pairs" } else { "" };
            let object = format!("{}{pairs}, {}", startup.name, avoidance.name());
            check(&object, MAX_STARTUP_INSTRUCTIONS);
        }
    }
    for (object, bytes) in [
        ("connections", onramp_bpf::CONNECTIONS),
        ("adopt", onramp_bpf::ADOPT),
        ("pair", onramp_bpf::PAIR),
        ("qos", onramp_bpf::QOS),
    ] {
        let open = ObjectBuilder::default().open_memory(bytes).unwrap();
        let _loaded = open.load().unwrap();
        check(object, MAX_TOOL_INSTRUCTIONS);
    }
}
