//! How long a thread waited for a CPU.

use std::fs;

/// The time for which the calling thread could have run and waited for a CPU, since it started. It
/// is the second number of `/proc/PID/task/TID/schedstat`. 0 where the kernel does not count it.
pub fn cpu_wait_ns() -> u64 {
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    run_delay_ns(&schedstat).unwrap_or(0)
}

/// The run delay among the numbers of a schedstat: time on a CPU, run delay, time slices.
fn run_delay_ns(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sched::{sched_setaffinity, CpuSet};
    use nix::unistd::Pid;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::Arc;

    #[test]
    fn the_run_delay_is_the_second_number() {
        assert_eq!(run_delay_ns("812 2703892 1\n"), Some(2_703_892));
        assert_eq!(run_delay_ns(""), None);
        assert_eq!(run_delay_ns("812 many 1\n"), None);
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
        let schedstat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        if schedstat.split_whitespace().all(|number| number == "0") {
            eprintln!("note: this kernel does not count run delays: not tested");
            return;
        }
        let cpus = nix::sched::sched_getaffinity(Pid::from_raw(0)).unwrap();
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
            let before_ns = cpu_wait_ns();
            // Two threads that never sleep share one CPU: each waits after some milliseconds.
            while cpu_wait_ns() < before_ns + 5_000_000 {
                std::hint::spin_loop();
            }
        });
        own.join().unwrap();
        stop.store(true, Ordering::Relaxed);
        other.join().unwrap();
    }
}
