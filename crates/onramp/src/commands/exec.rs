//! `onramp exec`: runs a program in a cgroup. The connections of the cgroup use a start-up.

use super::load::options;
use super::{totals, Answer};
use crate::cli::ExecArguments;
use crate::failure::{Failure, BAD_INPUT, HOST_LACKS};
use crate::startups::Changes;
use crate::stderr_lines::StderrLines;
use crate::text;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::sys::signal::{kill, SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use onramp_kernel::{
    Adoption, Avoidance, ExecCgroup, Lifetime, Loaded, Options, PairOption, PairsMap, QosOption,
    Registration, Reservation, Reservations,
};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

/// The exit codes of a shell for a program that it cannot find, or may not run.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// Signals that are forwarded to the program.
const FORWARDED: [Signal; 4] = [
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
];

pub fn run(arguments: &ExecArguments, json: bool) -> Answer {
    let startup = Startup::choose(arguments)?;
    let cgroup = ExecCgroup::create()?;
    let _option = startup
        .pairs()?
        .map(|pairs| PairOption::new(cgroup.path(), &pairs, None))
        .transpose()?;
    let adoption = Adopted::new(&startup, &cgroup, arguments)?;
    let mut signals = Signals::block()?;
    let mut child = spawn(&arguments.command, &cgroup)?;
    let mut lines = StderrLines::new();

    let mut events = arguments.events.then(Changes::default);
    let status = loop {
        signals.wait(&cgroup)?;
        startup.print_events(&mut events, &mut lines);
        if let Some(status) = exited(&mut child)? {
            break status;
        }
    };
    let remaining = cgroup.processes().len();
    if remaining > 0 {
        lines.print(format!(
            "onramp: {} has ended; staying for {} that it started",
            arguments.command[0].to_string_lossy(),
            text::count(remaining, "process")
        ));
    }
    while !cgroup.processes().is_empty() {
        signals.wait(&cgroup)?;
        startup.print_events(&mut events, &mut lines);
    }
    startup.print_events(&mut events, &mut lines);

    let events_lost = match arguments.events {
        true => startup.events_lost()?,
        false => 0, // Nobody took them.
    };
    let code = exit_code(status);
    let (adopted, refused) = adoption.counts();
    if json {
        let summary = serde_json::json!({
            "congestion_control": startup.name(),
            "adopted": adopted,
            "refused": refused,
            "exit_code": code,
            "events_lost": events_lost,
        });
        lines.print(summary.to_string());
    } else if refused > 0 {
        lines.print(format!(
            "onramp: {} could not be switched to {}",
            text::count(refused as usize, "connection"),
            startup.name()
        ));
    }
    if events_lost > 0 && !json {
        lines.print(format!("onramp: {}", totals::lost_events(events_lost)));
    }
    lines.finish();
    Ok(code)
}

/// Switches the program's connections to the start-up: all of them, or those that reserve a rate.
enum Adopted {
    All(Adoption),
    Reserving(QosOption),
}

impl Adopted {
    fn new(
        startup: &Startup,
        cgroup: &ExecCgroup,
        arguments: &ExecArguments,
    ) -> Result<Adopted, Failure> {
        let Some(reservations) = startup.reservations()? else {
            return Ok(Adopted::All(Adoption::new(cgroup.path(), startup.name())?));
        };
        if let Startup::Own(_) = startup {
            // No limit is set. Everyone who may run this command may decide about the rates.
            reservations.set_limit(cgroup.path(), u64::MAX)?;
        }
        let max = reservations.max_bytes_per_s(cgroup.path())?;
        if let Some(rate) = arguments.qos_rate.filter(|&rate| rate > max) {
            let (rate, max) = (text::rate(rate), text::rate(max));
            let message = format!(
                "--qos-rate {rate}: no more than {max} may be reserved; `onramp qos` shows limits"
            );
            return Err(Failure::new(BAD_INPUT, message));
        }
        let default = arguments.qos_rate.map(|rate_bytes_per_s| Reservation {
            rate_bytes_per_s,
            burst_bytes: arguments.qos_burst.unwrap_or(0),
        });
        Ok(Adopted::Reserving(QosOption::new(
            cgroup.path(),
            &reservations,
            default,
        )?))
    }

    /// The number of connections that were switched, and of those that could not be.
    fn counts(&self) -> (u64, u64) {
        match self {
            Adopted::All(adoption) => adoption.counts(),
            Adopted::Reserving(option) => option.counts(),
        }
    }
}

/// The name of the start-up. Only one start-up can reserve a rate.
fn startup_name(arguments: &ExecArguments) -> Result<&str, Failure> {
    const RESERVING: &str = "qos";
    match (&arguments.startup, arguments.qos_rate) {
        (Some(name), Some(_)) if !onramp_core::reserves(name) => {
            let message = format!("--qos-rate needs start-up {RESERVING}; {name} reserves nothing");
            Err(Failure::new(BAD_INPUT, message))
        }
        (Some(name), _) => Ok(name),
        (None, Some(_)) => Ok(RESERVING),
        (None, None) => Ok(onramp_core::DEFAULT_STARTUP),
    }
}

/// The congestion control of the program: one that `load` registered, or one of this process.
enum Startup {
    Loaded(Loaded),
    Own(Registration),
}

impl Startup {
    fn choose(arguments: &ExecArguments) -> Result<Startup, Failure> {
        let name = startup_name(arguments)?;
        let loaded = Loaded::of_startup(name)?;
        let of_load = loaded
            .as_ref()
            .and_then(|loaded| Avoidance::named(loaded.avoidance));
        let avoidance = arguments
            .options
            .wanted_avoidance()
            .or(of_load)
            .unwrap_or(Avoidance::Cubic);
        let options = options(name, &arguments.options, avoidance, Lifetime::Process);
        // Only the process that registered a start-up receives its events.
        if let Some(loaded) = loaded.filter(|_| !arguments.events) {
            let wanted = Options {
                restricted: loaded.restricted, // `exec` does not choose as a user
                ..options.clone()
            };
            if loaded.check_options(&wanted).is_ok() {
                return Ok(Startup::Loaded(loaded));
            }
        }
        Ok(Startup::Own(Registration::new(&options)?))
    }

    fn name(&self) -> &str {
        match self {
            Startup::Loaded(loaded) => &loaded.name,
            Startup::Own(registration) => registration.name(),
        }
    }

    fn pairs(&self) -> onramp_kernel::Result<Option<PairsMap>> {
        match self {
            Startup::Loaded(loaded) => loaded.pairs(),
            Startup::Own(registration) => registration.pairs(),
        }
    }

    fn reservations(&self) -> onramp_kernel::Result<Option<Reservations>> {
        match self {
            Startup::Loaded(loaded) => loaded.reservations(),
            Startup::Own(registration) => registration.reservations(),
        }
    }

    /// The events for which the ring had no room.
    fn events_lost(&self) -> onramp_kernel::Result<u64> {
        let totals = match self {
            Startup::Loaded(loaded) => loaded.totals(),
            Startup::Own(registration) => registration.totals(),
        };
        Ok(totals?.events_lost)
    }

    fn print_events(&self, changes: &mut Option<Changes>, lines: &mut StderrLines) {
        let Startup::Own(registration) = self else {
            return;
        };
        // Taken in any case, so that the ring has room and the count of lost events says something.
        let events = registration.take_events();
        let Some(changes) = changes else {
            return;
        };
        for event in events {
            for change in changes.of(&event) {
                let ends = format!("{} -> {}", event.local, event.remote);
                let estimate = match change.estimate_bytes_per_s {
                    0 => String::new(),
                    rate => format!(", path {}", text::rate(rate)),
                };
                let (kind, what) = (change.kind, change.what);
                lines.print(format!(
                    "onramp: {ends} {kind} {what}: cwnd {}{estimate}",
                    text::bytes(change.cwnd_bytes)
                ));
            }
        }
    }
}

fn system(what: &str, error: impl Into<io::Error>) -> Failure {
    Failure::new(HOST_LACKS, format!("cannot {what}: {}", error.into()))
}

fn spawn(command: &[OsString], cgroup: &ExecCgroup) -> Result<Child, Failure> {
    let procs: File = OpenOptions::new()
        .write(true)
        .open(cgroup.procs())
        .map_err(|error| system(&format!("open {}", cgroup.procs().display()), error))?;
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]);
    let join = move || {
        io::Write::write_all(&mut &procs, b"0")?;
        // The program must not inherit the blocked signals of this process.
        Ok(SigSet::empty().thread_set_mask()?)
    };
    // SAFETY: the closure only makes two system calls, which is safe between fork and exec.
    unsafe { child.pre_exec(join) };
    child.spawn().map_err(|error| {
        let code = match error.kind() {
            io::ErrorKind::NotFound => NOT_FOUND,
            io::ErrorKind::PermissionDenied => NOT_RUNNABLE,
            _ => BAD_INPUT,
        };
        Failure::new(
            code,
            format!("cannot run {}: {error}", command[0].to_string_lossy()),
        )
    })
}

fn exited(child: &mut Child) -> Result<Option<ExitStatus>, Failure> {
    child
        .try_wait()
        .map_err(|error| system("wait for the program", error))
}

fn exit_code(status: ExitStatus) -> u8 {
    // As in a shell, the code of a program that a signal ended is 128 + the signal.
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1) as u8
}

/// Signals to this process. They are read one by one instead of ending the process, so that it can
/// clean up.
struct Signals {
    descriptor: SignalFd,
}

impl Signals {
    fn block() -> Result<Signals, Failure> {
        let mut set = SigSet::from_iter(FORWARDED);
        set.add(Signal::SIGCHLD);
        // A closed pipe is an error of a write to it. SIGPIPE would end this process before it
        // could clean up.
        let mut blocked = set;
        blocked.add(Signal::SIGPIPE);
        blocked
            .thread_block()
            .map_err(|error| system("block signals", error))?;
        let descriptor = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
            .map_err(|error| system("read signals", error))?;
        Ok(Signals { descriptor })
    }

    /// Waits for a signal, for 100 ms at most: there is no signal when a descendant ends that is
    /// not a child. Signals of a process are forwarded. Signals of the terminal are not, because
    /// the program has received them itself.
    fn wait(&mut self, cgroup: &ExecCgroup) -> Result<(), Failure> {
        let mut ready = [PollFd::new(self.descriptor.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut ready, PollTimeout::from(100u8));
        while let Some(info) = self
            .descriptor
            .read_signal()
            .map_err(|error| system("read signals", error))?
        {
            let signal = Signal::try_from(info.ssi_signo as i32)
                .ok()
                .filter(|signal| FORWARDED.contains(signal));
            if let Some(signal) = signal.filter(|_| info.ssi_code <= 0) {
                for process in cgroup.processes() {
                    let _ = kill(Pid::from_raw(process), signal); // it may have ended
                }
            }
        }
        Ok(())
    }
}
