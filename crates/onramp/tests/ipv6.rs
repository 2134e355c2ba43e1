//! Start-ups over IPv6, on emulated paths: they run as over IPv4, and what they keep for a
//! destination has its IPv6 address.

use crate::common::{machine, onramp};
use crate::governed::{Governed, POLICER};
use onramp_kernel::{Input, Memory, Options, Registration};
use onramp_lab::{ConnectionEvent, RunOptions, Startups, Wanted};
use onramp_testing::undisturbed;
use serde_json::Value;
use std::error::Error;

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_start_up_gains_over_ipv6_what_it_gains_over_ipv4() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("versions.toml");
    let text = "name = \"versions\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"100 ms\"\n\
         queue = \"1 bdp\"\n[receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nsize = \"1 MB\"\nip = [\"v4\", \"v6\"]\n\
         startup = [\"none\", \"paced\"]\navoidance = \"cubic\"\n";
    std::fs::write(&file, text).unwrap();
    let run = || {
        onramp(["--json", "lab", file.to_str().unwrap()])
            .code(0)
            .json()
    };
    let times_s = |report: &Value| -> Vec<f64> {
        let rows = report.as_array().unwrap().iter();
        rows.map(|row| row["completion_s"].as_f64().unwrap())
            .collect()
    };
    let is_alike = |report: &Value| {
        let times_s = times_s(report);
        let [none, paced, none_v6, paced_v6] = times_s[..] else {
            panic!("{report}")
        };
        let is_close = |v4: f64, v6: f64| (0.98..1.03).contains(&(v6 / v4));
        is_close(none, none_v6) && is_close(paced, paced_v6) && paced_v6 < 0.97 * none_v6
    };
    let report = undisturbed(run, is_alike);
    assert!(is_alike(&report), "{:?}", times_s(&report));
    let row = &report[3];
    assert_eq!(
        (&row["sender_tcp"], &row["startup"]),
        (&"IPv6".into(), &"paced".into())
    );
}

/// A start-up that reports its inputs.
struct Watched {
    registration: Registration,
    max_siblings: u64,
    remembered: bool,
}

impl Startups for Watched {
    fn congestion_control(
        &mut self,
        _wanted: &Wanted,
    ) -> Result<String, Box<dyn Error + Send + Sync>> {
        Ok(self.registration.name().to_owned())
    }

    fn take_events(&mut self) -> Vec<ConnectionEvent> {
        for event in self.registration.take_events() {
            match event.input {
                Input::Ack(ack) => self.max_siblings = self.max_siblings.max(ack.siblings),
                Input::Start(start) => self.remembered |= start.remembered_bytes > 0,
                _ => {}
            }
        }
        Vec::new()
    }
}

/// Runs copies of a transfer over IPv6.
fn copies(memory: Memory, keys: &str) -> Watched {
    let options = Options {
        record: true,
        memory,
        ..Options::new("onramp")
    };
    let mut watched = Watched {
        registration: Registration::new(&options).unwrap(),
        max_siblings: 0,
        remembered: false,
    };
    let text = format!(
        "name = \"ipv6\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"1 bdp\"\n\
         [receiver]\nbuffer = \"16 MiB\"\n[[transfer]]\nsize = \"500 kB\"\nip = \"v6\"\n\
         startup = \"onramp\"\navoidance = \"cubic\"\n{keys}"
    );
    let case = &onramp_scenario::parse("ipv6", &text).unwrap().cases[0];
    onramp_lab::run(case, &mut watched, &RunOptions::default()).unwrap();
    watched
}

#[test]
fn connections_to_one_ipv6_destination_count_each_other() {
    let Some(_machine) = machine() else { return };
    let run = || copies(Memory::Off, "count = 5\n").max_siblings;
    assert_eq!(undisturbed(run, |siblings| *siblings == 4), 4);
}

#[test]
fn the_memory_of_an_ipv6_path_is_used_by_the_next_connection() {
    let Some(_machine) = machine() else { return };
    let run = || {
        copies(
            Memory::Careful,
            "memory = \"careful\"\ncount = 2\nspacing = \"2 s\"\n",
        )
        .remembered
    };
    assert!(undisturbed(run, |remembered| *remembered));
}

#[test]
fn the_governor_knows_an_ipv6_destination_by_its_prefix() {
    let Some(_machine) = machine() else { return };
    let mut startups = Governed::new("onramp");
    startups.run(
        POLICER,
        "[[traffic]]\nip = \"v6\"\nsize = \"300 kB\"\nstartup = \"onramp\"\n\
         arrivals = \"4 /s\"\ncount = 4\nlead = \"3 s\"\n",
    );
    let governor = startups.governor();
    let is_of_the_lab =
        |address: &str| address.starts_with("2001:2:0:") && address.ends_with("::/64");
    assert!(
        governor
            .destinations
            .iter()
            .any(|destination| is_of_the_lab(&destination.address)),
        "{governor:?}"
    );
}
