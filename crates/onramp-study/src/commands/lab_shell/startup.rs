//! The congestion control of the programs: a start-up for all their connections, or a default of
//! the kernel.

use crate::cli::ShellArguments;
use crate::commands::lab;
use onramp_cli::failure::{Failure, BAD_INPUT};
use onramp_cli::signals::system;
use onramp_kernel::{
    allowed_names, Adoption, Avoidance, ExecCgroup, Options, PairOption, Registration, Timers,
};
use onramp_lab::{Path, PathEnd};
use std::fs::{self, File, OpenOptions};

/// What is registered and attached for the programs, until this is dropped.
pub struct StartupOfShell {
    // The fields are dropped in this order: the programs leave the cgroup before.
    used: Option<Used>,
}

struct Used {
    adoption: Adoption,
    procs: File,
    _pairs: Option<PairOption>,
    _cgroup: ExecCgroup,
    _registration: Registration,
}

impl StartupOfShell {
    /// Registers the start-up that the user wants, and makes a cgroup whose connections use it.
    ///
    /// # Errors
    /// The start-up cannot run here, or needs a reservation, or the kernel lacks something.
    pub fn new(arguments: &ShellArguments, path: &Path) -> Result<StartupOfShell, Failure> {
        let avoidance = arguments.avoidance;
        let Some(startup) = &arguments.startup else {
            if let Some(avoidance) = avoidance {
                set_default(path, avoidance.name())?;
            }
            return Ok(StartupOfShell { used: None });
        };
        if onramp_core::reserves(startup) {
            let message = format!(
                "--startup {startup} needs a reservation: run `onramp exec --startup {startup} \
                 --qos-rate RATE CMD` in the shell"
            );
            return Err(Failure::new(BAD_INPUT, message));
        }
        let registration = Registration::new(&Options {
            avoidance: avoidance.unwrap_or(Avoidance::Cubic),
            ..Options::new(startup)
        })?;
        let cgroup = ExecCgroup::create()?;
        let pairs = registration.pairs()?;
        let pairs = pairs
            .map(|pairs| PairOption::new(cgroup.path(), &pairs, None))
            .transpose()?;
        let procs = OpenOptions::new()
            .write(true)
            .open(cgroup.procs())
            .map_err(|error| system(&format!("open {}", cgroup.procs().display()), error))?;
        Ok(StartupOfShell {
            used: Some(Used {
                adoption: Adoption::new(cgroup.path(), registration.name(), Timers::default())?,
                procs,
                _pairs: pairs,
                _cgroup: cgroup,
                _registration: registration,
            }),
        })
    }

    /// The file by which a process joins the cgroup.
    pub fn cgroup(&self) -> Option<&File> {
        self.used.as_ref().map(|used| &used.procs)
    }

    /// Connections that use the start-up, and those that could not be switched to it; `None`
    /// without a start-up.
    pub fn counts(&self) -> Option<(u64, u64)> {
        self.used.as_ref().map(|used| used.adoption.counts())
    }
}

/// Makes a congestion control the default at the ends of a path that are namespaces of their own.
fn set_default(path: &Path, name: &str) -> Result<(), Failure> {
    // The kernel keeps a control for ever that is written in a namespace where it is not allowed.
    let allowed = allowed_names()?;
    if !allowed.iter().any(|allowed| allowed == name) {
        let message = format!(
            "--avoidance {name}: only {} may be a default in a namespace; allow it with `sysctl \
             -w net.ipv4.tcp_allowed_congestion_control=\"{} {name}\"`",
            allowed.join(", "),
            allowed.join(" ")
        );
        return Err(Failure::new(BAD_INPUT, message));
    }
    for end in [PathEnd::Sender, PathEnd::Receiver] {
        if path.is_own_namespace(end) {
            path.namespace(end)
                .run(|| fs::write("/proc/sys/net/ipv4/tcp_congestion_control", name))
                .map_err(lab::failure)?
                .map_err(|error| system(&format!("make {name} the default"), error))?;
        }
    }
    Ok(())
}
