//! What has crossed the path, as text and as JSON.

use super::ends::{CLIENT, SERVER};
use onramp_cli::text;
use onramp_lab::{PathEnd, PathReport};
use onramp_net::LinkStats;
use serde_json::{json, Value};
use std::time::Duration;

/// The result of the command and of its path.
pub struct Summary {
    /// The exit code of the command.
    pub exit_code: u8,
    /// How long it ran.
    pub took: Duration,
    /// What crossed the path.
    pub report: PathReport,
    /// The end of the path where the command ran.
    pub client: PathEnd,
    /// Connections that the start-up was given, and those to which it could not be given.
    pub adopted: Option<(u64, u64)>,
}

impl Summary {
    /// The two directions: the name of the end where packets arrive, and the bottleneck.
    fn directions(&self) -> [(&'static str, &LinkStats); 2] {
        let (forward, reverse) = (&self.report.forward, &self.report.reverse);
        match self.client {
            PathEnd::Receiver => [(CLIENT, forward), (SERVER, reverse)],
            PathEnd::Sender => [(SERVER, forward), (CLIENT, reverse)],
        }
    }

    /// Lines for people.
    pub fn lines(&self) -> Vec<String> {
        let took_s = self.took.as_secs_f64();
        let code = self.exit_code;
        let mut lines = vec![format!(
            "onramp: ended after {took_s:.2} s with exit code {code}"
        )];
        for (name, link) in self.directions() {
            let rate = text::rate((link.delivered.bytes as f64 / took_s.max(1e-9)) as u64);
            lines.push(format!(
                "  to the {name}: {} crossed, {} at {rate}; {} dropped by the queue, {} marked, {} \
                 lost; longest queue {}",
                text::count(link.delivered.packets as usize, "packet"),
                text::bytes(link.delivered.bytes),
                dropped(link),
                link.marked.packets,
                lost(link),
                text::bytes(link.peak_queue.bytes),
            ));
        }
        let elsewhere = self.dropped_elsewhere();
        if elsewhere > 0 {
            lines.push(format!(
                "  other links dropped or lost {}",
                text::count(elsewhere as usize, "packet")
            ));
        }
        if let Some((adopted, refused)) = self.adopted {
            lines.push(format!(
                "  {} used the start-up{}",
                text::count(adopted as usize, "connection"),
                match refused {
                    0 => String::new(),
                    _ => format!(", {refused} could not be switched to it"),
                }
            ));
        }
        let late_ms = self.report.lateness_max_us / 1e3;
        if late_ms > SUSPECT_MS {
            lines.push(format!(
                "  this machine was busy: a packet was {late_ms:.1} ms late; repeat what you \
                 measure while it is quiet"
            ));
        }
        let notes = self.report.notes.iter();
        lines.extend(notes.map(|note| format!("  note: {note}")));
        lines
    }

    /// Packets that other links than the bottleneck dropped or lost.
    fn dropped_elsewhere(&self) -> u64 {
        let all = |links: &[LinkStats]| links.iter().map(|link| dropped(link) + lost(link)).sum();
        let here: u64 = all(&[self.report.forward, self.report.reverse]);
        let everywhere: u64 = all(&self.report.links);
        everywhere.saturating_sub(here)
    }

    /// The same as an object.
    pub fn json(&self) -> Value {
        let link = |link: &LinkStats| {
            json!({
                "packets": link.delivered.packets,
                "bytes": link.delivered.bytes,
                "dropped_packets": dropped(link),
                "marked_packets": link.marked.packets,
                "lost_packets": lost(link),
                "peak_queue_packets": link.peak_queue.packets,
                "peak_queue_bytes": link.peak_queue.bytes,
            })
        };
        let mut object = json!({
            "exit_code": self.exit_code,
            "duration_s": self.took.as_secs_f64(),
            "dropped_elsewhere_packets": self.dropped_elsewhere(),
            "lateness_p99_us": self.report.lateness_p99_us,
            "lateness_max_us": self.report.lateness_max_us,
        });
        for (name, stats) in self.directions() {
            object[format!("to_{name}")] = link(stats);
        }
        if let Some((adopted, refused)) = self.adopted {
            object["adopted"] = adopted.into();
            object["refused"] = refused.into();
        }
        object
    }
}

/// The lateness of a packet beyond which a result is suspect.
const SUSPECT_MS: f64 = 12.0;

/// Packets that the queue dropped, at once or later.
fn dropped(link: &LinkStats) -> u64 {
    link.dropped.packets + link.evicted.packets + link.thinned.packets
}

/// Packets that were lost at random, or dropped by a policer.
fn lost(link: &LinkStats) -> u64 {
    link.lost.packets + link.policed.packets
}
