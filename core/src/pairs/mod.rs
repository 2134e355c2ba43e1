//! Packet pairs on the wire: `core/parts/pair_option.h` with a safe face.
//!
//! The sender of pairs, or of trains of more segments, has a [`Probe`]. The receiver that measures
//! them has a [`Meter`]. Both keep [`Counts`].

use crate::bindings;
use alloc::vec::Vec;

pub use crate::bindings::{Counts, Meter, PairOption, Probe, Report};

/// The two forms of the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Form {
    /// As in the paper: kind 6, intervals in ticks of 10 ms.
    Paper = bindings::PAIR_OPTION_PAPER,
    /// As an experiment (RFC 6994): kind 253, intervals in nanoseconds.
    Experiment = bindings::PAIR_OPTION_EXPERIMENT,
}

impl Form {
    /// Both forms.
    pub const ALL: [Form; 2] = [Form::Paper, Form::Experiment];

    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Paper => "paper",
            Form::Experiment => "experiment",
        }
    }

    /// The kind of the TCP option.
    pub const fn kind(self) -> u8 {
        match self {
            Form::Paper => bindings::PAIR_OPTION_KIND_PAPER as u8,
            Form::Experiment => bindings::PAIR_OPTION_KIND_EXPERIMENT as u8,
        }
    }
}

/// [`PairOption::kind`]: on a SYN, the sender supports the option.
pub const PERMITTED: u8 = bindings::PAIR_OPTION_PERMITTED as u8;
/// [`PairOption::kind`]: the first segment of a pair.
pub const FIRST: u8 = bindings::PAIR_OPTION_FIRST as u8;
/// [`PairOption::kind`]: the second segment of a pair, which is acknowledged at once.
pub const SECOND: u8 = bindings::PAIR_OPTION_SECOND as u8;
/// [`PairOption::kind`]: the time between the arrivals of the two segments.
pub const REPLY: u8 = bindings::PAIR_OPTION_REPLY as u8;

/// The length of the longest option, in bytes.
pub const MAX_BYTES: usize = bindings::PAIR_OPTION_MAX_BYTES;

/// The result of reading an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Another option.
    Other,
    /// This option, with an impossible length or type.
    Malformed,
    /// This option.
    Read(PairOption),
}

impl PairOption {
    /// An option of a kind that has no interval.
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
            ..PairOption::of(REPLY, id)
        }
    }

    /// The option's length on the wire, in bytes.
    pub fn wire_bytes(&self, form: Form) -> u32 {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::pair_option_bytes(form as u32, u32::from(self.kind)) }
    }

    /// Appends the option to `out`.
    pub fn write(&self, form: Form, out: &mut Vec<u8>) {
        let mut bytes = [0; MAX_BYTES];
        // SAFETY: no option is longer than `bytes`.
        let length = unsafe { bindings::pair_option_write(bytes.as_mut_ptr(), form as u32, self) };
        out.extend(&bytes[..length as usize]);
    }

    /// The option as its receiver reads it: in the paper's form an interval has whole ticks of
    /// 10 ms. The kind must be one of the four.
    pub fn as_read(&self, form: Form) -> PairOption {
        let mut bytes = Vec::with_capacity(MAX_BYTES);
        self.write(form, &mut bytes);
        match PairOption::read(&bytes, form) {
            Reading::Read(read) => read,
            Reading::Other | Reading::Malformed => unreachable!("a written option can be read"),
        }
    }

    /// Reads an option, its kind and length included.
    pub fn read(option: &[u8], form: Form) -> Reading {
        let mut room = [0; MAX_BYTES];
        let length = option.len().min(MAX_BYTES);
        room[..length].copy_from_slice(&option[..length]);
        let mut read = PairOption::default();
        // SAFETY: `room` has as many bytes as the function reads.
        let reading = unsafe {
            bindings::pair_option_read(room.as_ptr(), length as u32, form as u32, &mut read)
        };
        match reading {
            bindings::PAIR_OPTION_OTHER => Reading::Other,
            bindings::PAIR_OPTION_MALFORMED => Reading::Malformed,
            _ => Reading::Read(read),
        }
    }
}

impl Meter {
    /// A first or a second arrived, with the segment from sequence number `seq` to before `end`.
    /// Returns the reply, if the segment gets one.
    pub fn arrived(
        &mut self,
        counts: &mut Counts,
        option: &PairOption,
        now_ns: u64,
        seq: u32,
        end: u32,
    ) -> Option<PairOption> {
        let mut reply = PairOption::default();
        // SAFETY: the four records have the layout of the C side.
        let has_reply = unsafe {
            bindings::pair_meter_arrived(self, counts, option, now_ns, seq, end, &mut reply)
        };
        has_reply.then_some(reply)
    }
}

impl Probe {
    /// The first segment of a pair leaves, up to before sequence number `end`. Returns its option.
    pub fn send_first(&mut self, now_ns: u64, end: u32) -> PairOption {
        let mut option = PairOption::default();
        // SAFETY: the two records have the layout of the C side.
        unsafe {
            bindings::pair_probe_send_first(self, now_ns, end, &mut option);
        }
        option
    }

    /// The segment from sequence number `seq` to before `end` leaves. Returns its option, if it is
    /// the second of the open pair. In a train, the pair stays open for the next segment.
    pub fn send_second(
        &mut self,
        counts: &mut Counts,
        now_ns: u64,
        seq: u32,
        end: u32,
        is_train: bool,
    ) -> Option<PairOption> {
        let mut option = PairOption::default();
        // SAFETY: the three records have the layout of the C side.
        let is_second = unsafe {
            bindings::pair_probe_send_second(self, counts, now_ns, seq, end, is_train, &mut option)
        };
        is_second.then_some(option)
    }

    /// A reply arrived with an ACK of everything below sequence number `ack`. Returns its report,
    /// if the reply is valid.
    pub fn replied(
        &mut self,
        counts: &mut Counts,
        reply: &PairOption,
        now_ns: u64,
        ack: u32,
    ) -> Option<Report> {
        // SAFETY: the three records have the layout of the C side.
        let report = unsafe { bindings::pair_probe_replied(self, counts, reply, now_ns, ack) };
        (report.interval_ns > 0).then_some(report)
    }
}

#[cfg(test)]
mod tests;
