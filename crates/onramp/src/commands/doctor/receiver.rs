//! `onramp doctor --receiver`: what this host offers the senders of what it receives.

use super::{check, sysctl, verdict, Check};
use onramp_cli::text;
use onramp_kernel::{max_window_bytes, receiver_status, RECEIVER_PINS};
use std::path::Path;

/// The window for which docs/receiver.md has measurements.
const MEASURED_BYTES: u64 = 1 << 20;

pub fn checks() -> Vec<Check> {
    let loaded = receiver_status(Path::new(RECEIVER_PINS));
    let loaded = loaded.map(|status| status.map(|status| u64::from(status.window_bytes)));
    let default_bytes = sysctl("net.ipv4.tcp_rmem")
        .and_then(|value| value.split(' ').nth(1)?.parse::<u64>().ok())
        .unwrap_or(0);
    // A new connection takes half of its buffer for payload (tcp_adv_win_scale = 1).
    let offered_bytes = match &loaded {
        Ok(Some(window_bytes)) => (default_bytes / 2).max(*window_bytes),
        _ => default_bytes / 2,
    };
    let mend = (offered_bytes < MEASURED_BYTES).then(|| {
        "where the senders use Onramp, or where they are fast: run onramp receiver load \
         (docs/receiver.md has what it gains)"
            .to_owned()
    });
    let found = format!("new connections offer {}", text::bytes(offered_bytes));
    vec![
        check("first receive window", found, mend),
        verdict(
            "largest first receive window",
            max_window_bytes().map(|bytes| text::bytes(bytes.into())),
        ),
        verdict(
            "receiver",
            loaded.map(|loaded| match loaded {
                Some(bytes) => format!("loaded, with {}", text::bytes(bytes)),
                None => "not loaded".to_owned(),
            }),
        ),
    ]
}
