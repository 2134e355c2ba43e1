//! Without the feature `quic` there are no QUIC flows: cases that ask for them are refused.

use crate::error::{refuse, Unsupported};
use onramp_core::Decision;
use onramp_scenario::{Application, Case};
use onramp_tcp::{EcnField, Failure, Stats};

/// The configuration of QUIC flows, of which there are none.
#[derive(Clone, Debug)]
pub(crate) enum QuicPlan {}

/// What differs from connection to connection.
#[expect(dead_code, reason = "there are no connections")]
pub(crate) struct ConnectionParams {
    pub datagram_bytes: u16,
    pub memory_key: u64,
}

/// A QUIC connection, of which there are none.
pub(crate) enum Quic {}

/// What one end has done after an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub read_bytes: u64,
    pub next_ns: u64,
}

impl QuicPlan {
    pub fn of(_: &Case) -> Result<QuicPlan, Unsupported> {
        refuse("transfer.transport".to_owned(), "quic")
    }
}

impl Quic {
    pub fn connect(
        plan: &QuicPlan,
        _: &ConnectionParams,
        _: u64,
        _: u64,
        _: u64,
        _: Option<Application>,
    ) -> Quic {
        match *plan {}
    }

    pub fn receive(&mut self, _: bool, _: u64, _: &[u8], _: EcnField) {
        match *self {}
    }

    pub fn on_timer(&mut self, _: bool, _: u64) {
        match *self {}
    }

    pub fn drive(&mut self, _: bool, _: u64, _: impl FnMut(&[u8], EcnField)) -> Progress {
        match *self {}
    }

    pub fn close(&mut self, _: u64) {
        match *self {}
    }

    pub fn is_over(&self) -> bool {
        match *self {}
    }

    pub fn failure(&self) -> Option<Failure> {
        match *self {}
    }

    pub fn take_decisions(&mut self) -> (Vec<(u64, Decision)>, u64) {
        match *self {}
    }

    pub fn stats(&mut self) -> Stats {
        match *self {}
    }
}
