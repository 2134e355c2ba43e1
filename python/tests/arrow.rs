//! The unit tests of `src/arrow`. Those of the library itself cannot run: only Python can load it.

#![allow(dead_code, unused_imports)] // the library uses all of it

#[path = "../src/arrow/mod.rs"]
mod arrow;
