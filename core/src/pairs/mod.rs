//! Packet pairs on the wire: `core/parts/pair_option.h` with a safe face.
//!
//! Who sends pairs, or trains of more segments, has a [`Probe`], who measures them a [`Meter`];
//! both keep [`Counts`].

use crate::ffi;
use serde::{Deserialize, Serialize};

/// How the option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Form {
    /// The paper's: kind 6, intervals in ticks of 10 ms.
    Paper = 1,
    /// An experiment's (RFC 6994): kind 253, intervals in nanoseconds.
    Experiment = 2,
}

impl Form {
    /// Both.
    pub const ALL: [Form; 2] = [Form::Paper, Form::Experiment];

    /// The name that scenario files use.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Paper => "paper",
            Form::Experiment => "experiment",
        }
    }

    /// The kind of TCP option that it is.
    pub const fn kind(self) -> u8 {
        match self {
            Form::Paper => 6,
            Form::Experiment => 253,
        }
    }
}

/// [`PairOption::kind`]: on a SYN, its sender knows the option.
pub const PERMITTED: u8 = 0;
/// [`PairOption::kind`]: the first segment of a pair.
pub const FIRST: u8 = 1;
/// [`PairOption::kind`]: the second, which is acknowledged at once.
pub const SECOND: u8 = 2;
/// [`PairOption::kind`]: the time between the arrivals of the two.
pub const REPLY: u8 = 3;

/// The longest option.
pub const MOST_BYTES: usize = 10;

/// An option.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairOption {
    /// Of a reply: the interval. In the paper's form it loses what is less than 10 ms.
    pub interval_ns: u32,
    /// [`PERMITTED`], [`FIRST`], [`SECOND`] or [`REPLY`].
    pub kind: u8,
    /// Which pair.
    pub id: u8,
    reserved: u16,
}

/// What bytes were found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Another option.
    Other,
    /// This one, with a length or a type that it cannot have.
    Malformed,
    /// This one.
    Read(PairOption),
}

impl PairOption {
    #[cfg(test)]
    pub(crate) const RESERVED_OFFSET: usize = std::mem::offset_of!(PairOption, reserved);

    /// An option of a kind without interval.
    pub fn of(kind: u8, id: u8) -> PairOption {
        PairOption {
            kind,
            id,
            ..PairOption::default()
        }
    }

    /// A reply.
    pub fn reply(id: u8, interval_ns: u32) -> PairOption {
        PairOption {
            interval_ns,
            kind: REPLY,
            id,
            reserved: 0,
        }
    }

    /// Its length on the wire.
    pub fn wire_bytes(&self, form: Form) -> u32 {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_pair_option_bytes(form as u32, u32::from(self.kind)) }
    }

    /// Appends it.
    pub fn write(&self, form: Form, out: &mut Vec<u8>) {
        let mut bytes = [0; MOST_BYTES];
        // SAFETY: no option is longer than the room.
        let length =
            unsafe { ffi::onramp_native_pair_option_write(bytes.as_mut_ptr(), form as u32, self) };
        out.extend(&bytes[..length as usize]);
    }

    /// One of the four kinds as who reads it finds it: an interval in the paper's form has whole
    /// ticks of 10 ms.
    pub fn as_read(&self, form: Form) -> PairOption {
        let mut bytes = Vec::with_capacity(MOST_BYTES);
        self.write(form, &mut bytes);
        match PairOption::read(&bytes, form) {
            Reading::Read(read) => read,
            Reading::Other | Reading::Malformed => unreachable!("what is written can be read"),
        }
    }

    /// Reads an option, its kind and length included.
    pub fn read(option: &[u8], form: Form) -> Reading {
        let mut room = [0; MOST_BYTES];
        let length = option.len().min(MOST_BYTES);
        room[..length].copy_from_slice(&option[..length]);
        let mut read = PairOption::default();
        // SAFETY: the room is as long as the function asks for.
        match unsafe {
            ffi::onramp_native_pair_option_read(
                room.as_ptr(),
                length as u32,
                form as u32,
                &mut read,
            )
        } {
            0 => Reading::Other,
            1 => Reading::Malformed,
            _ => Reading::Read(read),
        }
    }
}

/// What came of the options.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pairs that were sent.
    pub pairs: u32,
    /// Pairs of the peer that were measured.
    pub answers: u32,
    /// Intervals that the peer reported, and that were taken.
    pub replies: u32,
    /// Options of a wrong length or type.
    pub malformed: u32,
    /// Options that were repeated, unmatched or not to be believed.
    pub ignored: u32,
    #[serde(skip)]
    reserved: u32,
}

/// Of the end that measures pairs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    first_ns: u64,
    next_seq: u32,
    id: u8,
    is_waiting: u8,
    is_started: u8,
    replies: u8,
}

impl Meter {
    /// A first or a second arrived, with the segment from a sequence number to before another. The
    /// reply, if it completes a pair.
    pub fn arrived(
        &mut self,
        counts: &mut Counts,
        option: &PairOption,
        now_ns: u64,
        seq: u32,
        end: u32,
    ) -> Option<PairOption> {
        let mut reply = PairOption::default();
        // SAFETY: four records of the function's own layout.
        unsafe {
            ffi::onramp_native_pair_arrived(self, counts, option, now_ns, seq, end, &mut reply)
        }
        .then_some(reply)
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sent {
    first_ns: u64,
    second_ns: u64,
    begin: u32,
    end: u32,
    least: u32,
    id: u8,
    is_waiting: u8,
    is_train: u8,
    reserved: u8,
}

/// What a reply reports.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Between the arrivals of a pair's two segments, or of a train's first and the newest that is
    /// acknowledged.
    pub interval_ns: u32,
    /// So much payload arrived in it.
    pub bytes: u32,
}

/// Of the end that sends pairs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    sent: [Sent; 2],
    first_ns: u64,
    next_seq: u32,
    id: u8,
    is_open: u8,
    reserved: u16,
}

impl Probe {
    /// The first segment of a pair leaves, which ends before a sequence number: its option.
    pub fn send_first(&mut self, now_ns: u64, end: u32) -> PairOption {
        let mut option = PairOption::default();
        // SAFETY: two records of the function's own layout.
        unsafe { ffi::onramp_native_pair_send_first(self, now_ns, end, &mut option) };
        option
    }

    /// The segment from a sequence number to before another leaves: its option, if it is the second
    /// of a pair. In a train the next may follow it.
    pub fn send_second(
        &mut self,
        counts: &mut Counts,
        now_ns: u64,
        seq: u32,
        end: u32,
        is_train: bool,
    ) -> Option<PairOption> {
        let mut option = PairOption::default();
        // SAFETY: three records of the function's own layout.
        let is_second = unsafe {
            ffi::onramp_native_pair_send_second(
                self,
                counts,
                now_ns,
                seq,
                end,
                is_train,
                &mut option,
            )
        };
        is_second.then_some(option)
    }

    /// A reply arrived with an acknowledgement of everything below a sequence number: what it
    /// reports, if it is one.
    pub fn replied(
        &mut self,
        counts: &mut Counts,
        reply: &PairOption,
        now_ns: u64,
        ack: u32,
    ) -> Option<Report> {
        // SAFETY: three records of the function's own layout.
        let report = unsafe { ffi::onramp_native_pair_replied(self, counts, reply, now_ns, ack) };
        (report.interval_ns > 0).then_some(report)
    }
}

#[cfg(test)]
macro_rules! reserved_offsets {
    ($($record:ty),*) => {
        $(impl $record {
            pub(crate) const RESERVED_OFFSET: usize = std::mem::offset_of!($record, reserved);
        })*
    };
}

#[cfg(test)]
reserved_offsets!(Counts, Probe);

#[cfg(test)]
impl Meter {
    pub(crate) const REPLIES_OFFSET: usize = std::mem::offset_of!(Meter, replies);
}

#[cfg(test)]
mod tests;
