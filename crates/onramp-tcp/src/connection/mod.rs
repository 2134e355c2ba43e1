//! One end of a connection.

mod handshake;
mod input;
mod output;
mod pairs;
mod place;
mod receiver;
mod sender;

use crate::{Config, Segment, Window};
use pairs::Pairs;
use receiver::Receiver;
use sender::{GaveUp, Sender};

/// How long a connection that is over still answers (RFC 9293, section 3.4.2: twice the segments'
/// lifetime; Linux's value).
const TIME_WAIT_NS: u64 = 60_000_000_000;

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
    /// Over: see [`Connection::failure`] for whether it ended well.
    Closed,
}

/// Why a connection ended before both sides had closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The peer does not want it.
    #[error("the peer refused the connection")]
    Refused,
    /// The peer reset it.
    #[error("the peer reset the connection")]
    Reset,
    /// Nothing was acknowledged for so many retransmission timeouts.
    #[error("the peer does not answer any more")]
    TimedOut,
    /// [`Connection::abort`] was called.
    #[error("the connection was aborted")]
    Aborted,
}

/// A segment on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The segment.
    pub segment: Segment,
    /// Place in the stream of its first payload byte.
    pub stream_start: u64,
    /// Its payload, or its FIN, had been sent before.
    pub retransmission: bool,
}

/// Counters since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Segments sent with data or FIN.
    pub data_segments_sent: u64,
    /// Of these, sent again.
    pub retransmitted_segments: u64,
    /// Expirations of the retransmission timer with data outstanding.
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
    state: State,
    sender: Sender,
    receiver: Receiver,
    handshake: handshake::Handshake,
    /// Both sides have timestamps, and SACK.
    timestamps: bool,
    sack: bool,
    /// Both sides know packet pairs.
    pairs: Option<Box<Pairs>>,
    /// Shift of the window field that the peer sends.
    peer_shift: u8,
    /// SND.WL1 and SND.WL2: the segment that told the window last, by its place and its
    /// acknowledgement.
    window_from: (i64, u64),
    reset_due: Option<Segment>,
    time_wait_until_ns: Option<u64>,
    failure: Option<Failure>,
    stats: Stats,
}

impl Connection {
    /// When [`on_timer`](Self::on_timer) is wanted next.
    pub fn next_timer_ns(&self) -> Option<u64> {
        match self.state {
            State::Closed => None,
            State::SynSent | State::SynReceived => self.handshake.expires_ns,
            _ => {
                let timers = [
                    self.sender.next_timer_ns(),
                    self.receiver.ack_at_ns,
                    self.time_wait_until_ns,
                ];
                timers.into_iter().flatten().min()
            }
        }
    }

    /// The moment of [`next_timer_ns`](Self::next_timer_ns) came, or passed; harmless at any other.
    /// Afterwards [`poll_transmit`](Self::poll_transmit) until it gives nothing more.
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

    /// The application gives bytes to send; so many were taken. Afterwards
    /// [`poll_transmit`](Self::poll_transmit).
    pub fn write(&mut self, bytes: u64) -> u64 {
        self.sender.write(bytes)
    }

    /// Bytes that [`write`](Self::write) would take.
    pub fn writable_bytes(&self) -> u64 {
        self.sender.writable_bytes()
    }

    /// Bytes that were written and have not been sent yet.
    pub fn unsent_bytes(&self) -> u64 {
        self.sender.unsent_bytes()
    }

    /// The application takes so many bytes at most; so many it got. Afterwards
    /// [`poll_transmit`](Self::poll_transmit): the window may have opened.
    pub fn read(&mut self, now_ns: u64, most_bytes: u64) -> u64 {
        self.receiver.read(now_ns, most_bytes)
    }

    /// Bytes that wait to be read.
    pub fn readable_bytes(&self) -> u64 {
        self.receiver.readable_bytes()
    }

    /// The largest window that it may ever offer, but for the rounding that window scaling needs.
    pub fn most_receive_window_bytes(&self) -> u64 {
        self.receiver.most_window_bytes()
    }

    /// Bytes of the stream received in order since the start.
    pub fn received_bytes(&self) -> u64 {
        self.receiver.received_bytes()
    }

    /// Bytes of the peer's stream that have arrived, from a place to just before another: first
    /// those in order, then those beyond gaps.
    pub fn received_ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.receiver.received_ranges()
    }

    /// Bytes of our stream that the peer has acknowledged.
    pub fn acked_bytes(&self) -> u64 {
        self.sender.acked_bytes()
    }

    /// The peer has closed its side, and everything it sent has been received.
    pub fn peer_closed(&self) -> bool {
        self.receiver.has_finished()
    }

    /// Place in the peer's stream of a segment's first payload byte: the one nearest to what is
    /// expected next. A place before the stream wraps, and lies outside of any window.
    pub fn stream_position(&self, segment: &Segment) -> u64 {
        self.receiver
            .numbering
            .place(segment.seq, self.receiver.nxt()) as u64
    }

    /// No more to write: a FIN follows the last byte. Afterwards
    /// [`poll_transmit`](Self::poll_transmit).
    pub fn close(&mut self) {
        self.sender.close();
        match self.state {
            State::Established => self.state = State::FinWait1,
            State::CloseWait => self.state = State::LastAck,
            _ => {}
        }
    }

    /// Resets the connection: one segment is left to transmit.
    pub fn abort(&mut self) {
        if !matches!(self.state, State::Closed | State::SynSent | State::TimeWait) {
            self.reset_due = Some(self.reset());
        }
        self.fail(Failure::Aborted);
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why it ended, if it did not end well.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Counters.
    pub fn stats(&self) -> Stats {
        let (timeouts, recoveries, probes) = (
            self.sender.timeouts,
            self.sender.recoveries,
            self.sender.probes,
        );
        Stats {
            timeouts: timeouts + self.stats.timeouts,
            recoveries,
            probes,
            ..self.stats
        }
    }

    /// Congestion window and threshold.
    pub fn window(&self) -> Window {
        self.sender.congestion.window
    }

    /// Outstanding, without what is known to be lost or received (RFC 6675's pipe).
    pub fn inflight_bytes(&self) -> u64 {
        self.sender.board.pipe_bytes()
    }

    /// Sent and not cumulatively acknowledged.
    pub fn outstanding_bytes(&self) -> u64 {
        self.sender.board.outstanding_bytes()
    }

    /// The peer's window beyond what it has acknowledged.
    pub fn peer_window_bytes(&self) -> u64 {
        self.sender.peer_window_bytes()
    }

    /// Smoothed round-trip time; 0 before the first sample.
    pub fn srtt_ns(&self) -> u64 {
        self.sender.rto.srtt_ns()
    }

    /// The retransmission timeout in force.
    pub fn rto_ns(&self) -> u64 {
        self.sender.rto.timeout_ns()
    }

    /// Rate at which segments are paced, if they are.
    pub fn pacing_bytes_per_s(&self) -> Option<u64> {
        self.sender
            .congestion
            .pacing()
            .map(|pacing| pacing.bytes_per_s)
    }

    /// What the start-up of `core/` decided last, if there is one.
    pub fn startup(&self) -> Option<&onramp_core::Decision> {
        self.sender.congestion.decision()
    }

    /// What its start-up was told that is remembered of the path, in bytes in a round trip; 0:
    /// nothing.
    pub fn remembered_bytes(&self) -> u64 {
        self.sender.congestion.remembered_bytes()
    }

    /// Its configuration.
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
