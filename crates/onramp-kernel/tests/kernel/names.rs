//! The names of what is in the kernel, as users see them with `bpftool` and `ss`. They are part of
//! the interface. The name of a congestion control follows from its algorithm's; a new program or
//! map is written down here on purpose.

use crate::common::machine;
use libbpf_rs::query::{MapInfoIter, ProgInfoIter};
use onramp_kernel::{own_cgroup, Adoption, Options, PairOption, QosOption, Registration, Timers};
use std::collections::BTreeSet;

/// Names that sockets choose. They stay; an algorithm that is new here need not be in the list.
const CONGESTION_CONTROLS: [&str; 17] = [
    "onramp_standard",
    "onramp_paced",
    "onramp_gamma",
    "onramp_spaced",
    "onramp_pair",
    "onramp_astart",
    "onramp_hoe",
    "onramp_qos",
    "onramp_bbrstart",
    "onramp_rapid",
    "onramp_lift",
    "onramp",
    "onramp_hystart",
    "onramp_search",
    "onramp_suss",
    "onramp_jump",
    "onramp_halfback",
];

/// The kernel shows 15 characters of a program's or a map's name.
const PROGRAMS: [&str; 16] = [
    "onramp_acked",
    "onramp_adopt",
    "onramp_cong_avo",
    "onramp_control",
    "onramp_cwnd_eve",
    "onramp_get_qos",
    "onramp_in_ack",
    "onramp_init",
    "onramp_min_tso_",
    "onramp_pair",
    "onramp_release",
    "onramp_set_qos",
    "onramp_set_stat",
    "onramp_sndbuf_e",
    "onramp_ssthresh",
    "onramp_undo_cwn",
];
/// The same for maps.
const MAPS: [&str; 22] = [
    ".rodata.adopt",
    ".rodata.onramp",
    ".rodata.pair",
    ".rodata.qos",
    "onramp_bbr",
    "onramp_broken",
    "onramp_conns",
    "onramp_cubic",
    "onramp_dests",
    "onramp_events",
    "onramp_first",
    "onramp_governor",
    "onramp_limits",
    "onramp_memory",
    "onramp_pairs",
    "onramp_rates",
    "onramp_reno",
    "onramp_reserved",
    "onramp_siblings",
    "onramp_totals",
    "onramp_usage",
    "onramp_users",
];

/// The compiler names these sections after their kind of constants.
fn is_compilers(name: &str) -> bool {
    name.starts_with(".rodata.cst") || name.starts_with(".rodata.str")
}

/// Other kernels have other forms of some hooks; they count as the usual ones.
fn without_version(name: &str) -> String {
    let name = name.trim_end_matches("_v1").trim_end_matches("_v3");
    match name {
        "onramp_tx_start" => "onramp_cwnd_eve".to_owned(),
        name => name.to_owned(),
    }
}

/// Ids of all programs and maps.
fn ids() -> (BTreeSet<u32>, BTreeSet<u32>) {
    (
        ProgInfoIter::default().map(|program| program.id).collect(),
        MapInfoIter::default().map(|map| map.id).collect(),
    )
}

#[test]
fn congestion_controls_keep_the_names_that_users_know() {
    let names: Vec<String> = onramp_core::startup_names()
        .iter()
        .map(|name| onramp_core::congestion_control(name))
        .collect();
    for known in CONGESTION_CONTROLS {
        assert!(names.iter().any(|name| name == known), "{known}");
    }
}

#[test]
fn programs_and_maps_have_the_names_that_users_know() {
    let Some(_machine) = machine() else { return };
    let (mut programs, mut maps) = (BTreeSet::new(), BTreeSet::new());
    let (old_programs, old_maps) = ids();
    let avoidances = onramp_kernel::Avoidance::ALL.iter();
    let of_every_avoidance = avoidances.map(|&avoidance| Options {
        avoidance,
        ..Options::new("onramp")
    });
    let others = ["pair", "qos"].map(Options::new);
    for options in of_every_avoidance.chain(others) {
        let options = Options {
            memory: match onramp_core::resumes(&options.startup) {
                true => onramp_kernel::Memory::Careful,
                false => onramp_kernel::Memory::Off,
            },
            ..options
        };
        let Ok(registration) = Registration::new(&options) else {
            continue; // this kernel lacks the avoidance
        };
        let cgroup = own_cgroup().unwrap();
        let adoption = Adoption::new(&cgroup, registration.name(), Timers::default()).unwrap();
        let pairs = registration.pairs().unwrap();
        let pairs = pairs.map(|pairs| PairOption::new(&cgroup, &pairs, None).unwrap());
        let qos = registration.reservations().unwrap();
        let qos = qos.map(|qos| QosOption::new(&cgroup, &qos, None).unwrap());
        let ours = |name: &str| name.contains("onramp") || name.starts_with('.');
        let new_programs = ProgInfoIter::default().filter(|one| !old_programs.contains(&one.id));
        programs.extend(
            new_programs
                .map(|program| without_version(&program.name.to_string_lossy()))
                .filter(|name| ours(name)),
        );
        let new_maps = MapInfoIter::default().filter(|one| !old_maps.contains(&one.id));
        maps.extend(
            new_maps
                .map(|map| without_version(&map.name.to_string_lossy()))
                .filter(|name| {
                    name.starts_with("onramp")
                        || name.starts_with(".rodata.") && !is_compilers(name)
                }),
        );
        drop((adoption, pairs, qos));
    }
    let text = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>();
    assert_eq!(text(programs), PROGRAMS);
    assert_eq!(text(maps), MAPS);
}
