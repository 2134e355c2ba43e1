//! `onramp exec`: runs a program in a cgroup. The connections of the cgroup use a start-up.

use super::load::options;
use crate::cli::ExecArguments;
use crate::event_lines::{kernel_clock_zero_s, EventLine};
use crate::journal::{self, Journal, Priority};
use nix::sys::signal::{kill, SigSet, Signal};
use nix::unistd::Pid;
use onramp_cli::failure::{Failure, BAD_INPUT, HOST_LACKS};
use onramp_cli::signals::{exit_code, exited, not_started, system, Signals};
use onramp_cli::stderr_lines::StderrLines;
use onramp_cli::text;
use onramp_cli::Answer;
use onramp_kernel::{
    Adoption, Avoidance, Changes, ExecCgroup, Lifetime, Loaded, Options, PairOption, QosOption,
    Registration, Reservation,
};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

pub fn run(arguments: &ExecArguments, json: bool) -> Answer {
    let journal = arguments.journal.then(open_journal).transpose()?;
    let startup = Startup::choose(arguments)?;
    let cgroup = ExecCgroup::create()?;
    let _option = startup
        .pairs()?
        .map(|pairs| PairOption::new(cgroup.path(), &pairs, None))
        .transpose()?;
    let adoption = Adopted::new(&startup, &cgroup, arguments)?;
    let mut signals = Signals::block()?;
    let mut child = spawn(&arguments.command, &cgroup)?;
    let mut lines = StderrLines::new(json);

    let mut events = arguments.events.then(|| Events {
        changes: Changes::default(),
        journal,
    });
    let status = loop {
        signals.wait(|signal| forward(signal, &cgroup))?;
        startup.print_events(&mut events, &mut lines, json);
        if let Some(status) = exited(&mut child)? {
            break status;
        }
    };
    let remaining = cgroup.processes().len();
    if remaining > 0 {
        let program = arguments.command[0].to_string_lossy();
        lines.print(match json {
            true => serde_json::json!({ "ended": program, "remaining_processes": remaining })
                .to_string(),
            false => format!(
                "onramp: {program} has ended; staying for {} that it started",
                text::count(remaining, "process")
            ),
        });
    }
    while !cgroup.processes().is_empty() {
        signals.wait(|signal| forward(signal, &cgroup))?;
        startup.print_events(&mut events, &mut lines, json);
    }
    startup.print_events(&mut events, &mut lines, json);

    let events_lost = match arguments.events {
        true => startup.totals()?.events_lost,
        false => 0, // Nobody took them.
    };
    let code = exit_code(status);
    let (adopted, refused) = adoption.counts();
    if json {
        let summary = serde_json::json!({
            "congestion_control": startup.name,
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
            startup.name
        ));
    }
    if events_lost > 0 && !json {
        lines.print(format!("onramp: {}", text::lost_events(events_lost)));
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
            let timers = arguments.options.timers.timers();
            return Ok(Adopted::All(Adoption::new(
                cgroup.path(),
                &startup.name,
                timers,
            )?));
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

impl Deref for Startup {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        match self {
            Startup::Loaded(loaded) => loaded,
            Startup::Own(registration) => registration,
        }
    }
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
            .avoidance
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

    fn print_events(&self, printed: &mut Option<Events>, lines: &mut StderrLines, json: bool) {
        let Startup::Own(registration) = self else {
            return;
        };
        // Taken in any case, so that the ring has room and the count of lost events says something.
        let events = registration.take_events();
        let Some(printed) = printed else {
            return;
        };
        let zero_s = kernel_clock_zero_s();
        for event in events {
            for change in printed.changes.of(&event) {
                let line = EventLine::of(registration.name(), &event, change, zero_s);
                if printed
                    .journal
                    .as_ref()
                    .is_some_and(|journal| send(journal, &line))
                {
                    continue;
                }
                lines.print(match json {
                    true => line.json(),
                    false => format!("onramp: {}", line.text()),
                });
            }
        }
    }
}

/// Where events go, and what they are derived from.
struct Events {
    changes: Changes,
    /// Instead of standard error
    journal: Option<Journal>,
}

fn open_journal() -> Result<Journal, Failure> {
    Journal::open().map_err(|error| {
        let message = format!(
            "no journal takes messages at {}: {error}; leave out --journal, and the events go to \
             standard error",
            journal::SOCKET
        );
        Failure::new(HOST_LACKS, message)
    })
}

/// Sends an event to the journal. Returns false if the journal did not take it.
fn send(journal: &Journal, line: &EventLine) -> bool {
    let fields = line.fields();
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    journal.send(Priority::Info, &line.text(), &fields)
}

pub(super) fn spawn(command: &[OsString], cgroup: &ExecCgroup) -> Result<Child, Failure> {
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
    child
        .spawn()
        .map_err(|error| not_started(&command[0], &error))
}

/// Sends a signal to all processes of a cgroup.
pub(super) fn forward(signal: Signal, cgroup: &ExecCgroup) {
    for process in cgroup.processes() {
        let _ = kill(Pid::from_raw(process), signal); // it may have ended
    }
}
