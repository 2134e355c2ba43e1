//! Recordings of a link: its rate, its delay and its loss over time.

mod error;
mod table;
mod values;

pub use error::RecordingError;
pub use table::RecordedTable;
pub use values::{Recorded, RecordedSteps, RecordedValues};
