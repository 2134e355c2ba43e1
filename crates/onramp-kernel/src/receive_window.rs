//! The bounds of what a receive buffer can be raised to.

use crate::process::read_text;
use crate::{Error, Result};

/// What the buffers that are raised gain together at most, if nobody says otherwise.
pub const DEFAULT_LIMIT_BYTES: u64 = 256 << 20;

/// The largest window to which the kernel lifts a connection: half of `net.ipv4.tcp_rmem[2]`.
///
/// # Errors
/// [`Error::Io`] if /proc cannot be read.
pub fn max_window_bytes() -> Result<u32> {
    let text = read_text("/proc/sys/net/ipv4/tcp_rmem")?;
    let max = text
        .split_whitespace()
        .nth(2)
        .and_then(|max| max.parse::<u32>().ok());
    Ok(max.unwrap_or(0) / 2)
}

/// The window, if the kernel can lift a connection so far.
///
/// # Errors
/// [`Error::WindowTooLarge`]
pub(crate) fn check_window(window_bytes: u64) -> Result<u32> {
    let max_bytes = max_window_bytes()?;
    u32::try_from(window_bytes)
        .ok()
        .filter(|&bytes| bytes <= max_bytes)
        .ok_or(Error::WindowTooLarge {
            window_bytes,
            max_bytes,
        })
}
