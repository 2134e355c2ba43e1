//! What to register.

use crate::{Avoidance, Memory, Timers};
use onramp_core::{Clock, InitialRate, Parameters};

/// The clock of Linux: it measures nanoseconds, and its pacing timer (hrtimer) is exact to about 50
/// microseconds on a busy host.
pub const KERNEL_CLOCK: Clock = Clock {
    measure_ns: 1,
    event_ns: 50_000,
};

/// How long a registration lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until [`crate::unload`], across processes. It has its own name only.
    UntilUnloaded,
    /// Until [`crate::Policies`] ends it. It has a numbered name, and pins keep it.
    Service,
    /// As long as the [`crate::Registration`] lives. If the process is killed, the kernel ends it
    /// (Linux 6.4 and later), or the next process of Onramp does. If its name is taken, it gets a
    /// numbered one.
    Process,
}

/// What to register.
#[derive(Clone, Debug)]
pub struct Options {
    /// The algorithm's name.
    pub startup: String,
    /// The congestion avoidance that follows.
    pub avoidance: Avoidance,
    /// Start with the initial window of RFC 3390 instead of the host's.
    pub paper_initial_window: bool,
    /// Send packet pairs, even if the algorithm also works without them.
    pub packet_pairs: bool,
    /// When its connections use the BDP that earlier ones measured on the same path.
    pub memory: Memory,
    /// How long a measured BDP is used, more than 0.
    pub memory_lifetime_ns: u64,
    /// The bound of the governor, in parts per million of the segments that start-ups send: where
    /// they retransmit more on average, new connections begin with slow start. 0: no governor.
    /// Start-ups that reserve a rate have none.
    pub governor_bound_ppm: u32,
    /// With [`Memory::AtOnce`]: what a connection may send behind its initial window before an ACK
    /// arrives, in bytes; 0: the default of `core/parts/path_memory.h`, 100 segments.
    pub memory_jump_bytes: u64,
    /// What leaves behind the initial window in the first round trip.
    pub initial_rate: InitialRate,
    /// The algorithm's parameters.
    pub parameters: Parameters,
    /// What its connections change in the kernel's timers.
    pub timers: Timers,
    /// How long the registration lasts.
    pub lifetime: Lifetime,
    /// Only processes with CAP_NET_ADMIN may choose it, and only the host's first network
    /// namespace may have it as its default.
    pub restricted: bool,
    /// Report every input and decision, not only changes.
    pub record: bool,
    /// The timing that the algorithm may rely on.
    pub clock: Clock,
    /// Register without a BPF link, as on kernels before 6.4.
    pub without_link: bool,
}

impl Options {
    /// A start-up followed by CUBIC, for the life of this process.
    pub fn new(startup: impl Into<String>) -> Options {
        Options {
            startup: startup.into(),
            avoidance: Avoidance::Cubic,
            paper_initial_window: false,
            packet_pairs: false,
            memory: Memory::Off,
            memory_lifetime_ns: onramp_core::memory::LIFETIME_NS,
            governor_bound_ppm: onramp_core::governor::BOUND_PPM,
            memory_jump_bytes: 0,
            initial_rate: InitialRate::Auto,
            parameters: Parameters::default(),
            timers: Timers::default(),
            lifetime: Lifetime::Process,
            restricted: false,
            record: false,
            clock: KERNEL_CLOCK,
            without_link: false,
        }
    }

    /// Does it send packet pairs, because the user wants them or because the algorithm needs them?
    pub fn sends_pairs(&self) -> bool {
        self.packet_pairs || onramp_core::needs_pairs(&self.startup)
    }

    /// The bits of `enum startup_option`.
    pub(super) fn bits(&self) -> u32 {
        let chosen = [
            (
                self.paper_initial_window,
                onramp_core::OPTION_PAPER_INITIAL_WINDOW,
            ),
            (self.packet_pairs, onramp_core::OPTION_PAIRS),
        ];
        chosen
            .iter()
            .filter(|(is_chosen, _)| *is_chosen)
            .fold(self.memory.options(), |bits, (_, bit)| bits | bit)
    }

    /// The bound of the governor that is registered; 0: no governor. A reserved rate has a net of
    /// its own: the reservation breaks.
    pub fn governor_in_force_ppm(&self) -> u32 {
        match onramp_core::reserves(&self.startup) {
            true => 0,
            false => self.governor_bound_ppm,
        }
    }

    /// The initial rate that is registered.
    pub(crate) fn initial_in_force(&self) -> InitialRate {
        match onramp_core::sends_early(&self.startup) {
            true => self.initial_rate,
            false => InitialRate::Off,
        }
    }

    /// The Lifetime of path memory; 0: nothing is remembered.
    pub(crate) fn path_lifetime_ns(&self) -> u64 {
        match self.memory {
            Memory::Off => 0,
            Memory::Careful | Memory::AtOnce => self.memory_lifetime_ns.max(1),
        }
    }
}
