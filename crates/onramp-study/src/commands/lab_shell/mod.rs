//! `onramp lab shell`: runs a program whose way to this host, or to a server, crosses the links of
//! a scenario.

mod ends;
mod program;
mod startup;
mod summary;

use super::{lab, runs};
use crate::cli::ShellArguments;
use ends::{words, Ends, SERVER};
use nix::sys::signal::Signal;
use onramp_cli::failure::{Failure, BAD_INPUT, HOST_LACKS, INTERRUPTED};
use onramp_cli::signals::Signals;
use onramp_cli::stderr_lines::StderrLines;
use onramp_cli::text;
use onramp_cli::Answer;
use onramp_lab::{Path, PathEnd};
use onramp_scenario::{units, Case};
use program::{Program, Surroundings};
use startup::StartupOfShell;
use std::ffi::OsString;
use std::fs;
use std::time::{Duration, Instant};
use summary::Summary;

/// After this time the command starts even if its server listens on no port.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);
/// A server that has been asked to end is ended after this time.
const GRACE: Duration = Duration::from_secs(2);

pub fn run(arguments: &ShellArguments, json: bool) -> Answer {
    let scenario = runs::read(std::slice::from_ref(&arguments.file))?.remove(0);
    let case = choose(&scenario.cases, arguments)?;
    let signals = Signals::block()?;
    let client = PathEnd::from(arguments.end);
    let server = client.other();
    let on_this_host = arguments.server.is_none().then_some(server);
    let path = Path::open(case, on_this_host).map_err(lab::failure)?;
    let _kept_off = path.keep_off_the_link_cpu();
    let startup = StartupOfShell::new(arguments, &path)?;
    let ends = Ends::of(&path, client);
    let mut shell = Shell {
        path: &path,
        startup: &startup,
        hosts: ends.hosts(),
        environment: ends.environment(),
        signals,
        lines: StderrLines::new(json),
    };
    if !json {
        let cases = scenario.cases.len();
        greet(&mut shell.lines, case, cases, &ends, on_this_host.is_some());
    }
    let mut serving = None;
    if let Some(command) = &arguments.server {
        let mut program = shell.start(&["sh", "-c", command].map(OsString::from), server, true)?;
        if let Some(code) = shell.wait_until_it_listens(&mut program, server)? {
            shell.lines.finish();
            return Ok(code);
        }
        serving = Some(program);
    }
    let begin = Instant::now();
    let program = shell.start(&command_of(arguments), client, false)?;
    let exit_code = shell.attend(program, serving.as_mut())?;
    let took = begin.elapsed();
    shell.end(serving)?;
    let mut lines = shell.lines;
    let adopted = startup.counts();
    let report = path.finish().map_err(lab::failure)?;
    let Some(exit_code) = exit_code else {
        return Err(Failure::new(HOST_LACKS, "the emulated link has stopped"));
    };
    let summary = Summary {
        exit_code,
        took,
        report,
        client,
        adopted,
    };
    match json {
        true => lines.print(summary.json().to_string()),
        false => summary
            .lines()
            .into_iter()
            .for_each(|line| lines.print(line)),
    }
    lines.finish();
    Ok(exit_code)
}

/// The programs of a shell, and what they have around them.
struct Shell<'a> {
    path: &'a Path,
    startup: &'a StartupOfShell,
    hosts: String,
    environment: Vec<(&'static str, String)>,
    signals: Signals,
    lines: StderrLines,
}

impl Shell<'_> {
    /// Starts a program at an end of the path.
    fn start(
        &self,
        command: &[OsString],
        end: PathEnd,
        in_background: bool,
    ) -> Result<Program, Failure> {
        let surroundings = Surroundings {
            namespace: self.path.namespace(end),
            hosts: &self.hosts,
            environment: &self.environment,
            cgroup: self.startup.cgroup(),
            in_background,
        };
        Program::start(command, &surroundings)
    }

    /// Waits until a server has a socket that others can reach. Returns the exit code if it ends
    /// before, or the user ends it.
    fn wait_until_it_listens(
        &mut self,
        server: &mut Program,
        end: PathEnd,
    ) -> Result<Option<u8>, Failure> {
        let begin = Instant::now();
        loop {
            if let Some(code) = server.exit_code()? {
                self.lines.print(format!(
                    "onramp: the server ended with exit code {code} before it listened; the \
                     command was not started"
                ));
                return Ok(Some(if code == 0 { BAD_INPUT } else { code }));
            }
            let namespace = self.path.namespace(end);
            if namespace.run(has_open_port).map_err(lab::failure)? {
                return Ok(None);
            }
            if begin.elapsed() > SERVER_PATIENCE {
                let note = "onramp: the server listens on no port yet; the command starts anyway";
                self.lines.print(note.to_owned());
                return Ok(None);
            }
            // The server is not a program of the terminal.
            if self.signals.wait(|signal| server.signal(signal))? {
                return Ok(Some(INTERRUPTED));
            }
        }
    }

    /// Waits for the end of the command, and returns its exit code; `None` if the links have
    /// stopped before, which ends it.
    fn attend(
        &mut self,
        mut program: Program,
        mut server: Option<&mut Program>,
    ) -> Result<Option<u8>, Failure> {
        loop {
            self.signals.wait(|signal| program.signal(signal))?;
            if let Some(code) = program.exit_code()? {
                return Ok(Some(code));
            }
            if self.path.has_failed() {
                return Ok(None);
            }
            let Some(running) = &mut server else { continue };
            if let Some(code) = running.exit_code()? {
                let note = format!("onramp: the server has ended with exit code {code}");
                self.lines.print(note);
                server = None;
            }
        }
    }

    /// Asks the server to end, and ends it.
    fn end(&mut self, server: Option<Program>) -> Result<(), Failure> {
        let Some(mut server) = server else {
            return Ok(());
        };
        let begin = Instant::now();
        server.signal(Signal::SIGTERM);
        while server.exit_code()?.is_none() && begin.elapsed() < GRACE {
            self.signals.wait(|_| {})?;
        }
        Ok(())
    }
}

/// The case of the scenario that the user wants.
fn choose<'a>(cases: &'a [Case], arguments: &ShellArguments) -> Result<&'a Case, Failure> {
    let number = arguments.case.map_or(1, |number| number.get() as usize);
    cases.get(number - 1).ok_or_else(|| {
        let message = format!(
            "--case {number}: {} has {}",
            arguments.file.display(),
            text::count(cases.len(), "case")
        );
        Failure::new(BAD_INPUT, message)
    })
}

/// The command, or the user's shell.
fn command_of(arguments: &ShellArguments) -> Vec<OsString> {
    match arguments.command.is_empty() {
        false => arguments.command.clone(),
        true => vec![std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into())],
    }
}

/// Says what the path is, and how the other end is reached.
fn greet(lines: &mut StderrLines, case: &Case, cases: usize, ends: &Ends, is_this_host: bool) {
    let channel = &case.path.forward;
    let number = match cases {
        1 => String::new(),
        _ => format!(", case {} of {cases} (--case)", case.number),
    };
    lines.print(format!(
        "onramp: {}{number}: {}, {}, queue {}; `{SERVER}` is {}{}",
        case.scenario,
        units::format_rate(channel.rate_bits_per_s),
        units::format_time(case.path.rtt_ns),
        channel.queue,
        words(&ends.server),
        if is_this_host { ", this host" } else { "" }
    ));
}

/// Whether a TCP socket listens, or a UDP socket is bound, in the namespace of this thread.
fn has_open_port() -> bool {
    const LISTEN: &str = "0A";
    let has_socket = |file: &str, is_open: fn(&str) -> bool| {
        let text = fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default();
        text.lines().skip(1).any(|line| {
            // The columns are a number, the two ends, and the state.
            line.split_whitespace().nth(3).is_some_and(is_open)
        })
    };
    ["tcp", "tcp6"]
        .iter()
        .any(|file| has_socket(file, |state| state == LISTEN))
        || ["udp", "udp6"]
            .iter()
            .any(|file| has_socket(file, |_| true))
}
