//! What one end of a connection is.

use crate::choice::{Acks, Avoidance, PacketPair, Recovery, Stack, Timers};
use crate::{ByteCounting, PathMemory, Ticks};
use onramp_core::pairs::Form;

/// One end's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whose habits to follow where no choice below names them.
    pub stack: Stack,
    /// Largest payload that it takes in one segment without options: the MTU less 40.
    pub mss_bytes: u16,
    /// Offers and accepts timestamps (RFC 7323).
    pub timestamps: bool,
    /// Offers and accepts selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Offers and accepts window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Start-up algorithm of `core/`, by its name; `None` leaves slow start to the avoidance.
    pub startup: Option<&'static str>,
    /// Options of that start-up: `onramp_core::OPTION_*`.
    pub startup_options: u32,
    /// Where its start-up finds what is remembered of the path, and what it learns is kept; `None`:
    /// nowhere.
    pub memory: Option<PathMemory>,
    /// What start-up `spaced` would measure: the rate of slow start's segments, in IP packets;
    /// `None`: it measures.
    pub pace_bits_per_s: Option<u64>,
    /// What start-up `qos` needs: a rate that the network guarantees; `None`: it starts as if there
    /// were no start-up. Not together with `pace_bits_per_s`.
    pub reservation: Option<Reservation>,
    /// What start-up `gamma` would find: the share of the window that a threshold is, in
    /// millionths.
    pub gamma_ppm: Option<u32>,
    /// Congestion avoidance.
    pub avoidance: Avoidance,
    /// Loss recovery. Those that stand on SACK fall back to [`Recovery::NewReno`] with a peer that
    /// has none.
    pub recovery: Recovery,
    /// Retransmission timer.
    pub timers: Timers,
    /// When to acknowledge.
    pub acks: Acks,
    /// What may be sent before the first acknowledgement.
    pub initial_window: InitialWindow,
    /// By how much an acknowledgement makes the window grow in slow start.
    pub byte_counting: ByteCounting,
    /// Threshold of the first slow start; `None` is none.
    pub initial_ssthresh_bytes: Option<u64>,
    /// Sends at this rate, counted in IP packets, whatever congestion control would do: the window
    /// is the send buffer, losses are sent again and change nothing else. There is no start-up
    /// then.
    pub fixed_rate_bits_per_s: Option<u64>,
    /// Receive buffer.
    pub receive_buffer: ReceiveBuffer,
    /// Bytes that the application may have given and that are not yet acknowledged.
    pub send_buffer_bytes: u64,
    /// What it does about packet pairs, if the peer knows them too. Its own data are sent in pairs
    /// where the start-up asks for that.
    pub packet_pair: PacketPair,
    /// How their options are written.
    pub pair_form: Form,
    /// Waits with small segments while any are outstanding (RFC 9293, section 3.7.4).
    pub nagle: bool,
    /// The window grows only while it is what holds the sender back (RFC 7661); otherwise with
    /// every acknowledgement.
    pub window_validation: bool,
    /// Starts again from the initial window after an idle time (RFC 5681, section 4.1; RFC 2861).
    pub restart_after_idle: bool,
    /// What the host has of time; 4.4BSD's own timers have their own.
    pub ticks: Ticks,
    /// Initial sequence number.
    pub isn: u32,
    /// Added to the timestamp clock, which counts milliseconds.
    pub timestamp_offset: u32,
}

/// A rate that the network guarantees to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Of TCP's payload: packets have headers besides. At least 1.
    pub bytes_per_s: u64,
    /// What may leave at once, at least a segment; `None`: as `core/algorithms/qos.h` chooses. A host that is
    /// woken at ticks only lets as much more leave at once as the rate makes of a tick.
    pub burst_bytes: Option<u32>,
}

/// What may be sent before the first acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// This many segments.
    Segments(u32),
    /// min(4 MSS, max(2 MSS, 4380 bytes)) (RFC 3390).
    Rfc3390,
}

impl InitialWindow {
    /// In bytes, of segments of so much payload; at least one of them.
    pub fn bytes(self, mss_bytes: u64) -> u64 {
        match self {
            InitialWindow::Segments(segments) => u64::from(segments.max(1)) * mss_bytes,
            InitialWindow::Rfc3390 => (4 * mss_bytes).min((2 * mss_bytes).max(4380)),
        }
    }
}

/// The receive buffer, in bytes of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveBuffer {
    /// Auto-tuned as Linux does it with its default limits.
    LinuxDefault,
    /// So much from the start.
    Bytes(u64),
    /// The same with every stack, and never a byte more: [`Bytes`](ReceiveBuffer::Bytes) grows
    /// where Linux's does, and promises up to a unit of the window field beyond what is free.
    Exactly(u64),
}

impl Config {
    /// The choices that belong together, for packets of so many bytes at most.
    pub fn of(stack: Stack, mtu_bytes: u32) -> Config {
        let mss_bytes = mtu_bytes.saturating_sub(40).clamp(1, u32::from(u16::MAX)) as u16;
        let linux = Config {
            stack,
            mss_bytes,
            timestamps: true,
            sack: true,
            window_scaling: true,
            startup: None,
            startup_options: 0,
            memory: None,
            pace_bits_per_s: None,
            reservation: None,
            gamma_ppm: None,
            avoidance: Avoidance::Cubic,
            recovery: Recovery::Rack,
            timers: Timers::Linux,
            acks: Acks::Linux,
            initial_window: InitialWindow::Segments(10),
            byte_counting: ByteCounting::Unlimited,
            initial_ssthresh_bytes: None,
            fixed_rate_bits_per_s: None,
            receive_buffer: ReceiveBuffer::LinuxDefault,
            send_buffer_bytes: 64 << 20,
            packet_pair: PacketPair::None,
            pair_form: Form::Experiment,
            nagle: true,
            window_validation: true,
            restart_after_idle: true,
            ticks: Ticks::FINE,
            isn: 0,
            timestamp_offset: 0,
        };
        match stack {
            Stack::Linux => linux,
            Stack::Lite => Config {
                sack: false,
                avoidance: Avoidance::Reno,
                recovery: Recovery::Reno,
                timers: Timers::Bsd,
                acks: Acks::Bsd,
                initial_window: InitialWindow::Segments(1),
                byte_counting: ByteCounting::ACKS,
                receive_buffer: ReceiveBuffer::Bytes(65_535),
                ticks: Ticks::BSD,
                ..linux
            },
        }
    }
}
