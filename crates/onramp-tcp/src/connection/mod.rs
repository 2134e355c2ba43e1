//! One end of a TCP connection.

mod ecn;
mod handshake;
mod input;
mod numbering;
mod output;
mod pairs;
mod receiver;
mod sender;

use crate::rto::Rto;
use crate::timing::earliest;
use crate::{Config, Segment, Window};
use pairs::Pairs;
use receiver::Receiver;
use sender::{GaveUp, Sender};

/// How long an endpoint stays in TIME-WAIT: 60 s, as in Linux. RFC 9293, section 3.4.2, asks for
/// twice the maximum segment lifetime.
const TIME_WAIT_NS: u64 = 60_000_000_000;

/// Connection state (RFC 9293, section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// We have sent our SYN.
    SynSent,
    /// The peer's SYN has arrived, and we have answered it.
    SynReceived,
    /// Both sides can send data.
    Established,
    /// We have closed. The peer has not acknowledged our FIN.
    FinWait1,
    /// We have closed, and the peer has acknowledged our FIN.
    FinWait2,
    /// Both sides closed at the same time, and our FIN is not acknowledged.
    Closing,
    /// Both sides have closed. Old segments may still arrive.
    TimeWait,
    /// The peer has closed.
    CloseWait,
    /// The peer closed first, and now we have closed too.
    LastAck,
    /// The connection is over. [`Connection::failure`] reports whether it failed.
    Closed,
}

/// Why a connection ended before both sides had closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The peer answered our SYN with a reset.
    #[error("the peer refused the connection")]
    Refused,
    /// The peer reset the connection.
    #[error("the peer reset the connection")]
    Reset,
    /// The peer acknowledged nothing during the maximum number of retransmission timeouts.
    #[error("the peer no longer answers")]
    TimedOut,
    /// [`Connection::abort`] was called.
    #[error("the connection was aborted")]
    Aborted,
}

/// A segment to send, and its position in our stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The segment.
    pub segment: Segment,
    /// Stream offset of the first payload byte.
    pub stream_start: u64,
    /// The payload or the FIN was sent before.
    pub retransmission: bool,
}

/// Counters since the connection was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Segments sent with data or FIN.
    pub data_segments_sent: u64,
    /// Data segments that were retransmissions; also counted in `data_segments_sent`.
    pub retransmitted_segments: u64,
    /// Expirations of the retransmission timer while data or a SYN was in flight.
    pub timeouts: u64,
    /// Loss recoveries that acknowledgements (not the RTO) started.
    pub recoveries: u64,
    /// Reductions of cwnd that were undone, because nothing was lost.
    pub undone: u64,
    /// Tail loss probes sent.
    pub probes: u64,
    /// Reductions of cwnd for marks (ECN), without a loss.
    pub ecn_reductions: u64,
    /// New data segments that arrived with a mark (CE), on a connection with ECN.
    pub marks_received: u64,
    /// Segments that arrived.
    pub segments_received: u64,
    /// Segments that arrived and were unacceptable or contained nothing new.
    pub duplicates_received: u64,
}

/// One end of a TCP connection: state machine, sender and receiver.
///
/// A copy has no part in the path memory and in the ensemble of the original.
#[derive(Clone, Debug)]
pub struct Connection {
    config: Config,
    state: State,
    sender: Sender,
    receiver: Receiver,
    handshake: handshake::Handshake,
    /// Both sides use timestamps.
    timestamps: bool,
    /// The last timestamp that was sent.
    claimed_timestamp: u32,
    /// Both sides use SACK.
    sack: bool,
    /// Packet pairs, if both sides support them.
    pairs: Option<Box<Pairs>>,
    /// Shift count for the window field of the peer's segments.
    peer_shift: u8,
    /// SND.WL1 and SND.WL2: stream offset and acknowledgement of the segment that last updated the
    /// send window.
    window_updated_by: (i64, u64),
    reset_due: Option<Segment>,
    time_wait_until_ns: Option<u64>,
    failure: Option<Failure>,
    stats: Stats,
}

impl Connection {
    /// Time at which [`on_timer`](Self::on_timer) must be called next; `None` if no timer runs.
    pub fn next_timer_ns(&self) -> Option<u64> {
        match self.state {
            State::Closed => None,
            State::SynSent | State::SynReceived => self.handshake.expires_ns,
            _ => earliest([
                self.sender.next_timer_ns(),
                self.receiver.ack_at_ns,
                self.time_wait_until_ns,
            ]),
        }
    }

    /// Handles the timers that have expired. Call it at or after
    /// [`next_timer_ns`](Self::next_timer_ns); an early call does nothing. Then call
    /// [`poll_transmit`](Self::poll_transmit) until it returns `None`.
    pub fn on_timer(&mut self, now_ns: u64) {
        match self.state {
            State::Closed => {}
            State::SynSent | State::SynReceived => self.on_handshake_timer(now_ns),
            _ => {
                self.receiver.on_timer(now_ns);
                if self.sender.on_timer(now_ns) == Err(GaveUp) {
                    self.fail(Failure::TimedOut);
                }
                if self.time_wait_until_ns.is_some_and(|until| until <= now_ns) {
                    self.state = State::Closed;
                }
            }
        }
    }

    /// Appends up to `bytes` bytes of application data to the send buffer and returns how many
    /// bytes fitted. Then call [`poll_transmit`](Self::poll_transmit).
    pub fn write(&mut self, bytes: u64) -> u64 {
        self.sender.write(bytes)
    }

    /// Free space of the send buffer, in bytes: the maximum that [`write`](Self::write) accepts
    /// now.
    pub fn writable_bytes(&self) -> u64 {
        self.sender.writable_bytes()
    }

    /// Bytes that the application has written and that have not been sent yet.
    pub fn unsent_bytes(&self) -> u64 {
        self.sender.unsent_bytes()
    }

    /// Removes up to `max_bytes` bytes from the receive buffer and returns how many it removed.
    /// Then call [`poll_transmit`](Self::poll_transmit): the receive window may have opened.
    pub fn read(&mut self, now_ns: u64, max_bytes: u64) -> u64 {
        self.receiver.read(now_ns, max_bytes)
    }

    /// Bytes received in order that the application has not read yet.
    pub fn readable_bytes(&self) -> u64 {
        self.receiver.readable_bytes()
    }

    /// The largest receive window that this end may ever advertise, before the rounding of window
    /// scaling.
    pub fn max_receive_window_bytes(&self) -> u64 {
        self.receiver.max_window_bytes()
    }

    /// Bytes of the peer's stream that were received in order since the connection was opened.
    pub fn received_bytes(&self) -> u64 {
        self.receiver.received_bytes()
    }

    /// The ranges of the peer's stream that have arrived, as half-open `(start, end)` stream
    /// offsets: first the range in order, then the ranges above gaps.
    pub fn received_ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.receiver.received_ranges()
    }

    /// Bytes of our stream that the peer has acknowledged cumulatively.
    pub fn acked_bytes(&self) -> u64 {
        self.sender.acked_bytes()
    }

    /// The peer has closed its side, and its whole stream has been received.
    pub fn peer_has_closed(&self) -> bool {
        self.receiver.has_finished()
    }

    /// Stream offset of a segment's first payload byte: of all offsets with this sequence number,
    /// the one nearest to the next expected byte. An offset before the stream wraps around, and is
    /// then outside any window.
    pub fn stream_offset(&self, segment: &Segment) -> u64 {
        self.receiver
            .numbering
            .offset(segment.seq, self.receiver.nxt()) as u64
    }

    /// Closes our side: a FIN follows the last byte. Then call
    /// [`poll_transmit`](Self::poll_transmit).
    pub fn close(&mut self) {
        self.sender.close();
        match self.state {
            State::Established => self.state = State::FinWait1,
            State::CloseWait => self.state = State::LastAck,
            _ => {}
        }
    }

    /// Resets the connection. One RST segment remains to be sent, unless no peer can be waiting.
    pub fn abort(&mut self) {
        if !matches!(self.state, State::Closed | State::SynSent | State::TimeWait) {
            self.reset_due = Some(self.reset());
        }
        self.fail(Failure::Aborted);
    }

    /// The connection state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why the connection failed; `None` if it is open or closed normally.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        Stats {
            timeouts: self.sender.timeouts + self.stats.timeouts,
            recoveries: self.sender.recoveries,
            undone: self.sender.congestion.undone,
            probes: self.sender.probes,
            ecn_reductions: self.sender.ecn.reductions,
            marks_received: self.receiver.ecn.marks,
            ..self.stats
        }
    }

    /// Congestion window and slow-start threshold.
    pub fn window(&self) -> Window {
        self.sender.congestion.window
    }

    /// Bytes in flight, without those marked lost or selectively acknowledged (`pipe` of RFC 6675).
    pub fn inflight_bytes(&self) -> u64 {
        self.sender.scoreboard.pipe_bytes()
    }

    /// Bytes sent and not cumulatively acknowledged (FlightSize of RFC 5681).
    pub fn flight_size_bytes(&self) -> u64 {
        self.sender.scoreboard.flight_size_bytes()
    }

    /// The peer's receive window, in bytes above its cumulative acknowledgement.
    pub fn peer_window_bytes(&self) -> u64 {
        self.sender.peer_window_bytes()
    }

    /// Both ends use ECN (RFC 3168), as the handshake negotiated.
    pub fn has_ecn(&self) -> bool {
        self.sender.ecn.is_on
    }

    /// Smoothed RTT in nanoseconds; 0 before the first sample.
    pub fn srtt_ns(&self) -> u64 {
        self.sender.rto.srtt_ns()
    }

    /// The latest RTT sample in nanoseconds, from the newest segment that an ACK acknowledged for
    /// the first time; 0 before the first sample.
    pub fn latest_rtt_ns(&self) -> u64 {
        self.sender.latest_rtt_ns
    }

    /// The current retransmission timeout (RTO) in nanoseconds.
    pub fn rto_ns(&self) -> u64 {
        self.sender.rto.timeout_ns()
    }

    /// Pacing rate of the payload, in bytes per second; `None` if segments are not paced.
    pub fn pacing_bytes_per_s(&self) -> Option<u64> {
        self.sender
            .congestion
            .pacing()
            .map(|pacing| pacing.bytes_per_s)
    }

    /// The last decision of the start-up algorithm; `None` if there is no such algorithm.
    pub fn startup(&self) -> Option<&onramp_core::Decision> {
        self.sender.congestion.decision()
    }

    /// The BDP in bytes that the path memory gave to the start-up algorithm; 0 if none was
    /// remembered.
    pub fn remembered_bytes(&self) -> u64 {
        self.sender.congestion.remembered_bytes()
    }

    /// The number of other connections of this host to the same destination that were starting up
    /// when the start-up algorithm received its latest acknowledgement.
    pub fn siblings(&self) -> u64 {
        self.sender.congestion.siblings()
    }

    /// The configuration with which the connection was opened.
    pub fn config(&self) -> &Config {
        &self.config
    }

    fn fail(&mut self, failure: Failure) {
        if self.state != State::Closed {
            self.state = State::Closed;
            self.failure = Some(failure);
        }
    }
}
