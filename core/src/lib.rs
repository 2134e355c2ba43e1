//! Start-up algorithms for TCP, as `core/` has them, with a safe face.
//!
//! The C files in `core/` are the algorithms: this crate compiles them for the host it runs on, and
//! the kernel programs in `bpf/` compile the same files for the kernel.
//!
//! ```
//! let mut startup = onramp_core::Startup::new("standard").unwrap();
//! let start = onramp_core::Start {
//!     mss_bytes: 1448,
//!     cwnd_bytes: 14480,
//!     ssthresh_bytes: onramp_core::UNLIMITED,
//!     ..Default::default()
//! };
//! assert_eq!(startup.start(&start).cwnd_bytes, 14480);
//! ```

pub mod bucket;
pub mod eligible_rate;
mod ffi;
mod host;
pub mod memory;
pub mod pairs;
pub mod train;
mod without;

pub use ffi::{
    Ack, Clock, Decision, Loss, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, ACK_RECOVERING,
    LOSS_RECOVERY, LOSS_TAHOE, LOSS_TIMEOUT, OPTION_ERE_CALM, OPTION_ERE_LATEST, OPTION_PAIRS,
    OPTION_PAPER_INITIAL_WINDOW, OPTION_RESUME_AT_ONCE, OPTION_TRAIN_CLOSEST, OPTION_TRAIN_ENDS,
    PAIR_NONE, PAIR_ONE, PAIR_TRAIN, STATE_BYTES, UNLIMITED,
};
use std::ffi::{c_char, CStr};
use std::sync::OnceLock;
pub use without::Without;

/// [`Decision::phase`] of a start-up that is over for good.
pub const PHASE_DONE: u32 = 3;

/// [`Decision::phase`] of one that is over until the connection's next slow start.
pub const PHASE_AVOIDANCE: u32 = 4;

/// [`Decision::phase`] of one that is over but for the pacing: congestion avoidance has the window.
pub const PHASE_SAFE: u32 = 5;

/// [`Decision::phase`] of one whose slow start waits: the window grows by a segment a round trip.
pub const PHASE_LINEAR: u32 = 6;

/// [`Decision::phase`] of one whose rate is reserved: losses do not change the window, and it hears
/// of every acknowledgement.
pub const PHASE_RESERVED: u32 = 7;

/// [`Decision::phase`] of one whose losses are being repaired: the window is the recovery's, which
/// leads to the decided threshold, and it hears of every acknowledgement until that is over.
pub const PHASE_RETREAT: u32 = 10;

fn algorithms() -> &'static [ffi::Algorithm] {
    // SAFETY: native.c defines the table and its length together.
    unsafe {
        std::slice::from_raw_parts(
            (&raw const ffi::onramp_algorithms).cast(),
            ffi::onramp_algorithm_count,
        )
    }
}

fn text(literal: *const c_char) -> &'static str {
    // SAFETY: every string that native.c hands out is a literal.
    unsafe { CStr::from_ptr(literal) }
        .to_str()
        .expect("core/ is written in UTF-8")
}

/// The names of all algorithms, in the registry's order.
pub fn startup_names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| algorithms().iter().map(|a| text(a.name)).collect())
}

/// What an algorithm does, in a line.
pub fn summary(name: &str) -> Option<&'static str> {
    algorithms()
        .iter()
        .find(|a| text(a.name) == name)
        .map(|a| text(a.summary))
}

/// The algorithm for those who choose none.
pub const DEFAULT_STARTUP: &str = "onramp";

/// The name of an algorithm's congestion control in the kernel: that of `onramp` is its own.
pub fn congestion_control(name: &str) -> String {
    match name {
        DEFAULT_STARTUP => name.to_owned(),
        _ => format!("onramp_{name}"),
    }
}

/// Whether an algorithm declares this capability in `core/registry.h`. False for an unknown name.
fn declares(name: &str, capability: u32) -> bool {
    algorithms()
        .iter()
        .any(|a| text(a.name) == name && a.capabilities & capability != 0)
}

/// Whether an algorithm asks for packet pairs ([`Decision::pair`]) always, and is of no use without
/// them.
pub fn needs_pairs(name: &str) -> bool {
    declares(name, ffi::NEEDS_PAIRS)
}

/// Whether an algorithm asks for packet pairs where they are chosen ([`OPTION_PAIRS`]).
pub fn sends_pairs(name: &str) -> bool {
    declares(name, ffi::SENDS_PAIRS)
}

/// Whether an algorithm sends at a rate that is reserved ([`PHASE_RESERVED`]).
pub fn reserves(name: &str) -> bool {
    declares(name, ffi::RESERVES)
}

/// Whether an algorithm resumes from the BDP that the host remembers of the path
/// ([`Start::remembered_bytes`]).
pub fn resumes(name: &str) -> bool {
    declares(name, ffi::RESUMES)
}

/// A phase's name, for example `slow-start`.
pub fn phase_name(phase: u32) -> &'static str {
    // SAFETY: the function takes any number.
    text(unsafe { ffi::onramp_native_phase_name(phase) })
}

/// The name of an exit's reason, for example `estimate`.
pub fn exit_name(exit: u32) -> &'static str {
    // SAFETY: the function takes any number.
    text(unsafe { ffi::onramp_native_exit_name(exit) })
}

/// `a * b / divisor` in the arithmetic of the algorithms (`core/math.h`), 0 where the divisor is
/// 0. It is exact where the product has 64 bits; the error begins where it has more.
pub fn mul_div(a: u64, b: u64, divisor: u64) -> u64 {
    // SAFETY: the function takes any numbers.
    unsafe { ffi::onramp_native_mul_div(a, b, divisor) }
}

/// One connection's start-up.
#[derive(Clone)]
pub struct Startup {
    algorithm: &'static ffi::Algorithm,
    state: [u64; STATE_BYTES / 8],
}

impl PartialEq for Startup {
    fn eq(&self, other: &Startup) -> bool {
        std::ptr::eq(self.algorithm, other.algorithm) && self.state == other.state
    }
}

impl Eq for Startup {}

impl std::fmt::Debug for Startup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Startup({})", text(self.algorithm.name))
    }
}

impl Startup {
    /// A start-up of the algorithm with this name, if there is one.
    pub fn new(name: &str) -> Option<Startup> {
        let algorithm = algorithms().iter().find(|a| text(a.name) == name)?;
        Some(Startup {
            algorithm,
            state: [0; STATE_BYTES / 8],
        })
    }

    /// The connection is established: what may it send?
    pub fn start(&mut self, start: &Start) -> Decision {
        let mut decision = Decision::default();
        // SAFETY: state is zero, aligned to 8, and as large as core/ asserts every state to be.
        unsafe { (self.algorithm.start)(self.state.as_mut_ptr().cast(), start, &mut decision) };
        decision
    }

    /// An acknowledgement arrived. Not to be called once a decision's phase was [`PHASE_DONE`], nor
    /// while it is [`PHASE_AVOIDANCE`] and the window has reached its threshold. In [`PHASE_SAFE`]
    /// only the decision's pacing counts.
    ///
    /// # Panics
    /// If the record has no MSS.
    pub fn ack(&mut self, ack: &Ack) -> Decision {
        assert!(
            ack.mss_bytes > 0,
            "an acknowledgement's record needs the MSS"
        );
        let mut decision = Decision::default();
        // SAFETY: as in start(); the state is the algorithm's own.
        unsafe { (self.algorithm.ack)(self.state.as_mut_ptr().cast(), ack, &mut decision) };
        decision
    }

    /// The host found a loss. Not to be called once a decision's phase was [`PHASE_DONE`].
    pub fn loss(&mut self, loss: &Loss) -> Decision {
        let mut decision = Decision::default();
        // SAFETY: as in start(); the state is the algorithm's own.
        unsafe { (self.algorithm.loss)(self.state.as_mut_ptr().cast(), loss, &mut decision) };
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn records_have_the_layout_that_c_gives_them() {
        // SAFETY: native.c defines the table and its length together.
        let c: &[usize] = unsafe {
            std::slice::from_raw_parts(
                (&raw const ffi::onramp_layouts).cast(),
                ffi::onramp_layout_count,
            )
        };
        let rust = [
            size_of::<Clock>(),
            offset_of!(Clock, event_ns),
            size_of::<Start>(),
            offset_of!(Start, remembered_rtt_ns),
            size_of::<Ack>(),
            offset_of!(Ack, flags),
            size_of::<Loss>(),
            offset_of!(Loss, kind),
            size_of::<Decision>(),
            offset_of!(Decision, learned_rtt_ns),
            size_of::<memory::Entry>(),
            memory::Entry::LAST_OFFSET,
            size_of::<pairs::PairOption>(),
            pairs::PairOption::RESERVED_OFFSET,
            size_of::<pairs::Counts>(),
            pairs::Counts::RESERVED_OFFSET,
            size_of::<pairs::Meter>(),
            pairs::Meter::REPLIES_OFFSET,
            size_of::<pairs::Report>(),
            offset_of!(pairs::Report, bytes),
            size_of::<pairs::Probe>(),
            pairs::Probe::RESERVED_OFFSET,
            memory::LIFETIME_NS as usize,
            memory::KEEP_NS as usize,
            STATE_BYTES,
            (0..)
                .take_while(|&exit| exit_name(exit) != "unknown")
                .count(),
        ];
        assert_eq!(c, rust);
    }

    #[test]
    fn phases_have_the_names_of_the_registry() {
        assert_eq!(
            (phase_name(PHASE_DONE), phase_name(PHASE_AVOIDANCE)),
            ("done", "avoidance")
        );
        assert_eq!(
            (phase_name(PHASE_SAFE), phase_name(PHASE_LINEAR)),
            ("safe-transmit", "linear")
        );
        assert_eq!(
            (phase_name(PHASE_RESERVED), phase_name(99)),
            ("reserved", "unknown")
        );
    }
}
