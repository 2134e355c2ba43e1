//! A prediction beside what a canary measured: connections with `onramp` and without, observed at
//! the same time.

use crate::class::{octave, Class, Part};
use crate::judge::{Advice, Candidate, Judged};
use crate::path::base_rtt_s;
use onramp_core::congestion_control;
use onramp_kernel::{Observation, Observations};
use onramp_report::statistics::{geometric_mean, interval_of_geometric_mean, mean, Stratum};
use serde::Serialize;

/// RTTs within this factor are of one path.
const SAME_RTT: f64 = std::f64::consts::SQRT_2;

/// A class of the prediction that the canary has measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The network of the other end.
    pub destination: String,
    /// The port of the service.
    pub port: u16,
    /// Which transfers.
    pub part: Part,
    /// Median payload of a transfer in the prediction.
    pub bytes: f64,
    /// Connections without the start-up, then with it.
    pub connections: [usize; 2],
    /// The canary had connections without the start-up too. If not, those are compared on which the
    /// prediction rests, which were observed at another time.
    pub has_control_group: bool,
    /// The predicted time with `onramp`, of the time without.
    pub predicted: f64,
    /// The measured one: the ratio of the geometric means.
    pub measured: f64,
    /// Its 95 % interval, if both groups have several connections.
    pub interval: Option<[f64; 2]>,
}

/// A prediction and its measurement over all classes that have both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The predicted time with `onramp`, of the time without: a mean, weighted by the time that
    /// each class took.
    pub predicted: f64,
    /// The measured one, with the same weights.
    pub measured: f64,
    /// The classes, as in the prediction.
    pub classes: Vec<Compared>,
}

/// Compares a prediction with what was observed during a canary. `None`: no class of the prediction
/// that is understood had connections with the start-up.
pub fn compare(advice: &Advice, canary: &Observations) -> Option<Comparison> {
    let (mut predicted_s, mut measured_s, mut was_s) = (0.0, 0.0, 0.0);
    let mut classes = Vec::new();
    for one in &advice.classes {
        let Some(compared) = of_class(one, canary) else {
            continue;
        };
        let time_s = one.class.time_s();
        was_s += time_s;
        predicted_s += time_s * compared.predicted;
        measured_s += time_s * compared.measured;
        classes.push(compared);
    }
    (!classes.is_empty()).then(|| Comparison {
        predicted: predicted_s / was_s,
        measured: measured_s / was_s,
        classes,
    })
}

fn of_class(one: &Judged, canary: &Observations) -> Option<Compared> {
    let class = &one.class;
    let predicted = one.outlook(Candidate::Onramp)?.time;
    let with = logs(class, &canary.connections, &congestion_control("onramp"));
    let beside = logs(class, &canary.connections, &class.congestion_control);
    let has_control_group = !beside.is_empty();
    let without = match has_control_group {
        true => beside,
        false => logs(class, &class.connections, &class.congestion_control),
    };
    let measured = mean(&with)? - mean(&without)?;
    let connections = [without.len(), with.len()];
    // The logarithm of the ratio is a difference of means.
    let strata = [(1.0, with), (-1.0, without)].map(|(weight, logs)| Stratum { weight, logs });
    let interval = connections.iter().all(|count| *count > 1);
    let interval = interval
        .then(|| interval_of_geometric_mean(&strata))
        .flatten();
    Some(Compared {
        destination: class.destination.clone(),
        port: class.port,
        part: class.part,
        bytes: one.bytes,
        connections,
        has_control_group,
        predicted,
        measured: measured.exp(),
        interval,
    })
}

/// The logarithms of the times of the connections of a class with this control.
fn logs(class: &Class, connections: &[Observation], control: &str) -> Vec<f64> {
    let typical = geometric_mean(class.bytes_of()).unwrap_or(0.0);
    let of_class = connections.iter().filter(|seen| {
        let rtt_s = base_rtt_s(seen).unwrap_or(0.0);
        let is_same_path = seen.destination == class.destination
            && rtt_s < SAME_RTT * class.path.rtt_s
            && class.path.rtt_s < SAME_RTT * rtt_s;
        let is_same_service = seen.port == class.port && seen.accepted == class.accepted;
        seen.complete && is_same_path && is_same_service && seen.congestion_control == control
    });
    let times = of_class.filter_map(|seen| {
        let (bytes, time_s) = class.part.mean_of(seen)?;
        (octave(bytes) == octave(typical) && time_s > 0.0).then(|| time_s.ln())
    });
    times.collect()
}
