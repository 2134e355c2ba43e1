//! The interface for QUIC libraries in C: `include/onramp_quic.h`, which documents it.
//!
//! The records have the fields of [`crate::Acked`], [`crate::Congestion`] and [`crate::Settings`].

use crate::{Acked, Cause, Congestion, Owner, Pacing, Sender, Settings};
use onramp_core::UNLIMITED;
use std::ffi::{c_char, CStr};

/// `struct onramp_quic_ack`.
#[repr(C)]
pub struct CAck {
    now_ns: u64,
    newest_sent_ns: u64,
    acked_bytes: u64,
    inflight_bytes: u64,
    srtt_ns: u64,
    rtt_ns: u64,
    receiver_us: u64,
    avoidance_cwnd_bytes: u64,
    is_app_limited: bool,
    is_cwnd_limited: bool,
}

/// `enum onramp_quic_cause`: 0 loss, 1 mark, 2 persistent congestion.
const CAUSES: [Cause; 3] = [Cause::Loss, Cause::Mark, Cause::PersistentCongestion];

/// `struct onramp_quic_congestion`.
#[repr(C)]
pub struct CCongestion {
    now_ns: u64,
    newest_sent_ns: u64,
    inflight_bytes: u64,
    lost_bytes: u64,
    acked_behind_bytes: u64,
    avoidance_cwnd_bytes: u64,
    avoidance_ssthresh_bytes: u64,
    cause: u32,
}

/// `struct onramp_quic_state`.
#[repr(C)]
pub struct CState {
    cwnd_bytes: u64,
    ssthresh_bytes: u64,
    pacing_bytes_per_s: u64,
    estimate_bytes_per_s: u64,
    phase: u32,
    exit: u32,
    startup_owns_cwnd: bool,
    host_paces: bool,
    is_done: bool,
}

/// A sender that has not started; null if the start-up is unknown or does not run over QUIC.
///
/// # Safety
/// `startup` is a string of C.
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_new(
    startup: *const c_char,
    mtu_bytes: u64,
    initial_window_bytes: u64,
) -> *mut Sender {
    // SAFETY: the caller gives a string of C.
    let name = unsafe { CStr::from_ptr(startup) };
    let Ok(mut settings) = Settings::named(&name.to_string_lossy()) else {
        return std::ptr::null_mut();
    };
    settings.initial_window_bytes = Some(initial_window_bytes).filter(|bytes| *bytes > 0);
    match settings.check() {
        Ok(()) => Box::into_raw(Box::new(Sender::new(settings, mtu_bytes))),
        Err(_) => std::ptr::null_mut(),
    }
}

/// Frees a sender. A null pointer is nothing.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`], and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_free(sender: *mut Sender) {
    if !sender.is_null() {
        // SAFETY: the caller gives a pointer of onramp_quic_new().
        drop(unsafe { Box::from_raw(sender) });
    }
}

/// The receiver reports when packets arrived.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_use_receiver_clock(sender: *mut Sender, receiver_us: u64) {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    unsafe { &mut *sender }.use_receiver_clock(receiver_us);
}

/// An earlier connection has measured this BDP.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_remember(
    sender: *mut Sender,
    bdp_bytes: u64,
    min_rtt_ns: u64,
) {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    unsafe { &mut *sender }.remember(bdp_bytes, min_rtt_ns);
}

/// Starts the start-up.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_start(sender: *mut Sender, now_ns: u64, srtt_ns: u64) {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    unsafe { &mut *sender }.start(now_ns, known(srtt_ns));
}

/// The size of a full datagram has changed.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_set_mtu(sender: *mut Sender, mtu_bytes: u64) {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    unsafe { &mut *sender }.set_mtu_at_once(mtu_bytes);
}

/// Reports an ACK frame.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`], and `ack` is valid.
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_on_ack(sender: *mut Sender, ack: *const CAck) {
    // SAFETY: the caller gives a pointer of onramp_quic_new(), and a record.
    let (sender, ack) = unsafe { (&mut *sender, &*ack) };
    follow(sender, ack.avoidance_cwnd_bytes);
    sender.on_ack(&Acked {
        now_ns: ack.now_ns,
        newest_sent_ns: ack.newest_sent_ns,
        bytes: ack.acked_bytes,
        inflight_bytes: ack.inflight_bytes,
        srtt_ns: ack.srtt_ns,
        rtt_ns: known(ack.rtt_ns),
        receiver_us: known(ack.receiver_us),
        is_app_limited: ack.is_app_limited,
        is_cwnd_limited: ack.is_cwnd_limited,
    });
}

/// Counts lost packets. A congestion event may follow.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_count_lost(sender: *mut Sender, bytes: u64) {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    unsafe { &mut *sender }.count_lost(bytes);
}

/// Reports a congestion event. False: it is part of a recovery, and nothing has happened.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`], and `event` is valid.
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_on_congestion(
    sender: *mut Sender,
    event: *const CCongestion,
) -> bool {
    // SAFETY: the caller gives a pointer of onramp_quic_new(), and a record.
    let (sender, event) = unsafe { (&mut *sender, &*event) };
    let Some(cause) = CAUSES.get(event.cause as usize).copied() else {
        return false;
    };
    if sender.is_of_recovery(event.newest_sent_ns) && cause != Cause::PersistentCongestion {
        return false;
    }
    follow(sender, event.avoidance_cwnd_bytes);
    sender.set_inflight(event.inflight_bytes);
    sender.on_congestion(&Congestion {
        now_ns: event.now_ns,
        newest_sent_ns: event.newest_sent_ns,
        lost_bytes: event.lost_bytes,
        acked_behind_bytes: event.acked_behind_bytes,
        avoidance_ssthresh_bytes: event.avoidance_ssthresh_bytes,
        cause,
    });
    true
}

/// All packets of the last congestion event have arrived after all.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_on_spurious_congestion(sender: *mut Sender) {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    unsafe { &mut *sender }.on_spurious_congestion();
}

/// What is in force.
///
/// # Safety
/// `sender` comes from [`onramp_quic_new`].
#[no_mangle]
pub unsafe extern "C" fn onramp_quic_state(sender: *const Sender) -> CState {
    // SAFETY: the caller gives a pointer of onramp_quic_new().
    let sender = unsafe { &*sender };
    let decision = sender.record().copied().unwrap_or_default();
    let pacing = sender.pacing();
    CState {
        cwnd_bytes: sender.cwnd_bytes(),
        ssthresh_bytes: sender.recorded_ssthresh_bytes(),
        pacing_bytes_per_s: match pacing {
            Pacing::BytesPerS(rate) => rate,
            Pacing::None | Pacing::Host => UNLIMITED,
        },
        estimate_bytes_per_s: decision.estimate_bytes_per_s,
        phase: decision.phase,
        exit: decision.exit,
        startup_owns_cwnd: sender.owner() == Owner::Startup,
        host_paces: pacing == Pacing::Host,
        is_done: sender.is_done(),
    }
}

/// In C, 0 stands for a time that is unknown.
fn known(time: u64) -> Option<u64> {
    Some(time).filter(|time| *time > 0)
}

/// Where congestion avoidance owns cwnd, the sender knows its cwnd.
fn follow(sender: &mut Sender, avoidance_cwnd_bytes: u64) {
    if sender.owner() == Owner::Avoidance {
        sender.follow_avoidance(avoidance_cwnd_bytes);
    }
}
