//! The sources of a run, which start flows and send datagrams. Each source has its own random
//! numbers.

use super::on_off::OnOffCycle;
use crate::plan::{Datagrams, Launch, Load};
use onramp_scenario::random::{seed_of, Element, Stream};

/// An active source.
#[derive(Clone)]
pub(super) struct Source {
    /// Its task and state.
    pub kind: SourceKind,
    /// Whether the flows that it starts have records.
    pub is_measured: bool,
}

/// The task of a source and its state.
#[derive(Clone)]
pub(super) enum SourceKind {
    /// Starts flows.
    Launch(Launch),
    /// Sends datagrams.
    Datagrams {
        /// The plan of the datagrams.
        plan: Datagrams,
        /// Number of its flow, once it has sent a datagram.
        flow: Option<u32>,
        /// Number of datagrams sent.
        sent: u64,
        /// Remainder of the last interval, in 1/rate of a nanosecond.
        part: u64,
        /// State of its on and off periods, if it pauses.
        on_off: Option<OnOffCycle>,
        /// Its random numbers.
        random: Stream,
        /// Time of the next datagram.
        next_ns: Option<u64>,
    },
}

impl Source {
    /// Creates the source with this number.
    pub fn new(load: Load, is_measured: bool, case_seed: u64, number: u32) -> Source {
        let kind = match load {
            Load::Launch(plan) => SourceKind::Launch(plan),
            Load::Datagrams(plan) => {
                let mut random = Stream::new(seed_of(case_seed, Element::Source, number));
                let mut start_ns = plan.start_ns;
                if plan.poisson {
                    start_ns = start_ns.saturating_add(random.interval(plan.mean_interval()));
                }
                let on_off = plan
                    .on_off
                    .map(|(on, off)| OnOffCycle::new(on, off, start_ns, &mut random));
                let next_ns = (start_ns < plan.stop_ns).then_some(start_ns);
                SourceKind::Datagrams {
                    plan,
                    flow: None,
                    sent: 0,
                    part: 0,
                    on_off,
                    random,
                    next_ns,
                }
            }
        };
        Source { kind, is_measured }
    }

    /// Time of its next event. `None`: the source is exhausted.
    pub fn next_ns(&self) -> Option<u64> {
        match &self.kind {
            SourceKind::Launch(plan) => plan.arrivals.next_ns(),
            SourceKind::Datagrams { next_ns, .. } => *next_ns,
        }
    }

    /// Counts a sent datagram and sets the time of the next one.
    pub fn advance(&mut self) {
        let SourceKind::Datagrams {
            plan,
            sent,
            part,
            on_off,
            random,
            next_ns,
            ..
        } = &mut self.kind
        else {
            return;
        };
        let Some(now_ns) = *next_ns else { return };
        *sent += 1;
        let due_ns = now_ns.saturating_add(match plan.poisson {
            true => random.interval(plan.mean_interval()),
            false => plan.interval_ns(part),
        });
        let after_ns = on_off
            .as_mut()
            .map_or(due_ns, |on_off| on_off.delay(due_ns, random));
        *next_ns = (after_ns < plan.stop_ns).then_some(after_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_scenario::random::Interval;
    use onramp_scenario::Dscp;

    fn moments(load: Load, count: usize) -> Vec<u64> {
        let mut source = Source::new(load, false, 1, 0);
        let mut moments = Vec::new();
        while let Some(next_ns) = source.next_ns().filter(|_| moments.len() < count) {
            moments.push(next_ns);
            source.advance();
        }
        moments
    }

    fn datagrams(rate_bits_per_s: u64, on_off: Option<(Interval, Interval)>) -> Load {
        let (route, from, to, bottleneck, traffic) = (0, 0, 1, 0, 0);
        let (start_ns, stop_ns, packet_bytes) = (1000, u64::MAX, 1500);
        Load::Datagrams(Datagrams {
            route,
            from,
            to,
            bottleneck,
            traffic,
            start_ns,
            stop_ns,
            rate_bits_per_s,
            packet_bytes,
            dscp: Dscp::BestEffort,
            poisson: false,
            on_off,
        })
    }

    #[test]
    fn a_constant_rate_is_exact_in_the_long_run() {
        // 1500 bytes at 7 Mbit/s are 1,714,285.714... ns.
        let moments = moments(datagrams(7_000_000, None), 7001);
        assert_eq!(
            (moments[0], moments[1], moments[2]),
            (1000, 1_715_285, 3_429_571)
        );
        assert_eq!(moments[7000], 1000 + 12_000_000_000);
    }

    #[test]
    fn a_poisson_source_has_the_mean_and_the_variance_of_a_poisson_process() {
        let Load::Datagrams(plan) = datagrams(12_000_000, None) else {
            unreachable!()
        };
        let moments = moments(
            Load::Datagrams(Datagrams {
                poisson: true,
                ..plan
            }),
            100_001,
        );
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
        let on_off = Some((Interval::Fixed(3_000_000), Interval::Fixed(10_000_000)));
        let moments = moments(datagrams(12_000_000, on_off), 7);
        let ms = |ms: u64| 1000 + ms * 1_000_000;
        assert_eq!(
            moments,
            [ms(0), ms(1), ms(2), ms(13), ms(14), ms(15), ms(26)]
        );
    }

    #[test]
    fn exponential_on_off_periods_give_the_expected_mean_rate() {
        let on_off = Some((
            Interval::Exponential(50_000_000),
            Interval::Exponential(150_000_000),
        ));
        let moments = moments(datagrams(120_000_000, on_off), 200_000);
        // 10,000 packets per second for a quarter of the time.
        let seconds = (moments[199_999] - moments[0]) as f64 / 1e9;
        let rate = 200_000.0 / seconds;
        assert!((2300.0..2700.0).contains(&rate), "{rate}");
    }
}
