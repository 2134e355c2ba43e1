//! One end whose peer is scripted by a test: which segments arrive and when, and what the end must
//! send then.
//!
//! A full segment is 1000 bytes, both initial sequence numbers are 0, and positions are stream
//! offsets.

use crate::trace::text;
use onramp_core::pairs::{PairOption, PERMITTED};
use onramp_tcp::{
    Acks, Avoidance, Config, Connection, Ecn, Flags, Options, PacketPair, PairOptions, Recovery,
    SackBlocks, Segment, Stack, State, Timers,
};

pub const MS_NS: u64 = 1_000_000;

/// An end without options that acknowledges each segment and paces from the first one, so that only
/// its recovery differs.
pub fn plain(recovery: Recovery) -> Config {
    Config {
        timestamps: false,
        window_scaling: false,
        avoidance: Avoidance::Reno,
        recovery,
        timers: Timers::Rfc6298,
        acks: Acks::Every,
        nagle: false,
        unpaced_segments: 0,
        paces_in_bursts: false,
        ..Config::of(Stack::Linux, 1040)
    }
}

/// The sequence number of a stream offset.
pub fn number(offset: i64) -> u32 {
    (offset + 1) as u32
}

pub struct Script {
    pub end: Connection,
    pub now_ns: u64,
    /// The peer's window.
    pub window: u16,
    /// Number of bytes that the peer has sent.
    pub sent: i64,
}

impl Script {
    /// A connection that is established at 100 ms, which is also the RTT.
    pub fn new(config: Config) -> Script {
        Script::offered(config, 65_535)
    }

    /// The same with a peer that advertises this window.
    pub fn offered(config: Config, window: u16) -> Script {
        let options = Options {
            mss: Some(config.mss_bytes),
            sack_permitted: true,
            timestamps: config.timestamps.then_some((1, 0)),
            window_scale: config.window_scaling.then_some(0),
            pairs: match config.packet_pair {
                PacketPair::None => PairOptions::default(),
                _ => PairOptions::marked(config.pair_form, PairOption::of(PERMITTED, 0)),
            },
            ..Options::default()
        };
        let mut script = Script {
            end: Connection::connect(config, 0),
            now_ns: 0,
            window,
            sent: 0,
        };
        let has_ecn = script.end.config().ecn_wanted() == Ecn::Request;
        let needs_ecn = script.end.config().avoidance.ect().is_some();
        let (syn, ack) = match (has_ecn, needs_ecn) {
            (_, true) => ("S ece cwr ect", "ack 0 ect"),
            (true, false) => ("S ece cwr", "ack 0"),
            (false, false) => ("S", "ack 0"),
        };
        assert_eq!(script.sends(), [syn]);
        script.now_ns = 100 * MS_NS;
        let mut flags = Flags::SYN.with(Flags::ACK);
        if has_ecn {
            flags = flags.with(Flags::ECE);
        }
        assert_eq!(
            script.arrives(Segment {
                seq: 0,
                ack: 1,
                window,
                flags,
                options,
                ..Segment::default()
            }),
            [ack]
        );
        assert_eq!(script.end.state(), State::Established);
        script
    }

    /// All segments that are sent now.
    pub fn sends(&mut self) -> Vec<String> {
        let mut sends = Vec::new();
        while let Some(transmit) = self.end.poll_transmit(self.now_ns) {
            sends.push(text(&transmit));
            assert!(sends.len() < 10_000);
        }
        sends
    }

    pub fn arrives(&mut self, segment: Segment) -> Vec<String> {
        self.end.on_segment(self.now_ns, &segment);
        self.sends()
    }

    /// A segment of the peer without payload.
    pub fn bare(&self, ack: i64) -> Segment {
        Segment {
            seq: number(self.sent),
            ack: number(ack),
            window: self.window,
            flags: Flags::ACK,
            ..Segment::default()
        }
    }

    pub fn ack(&mut self, ack: i64) -> Vec<String> {
        self.arrives(self.bare(ack))
    }

    /// An acknowledgement with SACK blocks arrives.
    pub fn sack(&mut self, ack: i64, blocks: &[(i64, i64)]) -> Vec<String> {
        let mut sack = SackBlocks::default();
        for &(left, right) in blocks {
            assert!(sack.push(number(left), number(right)));
        }
        let options = Options {
            sack,
            ..Options::default()
        };
        self.arrives(Segment {
            options,
            ..self.bare(ack)
        })
    }

    /// Data of the peer arrives, starting at this stream offset.
    pub fn data(&mut self, start: i64, bytes: u32, ack: i64) -> Vec<String> {
        let segment = Segment {
            seq: number(start),
            payload_bytes: bytes,
            ..self.bare(ack)
        };
        self.sent = self.sent.max(start + i64::from(bytes));
        self.arrives(segment)
    }

    pub fn write(&mut self, bytes: u64) -> Vec<String> {
        assert_eq!(self.end.write(bytes), bytes);
        self.sends()
    }

    /// Lets time pass. Nothing may be sent.
    pub fn idle_until(&mut self, ms: u64) {
        let sends = self.until(ms);
        assert!(sends.is_empty(), "{sends:?}");
    }

    /// Runs the timers up to a time. Returns the segments sent, each with its time.
    pub fn until(&mut self, ms: u64) -> Vec<String> {
        let mut sends = Vec::new();
        while let Some(at_ns) = self
            .end
            .next_timer_ns()
            .filter(|&at_ns| at_ns <= ms * MS_NS)
        {
            assert!(at_ns > self.now_ns, "a timer in the past");
            self.now_ns = at_ns;
            self.end.on_timer(at_ns);
            let at = format!("{} ms: ", at_ns / MS_NS);
            sends.extend(self.sends().into_iter().map(|sent| at.clone() + &sent));
        }
        self.now_ns = ms * MS_NS;
        sends
    }

    /// cwnd and ssthresh, in whole segments.
    pub fn window(&self) -> (u64, u64) {
        let window = self.end.window();
        (window.cwnd_bytes / 1000, window.ssthresh_bytes / 1000)
    }
}

/// The text of these full segments, counted from 0.
pub fn segments(range: std::ops::Range<u64>) -> Vec<String> {
    range
        .map(|index| format!("{}:{}", 1000 * index, 1000 * (index + 1)))
        .collect()
}
