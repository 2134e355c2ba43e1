//! Processes by PID and start time, because PIDs are reused, and the files of /proc.

use crate::{Error, Result};
use nix::errno::Errno;
use nix::libc::{syscall, SYS_pidfd_open};
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::time::{clock_gettime, ClockId};
use std::fs;
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

/// The text of a file of /proc.
pub(crate) fn read_text(file: &str) -> Result<String> {
    fs::read_to_string(file).map_err(|error| Error::io(format!("read {file}"), error))
}

/// The time of a clock in nanoseconds.
pub(crate) fn now_ns(clock: ClockId) -> Result<u64> {
    let now =
        clock_gettime(clock).map_err(|error| Error::io(format!("read {clock:?}"), error.into()))?;
    Ok(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}

/// When a process started, in clock ticks since boot; `None` if it does not run.
pub(crate) fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2, the name in parentheses, may contain anything. starttime is field 22, the 20th after
    // the last parenthesis.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .parse()
        .ok()
}

/// Does the process that started at this time still run?
pub(crate) fn is_running(pid: u32, ticks: u64) -> bool {
    start_ticks(pid) == Some(ticks)
}

/// Waits until a process ends, at most so long. Returns whether it has ended.
pub fn ends_within(pid: u32, at_most: Duration) -> bool {
    // SAFETY: a plain system call that returns a descriptor or -1.
    let descriptor = unsafe { syscall(SYS_pidfd_open, pid, 0) };
    if descriptor < 0 {
        return Errno::last() == Errno::ESRCH;
    }
    // SAFETY: the descriptor is new, and nobody else owns it.
    let process = unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) };
    let deadline = Instant::now() + at_most;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let mut ends = [PollFd::new(process.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ends, timeout) {
            Err(Errno::EINTR) => {}
            Ok(ready) if ready > 0 => return true,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_end_of_a_process_is_waited_for_and_not_longer() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(!ends_within(child.id(), Duration::from_millis(1)));
        drop(child.stdin.take());
        assert!(ends_within(child.id(), Duration::from_secs(1200)));
        child.wait().unwrap();
        assert!(
            ends_within(child.id(), Duration::ZERO),
            "there is no such process"
        );
    }
}
