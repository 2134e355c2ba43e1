//! Active and passive open (RFC 9293, section 3.5).

use super::ecn;
use super::numbering::Numbering;
use super::pairs::{self, Pairs};
use super::receiver::{Receiver, MAX_SHIFT};
use super::sender::{Negotiated, Sender};
use super::{Connection, Failure, State, Stats};
use crate::rto::Rto;
use crate::{Config, EcnField, Options, PairOptions, Segment};

/// Number of SYNs, the first included, after which an active open fails. It counts SYNs whose
/// timeouts double (Linux: `tcp_syn_retries`); SYNs before the first doubling are not counted.
const MAX_SYNS: u32 = 7;
/// The same limit for SYN-ACKs (Linux: `tcp_synack_retries`).
const MAX_ANSWERS: u32 = 6;
/// The MSS of a peer that sends no MSS option (RFC 9293, section 3.7.1).
const DEFAULT_MSS: u16 = 536;
/// The smallest MSS that is accepted. Smaller values occur only in attacks.
const MIN_MSS: u32 = 48;
/// Timestamp option bytes in every segment when both sides use timestamps (RFC 7323, appendix A).
pub const TIMESTAMP_BYTES: u32 = 12;

/// State of our SYN and its timer.
#[derive(Clone, Debug, Default)]
pub struct Handshake {
    /// The SYN must be sent now.
    pub syn_due: bool,
    syns_sent: u32,
    timeouts: u32,
    sent_ns: u64,
    pub expires_ns: Option<u64>,
}

impl Connection {
    /// Opens a connection actively: the first segment to send is the SYN.
    pub fn connect(config: Config, now_ns: u64) -> Connection {
        Connection::open(config, State::SynSent, now_ns)
    }

    /// Opens a connection passively, for a SYN that arrived.
    pub fn accept(config: Config, now_ns: u64, syn: &Segment) -> Connection {
        let mut connection = Connection::open(config, State::SynReceived, now_ns);
        connection.stats.segments_received = 1;
        connection.negotiate(syn);
        connection
    }

    fn open(config: Config, state: State, now_ns: u64) -> Connection {
        let mss_bytes = u32::from(config.mss_bytes);
        let handshake = Handshake {
            syn_due: true,
            sent_ns: now_ns,
            ..Handshake::default()
        };
        Connection {
            sender: Sender::new(&config, mss_bytes, config.sack),
            receiver: Receiver::new(&config),
            timestamps: config.timestamps,
            claimed_timestamp: 0,
            sack: config.sack,
            pairs: None,
            config,
            state,
            handshake,
            peer_shift: 0,
            window_updated_by: (-1, 0),
            reset_due: None,
            time_wait_until_ns: None,
            failure: None,
            stats: Stats::default(),
        }
    }

    /// The SYN, or the SYN-ACK in SYN-RECEIVED.
    pub(super) fn syn(&mut self, now_ns: u64) -> Segment {
        let handshake = &mut self.handshake;
        handshake.syn_due = false;
        handshake.syns_sent += 1;
        handshake.sent_ns = now_ns;
        handshake.expires_ns = Some(self.sender.rto.deadline_ns(now_ns));
        let is_first = handshake.syns_sent == 1;
        let answers = self.state == State::SynReceived;
        let window = self.receiver.acknowledge(now_ns, true, false);
        let scales = match answers {
            true => self.receiver.shift().is_some(),
            false => self.config.window_scaling,
        };
        let options = Options {
            mss: Some(self.config.mss_bytes),
            window_scale: scales.then(|| self.receiver.wanted_shift()),
            sack_permitted: self.sack,
            timestamps: self
                .timestamps
                .then(|| (self.timestamp(now_ns), self.receiver.echo())),
            pairs: match answers && self.pairs.is_none() {
                true => PairOptions::default(),
                false => pairs::offered(&self.config),
            },
            ..Options::default()
        };
        Segment {
            seq: self.config.isn,
            ack: if answers {
                self.receiver.numbering.number(0)
            } else {
                0
            },
            payload_bytes: 0,
            window,
            flags: match answers {
                true => ecn::syn_ack_flags(self.sender.ecn.is_on),
                false => ecn::syn_flags(self.config.ecn_wanted(), is_first),
            },
            ecn: match answers {
                true => self.sender.ecn.field_of_control(),
                false if is_first => self.config.avoidance.ect().unwrap_or_default(),
                false => EcnField::NotEct,
            },
            options,
        }
    }

    /// Takes over what both sides support, as the peer's SYN shows.
    pub(super) fn negotiate(&mut self, syn: &Segment) {
        let options = &syn.options;
        self.timestamps = self.config.timestamps && options.timestamps.is_some();
        self.sack = self.config.sack && options.sack_permitted;
        self.receiver.numbering = Numbering::from_isn(syn.seq);
        if let (true, Some(shift)) = (self.config.window_scaling, options.window_scale) {
            self.peer_shift = shift.min(MAX_SHIFT);
            self.receiver.scale();
        }
        if let (true, Some((value, _))) = (self.timestamps, options.timestamps) {
            self.receiver.update_ts_recent(value, -1);
        }
        let theirs = u32::from(options.mss.unwrap_or(DEFAULT_MSS)).max(MIN_MSS);
        let negotiated_mss_bytes = theirs.min(u32::from(self.config.mss_bytes));
        self.pairs =
            pairs::negotiated(&self.config, syn).then(|| Box::new(Pairs::new(&self.config)));
        let timestamp_bytes = if self.timestamps { TIMESTAMP_BYTES } else { 0 };
        let pair_bytes = if self.pairs.is_some() {
            pairs::reserved_bytes(self.config.pair_form)
        } else {
            0
        };
        let options_bytes = timestamp_bytes + pair_bytes;
        let mss_bytes = negotiated_mss_bytes.saturating_sub(options_bytes).max(1);
        self.receiver.set_mss(
            mss_bytes,
            negotiated_mss_bytes.saturating_sub(pair_bytes).max(1),
        );
        let negotiated = Negotiated {
            mss_bytes,
            options_bytes,
            sack: self.sack,
            timestamps: self.timestamps,
            pairs: self.pairs.is_some(),
        };
        self.sender.negotiated(&self.config, &negotiated);
        let has_ecn = ecn::is_negotiated(&self.config, syn);
        self.sender.ecn.is_on = has_ecn;
        self.sender.ecn.ect = self.config.avoidance.ect();
        self.receiver.ecn.is_on = has_ecn;
        self.receiver.ecn.echoes_changes = self.config.avoidance.ect().is_some();
        if let (true, Some((value, _))) = (self.timestamps, options.timestamps) {
            self.sender.congestion.set_peer_tsval(value);
        }
    }

    /// Enters ESTABLISHED: our SYN has been acknowledged, and the peer's SYN has arrived.
    pub(super) fn establish(&mut self, now_ns: u64, window_bytes: u64) {
        if self.handshake.syns_sent == 1 {
            self.sender.sample_handshake(self.handshake.sent_ns, now_ns);
        }
        // Some timers discard the RTT of the handshake, so read it first.
        let srtt_ns = self.sender.rto.srtt_ns();
        self.sender.rto.established();
        self.handshake.expires_ns = None;
        self.sender.open_window(now_ns, window_bytes);
        // RFC 5681, section 3.1: one segment after a lost SYN. RFC 6928, section 2, permits one
        // timeout.
        if self.handshake.timeouts > 1 {
            self.sender.congestion.start_with_one_segment();
        }
        self.sender.congestion.start(&self.config, now_ns, srtt_ns);
        self.state = if self.sender.is_closed() {
            State::FinWait1
        } else {
            State::Established
        };
    }

    pub(super) fn on_handshake_timer(&mut self, now_ns: u64) {
        if self.handshake.expires_ns.is_none_or(|at| now_ns < at) {
            return;
        }
        self.stats.timeouts += 1;
        self.handshake.timeouts += 1;
        let (linear, max) = match self.state {
            State::SynSent => (self.sender.rto.linear_syn_timeouts(), MAX_SYNS),
            _ => (0, MAX_ANSWERS),
        };
        if self.handshake.timeouts > linear {
            self.sender.rto.back_off();
        }
        self.handshake.expires_ns = None;
        match self.handshake.timeouts < max + linear {
            true => self.handshake.syn_due = true,
            false => self.fail(Failure::TimedOut),
        }
    }
}
