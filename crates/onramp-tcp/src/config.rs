//! Configuration of one end of a connection.

use crate::choice::{Acks, Avoidance, Ecn, IpVersion, Lie, PacketPair, Recovery, Stack, Timers};
use crate::{ByteCounting, EcnField, Ensembles, PathMemory, Ticks};

use onramp_core::pairs::Form;
use onramp_core::{InitialRate, Parameters};
use std::sync::Arc;

/// Configuration of one end of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The host whose behaviour applies where no other field decides.
    pub stack: Stack,
    /// IP version, which gives the size of the IP headers.
    pub ip: IpVersion,
    /// MSS without regard to options, in bytes: the MTU minus the headers of IP and TCP.
    pub mss_bytes: u16,
    /// Offers and accepts timestamps (RFC 7323).
    pub timestamps: bool,
    /// Offers and accepts selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Offers and accepts window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Explicit congestion notification (RFC 3168). An avoidance may ask for it too:
    /// [`ecn_wanted`](Config::ecn_wanted).
    pub ecn: Ecn,
    /// Start-up algorithm of `core/`, by name; `None` leaves slow start to the congestion
    /// avoidance.
    pub startup: Option<&'static str>,
    /// Options of the start-up algorithm: `onramp_core::OPTION_*`.
    pub startup_options: u32,
    /// Variant of the start-up algorithm: `onramp_core::Start::variant`.
    pub startup_variant: u64,
    /// Parameters of the start-up algorithm; `None`: their defaults.
    pub startup_parameters: Option<Arc<Parameters>>,
    /// Path memory from which the start-up algorithm starts, and to which it adds; `None`: no
    /// memory.
    pub memory: Option<PathMemory>,
    /// The count of connections to the same destination that are starting up, for a start-up
    /// algorithm that takes its share; `None`: none is counted.
    pub ensembles: Option<Ensembles>,
    /// For start-up `spaced`: the pacing rate, in bit/s of IP packets; `None`: it measures the
    /// rate.
    pub pace_bits_per_s: Option<u64>,
    /// For start-up `qos`: the reserved rate; `None`: it behaves as if there were no start-up. Not
    /// together with `pace_bits_per_s`.
    pub reservation: Option<Reservation>,
    /// For start-up `gamma`: ssthresh as a fraction of cwnd, in millionths; `None`: it measures the
    /// fraction.
    pub gamma_ppm: Option<u32>,
    /// What leaves behind the initial window in the first round trip.
    pub initial_rate: InitialRate,
    /// Congestion avoidance.
    pub avoidance: Avoidance,
    /// CUBIC has HyStart, which ends slow start before it overflows a queue.
    pub hystart: bool,
    /// Loss recovery. Those that need SACK fall back to [`Recovery::NewReno`] if the peer does not
    /// support it.
    pub recovery: Recovery,
    /// Retransmission timer.
    pub timers: Timers,
    /// When to send acknowledgements.
    pub acks: Acks,
    /// How it deceives the peer.
    pub lie: Lie,
    /// Initial window.
    pub initial_window: InitialWindow,
    /// How much an acknowledgement makes cwnd grow in slow start.
    pub byte_counting: ByteCounting,
    /// Initial ssthresh; `None`: unlimited.
    pub initial_ssthresh_bytes: Option<u64>,
    /// Sends at this rate, in bit/s of IP packets, without congestion control: cwnd is the send
    /// buffer, losses are only retransmitted, and there is no start-up.
    pub fixed_rate_bits_per_s: Option<u64>,
    /// Receive buffer.
    pub receive_buffer: ReceiveBuffer,
    /// Size of the send buffer: the maximum of written and unacknowledged bytes.
    pub send_buffer_bytes: u64,
    /// Support of packet pairs, if the peer supports them too. Our own data is sent in pairs if the
    /// start-up algorithm asks for it.
    pub packet_pair: PacketPair,
    /// Wire format of the packet-pair options.
    pub pair_form: Form,
    /// Nagle's algorithm: delays a small segment while data is in flight (RFC 9293, section 3.7.4);
    /// with [`Stack::Linux`], only while another small segment is in flight (Minshall's variant).
    pub nagle: bool,
    /// cwnd grows only while it limits the sender (RFC 7661); otherwise with every acknowledgement.
    pub window_validation: bool,
    /// This many segments of a connection leave without gaps before pacing begins; 10 in Linux. A
    /// reserved rate and a fixed rate limit every segment.
    pub unpaced_segments: u32,
    /// Paces in bursts of a millisecond's worth, as Linux does. A fixed rate has no bursts.
    pub paces_in_bursts: bool,
    /// Restarts from the initial window after an idle time (RFC 5681, section 4.1; RFC 2861).
    pub restart_after_idle: bool,
    /// Granularity of the host's clock and timers. 4.4BSD's timers have their own.
    pub ticks: Ticks,
    /// Initial sequence number.
    pub isn: u32,
    /// Added to the timestamp clock, which counts milliseconds.
    pub timestamp_offset: u32,
}

/// A rate that the network guarantees to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Rate of TCP payload, without headers, in bytes per second. At least 1.
    pub bytes_per_s: u64,
    /// Burst of the token bucket in bytes, at least a segment; `None`: as `core/algorithms/qos.h`
    /// chooses. A host that wakes only at timer ticks sends rate * tick more at once.
    pub burst_bytes: Option<u32>,
}

/// Initial window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// This many segments.
    Segments(u32),
    /// min(4 MSS, max(2 MSS, 4380 bytes)) (RFC 3390).
    Rfc3390,
}

impl InitialWindow {
    /// The window in bytes, for segments with this payload; at least one segment.
    pub fn bytes(self, mss_bytes: u64) -> u64 {
        match self {
            InitialWindow::Segments(segments) => u64::from(segments.max(1)) * mss_bytes,
            InitialWindow::Rfc3390 => (4 * mss_bytes).min((2 * mss_bytes).max(4380)),
        }
    }
}

/// Size of the receive buffer, in bytes of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveBuffer {
    /// Auto-tuned as Linux does it with its default limits.
    LinuxDefault,
    /// This size from the start. With [`Stack::Linux`] the window grows by a quarter, as in Linux.
    Bytes(u64),
    /// This size with every stack, and never a byte more. ([`Bytes`](ReceiveBuffer::Bytes) may grow
    /// as in Linux, and scaling may round its window up beyond the free space.)
    Exactly(u64),
}

impl Avoidance {
    /// The ECN field of every packet of a congestion control that needs ECN, also of SYNs, pure
    /// ACKs and retransmissions. Such a control asks for ECN itself, and needs a receiver that
    /// echoes each mark ([`Config::ecn_wanted`]). `None`: it works
    /// without ECN, and with ECN as in RFC 3168.
    pub const fn ect(self) -> Option<EcnField> {
        match self {
            Avoidance::Dctcp => Some(EcnField::Ect0),
            Avoidance::Prague => Some(EcnField::Ect1),
            _ => None,
        }
    }
}

impl Config {
    /// What the end does about ECN: an avoidance that needs ECN asks for it, whatever
    /// [`ecn`](Config::ecn) says.
    pub fn ecn_wanted(&self) -> Ecn {
        match self.avoidance.ect() {
            Some(_) => Ecn::Request,
            None => self.ecn,
        }
    }

    /// The defaults of a stack, for IPv4 packets of at most `mtu_bytes`.
    pub fn of(stack: Stack, mtu_bytes: u32) -> Config {
        Config::over(IpVersion::V4, stack, mtu_bytes)
    }

    /// The defaults of a stack, for packets of this IP version of at most `mtu_bytes`.
    pub fn over(ip: IpVersion, stack: Stack, mtu_bytes: u32) -> Config {
        let linux = Config {
            stack,
            ip,
            mss_bytes: ip.mss_bytes(mtu_bytes),
            timestamps: true,
            sack: true,
            window_scaling: true,
            ecn: Ecn::Off,
            startup: None,
            startup_options: 0,
            startup_variant: 0,
            startup_parameters: None,
            memory: None,
            ensembles: None,
            pace_bits_per_s: None,
            reservation: None,
            gamma_ppm: None,
            initial_rate: InitialRate::Auto,
            avoidance: Avoidance::Cubic,
            hystart: true,
            recovery: Recovery::Rack,
            timers: Timers::Linux,
            acks: Acks::Linux,
            lie: Lie::None,
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
            unpaced_segments: 10,
            paces_in_bursts: true,
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
                unpaced_segments: 0,
                paces_in_bursts: false,
                ticks: Ticks::BSD,
                ..linux
            },
        }
    }
}
