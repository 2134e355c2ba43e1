//! Events of start-ups as lines of text, as JSON lines and as fields of the journal.

use nix::time::{clock_gettime, ClockId};
use onramp_cli::text;
use onramp_core::StartupEvent;
use onramp_kernel::Event;
use serde::Serialize;
use std::net::SocketAddr;

/// A change of a connection's start-up: a new phase, a new estimate, or its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventLine {
    /// When it happened, in seconds since 1970.
    pub time_s: f64,
    /// The congestion control.
    pub congestion_control: String,
    /// The connection's number, unique within one registration.
    pub connection: u64,
    /// The sender's end.
    pub local: SocketAddr,
    /// The receiver's end.
    pub remote: SocketAddr,
    /// `phase`, `estimate` or `exit`.
    pub kind: String,
    /// The phase; of an exit, its reason.
    pub what: String,
    /// The estimated rate; 0: none.
    pub estimate_bytes_per_s: u64,
    /// cwnd.
    pub cwnd_bytes: u64,
    /// ssthresh; 0: none.
    pub ssthresh_bytes: u64,
    /// The pacing rate; 0: none.
    pub pacing_bytes_per_s: u64,
    /// The remembered BDP that the start-up was given; 0: none.
    pub remembered_bytes: u64,
}

impl EventLine {
    /// `change` was derived from `event`. `kernel_clock_zero_s` is that of the function of this
    /// name.
    pub fn of(
        congestion_control: &str,
        event: &Event,
        change: StartupEvent,
        kernel_clock_zero_s: f64,
    ) -> EventLine {
        EventLine {
            time_s: kernel_clock_zero_s + event.time_ns() as f64 / 1e9,
            congestion_control: congestion_control.to_owned(),
            connection: event.connection,
            local: event.local,
            remote: event.remote,
            kind: change.kind,
            what: change.what,
            estimate_bytes_per_s: change.estimate_bytes_per_s,
            cwnd_bytes: change.cwnd_bytes,
            ssthresh_bytes: change.ssthresh_bytes,
            pacing_bytes_per_s: change.pacing_bytes_per_s,
            remembered_bytes: change.remembered_bytes,
        }
    }

    /// The event as a person reads it.
    pub fn text(&self) -> String {
        let estimate = match self.estimate_bytes_per_s {
            0 => String::new(),
            rate => format!(", path {}", text::rate(rate)),
        };
        format!(
            "{} -> {} {} {}: cwnd {}{estimate}",
            self.local,
            self.remote,
            self.kind,
            self.what,
            text::bytes(self.cwnd_bytes)
        )
    }

    /// The event as fields of the journal. Those that say nothing are left out.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let rates = [
            ("ONRAMP_ESTIMATE_BYTES_PER_S", self.estimate_bytes_per_s),
            ("ONRAMP_CWND_BYTES", self.cwnd_bytes),
            ("ONRAMP_SSTHRESH_BYTES", self.ssthresh_bytes),
            ("ONRAMP_PACING_BYTES_PER_S", self.pacing_bytes_per_s),
            ("ONRAMP_REMEMBERED_BYTES", self.remembered_bytes),
        ];
        let words = [
            ("ONRAMP_EVENT", self.kind.clone()),
            ("ONRAMP_WHAT", self.what.clone()),
            ("ONRAMP_CONGESTION_CONTROL", self.congestion_control.clone()),
            ("ONRAMP_CONNECTION", self.connection.to_string()),
            ("ONRAMP_LOCAL", self.local.to_string()),
            ("ONRAMP_REMOTE", self.remote.to_string()),
        ];
        let known = rates.into_iter().filter(|(_, value)| *value > 0);
        let known = known.map(|(name, value)| (name, value.to_string()));
        words.into_iter().chain(known).collect()
    }

    /// The event as JSON, in one line.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("the keys of our records are strings")
    }
}

/// What `CLOCK_REALTIME` showed when the kernel's clock of events (`CLOCK_MONOTONIC`) showed 0.
pub fn kernel_clock_zero_s() -> f64 {
    let now = |clock| {
        let time = clock_gettime(clock).expect("Linux has this clock");
        time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9
    };
    now(ClockId::CLOCK_REALTIME) - now(ClockId::CLOCK_MONOTONIC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_kernel::Input;

    fn line() -> EventLine {
        let event = Event {
            connection: 7,
            local: "192.0.2.1:80".parse().unwrap(),
            remote: "[2001:db8::1]:40000".parse().unwrap(),
            input: Input::Start(onramp_core::Start {
                now_ns: 1_500_000_000,
                ..Default::default()
            }),
            decision: Default::default(),
        };
        let change = StartupEvent {
            time_s: 0.0,
            kind: "exit".to_owned(),
            what: "delay".to_owned(),
            estimate_bytes_per_s: 6_250_000,
            cwnd_bytes: 14_480,
            ssthresh_bytes: 14_480,
            pacing_bytes_per_s: 0,
            remembered_bytes: 0,
        };
        EventLine::of("onramp", &event, change, 1_000.0)
    }

    #[test]
    fn fields_of_the_journal_leave_out_what_is_not_known() {
        let fields = line().fields();
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        assert!(names.contains(&"ONRAMP_ESTIMATE_BYTES_PER_S"), "{names:?}");
        assert!(!names.contains(&"ONRAMP_PACING_BYTES_PER_S"), "{names:?}");
        assert!(fields.contains(&("ONRAMP_WHAT", "delay".to_owned())));
        assert!(fields.contains(&("ONRAMP_REMOTE", "[2001:db8::1]:40000".to_owned())));
    }

    #[test]
    fn an_event_is_one_line_of_text_or_json() {
        let expected = "192.0.2.1:80 -> [2001:db8::1]:40000 exit delay: cwnd 14.5 kB, \
            path 50.0 Mbit/s";
        assert_eq!(line().text(), expected);
        let expected = concat!(
            r#"{"time_s":1001.5,"congestion_control":"onramp","connection":7,"#,
            r#""local":"192.0.2.1:80","remote":"[2001:db8::1]:40000","kind":"exit","#,
            r#""what":"delay","estimate_bytes_per_s":6250000,"cwnd_bytes":14480,"#,
            r#""ssthresh_bytes":14480,"pacing_bytes_per_s":0,"remembered_bytes":0}"#
        );
        assert_eq!(line().json(), expected);
    }

    #[test]
    fn the_kernels_clock_began_when_the_machine_did() {
        let zero = kernel_clock_zero_s();
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
        assert!(zero > 0.0 && zero < now, "{zero}");
    }
}
