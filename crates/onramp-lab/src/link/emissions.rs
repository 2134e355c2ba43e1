//! The exact times of the first packets. The noise of inter-arrival times is computed from them.

/// When a packet left the path, and when it was due. Times are by CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// When the packet was due.
    pub due_ns: u64,
    /// When the packet was delivered to the host.
    pub at_ns: u64,
    /// Size of the packet.
    pub wire_bytes: u32,
}

/// Maximum number that is kept for each direction.
const MAX_KEPT: usize = 4096;

/// Number of packets that count as early for each flow: handshake, request, and the trains of the
/// first round trips.
const EARLY_PACKETS: usize = 64;

/// The first packets delivered to a host.
pub struct Emissions(Vec<Emission>);

impl Emissions {
    /// An empty list. Its memory is allocated now.
    pub fn new() -> Emissions {
        Emissions(Vec::with_capacity(MAX_KEPT))
    }

    /// Adds a packet, if there is room.
    pub fn add(&mut self, emission: Emission) {
        if self.0.len() < MAX_KEPT {
            self.0.push(emission);
        }
    }

    /// The maximum lateness of the early packets of this number of flows.
    pub fn early_lateness_ns(&self, flows: usize) -> u64 {
        self.0
            .iter()
            .take(EARLY_PACKETS.saturating_mul(flows))
            .map(|emission| emission.at_ns.saturating_sub(emission.due_ns))
            .max()
            .unwrap_or(0)
    }

    /// The packets that were kept.
    pub fn into_vec(self) -> Vec<Emission> {
        self.0
    }
}
