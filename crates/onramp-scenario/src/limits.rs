//! The values of a scenario that are words or quantities by choice: queues, buffers, initial
//! windows.
//!
//! Each is read with [`FromStr`] and written with [`Display`](std::fmt::Display), in the wording of
//! the scenario.

use crate::units::{
    format_bdp, format_count, format_size, parse_quantity, shown, Quantity, UnitError, BDP,
    PACKETS, SEGMENTS, SIZE_UNITS,
};
use crate::{Buffer, ByteCounting, InitialWindow, QueueLimit};
use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

const LINUX_DEFAULT: &str = "linux-default";
const HOST: &str = "host";
const PAPER: &str = "paper";
const UNLIMITED: &str = "unlimited";

const QUEUE: Quantity = Quantity {
    what: "queue",
    example: "0.5 bdp",
    units: &[&[PACKETS], SIZE_UNITS, &[BDP]],
    words: &[],
};
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

const COUNTING: Quantity = Quantity {
    what: "byte counting",
    example: "2 segments",
    units: &[&[SEGMENTS]],
    words: &[UNLIMITED],
};

/// `40 packets`, `256 KiB` or `0.4 bdp`; more than zero.
impl FromStr for QueueLimit {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (value, unit) = parse_quantity(&QUEUE, text)?;
        if value == 0 {
            return Err(UnitError::Zero {
                what: QUEUE.what,
                found: shown(text),
            });
        }
        match unit {
            PACKETS => count(value, &QUEUE, text).map(QueueLimit::Packets),
            BDP => Ok(QueueLimit::BdpPpm(value)),
            _ => Ok(QueueLimit::Bytes(value)),
        }
    }
}

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
                segments => count(segments, &WINDOW, text).map(InitialWindow::Segments),
            },
        }
    }
}

/// Reads a limit of byte counting: `unlimited`, or a number of segments such as `2 segments`.
pub(crate) fn parse_byte_counting(text: &str) -> Result<ByteCounting, UnitError> {
    if text.trim() == UNLIMITED {
        return Ok(ByteCounting::Unlimited);
    }
    let segments = parse_quantity(&COUNTING, text)?.0;
    match u8::try_from(segments).map(NonZeroU8::new) {
        Ok(Some(segments)) => Ok(ByteCounting::Segments(segments)),
        Ok(None) => Err(UnitError::Zero {
            what: COUNTING.what,
            found: shown(text),
        }),
        Err(_) => Err(UnitError::TooLarge {
            what: COUNTING.what,
            found: shown(text),
            most: format_count(u8::MAX.into(), SEGMENTS.name),
        }),
    }
}

/// A limit of byte counting as a scenario writes it: `2 segments`, `unlimited`.
pub fn format_byte_counting(counting: ByteCounting) -> String {
    match counting {
        ByteCounting::Unlimited => UNLIMITED.to_owned(),
        ByteCounting::Segments(segments) => format_count(segments.get().into(), SEGMENTS.name),
    }
}

fn count(value: u64, quantity: &Quantity, text: &str) -> Result<u32, UnitError> {
    u32::try_from(value).map_err(|_| UnitError::TooLarge {
        what: quantity.what,
        found: shown(text),
        most: format!("{} {}", u32::MAX, quantity.units[0][0].name),
    })
}

impl fmt::Display for QueueLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match *self {
            QueueLimit::Packets(packets) => format_count(u64::from(packets), PACKETS.name),
            QueueLimit::Bytes(bytes) => format_size(bytes),
            QueueLimit::BdpPpm(ppm) => format_bdp(ppm),
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written_and_read<T: FromStr<Err = UnitError> + fmt::Display>(value: &T) -> T {
        value.to_string().parse().unwrap()
    }

    proptest! {
        #[test]
        fn a_queue_is_read_as_it_was_written(n in 1u64.., packets in 1u32..) {
            for queue in [QueueLimit::Packets(packets), QueueLimit::Bytes(n), QueueLimit::BdpPpm(n)] {
                prop_assert_eq!(written_and_read(&queue), queue);
            }
        }

        #[test]
        fn a_buffer_is_read_as_it_was_written(bytes in 1u64..) {
            prop_assert_eq!(written_and_read(&Buffer::Bytes(bytes)), Buffer::Bytes(bytes));
            prop_assert_eq!(written_and_read(&Buffer::LinuxDefault), Buffer::LinuxDefault);
        }

        #[test]
        fn an_initial_window_is_read_as_it_was_written(segments in 1u32..) {
            for window in [InitialWindow::Host, InitialWindow::Paper, InitialWindow::Segments(segments)] {
                prop_assert_eq!(written_and_read(&window), window);
            }
        }
    }

    #[test]
    fn byte_counting_is_read_as_it_was_written() {
        for text in ["unlimited", "1 segment", "2 segments", "255 segments"] {
            assert_eq!(
                format_byte_counting(parse_byte_counting(text).unwrap()),
                text
            );
        }
        let refused = |text| parse_byte_counting(text).unwrap_err().to_string();
        assert_eq!(
            refused("0 segments"),
            "the byte counting `0 segments` is zero: it must be more"
        );
        assert_eq!(
            refused("256 segments"),
            "the byte counting `256 segments` is too large"
        );
        assert_eq!(
            refused("unlimitted"),
            "the byte counting is `unlimitted`; did you mean `unlimited`?"
        );
    }

    #[test]
    fn labels_are_the_wording_of_the_scenario() {
        let queues = [
            "40 packets",
            "1 packet",
            "256 KiB",
            "0.4 bdp",
            "1 bdp",
            "2.5 bdp",
        ];
        assert_eq!(
            queues.map(|q| q.parse::<QueueLimit>().unwrap().to_string()),
            queues
        );
        let buffers = ["linux-default", "64 MiB", "1 MB"];
        assert_eq!(
            buffers.map(|b| b.parse::<Buffer>().unwrap().to_string()),
            buffers
        );
        let windows = ["host", "paper", "10 segments", "1 segment"];
        assert_eq!(
            windows.map(|w| w.parse::<InitialWindow>().unwrap().to_string()),
            windows
        );
    }
}
