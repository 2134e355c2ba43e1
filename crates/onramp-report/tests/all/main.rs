//! The tests of reports: one binary, because each is linked with all that it tests.

mod anything;
mod browser;
mod files;
mod pages;
mod reproductions;
mod schema;
mod sweep;
mod tables;
mod text_tables;
