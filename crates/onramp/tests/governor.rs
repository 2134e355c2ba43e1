//! The governor on emulated paths: one on which start-ups retransmit too much, and ordinary ones.

use crate::common::machine;
use onramp_core::governor::{DESTINATION_STARTUPS, TRY_INTERVAL};
use onramp_kernel::{Governor, Options, Registration, Totals};
use onramp_lab::{ConnectionEvent, RunOptions, Startups, Wanted};
use std::error::Error;

/// Transfers that come one by one, on average four a second.
const TRANSFERS: u64 = 40;

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

    /// [`TRANSFERS`] of 300 kB over a path, then one of 1 MB.
    fn transfers(&mut self, path: &str) {
        self.run(
            path,
            &format!(
                "[[traffic]]\nsize = \"300 kB\"\nstartup = \"onramp\"\n\
                 arrivals = \"4 /s\"\ncount = {TRANSFERS}\nlead = \"12 s\"\n"
            ),
        );
    }

    /// A transfer of 1 MB over a path, beside other traffic.
    fn run(&mut self, path: &str, traffic: &str) {
        let text = format!(
            "name = \"governor\"\n[path]\n{path}\n[receiver]\nbuffer = \"64 MiB\"\n\
             [[transfer]]\nsize = \"1 MB\"\nstartup = \"onramp\"\navoidance = \"cubic\"\n\
             {traffic}"
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
    startups.transfers(POLICER);
    let (governor, totals) = (startups.governor(), startups.totals());
    assert_eq!(governor.held_destinations(), 1, "{governor:?} {totals:?}");
    // Eight have shown it. Some had begun before the eighth ended, and one of sixteen tries.
    let held_back = TRANSFERS - u64::from(DESTINATION_STARTUPS + TRANSFERS as u32 / TRY_INTERVAL);
    assert!(totals.governed >= held_back, "{totals:?}");
}

#[test]
fn start_ups_on_an_ordinary_path_are_never_held_back() {
    let Some(_machine) = machine() else { return };
    let mut startups = Governed::new("onramp");
    startups.transfers(ORDINARY);
    let governor = startups.governor();
    // Enough for a decision. The run ends with its last transfer, which others may outlive.
    assert!(
        governor.host.startups >= DESTINATION_STARTUPS,
        "{governor:?}"
    );
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
    let fast = "rate = \"100 Mbit/s\"\nrtt = \"20 ms\"\nqueue = \"0.5 bdp\"";
    let small_queue = "rate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"0.25 bdp\"";
    let tiny_queue = "rate = \"10 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"10 packets\"";
    let lossy = format!("{ORDINARY}\nloss = \"1 %\"");
    let paths = [
        ("20 Mbit/s, 40 ms, queue 1 BDP", ORDINARY),
        ("100 Mbit/s, 20 ms, queue 0.5 BDP", fast),
        ("50 Mbit/s, 100 ms, queue 0.25 BDP", small_queue),
        ("10 Mbit/s, 60 ms, queue 10 packets", tiny_queue),
        ("20 Mbit/s, 40 ms, 1 % random loss", &lossy),
        ("policer of 20 Mbit/s, 100 Mbit/s, 60 ms", POLICER),
    ];
    for (what, path) in paths {
        for startup in ["standard", "onramp"] {
            let mut startups = Governed::new(startup);
            for _ in 0..5 {
                startups.run(path, "");
            }
            let (totals, governor) = (startups.totals(), startups.governor());
            println!(
                "{what:<40} {startup:<9} {:5.1} % of {} start-ups; {} of {} segments, \
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
