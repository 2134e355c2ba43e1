//! The records of `core/startup.h`, and the library's symbols. Layouts are checked by a test
//! against the C side's.

use crate::memory::Entry;
use crate::pairs::{Counts, Meter, PairOption, Probe, Report};
use serde::{Deserialize, Serialize};
use std::ffi::{c_char, c_void};

/// A threshold or a rate that is not set.
pub const UNLIMITED: u64 = u64::MAX;

/// Capability: asks for packet pairs where the user chooses them.
pub(crate) const SENDS_PAIRS: u32 = 1 << 0;

/// Capability: asks for packet pairs always.
pub(crate) const NEEDS_PAIRS: u32 = 1 << 1;

/// Capability: sends at a reserved rate.
pub(crate) const RESERVES: u32 = 1 << 2;

/// Capability: resumes from the remembered BDP.
pub(crate) const RESUMES: u32 = 1 << 3;

/// Room for the state of any algorithm.
pub const STATE_BYTES: usize = 768;

/// [`Start::options`]: the initial window of RFC 3390 instead of the host's.
pub const OPTION_PAPER_INITIAL_WINDOW: u32 = 1 << 0;

/// [`Start::options`]: the rate of a flight is that between its first and its last acknowledgement.
pub const OPTION_TRAIN_ENDS: u32 = 1 << 1;

/// [`Start::options`]: the rate of a flight is that of its most closely spaced acknowledgements.
pub const OPTION_TRAIN_CLOSEST: u32 = 1 << 2;

/// [`Start::options`]: the eligible rate's filter takes the latest sample alone.
pub const OPTION_ERE_LATEST: u32 = 1 << 3;

/// [`Start::options`]: the eligible rate's samples differ much only if they never differed more.
pub const OPTION_ERE_CALM: u32 = 1 << 4;

/// [`Start::options`]: packet pairs, for a start-up that does without them too, where the peer
/// knows them.
pub const OPTION_PAIRS: u32 = 1 << 18;

/// [`Decision::pair`]: no segment is marked.
pub const PAIR_NONE: u16 = 0;

/// [`Decision::pair`]: the next two full segments leave at once, marked as a pair.
pub const PAIR_ONE: u16 = 1;

/// [`Decision::pair`]: all full segments that leave are marked, as one train: they leave as they
/// would.
pub const PAIR_TRAIN: u16 = 2;

/// [`Start::options`]: what is remembered of the path is used before the initial window is
/// acknowledged.
pub const OPTION_RESUME_AT_ONCE: u32 = 1 << 16;

/// [`Ack::flags`]: the window held the sender back in the last round trip.
pub const ACK_CWND_LIMITED: u32 = 1 << 0;

/// [`Ack::flags`]: the application has given nothing that is not yet sent.
pub const ACK_APP_LIMITED: u32 = 1 << 1;

/// [`Ack::flags`]: the host is repairing losses; told in [`crate::PHASE_RETREAT`].
pub const ACK_RECOVERING: u32 = 1 << 2;

/// [`Loss::kind`]: found by acknowledgements.
pub const LOSS_RECOVERY: u32 = 1;

/// [`Loss::kind`]: found by the retransmission timer; slow start follows.
pub const LOSS_TIMEOUT: u32 = 2;

/// [`Loss::kind`]: found by acknowledgements; slow start follows, as 4.3BSD-Tahoe does it.
pub const LOSS_TAHOE: u32 = 3;

/// What the host promises of its two timing services (Aron & Druschel 1998, section 4).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Granularity of measuring time.
    pub measure_ns: u64,
    /// Granularity of scheduling a transmission.
    pub event_ns: u64,
}

/// The connection is established and has sent nothing yet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// When, on the host's clock.
    pub now_ns: u64,
    /// What that clock promises.
    pub clock: Clock,
    /// The host's initial window.
    pub cwnd_bytes: u64,
    /// The host's threshold, [`UNLIMITED`] if it has none.
    pub ssthresh_bytes: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// `OPTION_*` bits.
    pub options: u32,
    /// Smoothed round-trip time, of the handshake as a rule; 0 where it is not known.
    #[serde(default)]
    pub srtt_ns: u64,
    /// `spaced`: the rate of slow start's segments; 0: to be measured. `qos`: the rate that is
    /// reserved; 0: none is.
    #[serde(default)]
    pub pace_bytes_per_s: u64,
    /// `gamma`: the share of the window that a threshold is, in millionths; 0: to be found.
    #[serde(default)]
    pub gamma_ppm: u32,
    /// `qos`: what may leave at once; 0: its own choice.
    #[serde(default)]
    pub burst_bytes: u32,
    /// `qos`: what an earlier reservation of the connection has lost beyond what it may.
    #[serde(default)]
    pub excess_bytes: u64,
    /// What the path carried in a round trip when it was last used ([`crate::memory`]); 0: nothing
    /// is remembered, or it may not be used.
    #[serde(default)]
    pub remembered_bytes: u64,
    /// The least round trip at that time.
    #[serde(default)]
    pub remembered_rtt_ns: u64,
}

/// An acknowledgement of something new, outside of loss recovery; in [`crate::PHASE_RESERVED`] any.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// When it arrived.
    pub now_ns: u64,
    /// Newly acknowledged, cumulatively or selectively; in slow start no more than the host counts
    /// for its growth (RFC 3465).
    pub acked_bytes: u64,
    /// Acknowledged since the start, by this acknowledgement too.
    pub delivered_bytes: u64,
    /// Taken for lost since the start, what was sent again and lost again each time.
    #[serde(default)]
    pub lost_bytes: u64,
    /// Still outstanding after it.
    pub inflight_bytes: u64,
    /// Smoothed round-trip time, this sample included; 0 before the first.
    pub srtt_ns: u64,
    /// This acknowledgement's own sample, of the newest segment it covers; 0: it has none.
    #[serde(default)]
    pub rtt_ns: u64,
    /// The host's window before this decision.
    pub cwnd_bytes: u64,
    /// The host's threshold before this decision.
    pub ssthresh_bytes: u64,
    /// Between the arrivals of a pair's two segments, or of a train's first and the newest that is
    /// acknowledged, as the peer reported it in this acknowledgement or since the last; 0: it did
    /// not.
    #[serde(default)]
    pub pair_interval_ns: u64,
    /// So much arrived in it: of a pair, its second segment.
    #[serde(default)]
    pub pair_bytes: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// `ACK_*` bits.
    pub flags: u32,
}

/// The host found a loss and is about to set a new threshold.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// When.
    pub now_ns: u64,
    /// Outstanding.
    pub inflight_bytes: u64,
    /// The host's window.
    pub cwnd_bytes: u64,
    /// What the congestion avoidance would set.
    pub ssthresh_bytes: u64,
    /// Cumulatively acknowledged, in the count of [`Ack::delivered_bytes`].
    #[serde(default)]
    pub acknowledged_bytes: u64,
    /// Taken for lost since the start, as [`Ack::lost_bytes`], this loss included.
    #[serde(default)]
    pub lost_bytes: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// `LOSS_*`.
    pub kind: u32,
}

/// What the host is to do from now on.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold, or [`UNLIMITED`].
    pub ssthresh_bytes: u64,
    /// Pacing rate, or [`UNLIMITED`]: as windows and acknowledgements allow.
    pub pacing_bytes_per_s: u64,
    /// The path's rate as measured so far, 0 before the first measurement.
    pub estimate_bytes_per_s: u64,
    /// Number of the phase: see [`crate::phase_name`].
    pub phase: u32,
    /// Number of the exit's reason: see [`crate::exit_name`].
    pub exit: u32,
    /// Which segments the peer is to measure: `PAIR_*`.
    #[serde(default)]
    pub pair: u16,
    /// Not 0: the window is what the path holds, and congestion avoidance need not look for that.
    #[serde(default)]
    pub is_full: u16,
    /// Depth of the token bucket that paces ([`crate::bucket`]); 0: as the host does it.
    #[serde(default)]
    pub burst_bytes: u32,
    /// What is to be remembered of the path, instead of what was ([`crate::memory`]): so much it
    /// carried in a round trip; 0: nothing new; [`UNLIMITED`]: what is remembered is wrong.
    #[serde(default)]
    pub learned_bytes: u64,
    /// The least round trip, where that is to be remembered.
    #[serde(default)]
    pub learned_rtt_ns: u64,
}

#[repr(C)]
pub(crate) struct Algorithm {
    pub name: *const c_char,
    pub summary: *const c_char,
    pub capabilities: u32,
    pub start: unsafe extern "C" fn(*mut c_void, *const Start, *mut Decision),
    pub ack: unsafe extern "C" fn(*mut c_void, *const Ack, *mut Decision),
    pub loss: unsafe extern "C" fn(*mut c_void, *const Loss, *mut Decision),
}

// SAFETY: the table is constant data: string literals and functions without state of their own.
unsafe impl Sync for Algorithm {}

extern "C" {
    pub(crate) static onramp_algorithms: [Algorithm; 0];
    pub(crate) static onramp_algorithm_count: usize;
    pub(crate) fn onramp_native_phase_name(phase: u32) -> *const c_char;
    pub(crate) fn onramp_native_exit_name(exit: u32) -> *const c_char;
    pub(crate) fn onramp_native_phase_is_over(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_is_done(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_is_reserved(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_is_retreating(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_is_paced_by_algorithm(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_owns_cwnd(phase: u32, cwnd: u64, ssthresh: u64) -> bool;
    pub(crate) fn onramp_native_host_reports_recovery(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_reports_ack(
        phase: u32,
        cwnd: u64,
        ssthresh: u64,
        is_recovering: bool,
    ) -> bool;
    pub(crate) fn onramp_native_host_reports_loss(phase: u32) -> bool;
    pub(crate) fn onramp_native_host_paces(pacing_bytes_per_s: u64) -> bool;
    pub(crate) fn onramp_native_train_begin(
        train: *mut c_void,
        now_ns: u64,
        delivered_bytes: u64,
        flight_bytes: u64,
    );
    pub(crate) fn onramp_native_train_add(
        train: *mut c_void,
        now_ns: u64,
        delivered_bytes: u64,
        mss_bytes: u32,
        rtt_ns: u64,
    );
    pub(crate) fn onramp_native_train_bytes_per_s(
        train: *const c_void,
        mss_bytes: u32,
        options: u32,
    ) -> u64;
    pub(crate) fn onramp_native_train_is_line(train: *const c_void) -> bool;
    pub(crate) fn onramp_native_ere_ack(ere: *mut c_void, ack: *const Ack, options: u32);
    pub(crate) fn onramp_native_ere_bytes_per_s(ere: *const c_void) -> u64;
    pub(crate) fn onramp_native_ere_sample_bytes_per_s(ere: *const c_void) -> u64;
    pub(crate) fn onramp_native_ere_through_bytes_per_s(ere: *const c_void) -> u64;
    pub(crate) fn onramp_native_bucket_take(
        full_ns: u64,
        now_ns: u64,
        bytes: u64,
        bytes_per_s: u64,
    ) -> u64;
    pub(crate) fn onramp_native_bucket_has_ns(
        full_ns: u64,
        bytes: u64,
        bytes_per_s: u64,
        burst_bytes: u64,
    ) -> u64;
    pub(crate) fn onramp_native_mul_div(a: u64, b: u64, divisor: u64) -> u64;
    pub(crate) fn onramp_native_memory_is_over(
        entry: *const Entry,
        now_ns: u64,
        lifetime_ns: u64,
    ) -> bool;
    pub(crate) fn onramp_native_memory_is_in_use(
        entry: *const Entry,
        user: u64,
        now_ns: u64,
    ) -> bool;
    pub(crate) fn onramp_native_memory_take(
        entry: *mut Entry,
        user: u64,
        now_ns: u64,
        start: *mut Start,
    ) -> bool;
    pub(crate) fn onramp_native_memory_keep(entry: *mut Entry, user: u64, now_ns: u64) -> bool;
    pub(crate) fn onramp_native_memory_give_back(entry: *mut Entry, user: u64);
    pub(crate) fn onramp_native_memory_window(start: *const Start, is_new: bool) -> u64;
    pub(crate) fn onramp_native_memory_news(decision: *const Decision, initial_bytes: u64) -> u32;
    pub(crate) fn onramp_native_memory_save(
        entry: *mut Entry,
        user: u64,
        decision: *const Decision,
        now_ns: u64,
    ) -> bool;
    pub(crate) fn onramp_native_memory_fits(remembered_rtt_ns: u64, rtt_ns: u64) -> bool;
    pub(crate) fn onramp_native_pair_option_bytes(form: u32, kind: u32) -> u32;
    pub(crate) fn onramp_native_pair_option_write(
        out: *mut u8,
        form: u32,
        option: *const PairOption,
    ) -> u32;
    pub(crate) fn onramp_native_pair_option_read(
        bytes: *const u8,
        length: u32,
        form: u32,
        option: *mut PairOption,
    ) -> u32;
    pub(crate) fn onramp_native_pair_arrived(
        meter: *mut Meter,
        counts: *mut Counts,
        option: *const PairOption,
        now_ns: u64,
        seq: u32,
        end: u32,
        reply: *mut PairOption,
    ) -> bool;
    pub(crate) fn onramp_native_pair_send_first(
        probe: *mut Probe,
        now_ns: u64,
        end: u32,
        option: *mut PairOption,
    );
    pub(crate) fn onramp_native_pair_send_second(
        probe: *mut Probe,
        counts: *mut Counts,
        now_ns: u64,
        seq: u32,
        end: u32,
        is_train: bool,
        option: *mut PairOption,
    ) -> bool;
    pub(crate) fn onramp_native_pair_replied(
        probe: *mut Probe,
        counts: *mut Counts,
        reply: *const PairOption,
        now_ns: u64,
        ack: u32,
    ) -> Report;
    #[cfg(test)]
    pub(crate) static onramp_layouts: [usize; 0];
    #[cfg(test)]
    pub(crate) static onramp_layout_count: usize;
}
