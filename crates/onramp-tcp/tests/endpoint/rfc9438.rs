//! RFC 9438, CUBIC: cwnd of a connection after a loss.

use crate::pair::{Crossing, End, Pair, DELAY_NS};
use crate::script::plain;
use onramp_tcp::{Avoidance, Config, InitialWindow, ReceiveBuffer, Recovery};

const SECOND_NS: u64 = 1_000_000_000;

/// An unlimited download over a path that loses one segment when a test asks for it.
struct Download {
    pair: Pair,
    loses: bool,
}

impl Download {
    /// Starts in congestion avoidance with this cwnd.
    fn new(segments: u32) -> Download {
        let server = Config {
            avoidance: Avoidance::Cubic,
            initial_window: InitialWindow::Segments(segments),
            initial_ssthresh_bytes: Some(1000 * u64::from(segments)),
            window_scaling: true,
            ..plain(Recovery::Sack)
        };
        let client = Config {
            receive_buffer: ReceiveBuffer::Bytes(4 << 20),
            ..server.clone()
        };
        Download {
            pair: Pair::new(client, server),
            loses: false,
        }
    }

    /// cwnd in segments after `ms` more.
    fn after(&mut self, ms: u64) -> u64 {
        let until_ns = self.pair.now_ns + ms * SECOND_NS / 1000;
        let Download { pair, loses } = self;
        let mut path = |crossing: &Crossing| {
            let is_data =
                crossing.from == End::Server && crossing.transmit.segment.payload_bytes > 0;
            match is_data && std::mem::take(loses) {
                true => vec![],
                false => vec![DELAY_NS],
            }
        };
        pair.until(1000 * SECOND_NS, &mut path, |pair| {
            let now_ns = pair.now_ns;
            if let Some(server) = &mut pair.server {
                server.write(1 << 20);
            }
            pair.client.read(now_ns, u64::MAX);
            now_ns >= until_ns
        });
        self.pair.end(End::Server).window().segments()
    }

    /// Loses one segment and waits for its repair. Returns cwnd before the loss, and ssthresh.
    fn lose(&mut self) -> (u64, u64) {
        let from = self.pair.log.len();
        self.loses = true;
        self.after(350);
        assert!(!self.loses);
        let sent = self.pair.log[from..]
            .iter()
            .filter(|crossing| crossing.from == End::Server);
        let max = sent
            .map(|crossing| crossing.window.segments())
            .max()
            .expect("it sends all the time");
        (
            max,
            self.pair.end(End::Server).window().ssthresh_bytes / 1000,
        )
    }
}

#[test]
fn a_loss_leaves_seven_tenths() {
    let mut download = Download::new(100);
    download.after(300);
    //= RFC 9438 section 4.6: beta_cubic = 0.7
    let (before, ssthresh) = download.lose();
    assert!(
        ssthresh.abs_diff(before * 7 / 10) <= 1,
        "{ssthresh} of {before}"
    );
}

#[test]
fn cwnd_returns_quickly_stays_at_w_max_and_then_grows() {
    let mut download = Download::new(100);
    download.after(300);
    let (w_max, start) = download.lose();
    // K = cbrt (0.3 W_max / C) = 4.4 s.
    let windows: Vec<_> = (0..16).map(|_| download.after(500)).collect();
    let gains: Vec<_> = windows.windows(2).map(|pair| pair[1] - pair[0]).collect();
    //= RFC 9438 section 4.2: concave, flat around W_max, convex
    assert!(windows[0] - start > 5, "{start} {windows:?}");
    assert!(
        (7..10).all(|index| windows[index].abs_diff(w_max) <= 2),
        "{w_max} {windows:?}"
    );
    assert!(
        gains[7] <= 1 && gains[0] > gains[3] && gains[14] > gains[9],
        "{gains:?}"
    );
}

#[test]
fn a_second_loss_below_the_first_one_lowers_the_plateau() {
    let mut download = Download::new(100);
    download.after(300);
    let (w_max, _) = download.lose();
    download.after(1000);
    let (before, _) = download.lose();
    assert!(before < w_max, "{before} of {w_max}");
    // K is now cbrt (0.15 before / C) = 3.4 s. Later, Reno would be above the plateau (section
    // 4.3).
    let plateau = download.after(2500);
    //= RFC 9438 section 4.7: W_max = cwnd * (1 + beta_cubic) / 2
    assert!(
        plateau.abs_diff(before * 17 / 20) <= 2,
        "{plateau} after {before}"
    );
}

#[test]
fn two_losses_of_one_window_reduce_it_once() {
    let mut download = Download::new(100);
    download.after(320);
    download.loses = true;
    download.after(1);
    download.loses = true;
    download.after(400);
    //= RFC 9438 section 4.6, with RFC 6675 section 5
    assert_eq!(download.pair.end(End::Server).stats().recoveries, 1);
    assert!(download.pair.end(End::Server).window().ssthresh_bytes >= 68_000);
}
