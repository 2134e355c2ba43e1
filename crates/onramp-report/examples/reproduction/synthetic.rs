//! A made-up transfer like that in the paper's Figure 4: slow start, losses, a retransmission
//! timeout, slow start, congestion avoidance. Also made-up ladders.

use onramp_plot::ladder::{Ladder, Rung, RungKind};
use onramp_plot::trace_graph::{kilobytes_sent, TraceGraph};

const SEGMENT: u64 = 1460;
const RTT_S: f64 = 0.06;
const END_S: f64 = 30.0;

/// A window-limited sender on a clean path, with the losses of the paper added by hand.
pub fn tcp_lite() -> TraceGraph {
    let mut graph = TraceGraph {
        timer_checks_s: (0..60)
            .map(|tick| 0.3 + f64::from(tick) * 0.5)
            .take_while(|t| *t < END_S)
            .collect(),
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
                graph
                    .unacked
                    .push((at_s, (before + at * SEGMENT / 2).min(cwnd)));
            }
            if (1.1..1.2).contains(&time_s) || (26.4..26.5).contains(&time_s) {
                graph
                    .retransmissions_s
                    .extend([0.010, 0.014].map(|late| time_s + late));
            }
            let ssthresh = if time_s < 2.8 { u64::MAX } else { 130_000 };
            cwnd = if cwnd < ssthresh {
                (cwnd * 2).min(ssthresh)
            } else {
                cwnd + SEGMENT / 2
            };
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

/// A ladder like Figure 5 of Nishida, Nakamura and Murai: 100 ms of propagation, 40 ms for each
/// segment at the bottleneck; packet pairs at 0.3, 0.54 and 0.78 s, paced segments at 0.58, 0.82,
/// 0.86 and 0.9 s.
pub fn packet_pairs() -> Ladder {
    let data = |from_left, n: u32, sent_s, arrived_s, kind| {
        let pair = if kind == RungKind::Pair {
            format!(", pair {}", 1 + n % 2)
        } else {
            String::new()
        };
        Rung {
            from_left,
            sent_s,
            arrived_s: Some(arrived_s),
            text: format!("segment {n}{pair}"),
            kind,
        }
    };
    let ack = |n: u32, sent_s, kind| {
        let arrived_s = Some(sent_s + 0.1);
        Rung {
            from_left: false,
            sent_s,
            arrived_s,
            text: format!("ACK {n}"),
            kind,
        }
    };
    let rungs = vec![
        data(true, 1, 0.0, 0.14, RungKind::Data),
        ack(1, 0.2, RungKind::DelayedAck),
        data(true, 2, 0.3, 0.44, RungKind::Pair),
        data(true, 3, 0.3, 0.48, RungKind::Pair),
        ack(2, 0.44, RungKind::Ack),
        ack(3, 0.48, RungKind::Ack),
        data(true, 4, 0.54, 0.68, RungKind::Pair),
        data(true, 5, 0.54, 0.72, RungKind::Pair),
        data(true, 6, 0.58, 0.76, RungKind::Paced),
        ack(4, 0.68, RungKind::Ack),
        ack(5, 0.72, RungKind::Ack),
        ack(6, 0.8, RungKind::DelayedAck),
        data(true, 8, 0.78, 0.92, RungKind::Pair),
        data(true, 9, 0.78, 0.96, RungKind::Pair),
        data(true, 10, 0.82, 1.0, RungKind::Paced),
        data(true, 11, 0.86, 1.04, RungKind::Paced),
        data(true, 12, 0.9, 1.08, RungKind::Paced),
        ack(8, 0.92, RungKind::Ack),
        ack(10, 1.0, RungKind::Ack),
        ack(12, 1.08, RungKind::Ack),
    ];
    Ladder {
        left: "sender".to_owned(),
        right: "receiver".to_owned(),
        rungs,
        ..Ladder::default()
    }
}

/// An initial window of ten segments at once over a queue of six, and a segment for each ACK. The
/// labels move apart, some times have several texts, and there are losses.
pub fn burst() -> Ladder {
    let mut rungs = Vec::new();
    for n in 1..=10_u32 {
        let arrived_s = (n <= 6).then_some(0.03 + f64::from(n) * 0.0012);
        rungs.push(Rung {
            from_left: true,
            sent_s: 0.0,
            arrived_s,
            text: format!("segment {n}"),
            kind: RungKind::Data,
        });
        if let Some(arrived_s) = arrived_s {
            let (kind, text) = (RungKind::Ack, format!("ACK {n}"));
            let back_s = arrived_s + 0.03;
            let is_lost = n == 3;
            rungs.push(Rung {
                from_left: false,
                sent_s: arrived_s,
                arrived_s: (!is_lost).then_some(back_s),
                text,
                kind,
            });
            if !is_lost {
                let text = format!("segment {}", n + 10);
                let arrived_s = Some(back_s + 0.03);
                rungs.push(Rung {
                    from_left: true,
                    sent_s: back_s,
                    arrived_s,
                    text,
                    kind: RungKind::Data,
                });
            }
        }
    }
    Ladder {
        left: "server with an initial window of ten".to_owned(),
        right: "client".to_owned(),
        rungs,
        ..Ladder::default()
    }
}
