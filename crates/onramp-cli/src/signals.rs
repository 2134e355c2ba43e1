//! Signals to a command that runs other programs: they are forwarded, so that the command can clean
//! up after them.

use crate::failure::{Failure, HOST_LACKS};
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// The exit codes of a shell for a program that it cannot find, or may not run.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// Signals that are forwarded to the program.
pub const FORWARDED: [Signal; 4] = [
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
];

/// Signals to this process. They are read one by one instead of ending the process, so that it can
/// clean up.
pub struct Signals {
    descriptor: SignalFd,
}

impl Signals {
    /// Blocks the signals of this thread, and of those that it starts.
    pub fn block() -> Result<Signals, Failure> {
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
    /// not a child. Calls `forward` with each signal of a process. Signals of the terminal are
    /// left out, because the program has received them itself. Returns whether there was one.
    pub fn wait(&mut self, mut forward: impl FnMut(Signal)) -> Result<bool, Failure> {
        let mut ready = [PollFd::new(self.descriptor.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut ready, PollTimeout::from(100u8));
        let mut is_from_terminal = false;
        while let Some(info) = self
            .descriptor
            .read_signal()
            .map_err(|error| system("read signals", error))?
        {
            let signal = Signal::try_from(info.ssi_signo as i32)
                .ok()
                .filter(|signal| FORWARDED.contains(signal));
            match signal {
                Some(signal) if info.ssi_code <= 0 => forward(signal),
                Some(_) => is_from_terminal = true,
                None => {}
            }
        }
        Ok(is_from_terminal)
    }
}

/// A system call that this command needs has failed.
pub fn system(what: &str, error: impl Into<io::Error>) -> Failure {
    Failure::new(HOST_LACKS, format!("cannot {what}: {}", error.into()))
}

/// A program could not be started. The exit code is that of a shell.
pub fn not_started(program: &std::ffi::OsStr, error: &io::Error) -> Failure {
    let code = match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        io::ErrorKind::PermissionDenied => NOT_RUNNABLE,
        _ => crate::failure::BAD_INPUT,
    };
    Failure::new(
        code,
        format!("cannot run {}: {error}", program.to_string_lossy()),
    )
}

/// The status of a program that has ended; `None` while it runs.
pub fn exited(child: &mut Child) -> Result<Option<ExitStatus>, Failure> {
    child
        .try_wait()
        .map_err(|error| system("wait for the program", error))
}

/// The exit code of a program as a shell has it: that of a program that a signal ended is 128 + the
/// signal.
pub fn exit_code(status: ExitStatus) -> u8 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1) as u8
}
