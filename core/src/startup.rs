//! One connection's start-up.

use crate::bindings::Algorithm;
use crate::{Ack, Decision, Loss, Parameters, Start, STATE_BYTES};

/// One connection's start-up: an algorithm and its state.
///
/// The host reports events and carries out the decisions. [`Decision`] has methods that say which
/// events it reports next, and who owns cwnd until then.
#[derive(Clone)]
pub struct Startup {
    algorithm: &'static Algorithm,
    state: [u64; STATE_BYTES / 8],
}

impl PartialEq for Startup {
    fn eq(&self, other: &Startup) -> bool {
        core::ptr::eq(self.algorithm, other.algorithm) && self.state == other.state
    }
}

impl Eq for Startup {}

impl core::fmt::Debug for Startup {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Startup({})", self.name())
    }
}

/// Calls a function of the registry's table, which has no empty row.
macro_rules! call {
    ($startup:expr, $function:ident, $event:expr) => {{
        let mut decision = Decision::default();
        let function = $startup
            .algorithm
            .$function
            .expect("native.c fills every row");
        // SAFETY: the state is aligned to 8, as large as core/ asserts every state to be, zero
        // but for parameters before start(), and this algorithm's own.
        unsafe { function($startup.state.as_mut_ptr().cast(), $event, &mut decision) };
        decision
    }};
}

impl Startup {
    /// A start-up of the algorithm with this name, if there is one.
    pub fn new(name: &str) -> Option<Startup> {
        Startup::with(name, Parameters::default())
    }

    /// The same with these values of its parameters.
    pub fn with(name: &str, parameters: Parameters) -> Option<Startup> {
        let algorithm = Algorithm::named(name)?;
        let mut state = [0; STATE_BYTES / 8];
        parameters.fill(algorithm, &mut state);
        Some(Startup::in_state(algorithm, state))
    }

    /// A start-up of this algorithm, from this state on.
    pub(crate) fn in_state(
        algorithm: &'static Algorithm,
        state: [u64; STATE_BYTES / 8],
    ) -> Startup {
        Startup { algorithm, state }
    }

    /// The algorithm's name.
    pub fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// The connection is established. Returns what it may send.
    pub fn start(&mut self, start: &Start) -> Decision {
        call!(self, start, start)
    }

    /// An ACK arrived that [`Decision::host_reports_ack`] wants reported. In
    /// [`PHASE_SAFE`](crate::PHASE_SAFE) only the decision's pacing counts.
    ///
    /// # Panics
    /// If the record has no MSS.
    pub fn ack(&mut self, ack: &Ack) -> Decision {
        assert!(ack.mss_bytes > 0, "an ACK's record needs the MSS");
        call!(self, ack, ack)
    }

    /// The host found a loss that [`Decision::host_reports_loss`] wants reported.
    pub fn loss(&mut self, loss: &Loss) -> Decision {
        call!(self, loss, loss)
    }
}
