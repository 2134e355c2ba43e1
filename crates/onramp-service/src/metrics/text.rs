//! The two text formats.

use super::families::Families;
use crate::counts::Counts;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use std::fmt::Write;

/// A text format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenMetrics 1.0, with units. Prometheus asks for it.
    OpenMetrics,
    /// Prometheus' older text format, 0.0.4. node_exporter's textfile collector and `promtool check
    /// metrics` read it.
    Prometheus,
}

impl Format {
    /// The format that an HTTP client accepts.
    pub fn accepted_by(accept: Option<&str>) -> Format {
        match accept {
            Some(types) if types.contains("application/openmetrics-text") => Format::OpenMetrics,
            _ => Format::Prometheus,
        }
    }

    /// The value of HTTP's Content-Type.
    pub fn content_type(self) -> &'static str {
        match self {
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// The counts in a text format.
pub fn text(counts: &Counts, format: Format) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Families(counts.clone())));
    let mut text = String::new();
    encode(&mut text, &registry).expect("writing to a String does not fail");
    match format {
        Format::OpenMetrics => text,
        Format::Prometheus => older(&text),
    }
}

/// OpenMetrics as the older format, which has no units and no end, and its families of counters and
/// facts are named as their samples.
fn older(text: &str) -> String {
    let mut types = std::collections::HashMap::new();
    for line in text.lines() {
        if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|rest| rest.split_once(' '))
        {
            types.insert(name, kind);
        }
    }
    let mut older = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let words = [words.next(), words.next(), words.next(), words.next()];
        let _ = match words {
            [Some("#"), Some("UNIT" | "EOF"), ..] => Ok(()),
            [Some("#"), Some(keyword), Some(name), Some(rest)] => {
                let (suffix, kind) = match types.get(name) {
                    Some(&"counter") => ("_total", "counter"),
                    Some(&"info") => ("_info", "gauge"),
                    Some(&kind) => ("", kind),
                    None => ("", "untyped"),
                };
                let rest = if keyword == "TYPE" { kind } else { rest };
                writeln!(older, "# {keyword} {name}{suffix} {rest}")
            }
            _ => writeln!(older, "{line}"),
        };
    }
    older
}
