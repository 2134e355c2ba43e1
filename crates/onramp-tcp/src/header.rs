//! The sizes of headers.

/// Bytes of an IPv4 header without options.
pub const IPV4_HEADER_BYTES: u32 = 20;
/// Bytes of an IPv6 header without extension headers.
pub const IPV6_HEADER_BYTES: u32 = 40;
/// Bytes of a TCP header without options.
pub const TCP_HEADER_BYTES: u32 = 20;
