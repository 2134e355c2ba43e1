//! Phases, exits and events in words for people.

use onramp_results::StartupEvent;
use onramp_scenario::units::{format_rate, format_time};

/// A phase, by its name in records.
pub fn phase(name: &str) -> &'static str {
    match name {
        "slow-start" => "Slow start: cwnd grows by what is acknowledged",
        "probe" => "Probing: a larger flight than slow start's, paced, to measure the rate",
        "pacing" => "Pacing: fills a measured window at the measured rate",
        "approach" => "Approach: cwnd grows, never faster than the measured rate",
        "done" => "Start-up over",
        "avoidance" => "Congestion avoidance",
        "safe-transmit" => "Congestion avoidance, still paced",
        "linear" => "Linear: one segment more in each round trip",
        "reserved" => "Reserved rate: losses do not change cwnd",
        "hold" => "Hold: waits a round trip to see whether the delay lasts",
        "drain" => "Drain: cwnd is lower, to see whether the queue is our own",
        "retreat" => "Retreat: repairs a loss",
        "rest" => "Rest: the pipe is full; waits to see whether the path stays as it was",
        "conservative" => "Conservative: grows by a quarter, to see whether the delay lasts",
        "repair" => "Repair: repairs a loss and controls cwnd with each ACK",
        _ => "Unknown phase",
    }
}

/// Why a start-up ended, by its name in records.
pub fn exit(name: &str) -> &'static str {
    match name {
        "none" => "it has not ended",
        "ssthresh" => "cwnd reached the ssthresh of the host",
        "estimate" => "cwnd reached the window that it had measured",
        "loss" => "ACKs reported a loss",
        "timeout" => "the retransmission timer expired",
        "application" => "the application sends too little to go on",
        "receiver" => "the receiver's window is the limit",
        "unreserved" => "no rate is reserved",
        "broken" => "losses show that the reservation does not hold",
        "delay" => "the RTT rose and stayed high: the pipe is full",
        "governed" => "earlier start-ups of this host retransmitted too much",
        "delivery" => "deliveries no longer grow with what is sent: the pipe is full",
        "path" => "the path is too short for a start-up to gain anything",
        _ => "for an unknown reason",
    }
}

/// An event as a sentence.
pub fn event(event: &StartupEvent, min_rtt_ns: u64) -> String {
    let cwnd = size(event.cwnd_bytes);
    match event.kind.as_str() {
        "phase" => format!("{}. cwnd {cwnd}.", phase(&event.what)),
        "exit" => format!("The start-up ended: {}. cwnd {cwnd}.", exit(&event.what)),
        "estimate" => {
            let bdp = u128::from(event.estimate_bytes_per_s) * u128::from(min_rtt_ns);
            format!(
                "Estimate {}: {} in the min RTT of {}.",
                format_rate(rounded(event.estimate_bytes_per_s.saturating_mul(8))),
                size((bdp / 1_000_000_000) as u64),
                format_time(rounded(min_rtt_ns)),
            )
        }
        _ => format!("{}.", event.what),
    }
}

/// `1.44 MB`: three significant digits.
fn size(bytes: u64) -> String {
    let (unit_bytes, unit) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    let value = rounded(bytes) as f64 / unit_bytes;
    let digits = match value {
        0.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// Three significant digits.
fn rounded(value: u64) -> u64 {
    let mut unit: u64 = 1;
    while value / unit >= 1000 {
        unit *= 10;
    }
    (value.saturating_add(unit / 2)) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_core::{exit_name, phase_name};

    #[test]
    fn every_phase_and_exit_has_its_words() {
        let phases: Vec<_> = (0..)
            .map(phase_name)
            .take_while(|name| *name != "unknown")
            .collect();
        assert!(phases.len() > 10);
        assert!(
            phases.iter().all(|name| phase(name) != phase("?")),
            "{phases:?}"
        );
        let exits: Vec<_> = (0..)
            .map(exit_name)
            .take_while(|name| *name != "unknown")
            .collect();
        assert!(exits.len() > 10);
        assert!(
            exits.iter().all(|name| exit(name) != exit("?")),
            "{exits:?}"
        );
    }

    #[test]
    fn an_estimate_is_a_rate_and_its_window() {
        let event = StartupEvent {
            time_s: 1.0,
            kind: "estimate".to_owned(),
            what: "pacing".to_owned(),
            estimate_bytes_per_s: 2_401_234,
            cwnd_bytes: 14480,
            ssthresh_bytes: 0,
            pacing_bytes_per_s: 0,
            remembered_bytes: 0,
        };
        assert_eq!(
            super::event(&event, 600_000_000),
            "Estimate 19.2 Mbit/s: 1.44 MB in the min RTT of 600 ms."
        );
    }
}
