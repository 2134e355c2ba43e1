//! The sending side: what may be sent, processing of acknowledgements, and timers.

mod acks;
mod output;
mod pacer;
mod timers;
mod usage;

pub use acks::{Acknowledgement, Echo};
pub use output::{Outgoing, PairRole};
pub use timers::GaveUp;

use super::ecn::EcnSender;
use super::numbering::Numbering;
use crate::congestion::Congestion;
use crate::header::TCP_HEADER_BYTES;
use crate::recovery::{self, AnyRecovery, Probe, Recovery, Scoreboard};
use crate::rto::{self, AnyRto, Rto};
use crate::timing::{Events, Measurement};
use crate::{Config, Stack};
use pacer::Pacer;
use usage::Usage;

/// The sending side of a connection.
#[derive(Clone, Debug)]
pub struct Sender {
    pub numbering: Numbering,
    pub scoreboard: Scoreboard,
    pub congestion: Congestion,
    recovery: AnyRecovery,
    pub rto: AnyRto,
    probe: Probe,
    /// Offset after the last byte that the application wrote.
    written: u64,
    /// The application has closed: the FIN has the offset `written`.
    closed: bool,
    /// Right edge of the peer's window.
    edge: u64,
    largest_window_bytes: u64,
    /// One lost segment may be retransmitted regardless of the window.
    force_retransmit: bool,
    /// A small segment may be sent although silly-window avoidance forbids it.
    overrides_sws_avoidance: bool,
    /// A window probe must be sent.
    window_probe_due: bool,
    /// Window probes sent since the window closed.
    window_probes_sent: u32,
    /// Window probes sent since the peer last answered.
    unanswered_window_probes: u32,
    /// A tail loss probe must be sent.
    tail_probe_due: bool,
    /// The latest burst ended with nothing left to send or to acknowledge.
    rests: bool,
    /// The latest RTT sample; 0 before the first.
    pub latest_rtt_ns: u64,
    /// The segment being timed, if not every acknowledgement is an RTT sample.
    timed: Option<Timed>,
    timer: Option<(Timer, u64)>,
    /// When the retransmission timer expires. A tail loss probe may come earlier.
    expires_ns: u64,
    backoffs: u32,
    /// The host's clock and its timers.
    pub measurement: Measurement,
    pub events: Events,
    pacer: Pacer,
    /// When data was last sent.
    idle_since_ns: u64,
    usage: Usage,
    mss_bytes: u32,
    /// Every acknowledgement echoes a timestamp.
    timestamps: bool,
    /// The peer supports packet pairs.
    pairs: bool,
    /// The first segment of a pair was sent just now, so the second must follow immediately.
    pair_second_due: bool,
    nagle: bool,
    /// Offset after the latest new segment that was not full; `snd_sml` in Linux.
    small_segment_end: u64,
    window_validation: bool,
    restart_after_idle: bool,
    is_lite: bool,
    send_buffer_bytes: u64,
    /// Retransmitted segments, probes included.
    sent_copies: u64,
    /// Copies that DSACKs have reported.
    reported_copies: u64,
    pub timeouts: u64,
    pub recoveries: u64,
    pub probes: u64,
    /// The response to marks.
    pub ecn: EcnSender,
}

/// What the timer does when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    /// Retransmit, because an acknowledgement is overdue.
    Retransmit,
    /// Send a tail loss probe.
    Probe,
    /// Send a window probe.
    Persist,
}

/// What the two SYNs negotiated.
#[derive(Clone, Copy, Debug)]
pub struct Negotiated {
    /// Payload bytes of a full segment.
    pub mss_bytes: u32,
    /// Option bytes in every segment.
    pub options_bytes: u32,
    pub sack: bool,
    pub timestamps: bool,
    /// Both ends support packet pairs.
    pub pairs: bool,
}

/// A segment whose RTT is measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    /// When the segment was sent. `None` after a retransmission (Karn's algorithm): then only an
    /// echoed timestamp gives an RTT sample.
    sent_ns: Option<u64>,
}

impl Sender {
    /// A sender of segments with this payload size, before the options are negotiated.
    pub fn new(config: &Config, mss_bytes: u32, sack: bool) -> Sender {
        let is_lite = config.stack == Stack::Lite;
        Sender {
            numbering: Numbering::from_isn(config.isn),
            scoreboard: Scoreboard::default(),
            congestion: Congestion::new(
                config,
                mss_bytes,
                config.ip.header_bytes() + TCP_HEADER_BYTES,
            ),
            recovery: recovery::new(config.recovery, sack, !is_lite),
            rto: rto::new(config.timers, config.ticks),
            probe: Probe::default(),
            written: 0,
            closed: false,
            edge: 0,
            largest_window_bytes: 0,
            force_retransmit: false,
            overrides_sws_avoidance: false,
            window_probe_due: false,
            window_probes_sent: 0,
            unanswered_window_probes: 0,
            tail_probe_due: false,
            rests: false,
            latest_rtt_ns: 0,
            timed: None,
            timer: None,
            expires_ns: 0,
            backoffs: 0,
            measurement: config.ticks.measurement(),
            events: config.ticks.events(),
            pacer: Pacer::new(
                config.ticks.events(),
                match config.fixed_rate_bits_per_s {
                    None => config.unpaced_segments,
                    Some(_) => 0,
                },
                config.paces_in_bursts && config.fixed_rate_bits_per_s.is_none(),
            ),
            idle_since_ns: 0,
            usage: Usage::default(),
            mss_bytes,
            timestamps: false,
            pairs: false,
            pair_second_due: false,
            nagle: config.nagle,
            small_segment_end: 0,
            window_validation: config.window_validation,
            restart_after_idle: config.restart_after_idle,
            is_lite,
            send_buffer_bytes: config.send_buffer_bytes,
            sent_copies: 0,
            reported_copies: 0,
            timeouts: 0,
            recoveries: 0,
            probes: 0,
            ecn: EcnSender::default(),
        }
    }

    /// Takes over the options that the handshake negotiated.
    pub fn negotiated(&mut self, config: &Config, negotiated: &Negotiated) {
        self.mss_bytes = negotiated.mss_bytes;
        self.timestamps = negotiated.timestamps;
        self.pairs = negotiated.pairs;
        let header_bytes = config.ip.header_bytes() + TCP_HEADER_BYTES + negotiated.options_bytes;
        self.congestion = Congestion::new(config, negotiated.mss_bytes, header_bytes);
        self.congestion.apply_fixed_rate(config);
        self.recovery = recovery::new(config.recovery, negotiated.sack, !self.is_lite);
    }

    /// Takes the RTT sample of the handshake. The SYN was sent once and has been acknowledged.
    pub fn sample_handshake(&mut self, sent_ns: u64, now_ns: u64) {
        self.rto.sample(sent_ns, now_ns);
        self.recovery.on_established(now_ns - sent_ns);
    }

    /// Sets the peer's first window.
    pub fn open_window(&mut self, now_ns: u64, window_bytes: u64) {
        self.edge = window_bytes;
        self.largest_window_bytes = window_bytes;
        self.congestion.set_peer_window(window_bytes);
        self.idle_since_ns = now_ns;
    }

    pub fn writable_bytes(&self) -> u64 {
        match self.closed {
            true => 0,
            false => self
                .send_buffer_bytes
                .saturating_sub(self.written - self.scoreboard.una().min(self.written)),
        }
    }

    pub fn write(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.writable_bytes());
        self.written += taken;
        taken
    }

    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The FIN has been sent.
    pub fn has_sent_fin(&self) -> bool {
        self.closed && self.scoreboard.nxt() > self.written
    }

    /// The FIN has been acknowledged.
    pub fn is_finished(&self) -> bool {
        self.closed && self.scoreboard.una() > self.written
    }

    /// Everything that was written has been sent.
    pub fn is_everything_sent(&self) -> bool {
        self.unsent_bytes() == 0
    }

    pub fn peer_window_bytes(&self) -> u64 {
        self.edge.saturating_sub(self.scoreboard.una())
    }

    /// The largest window that the peer has ever advertised.
    pub fn largest_window_bytes(&self) -> u64 {
        self.largest_window_bytes
    }

    /// Data bytes that the peer has acknowledged.
    pub fn acked_bytes(&self) -> u64 {
        self.scoreboard.una().min(self.written)
    }

    /// Data bytes written and not sent yet.
    pub fn unsent_bytes(&self) -> u64 {
        self.written.saturating_sub(self.scoreboard.nxt())
    }

    fn mss(&self) -> u64 {
        u64::from(self.mss_bytes)
    }
}
