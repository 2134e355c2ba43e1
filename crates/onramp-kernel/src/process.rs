//! Processes by PID and start time, because PIDs are reused.

use std::fs;

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
