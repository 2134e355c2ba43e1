//! The status of a flow: whether it has ended, and how.

use super::super::finished::FinishedTransfer;
use super::{End, Flow, Side};
use onramp_tcp::{Connection, Failure, State};

impl Flow {
    /// Logs new decisions of the start-up, until the last byte has been read.
    pub fn log_startup(&mut self, now_ns: u64) {
        let Some(startup_log) = &mut self.startup_log else {
            return;
        };
        if let Some(quic) = self.quic.get() {
            let (decisions, remembered_bytes) = quic.take_decisions();
            for (time_ns, decision) in decisions {
                startup_log.record_decision(time_ns, &decision, remembered_bytes);
            }
            return;
        }
        if let Some(sender) = &self.ends[Side::Sender as usize].connection {
            startup_log.record(now_ns, sender);
        }
    }

    /// Whether the last byte has been read.
    pub fn is_complete(&self) -> bool {
        self.received_bytes == self.size_bytes
    }

    /// Whether both ends are closed or only wait in TIME-WAIT for late segments.
    pub fn is_over(&self) -> bool {
        if let Some(quic) = self.quic.peek() {
            return quic.is_over();
        }
        let over =
            |connection: &Connection| matches!(connection.state(), State::Closed | State::TimeWait);
        match &self.ends {
            [End {
                connection: Some(sender),
                ..
            }, End {
                connection: Some(receiver),
                ..
            }] => over(sender) && over(receiver),
            [End {
                connection: Some(alone),
                ..
            }, _]
            | [_, End {
                connection: Some(alone),
                ..
            }] => alone.state() == State::Closed,
            _ => true,
        }
    }

    /// The result of a measured flow. `None` if it was already taken, or if the flow is not
    /// measured.
    pub fn take_finished(&mut self, completed_ns: Option<u64>) -> Option<FinishedTransfer> {
        let startup = self.startup_log.take()?;
        Some(FinishedTransfer {
            flow: self.number,
            traffic: self.traffic,
            traced_flow: self.number,
            bottleneck: self.path.bottleneck,
            size_bytes: self.size_bytes,
            delivered_bytes: self.received_bytes,
            started_ns: self.started_ns,
            completed_ns,
            failure: self.failure(),
            sender: match self.quic.get() {
                Some(quic) => quic.stats(),
                None => self.sender().map(Connection::stats).unwrap_or_default(),
            },
            reports_timeouts: self.quic.is_none(),
            startup,
        })
    }

    /// The failure of an end, the sender's first.
    pub fn first_failure(&self) -> Option<Failure> {
        self.ends
            .iter()
            .find_map(|end| end.connection.as_ref()?.failure())
    }

    /// The failure of the flow, if it failed: that of the first end that failed. A sending
    /// application that stops deliberately is no failure, nor is an end that gives up because the
    /// other end did.
    fn failure(&self) -> Option<Failure> {
        if self.is_complete() {
            return None;
        }
        if let Some(quic) = self.quic.peek() {
            return quic.failure();
        }
        let [sender, receiver] = self
            .ends
            .each_ref()
            .map(|end| end.connection.as_ref().and_then(Connection::failure));
        match (sender, receiver) {
            (Some(Failure::Aborted), Some(Failure::Aborted | Failure::Reset)) => None,
            (Some(Failure::Aborted) | None, failure) => failure,
            (failure, _) => failure,
        }
    }
}
