//! A test fixture: the eligible rate by its definition in `core/measure/eligible_rate.h`, in
//! floating point, from all ACKs since the beginning. Rates are in bytes per second, times in
//! nanoseconds.

use onramp_core::{Ack, Train};

const NS_PER_S: f64 = 1e9;

/// The variant of `astart` with this reading of ACKs.
pub fn reading(name: &str) -> u64 {
    Train::named(name).unwrap().bits("astart")
}

/// Every ACK: its time and its bytes.
#[derive(Default)]
pub struct History(Vec<(u64, u64)>);

impl History {
    pub fn push(&mut self, ack: &Ack) {
        self.0.push((ack.now_ns, ack.acked_bytes));
    }

    /// The bytes that were acknowledged after `now_ns - interval_ns`.
    pub fn bytes_in(&self, now_ns: u64, interval_ns: f64) -> f64 {
        let is_in = |&&(at_ns, _): &&(u64, u64)| ((now_ns - at_ns) as f64) < interval_ns;
        self.0
            .iter()
            .rev()
            .take_while(is_in)
            .map(|&(_, bytes)| bytes as f64)
            .sum()
    }
}

/// T_k without its minimum, T_min. The less of cwnd is delivered, the longer it is.
pub fn interval_ns(ack: &Ack, through: f64, rtt_min_ns: f64) -> f64 {
    let (rtt_ns, cwnd) = (ack.srtt_ns as f64, ack.cwnd_bytes as f64);
    rtt_ns * (cwnd - through * rtt_min_ns / NS_PER_S) / cwnd
}

/// The filter behind the samples.
#[derive(Default)]
pub struct Filter {
    variant: u64,
    sample: f64,
    estimate: Option<f64>,
    /// U_k of every sample.
    unstable: Vec<f64>,
}

impl Filter {
    pub fn new(variant: u64) -> Filter {
        Filter {
            variant,
            ..Filter::default()
        }
    }

    /// Returns the estimate after a sample that arrived `apart_ns` after the previous one.
    pub fn next(&mut self, sample: f64, apart_ns: f64, rtt_ns: f64) -> f64 {
        let estimate = self.estimate.map_or(sample, |estimate| {
            self.filtered(estimate, sample, apart_ns, rtt_ns)
        });
        (self.sample, self.estimate) = (sample, Some(estimate));
        estimate
    }

    fn filtered(&mut self, estimate: f64, sample: f64, apart_ns: f64, rtt_ns: f64) -> f64 {
        // In whole bytes per second, as in C: where samples agree, fractions of a byte would
        // determine U_k.
        let unstable =
            0.6 * self.unstable.last().unwrap_or(&0.0) + 0.4 * (sample - self.sample).abs();
        let unstable = (unstable + 1e-6).floor();
        self.unstable.push(unstable);
        let memory = if self.variant & reading("calm") != 0 {
            usize::MAX
        } else {
            10
        };
        let most = self
            .unstable
            .iter()
            .rev()
            .take(memory)
            .fold(0.0f64, |most, &one| most.max(one));
        let tau_ns = rtt_ns
            + if most > 0.0 {
                10.0 * rtt_ns * unstable / most
            } else {
                0.0
            };
        let apart_ns = apart_ns.min(2.0 * tau_ns);
        let sum = if self.variant & reading("latest") != 0 {
            2.0 * sample
        } else {
            sample + self.sample
        };
        ((2.0 * tau_ns - apart_ns) * estimate + apart_ns * sum) / (2.0 * tau_ns + apart_ns)
    }
}

/// ERE of a connection whose ACKs all arrive at different times.
#[derive(Default)]
pub struct ExactRate {
    history: History,
    filter: Filter,
    through: f64,
    rtt_min_ns: Option<u64>,
    last_ns: Option<u64>,
}

impl ExactRate {
    pub fn new(variant: u64) -> ExactRate {
        ExactRate {
            filter: Filter::new(variant),
            ..ExactRate::default()
        }
    }

    /// Takes an ACK and returns the estimate.
    pub fn ack(&mut self, ack: &Ack) -> f64 {
        let rtt_min_ns = self.rtt_min_ns.unwrap_or(ack.rtt_ns).min(ack.rtt_ns);
        let apart_ns = self
            .last_ns
            .map_or(ack.srtt_ns, |last_ns| ack.now_ns - last_ns) as f64;
        (self.rtt_min_ns, self.last_ns) = (Some(rtt_min_ns), Some(ack.now_ns));
        self.history.push(ack);
        let rtt_ns = ack.srtt_ns as f64;
        self.through = 0.6 * self.through
            + 0.4 * self.history.bytes_in(ack.now_ns, rtt_ns) / rtt_ns * NS_PER_S;
        let interval_ns = interval_ns(ack, self.through, rtt_min_ns as f64).max(apart_ns);
        let sample = self.history.bytes_in(ack.now_ns, interval_ns) / interval_ns * NS_PER_S;
        self.filter.next(sample, apart_ns, rtt_ns)
    }
}
