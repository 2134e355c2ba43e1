//! Retransmission timers: what a measured round trip means, and when to give up waiting.
//!
//! An estimator owns its clocks: it is told exact times and quantises them as its host would.

/// A retransmission timer's estimator.
pub trait Rto: std::fmt::Debug + Send {
    /// A segment that was sent at `sent_ns` was acknowledged at `now_ns`; it had been sent once only (Karn).
    fn sample(&mut self, sent_ns: u64, now_ns: u64);

    /// Whether it wants a sample of every acknowledgement; otherwise one segment is timed at a time.
    fn wants_every_ack(&self) -> bool {
        true
    }

    /// When a timer that is started now expires, with the backoff that is in force.
    fn deadline_ns(&self, now_ns: u64) -> u64;

    /// The timeout in force, backoff included, without the clock's quantisation.
    fn timeout_ns(&self) -> u64;

    /// The timer expired: double the timeout, up to the estimator's bound.
    fn back_off(&mut self);

    /// New data was acknowledged: no backoff any more. (4.4BSD waits for the next sample instead.)
    fn acknowledged(&mut self);

    /// Smoothed round-trip time; 0 before the first sample.
    fn srtt_ns(&self) -> u64;

    /// Mean deviation of round-trip times; 0 before the first sample.
    fn rttvar_ns(&self) -> u64;
}
