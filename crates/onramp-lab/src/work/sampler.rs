//! Samples the tcp_info of the senders at regular intervals.

use super::state::FlowState;
use super::tcp_info::TcpInfo;
use crate::realtime::pin_away_from;
use onramp_host::{now_ns, sleep_until};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A sample of a sender.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The time, by CLOCK_MONOTONIC.
    pub time_ns: u64,
    /// The kernel's tcp_info.
    pub info: TcpInfo,
}

/// Maximum number of samples of all senders. At the limit every other sample is removed, and the
/// interval doubles.
const MAX_SAMPLES: usize = 100_000;

/// The running sampler.
pub struct Sampler {
    stop: Arc<AtomicBool>,
    handle: JoinHandle<Vec<Vec<Sample>>>,
}

impl Sampler {
    /// Starts sampling. Each sender is sampled from the time it has a connection until its transfer
    /// is complete.
    pub fn start(flows: Vec<Arc<FlowState>>, interval_ns: u64, link_cpu: Option<usize>) -> Sampler {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            pin_away_from(link_cpu);
            sample(&flows, interval_ns, &stopped)
        };
        let handle = std::thread::Builder::new()
            .name("onramp-sampler".into())
            .spawn(work)
            .expect("the system can start a thread");
        Sampler { stop, handle }
    }

    /// Stops sampling, and returns the samples of each flow.
    pub fn finish(self) -> Vec<Vec<Sample>> {
        self.stop.store(true, Ordering::Relaxed);
        self.handle
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn sample(flows: &[Arc<FlowState>], mut interval_ns: u64, stop: &AtomicBool) -> Vec<Vec<Sample>> {
    let max_samples = MAX_SAMPLES / flows.len().max(1);
    let mut samples = vec![Vec::new(); flows.len()];
    let mut next_ns = now_ns();
    while !stop.load(Ordering::Relaxed) {
        for (flow, samples) in flows
            .iter()
            .zip(&mut samples)
            .filter(|(flow, _)| flow.completed_ns() == 0)
        {
            if let Some(info) = flow.traced_sender().and_then(|end| end.traced_info()) {
                samples.push(Sample {
                    time_ns: now_ns(),
                    info,
                });
            }
        }
        if samples.iter().any(|samples| samples.len() >= max_samples) {
            samples.iter_mut().for_each(halve);
            interval_ns *= 2;
        }
        next_ns = (next_ns + interval_ns).max(now_ns());
        sleep_until(next_ns);
    }
    samples
}

/// Removes every other sample.
fn halve(samples: &mut Vec<Sample>) {
    let mut keep = false;
    samples.retain(|_| {
        keep = !keep;
        keep
    });
}
