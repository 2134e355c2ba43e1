//! How long a thread waited for a CPU.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Watches for how long its thread could have run and waited for a CPU: the second number of
/// `/proc/PID/task/TID/schedstat`. Where the kernel does not count it, no wait is found.
pub struct CpuWait {
    schedstat: Option<File>,
    /// The wait until the last check, since the start of the thread.
    waited_ns: u64,
    longest_ns: u64,
}

impl CpuWait {
    /// Begins to watch the calling thread.
    pub fn of_this_thread() -> CpuWait {
        let schedstat = File::open("/proc/thread-self/schedstat").ok();
        let waited_ns = schedstat.as_ref().and_then(run_delay_ns).unwrap_or(0);
        CpuWait {
            schedstat,
            waited_ns,
            longest_ns: 0,
        }
    }

    /// Looks how long the thread has waited since the last check. The call takes a microsecond.
    pub fn check(&mut self) {
        if let Some(waited_ns) = self.schedstat.as_ref().and_then(run_delay_ns) {
            self.longest_ns = self
                .longest_ns
                .max(waited_ns.saturating_sub(self.waited_ns));
            self.waited_ns = waited_ns;
        }
    }

    /// The longest wait between two checks.
    pub fn longest_ns(&self) -> u64 {
        self.longest_ns
    }
}

fn run_delay_ns(schedstat: &File) -> Option<u64> {
    // Three numbers of 64 bits, two blanks and a line break.
    let mut buffer = [0; 3 * 20 + 3];
    let length = schedstat.read_at(&mut buffer, 0).ok()?;
    parsed(std::str::from_utf8(&buffer[..length]).ok()?)
}

/// The run delay among time on a CPU, run delay and number of time slices.
fn parsed(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
    use nix::unistd::Pid;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::Arc;

    #[test]
    fn the_run_delay_is_the_second_number() {
        assert_eq!(parsed("812 2703892 1\n"), Some(2_703_892));
        assert_eq!(parsed(""), None);
        assert_eq!(parsed("812 many 1\n"), None);
    }

    /// Keeps the calling thread on the first CPU that it may use.
    fn stay_on_one_cpu(cpus: &CpuSet) {
        let mut first = CpuSet::new();
        let usable = (0..CpuSet::count()).find(|cpu| cpus.is_set(*cpu).unwrap_or(false));
        first.set(usable.unwrap_or(0)).unwrap();
        sched_setaffinity(Pid::from_raw(0), &first).unwrap();
    }

    #[test]
    fn a_thread_that_shares_its_cpu_waits() {
        let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        if schedstat.split_whitespace().all(|number| number == "0") {
            eprintln!("note: this kernel does not count run delays: not tested");
            return;
        }
        let cpus = sched_getaffinity(Pid::from_raw(0)).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let other = std::thread::spawn(move || {
            stay_on_one_cpu(&cpus);
            while !stopped.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let own = std::thread::spawn(move || {
            stay_on_one_cpu(&cpus);
            let mut wait = CpuWait::of_this_thread();
            // Two threads that never sleep share a CPU: each waits for the other's time slices.
            while wait.longest_ns() < 500_000 {
                wait.check();
            }
        });
        own.join().unwrap();
        stop.store(true, Ordering::Relaxed);
        other.join().unwrap();
    }
}
