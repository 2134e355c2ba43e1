//! How far a measured flow is, and what is known of it when it is complete or the run ends.

use crate::work::{FlowState, TcpInfo};
use crate::Error;
use std::sync::Arc;

/// A measured flow, looked at now and then.
pub struct Progress {
    received_bytes: u64,
    /// When that last grew.
    moved_ns: u64,
    /// The sender's account when the flow was complete, or broken off.
    info: Option<TcpInfo>,
}

/// A measured flow when it was complete, or when the run ended.
pub struct Measured {
    /// The flow.
    pub state: Arc<FlowState>,
    /// When its receiver connected, or was to.
    pub start_ns: u64,
    /// When the last byte had been read, if it was.
    pub completed_ns: Option<u64>,
    /// Payload that was read.
    pub delivered_bytes: u64,
    /// The sender's account at that time.
    pub info: TcpInfo,
}

impl Progress {
    /// Of a flow that starts at this time.
    pub fn from(start_ns: u64) -> Progress {
        Progress {
            received_bytes: 0,
            moved_ns: start_ns,
            info: None,
        }
    }

    /// Nothing more is to be known of it.
    pub fn is_done(&self) -> bool {
        self.info.is_some()
    }

    /// Looks at a flow of this size.
    ///
    /// # Errors
    /// It has stood still for longer than that.
    pub fn look(
        &mut self,
        state: &FlowState,
        size_bytes: u64,
        now_ns: u64,
        patience_ns: u64,
    ) -> Result<(), Error> {
        // Taken once: the numbers are those of the flow's end, whatever the others do then.
        if self.is_done() {
            return Ok(());
        }
        if state.completed_ns() != 0 {
            self.info = Some(sender_info(state)?);
            return Ok(());
        }
        self.info = state.broken_off();
        if state.received_bytes() != self.received_bytes {
            (self.received_bytes, self.moved_ns) = (state.received_bytes(), now_ns);
        }
        if !self.is_done() && now_ns.saturating_sub(self.moved_ns) > patience_ns {
            let (received_bytes, waited_s) = (self.received_bytes, patience_ns as f64 / 1e9);
            return Err(Error::Stalled {
                received_bytes,
                size_bytes,
                waited_s,
            });
        }
        Ok(())
    }

    /// What has become of it until now, the end of the run, or its own. It was to start at this
    /// time.
    pub fn finish(&self, state: Arc<FlowState>, start_ns: u64, end_ns: u64) -> Measured {
        let completed_ns =
            Some(state.completed_ns()).filter(|at_ns| *at_ns != 0 && *at_ns <= end_ns);
        let delivered_bytes = state.received_bytes();
        // One that has no connection yet has sent nothing.
        let info = self
            .info
            .or_else(|| sender_info(&state).ok())
            .unwrap_or_default();
        let start_ns = Some(state.connect_ns())
            .filter(|at_ns| *at_ns != 0)
            .unwrap_or(start_ns);
        Measured {
            state,
            start_ns,
            completed_ns,
            delivered_bytes,
            info,
        }
    }
}

fn sender_info(flow: &FlowState) -> Result<TcpInfo, Error> {
    let what = "asking the sender its state";
    let socket: Arc<_> = flow
        .sender()
        .ok_or(std::io::ErrorKind::NotConnected)
        .map_err(|kind| Error::Socket {
            what,
            source: kind.into(),
        })?;
    TcpInfo::of(&*socket).map_err(|source| Error::Socket { what, source })
}
