//! The bytes of a connection's streams, for drivers that carry real ones.
