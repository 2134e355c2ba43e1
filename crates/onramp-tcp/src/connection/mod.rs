//! One end of a connection.

use crate::{Config, Segment, Window};

/// Where a connection stands (RFC 9293, section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Our SYN is out.
    SynSent,
    /// A SYN came and was answered.
    SynReceived,
    /// Data may flow.
    Established,
    /// We have closed; the peer has not acknowledged it.
    FinWait1,
    /// We have closed; the peer knows.
    FinWait2,
    /// Both have closed at once.
    Closing,
    /// Both have closed; stray segments may still come.
    TimeWait,
    /// The peer has closed.
    CloseWait,
    /// The peer had closed, and now we have.
    LastAck,
    /// Over, or reset, or given up.
    Closed,
}

/// A segment on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The segment.
    pub segment: Segment,
    /// Place in the stream of its first payload byte.
    pub stream_start: u64,
    /// Some of its payload had been sent before.
    pub retransmission: bool,
}

/// Counters since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Segments sent with data.
    pub data_segments_sent: u64,
    /// Of these, sent again.
    pub retransmitted_segments: u64,
    /// Expirations of the retransmission timer.
    pub timeouts: u64,
    /// Times that recovery began by acknowledgements.
    pub recoveries: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Segments that arrived.
    pub segments_received: u64,
    /// Segments that arrived and were not acceptable, or held nothing new.
    pub duplicates_received: u64,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    config: Config,
}

#[allow(unused_variables)] // until it is written
impl Connection {
    /// An active open: the SYN is the first segment to transmit.
    pub fn connect(config: Config, now_ns: u64) -> Connection {
        todo!()
    }

    /// A passive open by a SYN that arrived.
    pub fn accept(config: Config, now_ns: u64, syn: &Segment) -> Connection {
        todo!()
    }

    /// A segment arrived. Afterwards [`poll_transmit`](Self::poll_transmit) until it gives nothing more.
    pub fn on_segment(&mut self, now_ns: u64, segment: &Segment) {
        todo!()
    }

    /// The moment of [`next_timer_ns`](Self::next_timer_ns) came, or passed. Harmless at any other.
    pub fn on_timer(&mut self, now_ns: u64) {
        todo!()
    }

    /// The next segment to send now, if there is one.
    pub fn poll_transmit(&mut self, now_ns: u64) -> Option<Transmit> {
        todo!()
    }

    /// When [`on_timer`](Self::on_timer) is wanted next.
    pub fn next_timer_ns(&self) -> Option<u64> {
        todo!()
    }

    /// The application gives bytes to send; so many were taken.
    pub fn write(&mut self, now_ns: u64, bytes: u64) -> u64 {
        todo!()
    }

    /// Bytes that [`write`](Self::write) would take.
    pub fn writable_bytes(&self) -> u64 {
        todo!()
    }

    /// The application takes so many bytes at most; so many it got.
    pub fn read(&mut self, now_ns: u64, most_bytes: u64) -> u64 {
        todo!()
    }

    /// Bytes that wait to be read.
    pub fn readable_bytes(&self) -> u64 {
        todo!()
    }

    /// Bytes of the stream received in order since the start.
    pub fn received_bytes(&self) -> u64 {
        todo!()
    }

    /// Bytes of our stream that the peer has acknowledged.
    pub fn acked_bytes(&self) -> u64 {
        todo!()
    }

    /// The peer has closed its side, and everything it sent has been received.
    pub fn peer_closed(&self) -> bool {
        todo!()
    }

    /// No more to write: a FIN follows the last byte.
    pub fn close(&mut self, now_ns: u64) {
        todo!()
    }

    /// Resets the connection.
    pub fn abort(&mut self) {
        todo!()
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        todo!()
    }

    /// Counters.
    pub fn stats(&self) -> &Stats {
        todo!()
    }

    /// Congestion window and threshold.
    pub fn window(&self) -> Window {
        todo!()
    }

    /// Outstanding, without what is known to be lost or received.
    pub fn inflight_bytes(&self) -> u64 {
        todo!()
    }

    /// Sent and not cumulatively acknowledged.
    pub fn outstanding_bytes(&self) -> u64 {
        todo!()
    }

    /// Smoothed round-trip time, 0 before the first sample.
    pub fn srtt_ns(&self) -> u64 {
        todo!()
    }

    /// Rate at which segments are paced, if they are.
    pub fn pacing_bytes_per_s(&self) -> Option<u64> {
        todo!()
    }

    /// What the start-up of `core/` decided last, if there is one.
    pub fn startup(&self) -> Option<&onramp_core::Decision> {
        todo!()
    }
}
