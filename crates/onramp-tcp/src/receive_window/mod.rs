//! What window a receiver offers.

/// The receive side's buffer. Sizes are bytes of payload.
pub trait ReceiveWindow: std::fmt::Debug + Send {
    /// A segment was taken into the buffer, in order or beyond a gap.
    fn arrived(&mut self, now_ns: u64, payload_bytes: u32, mss_bytes: u32, in_order: bool) {
        let _ = (now_ns, payload_bytes, mss_bytes, in_order);
    }

    /// The application took bytes out.
    fn read(&mut self, now_ns: u64, bytes: u64) {
        let _ = (now_ns, bytes);
    }

    /// The receiver's own measurement of the round trip, from echoed timestamps or from how long it takes to
    /// receive a window.
    fn rtt(&mut self, now_ns: u64, rtt_ns: u64) {
        let _ = (now_ns, rtt_ns);
    }

    /// The window to offer beyond what has been received in order, when so much waits to be read. The connection
    /// sees to it that a right edge once offered is not taken back, that the field's 16 bits and the scale are
    /// honoured, and that silly windows are avoided.
    fn window_bytes(&self, waiting_bytes: u64) -> u64;

    /// The largest window that it may ever offer, from which the window scale is chosen.
    fn most_bytes(&self) -> u64;
}
