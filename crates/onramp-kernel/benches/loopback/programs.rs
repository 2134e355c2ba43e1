//! The time of a call of each BPF program, from the kernel's own statistics.

use crate::exchanges::Exchanges;
use crate::figures::Program;
use crate::namespace::{DEFAULT, LOOPBACKS, MTU_1500};
use crate::transfer::{bulk, Bursts};
use crate::Result;
use libbpf_rs::{libbpf_sys, ProgramHandle};
use onramp_kernel::{connections, Connection, Options, Registration};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

/// The kernel truncates the names of programs to 15 characters.
const NAME_CHARACTERS: usize = 15;

/// The members that the kernel calls for an ACK of new data. Which of them there are depends on the
/// avoidance and the kernel, and cong_avoid leaves out ACKs in recovery.
const ACK_MEMBERS: [&str; 4] = ["acked", "cong_avoid", "control", "control_v1"];

/// Linux's initial window at an MTU of 1500. A burst of it is acknowledged at once.
const BURST_BYTES: usize = 10 * 1448;
/// Bursts or exchanges of a connection. After 100 small messages it would leave the start-up
/// (HOST_MAX_QUIET_ACKS of core/host.h).
const MESSAGES: usize = 80;
const CONNECTIONS: usize = 50;

/// What is measured, the bytes that the connection sends before the bursts, and the phase of its
/// start-up after them.
const SITUATIONS: [(&str, usize, &str); 2] = [
    ("bursts, start-up under way", 1, "slow-start"),
    ("bursts, start-up over", 64 << 20, "done"),
];

/// All programs of one start-up: during the start-up, after it, in bulk transfers, and in small
/// exchanges.
pub fn measure(startup: &str, length: Duration, cpus: [usize; 2]) -> Result<Vec<Program>> {
    let registration = Registration::new(&Options::new(startup))?;
    let name = registration.name();
    let mut all = Vec::new();
    for (situation, bytes_before, expected) in SITUATIONS {
        let mut all_calls = Calls::default();
        let mut other_phase = None;
        for _ in 0..CONNECTIONS {
            let (calls, phase) = MTU_1500.run(|| -> Result<_> {
                let mut bursts = Bursts::new(name, bytes_before, cpus)?;
                let (calls, sent) = counted(|| bursts.send(BURST_BYTES, cpus, MESSAGES))?;
                sent?;
                let phase = connection(name, bursts.sender.local_addr()?).map(|c| c.phase);
                Ok((calls, phase))
            })??;
            if phase == Some(expected) {
                all_calls.add(calls);
            } else {
                other_phase = phase;
            }
        }
        if all_calls.0.is_empty() {
            eprintln!(
                "loopback: {name}: {situation}: no figures: the phase is {other_phase:?}, not \
                 {expected}"
            );
        }
        all.extend(all_calls.figures(startup, situation));
    }
    for loopback in &LOOPBACKS {
        let (calls, transfer) = loopback.run(|| counted(|| bulk(name, length, cpus)))??;
        transfer?;
        let situation = format!("bulk, {}", loopback.label);
        all.extend(calls.figures(startup, &situation));
    }
    let mut all_calls = Calls::default();
    for _ in 0..CONNECTIONS {
        let calls = DEFAULT.run(|| -> Result<_> {
            let mut exchanges = Exchanges::new(name, cpus[0], 1)?;
            let (calls, made) = counted(|| exchanges.run(MESSAGES))?;
            made?;
            Ok(calls)
        })??;
        all_calls.add(calls);
    }
    all.extend(all_calls.figures(startup, "small exchanges"));
    Ok(all)
}

fn connection(name: &str, local: SocketAddr) -> Option<Connection> {
    connections()
        .ok()?
        .into_iter()
        .find(|c| c.congestion_control == name && c.local == local)
}

/// The time of all calls in nanoseconds, and their number, by member of tcp_congestion_ops.
#[derive(Default)]
struct Calls(BTreeMap<String, (u64, u64)>);

impl Calls {
    fn add(&mut self, other: Calls) {
        for (member, (ns, count)) in other.0 {
            let sum = self.0.entry(member).or_default();
            sum.0 += ns;
            sum.1 += count;
        }
    }

    fn figures(self, startup: &str, situation: &str) -> Vec<Program> {
        let calls_of = |member| self.0.get(member).map_or(0, |calls| calls.1);
        let acks = ACK_MEMBERS.into_iter().map(calls_of).max().unwrap_or(0);
        self.0
            .into_iter()
            .filter(|(_, (_, count))| *count * 100 > acks) // Calls once a connection are too few.
            .map(|(program, (ns, count))| Program {
                startup: startup.to_owned(),
                situation: situation.to_owned(),
                program,
                calls: count,
                calls_per_ack: count as f64 / acks as f64,
                ns_per_call: ns as f64 / count as f64,
            })
            .collect()
    }
}

/// Counts the calls of this process's programs during `work`. Statistics are enabled only then.
fn counted<T>(work: impl FnOnce() -> T) -> io::Result<(Calls, T)> {
    // SAFETY: a plain system call that returns a descriptor or an error.
    let statistics = match unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) } {
        errno if errno < 0 => return Err(io::Error::from_raw_os_error(-errno)),
        // SAFETY: the descriptor is new, and nobody else owns it.
        descriptor => unsafe { OwnedFd::from_raw_fd(descriptor) },
    };
    let before = own_programs()?;
    let result = work();
    let mut calls = own_programs()?;
    drop(statistics);
    for (name, (ns, count)) in &mut calls {
        let (ns_before, count_before) = before.get(name).copied().unwrap_or_default();
        *ns -= ns_before;
        *count -= count_before;
    }
    Ok((Calls(calls), result))
}

/// The statistics of the programs that this process holds. The kernel writes them to the fdinfo of
/// the programs' descriptors.
fn own_programs() -> io::Result<BTreeMap<String, (u64, u64)>> {
    let mut programs = BTreeMap::new();
    for descriptor in fs::read_dir("/proc/self/fdinfo")? {
        let Ok(text) = fs::read_to_string(descriptor?.path()) else {
            continue;
        };
        let field = |name: &str| -> Option<u64> {
            text.lines().find_map(|line| {
                line.strip_prefix(name)?
                    .strip_prefix(':')?
                    .trim()
                    .parse()
                    .ok()
            })
        };
        if let (Some(id), Some(ns), Some(count)) =
            (field("prog_id"), field("run_time_ns"), field("run_cnt"))
        {
            let program = ProgramHandle::from_prog_id(id as u32).map_err(io::Error::other)?;
            let name = program.name().to_string_lossy();
            let whole = onramp_bpf::bindings::programs::ALL
                .iter()
                .find(|whole| format!("{whole:.NAME_CHARACTERS$}") == name);
            let whole = whole.map_or(name.as_ref(), |whole| whole);
            let member = whole.strip_prefix("onramp_").unwrap_or(whole);
            programs.insert(member.to_owned(), (ns, count));
        }
    }
    Ok(programs)
}
