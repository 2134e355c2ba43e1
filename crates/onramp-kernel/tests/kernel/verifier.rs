//! The cost of loading: the instructions that the kernel's verifier processes for each program.

use crate::common::machine;
use libbpf_rs::{ErrorKind, MapType, Object, ObjectBuilder};
use onramp_bpf::bindings::{maps, programs, Config};
use onramp_core::governor::BOUND_PPM;
use onramp_kernel::probe::{self, ControlForm};
use onramp_kernel::{own_programs, Avoidance};
use std::mem::offset_of;

/// The limit for a program of a start-up. The kernel refuses a program at 1,000,000. On Linux 6.18
/// and with clang 14, `onramp` needs 224,000, `astart` 69,000, `bbrstart` 54,000, `lift` 33,000 and
/// the others 18,000 at most; other kernels and compilers differ by a factor of two.
const MAX_STARTUP_INSTRUCTIONS: u64 = 300_000;

/// The limit for a program of the tools; TCP_QOS needs 15,000.
const MAX_TOOL_INSTRUCTIONS: u64 = 60_000;

/// Prints the numbers of all programs that are loaded, and compares each with the limit.
fn check(object: &str, max_instructions: u64) {
    let programs = own_programs().unwrap();
    assert!(!programs.is_empty(), "{object}: no program is loaded");
    for (program, cost) in &programs {
        let processed = cost.verified_instructions;
        println!("{object:<28} {program:<16} {processed:>8} instructions");
        assert!(
            processed <= max_instructions,
            "{object}: the verifier processed {processed} instructions of {program}; \
             the limit is {max_instructions}"
        );
    }
}

/// Loads a start-up program for one avoidance, and does not register it.
fn load(object: &[u8], avoidance: Avoidance, form: ControlForm) -> Object {
    let operations = form.struct_ops_map(avoidance);
    let mut open = ObjectBuilder::default().open_memory(object).unwrap();
    for mut map in open.maps_mut() {
        if map.name() == maps::RODATA_ONRAMP {
            let config = map.initial_value_mut().expect("read-only data has a value");
            for (offset, number) in [
                (offset_of!(Config, avoidance), avoidance as u32),
                (offset_of!(Config, governor_bound_ppm), BOUND_PPM),
            ] {
                let number = number.to_ne_bytes();
                config[offset..][..number.len()].copy_from_slice(&number);
            }
        } else if map.map_type() == MapType::StructOps && map.name() != operations.as_str() {
            map.set_autocreate(false).unwrap();
        }
    }
    open.load().unwrap()
}

/// `make check` sets ONRAMP_ALGORITHM to the start-up that it checks.
#[test]
fn the_verifier_processes_no_more_instructions_than_the_limit() {
    let Some(_machine) = machine() else { return };
    let btf = probe::kernel_btf().unwrap();
    let form = probe::control_form(&btf).unwrap();
    let avoidances = || Avoidance::ALL.iter().copied();
    let wanted = std::env::var("ONRAMP_ALGORITHM").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted == name;
    for startup in onramp_bpf::STARTUPS.iter().filter(|s| is_wanted(s.name)) {
        for avoidance in avoidances().filter(|&a| probe::check_avoidance(&btf, a).is_ok()) {
            let _loaded = load(startup.object, avoidance, form);
            let pairs = if startup.with_pairs { ", pairs" } else { "" };
            let object = format!("{}{pairs}, {}", startup.name, avoidance.name());
            check(&object, MAX_STARTUP_INSTRUCTIONS);
        }
    }
    for (object, bytes) in [
        ("connections", onramp_bpf::CONNECTIONS),
        ("adopt", onramp_bpf::ADOPT),
        ("pair", onramp_bpf::PAIR),
        ("policy", onramp_bpf::POLICY),
        ("qos", onramp_bpf::QOS),
    ] {
        let open = || ObjectBuilder::default().open_memory(bytes).unwrap();
        let _loaded = open().load().unwrap_or_else(|error| {
            // A kernel may refuse iterators over the elements of maps.
            assert_eq!(
                error.kind(),
                ErrorKind::PermissionDenied,
                "{object}: {error}"
            );
            let mut open = open();
            let mut programs = open.progs_mut();
            let mut list = programs.find(|program| program.name() == programs::LIST);
            list.as_mut().expect(object).set_autoload(false);
            drop((list, programs));
            open.load().unwrap()
        });
        check(object, MAX_TOOL_INSTRUCTIONS);
    }
}
