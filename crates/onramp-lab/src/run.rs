//! The run of a case, from beginning to end.

use crate::competing::{CompetingFlows, MeasuredCompetitor};
use crate::error::Error;
use crate::host::{hosts_of, Host};
use crate::layout::Layout;
use crate::limits;
use crate::link::{LinkPlan, LinkReport, LinkThread, SegmentLogs};
use crate::maker::{control_of, note_ns, Maker};
use crate::options::{Outcome, RunOptions};
use crate::progress::{Measured, Progress};
use crate::realtime::CpuLease;
use crate::result::{self, Observed};
use crate::startups::{ConnectionEvent, Startups, Wanted};
use crate::work::{Flow, FlowState, OpenSockets, PreparedFlow, Sample, Sampler};
use onramp_host::{now_ns, sleep_until, Namespace};
use onramp_hq::Paths;
use onramp_results::TRAFFIC_RTTS;
use onramp_scenario::{Application, Arrival, Arrivals, Case, PacketPair, Transport};
use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// Interval at which the progress of the run is checked.
const WATCH_NS: u64 = 5_000_000;

/// Runs a case on this machine's kernel. This takes as long as the transfer, plus the lead of the
/// competing traffic.
///
/// # Errors
/// The host lacks something, the lab does not support the case, or the transfer failed. The message
/// says what to do.
pub fn run(
    case: &Case,
    startups: &mut dyn Startups,
    options: &RunOptions,
) -> Result<Outcome, Error> {
    let room = limits::check(case)?;
    let control = match case.transfer.transport {
        Transport::Tcp => control_of(startups, &wanted(case))?,
        Transport::Quic => String::new(), // its congestion control is in its library
    };
    let layout = Layout::of(case);
    let (sender, receiver) = hosts_of(case, &layout)?;
    let Host {
        tun: sender_tun,
        namespace: sender,
    } = sender;
    let Host {
        tun: receiver_tun,
        namespace: receiver,
    } = receiver;
    let pairs = exchange_pairs(case, startups, &control, [&sender, &receiver])?;
    let lease = CpuLease::take();
    let cpu = lease.as_ref().map(CpuLease::cpu);
    let open = OpenSockets::default();
    let maker = Maker {
        case,
        sender: &sender,
        receiver: &receiver,
        open: &open,
        trace: options.trace,
        cpu,
        paths: Paths::new(),
    };
    let arrivals: Vec<Arrival> = Arrivals::of_transfer(case).collect();
    let with = (control.as_str(), pairs.is_some());
    let copies = prepared(&maker, &layout, &arrivals, with, startups)?;
    let competing = CompetingFlows::new(&maker, &layout, room, startups)?;
    let wiring = layout.wiring(case);
    let datagrams: Vec<Arc<FlowState>> = wiring.sources.iter().map(|_| Arc::default()).collect();
    let link = LinkThread::start(LinkPlan {
        wiring,
        datagrams: datagrams.clone(),
        note_ns: note_ns(case),
        sender: sender_tun,
        receiver: receiver_tun,
        flows: copies.len(),
        logs: segment_logs(&maker, &layout, (&copies, &arrivals), options),
        cpu,
    });
    let begin_ns = link.begin_ns;
    let mut running = Running::start(case, (copies, arrivals), competing, link, options, cpu);
    let watched = running.watch(startups, options);
    // If the link has failed, everything else failed because of it: its error comes first.
    let (report, samples) = running.finish(&open)?;
    let Watched {
        copies,
        end_ns,
        mut events,
        competing: (traffic, mut competing),
    } = watched?;
    competing.extend(datagrams);
    events.extend(startups.take_events());
    let observed = Observed {
        layout: &layout,
        begin_ns,
        end_ns,
        copies,
        traffic,
        competing,
        events,
        samples,
        report,
    };
    Ok(result::outcome(case, observed, options))
}

/// Prepares the copies of the transfer with this congestion control. Their receivers may answer
/// packet pairs with it.
fn prepared(
    maker: &Maker<'_>,
    layout: &Layout,
    arrivals: &[Arrival],
    (control, exchanges_pairs): (&str, bool),
    startups: &mut dyn Startups,
) -> Result<Vec<PreparedFlow>, Error> {
    let copies = arrivals.iter().enumerate().map(|(copy, arrival)| {
        let hops = (layout.hops(copy), layout.bottleneck_hop(copy));
        let numbered = (copy as u64, arrival.size_bytes);
        maker.copy(numbered, control, hops, exchanges_pairs, startups)
    });
    copies.collect()
}

fn wanted(case: &Case) -> Wanted<'_> {
    let transfer = &case.transfer;
    Wanted {
        startup: &transfer.startup,
        parameters: transfer.given.parameters,
        avoidance: transfer.avoidance,
        initial_window: transfer.initial_window,
        initial_rate: transfer.given.initial_rate,
        memory: transfer.memory,
        packet_pairs: case.sender.packet_pairs,
    }
}

/// Lets the hosts exchange packet pairs, if the receiver of the case answers them. The exchange
/// ends when the returned value is dropped.
fn exchange_pairs(
    case: &Case,
    startups: &mut dyn Startups,
    control: &str,
    [sender, receiver]: [&Namespace; 2],
) -> Result<Option<Box<dyn Any>>, Error> {
    if case.receiver.packet_pair == PacketPair::None {
        return Ok(None);
    }
    let exchange = startups.exchange_pairs(control, [sender.cookie()?, receiver.cookie()?]);
    exchange.map_err(|source| Error::Startup {
        startup: case.transfer.startup.clone(),
        source,
    })
}

/// Logs of the copies' segments, if the caller wants traces.
fn segment_logs(
    maker: &Maker<'_>,
    layout: &Layout,
    (copies, arrivals): (&[PreparedFlow], &[Arrival]),
    options: &RunOptions,
) -> Option<SegmentLogs> {
    let senders: Vec<_> = copies
        .iter()
        .enumerate()
        .map(|(copy, flow)| (flow.traced_sender(), layout.bottleneck(copy)))
        .collect();
    let sizes_bytes = arrivals.iter().map(|arrival| arrival.size_bytes);
    let max_bytes = sizes_bytes.max().unwrap_or(0);
    options
        .trace
        .then(|| SegmentLogs::new(&senders, max_bytes, maker.mss_bytes()))
}

/// The flows of a run, and the threads that observe them.
struct Running<'a> {
    case: &'a Case,
    copies: Vec<Flow>,
    competing: CompetingFlows<'a>,
    sampler: Option<Sampler>,
    link: LinkThread,
    /// The start of each copy by CLOCK_MONOTONIC, and its size.
    arrivals: Vec<Arrival>,
}

/// The measurements until the end of the run.
struct Watched {
    copies: Vec<Measured>,
    /// The transfers of measured traffic, and those of the other traffic.
    competing: (Vec<MeasuredCompetitor>, Vec<Arc<FlowState>>),
    /// When the run ended, if the case limits its duration; `None` if all transfers completed
    /// before.
    end_ns: Option<u64>,
    events: Vec<ConnectionEvent>,
}

impl<'a> Running<'a> {
    fn start(
        case: &'a Case,
        (copies, planned): (Vec<PreparedFlow>, Vec<Arrival>),
        mut competing: CompetingFlows<'a>,
        link: LinkThread,
        options: &RunOptions,
        cpu: Option<usize>,
    ) -> Running<'a> {
        competing.start(link.begin_ns);
        let arrivals = planned.iter().map(|copy| Arrival {
            start_ns: link.begin_ns.saturating_add(copy.start_ns),
            ..*copy
        });
        let arrivals = arrivals.collect();
        let start =
            |(flow, copy): (PreparedFlow, &Arrival)| flow.start(link.begin_ns, copy.start_ns);
        let copies: Vec<Flow> = copies.into_iter().zip(&planned).map(start).collect();
        // The number of samples per second is at most that of eight senders.
        let interval_ns = (case.path.rtt_ns / 200).max(1_000_000) * copies.len().div_ceil(8) as u64;
        let states = || copies.iter().map(|copy| copy.state.clone()).collect();
        let sampler = options
            .trace
            .then(|| Sampler::start(states(), interval_ns, cpu));
        Running {
            case,
            copies,
            competing,
            sampler,
            link,
            arrivals,
        }
    }

    /// Waits until all measured flows are complete, the run ends, or an error occurs.
    fn watch(
        &mut self,
        startups: &mut dyn Startups,
        options: &RunOptions,
    ) -> Result<Watched, Error> {
        let case = self.case;
        let mut events = startups.take_events();
        let patience_ns = (options.patience.as_nanos() as u64).max(20 * case.path.rtt_ns);
        // No data arrives while the application has nothing to send.
        let pause_ns = case
            .transfer
            .application
            .as_ref()
            .map_or(0, Application::max_pause_ns);
        let starts_ns = || self.arrivals.iter().map(|copy| copy.start_ns);
        let last_start_ns = starts_ns().max().unwrap_or(0);
        let traffic_until_ns = case
            .traffic_span()
            .map_or(0, |_| last_start_ns + (TRAFFIC_RTTS + 1) * case.path.rtt_ns);
        let begin_ns = self.link.begin_ns;
        let end_ns = case
            .duration_ns
            .map(|duration_ns| begin_ns.saturating_add(duration_ns));
        let mut progress: Vec<Progress> = starts_ns().map(Progress::from).collect();
        let end_ns = loop {
            let next_ns = now_ns() + WATCH_NS;
            sleep_until(end_ns.map_or(next_ns, |end_ns| next_ns.min(end_ns)));
            if let Some(end_ns) = end_ns.filter(|end_ns| *end_ns <= now_ns()) {
                break Some(end_ns);
            }
            if options.stop.load(Ordering::Relaxed) || self.link.has_failed() {
                return Err(Error::Stopped);
            }
            if let Some(error) = self.copies.iter_mut().find_map(Flow::take_error) {
                return Err(error);
            }
            events.extend(startups.take_events());
            let now = now_ns();
            let copies = self.copies.iter().zip(&self.arrivals);
            for ((copy, arrival), progress) in copies.zip(&mut progress) {
                progress.check(
                    &copy.state,
                    arrival.size_bytes,
                    now,
                    patience_ns.saturating_add(pause_ns),
                )?;
            }
            self.competing.check(begin_ns, startups, patience_ns)?;
            if progress.iter().all(Progress::is_done)
                && self.competing.are_done()
                && now >= traffic_until_ns
            {
                break None;
            }
        };
        let last_ns = end_ns.unwrap_or(u64::MAX);
        let copies = self.copies.iter().zip(&progress).zip(&self.arrivals);
        let finish = |((copy, progress), arrival): ((&Flow, &Progress), &Arrival)| {
            progress.finish(copy.state.clone(), *arrival, last_ns)
        };
        let copies = copies.map(finish).collect();
        Ok(Watched {
            copies,
            competing: self.competing.take(begin_ns, last_ns),
            end_ns,
            events,
        })
    }

    /// Ends all threads. Returns the report of the link and the samples of the senders, or the
    /// error of the link.
    fn finish(self, open: &OpenSockets) -> Result<(LinkReport, Vec<Vec<Sample>>), Error> {
        let samples = self.sampler.map(Sampler::finish).unwrap_or_default();
        open.shut_all();
        let mut flows: Vec<Flow> = self
            .copies
            .into_iter()
            .chain(self.competing.into_flows())
            .collect();
        flows.iter_mut().for_each(Flow::join);
        // The link has stopped counting packets before the sockets close, which resets their
        // connections.
        Ok((self.link.finish()?, samples))
    }
}
