//! One registration for many transfers over emulated paths, with its governor. The tests of the
//! governor and the benchmark `shares` use it.

use onramp_kernel::{Governor, Options, Registration, Totals};
use onramp_lab::{ConnectionEvent, RunOptions, Startups, Wanted};
use std::error::Error;

/// Transfers that come one by one, on average four a second.
pub const TRANSFERS: u64 = 40;

/// A policer of a tenth of the link's rate: the first flights of a connection are delivered at the
/// rate of the link, all after them at the policer's. A start-up retransmits 38 % of its segments
/// (simulator), far more than the governor's bound.
pub const POLICER: &str = "rate = \"100 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"0.5 bdp\"\n\
    policer_rate = \"10 Mbit/s\"\npolicer_burst = \"32 kB\"";

/// A path on which nothing is lost.
pub const ORDINARY: &str = "rate = \"20 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"1 bdp\"";

/// One registration for all transfers, with its governor.
pub struct Governed(Registration);

impl Governed {
    /// Registers a start-up for the life of this value.
    pub fn new(startup: &str) -> Governed {
        Governed(Registration::new(&Options::new(startup)).unwrap())
    }

    /// What the governor knows.
    pub fn governor(&self) -> Governor {
        self.0.governor().unwrap().expect("it is on by default")
    }

    /// What the connections did so far.
    pub fn totals(&self) -> Totals {
        self.0.totals().unwrap()
    }

    /// [`TRANSFERS`] of 300 kB over a path, then one of 1 MB.
    pub fn transfers(&mut self, path: &str) {
        self.run(
            path,
            &format!(
                "[[traffic]]\nsize = \"300 kB\"\nstartup = \"onramp\"\n\
                 arrivals = \"4 /s\"\ncount = {TRANSFERS}\nlead = \"12 s\"\n"
            ),
        );
    }

    /// A transfer of 1 MB over a path, beside other traffic.
    pub fn run(&mut self, path: &str, traffic: &str) {
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
