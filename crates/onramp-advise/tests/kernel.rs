//! The whole of `onramp advise` on this kernel: CUBIC is watched over emulated paths, `onramp` is
//! predicted, then measured over the same paths. Needs root; without it the test says so and
//! passes, but fails if CI=true.

#[path = "../examples/mixture/paths.rs"]
mod paths;

use libbpf_rs::query;
use onramp_advise::{judge, Candidate, Options};
use onramp_core::InitialRate;
use onramp_kernel::{own_cgroup, Observation, Observations, Observer, Registration};
use onramp_scenario::Case;
use onramp_testing::{undisturbed, wait_until};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::slice;
use std::time::Duration;

/// The prediction is within this of the measured time, in points of CUBIC's.
const WITHIN: f64 = 0.15;

fn cases() -> Vec<Case> {
    let of = |rate: &str, rtt: &str, buffer: &str| {
        let text = format!(
            "name = \"path\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"1 bdp\"\n\
             [receiver]\nbuffer = \"{buffer}\"\n[[transfer]]\nsize = [\"150 kB\", \"1 MB\"]\n\
             startup = \"none\"\n"
        );
        onramp_scenario::parse("path", &text).unwrap().cases
    };
    [
        of("50 Mbit/s", "100 ms", "64 MiB"),
        of("20 Mbit/s", "60 ms", "linux-default"),
    ]
    .concat()
}

/// The path stands for the destination.
fn destination(case: &Case) -> String {
    format!("{} ms", case.path.rtt_ns / 1_000_000)
}

/// The downloads with a congestion control.
fn watched(cases: &[Case], control: &str, observer: &Observer) -> Vec<Observation> {
    let download = |case: &Case| {
        let requests = [(case.transfer.size_bytes, Duration::ZERO)];
        let (seen, _is_disturbed) = paths::download(case, &requests, control, observer).unwrap();
        seen
    };
    let named = |case: &Case| Observation {
        destination: destination(case),
        ..download(case)
    };
    cases.iter().map(named).collect()
}

/// The predicted and the measured time of each download, of CUBIC's.
fn predicted_and_measured() -> Vec<(f64, f64)> {
    let cases = cases();
    let observer = Observer::of_cgroup(&own_cgroup().unwrap(), 1000).unwrap();
    let was = Observations {
        connections: watched(&cases, "cubic", &observer),
        ..Observations::default()
    };
    let advice = judge(&was, &Options::default()).unwrap();
    // Each path has the initial rate that the host would have learned for it.
    let with = cases.iter().flat_map(|case| {
        let bits_per_s = advice.initial_bits_per_s_to(&destination(case));
        let options = onramp_kernel::Options {
            governor_bound_ppm: 0,
            initial_rate: InitialRate::BitsPerS(bits_per_s),
            ..onramp_kernel::Options::new("onramp")
        };
        let registration = Registration::new(&options).unwrap();
        watched(slice::from_ref(case), registration.name(), &observer)
    });
    let with: Vec<Observation> = with.collect();
    let both = with.iter().zip(&was.connections).filter_map(|(with, was)| {
        let bytes = was.transfers[0].bytes as f64;
        let mut classes = advice.classes.iter();
        let class =
            classes.find(|one| one.class.destination == was.destination && one.bytes == bytes)?;
        let predicted = class.outlook(Candidate::Onramp)?.time;
        Some((
            predicted,
            with.transfers[0].time_s / was.transfers[0].time_s,
        ))
    });
    both.collect()
}

/// The paced segments reach the end of the receiver's window by a small segment, and an answer of
/// this size ends by another one. With Nagle's algorithm the answer takes three round trips.
#[test]
#[ignore = "takes long: make test-kernel"]
fn an_answer_on_a_kept_connection_takes_no_further_round_trip_for_its_last_segment() {
    const RTT_S: f64 = 0.369_849;
    if onramp_kernel::probe::check_permission().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI runs as root");
        return eprintln!("skipped: loading BPF programs needs root");
    }
    let text = format!(
        "name = \"path\"\n[path]\nrate = \"17799 kbit/s\"\nrtt = \"{:.0} us\"\nqueue = \"1.52 \
         bdp\"\n[receiver]\nbuffer = \"linux-default\"\n[[transfer]]\nsize = \"127259 B\"\n\
         startup = \"none\"\n",
        RTT_S * 1e6
    );
    let case = &onramp_scenario::parse("path", &text).unwrap().cases[0];
    let options = onramp_kernel::Options {
        governor_bound_ppm: 0,
        initial_rate: InitialRate::BitsPerS(6_304_572),
        ..onramp_kernel::Options::new("onramp")
    };
    let first_answer_rtts = || {
        let observer = Observer::of_cgroup(&own_cgroup().unwrap(), 1000).unwrap();
        let registration = Registration::new(&options).unwrap();
        let requests = [(127_259, Duration::ZERO), (1000, Duration::from_secs(1))];
        let name = registration.name();
        let (seen, _is_disturbed) = paths::download(case, &requests, name, &observer).unwrap();
        seen.transfers[0].time_s / RTT_S
    };
    let rtts = undisturbed(first_answer_rtts, |rtts| *rtts < 2.5);
    assert!((2.0..2.5).contains(&rtts), "{rtts}");
}

/// What the kernel has of the observer's program: its programs, maps and links, by kind and id.
fn left() -> BTreeSet<(&'static str, u32)> {
    const NAME: &[u8] = b"onramp_obs";
    let is_ours = |name: &[u8]| name.starts_with(NAME) || name == b"onramp_ended";
    let programs: BTreeSet<u32> = query::ProgInfoIter::default()
        .filter(|program| is_ours(program.name.as_bytes()))
        .map(|program| program.id)
        .collect();
    let maps = query::MapInfoIter::default().filter(|map| is_ours(map.name.as_bytes()));
    let links = query::LinkInfoIter::default().filter(|link| programs.contains(&link.prog_id));
    let mut all: BTreeSet<_> = maps.map(|map| ("map", map.id)).collect();
    all.extend(links.map(|link| ("link", link.id)));
    all.extend(programs.into_iter().map(|id| ("program", id)));
    all
}

/// The settings of TCP and the pins, which somebody else may change too.
fn settings_and_pins() -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let settings = fs::read_dir("/proc/sys/net/ipv4").unwrap().flatten();
    for file in settings.filter(|file| file.file_name().to_string_lossy().starts_with("tcp_")) {
        all.insert(file.path(), fs::read(file.path()).unwrap_or_default());
    }
    let mut folders = vec![PathBuf::from("/sys/fs/bpf")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            all.insert(entry.path(), Vec::new());
        }
    }
    all
}

const CHILD: &str = "ONRAMP_OBSERVES_UNTIL_KILLED";

#[test]
fn nothing_is_left_of_an_observer_that_was_killed() {
    if std::env::var_os(CHILD).is_some() {
        let _observer = Observer::new(10).unwrap();
        println!("observing");
        loop {
            std::thread::park();
        }
    }
    if onramp_kernel::probe::check_permission().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI runs as root");
        return eprintln!("skipped: loading BPF programs needs root");
    }
    let (before, settings) = (left(), settings_and_pins());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "nothing_is_left_of_an_observer_that_was_killed",
        ])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = said.map(Result::unwrap);
    assert!(said.any(|line| line.ends_with("observing")), "it observes");
    let observing: BTreeSet<_> = left().difference(&before).copied().collect();
    let kinds: BTreeSet<_> = observing.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        BTreeSet::from(["link", "map", "program"]),
        "{observing:?}"
    );
    // The same settings and pins as before: it has changed nothing while it observes.
    assert_eq!(settings_and_pins(), settings);
    child.kill().unwrap(); // SIGKILL
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    wait_until("the kernel frees the programs", || {
        left().is_disjoint(&observing)
    });
    assert_eq!(settings_and_pins(), settings);
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn the_gain_of_onramp_is_what_was_predicted_from_cubic() {
    if onramp_kernel::probe::check_permission().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI runs as root");
        eprintln!("skipped: loading BPF programs needs root");
        return;
    }
    let agree = |all: &Vec<(f64, f64)>| {
        eprintln!("predicted, measured: {all:.3?}");
        let is_near = |(predicted, measured): &(f64, f64)| (predicted - measured).abs() < WITHIN;
        all.len() == 4 && all.iter().all(is_near)
    };
    let all = undisturbed(predicted_and_measured, agree);
    assert!(agree(&all));
    assert!(all
        .iter()
        .all(|(predicted, measured)| *predicted < 1.0 && *measured < 1.0));
}
