//! The model of Chaher et al. (1998) for one link: does TCP Tahoe have two slow starts in each
//! cycle, and what avoids the second one? `docs/model.md` explains the quantities.

mod cautions;

pub use crate::formulas::double_slow_start::Invalid;
use crate::formulas::double_slow_start::{Cycle, Path, Phase, Source};
use cautions::cautions;
use onramp_scenario::{units, QueueLimit};
use serde::Serialize;

/// A question about a link.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Rate of the bottleneck in bit/s, counted in IP packets.
    pub rate_bits_per_s: u64,
    /// Round-trip time without queueing.
    pub rtt_ns: u64,
    /// The queue of the bottleneck.
    pub queue: QueueLimit,
    /// Rate of the background traffic in bit/s.
    pub background_bits_per_s: u64,
    /// Size of an IP packet of any sender.
    pub packet_bytes: u64,
    /// A gamma to examine: the ssthresh after a loss as a share of the window, above 0 and at most
    /// 0.5.
    pub gamma: Option<f64>,
    /// A rate in bit/s at which slow start's packets are spaced, to examine.
    pub spacing_bits_per_s: Option<u64>,
}

/// The answer: the quantities of the model, and the throughput of several sources. The serialised
/// names are an interface (`onramp model chaher --json`).
#[derive(Debug, Serialize)]
pub struct Chaher {
    /// The link.
    pub link: Link,
    /// mu: the rate of the link.
    pub rate_packets_per_s: f64,
    /// mu - lambda: the rate that the background traffic leaves.
    pub available_packets_per_s: f64,
    /// The background traffic's share of the rate, 0 to 1.
    pub rho: f64,
    /// The queue over the BDP of the available rate.
    pub beta: f64,
    /// Each cycle has two slow starts if beta is below this.
    pub beta_limit: f64,
    /// Each cycle has two slow starts.
    pub starts_twice: bool,
    /// W_max, equation 3: the window that fills the path and the queue.
    pub max_window_packets: f64,
    /// W_th: the ssthresh of Tahoe, half of W_max.
    pub threshold_packets: f64,
    /// W_B, equation 4: the window at which slow start overflows the queue.
    pub overflow_window_packets: f64,
    /// W_D, equation 6: the window at which the loss of slow start is detected; null if there is
    /// one slow start.
    pub detected_window_packets: Option<f64>,
    /// Equation 7: a gamma below this avoids the second slow start.
    pub gamma_max: f64,
    /// Some gamma below 1/2 makes congestion avoidance start at a larger window (section 3).
    pub gamma_helps: bool,
    /// R_max, equation 10: spacing slow start's packets below this rate avoids the second slow
    /// start; null if every rate does.
    pub max_spacing_packets_per_s: Option<f64>,
    /// The same in bit/s.
    pub max_spacing_bits_per_s: Option<f64>,
    /// A queue above this avoids the second slow start.
    pub buffer_limit_packets: f64,
    /// Tahoe and its variants on this link.
    pub sources: Vec<Row>,
    /// One sentence for each assumption of the model that the link does not meet.
    pub cautions: Vec<String>,
}

/// The link of the question.
#[derive(Debug, Serialize)]
pub struct Link {
    /// Rate of the bottleneck in bit/s, counted in IP packets.
    pub rate_bits_per_s: u64,
    /// Round-trip time without queueing.
    pub rtt_ns: u64,
    /// Rate of the background traffic in bit/s.
    pub background_bits_per_s: u64,
    /// Size of an IP packet.
    pub packet_bytes: u64,
    /// The queue in packets.
    pub queue_packets: f64,
    /// The queue as it was given.
    #[serde(skip)]
    pub queue: QueueLimit,
}

/// A source on the link, or on the same link with a larger queue.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The difference from Tahoe: `tahoe` (none), `gamma`, `spacing` or `queue`.
    pub what: &'static str,
    /// The ssthresh after a loss as a share of the window.
    pub gamma: f64,
    /// The rate at which slow start's packets are spaced; null without spacing.
    pub spacing_packets_per_s: Option<f64>,
    /// The queue of the bottleneck.
    pub queue_packets: f64,
    /// Slow starts in a cycle: 1 or 2.
    pub slow_starts: u32,
    /// The window at which congestion avoidance starts.
    pub avoidance_window_packets: f64,
    /// Packets of a cycle.
    pub cycle_packets: f64,
    /// Length of a cycle.
    pub cycle_s: f64,
    /// Mean throughput.
    pub packets_per_s: f64,
    /// Mean throughput as a share of the available rate.
    pub share_of_available: f64,
    /// The phases of a cycle, in their order.
    pub phases: Vec<Part>,
}

/// A phase of a cycle.
#[derive(Debug, Serialize)]
pub struct Part {
    /// `overflow`, `slow-start`, `avoidance` or `detection`.
    pub phase: &'static str,
    /// The window at the start.
    pub from_window_packets: f64,
    /// The window at the end.
    pub to_window_packets: f64,
    /// Packets sent.
    pub packets: f64,
    /// Duration.
    pub seconds: f64,
}

impl Chaher {
    /// Answers a question.
    ///
    /// # Errors
    /// The model does not cover the link or the source; the error names the quantity.
    pub fn new(question: &Question) -> Result<Chaher, Invalid> {
        let link = Link::new(question);
        let path = link.path()?;
        let starts_twice = path.starts_twice();
        let threshold = path.max_window() / 2.0;
        let max_spacing = path.max_spaced_rate().filter(|_| starts_twice);
        let spaced = question.spacing_bits_per_s.map(|rate| link.packets(rate));
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
            sources: rows(&link, &path, question.gamma, spaced)?,
            cautions,
            link,
        })
    }
}

impl Link {
    fn new(question: &Question) -> Link {
        let Question {
            rate_bits_per_s,
            rtt_ns,
            queue,
            background_bits_per_s,
            packet_bytes,
            ..
        } = *question;
        let queue_packets = match queue {
            QueueLimit::Packets(packets) => f64::from(packets),
            QueueLimit::Bytes(_) | QueueLimit::BdpPpm(_) => {
                let queue_bytes = queue
                    .bytes(rate_bits_per_s, rtt_ns)
                    .expect("a queue that is not in packets has a size in bytes");
                queue_bytes as f64 / packet_bytes as f64
            }
        };
        Link {
            rate_bits_per_s,
            rtt_ns,
            background_bits_per_s,
            packet_bytes,
            queue_packets,
            queue,
        }
    }

    /// Size of an IP packet in bits.
    pub fn packet_bits(&self) -> f64 {
        self.packet_bytes as f64 * 8.0
    }

    /// A number of bits (or a rate in bit/s) in packets.
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

/// Tahoe, the variants of the question, and, if Tahoe starts twice, the variants that avoid it.
fn rows(
    link: &Link,
    path: &Path,
    gamma: Option<f64>,
    spaced: Option<f64>,
) -> Result<Vec<Row>, Invalid> {
    let with_gamma = |gamma| {
        let source = Source {
            gamma,
            ..Source::TAHOE
        };
        Row::new("gamma", path, source)
    };
    let mut rows = vec![Row::new("tahoe", path, Source::TAHOE)?];
    let twice = path.starts_twice();
    // A gamma is not recommended if the ssthresh would be less than a packet: such a source is an
    // error, which is left out.
    let recommended = just_below(path.gamma_max()).filter(|_| twice);
    rows.extend(recommended.and_then(|gamma| with_gamma(gamma).ok()));
    rows.extend(gamma.map(with_gamma).transpose()?);
    if let Some(spaced) = spaced.or_else(|| twice.then(|| path.available())) {
        let source = Source {
            spaced_rate: Some(spaced),
            ..Source::TAHOE
        };
        rows.push(Row::new("spacing", path, source)?);
    }
    if twice {
        let sufficient_packets = (path.buffer_limit() + 1.0).floor();
        let enlarged = Link {
            queue_packets: sufficient_packets,
            ..*link
        }
        .path()?;
        rows.push(Row::new("queue", &enlarged, Source::TAHOE)?);
    }
    Ok(rows)
}

/// The headers of IPv4 and TCP, and one byte of payload.
const MIN_PACKET_BYTES: u64 = 41;
/// The maximum length of an IPv4 packet.
const MAX_PACKET_BYTES: u64 = 65_535;

/// Reads the size of an IP packet with a TCP segment, `1500 B`, into bytes.
///
/// # Errors
/// The text is not a size, or not one that a packet can have.
pub fn parse_packet(text: &str) -> Result<u64, String> {
    let bytes = units::parse_size(text).map_err(|error| error.to_string())?;
    if (MIN_PACKET_BYTES..=MAX_PACKET_BYTES).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(format!(
            "an IP packet with a TCP segment has {MIN_PACKET_BYTES} B to {MAX_PACKET_BYTES} B"
        ))
    }
}

/// The sentence for a question that the model has no answer to.
pub fn refusal(invalid: &Invalid) -> String {
    format!("the model does not cover this link: {invalid}")
}

/// The largest multiple of 0.01 below the limit; `None` if there is none above 0.
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

/// The phases of a cycle, in their order.
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
    fn the_recommended_gamma_is_below_its_limit() {
        assert_eq!(
            [0.386, 0.38, 0.2501, 0.011, 0.01, 0.005].map(just_below),
            [Some(0.38), Some(0.37), Some(0.25), Some(0.01), None, None]
        );
    }
}
