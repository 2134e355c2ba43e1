//! The C records, constants and functions of `core/`, for the Rust side.
//!
//! Generated from `src/native.h` by `tests/bindings.rs`: do not edit.

#![allow(dead_code, missing_docs, clippy::undocumented_unsafe_blocks)]

pub const NS_PER_S: u32 = 1000000000;
pub const PPM: u32 = 1000000;
pub const UNLIMITED: u64 = 18446744073709551615;
pub const STATE_BYTES: usize = 896;
pub const MAX_PARAMETERS: u32 = 8;
pub const BURST_SEGMENTS: u32 = 10;
pub const INTERRUPT_NS: u64 = 1000000;
pub const HOST_MAX_QUIET_ACKS: u32 = 100;
pub const HOST_MAX_LIMITED_ROUNDS: u32 = 100;
pub const HOST_MAX_IDLE_NS: u64 = 300000000000;
pub const HOST_BUSY_BYTES: usize = 16777216;
pub const ENSEMBLE_PERIOD_NS: u64 = 1000000000;
pub const ENSEMBLE_MAX_MEMBERS: u32 = 65535;
pub const ENSEMBLE_TRIES: u32 = 8;
pub const FIRST_ROUND_BYTES_PER_S: u32 = 600000;
pub const FIRST_ROUND_MAX_BYTES_PER_S: u32 = 4800000;
pub const FIRST_ROUND_MIN_BYTES_PER_S: u32 = 75000;
pub const FIRST_ROUND_SEARCH_FACTOR: u32 = 2;
pub const FIRST_ROUND_RISE_DIVISOR: u32 = 16;
pub const FIRST_ROUND_FALL_DIVISOR: u32 = 2;
pub const FIRST_ROUND_LIFETIME_NS: u64 = 3600000000000;
pub const FIRST_ROUND_MIN_SEGMENTS: u32 = 8;
pub const FIRST_ROUND_LOSS_DIVISOR: u32 = 8;
pub const FIRST_ROUND_CREDIBLE_FACTOR: u32 = 2;
pub const GOVERNOR_PPM: u32 = 1000000;
pub const GOVERNOR_BOUND_PPM: u32 = 250000;
pub const GOVERNOR_HOST_STARTUPS: u32 = 128;
pub const GOVERNOR_DESTINATION_STARTUPS: u32 = 16;
pub const GOVERNOR_MIN_DIVISOR: u32 = 2;
pub const GOVERNOR_TRY_INTERVAL: u32 = 16;
pub const GOVERNOR_LIFETIME_NS: u64 = 600000000000;
pub const PAIR_OPTION_KIND_PAPER: u32 = 6;
pub const PAIR_OPTION_KIND_EXPERIMENT: u32 = 253;
pub const PAIR_OPTION_EXPERIMENT_ID: u32 = 20306;
pub const PAIR_OPTION_TICK_NS: u64 = 10000000;
pub const PAIR_OPTION_MAX_BYTES: usize = 10;
pub const PAIR_METER_REPLIES: u32 = 32;
pub const PAIR_METER_REPLY_INTERVAL: u32 = 8;
pub const PAIR_PROBE_IN_FLIGHT: u32 = 2;
pub const PATH_MEMORY_LIFETIME_NS: u64 = 600000000000;
pub const PATH_MEMORY_JUMP_DIVISOR: u32 = 2;
pub const PATH_MEMORY_JUMP_SEGMENTS: u32 = 100;
pub const PATH_MEMORY_HALVING_NS: u64 = 60000000000;
pub const PATH_MEMORY_MIN_WINDOWS: u32 = 4;
pub const PATH_MEMORY_SHORTER: u32 = 2;
pub const PATH_MEMORY_LONGER: u32 = 10;
pub const PATH_MEMORY_IDLE_NS: u64 = 1000000000;
pub const PATH_MEMORY_IDLE_RTTS: u32 = 4;
pub const PATH_MEMORY_KEEP_NS: u64 = 125000000;
unsafe extern "C" {
    #[link_name = "min_u64__extern"]
    pub fn min_u64(a: u64, b: u64) -> u64;
}
unsafe extern "C" {
    #[link_name = "max_u64__extern"]
    pub fn max_u64(a: u64, b: u64) -> u64;
}
unsafe extern "C" {
    /// The number of bits that a value needs: 0 needs none, 255 needs 8. Branches would multiply the
    /// paths that the kernel's verifier walks. So set every bit below the highest, then count them.
    #[link_name = "bit_length__extern"]
    pub fn bit_length(a: u64) -> u32;
}
unsafe extern "C" {
    /// a - b, or 0 where the difference would be negative.
    #[link_name = "saturating_sub__extern"]
    pub fn saturating_sub(a: u32, b: u32) -> u32;
}
unsafe extern "C" {
    /// a * b / divisor, where the result has 64 bits. It is exact where the product has 64 bits too.
    /// Where the product may have more, the larger factor and the divisor are halved until it cannot.
    /// Returns 0 where the divisor is 0 or the halving leaves nothing of it.
    #[link_name = "mul_div__extern"]
    pub fn mul_div(a: u64, b: u64, divisor: u64) -> u64;
}
unsafe extern "C" {
    /// The rate that delivers these bytes in this time; 0 where the time is 0.
    #[link_name = "rate_bytes_per_s__extern"]
    pub fn rate_bytes_per_s(bytes: u64, time_ns: u64) -> u64;
}
unsafe extern "C" {
    /// The bandwidth-delay product of a path, but at least two segments.
    #[link_name = "bdp_bytes__extern"]
    pub fn bdp_bytes(bytes_per_s: u64, rtt_ns: u64, mss_bytes: u32) -> u64;
}
/// The host's two timing services (Aron & Druschel 1998, section 4). A 4.4BSD host has 500 ms for
/// both.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clock {
    /// Granularity of measuring time.
    pub measure_ns: u64,
    /// Granularity of scheduling a transmission.
    pub event_ns: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Clock"][::core::mem::size_of::<Clock>() - 16usize];
    ["Alignment of Clock"][::core::mem::align_of::<Clock>() - 8usize];
    ["Offset of field: Clock::measure_ns"][::core::mem::offset_of!(Clock, measure_ns) - 0usize];
    ["Offset of field: Clock::event_ns"][::core::mem::offset_of!(Clock, event_ns) - 8usize];
};
/// Use the initial window of RFC 3390 instead of the host's.
pub const OPTION_PAPER_INITIAL_WINDOW: OptionBit = 1;
/// Use the remembered BDP at the start, before the initial window is acknowledged as RFC
/// 9959 demands (core/parts/path_memory.h).
pub const OPTION_RESUME_AT_ONCE: OptionBit = 65536;
/// Use packet pairs where the peer supports them, also for an algorithm that works without
/// them (core/measure/pair_rate.h).
pub const OPTION_PAIRS: OptionBit = 262144;
/// Both ends send timestamps (RFC 7323): `tsval` of the inputs is the peer's. Set by the
/// host.
pub const OPTION_TIMESTAMPS: OptionBit = 524288;
/// The peer acknowledges every second segment from the first one on, as QUIC does. The ACK
/// of a single last segment is late (core/measure/flight.h). Set by the host.
pub const OPTION_DELAYED_ACKS: OptionBit = 16777216;
/// Choices of the user, and facts that the host knows. Choices that concern one algorithm alone are
/// bits of its variant ([`Start`]). Recordings contain these numbers, so they stay.
pub type OptionBit = ::core::ffi::c_uint;
/// Event: the connection is established and has sent no data yet.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Start {
    /// The time of the event, on the host's clock.
    pub now_ns: u64,
    /// The precision of that clock.
    pub clock: Clock,
    /// The host's initial window.
    pub cwnd_bytes: u64,
    /// The host's ssthresh; UNLIMITED if it has none.
    pub ssthresh_bytes: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// `OPTION_*` bits
    pub options: u32,
    /// Smoothed RTT, usually of the handshake; 0 if unknown.
    #[cfg_attr(feature = "serde", serde(default))]
    pub srtt_ns: u64,
    /// A rate from the user; 0: none. `spaced` sends slow start at it instead of measuring a
    /// rate. For `qos` it is the reserved rate.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pace_bytes_per_s: u64,
    /// `gamma`: ssthresh as a share of cwnd, in millionths, from the user; 0: found by the
    /// algorithm.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gamma_ppm: u32,
    /// `qos`: the number of bytes that may leave at once; 0: chosen by the algorithm.
    #[cfg_attr(feature = "serde", serde(default))]
    pub burst_bytes: u32,
    /// `qos`: losses beyond the tolerance that an earlier reservation of this connection has
    /// counted.
    #[cfg_attr(feature = "serde", serde(default))]
    pub excess_bytes: u64,
    /// The BDP that the host remembers of the path (core/parts/path_memory.h). Only this
    /// connection may use it. 0: nothing is remembered, or it may not be used.
    #[cfg_attr(feature = "serde", serde(default))]
    pub remembered_bytes: u64,
    /// The minimum RTT when that BDP was measured.
    #[cfg_attr(feature = "serde", serde(default))]
    pub remembered_rtt_ns: u64,
    /// With OPTION_RESUME_AT_ONCE: what may be sent behind the initial window before any
    /// of it is acknowledged (path_memory_jump()). Otherwise 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub jump_bytes: u64,
    /// TSval of the peer's newest segment (RFC 7323), with OPTION_TIMESTAMPS; 32 bits.
    #[cfg_attr(feature = "serde", serde(default))]
    pub tsval: u64,
    /// The peer's receive window: it accepts so much before any ACK. 0: unknown.
    #[cfg_attr(feature = "serde", serde(default))]
    pub peer_window_bytes: u64,
    /// What may leave behind the initial window before any ACK leaves at this rate, which the
    /// host knows by now (core/parts/first_round.h). 0: nothing may.
    #[cfg_attr(feature = "serde", serde(default))]
    pub initial_bytes_per_s: u64,
    /// `siblings` of [`Ack`], at the start.
    #[cfg_attr(feature = "serde", serde(default))]
    pub siblings: u64,
    /// The variant of the algorithm that runs: bits that the algorithm's own header defines and
    /// its row in core/registry.h names. The host passes them on. 0: the algorithm as its essay
    /// describes it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub variant: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Start"][::core::mem::size_of::<Start>() - 144usize];
    ["Alignment of Start"][::core::mem::align_of::<Start>() - 8usize];
    ["Offset of field: Start::now_ns"][::core::mem::offset_of!(Start, now_ns) - 0usize];
    ["Offset of field: Start::clock"][::core::mem::offset_of!(Start, clock) - 8usize];
    ["Offset of field: Start::cwnd_bytes"][::core::mem::offset_of!(Start, cwnd_bytes) - 24usize];
    ["Offset of field: Start::ssthresh_bytes"]
        [::core::mem::offset_of!(Start, ssthresh_bytes) - 32usize];
    ["Offset of field: Start::mss_bytes"][::core::mem::offset_of!(Start, mss_bytes) - 40usize];
    ["Offset of field: Start::options"][::core::mem::offset_of!(Start, options) - 44usize];
    ["Offset of field: Start::srtt_ns"][::core::mem::offset_of!(Start, srtt_ns) - 48usize];
    ["Offset of field: Start::pace_bytes_per_s"]
        [::core::mem::offset_of!(Start, pace_bytes_per_s) - 56usize];
    ["Offset of field: Start::gamma_ppm"][::core::mem::offset_of!(Start, gamma_ppm) - 64usize];
    ["Offset of field: Start::burst_bytes"][::core::mem::offset_of!(Start, burst_bytes) - 68usize];
    ["Offset of field: Start::excess_bytes"]
        [::core::mem::offset_of!(Start, excess_bytes) - 72usize];
    ["Offset of field: Start::remembered_bytes"]
        [::core::mem::offset_of!(Start, remembered_bytes) - 80usize];
    ["Offset of field: Start::remembered_rtt_ns"]
        [::core::mem::offset_of!(Start, remembered_rtt_ns) - 88usize];
    ["Offset of field: Start::jump_bytes"][::core::mem::offset_of!(Start, jump_bytes) - 96usize];
    ["Offset of field: Start::tsval"][::core::mem::offset_of!(Start, tsval) - 104usize];
    ["Offset of field: Start::peer_window_bytes"]
        [::core::mem::offset_of!(Start, peer_window_bytes) - 112usize];
    ["Offset of field: Start::initial_bytes_per_s"]
        [::core::mem::offset_of!(Start, initial_bytes_per_s) - 120usize];
    ["Offset of field: Start::siblings"][::core::mem::offset_of!(Start, siblings) - 128usize];
    ["Offset of field: Start::variant"][::core::mem::offset_of!(Start, variant) - 136usize];
};
/// cwnd limited the sender in the last round trip, not the application or the receiver.
pub const ACK_CWND_LIMITED: AckFlag = 1;
/// The application has no unsent data, so gaps between segments may be its own.
pub const ACK_APP_LIMITED: AckFlag = 2;
/// The host is repairing losses. Set only in PHASE_RETREAT and PHASE_REPAIR.
pub const ACK_RECOVERING: AckFlag = 4;
/// Flags of [`Ack`].
pub type AckFlag = ::core::ffi::c_uint;
/// Event: an ACK arrived. core/host.h says which ACKs a host reports.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ack {
    /// The time of the event, on the host's clock.
    pub now_ns: u64,
    /// Newly acknowledged, cumulatively or selectively. In slow start it is at most what the
    /// host counts for growth (RFC 3465; Linux counts all).
    pub acked_bytes: u64,
    /// Acknowledged since the start, this ACK included.
    pub delivered_bytes: u64,
    /// Marked lost since the start. A retransmission that is lost again counts each time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub lost_bytes: u64,
    /// In flight after this ACK: the pipe of RFC 6675, without bytes marked lost or sacked.
    pub inflight_bytes: u64,
    /// Smoothed RTT, this sample included; 0 before the first sample.
    pub srtt_ns: u64,
    /// RTT sample of the newest segment that this ACK covers; 0: no sample.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rtt_ns: u64,
    /// The host's cwnd before the decision.
    pub cwnd_bytes: u64,
    /// The host's ssthresh before the decision.
    pub ssthresh_bytes: u64,
    /// The interval that the peer measured, reported in this ACK or since the previous one; 0:
    /// no report. It lies between the arrivals of the two segments of a pair, or of the first
    /// and the newest acknowledged segment of a train.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pair_interval_ns: u64,
    /// Payload that arrived within pair_interval_ns: of a pair, its second segment.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pair_bytes: u64,
    /// The peer's receive window: it accepts so much beyond what it has acknowledged
    /// cumulatively. 0: unknown.
    #[cfg_attr(feature = "serde", serde(default))]
    pub peer_window_bytes: u64,
    /// TSval of this ACK, with OPTION_TIMESTAMPS; 32 bits. The receiver's time when it
    /// sent the ACK, in ticks of an unknown length (core/measure/receiver_clock.h).
    #[cfg_attr(feature = "serde", serde(default))]
    pub tsval: u64,
    /// Other connections of this host to the same destination that are starting up
    /// (core/parts/ensemble.h), with SHARES. 0: none, or unknown.
    #[cfg_attr(feature = "serde", serde(default))]
    pub siblings: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// `ACK_*` bits
    pub flags: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Ack"][::core::mem::size_of::<Ack>() - 120usize];
    ["Alignment of Ack"][::core::mem::align_of::<Ack>() - 8usize];
    ["Offset of field: Ack::now_ns"][::core::mem::offset_of!(Ack, now_ns) - 0usize];
    ["Offset of field: Ack::acked_bytes"][::core::mem::offset_of!(Ack, acked_bytes) - 8usize];
    ["Offset of field: Ack::delivered_bytes"]
        [::core::mem::offset_of!(Ack, delivered_bytes) - 16usize];
    ["Offset of field: Ack::lost_bytes"][::core::mem::offset_of!(Ack, lost_bytes) - 24usize];
    ["Offset of field: Ack::inflight_bytes"]
        [::core::mem::offset_of!(Ack, inflight_bytes) - 32usize];
    ["Offset of field: Ack::srtt_ns"][::core::mem::offset_of!(Ack, srtt_ns) - 40usize];
    ["Offset of field: Ack::rtt_ns"][::core::mem::offset_of!(Ack, rtt_ns) - 48usize];
    ["Offset of field: Ack::cwnd_bytes"][::core::mem::offset_of!(Ack, cwnd_bytes) - 56usize];
    ["Offset of field: Ack::ssthresh_bytes"]
        [::core::mem::offset_of!(Ack, ssthresh_bytes) - 64usize];
    ["Offset of field: Ack::pair_interval_ns"]
        [::core::mem::offset_of!(Ack, pair_interval_ns) - 72usize];
    ["Offset of field: Ack::pair_bytes"][::core::mem::offset_of!(Ack, pair_bytes) - 80usize];
    ["Offset of field: Ack::peer_window_bytes"]
        [::core::mem::offset_of!(Ack, peer_window_bytes) - 88usize];
    ["Offset of field: Ack::tsval"][::core::mem::offset_of!(Ack, tsval) - 96usize];
    ["Offset of field: Ack::siblings"][::core::mem::offset_of!(Ack, siblings) - 104usize];
    ["Offset of field: Ack::mss_bytes"][::core::mem::offset_of!(Ack, mss_bytes) - 112usize];
    ["Offset of field: Ack::flags"][::core::mem::offset_of!(Ack, flags) - 116usize];
};
/// Found by ACKs (fast retransmit, RACK) or signalled by an ECN mark.
pub const LOSS_RECOVERY: LossKind = 1;
/// Found by the retransmission timer. Slow start follows.
pub const LOSS_TIMEOUT: LossKind = 2;
/// Found by ACKs. Slow start follows, as in 4.3BSD-Tahoe.
pub const LOSS_TAHOE: LossKind = 3;
/// How the host found a loss, and what follows.
pub type LossKind = ::core::ffi::c_uint;
/// Event: the host found a loss and is about to set a new ssthresh.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Loss {
    /// The time of the event, on the host's clock.
    pub now_ns: u64,
    /// FlightSize of RFC 5681: sent and not cumulatively acknowledged. This is not the
    /// inflight_bytes of [`Ack`].
    pub inflight_bytes: u64,
    /// The host's cwnd.
    pub cwnd_bytes: u64,
    /// The ssthresh that congestion avoidance would set.
    pub ssthresh_bytes: u64,
    /// Cumulatively acknowledged, in the count of delivered_bytes of [`Ack`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub acknowledged_bytes: u64,
    /// Marked lost since the start, this loss included, in the count of [`Ack`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub lost_bytes: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// `LOSS_*`
    pub kind: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Loss"][::core::mem::size_of::<Loss>() - 56usize];
    ["Alignment of Loss"][::core::mem::align_of::<Loss>() - 8usize];
    ["Offset of field: Loss::now_ns"][::core::mem::offset_of!(Loss, now_ns) - 0usize];
    ["Offset of field: Loss::inflight_bytes"]
        [::core::mem::offset_of!(Loss, inflight_bytes) - 8usize];
    ["Offset of field: Loss::cwnd_bytes"][::core::mem::offset_of!(Loss, cwnd_bytes) - 16usize];
    ["Offset of field: Loss::ssthresh_bytes"]
        [::core::mem::offset_of!(Loss, ssthresh_bytes) - 24usize];
    ["Offset of field: Loss::acknowledged_bytes"]
        [::core::mem::offset_of!(Loss, acknowledged_bytes) - 32usize];
    ["Offset of field: Loss::lost_bytes"][::core::mem::offset_of!(Loss, lost_bytes) - 40usize];
    ["Offset of field: Loss::mss_bytes"][::core::mem::offset_of!(Loss, mss_bytes) - 48usize];
    ["Offset of field: Loss::kind"][::core::mem::offset_of!(Loss, kind) - 52usize];
};
/// cwnd grows by the bytes that are acknowledged.
pub const PHASE_SLOW_START: Phase = 0;
/// A measured window is filled at the measured rate.
pub const PHASE_PACING: Phase = 1;
/// cwnd grows from the paced window on, never faster than the measured rate.
pub const PHASE_APPROACH: Phase = 2;
/// The start-up is over for good.
pub const PHASE_DONE: Phase = 3;
/// The start-up is over until the next slow start, which the algorithm controls again.
pub const PHASE_AVOIDANCE: Phase = 4;
/// Congestion avoidance owns cwnd. The algorithm still paces what cwnd permits.
pub const PHASE_SAFE: Phase = 5;
/// cwnd grows by a segment in a round trip, until slow start goes on.
pub const PHASE_LINEAR: Phase = 6;
/// A rate is reserved: losses do not change cwnd.
pub const PHASE_RESERVED: Phase = 7;
/// cwnd stays for a round trip, to see whether a delay lasts.
pub const PHASE_HOLD: Phase = 8;
/// cwnd is lower than before, to see whether a queue was the connection's own.
pub const PHASE_DRAIN: Phase = 9;
/// A loss is being repaired, and ACKs may still change ssthresh.
pub const PHASE_RETREAT: Phase = 10;
/// cwnd fills the pipe. It stays for some round trips, to see whether the path is as it was.
pub const PHASE_REST: Phase = 11;
/// cwnd grows by a quarter of the bytes that are acknowledged, to see whether a delay lasts.
pub const PHASE_CONSERVATIVE: Phase = 12;
/// A loss is being repaired, and the algorithm controls cwnd with each ACK.
pub const PHASE_REPAIR: Phase = 13;
/// A flight leaves, paced, that is larger than slow start's: its ACKs are to show a rate.
pub const PHASE_PROBE: Phase = 14;
/// The number of phases.
pub const PHASE_COUNT: Phase = 15;
/// The phase of a start-up. startup_phase_name() gives its name for people.
pub type Phase = ::core::ffi::c_uint;
/// It has not ended.
pub const EXIT_NONE: Exit = 0;
/// cwnd reached the ssthresh that the host had set (HyStart, a route's metric).
pub const EXIT_SSTHRESH: Exit = 1;
/// cwnd reached the ssthresh that the algorithm had measured.
pub const EXIT_ESTIMATE: Exit = 2;
/// A loss that ACKs found.
pub const EXIT_LOSS: Exit = 3;
/// A loss that the retransmission timer found.
pub const EXIT_TIMEOUT: Exit = 4;
/// The application sends too little to go on.
pub const EXIT_APPLICATION: Exit = 5;
/// The receiver's window is the limit.
pub const EXIT_RECEIVER: Exit = 6;
/// No rate is reserved, or the host did not grant it.
pub const EXIT_UNRESERVED: Exit = 7;
/// Losses show that the reservation does not hold.
pub const EXIT_BROKEN: Exit = 8;
/// The delay rose and stayed: the pipe is full.
pub const EXIT_DELAY: Exit = 9;
/// The host did not start the algorithm: earlier start-ups retransmitted too much
/// (core/parts/governor.h). No algorithm sets it.
pub const EXIT_GOVERNED: Exit = 10;
/// Deliveries no longer grow as fast as what is sent: the pipe is full.
pub const EXIT_DELIVERY: Exit = 11;
/// The path is too short for a start-up to gain anything.
pub const EXIT_PATH: Exit = 12;
/// The number of exits.
pub const EXIT_COUNT: Exit = 13;
/// Why a start-up ended. startup_exit_name() gives the name for people.
pub type Exit = ::core::ffi::c_uint;
/// No segment is marked.
pub const PAIR_NONE: PairRequest = 0;
/// The next two full segments leave back to back, marked as a pair.
pub const PAIR_ONE: PairRequest = 1;
/// Every full segment is marked, as one train. The segments leave when they would anyway.
pub const PAIR_TRAIN: PairRequest = 2;
/// Which segments the peer is to measure, where both ends support packet pairs
/// (core/parts/pair_option.h).
pub type PairRequest = ::core::ffi::c_uint;
/// Too few have left, or it is not known yet.
pub const FIRST_ROUND_UNKNOWN: FirstRoundOutcome = 0;
/// The path carried them.
pub const FIRST_ROUND_CARRIED: FirstRoundOutcome = 1;
/// Many were lost, or the path is slower than they were.
pub const FIRST_ROUND_TOO_FAST: FirstRoundOutcome = 2;
/// What became of the segments that left behind the initial window, before any ACK.
pub type FirstRoundOutcome = ::core::ffi::c_uint;
/// The decision of an algorithm: the host's behaviour from now on.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Decision {
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold, or UNLIMITED.
    pub ssthresh_bytes: u64,
    /// Pacing rate, or UNLIMITED: cwnd and ACKs alone clock the sender.
    pub pacing_bytes_per_s: u64,
    /// The path's rate as measured so far; 0 before the first measurement.
    pub estimate_bytes_per_s: u64,
    /// `PHASE_*`
    pub phase: u32,
    /// `EXIT_*`; set if and only if the start-up is over: [`Decision::is_over`]
    pub exit: u32,
    /// `PAIR_*`
    #[cfg_attr(feature = "serde", serde(default))]
    pub pair: u16,
    /// Not 0: the start-up filled the pipe, and learned_bytes is the BDP.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_full: u8,
    /// `FIRST_ROUND_*`: what became of the segments that left at initial_bytes_per_s
    #[cfg_attr(feature = "serde", serde(default))]
    pub first_round: u8,
    /// Depth of the token bucket that paces (core/parts/token_bucket.h); 0: the host paces in
    /// its own way.
    #[cfg_attr(feature = "serde", serde(default))]
    pub burst_bytes: u32,
    /// The bytes that the path carried in a round trip, offered to the path memory
    /// (core/parts/path_memory.h); the BDP if is_full. 0: nothing new. UNLIMITED: the
    /// remembered BDP is wrong.
    #[cfg_attr(feature = "serde", serde(default))]
    pub learned_bytes: u64,
    /// The minimum RTT that belongs to learned_bytes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub learned_rtt_ns: u64,
    /// An idle time reduces cwnd to this at least (core/host.h). 0: as far as without a
    /// start-up.
    #[cfg_attr(feature = "serde", serde(default))]
    pub restart_bytes: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Decision"][::core::mem::size_of::<Decision>() - 72usize];
    ["Alignment of Decision"][::core::mem::align_of::<Decision>() - 8usize];
    ["Offset of field: Decision::cwnd_bytes"]
        [::core::mem::offset_of!(Decision, cwnd_bytes) - 0usize];
    ["Offset of field: Decision::ssthresh_bytes"]
        [::core::mem::offset_of!(Decision, ssthresh_bytes) - 8usize];
    ["Offset of field: Decision::pacing_bytes_per_s"]
        [::core::mem::offset_of!(Decision, pacing_bytes_per_s) - 16usize];
    ["Offset of field: Decision::estimate_bytes_per_s"]
        [::core::mem::offset_of!(Decision, estimate_bytes_per_s) - 24usize];
    ["Offset of field: Decision::phase"][::core::mem::offset_of!(Decision, phase) - 32usize];
    ["Offset of field: Decision::exit"][::core::mem::offset_of!(Decision, exit) - 36usize];
    ["Offset of field: Decision::pair"][::core::mem::offset_of!(Decision, pair) - 40usize];
    ["Offset of field: Decision::is_full"][::core::mem::offset_of!(Decision, is_full) - 42usize];
    ["Offset of field: Decision::first_round"]
        [::core::mem::offset_of!(Decision, first_round) - 43usize];
    ["Offset of field: Decision::burst_bytes"]
        [::core::mem::offset_of!(Decision, burst_bytes) - 44usize];
    ["Offset of field: Decision::learned_bytes"]
        [::core::mem::offset_of!(Decision, learned_bytes) - 48usize];
    ["Offset of field: Decision::learned_rtt_ns"]
        [::core::mem::offset_of!(Decision, learned_rtt_ns) - 56usize];
    ["Offset of field: Decision::restart_bytes"]
        [::core::mem::offset_of!(Decision, restart_bytes) - 64usize];
};
/// It asks for packet pairs where the user chooses them (OPTION_PAIRS).
pub const SENDS_PAIRS: Capability = 1;
/// It asks for packet pairs always, and is of no use without them.
pub const NEEDS_PAIRS: Capability = 2;
/// It sends at a rate that is reserved (PHASE_RESERVED).
pub const RESERVES: Capability = 4;
/// It resumes from the BDP that the host remembers of the path.
pub const RESUMES: Capability = 8;
/// It takes its share of the path, where others to the same destination are starting up:
/// `siblings` of [`Ack`].
pub const SHARES: Capability = 16;
/// It controls cwnd while a loss is repaired (PHASE_REPAIR).
pub const REPAIRS: Capability = 32;
/// It sends behind the initial window before any ACK: `initial_bytes_per_s` of
/// [`Start`].
pub const SENDS_EARLY: Capability = 64;
/// The capabilities of an algorithm, declared in its row of core/registry.h. A host prepares only
/// declared capabilities.
pub type Capability = ::core::ffi::c_uint;
unsafe extern "C" {
    /// The cwnd after this ACK in slow start, up to this ssthresh. A cwnd that does not limit the sender
    /// does not grow.
    #[link_name = "startup_slow_start__extern"]
    pub fn startup_slow_start(ack: *const Ack, ssthresh_bytes: u64) -> u64;
}
unsafe extern "C" {
    /// Decide: slow start with this cwnd and ssthresh, clocked by ACKs alone.
    #[link_name = "startup_begin_slow_start__extern"]
    pub fn startup_begin_slow_start(decision: *mut Decision, cwnd_bytes: u64, ssthresh_bytes: u64);
}
unsafe extern "C" {
    /// The minimum RTT, this ACK's sample included; 0: no sample so far.
    #[link_name = "startup_min_rtt__extern"]
    pub fn startup_min_rtt(min_rtt_ns: u64, ack: *const Ack) -> u64;
}
unsafe extern "C" {
    /// cwnd was full before this ACK, so no segment that slow start permitted still waits for pacing.
    #[link_name = "startup_window_was_full__extern"]
    pub fn startup_window_was_full(ack: *const Ack) -> bool;
}
unsafe extern "C" {
    /// A host with this scheduling granularity can pace this rate. A host with timers always can. A host
    /// with a periodic interrupt can if at most 10 segments leave per tick.
    #[link_name = "startup_can_pace__extern"]
    pub fn startup_can_pace(event_ns: u64, bytes_per_s: u64, mss_bytes: u64) -> bool;
}
unsafe extern "C" {
    /// The start-up is over, for good or until the next slow start: congestion avoidance is in charge.
    #[link_name = "startup_phase_is_over__extern"]
    pub fn startup_phase_is_over(phase: u32) -> bool;
}
unsafe extern "C" {
    #[link_name = "startup_is_over__extern"]
    pub fn startup_is_over(decision: *const Decision) -> bool;
}
unsafe extern "C" {
    /// End the start-up for good. cwnd and ssthresh stay as decided; the host paces in its own way.
    #[link_name = "startup_finish__extern"]
    pub fn startup_finish(decision: *mut Decision, exit: Exit);
}
unsafe extern "C" {
    /// End the start-up until the next slow start.
    #[link_name = "startup_pause__extern"]
    pub fn startup_pause(decision: *mut Decision, exit: Exit);
}
unsafe extern "C" {
    /// The exit reason of a start-up that a loss ends.
    #[link_name = "startup_loss_exit__extern"]
    pub fn startup_loss_exit(loss: *const Loss) -> Exit;
}
unsafe extern "C" {
    /// Is this an event without a loss: an ECN mark, or a tail loss that a probe has repaired?
    /// Congestion avoidance reduces cwnd for it as for a loss. `prior_lost_bytes`: those of the last ACK
    /// or loss.
    #[link_name = "startup_is_mark__extern"]
    pub fn startup_is_mark(loss: *const Loss, prior_lost_bytes: u64) -> bool;
}
unsafe extern "C" {
    /// Decide: the loss ends the start-up, with the ssthresh of congestion avoidance.
    #[link_name = "startup_end_at_loss__extern"]
    pub fn startup_end_at_loss(loss: *const Loss, decision: *mut Decision);
}
unsafe extern "C" {
    /// The start-up is over for good: the host may free the algorithm's state.
    #[link_name = "host_is_done__extern"]
    pub fn host_is_done(phase: u32) -> bool;
}
unsafe extern "C" {
    /// A rate is reserved: no loss, RTO or idle time changes cwnd.
    #[link_name = "host_is_reserved__extern"]
    pub fn host_is_reserved(phase: u32) -> bool;
}
unsafe extern "C" {
    /// A loss is being repaired, and the algorithm may still change ssthresh.
    #[link_name = "host_is_retreating__extern"]
    pub fn host_is_retreating(phase: u32) -> bool;
}
unsafe extern "C" {
    /// A loss is being repaired, and the algorithm controls cwnd meanwhile.
    #[link_name = "host_is_repairing__extern"]
    pub fn host_is_repairing(phase: u32) -> bool;
}
unsafe extern "C" {
    /// The algorithm follows a recovery, so the ACKs of the recovery are marked.
    #[link_name = "host_follows_recovery__extern"]
    pub fn host_follows_recovery(phase: u32) -> bool;
}
unsafe extern "C" {
    /// Loss recovery does not change cwnd.
    #[link_name = "host_holds_cwnd__extern"]
    pub fn host_holds_cwnd(phase: u32) -> bool;
}
unsafe extern "C" {
    /// Congestion avoidance owns cwnd, and the algorithm paces what cwnd permits.
    #[link_name = "host_is_paced_by_algorithm__extern"]
    pub fn host_is_paced_by_algorithm(phase: u32) -> bool;
}
unsafe extern "C" {
    /// The host's congestion avoidance raises cwnd, outside of recovery. Otherwise the algorithm does.
    /// cwnd and ssthresh may be in any unit, but must be in the same one.
    #[link_name = "host_owns_cwnd__extern"]
    pub fn host_owns_cwnd(phase: u32, cwnd: u64, ssthresh: u64) -> bool;
}
unsafe extern "C" {
    /// The host reports ACKs to the algorithm while it repairs losses.
    #[link_name = "host_reports_recovery__extern"]
    pub fn host_reports_recovery(phase: u32) -> bool;
}
unsafe extern "C" {
    /// The host reports this ACK to the algorithm. The caller has checked that the ACK delivers new
    /// data. cwnd and ssthresh may be in any unit, but must be in the same one.
    #[link_name = "host_reports_ack__extern"]
    pub fn host_reports_ack(phase: u32, cwnd: u64, ssthresh: u64, is_recovering: bool) -> bool;
}
unsafe extern "C" {
    /// Slow start goes on, with its own flights or with a larger one.
    #[link_name = "host_is_slow_start__extern"]
    pub fn host_is_slow_start(phase: u32) -> bool;
}
unsafe extern "C" {
    /// The ACK is quiet. `flags` are those of [`Ack`]; `inflight` may be in any unit.
    #[link_name = "host_ack_is_quiet__extern"]
    pub fn host_ack_is_quiet(flags: u32, inflight: u64) -> bool;
}
unsafe extern "C" {
    /// The host does not report this quiet ACK. It is the last of `quiet_acks` successive ones.
    #[link_name = "host_skips_quiet_ack__extern"]
    pub fn host_skips_quiet_ack(phase: u32, pacing_bytes_per_s: u64, quiet_acks: u32) -> bool;
}
unsafe extern "C" {
    /// The host ends the start-up after `quiet_acks` successive quiet ACKs that it skipped.
    #[link_name = "host_ends_quiet_connection__extern"]
    pub fn host_ends_quiet_connection(quiet_acks: u32) -> bool;
}
/// The successive round trips that cwnd did not limit, until now. All zero: none yet.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Limited {
    /// delivered_bytes that end the present round trip
    pub round_end_bytes: u64,
    /// round trips that have begun
    pub rounds: u32,
    /// 0
    pub(crate) reserved: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Limited"][::core::mem::size_of::<Limited>() - 16usize];
    ["Alignment of Limited"][::core::mem::align_of::<Limited>() - 8usize];
    ["Offset of field: Limited::round_end_bytes"]
        [::core::mem::offset_of!(Limited, round_end_bytes) - 0usize];
    ["Offset of field: Limited::rounds"][::core::mem::offset_of!(Limited, rounds) - 8usize];
    ["Offset of field: Limited::reserved"][::core::mem::offset_of!(Limited, reserved) - 12usize];
};
unsafe extern "C" {
    /// The host has reported this ACK, and the algorithm has answered with `decision`. Returns true if
    /// the host now ends the start-up, for the reason host_limited_exit().
    #[link_name = "host_ends_limited_connection__extern"]
    pub fn host_ends_limited_connection(
        limited: *mut Limited,
        ack: *const Ack,
        decision: *const Decision,
    ) -> bool;
}
unsafe extern "C" {
    /// Why the host ends the start-up of a connection that cwnd does not limit. `flags` are those of
    /// [`Ack`].
    #[link_name = "host_limited_exit__extern"]
    pub fn host_limited_exit(flags: u32) -> Exit;
}
unsafe extern "C" {
    /// The host reports losses to the algorithm, which answers with the new ssthresh.
    #[link_name = "host_reports_loss__extern"]
    pub fn host_reports_loss(phase: u32) -> bool;
}
unsafe extern "C" {
    /// The connection is a bulk transfer. `unreported_bytes` are delivered since the latest ACK that the
    /// host has reported to the algorithm.
    #[link_name = "host_is_busy__extern"]
    pub fn host_is_busy(unreported_bytes: u64) -> bool;
}
unsafe extern "C" {
    /// The host ends the start-up of a bulk transfer for good, for the reason that it has.
    #[link_name = "host_ends_busy_connection__extern"]
    pub fn host_ends_busy_connection(decision: *const Decision, unreported_bytes: u64) -> bool;
}
unsafe extern "C" {
    /// An idle time leaves at least this much of cwnd. The host has reduced cwnd for it as without a
    /// start-up, and no data is in flight. `restart_bytes` is that of the latest decision.
    #[link_name = "host_restart_bytes__extern"]
    pub fn host_restart_bytes(restart_bytes: u64, idle_ns: u64, unreported_bytes: u64) -> u64;
}
unsafe extern "C" {
    /// The host paces at the decided rate. Otherwise it paces as it would without a start-up. `resumed`
    /// is delivered since the latest segment that left while nothing was in flight. cwnd, ssthresh and
    /// resumed may be in any unit, but must be in the same one.
    #[link_name = "host_paces__extern"]
    pub fn host_paces(
        phase: u32,
        pacing_bytes_per_s: u64,
        cwnd: u64,
        ssthresh: u64,
        resumed: u64,
    ) -> bool;
}
/// The connections of a path that are starting up. All zero: none.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Ensemble {
    /// From the highest bits to the lowest: the number of the present period (32 bits), the
    /// connections whose latest ACK was in the previous period (16 bits), and those of the
    /// present period (16 bits).
    pub counts: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Ensemble"][::core::mem::size_of::<Ensemble>() - 8usize];
    ["Alignment of Ensemble"][::core::mem::align_of::<Ensemble>() - 8usize];
    ["Offset of field: Ensemble::counts"][::core::mem::offset_of!(Ensemble, counts) - 0usize];
};
unsafe extern "C" {
    /// The number of the period of this time. Period 0 is none.
    #[link_name = "ensemble_period__extern"]
    pub fn ensemble_period(now_ns: u64) -> u32;
}
unsafe extern "C" {
    #[link_name = "ensemble_period_of__extern"]
    pub fn ensemble_period_of(counts: u64) -> u32;
}
unsafe extern "C" {
    #[link_name = "ensemble_previous__extern"]
    pub fn ensemble_previous(counts: u64) -> u64;
}
unsafe extern "C" {
    #[link_name = "ensemble_present__extern"]
    pub fn ensemble_present(counts: u64) -> u64;
}
unsafe extern "C" {
    #[link_name = "ensemble_counts__extern"]
    pub fn ensemble_counts(period: u32, previous: u64, present: u64) -> u64;
}
unsafe extern "C" {
    /// The counts in this period. One processor may read the clock a little later than another, so a
    /// period before the present one changes nothing.
    #[link_name = "ensemble_advance__extern"]
    pub fn ensemble_advance(counts: u64, period: u32) -> u64;
}
unsafe extern "C" {
    /// The counts without a connection that was counted in this period; 0: it was not counted.
    #[link_name = "ensemble_without__extern"]
    pub fn ensemble_without(counts: u64, member_period: u32) -> u64;
}
unsafe extern "C" {
    /// A connection starts, or an ACK has arrived for it: count it in the present period.
    /// `member_period` is the connection's own, and 0 at first: the period in which it is counted.
    #[link_name = "ensemble_renew__extern"]
    pub fn ensemble_renew(entry: *mut Ensemble, member_period: *mut u32, now_ns: u64);
}
unsafe extern "C" {
    /// The start-up of a connection has ended, or the connection itself.
    #[link_name = "ensemble_leave__extern"]
    pub fn ensemble_leave(entry: *mut Ensemble, member_period: *mut u32);
}
unsafe extern "C" {
    /// The number of other connections that are starting up. `member_period` as above.
    #[link_name = "ensemble_siblings__extern"]
    pub fn ensemble_siblings(entry: *const Ensemble, member_period: u32, now_ns: u64) -> u64;
}
/// What the connections of a host or of a prefix have told. All zero: nothing.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct FirstRound {
    pub bytes_per_s: u64,
    /// When a connection last told something.
    pub learned_ns: u64,
    /// Not 0: a rate was too fast.
    pub was_too_fast: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of FirstRound"][::core::mem::size_of::<FirstRound>() - 24usize];
    ["Alignment of FirstRound"][::core::mem::align_of::<FirstRound>() - 8usize];
    ["Offset of field: FirstRound::bytes_per_s"]
        [::core::mem::offset_of!(FirstRound, bytes_per_s) - 0usize];
    ["Offset of field: FirstRound::learned_ns"]
        [::core::mem::offset_of!(FirstRound, learned_ns) - 8usize];
    ["Offset of field: FirstRound::was_too_fast"]
        [::core::mem::offset_of!(FirstRound, was_too_fast) - 16usize];
};
unsafe extern "C" {
    /// The prefix of an address, as the key of what is known of it. An IPv4 address has the form
    /// ::ffff:192.0.2.1.
    #[link_name = "first_round_prefix__extern"]
    pub fn first_round_prefix(address: *const u8) -> u64;
}
unsafe extern "C" {
    /// One processor may read the clock a little later than another.
    #[link_name = "first_round_is_known__extern"]
    pub fn first_round_is_known(learned: *const FirstRound, now_ns: u64) -> bool;
}
unsafe extern "C" {
    /// The rate of a connection that starts now.
    #[link_name = "first_round_rate__extern"]
    pub fn first_round_rate(host: *const FirstRound, prefix: *const FirstRound, now_ns: u64)
        -> u64;
}
unsafe extern "C" {
    /// What is known after a connection that started at this rate.
    #[link_name = "first_round_after__extern"]
    pub fn first_round_after(
        known: *const FirstRound,
        rate: u64,
        outcome: FirstRoundOutcome,
        now_ns: u64,
    ) -> FirstRound;
}
unsafe extern "C" {
    /// A connection of the prefix knows what became of its early segments.
    #[link_name = "first_round_learn__extern"]
    pub fn first_round_learn(
        host: *mut FirstRound,
        prefix: *mut FirstRound,
        outcome: FirstRoundOutcome,
        now_ns: u64,
    );
}
/// The average share of start-ups. All zero: no start-up yet.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Average {
    /// The share, in parts per million.
    pub share_ppm: u32,
    /// The start-ups in the average, at most N.
    pub startups: u32,
    /// When the latest start-up went into it.
    pub updated_ns: u64,
    /// The connections that have asked while the bound was exceeded.
    pub held: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Average"][::core::mem::size_of::<Average>() - 24usize];
    ["Alignment of Average"][::core::mem::align_of::<Average>() - 8usize];
    ["Offset of field: Average::share_ppm"][::core::mem::offset_of!(Average, share_ppm) - 0usize];
    ["Offset of field: Average::startups"][::core::mem::offset_of!(Average, startups) - 4usize];
    ["Offset of field: Average::updated_ns"][::core::mem::offset_of!(Average, updated_ns) - 8usize];
    ["Offset of field: Average::held"][::core::mem::offset_of!(Average, held) - 16usize];
};
unsafe extern "C" {
    /// The share of `sent` segments that are retransmissions.
    #[link_name = "governor_share_ppm__extern"]
    pub fn governor_share_ppm(sent: u64, retransmitted: u64) -> u32;
}
unsafe extern "C" {
    /// The start-up sent enough to count.
    #[link_name = "governor_counts__extern"]
    pub fn governor_counts(sent: u64) -> bool;
}
unsafe extern "C" {
    /// No start-up has gone into the average for its lifetime. One processor may read the clock a little
    /// later than another.
    #[link_name = "governor_is_forgotten__extern"]
    pub fn governor_is_forgotten(average: *const Average, now_ns: u64) -> bool;
}
unsafe extern "C" {
    /// A start-up with this share has ended. n is the average's N.
    #[link_name = "governor_add__extern"]
    pub fn governor_add(average: *mut Average, share_ppm: u32, n: u32, now_ns: u64);
}
unsafe extern "C" {
    /// A start-up that is in the average has retransmitted more: its share has grown by this much.
    #[link_name = "governor_add_late__extern"]
    pub fn governor_add_late(average: *mut Average, share_ppm: u32, now_ns: u64);
}
unsafe extern "C" {
    /// New connections are to begin with slow start. n is the average's N.
    #[link_name = "governor_exceeds__extern"]
    pub fn governor_exceeds(average: *const Average, bound_ppm: u32, n: u32, now_ns: u64) -> bool;
}
unsafe extern "C" {
    /// Although the bound is exceeded, this connection starts its algorithm. `held` is the number of
    /// connections that asked before it.
    #[link_name = "governor_starts__extern"]
    pub fn governor_starts(held: u64) -> bool;
}
/// As in the paper.
pub const PAIR_OPTION_PAPER: PairOptionForm = 1;
/// As an experiment (RFC 6994).
pub const PAIR_OPTION_EXPERIMENT: PairOptionForm = 2;
/// The two forms of the option.
pub type PairOptionForm = ::core::ffi::c_uint;
/// On a SYN: the sender supports the option.
pub const PAIR_OPTION_PERMITTED: PairOptionKind = 0;
/// The first segment of a pair.
pub const PAIR_OPTION_FIRST: PairOptionKind = 1;
/// The second segment of a pair, which is acknowledged at once.
pub const PAIR_OPTION_SECOND: PairOptionKind = 2;
/// The time between the arrivals of the two segments.
pub const PAIR_OPTION_REPLY: PairOptionKind = 3;
/// The number of types.
pub const PAIR_OPTION_TYPE_COUNT: PairOptionKind = 4;
/// What an option says.
pub type PairOptionKind = ::core::ffi::c_uint;
/// An option.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct PairOption {
    /// The interval of a reply. The paper's form rounds it down to 10 ms.
    pub interval_ns: u32,
    /// `PAIR_OPTION_*`
    pub kind: u8,
    /// Which pair.
    pub id: u8,
    pub(crate) reserved: u16,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PairOption"][::core::mem::size_of::<PairOption>() - 8usize];
    ["Alignment of PairOption"][::core::mem::align_of::<PairOption>() - 4usize];
    ["Offset of field: PairOption::interval_ns"]
        [::core::mem::offset_of!(PairOption, interval_ns) - 0usize];
    ["Offset of field: PairOption::kind"][::core::mem::offset_of!(PairOption, kind) - 4usize];
    ["Offset of field: PairOption::id"][::core::mem::offset_of!(PairOption, id) - 5usize];
    ["Offset of field: PairOption::reserved"]
        [::core::mem::offset_of!(PairOption, reserved) - 6usize];
};
unsafe extern "C" {
    /// The length of an option of this type on the wire.
    #[link_name = "pair_option_bytes__extern"]
    pub fn pair_option_bytes(form: u32, type_: u32) -> u32;
}
unsafe extern "C" {
    /// Write the option and return its length. An interval that the field cannot hold becomes the
    /// longest that it can.
    #[link_name = "pair_option_write__extern"]
    pub fn pair_option_write(out: *mut u8, form: u32, option: *const PairOption) -> u32;
}
/// Another option.
pub const PAIR_OPTION_OTHER: PairOptionReading = 0;
/// This option, with an impossible length or type.
pub const PAIR_OPTION_MALFORMED: PairOptionReading = 1;
/// This option.
pub const PAIR_OPTION_READ: PairOptionReading = 2;
/// The result of reading an option.
pub type PairOptionReading = ::core::ffi::c_uint;
unsafe extern "C" {
    /// Read an option, its kind and length included. `in` has room for PAIR_OPTION_MAX_BYTES, and this
    /// many `bytes` of it are valid.
    #[link_name = "pair_option_read__extern"]
    pub fn pair_option_read(
        in_: *const u8,
        bytes: u32,
        form: u32,
        option: *mut PairOption,
    ) -> PairOptionReading;
}
/// Counts of a connection's pairs and options.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Pairs sent.
    pub pairs: u32,
    /// Pairs of the peer that were measured.
    pub answers: u32,
    /// Intervals that the peer reported and that were used.
    pub replies: u32,
    /// Options of a wrong length or type.
    pub malformed: u32,
    /// Options that were repeated, unmatched or not credible.
    pub ignored: u32,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) reserved: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Counts"][::core::mem::size_of::<Counts>() - 24usize];
    ["Alignment of Counts"][::core::mem::align_of::<Counts>() - 4usize];
    ["Offset of field: Counts::pairs"][::core::mem::offset_of!(Counts, pairs) - 0usize];
    ["Offset of field: Counts::answers"][::core::mem::offset_of!(Counts, answers) - 4usize];
    ["Offset of field: Counts::replies"][::core::mem::offset_of!(Counts, replies) - 8usize];
    ["Offset of field: Counts::malformed"][::core::mem::offset_of!(Counts, malformed) - 12usize];
    ["Offset of field: Counts::ignored"][::core::mem::offset_of!(Counts, ignored) - 16usize];
    ["Offset of field: Counts::reserved"][::core::mem::offset_of!(Counts, reserved) - 20usize];
};
/// The receiver that measures: the first segment of the latest pair, which waits for its second.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Meter {
    /// When the first segment arrived.
    pub first_ns: u64,
    /// The sequence number at which the second begins, or the next segment of a train.
    pub next_seq: u32,
    /// The pair-id.
    pub id: u8,
    /// The second segment has not arrived yet, or a train goes on.
    pub is_waiting: u8,
    /// A pair has arrived, so `id` is valid.
    pub is_started: u8,
    /// Replies to the train, up to PAIR_METER_REPLIES. From there on, it counts the segments
    /// since the last reply too.
    pub replies: u8,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Meter"][::core::mem::size_of::<Meter>() - 16usize];
    ["Alignment of Meter"][::core::mem::align_of::<Meter>() - 8usize];
    ["Offset of field: Meter::first_ns"][::core::mem::offset_of!(Meter, first_ns) - 0usize];
    ["Offset of field: Meter::next_seq"][::core::mem::offset_of!(Meter, next_seq) - 8usize];
    ["Offset of field: Meter::id"][::core::mem::offset_of!(Meter, id) - 12usize];
    ["Offset of field: Meter::is_waiting"][::core::mem::offset_of!(Meter, is_waiting) - 13usize];
    ["Offset of field: Meter::is_started"][::core::mem::offset_of!(Meter, is_started) - 14usize];
    ["Offset of field: Meter::replies"][::core::mem::offset_of!(Meter, replies) - 15usize];
};
unsafe extern "C" {
    /// A first or a second arrived, with the segment from `seq` to before `end`. True: it completes a
    /// pair or belongs to a train, and gets this reply.
    #[link_name = "pair_meter_arrived__extern"]
    pub fn pair_meter_arrived(
        meter: *mut Meter,
        counts: *mut Counts,
        option: *const PairOption,
        now_ns: u64,
        seq: u32,
        end: u32,
        reply: *mut PairOption,
    ) -> bool;
}
/// A pair or a train in flight.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Sent {
    /// When the first segment left.
    pub first_ns: u64,
    /// When the second segment left, or the latest of a train.
    pub second_ns: u64,
    /// The sequence number behind the first segment.
    pub begin: u32,
    /// The sequence number behind the second segment, or behind the latest of a train.
    pub end: u32,
    /// A valid reply acknowledges everything below this sequence number.
    pub min_ack: u32,
    /// The pair-id.
    pub id: u8,
    /// No reply has arrived yet, or a train goes on.
    pub is_waiting: u8,
    /// It is a train.
    pub is_train: u8,
    pub(crate) reserved: u8,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Sent"][::core::mem::size_of::<Sent>() - 32usize];
    ["Alignment of Sent"][::core::mem::align_of::<Sent>() - 8usize];
    ["Offset of field: Sent::first_ns"][::core::mem::offset_of!(Sent, first_ns) - 0usize];
    ["Offset of field: Sent::second_ns"][::core::mem::offset_of!(Sent, second_ns) - 8usize];
    ["Offset of field: Sent::begin"][::core::mem::offset_of!(Sent, begin) - 16usize];
    ["Offset of field: Sent::end"][::core::mem::offset_of!(Sent, end) - 20usize];
    ["Offset of field: Sent::min_ack"][::core::mem::offset_of!(Sent, min_ack) - 24usize];
    ["Offset of field: Sent::id"][::core::mem::offset_of!(Sent, id) - 28usize];
    ["Offset of field: Sent::is_waiting"][::core::mem::offset_of!(Sent, is_waiting) - 29usize];
    ["Offset of field: Sent::is_train"][::core::mem::offset_of!(Sent, is_train) - 30usize];
    ["Offset of field: Sent::reserved"][::core::mem::offset_of!(Sent, reserved) - 31usize];
};
/// The sender of pairs.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The pairs in flight.
    pub sent: [Sent; 2usize],
    /// When the first segment of the open pair left.
    pub first_ns: u64,
    /// The sequence number at which that second begins; in a train, the next segment.
    pub next_seq: u32,
    /// The pair-id of the latest pair.
    pub id: u8,
    /// A first segment has left, and a second may follow.
    pub is_open: u8,
    pub(crate) reserved: u16,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Probe"][::core::mem::size_of::<Probe>() - 80usize];
    ["Alignment of Probe"][::core::mem::align_of::<Probe>() - 8usize];
    ["Offset of field: Probe::sent"][::core::mem::offset_of!(Probe, sent) - 0usize];
    ["Offset of field: Probe::first_ns"][::core::mem::offset_of!(Probe, first_ns) - 64usize];
    ["Offset of field: Probe::next_seq"][::core::mem::offset_of!(Probe, next_seq) - 72usize];
    ["Offset of field: Probe::id"][::core::mem::offset_of!(Probe, id) - 76usize];
    ["Offset of field: Probe::is_open"][::core::mem::offset_of!(Probe, is_open) - 77usize];
    ["Offset of field: Probe::reserved"][::core::mem::offset_of!(Probe, reserved) - 78usize];
};
unsafe extern "C" {
    /// The first segment of a pair leaves, up to before `end`, with this option.
    #[link_name = "pair_probe_send_first__extern"]
    pub fn pair_probe_send_first(probe: *mut Probe, now_ns: u64, end: u32, option: *mut PairOption);
}
unsafe extern "C" {
    /// The segment from `seq` to before `end` leaves. True: it is the second of the open pair and
    /// carries this option. In a train, the pair stays open for the next segment.
    #[link_name = "pair_probe_send_second__extern"]
    pub fn pair_probe_send_second(
        probe: *mut Probe,
        counts: *mut Counts,
        now_ns: u64,
        seq: u32,
        end: u32,
        is_train: bool,
        option: *mut PairOption,
    ) -> bool;
}
/// The report of a reply. An interval of 0: no report.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Report {
    /// The time between the arrivals of a pair's two segments, or of a train's first and the
    /// newest acknowledged segment.
    pub interval_ns: u32,
    /// The payload that arrived in it, from behind the first segment to behind the acknowledged
    /// one. In a pair that is the second segment.
    pub bytes: u32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Report"][::core::mem::size_of::<Report>() - 8usize];
    ["Alignment of Report"][::core::mem::align_of::<Report>() - 4usize];
    ["Offset of field: Report::interval_ns"][::core::mem::offset_of!(Report, interval_ns) - 0usize];
    ["Offset of field: Report::bytes"][::core::mem::offset_of!(Report, bytes) - 4usize];
};
unsafe extern "C" {
    /// A reply arrived with an ACK of everything below `ack`. Returns its report, or nothing if the
    /// reply is not valid.
    ///
    /// A valid reply is the first one for a pair that was sent, and its ACK covers the pair. Its
    /// interval is shorter than the time since the pair left. It is more than twice the interval at
    /// which the two segments left; otherwise the interval is the sender's own, not the path's. In a
    /// train each reply must acknowledge more than the last one. The reader of the train excludes what
    /// the sender itself has spaced (core/measure/pair_rate.h).
    ///
    /// A peer that lies about a pair can make its sender slower than slow start, but not faster, because
    /// cwnd is still slow start's. The start-up bounds how slow (core/algorithms/pair.h). The reader of
    /// a train bounds what a lie about a train does.
    #[link_name = "pair_probe_replied__extern"]
    pub fn pair_probe_replied(
        probe: *mut Probe,
        counts: *mut Counts,
        reply: *const PairOption,
        now_ns: u64,
        ack: u32,
    ) -> Report;
}
/// The remembered BDP of a path. All zero: nothing. Times are of a clock that goes on while the
/// host sleeps.
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The BDP; 0: nothing is remembered.
    pub bytes: u64,
    /// The minimum RTT when the BDP was measured.
    pub rtt_ns: u64,
    /// When the BDP was saved.
    pub saved_ns: u64,
    /// The connection that uses the entry, by its own number; 0: none.
    pub user: u64,
    /// When that connection last renewed its use.
    pub used_ns: u64,
    /// The connection that measured the BDP, by its own number.
    pub author: u64,
    /// The BDP that at least two different connections have measured; 0: none.
    pub confirmed_bytes: u64,
    /// When a connection last confirmed it.
    pub confirmed_ns: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of Entry"][::core::mem::size_of::<Entry>() - 64usize];
    ["Alignment of Entry"][::core::mem::align_of::<Entry>() - 8usize];
    ["Offset of field: Entry::bytes"][::core::mem::offset_of!(Entry, bytes) - 0usize];
    ["Offset of field: Entry::rtt_ns"][::core::mem::offset_of!(Entry, rtt_ns) - 8usize];
    ["Offset of field: Entry::saved_ns"][::core::mem::offset_of!(Entry, saved_ns) - 16usize];
    ["Offset of field: Entry::user"][::core::mem::offset_of!(Entry, user) - 24usize];
    ["Offset of field: Entry::used_ns"][::core::mem::offset_of!(Entry, used_ns) - 32usize];
    ["Offset of field: Entry::author"][::core::mem::offset_of!(Entry, author) - 40usize];
    ["Offset of field: Entry::confirmed_bytes"]
        [::core::mem::offset_of!(Entry, confirmed_bytes) - 48usize];
    ["Offset of field: Entry::confirmed_ns"]
        [::core::mem::offset_of!(Entry, confirmed_ns) - 56usize];
};
unsafe extern "C" {
    /// The time since then. One processor may read the clock a little later than another; that is 0.
    #[link_name = "path_memory_elapsed_ns__extern"]
    pub fn path_memory_elapsed_ns(then_ns: u64, now_ns: u64) -> u64;
}
unsafe extern "C" {
    /// The entry's Lifetime is over.
    #[link_name = "path_memory_is_over__extern"]
    pub fn path_memory_is_over(entry: *const Entry, now_ns: u64, lifetime_ns: u64) -> bool;
}
unsafe extern "C" {
    /// A connection other than this one uses the entry.
    #[link_name = "path_memory_is_in_use__extern"]
    pub fn path_memory_is_in_use(entry: *const Entry, user: u64, now_ns: u64) -> bool;
}
unsafe extern "C" {
    /// The connection uses the entry from now on. False: another one uses it, or was faster.
    #[link_name = "path_memory_use__extern"]
    pub fn path_memory_use(entry: *mut Entry, user: u64, now_ns: u64) -> bool;
}
unsafe extern "C" {
    /// An RTT of this length fits the remembered path. An RTT of 0 is unknown and does not fit.
    #[link_name = "path_memory_fits__extern"]
    pub fn path_memory_fits(remembered_rtt_ns: u64, rtt_ns: u64) -> bool;
}
unsafe extern "C" {
    /// The initial window that a learned BDP is compared with. It is the host's, and at least that of
    /// RFC 6928: a lost SYN makes the host's smaller, and a connection that is not new has none.
    #[link_name = "path_memory_window__extern"]
    pub fn path_memory_window(start: *const Start, is_new: bool) -> u64;
}
unsafe extern "C" {
    /// The number of bytes that a connection may send at once behind its initial window; 0: it resumes
    /// carefully. max_bytes is the user's cap; 0: the default.
    #[link_name = "path_memory_jump__extern"]
    pub fn path_memory_jump(
        entry: *const Entry,
        now_ns: u64,
        max_bytes: u64,
        start: *const Start,
    ) -> u64;
}
unsafe extern "C" {
    /// A connection begins, and the entry's Lifetime is not over. True: the connection uses the entry
    /// from now on, and `start` has the remembered BDP and how it is used. max_jump_bytes is the user's
    /// cap of a jump at once; 0: the default.
    #[link_name = "path_memory_take__extern"]
    pub fn path_memory_take(
        entry: *mut Entry,
        user: u64,
        now_ns: u64,
        max_jump_bytes: u64,
        start: *mut Start,
    ) -> bool;
}
unsafe extern "C" {
    /// A connection has received from its peer. False: it does not use the entry (any more).
    #[link_name = "path_memory_keep__extern"]
    pub fn path_memory_keep(entry: *mut Entry, user: u64, now_ns: u64) -> bool;
}
unsafe extern "C" {
    /// A connection ends. Nothing changes if it does not use the entry.
    #[link_name = "path_memory_give_back__extern"]
    pub fn path_memory_give_back(entry: *mut Entry, user: u64);
}
/// Nothing.
pub const PATH_MEMORY_NO_NEWS: PathMemoryNews = 0;
/// The learned BDP is to be remembered: [`Entry::save`].
pub const PATH_MEMORY_SAVE: PathMemoryNews = 1;
/// The remembered BDP is wrong, or no longer worth remembering: delete the entry.
pub const PATH_MEMORY_FORGET: PathMemoryNews = 2;
/// The effect of a decision on the path's entry.
pub type PathMemoryNews = ::core::ffi::c_uint;
unsafe extern "C" {
    /// initial_bytes is the connection's path_memory_window().
    #[link_name = "path_memory_news__extern"]
    pub fn path_memory_news(decision: *const Decision, initial_bytes: u64) -> PathMemoryNews;
}
unsafe extern "C" {
    /// A connection has measured this BDP of the path: does that confirm what another one measured?
    #[link_name = "path_memory_confirm__extern"]
    pub fn path_memory_confirm(
        entry: *mut Entry,
        user: u64,
        decision: *const Decision,
        now_ns: u64,
    );
}
unsafe extern "C" {
    /// Remember the learned BDP of this decision. True: the connection uses the entry from now on, which
    /// no other connection used.
    #[link_name = "path_memory_save__extern"]
    pub fn path_memory_save(
        entry: *mut Entry,
        user: u64,
        decision: *const Decision,
        now_ns: u64,
    ) -> bool;
}
unsafe extern "C" {
    /// The time that these bytes, fewer than 2^33, take at this rate. It is rounded up, so that nothing
    /// leaves too early.
    #[link_name = "bucket_time_ns__extern"]
    pub fn bucket_time_ns(bytes: u64, bytes_per_s: u64) -> u64;
}
unsafe extern "C" {
    /// Take these bytes, whether the bucket has tokens for them or not. Returns the new full_ns.
    #[link_name = "bucket_take__extern"]
    pub fn bucket_take(full_ns: u64, now_ns: u64, bytes: u64, bytes_per_s: u64) -> u64;
}
unsafe extern "C" {
    /// The first time at which the bucket has tokens for these bytes. It may have passed. The bucket's
    /// depth, burst_bytes, must not be less than bytes.
    #[link_name = "bucket_ready_ns__extern"]
    pub fn bucket_ready_ns(full_ns: u64, bytes: u64, bytes_per_s: u64, burst_bytes: u64) -> u64;
}
unsafe extern "C" {
    /// The bytes for which the bucket has tokens now.
    #[link_name = "bucket_level_bytes__extern"]
    pub fn bucket_level_bytes(full_ns: u64, now_ns: u64, bytes_per_s: u64, burst_bytes: u64)
        -> u64;
}
#[repr(C)]
#[derive(Debug)]
pub struct AckTrain {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct EligibleRate {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct ReceiverClock {
    _unused: [u8; 0],
}
/// A name in a row of core/registry.h: `key = "name"` in scenario files sets these bits of
/// [`Start`], variant.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Variant {
    /// NULL ends the list
    pub key: *const ::core::ffi::c_char,
    pub name: *const ::core::ffi::c_char,
    pub bits: u64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of Variant"][::core::mem::size_of::<Variant>() - 24usize];
    ["Alignment of Variant"][::core::mem::align_of::<Variant>() - 8usize];
    ["Offset of field: Variant::key"][::core::mem::offset_of!(Variant, key) - 0usize];
    ["Offset of field: Variant::name"][::core::mem::offset_of!(Variant, name) - 8usize];
    ["Offset of field: Variant::bits"][::core::mem::offset_of!(Variant, bits) - 16usize];
};
impl Default for Variant {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A parameter in a row of core/registry.h (core/startup.h).
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// NULL ends the list
    pub name: *const ::core::ffi::c_char,
    pub meaning: *const ::core::ffi::c_char,
    /// the default
    pub usual: u64,
    pub min: u64,
    pub max: u64,
    /// in the state
    pub offset: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of Parameter"][::core::mem::size_of::<Parameter>() - 48usize];
    ["Alignment of Parameter"][::core::mem::align_of::<Parameter>() - 8usize];
    ["Offset of field: Parameter::name"][::core::mem::offset_of!(Parameter, name) - 0usize];
    ["Offset of field: Parameter::meaning"][::core::mem::offset_of!(Parameter, meaning) - 8usize];
    ["Offset of field: Parameter::usual"][::core::mem::offset_of!(Parameter, usual) - 16usize];
    ["Offset of field: Parameter::min"][::core::mem::offset_of!(Parameter, min) - 24usize];
    ["Offset of field: Parameter::max"][::core::mem::offset_of!(Parameter, max) - 32usize];
    ["Offset of field: Parameter::offset"][::core::mem::offset_of!(Parameter, offset) - 40usize];
};
impl Default for Parameter {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
/// A row of core/registry.h. The state has STATE_BYTES and an alignment of 8.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct Algorithm {
    pub name: *const ::core::ffi::c_char,
    pub summary: *const ::core::ffi::c_char,
    pub variants: *const Variant,
    pub parameters: *const Parameter,
    /// Capabilities
    pub capabilities: u32,
    pub start: ::core::option::Option<
        unsafe extern "C" fn(
            state: *mut ::core::ffi::c_void,
            arg1: *const Start,
            arg2: *mut Decision,
        ),
    >,
    pub ack: ::core::option::Option<
        unsafe extern "C" fn(
            state: *mut ::core::ffi::c_void,
            arg1: *const Ack,
            arg2: *mut Decision,
        ),
    >,
    pub loss: ::core::option::Option<
        unsafe extern "C" fn(
            state: *mut ::core::ffi::c_void,
            arg1: *const Loss,
            arg2: *mut Decision,
        ),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
#[cfg(target_pointer_width = "64")]
const _: () = {
    ["Size of Algorithm"][::core::mem::size_of::<Algorithm>() - 64usize];
    ["Alignment of Algorithm"][::core::mem::align_of::<Algorithm>() - 8usize];
    ["Offset of field: Algorithm::name"][::core::mem::offset_of!(Algorithm, name) - 0usize];
    ["Offset of field: Algorithm::summary"][::core::mem::offset_of!(Algorithm, summary) - 8usize];
    ["Offset of field: Algorithm::variants"]
        [::core::mem::offset_of!(Algorithm, variants) - 16usize];
    ["Offset of field: Algorithm::parameters"]
        [::core::mem::offset_of!(Algorithm, parameters) - 24usize];
    ["Offset of field: Algorithm::capabilities"]
        [::core::mem::offset_of!(Algorithm, capabilities) - 32usize];
    ["Offset of field: Algorithm::start"][::core::mem::offset_of!(Algorithm, start) - 40usize];
    ["Offset of field: Algorithm::ack"][::core::mem::offset_of!(Algorithm, ack) - 48usize];
    ["Offset of field: Algorithm::loss"][::core::mem::offset_of!(Algorithm, loss) - 56usize];
};
impl Default for Algorithm {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub static onramp_algorithms: [Algorithm; 0usize];
}
unsafe extern "C" {
    pub static onramp_algorithm_count: usize;
}
unsafe extern "C" {
    /// core/registry.h
    pub fn onramp_native_phase_name(phase: u32) -> *const ::core::ffi::c_char;
}
unsafe extern "C" {
    pub fn onramp_native_exit_name(exit: u32) -> *const ::core::ffi::c_char;
}
unsafe extern "C" {
    /// core/measure/ack_train.h
    pub fn onramp_native_train_begin(
        train: *mut AckTrain,
        now_ns: u64,
        delivered_bytes: u64,
        flight_bytes: u64,
    );
}
unsafe extern "C" {
    pub fn onramp_native_train_add(
        train: *mut AckTrain,
        now_ns: u64,
        delivered_bytes: u64,
        mss_bytes: u32,
        rtt_ns: u64,
    );
}
unsafe extern "C" {
    pub fn onramp_native_train_bytes_per_s(
        train: *const AckTrain,
        mss_bytes: u32,
        variant: u64,
    ) -> u64;
}
unsafe extern "C" {
    pub fn onramp_native_train_is_line(train: *const AckTrain) -> bool;
}
unsafe extern "C" {
    /// core/measure/receiver_clock.h
    pub fn onramp_native_receiver_clock_begin(clock: *mut ReceiverClock, start: *const Start);
}
unsafe extern "C" {
    pub fn onramp_native_receiver_clock_ns(clock: *mut ReceiverClock, ack: *const Ack) -> u64;
}
unsafe extern "C" {
    pub fn onramp_native_receiver_clock_tick_ns(clock: *const ReceiverClock) -> u64;
}
unsafe extern "C" {
    /// core/measure/eligible_rate.h
    pub fn onramp_native_ere_ack(ere: *mut EligibleRate, ack: *const Ack, variant: u64);
}
unsafe extern "C" {
    pub fn onramp_native_ere_bytes_per_s(ere: *const EligibleRate) -> u64;
}
unsafe extern "C" {
    pub fn onramp_native_ere_sample_bytes_per_s(ere: *const EligibleRate) -> u64;
}
unsafe extern "C" {
    pub fn onramp_native_ere_throughput_bytes_per_s(ere: *const EligibleRate) -> u64;
}
