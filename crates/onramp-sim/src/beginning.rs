//! The beginning of a run, before its transfer starts. Cases that differ in the transfer alone
//! share it.

use crate::case::plan;
use crate::engine::Engine;
use crate::observe::Observer;
use crate::run::outcome;
use crate::{Error, Options, Outcome};
use onramp_scenario::{Case, Traffic, Transfer, Transfers, NO_STARTUP};

/// A run that has been simulated until its transfer starts: only traffic has acted. It can be
/// [continued](Beginning::run) with any number of transfers, each as if nothing else had run.
///
/// ```
/// use onramp_sim::{beginning_key, observe::NoObserver, run, Beginning, Options};
///
/// let text = r#"
/// name = "beginning"
/// [path]
/// rate = "8 Mbit/s"
/// rtt = "40 ms"
/// [[traffic]]
/// kind = "transfer"
/// lead = "5 s"
/// [[transfer]]
/// size = "1 MB"
/// startup = ["none", "hystart", "onramp"]
/// "#;
/// let options = Options::default();
/// let cases = onramp_scenario::parse("beginning.toml", text)?.cases;
/// let key = beginning_key(&cases[0]).expect("traffic leads the transfer");
/// let beginning = Beginning::new(&cases[0], &options, NoObserver)?;
/// for case in &cases {
///     assert_eq!(beginning_key(case).as_ref(), Some(&key));
///     assert_eq!(beginning.run(case, &options)?.0, run(case, &options)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Beginning<O> {
    key: String,
    engine: Engine<O>,
}

/// Everything that the beginning of the case depends on, as a text. Cases with equal keys share
/// their beginning. `None`: the case shares its beginning with no other case, because
/// - no traffic leads the transfer, or
/// - traffic has a start-up, which learns from other connections of its host, or
/// - the transfer is split: its relays change the order of the run's flows.
pub fn beginning_key(case: &Case) -> Option<String> {
    // All fields are named, so that a new one is decided on here.
    let Case {
        scenario: _,
        number: _,
        network,
        path,
        crossings,
        sender,
        receiver,
        traffic,
        transfer,
        duration_ns,
        hosts: processing,
        run: _,
        seed,
    } = case;
    let start_ns = case.transfer_start_ns();
    let leads = |traffic| case.traffic_start_ns(traffic) < start_ns;
    let has_startup = |transfers: &Transfers| transfers.startup != NO_STARTUP;
    if !traffic.iter().any(leads)
        || traffic
            .iter()
            .filter_map(Traffic::transfers)
            .any(has_startup)
        || transfer.split.is_some()
    {
        return None;
    }
    let Transfer {
        from,
        to,
        count,
        spacing,
        ..
    } = transfer;
    let hosts = (sender, receiver, traffic, processing);
    let starts = (from, to, count, start_ns, spacing);
    Some(format!(
        "{network:?} {path:?} {crossings:?} {hosts:?} {starts:?} {duration_ns:?} {seed}"
    ))
}

impl<O: Observer + Clone> Beginning<O> {
    /// Simulates a case until its transfer starts.
    ///
    /// # Errors
    /// The same as [`run`](crate::run()).
    ///
    /// # Panics
    /// If the case has no [key](beginning_key).
    pub fn new(case: &Case, options: &Options, observer: O) -> Result<Beginning<O>, Error> {
        let key = beginning_key(case).expect("the case has a beginning that others share");
        let mut engine = Engine::new(plan(case)?, observer)?;
        engine.run_until(case.transfer_start_ns(), &options.stop)?;
        Ok(Beginning { key, engine })
    }

    /// Simulates the rest of a case that has this beginning. The outcome is that of
    /// [`run_observed`](crate::run_observed) without traces, and the observer has received the same
    /// calls.
    ///
    /// # Errors
    /// The same as [`run`](crate::run()).
    ///
    /// # Panics
    /// If the case has another [key](beginning_key).
    pub fn run(&self, case: &Case, options: &Options) -> Result<(Outcome, O), Error> {
        assert_eq!(
            beginning_key(case).as_ref(),
            Some(&self.key),
            "the case has another beginning"
        );
        let (result, observer) = self.engine.branch(plan(case)?).run(&options.stop)?;
        Ok((outcome(case, &result, |_| None), observer))
    }
}
