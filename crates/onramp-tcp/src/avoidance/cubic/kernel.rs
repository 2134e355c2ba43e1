//! Compares CUBIC and HyStart with the kernel's, on recorded ACKs.

use super::super::path::MSS;
use super::*;
use crate::window::UNLIMITED;

/// The kernel on paths of the lab: after each of the same ACKs, cwnd must be the same to a segment.
/// The traces do not contain the phase of the kernel's jiffies.
#[test]
fn the_windows_are_the_kernels() {
    let traces = [
        include_str!("kernel-10ms.txt"),
        include_str!("kernel-150ms.txt"),
    ];
    for trace in traces {
        let mut replay = Replay::default();
        trace
            .lines()
            .filter(|line| !line.starts_with('#'))
            .for_each(|line| replay.line(line));
        let Replay {
            compared,
            differing,
            ..
        } = replay;
        assert!(
            compared > 1200 && differing < compared / 5,
            "{differing} of {compared} differ by one"
        );
    }
}

#[derive(Default)]
struct Replay {
    /// `None` before the first line.
    sender: Option<(Cubic, Window)>,
    now_us: u64,
    una: u64,
    compared: u32,
    differing: u32,
}

impl Replay {
    fn line(&mut self, line: &str) {
        let numbers: Vec<u64> = line
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        let Some((cubic, window)) = &mut self.sender else {
            self.sender = Some((
                Cubic::default(),
                Window {
                    cwnd_bytes: numbers[0] * MSS,
                    ssthresh_bytes: UNLIMITED,
                    mss_bytes: MSS as u32,
                },
            ));
            return;
        };
        match numbers[..] {
            [gap_us, acked, outstanding, rtt_us, cwnd] => {
                self.now_us += gap_us;
                let ack = AckSample {
                    now_ns: self.now_us * 1000,
                    delivered_bytes: acked * MSS,
                    una: (self.una + acked) * MSS,
                    nxt: (self.una + outstanding) * MSS,
                    rtt_ns: Some(rtt_us * 1000),
                    srtt_ns: rtt_us * 1000,
                    cwnd_limited: true,
                    ..AckSample::default()
                };
                self.una += acked;
                cubic.measure(window, &ack);
                cubic.raise(window, &ack);
                assert!(
                    window.segments().abs_diff(cwnd) <= 1,
                    "{} us: {window:?}, kernel {cwnd}",
                    self.now_us
                );
                self.compared += 1;
                self.differing += u32::from(window.segments() != cwnd);
            }
            [cwnd, ssthresh] if line.starts_with('-') => {
                window.cwnd_bytes = cwnd * MSS;
                window.ssthresh_bytes = cubic.ssthresh(window, self.now_us * 1000, 0);
                assert_eq!(window.ssthresh_bytes / MSS, ssthresh, "{} us", self.now_us);
            }
            [cwnd, gap_us] if line.starts_with('+') => {
                self.now_us += gap_us;
                window.cwnd_bytes = cwnd * MSS;
            }
            _ => panic!("{line}"),
        }
    }
}
