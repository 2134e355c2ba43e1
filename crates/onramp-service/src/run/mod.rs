//! The service's loop: it puts the configuration into force, looks at the counts every few seconds,
//! switches start-ups off that are worse than their control group, and undoes everything at the
//! end.
//!
//! The kernel does the work for connections, so a service that is busy or restarts delays none.

mod outside;
mod trouble;

pub use outside::{Notice, Outside, Request};

use crate::canary::Watch;
use crate::config::{self, Config};
use crate::counts::{Counts, PolicyCounts, RegistrationCounts, State};
use crate::host;
use crate::http;
use crate::metrics::{replace, text, Endpoint, EndpointError, Format, Latest};
use crate::registrations;
use onramp_kernel::policy::{Applied, SwitchedOff};
use onramp_kernel::{default_in_this_namespace, Policies};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::fd::{OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trouble::Trouble;

/// How often the totals of registrations are read. It takes as long as a list of all connections.
const REGISTRATIONS_EVERY: Duration = Duration::from_secs(60);

/// The options of a service.
#[derive(Debug)]
pub struct Options {
    /// The configuration file.
    pub config: PathBuf,
    /// The directory of the pins; that of the host is [`onramp_kernel::policy::PINS`].
    pub pins: PathBuf,
    /// The socket for other commands; `None`: none.
    pub socket: Option<PathBuf>,
    /// The lock of the process that this program has replaced.
    pub lock: Option<OwnedFd>,
}

/// How a service ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything is undone.
    Stopped,
    /// Everything is in force. Another program is to continue, with this descriptor as its lock.
    Replace {
        /// The number of the descriptor. It stays open when the program is executed.
        lock: RawFd,
    },
}

/// Why a service did not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// The kernel, or what the host lacks.
    #[error(transparent)]
    Kernel(#[from] onramp_kernel::Error),
    /// The metrics endpoint.
    #[error("cannot {0}{to_do}", to_do = to_do(.0))]
    Endpoint(#[from] EndpointError),
}

/// What to do about an endpoint that does not start.
fn to_do(error: &EndpointError) -> &'static str {
    match error {
        EndpointError::Serve(http::Error::Listen { .. }) => "; change `metrics` in [service]",
        EndpointError::Serve(http::Error::ListenSocket { error, .. })
            if error.kind() == ErrorKind::AddrInUse =>
        {
            ": a process listens there already. End it, or give another path: --socket PATH"
        }
        EndpointError::Serve(http::Error::ListenSocket { .. }) => {
            "; give a path in a folder that this user may write: --socket PATH"
        }
        _ => "",
    }
}

/// A service that runs.
struct Service {
    options: Options,
    config: Config,
    policies: Policies,
    /// By the names of the policies.
    watches: HashMap<String, Watch>,
    latest: Arc<Latest>,
    /// `None`: an address cannot be bound. Each look tries again.
    endpoint: Option<Endpoint>,
    endpoint_trouble: Trouble,
    look_trouble: Trouble,
    text_file_trouble: Trouble,
    /// The host's default congestion control, as it was seen last, and how often it changed.
    default: String,
    default_changes: u64,
    /// The totals of registrations, and when they were read.
    registrations: Option<(Instant, Vec<RegistrationCounts>)>,
}

/// Runs a service until it is asked to end.
///
/// The first service on a host changes nothing in the kernel before its metrics can be had. One
/// that follows a crash or an upgrade goes on without them, because the policies are in force
/// already and somebody has to watch them: it says so, and tries again at each look.
///
/// # Errors
/// The configuration or the host does not allow it to start. The host is then as before, and what
/// an earlier service left in the kernel stays in force.
pub fn run(mut options: Options, outside: &mut dyn Outside) -> Result<Ended, Error> {
    let config = config::read(&options.config)?;
    let policies = Policies::open(&options.pins, options.lock.take())?;
    let follows = policies.follow_others();
    let mut service = Service {
        options,
        config,
        policies,
        watches: HashMap::new(),
        latest: Arc::new(Latest::default()),
        endpoint: None,
        endpoint_trouble: Trouble::default(),
        look_trouble: Trouble::default(),
        text_file_trouble: Trouble::default(),
        default: String::new(),
        default_changes: 0,
        registrations: None,
    };
    let applied = match service.begin(follows, outside) {
        Ok(applied) => applied,
        Err(error) => {
            if !follows {
                let _ = service.policies.stop(); // the first error says more
            }
            return Err(error);
        }
    };
    service.say_in_force(applied, outside);
    service.serve(outside)
}

impl Service {
    /// Puts the policies into force. `follows`: those of a service before are in force.
    fn begin(&mut self, follows: bool, outside: &mut dyn Outside) -> Result<Applied, Error> {
        if follows {
            if let Ok(snapshot) = self.policies.snapshot() {
                self.latest.set(host::counts(&snapshot));
            }
            self.keep_listening(outside);
        } else {
            self.listen()?;
        }
        let applied = host::apply(&mut self.policies, &self.config)?;
        let (pid, now_s) = (std::process::id(), host::now_s());
        let state = self.policies.state();
        if state.pid != pid {
            (state.pid, state.started_s) = (pid, now_s);
        }
        env!("CARGO_PKG_VERSION").clone_into(&mut state.version);
        self.policies.write_state()?;
        self.begin_watches()?;
        Ok(applied)
    }

    fn serve(mut self, outside: &mut dyn Outside) -> Result<Ended, Error> {
        loop {
            let begin = Instant::now();
            self.keep_listening(outside);
            let looked = self.look(outside).map(|counts| {
                outside.looked(&counts);
                self.show(counts, outside);
            });
            let looked = looked.map_err(|error| error.to_string());
            let again = || "the counts can be read again".to_owned();
            let notice = self.look_trouble.after(looked, again);
            notice.iter().for_each(|notice| outside.notice(notice));
            let next = begin + self.config.service.interval;
            let mut left = next.saturating_duration_since(Instant::now());
            while let Some(request) = outside.wait(left) {
                match request {
                    Request::Reload => self.reload(outside),
                    Request::Replace => return self.hand_over(),
                    Request::Stop => return self.stop(outside),
                }
                left = next.saturating_duration_since(Instant::now());
            }
        }
    }

    /// Reads the counts, and switches off what has to be.
    fn look(&mut self, outside: &mut dyn Outside) -> onramp_kernel::Result<Counts> {
        let mut counts = host::counts(&self.policies.snapshot()?);
        let mut has_changed = false;
        for policy in &mut counts.policies {
            let Some(watch) = self.watches.get_mut(&policy.name) else {
                continue;
            };
            let test = watch.test();
            let decision = watch.look(policy);
            has_changed |= test != watch.test();
            policy.comparison = watch.comparison(policy);
            let Some(decision) = decision else { continue };
            let why = SwitchedOff {
                reason: decision.to_string(),
                time_s: counts.time_s,
            };
            self.policies.switch_off(&policy.name, why.clone())?;
            policy.state = State::SwitchedOff {
                reason: why.reason.clone(),
                time_s: why.time_s,
            };
            counts.service.switched_off += 1;
            outside.notice(&Notice::SwitchedOff {
                policy: policy.name.clone(),
                reason: why.reason,
            });
        }
        if has_changed {
            self.save_watches()?;
        }
        self.look_at_default(outside);
        counts.registrations = self.registrations();
        counts.service.default_changes = self.default_changes;
        counts.service.cpu_s = host::cpu_s();
        Ok(counts)
    }

    /// The totals of registrations. What cannot be read is left out: no policy depends on it.
    fn registrations(&mut self) -> Vec<RegistrationCounts> {
        let is_new = |(read, _): &(Instant, _)| read.elapsed() < REGISTRATIONS_EVERY;
        if !self.registrations.as_ref().is_some_and(is_new) {
            self.registrations = Some((Instant::now(), registrations().unwrap_or_default()));
        }
        let registrations = self.registrations.as_ref();
        registrations.map_or_else(Vec::new, |(_, registrations)| registrations.clone())
    }

    /// Shows the counts to others.
    fn show(&mut self, counts: Counts, outside: &mut dyn Outside) {
        if let Some(path) = &self.config.service.text_file {
            let content = text(&counts, Format::Prometheus);
            let file = path.display();
            let written = replace(path, content.as_bytes())
                .map_err(|error| format!("cannot write the metrics into {file}: {error}"));
            let again = || format!("the metrics are written into {file} again");
            let notice = self.text_file_trouble.after(written, again);
            notice.iter().for_each(|notice| outside.notice(notice));
        }
        self.latest.set(counts);
    }

    /// Puts the configuration into force that the file has now. If it is wrong, the one from before
    /// stays in force.
    fn reload(&mut self, outside: &mut dyn Outside) {
        let before = self.config.service.text_file.clone();
        let outcome = self.try_reload();
        let state = self.policies.state();
        match outcome {
            Ok(_) => state.reloads += 1,
            Err(_) => state.reloads_refused += 1,
        }
        // Before the messages: whoever reads one finds the reload in the counts.
        if let Err(error) = self.policies.write_state() {
            outside.notice(&Notice::Failed {
                what: error.to_string(),
            });
        }
        let refused = |reasons| Notice::ReloadRefused { reasons };
        match outcome {
            Ok(applied) => {
                let now = &self.config.service.text_file;
                if let Some(path) = before.filter(|before| Some(before) != now.as_ref()) {
                    remove_text_file(&path, outside);
                }
                self.say_in_force(applied, outside);
            }
            Err(Error::Config(error)) => outside.notice(&refused(error.lines())),
            Err(error) => outside.notice(&refused(vec![error.to_string()])),
        }
    }

    fn try_reload(&mut self) -> Result<Applied, Error> {
        let config = config::read(&self.options.config)?;
        // Steps that change nothing when they fail come first.
        let metrics_change = config.service.metrics != self.config.service.metrics;
        let before = std::mem::replace(&mut self.config, config);
        if metrics_change {
            if let Err(error) = self.listen() {
                self.config = before;
                let _ = self.listen(); // otherwise the next look tries again
                return Err(error);
            }
        }
        match host::apply(&mut self.policies, &self.config) {
            Ok(applied) => {
                self.begin_watches()?;
                Ok(applied)
            }
            Err(error) => {
                self.config = before;
                if metrics_change {
                    let _ = self.listen(); // otherwise the next look tries again
                }
                Err(error.into())
            }
        }
    }

    /// Begins to watch the policies in force. Those that were watched before go on with their test,
    /// also if another process watched them.
    fn begin_watches(&mut self) -> onramp_kernel::Result<()> {
        let snapshot = self.policies.snapshot()?;
        let counts = host::counts(&snapshot);
        let mut watches = HashMap::new();
        let policies = self.config.policies.iter().zip(&counts.policies);
        for ((policy, counts), state) in policies.zip(&snapshot.state.policies) {
            if policy.rule.start.is_none() {
                continue;
            }
            let known = Memo::read(&state.memo, &state.congestion_control);
            let mut watch = match known {
                Some(Memo { watch, is_same }) => resumed(watch, is_same, counts),
                None => Watch::new(policy.canary.clone(), counts),
            };
            watch.settings = policy.canary.clone();
            watches.insert(policy.rule.name.clone(), watch);
        }
        self.watches = watches;
        self.save_watches()
    }

    /// Keeps the tests for the next process.
    fn save_watches(&mut self) -> onramp_kernel::Result<()> {
        for policy in &mut self.policies.state().policies {
            if let Some(watch) = self.watches.get(&policy.name) {
                policy.memo = serde_json::json!({
                    "watch": watch,
                    "congestion_control": policy.congestion_control,
                });
            }
        }
        self.policies.write_state()
    }

    fn listen(&mut self) -> Result<(), Error> {
        // An address cannot be bound twice.
        self.endpoint = None;
        let socket = self.options.socket.as_deref();
        let latest = Arc::clone(&self.latest);
        self.endpoint = Some(Endpoint::start(
            &self.config.service.metrics,
            socket,
            latest,
        )?);
        Ok(())
    }

    /// Listens if an address could not be bound before.
    fn keep_listening(&mut self, outside: &mut dyn Outside) {
        let listens = match &self.endpoint {
            Some(_) => Ok(()),
            None => self.listen().map_err(|error| {
                format!("{error}. The policies are watched; each look tries to listen again")
            }),
        };
        let again = || "the metrics can be had again".to_owned();
        let notice = self.endpoint_trouble.after(listens, again);
        notice.iter().for_each(|notice| outside.notice(notice));
    }

    fn say_in_force(&mut self, applied: Applied, outside: &mut dyn Outside) {
        let addresses = self.endpoint.as_ref().map_or(&[][..], Endpoint::addresses);
        let metrics = addresses.iter().map(ToString::to_string).collect();
        let states = &self.policies.state().policies;
        let policies = states.iter().map(|policy| match &policy.startup {
            None => format!("{}: no start-up", policy.name),
            Some(startup) => {
                let state = describe(&host::state_of(policy));
                format!("{}: {startup}, {state}", policy.name)
            }
        });
        outside.notice(&Notice::InForce {
            policies: policies.collect(),
            applied,
            metrics,
        });
        for warning in &self.config.warnings {
            let warning = warning.to_string();
            outside.notice(&Notice::Doubtful { warning });
        }
        self.default = default_in_this_namespace().unwrap_or_default();
        self.say_other_avoidance(outside);
    }

    /// Says when the host's default congestion control changes: it is the control group's, and the
    /// start-ups go on handing over to the one from before.
    fn look_at_default(&mut self, outside: &mut dyn Outside) {
        let Some(now) = default_in_this_namespace().filter(|now| *now != self.default) else {
            return;
        };
        let before = std::mem::replace(&mut self.default, now.clone());
        self.default_changes += 1;
        outside.notice(&Notice::DefaultChanged { before, now });
        self.say_other_avoidance(outside);
    }

    fn say_other_avoidance(&mut self, outside: &mut dyn Outside) {
        let default = self.default.clone();
        for policy in &self.policies.state().policies {
            if policy.share < 1.0 && policy.startup.is_some() && policy.avoidance != default {
                outside.notice(&Notice::OtherAvoidance {
                    policy: policy.name.clone(),
                    avoidance: policy.avoidance.clone(),
                    control: default.clone(),
                });
            }
        }
    }

    fn hand_over(self) -> Result<Ended, Error> {
        let lock = self.policies.pass_lock()?;
        // The program that follows uses the descriptor, so nothing here may close it.
        std::mem::forget(self.policies);
        Ok(Ended::Replace { lock })
    }

    fn stop(self, outside: &mut dyn Outside) -> Result<Ended, Error> {
        let restored = self.policies.stop()?;
        if let Some(path) = &self.config.service.text_file {
            remove_text_file(path, outside);
        }
        outside.notice(&Notice::Stopped { restored });
        Ok(Ended::Stopped)
    }
}

/// Removes the text file: its reader would show the last counts for ever.
fn remove_text_file(path: &Path, outside: &mut dyn Outside) {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => outside.notice(&Notice::Failed {
            what: format!(
                "cannot remove {}, which has the last counts: {error}",
                path.display()
            ),
        }),
        _ => {}
    }
}

/// A watch of an earlier process or configuration.
struct Memo {
    watch: Watch,
    /// The start-up's options are the same as then.
    is_same: bool,
}

impl Memo {
    fn read(memo: &serde_json::Value, congestion_control: &Option<String>) -> Option<Memo> {
        let watch = serde_json::from_value(memo.get("watch")?.clone()).ok()?;
        let before = memo.get("congestion_control")?.as_str();
        Some(Memo {
            watch,
            is_same: before == congestion_control.as_deref(),
        })
    }
}

/// The watch, in its present test if nothing has changed.
fn resumed(mut watch: Watch, is_same: bool, counts: &PolicyCounts) -> Watch {
    if !is_same {
        watch.restart(counts);
    }
    watch
}

/// A policy's state in words.
pub fn describe(state: &State) -> String {
    match state {
        State::On => "on".to_owned(),
        State::Canary { percent } => format!("canary of {percent} %"),
        State::Off => "off (percent = 0)".to_owned(),
        State::SwitchedOff { .. } => "switched off".to_owned(),
    }
}
