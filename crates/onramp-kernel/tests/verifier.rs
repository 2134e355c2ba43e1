//! What the kernel's verifier pays for each program. As root; without root the test says so and
//! passes, but fails where CI=true.

mod common;

use common::root;
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::ObjectBuilder;
use onramp_kernel::{Avoidance, Error, Options, Registration};
use std::collections::BTreeMap;
use std::fs;

/// The most instructions that the verifier may process for one program. The kernel refuses a
/// program at 1,000,000. `onramp` needs about 38,000 on Linux 6.18; other kernels count differently.
const MAX_PROCESSED_INSTRUCTIONS: u64 = 200_000;

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

fn report(object: &str) -> usize {
    let programs = processed_instructions();
    for (program, processed) in &programs {
        println!("{object:<28} {program:<16} {processed:>8} instructions");
        assert!(
            *processed <= MAX_PROCESSED_INSTRUCTIONS,
            "{object}: the verifier processed {processed} instructions of {program}; \
             at most {MAX_PROCESSED_INSTRUCTIONS} are allowed"
        );
    }
    programs.len()
}

#[test]
fn the_verifier_processes_few_instructions() {
    if !root() {
        return;
    }
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
            assert!(report(&object) > 5);
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
        assert!(report(object) > 0);
    }
}
