//! What sets a network in motion: flows that start, datagrams that are sent. Each source has its own random numbers.

use super::flow::ENDLESS;
use super::turns::Turns;
use crate::plan::{Datagrams, Interval, Launch, Load};
use crate::random::{seed_of, Element, Stream};

/// A source under way.
pub(super) struct Source {
    /// What it does.
    pub kind: SourceKind,
    /// What it starts has records.
    pub is_measured: bool,
    random: Stream,
    next_ns: Option<u64>,
}

/// What a source does, and how far it is.
pub(super) enum SourceKind {
    /// Starts flows.
    Launch {
        /// How.
        plan: Launch,
        /// Flows that it has started.
        started: u64,
    },
    /// Sends datagrams.
    Datagrams {
        /// How.
        plan: Datagrams,
        /// Number of its flow, once it has sent something.
        flow: Option<u32>,
        /// Datagrams that it has sent.
        sent: u64,
        /// What integers have cut off the last interval, in 1/rate of a nanosecond.
        part: u64,
        /// Where it pauses.
        turns: Option<Turns>,
    },
}

impl Source {
    /// The source with this number.
    pub fn new(load: Load, is_measured: bool, case_seed: u64, number: u32) -> Source {
        let mut random = Stream::new(seed_of(case_seed, Element::Source, number));
        let (kind, start_ns, stop_ns) = match load {
            Load::Launch(plan) => {
                let first_ns = match plan.interval {
                    // Poisson arrivals: the first one, too, comes after a drawn time.
                    Interval::Exponential(_) => plan.start_ns.saturating_add(random.interval(plan.interval)),
                    Interval::Fixed(_) => plan.start_ns,
                };
                let stop_ns = if plan.count == Some(0) { 0 } else { plan.stop_ns };
                (SourceKind::Launch { plan, started: 0 }, first_ns, stop_ns)
            }
            Load::Datagrams(plan) => {
                let (mut start_ns, stop_ns) = (plan.start_ns, plan.stop_ns);
                if plan.poisson {
                    start_ns = start_ns.saturating_add(random.interval(plan.mean_interval()));
                }
                let turns = plan.turns.map(|(on, off)| Turns::new(on, off, start_ns, &mut random));
                (SourceKind::Datagrams { plan, flow: None, sent: 0, part: 0, turns }, start_ns, stop_ns)
            }
        };
        Source { kind, is_measured, random, next_ns: (start_ns < stop_ns).then_some(start_ns) }
    }

    /// When it acts next; `None`: never again, it is exhausted.
    pub fn next_ns(&self) -> Option<u64> {
        self.next_ns
    }

    /// It has acted: a flow was started or a datagram sent at the time that it asked for. Sets the next time.
    pub fn acted(&mut self) {
        let Some(now_ns) = self.next_ns else { return };
        let (next_ns, stop_ns) = match &mut self.kind {
            SourceKind::Launch { plan, started } => {
                *started += 1;
                let stop_ns = if plan.count == Some(*started) { 0 } else { plan.stop_ns };
                (now_ns.saturating_add(self.random.interval(plan.interval)), stop_ns)
            }
            SourceKind::Datagrams { plan, sent, part, turns, .. } => {
                *sent += 1;
                let due_ns = now_ns.saturating_add(match plan.poisson {
                    true => self.random.interval(plan.mean_interval()),
                    false => plan.interval_ns(part),
                });
                let next_ns = turns.as_mut().map_or(due_ns, |turns| turns.delay(due_ns, &mut self.random));
                (next_ns, plan.stop_ns)
            }
        };
        self.next_ns = (next_ns < stop_ns).then_some(next_ns);
    }

    /// The payload of the flow that starts now, or [`ENDLESS`].
    pub fn draw_size(&mut self) -> u64 {
        match &self.kind {
            SourceKind::Launch { plan, .. } if plan.sizes.len() > 1 => {
                plan.sizes[self.random.below(plan.sizes.len() as u32) as usize]
            }
            SourceKind::Launch { plan, .. } => plan.sizes.first().copied().unwrap_or(ENDLESS),
            SourceKind::Datagrams { .. } => ENDLESS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_scenario::Dscp;

    fn moments(load: Load, count: usize) -> Vec<u64> {
        let mut source = Source::new(load, false, 1, 0);
        let mut moments = Vec::new();
        while let Some(next_ns) = source.next_ns().filter(|_| moments.len() < count) {
            moments.push(next_ns);
            source.acted();
        }
        moments
    }

    fn datagrams(rate_bits_per_s: u64, turns: Option<(Interval, Interval)>) -> Load {
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
            turns,
        })
    }

    fn launch(interval: Interval, count: Option<u64>) -> Load {
        Load::Launch(Launch { group: 0, start_ns: 500, interval, count, stop_ns: u64::MAX, sizes: Vec::new() })
    }

    #[test]
    fn a_constant_rate_is_exact_in_the_long_run() {
        // 1500 bytes at 7 Mbit/s are 1,714,285.714... ns.
        let moments = moments(datagrams(7_000_000, None), 7001);
        assert_eq!((moments[0], moments[1], moments[2]), (1000, 1_715_285, 3_429_571));
        assert_eq!(moments[7000], 1000 + 12_000_000_000);
    }

    #[test]
    fn a_poisson_process_has_the_mean_rate_and_the_spread_of_one() {
        let Load::Datagrams(plan) = datagrams(12_000_000, None) else { unreachable!() };
        let moments = moments(Load::Datagrams(Datagrams { poisson: true, ..plan }), 100_001);
        let gaps_ms: Vec<f64> = moments.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        let mean = gaps_ms.iter().sum::<f64>() / 1e5;
        let variance = gaps_ms.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03, "{mean} ms, {variance} ms2");
    }

    #[test]
    fn a_source_that_pauses_sends_evenly_while_it_is_on() {
        let turns = Some((Interval::Fixed(3_000_000), Interval::Fixed(10_000_000)));
        let moments = moments(datagrams(12_000_000, turns), 7);
        let ms = |ms: u64| 1000 + ms * 1_000_000;
        assert_eq!(moments, [ms(0), ms(1), ms(2), ms(13), ms(14), ms(15), ms(26)]);
    }

    #[test]
    fn exponential_turns_send_their_share_of_the_rate() {
        let turns = Some((Interval::Exponential(50_000_000), Interval::Exponential(150_000_000)));
        let moments = moments(datagrams(120_000_000, turns), 200_000);
        // 10,000 packets a second for a quarter of the time.
        let seconds = (moments[199_999] - moments[0]) as f64 / 1e9;
        let rate = 200_000.0 / seconds;
        assert!((2300.0..2700.0).contains(&rate), "{rate}");
    }

    #[test]
    fn arrivals_are_poisson() {
        let moments = moments(launch(Interval::Exponential(1_000_000), None), 200_000);
        let gaps: Vec<f64> = moments.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let longer = gaps.iter().filter(|gap| **gap > 1.0).count() as f64 / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.012, "{mean}");
        // e^-1 of an exponential's draws exceed the mean.
        assert!((longer - 0.3679).abs() < 0.006, "{longer}");
    }

    #[test]
    fn a_launch_ends_with_its_last_flow() {
        assert_eq!(moments(launch(Interval::Fixed(10), Some(3)), 9), [500, 510, 520]);
        assert_eq!(moments(launch(Interval::Fixed(0), Some(2)), 9), [500, 500]);
        assert_eq!(moments(launch(Interval::Fixed(0), Some(0)), 9), []);
    }

    #[test]
    fn a_launch_is_exhausted_when_its_next_flow_would_come_after_its_stop() {
        let with_stop = |interval, count, stop_ns| {
            let Load::Launch(plan) = launch(interval, count) else { unreachable!() };
            moments(Load::Launch(Launch { stop_ns, ..plan }), 1000)
        };
        assert_eq!(with_stop(Interval::Fixed(10), None, 520), [500, 510]);
        assert_eq!(with_stop(Interval::Fixed(10), Some(9), 500), []);
        let arrivals = with_stop(Interval::Exponential(100), Some(1000), 5_500);
        assert!((20..90).contains(&arrivals.len()), "{}", arrivals.len());
    }
}
