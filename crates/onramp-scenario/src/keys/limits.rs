//! Minimum and maximum values that several tables share.

pub(super) const BUFFERS: (&str, &str) = ("4 KiB", "1 GiB");
pub(super) const SIZES: (&str, &str) = ("1 B", "1000 GB");
/// Bursts of a reservation: they fit into the 32 bits of `core/startup.h`.
pub(super) const BURSTS: (&str, &str) = ("1 B", "4 GB");
/// Granularities of a host's clocks.
pub(super) const GRANULARITIES: (&str, &str) = ("1 ns", "10 s");
pub(super) const MTUS: (&str, &str) = ("296 B", "9000 B");
/// Times since the beginning of a run.
pub(super) const MOMENTS: (&str, &str) = ("0 s", "1000000 s");
pub(super) const COUNTS: (&str, &str) = ("1", "100000");
