//! `onramp ss`.

use super::{print_json, Answer};
use crate::failure::DONE;
use crate::text;
use crate::text::out;
use onramp_kernel::Connection;

pub fn run(json: bool) -> Answer {
    let all = onramp_kernel::connections()?;
    if json {
        print_json(&all);
        return Ok(DONE);
    }
    let heading = [
        "STATE", "LOCAL", "REMOTE", "CONTROL", "PHASE", "EXIT", "AT", "ESTIMATE", "PACING", "CWND", "SSTHRESH", "SRTT",
        "RETRANS",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(row));
    out(format_args!("{}", text::columns(&rows)));
    Ok(DONE)
}

fn row(connection: &Connection) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        connection.state.to_owned(),
        connection.local.to_string(),
        connection.remote.to_string(),
        connection.congestion_control.clone(),
        connection.phase.to_owned(),
        connection.exit_reason.to_owned(),
        or_dash(connection.exit_time_s.map(|time| format!("{time:.3} s"))),
        or_dash(connection.estimate_bytes_per_s.map(text::rate)),
        or_dash(connection.pacing_bytes_per_s.map(text::rate)),
        text::bytes(connection.cwnd_bytes),
        or_dash(connection.ssthresh_bytes.map(text::bytes)),
        format!("{:.1} ms", connection.srtt_s * 1e3),
        connection.retransmitted_segments.to_string(),
    ]
}
