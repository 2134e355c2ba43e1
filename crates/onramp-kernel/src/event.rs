//! What a congestion control reports of its connections.

use crate::shared::{Plain, RawEvent, EVENT_ACK, EVENT_LOSS, EVENT_START};
use onramp_core::{Ack, Decision, Loss, Start};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// What the algorithm was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The connection is established.
    Start(Start),
    /// An acknowledgement arrived.
    Ack(Ack),
    /// A loss was found.
    Loss(Loss),
}

/// An input of a start-up algorithm in the kernel, and what it decided.
///
/// Without [`crate::Options::record`] only those inputs are reported that changed the phase or the
/// estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The connection, unique within one registration.
    pub connection: u64,
    /// The sender's end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// What the algorithm was told.
    pub input: Input,
    /// What it decided.
    pub decision: Decision,
}

impl Event {
    /// When, on the clock that `CLOCK_MONOTONIC` reads.
    pub fn time_ns(&self) -> u64 {
        match self.input {
            Input::Start(start) => start.now_ns,
            Input::Ack(ack) => ack.now_ns,
            Input::Loss(loss) => loss.now_ns,
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Event> {
        let raw = RawEvent::from_bytes(bytes)?;
        // SAFETY: the kind says which member the program wrote; all are integers.
        let input = unsafe {
            match raw.kind {
                EVENT_START => Input::Start(raw.input.start),
                EVENT_ACK => Input::Ack(raw.input.ack),
                EVENT_LOSS => Input::Loss(raw.input.loss),
                _ => return None,
            }
        };
        Some(Event {
            connection: raw.id,
            local: raw.local.socket_address(),
            remote: raw.remote.socket_address(),
            input,
            decision: raw.decision,
        })
    }
}
