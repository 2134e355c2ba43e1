//! Classes of connections: the same destination, service and control, about the same RTT, and about
//! the same size of the first transfer, or of the later ones.

use crate::path::{base_rtt_s, Path};
use onramp_core::congestion_control;
use onramp_kernel::{Observation, ObservedTransfer};
use onramp_scenario::{Avoidance, Case, NO_STARTUP};
use serde::Serialize;
use std::collections::BTreeMap;

/// The steps of the RTT by which connections are told apart: half an octave.
const RTT_STEPS_PER_OCTAVE: f64 = 2.0;

/// The initial window that Linux has by itself (RFC 6928).
const HOST_WINDOW_SEGMENTS: u32 = 10;
/// The maximum of a scenario.
const MAX_WINDOW_SEGMENTS: u32 = 1000;
/// The longest time between two writes of a scenario.
const MAX_PAUSE_S: f64 = 3600.0;

/// Which transfers of its connections a class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The first one of each connection.
    First,
    /// Those after it, as of HTTP keep-alive.
    Later,
}

/// A transfer of a connection, to be simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Payload.
    pub bytes: u64,
    /// Time since the end of the transfer before, at which its last byte was acknowledged.
    pub pause_s: f64,
}

/// Connections whose first transfers, or whose later transfers, are alike.
#[derive(Clone, Debug, Serialize)]
pub struct Class {
    /// Which transfers are judged.
    pub part: Part,
    /// The network of the other end.
    pub destination: String,
    /// The port of the service.
    pub port: u16,
    /// This host accepted the connections.
    pub accepted: bool,
    /// The congestion control.
    pub congestion_control: String,
    /// The initial window.
    pub initial_cwnd_segments: u32,
    /// The path.
    pub path: Path,
    /// The connections.
    #[serde(skip)]
    pub connections: Vec<Observation>,
}

/// What tells paths apart: destination, and the RTT in steps.
type PathKey = (String, i32);

/// Groups the connections that were complete and have an RTT. Returns the classes, those with the
/// most time first, and the number of connections that could not be used.
pub(crate) fn classes(connections: &[Observation]) -> (Vec<Class>, usize) {
    let mut paths: BTreeMap<PathKey, Vec<&Observation>> = BTreeMap::new();
    let mut unused = 0;
    for seen in connections {
        match (base_rtt_s(seen), seen.transfers.first()) {
            (Some(rtt_s), Some(_)) if seen.complete && seen.mss_bytes > 0 && rtt_s > 0.0 => {
                let step = (rtt_s.log2() * RTT_STEPS_PER_OCTAVE).floor() as i32;
                let key = (seen.destination.clone(), step);
                paths.entry(key).or_default().push(seen);
            }
            _ => unused += 1,
        }
    }
    let mut classes = Vec::new();
    for on_path in paths.into_values() {
        let Some(path) = Path::of(&on_path) else {
            unused += on_path.len();
            continue;
        };
        let mut by_key: BTreeMap<_, Vec<&Observation>> = BTreeMap::new();
        for seen in on_path {
            for part in [Part::First, Part::Later] {
                let Some((bytes, _)) = part.mean_of(seen) else {
                    continue;
                };
                let key = (
                    part,
                    octave(bytes),
                    seen.port,
                    seen.accepted,
                    &seen.congestion_control,
                    seen.initial_cwnd_segments,
                );
                by_key.entry(key).or_default().push(seen);
            }
        }
        classes.extend(by_key.into_iter().map(|((part, ..), members)| Class {
            part,
            destination: members[0].destination.clone(),
            port: members[0].port,
            accepted: members[0].accepted,
            congestion_control: members[0].congestion_control.clone(),
            initial_cwnd_segments: members[0].initial_cwnd_segments,
            path: path.clone(),
            connections: members.into_iter().cloned().collect(),
        }));
    }
    classes.sort_by(|a, b| b.time_s().total_cmp(&a.time_s()));
    (classes, unused)
}

impl Part {
    /// These transfers of a connection, of which the observer has kept some.
    pub(crate) fn of(self, seen: &Observation) -> &[ObservedTransfer] {
        let (first, later) = seen.transfers.split_at(seen.transfers.len().min(1));
        match self {
            Part::First => first,
            Part::Later => later,
        }
    }

    /// Mean payload and time of these transfers; `None`: there are none.
    pub(crate) fn mean_of(self, seen: &Observation) -> Option<(f64, f64)> {
        let transfers = self.of(seen);
        let count = transfers.len() as f64;
        let bytes: u64 = transfers.iter().map(|one| one.bytes).sum();
        let time_s: f64 = transfers.iter().map(|one| one.time_s).sum();
        (!transfers.is_empty()).then_some((bytes as f64 / count, time_s / count))
    }
}

/// Payloads of one class are within an octave.
pub(crate) fn octave(bytes: f64) -> u32 {
    (bytes.max(1.0) as u64).ilog2()
}

/// The transfers of a connection up to those of this part.
fn up_to(part: Part, seen: &Observation) -> &[ObservedTransfer] {
    match part {
        Part::First => Part::First.of(seen),
        Part::Later => &seen.transfers,
    }
}

/// The same, to be simulated.
pub(crate) fn steps(part: Part, seen: &Observation) -> Vec<Step> {
    let mut end_s = 0.0;
    let step = |transfer: &ObservedTransfer| {
        let pause_s = (transfer.start_s - end_s).clamp(0.0, MAX_PAUSE_S);
        end_s = transfer.start_s + transfer.time_s;
        Step {
            bytes: transfer.bytes.max(1),
            pause_s,
        }
    };
    up_to(part, seen).iter().map(step).collect()
}

impl Class {
    /// The time of all transfers of the class.
    pub(crate) fn time_s(&self) -> f64 {
        let times = |seen| self.part.of(seen).iter().map(|one| one.time_s);
        self.connections.iter().flat_map(times).sum()
    }

    /// The mean payload of a transfer, of each connection.
    pub(crate) fn bytes_of(&self) -> Vec<f64> {
        self.means().map(|(bytes, _)| bytes).collect()
    }

    /// The mean time of a transfer, of each connection.
    pub(crate) fn times_of(&self) -> Vec<f64> {
        self.means().map(|(_, time_s)| time_s).collect()
    }

    fn means(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let connections = self.connections.iter();
        connections.filter_map(|seen| self.part.mean_of(seen))
    }

    /// The start-up and the avoidance of the simulator that stand for the congestion control.
    pub(crate) fn control(&self) -> Option<(&'static str, Avoidance)> {
        let name = self.congestion_control.as_str();
        if let Some(avoidance) = Avoidance::ALL.into_iter().find(|one| one.name() == name) {
            return Some((NO_STARTUP, avoidance));
        }
        let mut startups = onramp_core::startup_names().iter().copied();
        let startup = startups.find(|startup| congestion_control(startup) == name)?;
        Some((startup, Avoidance::Cubic))
    }

    /// The scenario of transfers over a connection of this class as it really was, as a file. Each
    /// transfer has its payload and the time at which it is written, in seconds after the first
    /// one. `None` if the simulator does not have its congestion control.
    pub fn scenario(&self, writes: &[(u64, f64)]) -> Option<String> {
        let (startup, avoidance) = self.control()?;
        let window = match self.initial_cwnd_segments {
            0 | HOST_WINDOW_SEGMENTS => "host".to_owned(),
            segments => format!("{} segments", segments.min(MAX_WINDOW_SEGMENTS)),
        };
        let connect = if self.accepted { "receiver" } else { "sender" };
        let size_bytes: u64 = writes.iter().map(|(bytes, _)| bytes.max(&1)).sum();
        Some(format!(
            "name = \"observed\"\ndescription = \"{}, port {}\"\n\n{}\n[[transfer]]\nsize = \"{} \
             B\"\nstartup = \"{startup}\"\navoidance = \"{}\"\ninitial_window = \"{window}\"\n\
             connect = \"{connect}\"\n{}",
            self.destination,
            self.port,
            self.path.tables(),
            size_bytes.max(1),
            avoidance.name(),
            write_keys(writes),
        ))
    }

    /// The case of such transfers.
    pub(crate) fn case(
        &self,
        writes: &[(u64, f64)],
    ) -> Option<Result<Case, onramp_scenario::Error>> {
        let scenario = onramp_scenario::parse("observed", &self.scenario(writes)?);
        Some(scenario.map(|mut scenario| scenario.cases.remove(0)))
    }

    /// The scenario of the connection with the median payload, with its pauses.
    pub fn typical_scenario(&self) -> Option<String> {
        let mut connections: Vec<&Observation> = self.connections.iter().collect();
        connections.sort_by_key(|seen| self.part.of(seen).iter().map(|one| one.bytes).sum::<u64>());
        let seen = connections.get(connections.len() / 2)?;
        let first_s = seen.transfers.first()?.start_s;
        let transfers = up_to(self.part, seen).iter();
        let writes: Vec<_> = transfers
            .map(|one| (one.bytes, one.start_s - first_s))
            .collect();
        self.scenario(&writes)
    }
}

/// The keys of several writes; none for a single one.
fn write_keys(writes: &[(u64, f64)]) -> String {
    if writes.len() < 2 {
        return String::new();
    }
    let sizes: Vec<String> = writes
        .iter()
        .map(|(bytes, _)| format!("\"{} B\"", bytes.max(&1)))
        .collect();
    let pause_ns = |pair: &[(u64, f64)]| ((pair[1].1 - pair[0].1) * 1e9).max(1.0) as u64;
    let pauses: Vec<String> = writes
        .windows(2)
        .map(|pair| format!("\"{} ns\"", pause_ns(pair).min((MAX_PAUSE_S * 1e9) as u64)))
        .collect();
    format!(
        "write = [{}]\nwrite_every = [{}]\n",
        sizes.join(", "),
        pauses.join(", ")
    )
}
