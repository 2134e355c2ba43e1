//! The limits of the lab.

use crate::error::Error;
use crate::resources;
use crate::supports::supports;
use onramp_scenario::Case;

/// Refuses a case that the lab does not support, or that exceeds the limits of a TUN device, of the
/// arithmetic or of this process. The reader of scenario files is stricter. Returns the number of
/// flows for which there is room beside those that start in any case.
///
/// # Errors
/// The quantity, its value, and the range of the lab.
pub fn check(case: &Case) -> Result<u64, Error> {
    supports(case)?;
    check_path(case)?;
    let size = case.transfer.size_bytes;
    if let Some(bytes) = case
        .transfer
        .segment_bytes
        .filter(|bytes| !(296..=9000).contains(bytes))
    {
        return wrong(
            "the largest segment's packet",
            bytes.into(),
            "296 to 9,000 bytes",
        );
    }
    if size == 0 || size == u64::MAX {
        return wrong("the transfer's size in bytes", size, "1 byte or more");
    }
    resources::check(case)
}

/// Refuses a path or network that exceeds the limits of a TUN device or of the arithmetic.
///
/// # Errors
/// The quantity, its value, and the range of the lab.
pub fn check_path(case: &Case) -> Result<(), Error> {
    let path = &case.path;
    if !(296..=65_000).contains(&path.mtu_bytes) {
        return wrong("the MTU", path.mtu_bytes.into(), "296 to 65,000 bytes");
    }
    let links = case
        .network
        .links
        .iter()
        .flat_map(|link| [&link.forward, &link.reverse]);
    for channel in links.chain([&path.forward, &path.reverse]) {
        if !(1_000..=100_000_000_000).contains(&channel.rate_bits_per_s) {
            return wrong(
                "a rate in bit/s",
                channel.rate_bits_per_s,
                "1 kbit/s to 100 Gbit/s",
            );
        }
        if channel.loss_ppm > 1_000_000 {
            return wrong(
                "a loss probability in millionths",
                channel.loss_ppm.into(),
                "at most 1,000,000",
            );
        }
    }
    Ok(())
}

fn wrong<T>(what: &'static str, found: u64, expected: &'static str) -> Result<T, Error> {
    Err(Error::Case {
        what,
        found,
        expected,
    })
}
