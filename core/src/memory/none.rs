//! Without `std` a host has no path memory: the types have no values.

use crate::{Decision, Start};

/// A path memory needs the feature `std`.
#[derive(Clone, Debug, PartialEq)]
pub enum PathMemory {}

impl PathMemory {
    pub(crate) fn begin(&self, _now_ns: u64, _start: &mut Start) -> MemoryUser {
        match *self {}
    }
}

/// A connection's use of a path memory.
#[derive(Clone, Debug)]
pub(crate) enum MemoryUser {}

impl MemoryUser {
    pub fn keep(&mut self, _now_ns: u64) {
        match *self {}
    }

    pub fn learn(&mut self, _decision: &Decision, _now_ns: u64) {
        match *self {}
    }
}
