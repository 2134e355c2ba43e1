//! The hosts and their TCP.

use super::choice::choice;
use onramp_config::shown;
use onramp_config::units::{
    count_of, format_count, format_size, parse_quantity, Quantity, UnitError, SEGMENTS, SIZE_UNITS,
};
use onramp_core::pairs::Form as PairForm;
use onramp_tcp::{Acks, Lie, PacketPair, Stack};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The host that sends the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Send buffer.
    pub buffer: Buffer,
    /// Nagle's algorithm: a small segment waits while data is in flight (RFC 9293, section 3.7.4);
    /// with stack `linux`, while another small segment is.
    pub nagle: bool,
    /// The congestion window grows only while it limits the sender (RFC 7661).
    pub window_validation: bool,
    /// Start-ups that can do without packet pairs send them too.
    pub packet_pairs: bool,
}

/// The host that receives the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Receive buffer.
    pub buffer: Buffer,
    /// When it sends ACKs.
    pub acks: Acks,
    /// How it deceives the sender.
    pub lie: Lie,
    /// It offers timestamps (RFC 7323).
    pub timestamps: bool,
    /// It offers selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// It offers window scaling (RFC 7323).
    pub window_scaling: bool,
    /// How it reacts to packet pairs.
    pub packet_pair: PacketPair,
    /// The form in which both ends write the packet-pair option.
    pub pair_form: PairForm,
    /// Granularity with which it measures the arrivals of packet pairs.
    pub pair_clock_ns: u64,
}

/// Size of a socket buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Auto-tuned with the default limits of Linux.
    LinuxDefault,
    /// This many bytes from the start (receiver), or auto-tuned up to this many (sender).
    Bytes(u64),
}

/// The clocks of a sending host: the two services of Aron & Druschel (1998), section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// Granularity of time measurements.
    pub clock_ns: u64,
    /// Granularity of scheduled events.
    pub tick_ns: u64,
}

impl Clocks {
    /// Whether they tick: the first tick is at a random time.
    pub(crate) fn are_coarse(self) -> bool {
        self.clock_ns.max(self.tick_ns) > 1
    }

    /// The clocks of a stack's hosts.
    pub fn of(stack: Stack) -> Clocks {
        let ticks = onramp_tcp::Config::of(stack, 1500).ticks;
        Clocks {
            clock_ns: ticks.measure_ns,
            tick_ns: ticks.event_ns,
        }
    }
}

choice! {
    /// How long hosts take to process a packet.
    pub enum Hosts {
        /// No time.
        Exact = "exact",
        /// A short random time.
        Noisy = "noisy",
    }
}

choice! {
    /// Congestion avoidance, which controls the window once the start-up is over.
    #[derive(PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Avoidance {
        /// CUBIC (RFC 9438).
        Cubic = "cubic",
        /// BBR, version 1 in the simulator (Cardwell et al. 2016).
        Bbr = "bbr",
        /// BBR, version 3 (draft-ietf-ccwg-bbr); only in the simulator.
        Bbr3 = "bbr3",
        /// Reno (RFC 5681).
        Reno = "reno",
        /// Vegas (Brakmo and Peterson 1995).
        Vegas = "vegas",
        /// Westwood+.
        Westwood = "westwood",
        /// Reno that grows by a fraction of the pipe (Aron & Druschel 1998, appendix B).
        Pipe = "pipe",
        /// DCTCP (RFC 8257), which needs a queue that marks; only in the simulator.
        Dctcp = "dctcp",
        /// Prague, the congestion control of L4S (RFC 9331); only in the simulator.
        Prague = "prague",
    }
}

impl Avoidance {
    /// The same algorithm of the simulator's TCP; `None` if it does not have it.
    pub fn in_simulator(self) -> Option<onramp_tcp::Avoidance> {
        self.name().parse().ok()
    }
}

impl From<onramp_tcp::Avoidance> for Avoidance {
    fn from(avoidance: onramp_tcp::Avoidance) -> Avoidance {
        match avoidance {
            onramp_tcp::Avoidance::Bbr => Avoidance::Bbr,
            onramp_tcp::Avoidance::Bbr3 => Avoidance::Bbr3,
            onramp_tcp::Avoidance::Cubic => Avoidance::Cubic,
            onramp_tcp::Avoidance::Reno => Avoidance::Reno,
            onramp_tcp::Avoidance::Vegas => Avoidance::Vegas,
            onramp_tcp::Avoidance::Westwood => Avoidance::Westwood,
            onramp_tcp::Avoidance::Pipe => Avoidance::Pipe,
            onramp_tcp::Avoidance::Dctcp => Avoidance::Dctcp,
            onramp_tcp::Avoidance::Prague => Avoidance::Prague,
        }
    }
}

/// The initial congestion window: what a sender may send before the first ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitialWindow {
    /// The host's own (Linux: 10 segments, RFC 6928).
    Host,
    /// The window of Aron & Druschel, section 4.2.1, and of RFC 3390: min(4 MSS, max(2 MSS, 4380
    /// bytes)).
    Paper,
    /// This many segments.
    Segments(u32),
}

const LINUX_DEFAULT: &str = "linux-default";
const HOST: &str = "host";
const PAPER: &str = "paper";

const BUFFER: Quantity = Quantity {
    what: "buffer",
    example: "64 MiB",
    units: &[SIZE_UNITS],
    words: &[LINUX_DEFAULT],
};
const WINDOW: Quantity = Quantity {
    what: "initial window",
    example: "10 segments",
    units: &[&[SEGMENTS]],
    words: &[HOST, PAPER],
};

/// `linux-default`, or a size such as `64 MiB`.
impl FromStr for Buffer {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim() {
            LINUX_DEFAULT => Ok(Buffer::LinuxDefault),
            text => match parse_quantity(&BUFFER, text)?.0 {
                0 => Err(UnitError::Zero {
                    what: BUFFER.what,
                    found: shown(text),
                }),
                bytes => Ok(Buffer::Bytes(bytes)),
            },
        }
    }
}

/// `host`, `paper`, or a number of segments such as `10 segments`.
impl FromStr for InitialWindow {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim() {
            HOST => Ok(InitialWindow::Host),
            PAPER => Ok(InitialWindow::Paper),
            text => match parse_quantity(&WINDOW, text)?.0 {
                0 => Err(UnitError::Zero {
                    what: WINDOW.what,
                    found: shown(text),
                }),
                segments => count_of(segments, &WINDOW, text).map(InitialWindow::Segments),
            },
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Buffer::LinuxDefault => f.pad(LINUX_DEFAULT),
            Buffer::Bytes(bytes) => f.pad(&format_size(bytes)),
        }
    }
}

impl fmt::Display for InitialWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            InitialWindow::Host => f.pad(HOST),
            InitialWindow::Paper => f.pad(PAPER),
            InitialWindow::Segments(segments) => {
                f.pad(&format_count(u64::from(segments), SEGMENTS.name))
            }
        }
    }
}

impl Buffer {
    /// The size, for the range of its keys.
    pub(crate) fn measure(&self) -> Option<(u8, u64)> {
        match *self {
            Buffer::LinuxDefault => None,
            Buffer::Bytes(bytes) => Some((0, bytes)),
        }
    }
}

impl InitialWindow {
    /// The number of segments, for the range of its keys.
    pub(crate) fn measure(&self) -> Option<(u8, u64)> {
        match *self {
            InitialWindow::Host | InitialWindow::Paper => None,
            InitialWindow::Segments(segments) => Some((0, u64::from(segments))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written_and_read<T: FromStr<Err = UnitError> + fmt::Display>(value: &T) -> T {
        value.to_string().parse().unwrap()
    }

    proptest! {
        #[test]
        fn a_written_buffer_reads_as_the_same_buffer(bytes in 1u64..) {
            for buffer in [Buffer::Bytes(bytes), Buffer::LinuxDefault] {
                prop_assert_eq!(written_and_read(&buffer), buffer);
            }
        }

        #[test]
        fn a_written_initial_window_reads_as_the_same_window(segments in 1u32..) {
            let segments = InitialWindow::Segments(segments);
            for window in [InitialWindow::Host, InitialWindow::Paper, segments] {
                prop_assert_eq!(written_and_read(&window), window);
            }
        }
    }

    #[test]
    fn buffers_and_windows_are_written_as_the_scenario_writes_them() {
        let buffers = ["linux-default", "64 MiB", "1 MB"];
        assert_eq!(
            buffers.map(|buffer| buffer.parse::<Buffer>().unwrap().to_string()),
            buffers
        );
        let windows = ["host", "paper", "10 segments", "1 segment"];
        assert_eq!(
            windows.map(|window| window.parse::<InitialWindow>().unwrap().to_string()),
            windows
        );
    }
}
