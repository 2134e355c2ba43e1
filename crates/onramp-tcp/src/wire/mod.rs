//! Segments as IPv4 packets.
