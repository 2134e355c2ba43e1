//! What the connections of a registered start-up did, whoever chose it for them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A registered start-up and its totals, without regard to policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegistrationCounts {
    /// The name of the congestion control.
    pub name: String,
    /// The start-up.
    pub startup: String,
    /// The congestion avoidance that follows.
    pub avoidance: String,
    /// Connections that began with it.
    pub connections: u64,
    /// Connections that use it now.
    pub live: u64,
    /// Start-ups that ended, by the reason.
    pub exits: BTreeMap<String, u64>,
    /// The rate at which payload of new connections leaves behind the initial window before any
    /// ACK, in bytes per second; 0: none does.
    #[serde(default)]
    pub initial_bytes_per_s: u64,
    /// Segments that start-ups sent, with retransmissions.
    pub startup_sent_segments: u64,
    /// Segments that start-ups retransmitted.
    pub startup_retransmitted_segments: u64,
    /// The governor holds back most new connections of this host.
    pub governor_holds_all: bool,
    /// Destinations to which the governor holds new connections back.
    pub governor_held_destinations: u64,
    /// Events for which the ring had no room.
    pub events_lost: u64,
}
