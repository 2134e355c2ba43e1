//! The trace graph of Aron and Druschel, after Brakmo and Peterson: everything that a TCP sender
//! did, on one time axis.
//!
//! "TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control" (1998), Appendix A,
//! explains the ten marks. The paper calls a retransmission timeout (RTO) a coarse timeout.
//!
//! | Figure 11, events | mark |
//! |---|---|
//! | 1. an ACK was received | hash marks on the x axis |
//! | 2. a segment was sent | hash marks at the top |
//! | 3. the n-th kilobyte was sent | numbers at the top |
//! | 4. TCP checked for a coarse timeout | diamonds at the top |
//! | 5. a coarse timeout occurred | black circles at the top |
//! | 6. a segment that is retransmitted was sent | solid lines of full height |
//!
//! | Figure 12, windows | line |
//! |---|---|
//! | 1. ssthresh | dashed |
//! | 2. send window | dark grey |
//! | 3. congestion window | light grey |
//! | 4. unacked data | thin |

use crate::svg::axes::Frame;
use crate::svg::marks::{self, Key};
use crate::svg::{lines, shortened, text_width, Anchor, Svg};
use crate::svg::{LEFT, PLOT_WIDTH, RIGHT};
use crate::units::significant;

/// Bytes of a kilobyte, which is decimal: only then is the BDP share of the paper, 155 Mbit/s x
/// 60 ms / 8 senders, equal to its "145KB".
pub const KILOBYTE: u64 = 1000;

const HEIGHT: f64 = 320.0;
const TITLE_HEIGHT: f64 = 22.0;
const LEGEND_ROW: f64 = 18.0;
/// Heights of the rows above the plot: numbers; diamonds and circles; hash marks.
const NUMBERS: f64 = 16.0;
const CHECKS: f64 = 14.0;
const HASH: f64 = 8.0;
/// Minimum distance between two numbers.
const NUMBER_GAP: f64 = 10.0;
/// A rounder number is preferred if it is at most this far to the right, in pixels.
const NUMBER_CHOICE: f64 = 24.0;
/// A send window above this multiple of the used window lies above the plot.
const MAX_USED: f64 = 4.0;

/// The data of the graph. Times are in seconds on one axis, windows in bytes, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceGraph {
    /// The times at which ACKs were received.
    pub acks_s: Vec<f64>,
    /// The times at which segments were sent.
    pub sends_s: Vec<f64>,
    /// The time at which the n-th kilobyte was sent, and n. [`kilobytes_sent`] computes them. The
    /// graph shows as many numbers as there is room for.
    pub kilobytes: Vec<(f64, u64)>,
    /// The times at which TCP checked whether the retransmission timer had expired.
    pub timer_checks_s: Vec<f64>,
    /// The times of retransmission timeouts.
    pub timeouts_s: Vec<f64>,
    /// The times at which segments were sent that are retransmitted later.
    pub retransmissions_s: Vec<f64>,
    /// ssthresh: time and bytes. A value above the plot, such as an infinite one, is drawn along
    /// its upper edge.
    pub ssthresh: Vec<(f64, u64)>,
    /// The minimum of the sender's buffer and the advertised window: time and bytes.
    pub send_window: Vec<(f64, u64)>,
    /// cwnd: time and bytes.
    pub cwnd: Vec<(f64, u64)>,
    /// Data in flight, sent and not acknowledged: time and bytes.
    pub unacked: Vec<(f64, u64)>,
}

/// The time at which each [`KILOBYTE`] was sent, from (time, bytes of the stream sent so far). Of
/// kilobytes that were sent at the same time, only the last one has an entry. Retransmitted bytes
/// count once.
pub fn kilobytes_sent(sent: &[(f64, u64)]) -> Vec<(f64, u64)> {
    let mut kilobytes: Vec<(f64, u64)> = Vec::new();
    for &(time_s, bytes) in sent {
        let n = bytes / KILOBYTE;
        match kilobytes.last_mut() {
            Some(last) if n <= last.1 => {}
            Some(last) if last.0 == time_s => last.1 = n,
            _ if n > 0 => kilobytes.push((time_s, n)),
            _ => {}
        }
    }
    kilobytes
}

/// The graph from `from_s` to `to_s` as an SVG element: 0 to 30 for all of a transfer of 30 s, 0 to
/// 4 for its beginning. If `from_s` is not below `to_s`, the graph shows everything.
///
/// Windows hold their value until the next one. The last value holds until the end of the data.
/// Marks that are less than a pixel apart merge; tooltips have their number.
pub fn trace_graph(title: &str, graph: &TraceGraph, from_s: f64, to_s: f64) -> String {
    let end_s = graph.end_s();
    let is_range = from_s.is_finite() && to_s.is_finite() && from_s < to_s;
    let (from_s, to_s) = if is_range {
        (from_s, to_s)
    } else {
        (0.0, end_s)
    };
    let windows = Windows::new(graph, from_s, to_s, end_s);
    let title_height = if title.is_empty() { 0.0 } else { TITLE_HEIGHT };
    let width = PLOT_WIDTH - LEFT - RIGHT;
    let (events, states) = (event_legend(), state_legend());
    let (event_places, event_height) = marks::legend_places(&events, width);
    let (state_places, state_height) = marks::legend_places(&states, width);
    let numbers_top = title_height + event_height + state_height + 8.0;
    let top = numbers_top + NUMBERS + CHECKS + HASH;
    let frame = Frame::new(
        (LEFT, top),
        width,
        HEIGHT,
        (from_s, to_s),
        (0.0, windows.top_kb),
    );
    let mut svg = Svg::new(PLOT_WIDTH, frame.bottom() + HASH + 42.0, title);
    if !title.is_empty() {
        svg.text(
            "lane",
            (LEFT, 15.0),
            Anchor::Start,
            &shortened(title, width),
        );
    }
    marks::legend(&mut svg, (LEFT, title_height + 2.0), &events, &event_places);
    marks::legend(
        &mut svg,
        (LEFT, title_height + 2.0 + event_height),
        &states,
        &state_places,
    );
    frame.draw_lower(&mut svg, "time (s)", "KB", 1.0, HASH);
    svg.line("axis", (frame.left, frame.top), (frame.right(), frame.top));
    let mut canvas = Canvas { graph, frame, svg };
    canvas.windows(&windows);
    let (top, bottom) = (canvas.frame.top, canvas.frame.bottom());
    canvas.hashes(&graph.acks_s, bottom, "ACK received", "ACKs received");
    canvas.hashes(&graph.sends_s, top - HASH, "segment sent", "segments sent");
    canvas.checks(numbers_top + NUMBERS + CHECKS / 2.0 - 1.0);
    canvas.numbers(numbers_top + NUMBERS);
    canvas.svg.finish()
}

fn event_legend() -> Vec<(Key, String)> {
    let entries = [
        (Key::Upright("hash", HASH), "ACK received (below)"),
        (Key::Upright("hash", HASH), "segment sent (above)"),
        (Key::Number("42"), "n-th KB sent"),
        (Key::Diamond, "timeout check"),
        (Key::Disc, "coarse timeout"),
        (Key::Upright("again", LEGEND_ROW - 3.0), "retransmitted"),
    ];
    entries.map(|(key, text)| (key, text.to_owned())).to_vec()
}

fn state_legend() -> Vec<(Key, String)> {
    let entries = [
        (Key::Line("ssthresh"), "ssthresh"),
        (
            Key::Line("send-window"),
            "send window: sender's buffer or advertised window",
        ),
        (Key::Line("cwnd"), "congestion window"),
        (Key::Line("unacked"), "unacked data"),
    ];
    entries.map(|(key, text)| (key, text.to_owned())).to_vec()
}

impl TraceGraph {
    /// The time of the last event or window.
    fn end_s(&self) -> f64 {
        let TraceGraph {
            acks_s,
            sends_s,
            timer_checks_s,
            timeouts_s,
            retransmissions_s,
            ..
        } = self;
        let marks = [
            acks_s,
            sends_s,
            timer_checks_s,
            timeouts_s,
            retransmissions_s,
        ]
        .into_iter()
        .flatten()
        .copied();
        let TraceGraph {
            kilobytes,
            ssthresh,
            send_window,
            cwnd,
            unacked,
            ..
        } = self;
        let pairs = [kilobytes, ssthresh, send_window, cwnd, unacked]
            .into_iter()
            .flatten()
            .map(|p| p.0);
        marks
            .chain(pairs)
            .filter(|t| t.is_finite())
            .fold(0.0, f64::max)
    }
}

/// The four windows in KB, in order of time, each until the end of the data, and the upper end of
/// the plot.
struct Windows {
    ssthresh: Vec<(f64, f64)>,
    send_window: Vec<(f64, f64)>,
    cwnd: Vec<(f64, f64)>,
    unacked: Vec<(f64, f64)>,
    /// The top of the plot.
    top_kb: f64,
}

impl Windows {
    fn new(graph: &TraceGraph, from_s: f64, to_s: f64, end_s: f64) -> Windows {
        let in_kb = |window: &[(f64, u64)]| {
            let mut points: Vec<(f64, f64)> = window
                .iter()
                .filter(|p| p.0.is_finite())
                .map(|&(t, b)| (t, b as f64 / KILOBYTE as f64))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points.extend(points.last().map(|last| (end_s, last.1)));
            points
        };
        let max = |points: &[(f64, f64)]| {
            // The last value before the range holds at its beginning.
            let first = points.partition_point(|p| p.0 <= from_s).saturating_sub(1);
            points[first..]
                .iter()
                .take_while(|p| p.0 <= to_s)
                .map(|p| p.1)
                .fold(0.0, f64::max)
        };
        let [ssthresh, send_window, cwnd, unacked] = [
            &graph.ssthresh,
            &graph.send_window,
            &graph.cwnd,
            &graph.unacked,
        ]
        .map(|window| in_kb(window));
        let used = max(&cwnd).max(max(&unacked));
        let is_near = |kb: &f64| used == 0.0 || *kb <= used * MAX_USED;
        let shown = used.max(Some(max(&send_window)).filter(is_near).unwrap_or(0.0));
        let ssthresh_kb = ssthresh
            .iter()
            .filter(|p| p.0 <= to_s)
            .map(|p| p.1)
            .filter(|kb| shown == 0.0 || *kb <= shown * 1.5);
        let top_kb = ssthresh_kb.fold(shown, f64::max) * 1.06;
        Windows {
            ssthresh,
            send_window,
            cwnd,
            unacked,
            top_kb,
        }
    }
}

/// A graph whose frame is drawn.
struct Canvas<'a> {
    graph: &'a TraceGraph,
    frame: Frame,
    svg: Svg,
}

impl Canvas<'_> {
    fn windows(&mut self, windows: &Windows) {
        let Frame {
            left,
            top,
            width,
            height,
            ..
        } = self.frame;
        self.svg
            .begin_clip((left - 1.0, top - 1.5), width + 2.0, height + 3.0);
        let again: Vec<f64> = self.visible(&self.graph.retransmissions_s);
        let tooltip = count(&again, "segment retransmitted", "segments retransmitted");
        let again_px = self.pixels(&again).into_iter();
        lines::hashes(&mut self.svg, "again", again_px, top, height, &tooltip);
        self.window("send-window", &windows.send_window, "send window");
        self.window("cwnd", &windows.cwnd, "congestion window");
        self.window("unacked", &windows.unacked, "unacked data");
        self.window("ssthresh", &windows.ssthresh, "ssthresh");
        self.svg.end_clip();
    }

    fn window(&mut self, class: &str, points: &[(f64, f64)], name: &str) {
        let top_kb = self.frame.y.to();
        let pixels: Vec<(f64, f64)> = points
            .iter()
            .map(|&(t, kb)| self.frame.px((t, kb.min(top_kb))))
            .collect();
        let max = points.iter().map(|p| p.1).fold(0.0, f64::max);
        let above = if max > top_kb {
            " (along the upper edge: above this plot)"
        } else {
            ""
        };
        lines::steps(
            &mut self.svg,
            &self.frame,
            &format!("{class} ink"),
            &pixels,
            &format!("{name}{above}"),
        );
    }

    /// Short lines at these times, from `top` down.
    fn hashes(&mut self, times_s: &[f64], top: f64, one: &str, several: &str) {
        let shown = self.visible(times_s);
        let tooltip = count(&shown, one, several);
        let shown_px = self.pixels(&shown).into_iter();
        lines::hashes(&mut self.svg, "hash ink", shown_px, top, HASH, &tooltip);
    }

    /// Timer checks and timeouts, in one row.
    fn checks(&mut self, y: f64) {
        let checks = self.visible(&self.graph.timer_checks_s);
        let diamonds: String = lines::merged(self.pixels(&checks).into_iter())
            .into_iter()
            .map(|x| marks::diamond((x, y)))
            .collect();
        if !diamonds.is_empty() {
            let tooltip = count(
                &checks,
                "check for a coarse timeout",
                "checks for a coarse timeout",
            );
            self.svg.path("check ink", &diamonds, &tooltip);
        }
        let timeouts = self.visible(&self.graph.timeouts_s);
        for x in lines::merged(self.pixels(&timeouts).into_iter()) {
            let nearest = timeouts
                .iter()
                .copied()
                .find(|t| self.frame.x.px(*t) == x)
                .unwrap_or(f64::NAN);
            let tooltip = format!("coarse timeout at {} s", significant(nearest, 4));
            self.svg.circle("disc ink", (x, y), 5.0, &tooltip);
        }
    }

    fn numbers(&mut self, bottom: f64) {
        for (x, n) in chosen(&self.graph.kilobytes, &self.frame) {
            let text = n.to_string();
            self.svg
                .text("tick", (x, bottom - 4.0), Anchor::Middle, &text);
        }
    }

    fn visible(&self, times: &[f64]) -> Vec<f64> {
        let shown = self.frame.x.from()..=self.frame.x.to();
        times
            .iter()
            .copied()
            .filter(|t| shown.contains(t))
            .collect()
    }

    fn pixels(&self, times: &[f64]) -> Vec<f64> {
        times.iter().map(|t| self.frame.x.px(*t)).collect()
    }
}

fn count(times: &[f64], one: &str, many: &str) -> String {
    match times {
        [time] => format!("{one} at {} s", significant(*time, 4)),
        times => format!("{} {many}", times.len()),
    }
}

/// Numbers with enough distance between them, as pixels and n. Of the numbers that could be next,
/// the roundest one is chosen.
fn chosen(kilobytes: &[(f64, u64)], frame: &Frame) -> Vec<(f64, u64)> {
    let mut all: Vec<(f64, u64)> = kilobytes.iter().map(|&(t, n)| (frame.x.px(t), n)).collect();
    all.retain(|(x, _)| (frame.left..=frame.right()).contains(x));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = |n: u64| text_width(&n.to_string()) / 2.0;
    let mut chosen = Vec::new();
    let mut end = 0.0;
    let mut at = 0;
    while at < all.len() {
        let (first, n) = all[at];
        let fits = |(x, n): (f64, u64)| x - half(n) >= end && x + half(n) <= PLOT_WIDTH;
        if !fits((first, n)) {
            at += 1;
            continue;
        }
        let choice = all[at..]
            .iter()
            .take_while(|(x, _)| *x <= first + NUMBER_CHOICE);
        // Of equally round numbers, the first.
        let best = choice
            .enumerate()
            .filter(|(_, p)| fits(**p))
            .max_by_key(|(i, p)| (roundness(p.1), usize::MAX - i));
        let Some((skipped, &(x, n))) = best else {
            break;
        };
        chosen.push((x, n));
        end = x + half(n) + NUMBER_GAP;
        at += skipped + 1;
    }
    chosen
}

/// Twice the number of zeros at the end, plus one if the digit before them is 5 or even.
fn roundness(n: u64) -> u32 {
    if n == 0 {
        return 0;
    }
    let zeros = (0..20)
        .take_while(|z| {
            10u64
                .checked_pow(z + 1)
                .is_some_and(|p| n.is_multiple_of(p))
        })
        .count() as u32;
    let digit = n / 10u64.pow(zeros) % 10;
    zeros * 2 + u32::from(digit == 5 || digit.is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retransmitted_kilobytes_count_once_and_one_time_has_one_entry() {
        let sent = [
            (0.0, 0),
            (0.1, 1500),
            (0.2, 2999),
            (0.2, 4500),
            (0.3, 3000),
            (0.4, 5000),
        ];
        assert_eq!(kilobytes_sent(&sent), [(0.1, 1), (0.2, 4), (0.4, 5)]);
    }

    #[test]
    fn numbers_do_not_overlap_and_round_ones_are_preferred() {
        let frame = Frame::new((0.0, 0.0), 1000.0, 100.0, (0.0, 10.0), (0.0, 1.0));
        let kilobytes: Vec<(f64, u64)> = (1..=1000).map(|n| (n as f64 / 100.0, n)).collect();
        let chosen = chosen(&kilobytes, &frame);
        assert!(chosen.len() > 15, "{chosen:?}");
        assert!(chosen
            .windows(2)
            .all(|pair| pair[1].0 - pair[0].0 > text_width("999")));
        assert!(chosen[1..].iter().all(|(_, n)| n % 10 == 0), "{chosen:?}");
        assert!(roundness(500) > roundness(300) && roundness(10) > roundness(8));
    }

    #[test]
    fn an_infinite_ssthresh_does_not_make_the_windows_flat() {
        let graph = TraceGraph {
            cwnd: vec![(0.0, 1_000), (1.0, 100_000)],
            send_window: vec![(0.0, 300_000)],
            ssthresh: vec![(0.0, u64::MAX), (0.8, 120_000)],
            ..TraceGraph::default()
        };
        assert_eq!(Windows::new(&graph, 0.0, 1.0, 1.0).top_kb, 300.0 * 1.06);
        let far = TraceGraph {
            send_window: vec![(0.0, 64_000_000)],
            ..graph
        };
        assert_eq!(Windows::new(&far, 0.0, 1.0, 1.0).top_kb, 120.0 * 1.06);
    }
}
