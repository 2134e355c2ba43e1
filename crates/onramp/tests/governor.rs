//! The governor on emulated paths: one on which start-ups retransmit too much, and ordinary ones.

use crate::common::machine;
use onramp_core::governor::{HOST_STARTUPS, TRY_INTERVAL};
use onramp_kernel::{Governor, Options, Registration, Totals};
use onramp_lab::{ConnectionEvent, RunOptions, Startups, Wanted};
use std::error::Error;

/// Parallel connections of the transfers that hurt.
const CONNECTIONS: u32 = 16;

/// A policer of a fifth of the link's rate: the first flights of a connection are delivered at the
/// rate of the link, all after them at the policer's.
const POLICER: &str = "rate = \"100 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"0.5 bdp\"\n\
    policer_rate = \"20 Mbit/s\"\npolicer_burst = \"64 kB\"";

const ORDINARY: &str = "rate = \"20 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"1 bdp\"";

/// One registration for all transfers, with its governor.
struct Governed(Registration);

impl Governed {
    fn new(startup: &str) -> Governed {
        Governed(Registration::new(&Options::new(startup)).unwrap())
    }

    fn governor(&self) -> Governor {
        self.0.governor().unwrap().expect("it is on by default")
    }

    fn totals(&self) -> Totals {
        self.0.totals().unwrap()
    }

    /// Transfers bytes over a path, by some parallel connections.
    fn transfer(&mut self, path: &str, size: &str, connections: u32) {
        let text = format!(
            "name = \"governor\"\n[path]\n{path}\n[receiver]\nbuffer = \"64 MiB\"\n\
             [[transfer]]\nsize = \"{size}\"\nstartup = \"onramp\"\navoidance = \"cubic\"\n\
             connections = {connections}\n"
        );
        let scenario = onramp_scenario::parse("governor", &text).unwrap();
        onramp_lab::run(&scenario.cases[0], self, &RunOptions::default()).unwrap();
    }
}

impl Startups for Governed {
    fn congestion_control(
        &mut self,
        _wanted: &Wanted,
    ) -> Result<String, Box<dyn Error + Send + Sync>> {
        Ok(self.0.name().to_owned())
    }

    fn take_events(&mut self) -> Vec<ConnectionEvent> {
        self.0.take_events();
        Vec::new()
    }
}

#[test]
fn start_ups_that_hurt_give_way_to_slow_start() {
    let Some(_machine) = machine() else { return };
    let mut startups = Governed::new("onramp");
    for _ in 0..HOST_STARTUPS / 2 / CONNECTIONS {
        assert!(!startups.governor().host.holds);
        startups.transfer(POLICER, "16 MB", CONNECTIONS);
    }
    let governor = startups.governor();
    assert!(governor.host.holds, "{governor:?} {:?}", startups.totals());
    assert_eq!(startups.totals().governed, 0);
    startups.transfer(POLICER, "16 MB", CONNECTIONS);
    let held = CONNECTIONS - CONNECTIONS / TRY_INTERVAL;
    assert_eq!(startups.totals().governed, u64::from(held));
}

#[test]
fn start_ups_on_an_ordinary_path_are_never_held_back() {
    let Some(_machine) = machine() else { return };
    let mut startups = Governed::new("onramp");
    for _ in 0..3 {
        startups.transfer(ORDINARY, "1 MB", 1);
        assert!(!startups.governor().host.holds);
    }
    let governor = startups.governor();
    assert!(governor.host.startups >= 3, "{governor:?}");
    assert!(governor.host.average < Some(governor.bound), "{governor:?}");
    assert_eq!(
        (startups.totals().governed, governor.held_destinations()),
        (0, 0)
    );
}

/// The table of docs/kernel.md: what CUBIC's own start-up and `onramp` retransmit.
#[test]
#[ignore = "it measures for some minutes and checks nothing"]
fn shares_of_start_ups_on_some_paths() {
    let Some(_machine) = machine() else { return };
    let paths = [
        ("20 Mbit/s, 40 ms, queue 1 BDP", ORDINARY, 1),
        (
            "100 Mbit/s, 20 ms, queue 0.5 BDP",
            "rate = \"100 Mbit/s\"\nrtt = \"20 ms\"\nqueue = \"0.5 bdp\"",
            1,
        ),
        (
            "50 Mbit/s, 100 ms, queue 0.25 BDP",
            "rate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"0.25 bdp\"",
            1,
        ),
        (
            "10 Mbit/s, 60 ms, queue 10 packets",
            "rate = \"10 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"10 packets\"",
            1,
        ),
        (
            "50 Mbit/s, 60 ms, queue 0.5 BDP, ten at once",
            "rate = \"50 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"0.5 bdp\"",
            10,
        ),
        (
            "20 Mbit/s, 40 ms, 1 % random loss",
            "rate = \"20 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"1 bdp\"\nloss = \"1 %\"",
            1,
        ),
        ("policer of 20 Mbit/s, 100 Mbit/s, 60 ms", POLICER, 1),
        ("the same, sixteen at once", POLICER, CONNECTIONS),
    ];
    for (what, path, connections) in paths {
        for startup in ["standard", "onramp"] {
            let mut startups = Governed::new(startup);
            let size = if connections == 1 { "1 MB" } else { "10 MB" };
            for _ in 0..5 {
                startups.transfer(path, size, connections);
            }
            let (totals, governor) = (startups.totals(), startups.governor());
            println!(
                "{what:<45} {startup:<9} mean {:5.1} % of {:>3} start-ups; {} of {} segments, \
                 in all {} of {}",
                governor.host.average.unwrap_or(0.0) * 100.0,
                governor.host.startups,
                totals.startup_retransmitted_segments,
                totals.startup_sent_segments,
                totals.retransmitted_segments,
                totals.sent_segments,
            );
        }
    }
}
