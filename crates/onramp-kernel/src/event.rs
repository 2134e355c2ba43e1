//! Events: the inputs of a start-up algorithm in the kernel, and its decisions.

use crate::records::{socket_address, Plain};
use onramp_bpf::bindings::{self, EVENT_ACK, EVENT_END, EVENT_LOSS, EVENT_START};
use onramp_core::{Ack, Decision, Loss, Start, StartupEvent, StartupWatch, PHASE_DONE};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::net::SocketAddr;

/// An input of a start-up algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The connection is established.
    Start(Start),
    /// An ACK arrived.
    Ack(Ack),
    /// A loss was found.
    Loss(Loss),
    /// The host, not the algorithm, ends the start-up at this ACK (`core/host.h`): there is nothing
    /// to decide for the connection.
    End(Ack),
}

/// An input of a start-up algorithm in the kernel, and its decision.
///
/// Starts, losses and ends are always reported. Without [`crate::Options::record`], an ACK is
/// reported if it changed the phase, or, at most eight times per RTT, if it changed the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The connection's number, unique within one registration.
    pub connection: u64,
    /// The sender's end.
    pub local: SocketAddr,
    /// The receiver's end.
    pub remote: SocketAddr,
    /// The input of the algorithm.
    pub input: Input,
    /// The decision of the algorithm. At an [`Input::End`] it is the host's.
    pub decision: Decision,
}

impl Event {
    /// When it happened, by `CLOCK_MONOTONIC`.
    pub fn time_ns(&self) -> u64 {
        match self.input {
            Input::Start(start) => start.now_ns,
            Input::Ack(ack) | Input::End(ack) => ack.now_ns,
            Input::Loss(loss) => loss.now_ns,
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Event> {
        let raw = bindings::Event::from_bytes(bytes)?;
        // SAFETY: the kind tells which member the program wrote, and all members are integers.
        let input = unsafe {
            match raw.kind {
                EVENT_START => Input::Start(raw.input.start),
                EVENT_ACK => Input::Ack(raw.input.ack),
                EVENT_LOSS => Input::Loss(raw.input.loss),
                EVENT_END => Input::End(raw.input.ack),
                _ => return None,
            }
        };
        Some(Event {
            connection: raw.id,
            local: socket_address(&raw.local),
            remote: socket_address(&raw.remote),
            input,
            decision: raw.decision,
        })
    }
}

/// Derives changes of state from events.
#[derive(Debug, Default)]
pub struct Changes {
    /// The state of each connection that has not finished its start-up.
    watches: HashMap<u64, StartupWatch>,
}

impl Changes {
    /// The changes of an event, as in reports. Their times are 0.
    pub fn of(&mut self, event: &Event) -> Vec<StartupEvent> {
        let watch = self.watches.entry(event.connection).or_default();
        if let Input::Start(start) = &event.input {
            *watch = StartupWatch::default();
            watch.remembers(start.remembered_bytes);
        }
        let changes = watch.look(0.0, &event.decision).collect();
        if event.decision.phase == PHASE_DONE {
            self.watches.remove(&event.connection);
        }
        changes
    }
}
