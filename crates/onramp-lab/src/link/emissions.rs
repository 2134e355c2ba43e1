//! The first packets' exact times, from which the noise of inter-arrival times is computed.

/// When a packet left the path, and when it should have. CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// When it was due.
    pub due_ns: u64,
    /// When it was handed to the host.
    pub at_ns: u64,
    /// Size of the packet.
    pub wire_bytes: u32,
}

/// How many are kept per direction.
const KEPT: usize = 4096;

/// How many of them count as early for each flow: handshake, request, and the trains of the first
/// round trips.
const EARLY: usize = 64;

/// The first packets handed to a host.
pub struct Emissions(Vec<Emission>);

impl Emissions {
    /// None yet; the room is made now.
    pub fn new() -> Emissions {
        Emissions(Vec::with_capacity(KEPT))
    }

    /// Keeps one, while there is room.
    pub fn add(&mut self, emission: Emission) {
        if self.0.len() < KEPT {
            self.0.push(emission);
        }
    }

    /// The latest of the early ones of so many flows.
    pub fn early_lateness_ns(&self, flows: usize) -> u64 {
        self.0
            .iter()
            .take(EARLY.saturating_mul(flows))
            .map(|emission| emission.at_ns.saturating_sub(emission.due_ns))
            .max()
            .unwrap_or(0)
    }

    /// Those that were kept.
    pub fn into_vec(self) -> Vec<Emission> {
        self.0
    }
}
