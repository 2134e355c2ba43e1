//! The task of a flow.

use onramp_scenario::{Application, Requester};

/// The `stop_ns` of a flow that is not stopped.
pub const NEVER_NS: u64 = u64::MAX;

/// The task of a flow.
#[derive(Clone, Debug)]
pub struct Job {
    /// Payload, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Payload of the sender's initial window, or of the first answer or write if that is less.
    /// The receiver sleeps until this much has arrived. A reader that ran while the first train of
    /// segments arrives would hold the lock of the socket at random moments. ACKs that are due then
    /// leave some tens of microseconds late, just when start-ups measure ACK spacing.
    pub initial_bytes: u64,
    /// The pattern in which the sending application writes; `None`: as fast as it can.
    pub application: Option<Application>,
    /// What the receiver asks for: the payload, in one request or in several.
    pub requests: Requester,
    /// When the sender stops and resets the connection, since the beginning of the run; or
    /// [`NEVER_NS`].
    pub stop_ns: u64,
    /// Minimum time between two records of the receiver's progress. The last record is at the end.
    /// `None`: progress is not recorded.
    pub note_ns: Option<u64>,
}
