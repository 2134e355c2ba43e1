//! The counts for Prometheus and what understands its formats: as text, in a file, over HTTP.
//!
//! No metric has a label for a connection, an address or a port: the number of series depends on
//! the configuration alone, some 450 for each policy.

mod families;
mod http;
mod text;
mod text_file;

pub use families::{MetricKind, BUCKETS_OF_AN_OCTAVE, METRICS};
pub use http::{fetch_counts, Endpoint, EndpointError, Latest, SOCKET};
pub use text::{text, Format};
pub use text_file::replace;
