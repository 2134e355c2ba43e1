//! Classes of connections: the same destination, service and control, about the same RTT and size.

use crate::path::{base_rtt_s, Path};
use onramp_core::congestion_control;
use onramp_kernel::Observation;
use onramp_scenario::{Avoidance, Case, NO_STARTUP};
use serde::Serialize;
use std::collections::BTreeMap;

/// The steps of the RTT by which connections are told apart: half an octave.
const RTT_STEPS_PER_OCTAVE: f64 = 2.0;

/// The initial window that Linux has by itself (RFC 6928).
const HOST_WINDOW_SEGMENTS: u32 = 10;
/// The maximum of a scenario.
const MAX_WINDOW_SEGMENTS: u32 = 1000;

/// Connections whose first transfers are alike.
#[derive(Clone, Debug, Serialize)]
pub struct Class {
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
            let octave = seen.transfers[0].bytes.max(1).ilog2();
            let key = (
                octave,
                seen.port,
                seen.accepted,
                &seen.congestion_control,
                seen.initial_cwnd_segments,
            );
            by_key.entry(key).or_default().push(seen);
        }
        classes.extend(by_key.into_values().map(|members| Class {
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

impl Class {
    /// The time of all first transfers.
    pub(crate) fn time_s(&self) -> f64 {
        self.connections
            .iter()
            .map(|seen| seen.transfers[0].time_s)
            .sum()
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

    /// The scenario of a transfer of this class as it really was, as a file. `None` if the
    /// simulator does not have its congestion control.
    pub fn scenario(&self, bytes: u64) -> Option<String> {
        let (startup, avoidance) = self.control()?;
        let window = match self.initial_cwnd_segments {
            0 | HOST_WINDOW_SEGMENTS => "host".to_owned(),
            segments => format!("{} segments", segments.min(MAX_WINDOW_SEGMENTS)),
        };
        let connect = if self.accepted { "receiver" } else { "sender" };
        Some(format!(
            "name = \"observed\"\ndescription = \"{}, port {}\"\n\n{}\n[[transfer]]\nsize = \"{} \
             B\"\nstartup = \"{startup}\"\navoidance = \"{}\"\ninitial_window = \"{window}\"\n\
             connect = \"{connect}\"\n",
            self.destination,
            self.port,
            self.path.tables(),
            bytes.max(1),
            avoidance.name(),
        ))
    }

    /// The case of such a transfer.
    pub(crate) fn case(&self, bytes: u64) -> Option<Result<Case, onramp_scenario::Error>> {
        let scenario = onramp_scenario::parse("observed", &self.scenario(bytes)?);
        Some(scenario.map(|mut scenario| scenario.cases.remove(0)))
    }
}
