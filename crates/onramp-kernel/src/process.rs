//! Processes by identity: a PID alone may be reused.

use std::fs;

/// When a process started, in clock ticks since boot; `None` if it does not run.
pub(crate) fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may contain anything; field 22 is the 20th behind it.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .parse()
        .ok()
}

pub(crate) fn is_running(pid: u32, ticks: u64) -> bool {
    start_ticks(pid) == Some(ticks)
}
