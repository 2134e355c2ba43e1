//! The scenarios of the page: its presets and its lesson.

mod lessons;
mod presets;
mod transfers;
