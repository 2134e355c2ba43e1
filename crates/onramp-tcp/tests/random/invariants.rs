//! Invariants of an end that has sent all that it can.

use onramp_tcp::{Connection, Flags, State, Transmit};

/// Checks an end that has nothing more to send now.
pub fn check(connection: &Connection, now_ns: u64) {
    if connection.state() == State::Closed {
        return;
    }
    let window = connection.window();
    let stats = connection.stats();
    let (inflight, flight_size) = (connection.inflight_bytes(), connection.flight_size_bytes());
    // A retransmission of a segment that is not marked lost counts beside the original (RFC 6675,
    // section 4, SetPipe).
    assert!(
        inflight <= 2 * flight_size,
        "{inflight} of {flight_size} bytes in flight: {connection:#?}"
    );
    assert!(
        window.cwnd_bytes >= u64::from(window.mss_bytes),
        "cwnd is less than a segment: {connection:#?}"
    );
    assert!(
        window.ssthresh_bytes >= u64::from(window.mss_bytes)
            || connection.config().initial_ssthresh_bytes.is_some()
    );
    assert!(stats.retransmitted_segments <= stats.data_segments_sent);
    assert!(stats.duplicates_received <= stats.segments_received);
    let next = connection.next_timer_ns();
    assert!(
        flight_size == 0 || next.is_some(),
        "data is in flight and no timer runs: {connection:#?}"
    );
    // The longest timeout is that of ns: 2000 s.
    assert!(
        next.is_none_or(|at| at <= now_ns + 2_000_000_000_000),
        "a timer that never expires: {connection:#?}"
    );
}

/// Checks an end that has just sent a segment.
pub fn check_sent(connection: &Connection, transmit: &Transmit) {
    let bytes = u64::from(transmit.segment.payload_bytes);
    let flags = transmit.segment.flags;
    let may_be_marked = match connection.config().avoidance.ect() {
        // RFC 3168, section 6.1: only new data of a connection with ECN may be marked.
        None => connection.has_ecn() && bytes > 0 && !transmit.retransmission,
        // As in Linux, all packets of DCTCP and Prague but resets, and the first SYN, which asks.
        Some(_) if flags.has(Flags::SYN) && !flags.has(Flags::ACK) => {
            transmit.segment.ecn.is_capable()
        }
        Some(_) => connection.has_ecn() && !flags.has(Flags::RST),
    };
    assert_eq!(
        transmit.segment.ecn.is_capable(),
        may_be_marked,
        "{transmit:?} {connection:#?}"
    );
    if bytes == 0 || transmit.retransmission {
        return;
    }
    let edge = connection.acked_bytes() + connection.peer_window_bytes();
    assert!(
        transmit.stream_start + bytes <= edge,
        "outside the peer's window: {transmit:?} {connection:#?}"
    );
    assert!(bytes <= u64::from(connection.window().mss_bytes));
}
