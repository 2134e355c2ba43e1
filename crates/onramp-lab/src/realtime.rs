//! Making a thread punctual: its own CPU, real-time scheduling, exact timers. The effects are
//! limited to that thread.

use nix::libc;
use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
use nix::unistd::Pid;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// A CPU that no other lab of this machine uses for its link thread.
///
/// Two punctual threads on one CPU would make each other late. The lease is an abstract socket that
/// is bound and never used. Only one process can bind it at a time, and it is released when the
/// process ends at the latest.
pub struct CpuLease {
    cpu: usize,
    _socket: UnixDatagram,
}

impl CpuLease {
    /// Leases the highest free CPU. `None` if no other CPU would be left for the other threads.
    pub fn take() -> Option<CpuLease> {
        let allowed = allowed_cpus();
        allowed.iter().skip(1).rev().find_map(|&cpu| {
            let name = SocketAddr::from_abstract_name(format!("onramp-lab-cpu-{cpu}")).ok()?;
            Some(CpuLease {
                cpu,
                _socket: UnixDatagram::bind_addr(&name).ok()?,
            })
        })
    }

    /// The number of the CPU.
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

fn allowed_cpus() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    (0..CpuSet::count())
        .filter(|cpu| set.is_set(*cpu).unwrap_or(false))
        .collect()
}

/// Keeps the calling thread off the CPU of a link thread.
pub fn pin_away_from(cpu: Option<usize>) {
    let others: Vec<usize> = allowed_cpus()
        .into_iter()
        .filter(|other| Some(*other) != cpu)
        .collect();
    if cpu.is_some() && !others.is_empty() {
        let _ = pin(&others);
    }
}

/// A thread that is kept off the CPU of a link thread until this value is dropped: the links of the
/// next path, which the thread may start, get a CPU of their own only from those of the thread.
#[must_use = "the thread returns to all CPUs when this value is dropped"]
pub struct KeptOff {
    before: Vec<usize>,
    /// The value belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl KeptOff {
    pub(crate) fn of(cpu: Option<usize>) -> KeptOff {
        let before = allowed_cpus();
        pin_away_from(cpu);
        KeptOff {
            before,
            _not_send: PhantomData,
        }
    }
}

impl Drop for KeptOff {
    fn drop(&mut self) {
        let _ = pin(&self.before);
    }
}

fn pin(cpus: &[usize]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|cpu| set.set(*cpu))?;
    sched_setaffinity(Pid::from_raw(0), &set)
}

/// Lets the calling thread run before all ordinary threads, and behind a link thread. Without the
/// permission it has the priority that it had.
pub fn run_before_ordinary_threads() {
    let _ = set_policy(libc::SCHED_RR, 1);
}

/// Length of the periods for which the real-time budget is granted.
const PERIOD_NS: u64 = 100_000_000;
/// Time for which the thread may run as SCHED_FIFO in each period. The kernel stops real-time
/// threads for 50 ms once they have run for 950 ms of a second (sched_rt_runtime_us, and the fair
/// server since Linux 6.12). This budget stays below that limit.
const FIFO_NS: u64 = 90_000_000;

/// The wide and the narrow margin of [`Realtime::margin_ns`].
const WIDE_MARGIN_NS: u64 = 300_000;
const NARROW_MARGIN_NS: u64 = 60_000;

/// The real-time state of the calling thread. The kernel undoes it when the thread ends.
pub struct Realtime {
    _awake: Option<File>,
    cpu: Option<usize>,
    stolen_before_ms: u64,
    fifo_is_permitted: bool,
    is_fifo: bool,
    period_end_ns: u64,
    fifo_left_ns: u64,
    last_seen_ns: u64,
    /// What the host did not permit, and how to permit it.
    pub notes: Vec<String>,
}

impl Realtime {
    /// Makes the calling thread as punctual as the host permits: its own CPU, SCHED_FIFO, exact
    /// timers, and no deep sleep of idle CPUs (until the descriptor of /dev/cpu_dma_latency
    /// closes).
    pub fn enter(cpu: Option<usize>) -> Realtime {
        let mut notes = Vec::new();
        match cpu {
            Some(cpu) => {
                if let Err(errno) = pin(&[cpu]) {
                    notes.push(format!(
                        "the link thread could not be pinned to CPU {cpu} ({errno})"
                    ));
                }
            }
            None => notes.push(
                "the link thread shares its CPU: run one lab at a time, on a machine with two CPUs \
                 or more"
                    .into(),
            ),
        }
        // SAFETY: system calls without pointers, for the calling thread.
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, 1);
            libc::setpriority(libc::PRIO_PROCESS, 0, -20);
        }
        let fifo = set_policy(libc::SCHED_FIFO, 50);
        if let Err(error) = &fifo {
            notes.push(format!(
                "the link thread runs without SCHED_FIFO ({error}): it needs CAP_SYS_NICE, and a \
                 cgroup with real-time runtime"
            ));
        }
        Realtime {
            _awake: keep_awake().ok(),
            cpu,
            stolen_before_ms: cpu.and_then(stolen_ms).unwrap_or(0),
            fifo_is_permitted: fifo.is_ok(),
            is_fifo: fifo.is_ok(),
            period_end_ns: 0,
            fifo_left_ns: 0,
            last_seen_ns: 0,
            notes,
        }
    }

    /// Accounts for the running time; must be called in every turn of the thread's loop. When the
    /// budget is spent, the thread runs at the best ordinary priority for the rest of the period,
    /// and yields only if another thread needs its CPU.
    pub fn account(&mut self, now_ns: u64) {
        if !self.fifo_is_permitted {
            return;
        }
        if now_ns >= self.period_end_ns {
            self.period_end_ns = now_ns + PERIOD_NS;
            self.fifo_left_ns = FIFO_NS;
            if !self.is_fifo {
                self.is_fifo = set_policy(libc::SCHED_FIFO, 50).is_ok();
            }
        } else if self.is_fifo {
            self.fifo_left_ns = self.fifo_left_ns.saturating_sub(now_ns - self.last_seen_ns);
            if self.fifo_left_ns == 0 {
                self.is_fifo = set_policy(libc::SCHED_OTHER, 0).is_err();
            }
        }
        self.last_seen_ns = now_ns;
    }

    /// Time that a hypervisor withheld this thread's CPU since [`Realtime::enter`], in
    /// milliseconds.
    pub fn stolen_ms(&self) -> u64 {
        self.cpu
            .and_then(stolen_ms)
            .unwrap_or(0)
            .saturating_sub(self.stolen_before_ms)
    }

    /// How long before a departure the thread wakes up and spins. A sleeping thread wakes up 20 us
    /// late on an idle machine, and much later if its CPU executes a long system call. The margin
    /// is wide while more than half of the budget is left, as in the first trains after a pause,
    /// and narrow otherwise. A thread that shares its CPU does not spin: the ends could not read
    /// and write meanwhile.
    pub fn margin_ns(&self) -> u64 {
        if self.cpu.is_none() {
            0
        } else if self.is_fifo && self.fifo_left_ns > FIFO_NS / 2 {
            WIDE_MARGIN_NS
        } else {
            NARROW_MARGIN_NS
        }
    }

    /// Must be called after sleeping. Sleeping costs no budget.
    pub fn slept_until(&mut self, now_ns: u64) {
        self.last_seen_ns = now_ns;
    }
}

fn set_policy(policy: i32, sched_priority: i32) -> io::Result<()> {
    let parameter = libc::sched_param { sched_priority };
    // SAFETY: for the calling thread, with plain data that outlives the call.
    match unsafe { libc::sched_setscheduler(0, policy, &parameter) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The `steal` column of /proc/stat, in milliseconds.
fn stolen_ms(cpu: usize) -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let line = stat
        .lines()
        .find_map(|line| line.strip_prefix(&format!("cpu{cpu} ")))?;
    let ticks: u64 = line.split_whitespace().nth(7)?.parse().ok()?;
    let ticks_per_s = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
    Some(ticks * 1000 / ticks_per_s as u64)
}

fn keep_awake() -> io::Result<File> {
    let mut latency = OpenOptions::new()
        .write(true)
        .open("/dev/cpu_dma_latency")?;
    latency.write_all(&0i32.to_ne_bytes())?;
    Ok(latency)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cpu_is_leased_twice() {
        let leases: Vec<CpuLease> = std::iter::from_fn(CpuLease::take).collect();
        let mut cpus: Vec<usize> = leases.iter().map(CpuLease::cpu).collect();
        cpus.dedup();
        assert_eq!(cpus.len(), leases.len());
        assert!(leases.len() < allowed_cpus().len());
    }

    #[test]
    fn a_thread_that_was_kept_off_a_cpu_returns_to_it() {
        let before = allowed_cpus();
        let [.., cpu] = before[..] else { return };
        let kept_off = KeptOff::of(Some(cpu));
        // A thread with one CPU keeps it.
        assert_eq!(allowed_cpus().contains(&cpu), before.len() == 1);
        drop(kept_off);
        assert_eq!(allowed_cpus(), before);
    }
}
