//! The records of `bpf/intf.h`, read out of and written into BPF maps.

use onramp_core::memory::Entry;
use onramp_core::{Ack, Clock, Decision, Loss, Start, STATE_BYTES};
use std::mem::{size_of, MaybeUninit};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

pub(crate) const CONFIG_VERSION: u32 = 11;
pub(crate) const NAME_BYTES: usize = 16;
pub(crate) const CONFIG_MAP: &str = ".rodata.onramp";
pub(crate) const CONNECTIONS_MAP: &str = "onramp_conns";
pub(crate) const PAIRS_MAP: &str = "onramp_pairs";
pub(crate) const EVENTS_MAP: &str = "onramp_events";
pub(crate) const RESERVED_MAP: &str = "onramp_reserved";
pub(crate) const LIMITS_MAP: &str = "onramp_limits";
pub(crate) const USAGE_MAP: &str = "onramp_usage";
pub(crate) const MEMORY_MAP: &str = "onramp_memory";
pub(crate) const LIMIT_LEVELS: usize = 8;

/// A plain record: any bytes are one, and it has no padding that matters.
///
/// # Safety
/// Only for `repr(C)` types made of integers.
pub(crate) unsafe trait Plain: Copy {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < size_of::<Self>() {
            return None;
        }
        let mut record = MaybeUninit::<Self>::uninit();
        // SAFETY: the source is long enough, and any bytes are a value of a plain type.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                record.as_mut_ptr().cast(),
                size_of::<Self>(),
            );
            Some(record.assume_init())
        }
    }

    fn as_bytes(&self) -> &[u8] {
        // SAFETY: a plain type is initialised all over.
        unsafe { std::slice::from_raw_parts((self as *const Self).cast(), size_of::<Self>()) }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Config {
    pub clock: Clock,
    pub memory_lifetime_ns: u64,
    pub owner_start_ticks: u64,
    pub owner_pid: u32,
    pub version: u32,
    pub avoidance: u32,
    pub options: u32,
    pub record: u32,
    pub reserved: u32,
    pub startup: [u8; NAME_BYTES],
    pub congestion_control: [u8; NAME_BYTES],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawEndpoint {
    pub address: [u8; 16],
    pub port: u16,
    pub family: u16,
    pub reserved: u32,
}

impl RawEndpoint {
    pub fn socket_address(&self) -> SocketAddr {
        let [a, b, c, d, ..] = self.address;
        let ip = match i32::from(self.family) {
            nix::libc::AF_INET => IpAddr::from(Ipv4Addr::new(a, b, c, d)),
            _ => IpAddr::from(Ipv6Addr::from(self.address)).to_canonical(),
        };
        SocketAddr::new(ip, self.port)
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawConnection {
    pub state: [u64; STATE_BYTES / 8],
    pub decision: Decision,
    pub id: u64,
    pub start_ns: u64,
    pub exit_ns: u64,
    pub exit_cwnd_bytes: u64,
    pub told_ns: u64,
    pub told_bytes_per_s: u64,
    pub delivered_bytes: u64,
    pub delivered_segments: u32,
    pub prr_delivered: u32,
    pub paced_by_us: u32,
    pub initial_cwnd: u32,
    pub told_phase: u32,
    pub initial_ssthresh: u32,
    pub exit: u32,
    pub held_cwnd: u32,
    pub lost_bytes: u64,
    pub lost_segments: u32,
    pub reserved: u32,
    pub bucket_full_ns: u64,
    pub bucket_now_ns: u64,
    pub bucket_taken_bytes: u64,
    pub memory_kept_ns: u64,
    pub memory_window_bytes: u64,
}

/// What came of the options, as `core/parts/pair_option.h` counts it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawPairCounts {
    pub pairs: u32,
    pub answers: u32,
    pub replies: u32,
    pub malformed: u32,
    pub ignored: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawPairs {
    pub probe: [u64; 10],
    pub meter: [u64; 2],
    pub counts: RawPairCounts,
    pub reply: u64,
    pub report: [u32; 2],
    pub reported_ns: u32,
    pub measured_ns: u32,
    pub is_starting: u8,
    pub due: u8,
    pub has_reply: u8,
    pub ack_now: u8,
    pub has_arrivals: u8,
    pub reserved: [u8; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawSocketNow {
    pub local: RawEndpoint,
    pub remote: RawEndpoint,
    pub now_ns: u64,
    pub pacing_bytes_per_s: u64,
    pub bytes_acked: u64,
    pub tcp_state: u32,
    pub mss_bytes: u32,
    pub cwnd_segments: u32,
    pub ssthresh_segments: u32,
    pub srtt_us: u32,
    pub retransmitted_segments: u32,
    pub network_namespace: u32,
    pub has_pairs: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawSocket {
    pub connection: RawConnection,
    pub pairs: RawPairs,
    pub now: RawSocketNow,
}

pub(crate) const RESERVATION_ASKED: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawReservation {
    pub rate_bytes_per_s: u64,
    pub burst_bytes: u32,
    pub state: u32,
    pub limits: [u64; LIMIT_LEVELS],
    pub previous: [u8; NAME_BYTES],
    pub bucket_full_ns: u64,
    pub excess_bytes: u64,
    pub broken_ns: u64,
    pub breaks: u32,
    pub has_chosen: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawLimit {
    pub bytes_per_s: u64,
    pub outer: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawUsage {
    pub bytes_per_s: u64,
    pub granted: u64,
    pub refused: u64,
    pub broken: u64,
}

/// A path: the sending interface and the destination, by their addresses.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawPath {
    pub network_namespace: u64,
    pub local: [u8; 16],
    pub remote: [u8; 16],
}

/// What is remembered of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawRemembered {
    pub entry: Entry,
    pub network_namespace: u32,
    pub reserved: u32,
}

/// What the programs of TCP_QOS are told.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct QosConfig {
    pub congestion_control: [u8; NAME_BYTES],
    pub asked: RawReservation,
}

pub(crate) const EVENT_START: u32 = 1;
pub(crate) const EVENT_ACK: u32 = 2;
pub(crate) const EVENT_LOSS: u32 = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union RawInput {
    pub start: Start,
    pub ack: Ack,
    pub loss: Loss,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawEvent {
    pub id: u64,
    pub kind: u32,
    pub reserved: u32,
    pub local: RawEndpoint,
    pub remote: RawEndpoint,
    pub input: RawInput,
    pub decision: Decision,
}

// The same numbers stand in bpf/intf.h.
const _: () = assert!(size_of::<Config>() == 88);
const _: () = assert!(size_of::<RawConnection>() == 976);
const _: () = assert!(size_of::<RawPairs>() == 152);
const _: () = assert!(size_of::<RawSocket>() == 1232);
const _: () = assert!(size_of::<RawEvent>() == 224);
const _: () = assert!(size_of::<RawReservation>() == 128);
const _: () = assert!(size_of::<RawLimit>() == 16);
const _: () = assert!(size_of::<RawUsage>() == 32);
const _: () = assert!(size_of::<RawPath>() == 40);
const _: () = assert!(size_of::<RawRemembered>() == 48);

// SAFETY: repr(C), integers only.
unsafe impl Plain for Config {}
// SAFETY: repr(C), integers only.
unsafe impl Plain for QosConfig {}
// SAFETY: repr(C), integers only.
unsafe impl Plain for RawLimit {}
// SAFETY: repr(C), integers only.
unsafe impl Plain for RawUsage {}
// SAFETY: repr(C), integers only.
unsafe impl Plain for RawPath {}
// SAFETY: repr(C), integers only.
unsafe impl Plain for RawRemembered {}
// SAFETY: repr(C), integers only.
unsafe impl Plain for RawSocket {}
// SAFETY: repr(C), integers only; the union's members are too.
unsafe impl Plain for RawEvent {}

/// A name as the kernel keeps it: zero-terminated, at most 15 bytes.
pub(crate) fn name_bytes(name: &str) -> [u8; NAME_BYTES] {
    let mut bytes = [0; NAME_BYTES];
    let length = name.len().min(NAME_BYTES - 1);
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    bytes
}

pub(crate) fn name_text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
