//! The conditions of a transfer: path, buffers, application and size.

use onramp_plot::units::{bit_rate, byte_count, printable, significant};
use onramp_results::{Record, TRAFFIC};

/// Conditions that are not shown, because they are the defaults of a scenario file.
const NO_LOSS: &str = "0 %";
const DEFAULT_SENDER_BUFFER: &str = "64 MiB";
/// Stands between the parts of a name.
const SEPARATOR: &str = " · ";

/// A property that all transfers of a group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Scenario,
    Size,
    Rate,
    Rtt,
    Queue,
    ReceiverBuffer,
    Loss,
    Path,
    SenderBuffer,
    Application,
}

impl Condition {
    /// All conditions, in the order of a name.
    pub(crate) const ALL: [Condition; 10] = [
        Condition::Scenario,
        Condition::Size,
        Condition::Rate,
        Condition::Rtt,
        Condition::Queue,
        Condition::ReceiverBuffer,
        Condition::Loss,
        Condition::Path,
        Condition::SenderBuffer,
        Condition::Application,
    ];
    /// Those that describe a path, in the order of a description: all but scenario and size.
    pub(crate) const OF_PATH: &[Condition] = Condition::ALL.split_at(2).1;

    /// The name of an axis with this condition.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Condition::Scenario => "scenario",
            Condition::Size => "size",
            Condition::Rate => "rate",
            Condition::Rtt => "RTT",
            Condition::Queue => "queue",
            Condition::ReceiverBuffer => "receive buffer",
            Condition::Loss => "loss",
            Condition::Path => "path",
            Condition::SenderBuffer => "send buffer",
            Condition::Application => "application",
        }
    }

    /// The value alone, for an axis with this name: `50 Mbit/s`, `0.5 bdp`.
    pub(crate) fn value(self, record: &Record) -> String {
        match self {
            Condition::Scenario => printable(&record.scenario),
            Condition::Size => what(record),
            Condition::Rate => bit_rate(record.rate_bits_per_s as f64),
            Condition::Rtt => format!("{} ms", significant(record.rtt_ms, 4)),
            Condition::Queue => printable(&record.queue),
            Condition::ReceiverBuffer => printable(&record.receiver_buffer),
            Condition::Loss => printable(&record.loss),
            Condition::Path if record.path.is_empty() => "plain".to_owned(),
            Condition::Path => printable(&record.path),
            Condition::SenderBuffer => printable(&record.sender_buffer),
            Condition::Application if record.application.is_empty() => "all at once".to_owned(),
            Condition::Application => printable(&record.application),
        }
    }

    /// The value with the name where it needs one: `queue 0.5 bdp`.
    pub(crate) fn text(self, record: &Record) -> String {
        let value = self.value(record);
        match self {
            Condition::Queue | Condition::Loss => format!("{} {value}", self.name()),
            Condition::ReceiverBuffer | Condition::SenderBuffer => {
                format!("{} {value}", self.name())
            }
            Condition::Path if record.path.is_empty() => "plain path".to_owned(),
            Condition::Application if record.first_answer_s.is_some() => value,
            Condition::Application => format!("application writes {value}"),
            _ => value,
        }
    }

    /// Whether the value is that of a scenario file that does not mention the condition.
    pub(crate) fn is_default(self, record: &Record) -> bool {
        match self {
            Condition::Loss => record.loss == NO_LOSS,
            Condition::Path => record.path.is_empty(),
            Condition::SenderBuffer => record.sender_buffer == DEFAULT_SENDER_BUFFER,
            Condition::Application => record.application.is_empty(),
            _ => false,
        }
    }

    /// The value as a number, and its unit: numbers with the same unit have an order.
    pub(crate) fn number(self, record: &Record) -> Option<(f64, String)> {
        let plain = |number: f64| Some((number, String::new()));
        match self {
            Condition::Size if record.role != TRAFFIC && record.sizes.is_empty() => {
                plain(record.size_bytes as f64)
            }
            Condition::Rate => plain(record.rate_bits_per_s as f64),
            Condition::Rtt => plain(record.rtt_ms),
            Condition::Queue
            | Condition::ReceiverBuffer
            | Condition::SenderBuffer
            | Condition::Loss => {
                let value = self.value(record);
                let (number, unit) = value.split_once(' ')?;
                Some((number.parse().ok()?, unit.to_owned()))
            }
            _ => None,
        }
    }
}

/// `1 MB`, `traffic beside 5 MB`.
fn what(record: &Record) -> String {
    match record.beside_bytes {
        Some(beside_bytes) => format!("{TRAFFIC} beside {}", byte_count(beside_bytes)),
        None if record.role == TRAFFIC => TRAFFIC.to_owned(),
        None if !record.sizes.is_empty() => printable(&record.sizes),
        None => byte_count(record.size_bytes),
    }
}

/// The values of these conditions in one line.
pub(crate) fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join(SEPARATOR)
}
