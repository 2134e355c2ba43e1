//! The log of a measured sender's start-up decisions.

use onramp_core::Decision;
use onramp_results::{StartupEvent, StartupWatch};
#[cfg(feature = "quic")]
use onramp_scenario::quic_stream_bytes;
use onramp_tcp::Connection;

/// Compares a connection's start-up decision after each event with the one before.
#[derive(Clone, Debug)]
pub(crate) struct StartupLog {
    started_ns: u64,
    watch: StartupWatch,
    /// The changes, with times since the start of the flow.
    pub events: Vec<StartupEvent>,
}

impl StartupLog {
    /// Creates the log of a flow that starts at `started_ns`.
    pub fn new(started_ns: u64) -> StartupLog {
        StartupLog {
            started_ns,
            watch: StartupWatch::default(),
            events: Vec::new(),
        }
    }

    /// The same for a flow of QUIC, whose full UDP datagrams have this payload.
    #[cfg(feature = "quic")]
    pub fn of_quic(started_ns: u64, datagram_bytes: u16) -> StartupLog {
        let datagram_bytes = datagram_bytes.into();
        StartupLog {
            watch: StartupWatch::of_quic(datagram_bytes, quic_stream_bytes(datagram_bytes)),
            ..StartupLog::new(started_ns)
        }
    }

    /// Logs changes of the sender's start-up decision, if the sender has a start-up algorithm.
    pub fn record(&mut self, now_ns: u64, sender: &Connection) {
        let Some(decision) = sender.startup() else {
            return;
        };
        self.record_decision(now_ns, decision, sender.remembered_bytes());
    }

    /// Logs what a decision changes.
    pub fn record_decision(&mut self, time_ns: u64, decision: &Decision, remembered_bytes: u64) {
        self.watch.remembers(remembered_bytes);
        let time_s = (time_ns - self.started_ns) as f64 / 1e9;
        self.events.extend(self.watch.look(time_s, decision));
    }
}
