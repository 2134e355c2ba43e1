//! Compares with a download of 5 MB over the lab's path of 50 Mbit/s and 600 ms, recorded at a
//! receiver with Linux 6.18 and MTU 1500. Its window scale is 10, so windows on the wire are
//! multiples of 1024, rounded up.

use super::*;

const MS_NS: u64 = 1_000_000;
const RTT_NS: u64 = 600 * MS_NS;
const SEGMENT_BYTES: u32 = 1448;

/// A receiver that reads every segment as it arrives.
struct Receiver {
    window: Linux,
    now_ns: u64,
    received: u64,
}

impl Receiver {
    fn new() -> Receiver {
        Receiver {
            window: Linux::new(Tuning::LINUX_6_18, 1460),
            now_ns: RTT_NS,
            received: 0,
        }
    }

    fn segment(&mut self) -> bool {
        self.now_ns += 240_000;
        self.received += 1;
        self.window.rtt(self.now_ns, RTT_NS);
        self.window.set_contents(Contents {
            unread_bytes: u64::from(SEGMENT_BYTES),
            ..Contents::default()
        });
        let grew = self
            .window
            .arrived(self.now_ns, SEGMENT_BYTES, SEGMENT_BYTES, true);
        self.window.set_contents(Contents::default());
        self.window.read(self.now_ns, u64::from(SEGMENT_BYTES));
        grew
    }

    /// Receives the segments of one RTT. Returns how many of them raised the threshold.
    fn round(&mut self, segments: u64) -> usize {
        let start_ns = self.now_ns;
        let grew = (0..segments).filter(|_| self.segment()).count();
        self.now_ns = self.now_ns.max(start_ns + RTT_NS);
        grew
    }

    /// The window in the ACK of a segment, which is sent before the segment is read.
    fn on_the_wire(&self) -> u64 {
        self.window
            .window_bytes(u64::from(SEGMENT_BYTES))
            .next_multiple_of(1024)
    }

    fn admitted(&self) -> u64 {
        self.window.window_bytes(0) / u64::from(SEGMENT_BYTES)
    }
}

#[test]
fn the_syn_advertises_whole_segments() {
    assert_eq!(Linux::new(Tuning::LINUX_6_18, 1460).window_bytes(0), 64_240);
    assert_eq!(Linux::new(Tuning::LINUX_6_18, 1448).window_bytes(0), 65_160);
}

#[test]
fn the_scale_is_that_of_the_largest_buffer() {
    let max_bytes = Linux::new(Tuning::LINUX_6_18, 1460).max_bytes();
    assert_eq!((0..15).find(|shift| max_bytes >> shift <= 65_535), Some(10));
}

/// On the wire: 67584, 70656, 73728, 76800, finally 80896.
#[test]
fn the_threshold_rises_by_two_segments_for_each_up_to_the_clamp() {
    let mut receiver = Receiver::new();
    for window_bytes in [67_584, 70_656, 73_728, 76_800] {
        assert!(receiver.segment());
        assert_eq!(
            receiver.window.window_bytes(0).next_multiple_of(1024),
            window_bytes
        );
    }
    assert_eq!(receiver.round(16), 2);
    assert_eq!(receiver.on_the_wire(), 80_896);
}

/// Points where the window on the wire did not change, with the segments copied in that RTT and in
/// the one before. The recorded RTTs began and ended between flights of 10, 20, 40 ... segments.
#[test]
fn the_buffer_grows_as_recorded() {
    for (before, copied, window_bytes) in [
        (39, 80, 717_824),
        (80, 161, 1_409_024),
        (161, 319, 2_736_128),
        (319, 639, 5_562_368),
    ] {
        let mut receiver = Receiver::new();
        receiver.segment();
        receiver.window.max_copied_bytes = Some(before * u64::from(SEGMENT_BYTES));
        receiver
            .window
            .read(receiver.now_ns + RTT_NS, copied * u64::from(SEGMENT_BYTES));
        receiver.round(2500);
        assert_eq!(
            receiver.on_the_wire(),
            window_bytes,
            "{copied} segments after {before}"
        );
    }
}

/// Flights of the lab's paced sender, whose cwnd was larger: 10, 20, 56, 104, 312, 190 segments.
/// Where an RTT ends within a flight depends on the reader. The threshold limits the next flight in
/// any case.
#[test]
fn a_larger_window_shows_one_rtt_late() {
    let mut receiver = Receiver::new();
    receiver.round(10);
    receiver.round(20);
    // No RTT before these twenty segments copied more than ten, so the clamp is still the first
    // one.
    assert!((55..=56).contains(&receiver.admitted()));
    receiver.round(56);
    // The twenty were measured when the 56 began: 2 * 20 * (1 + 2 * (20 - 10) / 10) segments.
    assert!(
        (104..=120).contains(&receiver.admitted()),
        "{}",
        receiver.admitted()
    );
    receiver.round(104);
    assert!(
        (312..=328).contains(&receiver.admitted()),
        "{}",
        receiver.admitted()
    );
}

#[test]
fn the_threshold_lags_behind_the_buffer() {
    let mut receiver = Receiver::new();
    for flight in [10, 20, 40, 80] {
        receiver.round(flight);
    }
    // As recorded: the window did not change after the 123rd segment of this flight.
    assert!((118..=122).contains(&receiver.round(160)));
}

#[test]
fn unread_data_takes_room() {
    let mut receiver = Receiver::new();
    receiver.round(20);
    assert_eq!(receiver.window.window_bytes(10_000), 71_920);
    assert_eq!(receiver.window.window_bytes(100_000), 0);
    receiver.window.set_contents(Contents {
        unread_bytes: 0,
        out_of_order_bytes: 20_000,
        span_bytes: 30_000,
    });
    assert_eq!(receiver.window.window_bytes(10_000), 51_920);
}

#[test]
fn data_above_a_gap_makes_room_for_itself() {
    let mut receiver = Receiver::new();
    receiver.round(20);
    receiver.window.set_contents(Contents {
        unread_bytes: 0,
        out_of_order_bytes: 290_000,
        span_bytes: 300_000,
    });
    receiver
        .window
        .arrived(receiver.now_ns, SEGMENT_BYTES, SEGMENT_BYTES, false);
    receiver.window.set_contents(Contents::default());
    let clamp_bytes = payload_in(receiver.window.buffer_bytes, receiver.window.share_256);
    assert!(
        (300_000 + 2 * 14_480 - 2..=300_000 + 2 * 14_480).contains(&clamp_bytes),
        "{clamp_bytes}"
    );
}

#[test]
fn a_reader_that_lags_does_not_grow_the_buffer() {
    let mut receiver = Receiver::new();
    receiver.round(20);
    let buffer_bytes = receiver.window.buffer_bytes;
    receiver.window.set_contents(Contents {
        unread_bytes: 60_000,
        ..Contents::default()
    });
    receiver.window.read(receiver.now_ns + RTT_NS, 50_000);
    assert_eq!(receiver.window.buffer_bytes, buffer_bytes);
}

#[test]
fn a_shorter_rtt_counts_immediately() {
    let mut window = Linux::new(Tuning::LINUX_6_18, 1460);
    window.rtt(0, 600 * MS_NS);
    window.rtt(0, 1400 * MS_NS);
    assert_eq!(window.rtt_8_ns / 8, 700 * MS_NS);
    window.rtt(0, 50 * MS_NS);
    assert_eq!(window.rtt_8_ns / 8, 50 * MS_NS);
}

#[test]
fn the_buffer_stops_at_its_maximum() {
    let mut receiver = Receiver::new();
    receiver.segment();
    receiver.window.read(receiver.now_ns + RTT_NS, 1 << 40);
    assert_eq!(receiver.window.buffer_bytes, 33_554_432);
}
