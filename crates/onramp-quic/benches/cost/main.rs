//! The CPU time of congestion controllers of noq: `onramp` beside noq's CUBIC and BBR, in turn.
//!
//! Each controller sends the same connection over a path of 50 Mbit/s and 100 ms with a queue of
//! 0.6 BDP, without a QUIC library. The time of the path itself, measured with a fixed window, is
//! subtracted. The figures are per packet: one call as it leaves, one as it is acknowledged, the
//! pacer's question, and half an ACK frame.
//!
//! Run: `cargo bench -p onramp-quic --features noq --bench cost`.

mod captured_rtt;

use noq_proto::congestion::{
    Bbr3Config, Controller, ControllerFactory, ControllerMetrics, CubicConfig,
};
use noq_proto::RttEstimator;
use onramp_quic::noq::StartupConfig;
use std::any::Any;
use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PACKET_BYTES: u16 = 1_452;
const RTT: Duration = Duration::from_millis(100);
/// The time of a packet at 50 Mbit/s.
const SPACING: Duration = Duration::from_nanos(232_320);
/// The most that the path carries and its queue holds.
const LIMIT_BYTES: u64 = 1_000_000;
/// 5 MB: `onramp` is in its start-up all the time. 150 MB: hardly.
const PACKETS: [(&str, u64); 2] = [("5 MB", 3_500), ("150 MB", 100_000)];
const ROUNDS: usize = 15;

/// Makes the controller of a new connection.
type Build = Box<dyn Fn() -> Box<dyn Controller>>;

/// A controller that does nothing.
#[derive(Clone, Debug)]
struct Fixed;

impl Controller for Fixed {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: bool, _: u64, _: u64) {}
    fn on_mtu_update(&mut self, _: u16) {}
    fn window(&self) -> u64 {
        600_000
    }
    fn metrics(&self) -> ControllerMetrics {
        ControllerMetrics::default()
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
    fn initial_window(&self) -> u64 {
        self.window()
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl ControllerFactory for Fixed {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Fixed)
    }
}

/// Sends a connection. A frame acknowledges two packets. A full queue drops nothing, but reports a
/// loss. The pacer is asked but not obeyed.
fn send(control: &mut dyn Controller, begin: Instant, packets: u64, rtt: &RttEstimator) {
    let bytes = u64::from(PACKET_BYTES);
    let (mut now, mut link_free) = (begin, begin);
    let mut flight: VecDeque<(Instant, Instant, u64)> = VecDeque::new();
    let (mut next, mut inflight_bytes) = (0, 0);
    while next < packets || !flight.is_empty() {
        while next < packets && inflight_bytes + bytes <= control.window() {
            if inflight_bytes + bytes > LIMIT_BYTES {
                control.on_congestion_event(now, now, false, false, bytes, next);
                break;
            }
            black_box(control.metrics().pacing_rate);
            control.on_packet_sent(now, PACKET_BYTES, next);
            link_free = link_free.max(now) + SPACING;
            flight.push_back((now, link_free + RTT, next));
            inflight_bytes += bytes;
            next += 1;
        }
        if next < packets {
            control.on_cwnd_limited();
        }
        let last = flight.len().min(2) - 1;
        now = flight[last].1;
        for _ in 0..=last {
            let (sent, _, number) = flight.pop_front().expect("it is in flight");
            inflight_bytes -= bytes;
            control.on_ack(now, sent, bytes, number, false, rtt);
        }
        control.on_end_acks(now, inflight_bytes, false, Some(next));
    }
}

/// Nanoseconds per packet, the minimum of all rounds: other work of the machine only adds time.
fn main() {
    let rtt = captured_rtt::capture(RTT);
    let startup = |name| Arc::new(StartupConfig::named(name).expect("a start-up of the registry"));
    let controls: [(&str, Build); 6] = [
        ("path alone", built(Arc::new(Fixed))),
        ("noq's CUBIC", built(Arc::new(CubicConfig::default()))),
        ("noq's BBR", built(Arc::new(Bbr3Config::default()))),
        ("standard", built(startup("standard"))),
        ("hystart", built(startup("hystart"))),
        ("onramp", built(startup("onramp"))),
    ];
    for (size, packets) in PACKETS {
        let mut least_ns = [f64::INFINITY; 6];
        for _ in 0..ROUNDS {
            for ((_, build), least_ns) in controls.iter().zip(&mut least_ns) {
                let begin = Instant::now();
                send(build().as_mut(), begin, packets, &rtt);
                let packet_ns = begin.elapsed().as_nanos() as f64 / packets as f64;
                *least_ns = least_ns.min(packet_ns);
            }
        }
        println!(
            "{size}: ns per packet, without the path's {:.0}",
            least_ns[0]
        );
        for ((name, _), ns) in controls.iter().zip(least_ns).skip(1) {
            println!("  {name:12} {:5.0}", ns - least_ns[0]);
        }
    }
}

fn built<F>(factory: Arc<F>) -> Build
where
    F: ControllerFactory + 'static,
{
    Box::new(move || factory.clone().build(Instant::now(), PACKET_BYTES))
}
