//! What a measured sender's start-up decided, and when it changed its mind.

use onramp_results::{StartupEvent, StartupWatch};
use onramp_tcp::Connection;

/// Looks at one connection's start-up before and after each event.
#[derive(Debug)]
pub(crate) struct StartupLog {
    started_ns: u64,
    watch: StartupWatch,
    /// What changed, with times since the flow's start.
    pub events: Vec<StartupEvent>,
}

impl StartupLog {
    /// For a flow that starts at this time.
    pub fn new(started_ns: u64) -> StartupLog {
        StartupLog {
            started_ns,
            watch: StartupWatch::default(),
            events: Vec::new(),
        }
    }

    /// Looks at the start-up of a sender, if there is one.
    pub fn record(&mut self, now_ns: u64, sender: &Connection) {
        let Some(decision) = sender.startup() else {
            return;
        };
        self.watch.remembers(sender.remembered_bytes());
        let time_s = (now_ns - self.started_ns) as f64 / 1e9;
        self.events.extend(self.watch.look(time_s, decision));
    }
}
