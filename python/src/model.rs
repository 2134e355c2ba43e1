//! The model of a paper for one link.

use crate::errors;
use onramp_scenario::{units, QueueLimit};
use onramp_theory::chaher::{parse_packet, refusal, Chaher, Question};
use pyo3::prelude::*;
use std::fmt::Display;

/// The answer of the model of Chaher et al. for a link, as JSON. Quantities are texts as in
/// scenario files.
#[pyfunction]
#[pyo3(signature = (*, rate, rtt, queue, background, packet, gamma, spacing))]
#[allow(clippy::too_many_arguments)]
pub fn chaher(
    py: Python<'_>,
    rate: &str,
    rtt: &str,
    queue: &str,
    background: Option<&str>,
    packet: &str,
    gamma: Option<f64>,
    spacing: Option<&str>,
) -> PyResult<String> {
    let refuse = |key: &str, error: &dyn Display| errors::model(py, format!("{key}: {error}"));
    let rate_of = |key: &str, text: &str| units::parse_rate(text).map_err(|e| refuse(key, &e));
    let optional = |key: &str, text: Option<&str>| text.map(|text| rate_of(key, text)).transpose();
    let question = Question {
        rate_bits_per_s: rate_of("rate", rate)?,
        rtt_ns: units::parse_time(rtt).map_err(|error| refuse("rtt", &error))?,
        queue: queue
            .parse::<QueueLimit>()
            .map_err(|error| refuse("queue", &error))?,
        background_bits_per_s: optional("background", background)?.unwrap_or(0),
        packet_bytes: parse_packet(packet).map_err(|error| refuse("packet", &error))?,
        gamma,
        spacing_bits_per_s: optional("spacing", spacing)?,
    };
    let answer = Chaher::new(&question).map_err(|error| errors::model(py, refusal(&error)))?;
    Ok(serde_json::to_string(&answer).expect("memory takes all that is written"))
}
