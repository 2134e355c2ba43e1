//! A transfer like the paper's Figure 4: slow start, losses, a coarse timeout, slow start, avoidance.

use onramp_report::trace_graph::{kilobytes_sent, TraceGraph};

const SEGMENT: u64 = 1460;
const RTT_S: f64 = 0.06;
const END_S: f64 = 30.0;

/// What a window-limited sender on a clean path would do, with the paper's losses put in by hand.
pub fn tcp_lite() -> TraceGraph {
    let mut graph = TraceGraph {
        timer_checks_s: (0..60).map(|tick| 0.3 + f64::from(tick) * 0.5).take_while(|t| *t < END_S).collect(),
        timeouts_s: vec![2.8],
        send_window: vec![(0.0, 0), (RTT_S, 512 * 1024)],
        ssthresh: vec![(0.0, u64::MAX), (2.8, 130_000), (26.5, 105_000)],
        ..TraceGraph::default()
    };
    let (mut cwnd, mut sent, mut sent_by_time) = (SEGMENT, 0, Vec::new());
    let mut time_s = RTT_S;
    while time_s < END_S {
        let is_idle = (1.2..2.8).contains(&time_s);
        if !is_idle {
            let segments = cwnd / SEGMENT;
            for at in 0..segments {
                // Spread over most of the round trip, each ACK one round trip later.
                let at_s = time_s + at as f64 / segments as f64 * RTT_S * 0.8;
                sent += SEGMENT;
                graph.sends_s.push(at_s);
                graph.acks_s.push(at_s + RTT_S);
                sent_by_time.push((at_s, sent));
                graph.cwnd.push((at_s, cwnd + at * SEGMENT / segments));
                let before = cwnd / 2 + (at * 7919 % 5) * SEGMENT;
                graph.unacked.push((at_s, (before + at * SEGMENT / 2).min(cwnd)));
            }
            if (1.1..1.2).contains(&time_s) || (26.4..26.5).contains(&time_s) {
                graph.retransmissions_s.extend([0.010, 0.014].map(|late| time_s + late));
            }
            let threshold = if time_s < 2.8 { u64::MAX } else { 130_000 };
            cwnd = if cwnd < threshold { (cwnd * 2).min(threshold) } else { cwnd + SEGMENT / 2 };
            cwnd = cwnd.min(420_000);
        }
        time_s += RTT_S;
        if (2.8..2.8 + RTT_S).contains(&time_s) {
            cwnd = SEGMENT;
            graph.cwnd.push((time_s, cwnd));
            graph.unacked.push((time_s, 0));
        }
        if (26.5..26.5 + RTT_S).contains(&time_s) {
            cwnd /= 2;
        }
    }
    graph.kilobytes = kilobytes_sent(&sent_by_time);
    graph
}
