//! Without `std` a host has no ensembles: the types have no values.

/// Ensembles need the feature `std`.
#[derive(Clone, Debug, PartialEq)]
pub enum Ensembles {}

impl Ensembles {
    pub(crate) fn join(&self, _now_ns: u64) -> EnsembleMember {
        match *self {}
    }

    pub(crate) fn initial_rate(&self, _now_ns: u64) -> u64 {
        match *self {}
    }

    pub(crate) fn learn_first_round(&self, _outcome: u8, _now_ns: u64) {
        match *self {}
    }
}

/// A connection's membership.
#[derive(Clone, Debug)]
pub(crate) enum EnsembleMember {}

impl EnsembleMember {
    pub fn siblings(&mut self, _now_ns: u64) -> u64 {
        match *self {}
    }

    pub fn leave(&mut self) {
        match *self {}
    }
}
