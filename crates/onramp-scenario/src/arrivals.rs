//! The times at which transfers start, and their sizes, the same in simulator and lab.

use crate::model::{Case, Sizes};
use crate::random::{seed_of, Element, Interval, Stream};

/// The payload of a transfer without end.
pub const ENDLESS: u64 = u64::MAX;

/// The start of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Time of the start, since the beginning of the run.
    pub start_ns: u64,
    /// Payload of the transfer, or [`ENDLESS`].
    pub size_bytes: u64,
}

/// The transfers of one table in order of their starts. Random numbers depend on the case's seed
/// alone.
#[derive(Clone, Debug)]
pub struct Arrivals {
    random: Stream,
    interval: Interval,
    sizes: Sizes,
    count: Option<u64>,
    stop_ns: u64,
    started: u64,
    next_ns: Option<u64>,
}

impl Arrivals {
    /// The copies of the measured transfer.
    pub fn of_transfer(case: &Case) -> Arrivals {
        let transfer = &case.transfer;
        let (interval, count) = (transfer.spacing, Some(transfer.count.into()));
        let sizes = match transfer.sizes {
            Some(sizes) => Sizes::Drawn(sizes),
            None => Sizes::Of([transfer.size_bytes].into()),
        };
        let random = Stream::new(seed_of(case.seed, Element::Source, 0));
        Arrivals::new(
            random,
            case.transfer_start_ns(),
            interval,
            count,
            u64::MAX,
            sizes,
        )
    }

    /// The transfers of the case's n-th traffic, counted from 0; `None` if that traffic does not
    /// consist of transfers.
    pub fn of_traffic(case: &Case, number: u32) -> Option<Arrivals> {
        let traffic = &case.traffic[number as usize];
        let transfers = traffic.transfers()?;
        let interval = match transfers.arrivals {
            Some(arrivals) => Interval::Exponential(arrivals.mean_interval_ns()),
            None => Interval::Fixed(0),
        };
        // The measured transfer is source 0.
        let random = Stream::new(seed_of(case.seed, Element::Source, number + 1));
        let (start_ns, stop_ns) = (
            case.traffic_start_ns(traffic),
            traffic.stop_ns.unwrap_or(u64::MAX),
        );
        let (count, sizes) = (transfers.count.map(u64::from), transfers.sizes.clone());
        Some(Arrivals::new(
            random, start_ns, interval, count, stop_ns, sizes,
        ))
    }

    fn new(
        mut random: Stream,
        start_ns: u64,
        interval: Interval,
        count: Option<u64>,
        stop_ns: u64,
        sizes: Sizes,
    ) -> Arrivals {
        let first_ns = match interval {
            // In a Poisson process the first transfer also comes after a drawn time.
            Interval::Exponential(_) => start_ns.saturating_add(random.interval(interval)),
            Interval::Fixed(_) => start_ns,
        };
        let next_ns = Some(first_ns).filter(|first_ns| *first_ns < stop_ns && count != Some(0));
        Arrivals {
            random,
            interval,
            sizes,
            count,
            stop_ns,
            started: 0,
            next_ns,
        }
    }

    /// Time of the next start; `None` after the last transfer.
    pub fn next_ns(&self) -> Option<u64> {
        self.next_ns
    }

    /// The number of transfers that have started.
    pub fn started(&self) -> u64 {
        self.started
    }

    fn draw_size(&mut self) -> u64 {
        match &self.sizes {
            Sizes::Drawn(sizes) => sizes.quantile_bytes(self.random.unit()),
            Sizes::Of(sizes) => match sizes[..] {
                [] => ENDLESS,
                [size_bytes] => size_bytes,
                _ => sizes[self.random.below(sizes.len() as u32) as usize],
            },
        }
    }
}

impl Iterator for Arrivals {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let start_ns = self.next_ns?;
        let size_bytes = self.draw_size();
        self.started += 1;
        let next_ns = start_ns.saturating_add(self.random.interval(self.interval));
        self.next_ns = Some(next_ns)
            .filter(|next_ns| *next_ns < self.stop_ns && self.count != Some(self.started));
        Some(Arrival {
            start_ns,
            size_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(interval: Interval, count: Option<u64>, stop_ns: u64, sizes: &[u64]) -> Arrivals {
        let sizes = Sizes::Of(sizes.into());
        Arrivals::new(Stream::new(1), 500, interval, count, stop_ns, sizes)
    }

    fn moments(interval: Interval, count: Option<u64>, stop_ns: u64) -> Vec<u64> {
        arrivals(interval, count, stop_ns, &[])
            .map(|arrival| arrival.start_ns)
            .take(200_000)
            .collect()
    }

    #[test]
    fn arrivals_are_poisson() {
        let moments = moments(Interval::Exponential(1_000_000), None, u64::MAX);
        let gaps: Vec<f64> = moments
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64 / 1e6)
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let longer = gaps.iter().filter(|gap| **gap > 1.0).count() as f64 / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.012, "{mean}");
        // A share of 1/e of exponential draws exceeds the mean.
        assert!((longer - 0.3679).abs() < 0.006, "{longer}");
    }

    #[test]
    fn arrivals_end_with_the_last_transfer() {
        assert_eq!(
            moments(Interval::Fixed(10), Some(3), u64::MAX),
            [500, 510, 520]
        );
        assert_eq!(moments(Interval::Fixed(0), Some(2), u64::MAX), [500, 500]);
        assert_eq!(moments(Interval::Fixed(0), Some(0), u64::MAX), []);
    }

    #[test]
    fn arrivals_end_at_the_stop() {
        assert_eq!(moments(Interval::Fixed(10), None, 520), [500, 510]);
        assert_eq!(moments(Interval::Fixed(10), Some(9), 500), []);
        let drawn = moments(Interval::Exponential(100), Some(1000), 5_500);
        assert!((20..90).contains(&drawn.len()), "{}", drawn.len());
    }

    #[test]
    fn sizes_are_drawn_evenly_and_a_single_size_draws_nothing() {
        let fixed = Interval::Fixed(1);
        let drawn: Vec<u64> = arrivals(fixed, Some(3000), u64::MAX, &[10, 20, 30])
            .map(|one| one.size_bytes)
            .collect();
        let count = |bytes| drawn.iter().filter(|drawn| **drawn == bytes).count();
        assert!(
            [10, 20, 30]
                .map(count)
                .iter()
                .all(|count| (900..1100).contains(count)),
            "{:?}",
            [10, 20, 30].map(count)
        );
        let times = |sizes: &[u64]| {
            let arrivals = arrivals(Interval::Exponential(1000), Some(50), u64::MAX, sizes);
            arrivals.map(|arrival| arrival.start_ns).collect::<Vec<_>>()
        };
        assert_eq!(times(&[10]), times(&[]));
    }

    #[test]
    fn each_table_has_its_own_stream_and_packets_have_no_arrivals() {
        let text = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n[[transfer]]\n\
                    size = \"1 B\"\ncount = 3\n\
                    spacing = \"1 s\"\n[[traffic]]\nsize = \"1 kB\"\narrivals = \"2 /s\"\n\
                    [[traffic]]\nsize = \"1 kB\"\n\
                    arrivals = \"2 /s\"\n[[traffic]]\nkind = \"constant\"\nrate = \"1 kbit/s\"\n";
        let case = crate::reader::parse("x.toml", text)
            .unwrap()
            .cases
            .remove(0);
        let starts = |arrivals: Arrivals| {
            arrivals
                .map(|arrival| arrival.start_ns)
                .take(4)
                .collect::<Vec<_>>()
        };
        // Traffic leads by 5 s.
        assert_eq!(
            starts(Arrivals::of_transfer(&case)),
            [5_000_000_000, 6_000_000_000, 7_000_000_000]
        );
        let [first, second] =
            [0, 1].map(|number| starts(Arrivals::of_traffic(&case, number).unwrap()));
        assert_ne!(first, second);
        assert_eq!(first, starts(Arrivals::of_traffic(&case, 0).unwrap()));
        assert!(Arrivals::of_traffic(&case, 2).is_none());
    }
}
