//! The congestion controls of this network namespace, by name.

use crate::process::read_text;
use crate::Result;
use std::fs;

/// The congestion controls that sockets of this network namespace can choose.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) if /proc cannot be read.
pub fn registered_names() -> Result<Vec<String>> {
    let text = read_text("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The congestion control of new sockets of this network namespace.
pub fn default_in_this_namespace() -> Option<String> {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")
        .ok()
        .map(|name| name.trim().to_owned())
}
