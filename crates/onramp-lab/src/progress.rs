//! The progress of a measured flow, and its result when it is complete or the run ends.

use crate::error::Error;
use crate::work::{FlowState, TcpInfo};
use onramp_scenario::{Answers, Arrival};
use std::sync::Arc;

/// The progress of a measured flow, which is checked at intervals.
pub struct Progress {
    received_bytes: u64,
    /// When `received_bytes` last increased.
    last_increase_ns: u64,
    /// The sender's `tcp_info` when the flow was complete or stopped.
    info: Option<TcpInfo>,
}

/// The result of a measured flow.
pub struct Measured {
    /// The state of the flow.
    pub state: Arc<FlowState>,
    /// The planned start by CLOCK_MONOTONIC, and the size.
    pub planned: Arrival,
    /// When the receiver connected, or was planned to.
    pub start_ns: u64,
    /// When the last byte had been read; `None` if it was not.
    pub completed_ns: Option<u64>,
    /// Payload that the receiver has read.
    pub delivered_bytes: u64,
    /// The answers that had arrived by the end of the run.
    pub answers: Answers,
    /// The sender's `tcp_info` at the end.
    pub info: TcpInfo,
}

impl Progress {
    /// The progress of a flow that starts at this time.
    pub fn from(start_ns: u64) -> Progress {
        Progress {
            received_bytes: 0,
            last_increase_ns: start_ns,
            info: None,
        }
    }

    /// Whether the flow is complete or stopped.
    pub fn is_done(&self) -> bool {
        self.info.is_some()
    }

    /// Checks a flow of this size.
    ///
    /// # Errors
    /// The receiver has received nothing for longer than `patience_ns`.
    pub fn check(
        &mut self,
        state: &FlowState,
        size_bytes: u64,
        now_ns: u64,
        patience_ns: u64,
    ) -> Result<(), Error> {
        // The numbers are taken once, at the end of the flow. What other flows do later does not
        // change them.
        if self.is_done() {
            return Ok(());
        }
        if state.completed_ns() != 0 {
            self.info = Some(sender_info(state)?);
            return Ok(());
        }
        self.info = state.info_at_stop();
        if state.received_bytes() != self.received_bytes {
            (self.received_bytes, self.last_increase_ns) = (state.received_bytes(), now_ns);
        }
        // No data arrives while the receiver thinks.
        let asks_ns = state.next_request_ns();
        if asks_ns != u64::MAX {
            self.last_increase_ns = self.last_increase_ns.max(asks_ns.min(now_ns));
        }
        if !self.is_done() && now_ns.saturating_sub(self.last_increase_ns) > patience_ns {
            let (received_bytes, waited_s) = (self.received_bytes, patience_ns as f64 / 1e9);
            return Err(Error::Stalled {
                received_bytes,
                size_bytes,
                waited_s,
            });
        }
        Ok(())
    }

    /// The result of the flow now, at its end, or at the end of the run, `end_ns`. `planned` is its
    /// start by CLOCK_MONOTONIC, and its size.
    pub fn finish(&self, state: Arc<FlowState>, planned: Arrival, end_ns: u64) -> Measured {
        let completed_ns =
            Some(state.completed_ns()).filter(|at_ns| *at_ns != 0 && *at_ns <= end_ns);
        let delivered_bytes = state.received_bytes();
        let mut answers = state.answers();
        answers
            .times
            .retain(|(_, answered_ns)| *answered_ns <= end_ns);
        // A flow without connection has sent nothing.
        let info = self
            .info
            .or_else(|| sender_info(&state).ok())
            .unwrap_or_default();
        let start_ns = Some(state.connect_ns())
            .filter(|at_ns| *at_ns != 0)
            .unwrap_or(planned.start_ns);
        Measured {
            state,
            planned,
            start_ns,
            completed_ns,
            delivered_bytes,
            answers,
            info,
        }
    }
}

/// The sender's `tcp_info`, with the repairs of relays.
fn sender_info(flow: &FlowState) -> Result<TcpInfo, Error> {
    let failed = |source| Error::Socket {
        what: "reading the statistics of the sender",
        source,
    };
    let sender = flow.sender();
    let sender = sender.ok_or_else(|| failed(std::io::ErrorKind::NotConnected.into()))?;
    let mut info = sender.info().map_err(failed)?;
    for relay in flow.relays() {
        info.add_repairs(&relay.info().map_err(failed)?);
    }
    Ok(info)
}
