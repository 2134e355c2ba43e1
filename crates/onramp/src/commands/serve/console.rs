//! What the service needs from its process: signals, and where its messages go.

use super::replacement;
use crate::journal::{Journal, Priority};
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use onramp_cli::failure::Failure;
use onramp_cli::signals::system;
use onramp_kernel::RestoredDefault;
use onramp_service::counts::Counts;
use onramp_service::run::{describe, Notice, Outside, Request};
use sd_notify::NotifyState;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// The process of the service.
pub struct Console {
    signals: SignalFd,
    journal: Option<Journal>,
    json: bool,
    /// How often systemd wants a sign of life, halved.
    watchdog: Option<Duration>,
    is_ready: bool,
}

impl Console {
    pub fn new(json: bool) -> Result<Console, Failure> {
        let set = SigSet::from_iter([Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM]);
        let mut blocked = set;
        // A closed pipe is an error of a write to it.
        blocked.add(Signal::SIGPIPE);
        blocked
            .thread_block()
            .map_err(|error| system("block signals", error))?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let signals =
            SignalFd::with_flags(&set, flags).map_err(|error| system("read signals", error))?;
        Ok(Console {
            signals,
            journal: Journal::of_stderr(),
            json,
            watchdog: sd_notify::watchdog_enabled().map(|interval| interval / 2),
            is_ready: false,
        })
    }

    /// Do messages go to a log, and not to a terminal?
    pub fn is_log(&self) -> bool {
        self.journal.is_some()
    }

    /// Prints an error into the log.
    pub fn error(&self, message: &str) {
        self.print(Priority::Error, "failed", message, &[]);
    }

    fn warn(&self, event: &str, message: &str) {
        self.print(Priority::Warning, event, message, &[]);
    }

    fn print(&self, priority: Priority, event: &str, message: &str, fields: &[(&str, &str)]) {
        let fields = [&[("ONRAMP_EVENT", event)], fields].concat();
        if self
            .journal
            .as_ref()
            .is_some_and(|journal| journal.send(priority, message, &fields))
        {
            return;
        }
        if !self.json {
            eprintln!("onramp: {message}");
            return;
        }
        let mut line = serde_json::json!({ "message": message });
        for (name, value) in fields {
            let name = name.trim_start_matches("ONRAMP_").to_lowercase();
            line[name] = (*value).into();
        }
        eprintln!("{line}");
    }

    /// The request that a signal stands for.
    fn request(&self, signal: Signal) -> Option<Request> {
        if signal != Signal::SIGHUP {
            notify(&[NotifyState::Stopping]);
            return Some(Request::Stop);
        }
        let reloading = NotifyState::monotonic_usec_now().map(|now| [NotifyState::Reloading, now]);
        reloading.iter().for_each(|states| notify(states));
        let Some(program) = replacement::replacement() else {
            return Some(Request::Reload);
        };
        match replacement::check(&program) {
            Ok(()) => {
                let message = format!("{} is new: it continues", program.display());
                self.print(Priority::Notice, "upgrade", &message, &[]);
                Some(Request::Replace)
            }
            Err(reason) => {
                let what = format!(
                    "{} is new, and refuses to start: {reason}",
                    program.display()
                );
                self.print(Priority::Error, "upgrade-refused", &what, &[]);
                Some(Request::Reload)
            }
        }
    }

    fn in_force(&self, policies: &[String], applied: &onramp_kernel::policy::Applied) {
        let all = match policies {
            [] => "no policy is in force".to_owned(),
            policies => format!("in force: {}", policies.join("; ")),
        };
        let mut parts = vec![all];
        for (what, names) in [
            ("registered", &applied.registered),
            ("taken over", &applied.kept),
            ("no longer registered", &applied.retired),
        ] {
            if !names.is_empty() {
                parts.push(format!("{what}: {}", names.join(", ")));
            }
        }
        parts.extend(applied.restored_defaults.iter().map(restored));
        self.print(Priority::Notice, "in-force", &parts.join(". "), &[]);
    }
}

/// A default that was put back, as a sentence.
pub(super) fn restored(restored: &RestoredDefault) -> String {
    let namespace = &restored.network_namespace;
    match (&restored.default, &restored.error) {
        (Some(default), _) => format!("the default of {namespace} is {default} again"),
        (None, error) => format!(
            "the default of {namespace} could not be put back: {}",
            error.as_deref().unwrap_or("unknown")
        ),
    }
}

/// Tells systemd, if it listens.
fn notify(states: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(states); // it may not listen
}

impl Outside for Console {
    fn wait(&mut self, at_most: Duration) -> Option<Request> {
        let deadline = Instant::now() + at_most;
        loop {
            if self.watchdog.is_some() {
                notify(&[NotifyState::Watchdog]);
            }
            if let Ok(Some(info)) = self.signals.read_signal() {
                let signal = Signal::try_from(info.ssi_signo as i32).ok();
                if let Some(request) = signal.and_then(|signal| self.request(signal)) {
                    return Some(request);
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let left = self.watchdog.map_or(left, |watchdog| left.min(watchdog));
            // Rounded up, so that a wait of less than a millisecond is one.
            let timeout = PollTimeout::try_from(left.as_millis() as i32 + 1);
            let mut ready = [PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut ready, timeout.unwrap_or(PollTimeout::MAX));
        }
    }

    fn notice(&mut self, notice: &Notice) {
        match notice {
            Notice::InForce {
                policies,
                applied,
                metrics,
            } => {
                self.in_force(policies, applied);
                if !self.is_ready && !metrics.is_empty() {
                    let message = format!("metrics: http://{}/metrics", metrics.join(", http://"));
                    self.print(Priority::Info, "metrics", &message, &[]);
                }
                self.is_ready = true;
                notify(&[NotifyState::Ready]);
            }
            Notice::ReloadRefused { reasons } => {
                let message = "the configuration is refused; the one from before stays in force";
                self.print(Priority::Error, "reload-refused", message, &[]);
                for reason in reasons {
                    self.print(Priority::Error, "reload-refused", reason, &[]);
                }
                notify(&[NotifyState::Ready]);
            }
            Notice::Doubtful { warning } => self.warn("configuration", warning),
            Notice::DefaultChanged { before, now } => {
                let message = format!(
                    "the default congestion control of this host is {now} now, and was {before}: \
                     control groups have {now}, and start-ups go on handing over to the avoidance \
                     from before. To use the new default after them, run: systemctl reload onramp"
                );
                self.warn("default-changed", &message);
            }
            Notice::OtherAvoidance {
                policy,
                avoidance,
                control,
            } => {
                let message = format!(
                    "policy {policy}: {avoidance} follows the start-up, and the control group has \
                     this host's default, {control}: their comparison includes this difference"
                );
                let fields = [("ONRAMP_POLICY", policy.as_str())];
                self.print(Priority::Warning, "other-avoidance", &message, &fields);
            }
            Notice::SwitchedOff { policy, reason } => {
                let message = format!(
                    "policy {policy} is switched off: {reason}. New connections start as without \
                     Onramp. To begin anew, change its percent and reload, or restart the service"
                );
                let fields = [
                    ("ONRAMP_POLICY", policy.as_str()),
                    ("ONRAMP_REASON", reason),
                ];
                self.print(Priority::Warning, "switched-off", &message, &fields);
            }
            Notice::Failed { what } => self.print(Priority::Error, "failed", what, &[]),
            Notice::Mended { what } => self.print(Priority::Notice, "mended", what, &[]),
            Notice::Stopped { restored: defaults } => {
                for default in defaults {
                    self.print(
                        Priority::Notice,
                        "restored-default",
                        &restored(default),
                        &[],
                    );
                }
                let message = "stopped: new connections start as without Onramp";
                self.print(Priority::Notice, "stopped", message, &[]);
            }
        }
    }

    fn looked(&mut self, counts: &Counts) {
        let states = counts
            .policies
            .iter()
            .filter(|policy| policy.startup.is_some());
        let states = states.map(|policy| format!("{}: {}", policy.name, describe(&policy.state)));
        let status = states.collect::<Vec<_>>().join("; ");
        notify(&[NotifyState::Status(&status)]);
    }
}
