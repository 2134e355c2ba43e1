//! What the model says of a link, for people and programs alike.

use super::arguments::ChaherArguments;
use super::cautions::cautions;
use onramp_model::double_slow_start::{Cycle, Invalid, Path, Phase, Source};
use onramp_scenario::QueueLimit;
use serde::Serialize;

/// A link, what the model says of it, and what becomes of a source there.
#[derive(Debug, Serialize)]
pub struct Chaher {
    pub link: Link,
    pub rate_packets_per_s: f64,
    pub available_packets_per_s: f64,
    pub rho: f64,
    pub beta: f64,
    pub beta_limit: f64,
    pub starts_twice: bool,
    pub max_window_packets: f64,
    pub threshold_packets: f64,
    pub overflow_window_packets: f64,
    /// Null where there is one slow start.
    pub detected_window_packets: Option<f64>,
    pub gamma_max: f64,
    /// A gamma below 1/2 makes congestion avoidance begin at a larger window (section 3).
    pub gamma_helps: bool,
    /// Null where each rate does.
    pub max_spacing_packets_per_s: Option<f64>,
    pub max_spacing_bits_per_s: Option<f64>,
    pub buffer_limit_packets: f64,
    pub sources: Vec<Row>,
    /// Assumptions of the model that do not hold, as sentences.
    pub cautions: Vec<String>,
}

/// What was asked about.
#[derive(Debug, Serialize)]
pub struct Link {
    pub rate_bits_per_s: u64,
    pub rtt_ns: u64,
    pub background_bits_per_s: u64,
    pub packet_bytes: u64,
    pub queue_packets: f64,
    #[serde(skip)]
    pub queue: QueueLimit,
}

/// A source on the link, or on the same with a larger queue.
#[derive(Debug, Serialize)]
pub struct Row {
    /// `tahoe`, `gamma`, `spacing` or `queue`: what is special.
    pub what: &'static str,
    pub gamma: f64,
    /// Null without spacing.
    pub spacing_packets_per_s: Option<f64>,
    pub queue_packets: f64,
    pub slow_starts: u32,
    pub avoidance_window_packets: f64,
    pub cycle_packets: f64,
    pub cycle_s: f64,
    pub packets_per_s: f64,
    pub share_of_available: f64,
    pub phases: Vec<Part>,
}

/// A part of a cycle.
#[derive(Debug, Serialize)]
pub struct Part {
    /// `overflow`, `slow-start`, `avoidance` or `detection`.
    phase: &'static str,
    from_window_packets: f64,
    to_window_packets: f64,
    packets: f64,
    seconds: f64,
}

impl Chaher {
    pub fn new(arguments: &ChaherArguments) -> Result<Chaher, Invalid> {
        let link = Link::new(arguments);
        let path = link.path()?;
        let starts_twice = path.starts_twice();
        let threshold = path.max_window() / 2.0;
        let max_spacing = path.max_spaced_rate().filter(|_| starts_twice);
        let spaced = arguments.spacing.map(|rate| link.packets(rate));
        let cautions = cautions(
            &link,
            &path,
            spaced.or_else(|| starts_twice.then(|| path.available())),
        );
        Ok(Chaher {
            rate_packets_per_s: path.rate(),
            available_packets_per_s: path.available(),
            rho: path.rho(),
            beta: path.beta(),
            beta_limit: path.beta_limit(),
            starts_twice,
            max_window_packets: path.max_window(),
            threshold_packets: threshold,
            overflow_window_packets: path.overflow_window(),
            detected_window_packets: starts_twice.then(|| path.detected_window(threshold)),
            gamma_max: path.gamma_max(),
            gamma_helps: starts_twice && path.gamma_max() > 0.25,
            max_spacing_packets_per_s: max_spacing,
            max_spacing_bits_per_s: max_spacing.map(|rate| rate * link.packet_bits()),
            buffer_limit_packets: path.buffer_limit(),
            sources: rows(&link, &path, arguments.gamma, spaced)?,
            cautions,
            link,
        })
    }
}

impl Link {
    fn new(arguments: &ChaherArguments) -> Link {
        let ChaherArguments {
            rate,
            rtt,
            queue,
            background,
            packet,
            ..
        } = *arguments;
        let queue_packets = match queue {
            QueueLimit::Packets(packets) => f64::from(packets),
            QueueLimit::Bytes(_) | QueueLimit::BdpPpm(_) => {
                queue.bytes(rate, rtt).expect("it is not in packets") as f64 / packet as f64
            }
        };
        Link {
            rate_bits_per_s: rate,
            rtt_ns: rtt,
            background_bits_per_s: background.unwrap_or(0),
            packet_bytes: packet,
            queue_packets,
            queue,
        }
    }

    pub fn packet_bits(&self) -> f64 {
        self.packet_bytes as f64 * 8.0
    }

    fn packets(&self, bits: u64) -> f64 {
        bits as f64 / self.packet_bits()
    }

    fn path(&self) -> Result<Path, Invalid> {
        let Link {
            rate_bits_per_s,
            rtt_ns,
            background_bits_per_s,
            queue_packets,
            ..
        } = *self;
        let [rate, background] =
            [rate_bits_per_s, background_bits_per_s].map(|bits| self.packets(bits));
        Path::new(rate, background, queue_packets, rtt_ns as f64 / 1e9)
    }
}

/// Tahoe as it is, what the user asked about, and where it starts twice, what would help.
fn rows(
    link: &Link,
    path: &Path,
    gamma: Option<f64>,
    spaced: Option<f64>,
) -> Result<Vec<Row>, Invalid> {
    let row = |what, path: &Path, source| Row::new(what, path, source);
    let mut rows = vec![row("tahoe", path, Source::TAHOE)?];
    let twice = path.starts_twice();
    if let Some(gamma) = just_below(path.gamma_max()).filter(|_| twice) {
        // A threshold of less than a packet is nothing to recommend.
        rows.extend(row(
            "gamma",
            path,
            Source {
                gamma,
                ..Source::TAHOE
            },
        ));
    }
    if let Some(gamma) = gamma {
        rows.push(row(
            "gamma",
            path,
            Source {
                gamma,
                ..Source::TAHOE
            },
        )?);
    }
    if let Some(spaced) = spaced.or_else(|| twice.then(|| path.available())) {
        rows.push(row(
            "spacing",
            path,
            Source {
                spaced_rate: Some(spaced),
                ..Source::TAHOE
            },
        )?);
    }
    if twice {
        let enough = (path.buffer_limit() + 1.0).floor();
        let enlarged = Link {
            queue_packets: enough,
            ..*link
        }
        .path()?;
        rows.push(row("queue", &enlarged, Source::TAHOE)?);
    }
    Ok(rows)
}

/// The largest hundredth below this.
fn just_below(limit: f64) -> Option<f64> {
    let hundredths = (limit * 100.0).ceil() - 1.0;
    (hundredths >= 1.0).then_some(hundredths / 100.0)
}

impl Row {
    fn new(what: &'static str, path: &Path, source: Source) -> Result<Row, Invalid> {
        let cycle = path.cycle(&source)?;
        Ok(Row {
            what,
            gamma: source.gamma,
            spacing_packets_per_s: source.spaced_rate,
            queue_packets: path.buffer(),
            slow_starts: 1 + u32::from(cycle.overflow.is_some()),
            avoidance_window_packets: cycle.avoidance.from_window,
            cycle_packets: cycle.packets(),
            cycle_s: cycle.seconds(),
            packets_per_s: cycle.packets_per_s(),
            share_of_available: cycle.packets_per_s() / path.available(),
            phases: parts(&cycle),
        })
    }
}

fn parts(cycle: &Cycle) -> Vec<Part> {
    let part = |phase,
                Phase {
                    from_window,
                    to_window,
                    packets,
                    seconds,
                }| Part {
        phase,
        from_window_packets: from_window,
        to_window_packets: to_window,
        packets,
        seconds,
    };
    let overflow = cycle.overflow.map(|phase| part("overflow", phase));
    let rest = [
        ("slow-start", cycle.slow_start),
        ("avoidance", cycle.avoidance),
        ("detection", cycle.detection),
    ];
    overflow
        .into_iter()
        .chain(rest.map(|(name, phase)| part(name, phase)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::just_below;

    #[test]
    fn a_gamma_is_less_than_its_limit() {
        assert_eq!(
            [0.386, 0.38, 0.2501, 0.011, 0.01, 0.005].map(just_below),
            [Some(0.38), Some(0.37), Some(0.25), Some(0.01), None, None]
        );
    }
}
