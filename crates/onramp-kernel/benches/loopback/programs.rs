//! The time of a call of each BPF program, from the kernel's own statistics.

use crate::exchanges::Exchanges;
use crate::figures::Program;
use crate::namespace::{DEFAULT, LOOPBACKS, MTU_1500};
use crate::transfer::{bulk, segments_received, Bursts};
use crate::Result;
use onramp_kernel::{connections, count_calls, Connection, Options, ProgramCost, Registration};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// The members that the kernel calls for an ACK of new data. Which of them there are depends on the
/// avoidance and the kernel, and cong_avoid leaves out ACKs in recovery.
const ACK_MEMBERS: [&str; 4] = ["acked", "cong_avoid", "control", "control_v1"];

/// Linux's initial window at an MTU of 1500. A burst of it is acknowledged at once.
const BURST_BYTES: usize = 10 * 1448;
/// Bursts or exchanges of a connection whose start-up is under way. After 100 small messages or
/// round trips it would leave the start-up (HOST_MAX_QUIET_ACKS and HOST_MAX_LIMITED_ROUNDS of
/// core/host.h).
const MESSAGES: usize = 80;
const CONNECTIONS: usize = 50;
/// Bursts or exchanges of a whole connection, which leaves the start-up after the first hundred.
const WHOLE: usize = 5000;

/// All programs of one start-up: while connections of small messages are in the start-up, and over
/// the life of a connection, with small messages or in bulk.
pub fn measure(startup: &str, length: Duration, cpus: [usize; 2]) -> Result<Vec<Program>> {
    let registration = Registration::new(&Options::new(startup))?;
    let name = registration.name();
    let mut all = under_way(startup, name, cpus)?;

    let (calls, acks) = MTU_1500.run(|| -> Result<_> {
        let mut bursts = Bursts::new(name, 1, cpus)?;
        let before = segments_received(&bursts.sender)?;
        let (calls, sent) = counted(|| bursts.send(BURST_BYTES, cpus, WHOLE))?;
        sent?;
        Ok((calls, segments_received(&bursts.sender)? - before))
    })??;
    all.extend(calls.figures(startup, &format!("{WHOLE} bursts"), acks));
    let calls = DEFAULT.run(|| -> Result<_> {
        let mut exchanges = Exchanges::new(name, cpus[0], 1)?;
        let (calls, made) = counted(|| exchanges.run(WHOLE))?;
        made?;
        Ok(calls)
    })??;
    // Each message acknowledges the one before it.
    let acks = 2 * WHOLE as u64;
    all.extend(calls.figures(startup, &format!("{WHOLE} small exchanges"), acks));
    for loopback in &LOOPBACKS {
        let (calls, transfer) = loopback.run(|| counted(|| bulk(name, length, cpus)))??;
        let situation = format!("bulk, {}", loopback.label);
        all.extend(calls.figures(startup, &situation, transfer?.acks));
    }
    Ok(all)
}

/// Bursts and small exchanges on connections that do not leave the start-up. Some start-ups end at
/// once over loopback, for example because of its short RTT: then there are no bursts of them.
fn under_way(startup: &str, name: &str, cpus: [usize; 2]) -> Result<Vec<Program>> {
    let (mut bursts_calls, mut exchanges_calls) = (Calls::default(), Calls::default());
    let mut over = 0;
    for _ in 0..CONNECTIONS {
        let (calls, phase) = MTU_1500.run(|| -> Result<_> {
            let mut bursts = Bursts::new(name, 1, cpus)?;
            let (calls, sent) = counted(|| bursts.send(BURST_BYTES, cpus, MESSAGES))?;
            sent?;
            let phase = connection(name, bursts.sender.local_addr()?).map(|c| c.phase);
            Ok((calls, phase))
        })??;
        if phase == Some("slow-start") {
            bursts_calls.add(calls);
        } else {
            over += 1;
        }
        exchanges_calls.add(DEFAULT.run(|| -> Result<_> {
            let mut exchanges = Exchanges::new(name, cpus[0], 1)?;
            let (calls, made) = counted(|| exchanges.run(MESSAGES))?;
            made?;
            Ok(calls)
        })??);
    }
    if over > 0 {
        eprintln!(
            "loopback: {name}: bursts: {over} of {CONNECTIONS} connections left out, because \
             their start-up was over before the last burst"
        );
    }
    let figures = |calls: Calls, what: &str| {
        let acks = calls.acks();
        calls.figures(startup, &format!("{what}, start-up under way"), acks)
    };
    let mut all = figures(bursts_calls, "bursts");
    all.extend(figures(exchanges_calls, "small exchanges"));
    Ok(all)
}

fn connection(name: &str, local: SocketAddr) -> Option<Connection> {
    connections()
        .ok()?
        .into_iter()
        .find(|c| c.congestion_control == name && c.local == local)
}

/// The calls of programs, by member of tcp_congestion_ops.
#[derive(Default)]
struct Calls(BTreeMap<String, ProgramCost>);

impl Calls {
    fn add(&mut self, other: Calls) {
        for (member, cost) in other.0 {
            let sum = self.0.entry(member).or_default();
            sum.ns += cost.ns;
            sum.calls += cost.calls;
        }
    }

    /// The ACKs for which the hooks were called.
    fn acks(&self) -> u64 {
        let calls_of = |member| self.0.get(member).map_or(0, |cost| cost.calls);
        ACK_MEMBERS.into_iter().map(calls_of).max().unwrap_or(0)
    }

    /// The figures for so many ACKs.
    fn figures(self, startup: &str, situation: &str, acks: u64) -> Vec<Program> {
        let programs = self.0.into_iter().filter(|(_, cost)| cost.calls > 0);
        programs
            .map(|(program, cost)| Program {
                startup: startup.to_owned(),
                situation: situation.to_owned(),
                program,
                calls: cost.calls,
                calls_per_ack: cost.calls as f64 / acks.max(1) as f64,
                ns_per_call: cost.ns as f64 / cost.calls as f64,
            })
            .collect()
    }
}

fn counted<T>(work: impl FnOnce() -> T) -> io::Result<(Calls, T)> {
    count_calls(work).map(|(programs, result)| (Calls(programs), result))
}
