//! The times at which the datagrams of traffic without TCP leave, the same in simulator and lab.

mod on_off;

use crate::model::{Case, Distribution, Packets, TrafficKind};
use crate::random::{seed_of, Element, Interval, Stream};
use on_off::OnOffCycle;
use std::ops::Range;

/// The headers of a datagram: 20 bytes of IPv4 and 8 of UDP.
pub const DATAGRAM_HEADER_BYTES: u32 = 28;

/// The datagrams of one table. Random numbers depend on the case's seed alone.
#[derive(Clone, Debug)]
pub struct Datagrams {
    packets: Packets,
    /// A Poisson process instead of even spaces.
    is_poisson: bool,
    /// The state of the on and off periods, if there are pauses.
    on_off: Option<OnOffCycle>,
    /// No datagram leaves from this time on.
    stop_ns: u64,
    /// The remainder of the last interval, in 1/rate of a nanosecond.
    part: u64,
    random: Stream,
    next_ns: Option<u64>,
}

impl Datagrams {
    /// The datagrams of the case's n-th traffic, counted from 0; `None` if that traffic consists of
    /// transfers.
    pub fn of_traffic(case: &Case, number: u32) -> Option<Datagrams> {
        let traffic = &case.traffic[number as usize];
        // The measured transfer is source 0.
        let random = Stream::new(seed_of(case.seed, Element::Source, number + 1));
        let start_ns = case.traffic_start_ns(traffic);
        let stop_ns = traffic.stop_ns.unwrap_or(u64::MAX);
        Datagrams::new(&traffic.kind, start_ns..stop_ns, random)
    }

    /// The datagrams of traffic of this kind within a time; `None` if it consists of transfers.
    pub fn new(kind: &TrafficKind, span: Range<u64>, mut random: Stream) -> Option<Datagrams> {
        let (packets, on_off) = match kind {
            TrafficKind::Transfers(_) => return None,
            TrafficKind::Constant(packets) | TrafficKind::Poisson(packets) => (*packets, None),
            TrafficKind::OnOff(on_off) => (on_off.on, Some(on_off)),
        };
        let is_poisson = matches!(kind, TrafficKind::Poisson(_));
        let mut start_ns = span.start;
        if is_poisson {
            start_ns = start_ns.saturating_add(random.interval(mean_interval(packets)));
        }
        let on_off = on_off.map(|on_off| {
            let interval = |mean_ns| match on_off.distribution {
                Distribution::Exponential => Interval::Exponential(mean_ns),
                Distribution::Fixed => Interval::Fixed(mean_ns),
            };
            let (on, off) = (interval(on_off.mean_on_ns), interval(on_off.mean_off_ns));
            OnOffCycle::new(on, off, start_ns, &mut random)
        });
        Some(Datagrams {
            packets,
            is_poisson,
            on_off,
            stop_ns: span.end,
            part: 0,
            random,
            next_ns: Some(start_ns).filter(|start_ns| *start_ns < span.end),
        })
    }

    /// Size of each IP packet in bytes.
    pub fn packet_bytes(&self) -> u32 {
        self.packets.packet_bytes
    }

    /// Payload of each packet in bytes.
    pub fn payload_bytes(&self) -> u32 {
        self.packet_bytes().saturating_sub(DATAGRAM_HEADER_BYTES)
    }

    /// Time of the next datagram since the beginning of the run; `None`: there is none.
    pub fn next_ns(&self) -> Option<u64> {
        self.next_ns
    }

    /// Goes on to the datagram after the next one.
    pub fn advance(&mut self) {
        let Some(now_ns) = self.next_ns else { return };
        let due_ns = now_ns.saturating_add(match self.is_poisson {
            true => self.random.interval(mean_interval(self.packets)),
            false => interval_ns(self.packets, &mut self.part),
        });
        let after_ns = match &mut self.on_off {
            Some(on_off) => on_off.delay(due_ns, &mut self.random),
            None => due_ns,
        };
        self.next_ns = Some(after_ns).filter(|after_ns| *after_ns < self.stop_ns);
    }
}

/// Time from one datagram to the next at a constant rate. It is exact in the long run: `part`
/// carries the remainder of the division into the next interval.
fn interval_ns(packets: Packets, part: &mut u64) -> u64 {
    let parts = u128::from(packets.packet_bytes) * 8_000_000_000 + u128::from(*part);
    let rate = u128::from(packets.rate_bits_per_s.max(1));
    *part = (parts % rate) as u64;
    (parts / rate) as u64
}

/// The interval of a Poisson process with the same mean rate.
fn mean_interval(packets: Packets) -> Interval {
    Interval::Exponential(interval_ns(packets, &mut 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::OnOff;

    fn packets(rate_bits_per_s: u64) -> Packets {
        Packets {
            rate_bits_per_s,
            packet_bytes: 1500,
        }
    }

    fn on_off(rate_bits_per_s: u64, on_ms: u64, off_ms: u64, distribution: Distribution) -> OnOff {
        OnOff {
            on: packets(rate_bits_per_s),
            mean_on_ns: on_ms * 1_000_000,
            mean_off_ns: off_ms * 1_000_000,
            distribution,
        }
    }

    fn moments(kind: &TrafficKind, count: usize) -> Vec<u64> {
        let random = Stream::new(seed_of(1, Element::Source, 0));
        let mut datagrams = Datagrams::new(kind, 1000..u64::MAX, random).unwrap();
        let mut moments = Vec::new();
        while let Some(next_ns) = datagrams.next_ns().filter(|_| moments.len() < count) {
            moments.push(next_ns);
            datagrams.advance();
        }
        moments
    }

    #[test]
    fn a_constant_rate_is_exact_in_the_long_run() {
        // 1500 bytes at 7 Mbit/s are 1,714,285.714... ns.
        let moments = moments(&TrafficKind::Constant(packets(7_000_000)), 7001);
        assert_eq!(
            (moments[0], moments[1], moments[2]),
            (1000, 1_715_285, 3_429_571)
        );
        assert_eq!(moments[7000], 1000 + 12_000_000_000);
    }

    #[test]
    fn a_poisson_source_has_the_mean_and_the_variance_of_a_poisson_process() {
        let moments = moments(&TrafficKind::Poisson(packets(12_000_000)), 100_001);
        let gaps_ms: Vec<f64> = moments
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64 / 1e6)
            .collect();
        let mean = gaps_ms.iter().sum::<f64>() / 1e5;
        let variance = gaps_ms.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / 1e5;
        assert!(
            (mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03,
            "{mean} ms, {variance} ms2"
        );
    }

    #[test]
    fn an_on_off_source_sends_evenly_in_its_on_periods() {
        let on_off = on_off(12_000_000, 3, 10, Distribution::Fixed);
        let ms = |ms: u64| 1000 + ms * 1_000_000;
        assert_eq!(
            moments(&TrafficKind::OnOff(on_off), 7),
            [ms(0), ms(1), ms(2), ms(13), ms(14), ms(15), ms(26)]
        );
    }

    #[test]
    fn exponential_on_off_periods_give_the_expected_mean_rate() {
        let on_off = on_off(120_000_000, 50, 150, Distribution::Exponential);
        let moments = moments(&TrafficKind::OnOff(on_off), 200_000);
        // 10,000 packets per second for a quarter of the time.
        let seconds = (moments[199_999] - moments[0]) as f64 / 1e9;
        let rate = 200_000.0 / seconds;
        assert!((2300.0..2700.0).contains(&rate), "{rate}");
    }

    #[test]
    fn datagrams_end_before_their_stop() {
        let random = || Stream::new(1);
        let kind = TrafficKind::Constant(packets(12_000_000));
        let mut datagrams = Datagrams::new(&kind, 5..1_000_006, random()).unwrap();
        assert_eq!(datagrams.next_ns(), Some(5));
        datagrams.advance();
        assert_eq!(datagrams.next_ns(), Some(1_000_005));
        datagrams.advance();
        assert_eq!(datagrams.next_ns(), None);
        assert!(Datagrams::new(&kind, 5..5, random())
            .unwrap()
            .next_ns()
            .is_none());
    }
}
