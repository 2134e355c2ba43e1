//! One case from beginning to end.

use crate::clock::{now_ns, sleep_until};
use crate::host::{hosts_of, Host};
use crate::layout::Layout;
use crate::link::{CpuLease, LinkPlan, LinkReport, LinkThread, SegmentLogs};
use crate::maker::{control_of, Maker};
use crate::progress::{Measured, Progress};
use crate::result::{self, Observed};
use crate::rivals::{MeasuredRival, Rivals};
use crate::supports::supports;
use crate::work::{Flow, FlowState, OpenSockets, PreparedFlow, Sample, Sampler};
use crate::{resources, ConnectionEvent, Error, Outcome, RunOptions, Startups, Wanted};
use onramp_results::TRAFFIC_RTTS;
use onramp_scenario::{Arrivals, Case, PacketPair};
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// How often the run's progress is looked at.
const WATCH_NS: u64 = 5_000_000;

/// Runs a case on this machine's kernel. Takes as long as the transfer takes, and the competing
/// traffic's lead.
pub fn run(
    case: &Case,
    startups: &mut dyn Startups,
    options: &RunOptions,
) -> Result<Outcome, Error> {
    let room = check(case)?;
    let transfer = &case.transfer;
    let wanted = Wanted {
        startup: &transfer.startup,
        avoidance: transfer.avoidance,
        initial_window: transfer.initial_window,
        memory: transfer.memory,
        packet_pairs: case.sender.packet_pairs,
    };
    let control = control_of(startups, &wanted)?;
    let layout = Layout::of(case);
    let (sender, receiver) = hosts_of(case, &layout)?;
    let (
        Host {
            tun: sender_tun,
            namespace: sender,
        },
        Host {
            tun: receiver_tun,
            namespace: receiver,
        },
    ) = (sender, receiver);
    let pairs = match case.receiver.packet_pair {
        PacketPair::None => None,
        _ => {
            let exchange =
                startups.exchange_pairs(&control, [sender.cookie()?, receiver.cookie()?]);
            exchange.map_err(|source| Error::Startup {
                startup: transfer.startup.clone(),
                source,
            })?
        }
    };
    let lease = CpuLease::take();
    let cpu = lease.as_ref().map(CpuLease::cpu);
    let open = OpenSockets::default();
    let maker = Maker {
        case,
        sender: &sender,
        receiver: &receiver,
        open: &open,
        cpu,
    };
    let copies = (0..transfer.count as usize)
        .map(|copy| maker.copy(&control, layout.copy(copy), pairs.is_some(), startups));
    let copies = copies.collect::<Result<Vec<_>, _>>()?;
    let rivals = Rivals::new(&maker, &layout, room, startups)?;

    let senders = copies
        .iter()
        .enumerate()
        .map(|(copy, flow)| (flow.sender, layout.bottleneck(copy)));
    let senders: Vec<_> = senders.collect();
    let mss_bytes = maker.mss_bytes();
    let logs = options
        .trace
        .then(|| SegmentLogs::new(&senders, transfer.size_bytes, mss_bytes));
    let (wiring, flows) = (layout.wiring(case), copies.len());
    let plan = LinkPlan {
        wiring,
        sender: sender_tun,
        receiver: receiver_tun,
        flows,
        logs,
        cpu,
    };
    let link = LinkThread::start(plan);
    let begin_ns = link.begin_ns;
    let mut running = Running::start(case, copies, rivals, link, options, cpu);
    let watched = running.watch(startups, options);
    let finished = running.finish(&open);
    // A broken link is why everything else failed.
    let (report, samples) = finished?;
    let Watched {
        copies,
        end_ns,
        mut events,
        rivals: (traffic, rivals),
    } = watched?;
    events.extend(startups.take_events());
    let observed = Observed {
        layout: &layout,
        begin_ns,
        end_ns,
        copies,
        traffic,
        rivals,
        events,
        samples,
        report,
    };
    Ok(result::outcome(case, observed, options))
}

/// The flows of a run and who looks after them.
struct Running<'a> {
    case: &'a Case,
    copies: Vec<Flow>,
    rivals: Rivals<'a>,
    sampler: Option<Sampler>,
    link: LinkThread,
    /// When each copy starts.
    starts_ns: Vec<u64>,
}

/// What was seen until the run's end.
struct Watched {
    copies: Vec<Measured>,
    /// Transfers of measured traffic, and those of the other traffic.
    rivals: (Vec<MeasuredRival>, Vec<Arc<FlowState>>),
    /// When the run ended, where that was not its transfers' doing.
    end_ns: Option<u64>,
    events: Vec<ConnectionEvent>,
}

impl<'a> Running<'a> {
    fn start(
        case: &'a Case,
        copies: Vec<PreparedFlow>,
        mut rivals: Rivals<'a>,
        link: LinkThread,
        options: &RunOptions,
        cpu: Option<usize>,
    ) -> Running<'a> {
        rivals.start(link.begin_ns);
        let starts: Vec<u64> = Arrivals::of_transfer(case)
            .map(|copy| copy.start_ns)
            .collect();
        let starts_ns = starts
            .iter()
            .map(|start_ns| link.begin_ns.saturating_add(*start_ns))
            .collect();
        let start = |(flow, start_ns): (PreparedFlow, u64)| flow.start(link.begin_ns, start_ns);
        let copies: Vec<Flow> = copies.into_iter().zip(starts).map(start).collect();
        // As many looks a second as at eight senders, however many there are.
        let interval_ns = (case.path.rtt_ns / 200).max(1_000_000) * copies.len().div_ceil(8) as u64;
        let states = || copies.iter().map(|copy| copy.state.clone()).collect();
        let sampler = options
            .trace
            .then(|| Sampler::start(states(), interval_ns, cpu));
        Running {
            case,
            copies,
            rivals,
            sampler,
            link,
            starts_ns,
        }
    }

    /// Waits for the end of all that is measured or of the run, or for what prevents it.
    fn watch(
        &mut self,
        startups: &mut dyn Startups,
        options: &RunOptions,
    ) -> Result<Watched, Error> {
        let case = self.case;
        let mut events = startups.take_events();
        let patience_ns = (options.patience.as_nanos() as u64).max(20 * case.path.rtt_ns);
        // Nothing arrives while the application has nothing to send.
        let pause_ns = case
            .transfer
            .application
            .map_or(0, |application| application.every_ns);
        let last_start_ns = self.starts_ns.iter().copied().max().unwrap_or(0);
        let traffic_until_ns = case
            .traffic_span()
            .map_or(0, |_| last_start_ns + (TRAFFIC_RTTS + 1) * case.path.rtt_ns);
        let begin_ns = self.link.begin_ns;
        let end_ns = case
            .duration_ns
            .map(|duration_ns| begin_ns.saturating_add(duration_ns));
        let mut progress: Vec<Progress> =
            self.starts_ns.iter().copied().map(Progress::from).collect();
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
            for (copy, progress) in self.copies.iter().zip(&mut progress) {
                progress.look(
                    &copy.state,
                    case.transfer.size_bytes,
                    now,
                    patience_ns.saturating_add(pause_ns),
                )?;
            }
            self.rivals.look(begin_ns, startups, patience_ns)?;
            if progress.iter().all(Progress::is_done)
                && self.rivals.are_done()
                && now >= traffic_until_ns
            {
                break None;
            }
        };
        let last_ns = end_ns.unwrap_or(u64::MAX);
        let copies = self.copies.iter().zip(&progress).zip(&self.starts_ns);
        let finish = |((copy, progress), start_ns): ((&Flow, &Progress), &u64)| {
            progress.finish(copy.state.clone(), *start_ns, last_ns)
        };
        let copies = copies.map(finish).collect();
        Ok(Watched {
            copies,
            rivals: self.rivals.take(begin_ns, last_ns),
            end_ns,
            events,
        })
    }

    /// Ends all threads. The link's report and looks at the senders, or why the link failed.
    fn finish(self, open: &OpenSockets) -> Result<(LinkReport, Vec<Vec<Sample>>), Error> {
        let samples = self.sampler.map(Sampler::finish).unwrap_or_default();
        open.shut_all();
        let mut flows: Vec<Flow> = self
            .copies
            .into_iter()
            .chain(self.rivals.into_flows())
            .collect();
        flows.iter_mut().for_each(Flow::join);
        // Sockets are closed, and their connections reset, when nobody counts packets any more.
        Ok((self.link.finish()?, samples))
    }
}

/// Refuses what a TUN device, the arithmetic or this process cannot carry; a scenario file has been
/// checked more strictly. How many flows there is room for beside those that are certain.
fn check(case: &Case) -> Result<u64, Error> {
    supports(case)?;
    let (path, size) = (&case.path, case.transfer.size_bytes);
    let wrong = |what, found, expected| {
        Err(Error::Case {
            what,
            found,
            expected,
        })
    };
    if !(296..=65_000).contains(&path.mtu_bytes) {
        return wrong("the MTU", path.mtu_bytes.into(), "296 to 65,000 bytes");
    }
    if let Some(bytes) = case
        .transfer
        .segment_bytes
        .filter(|bytes| !(296..=9000).contains(bytes))
    {
        return wrong(
            "the largest segment's packet",
            bytes.into(),
            "296 to 9,000 bytes",
        );
    }
    let links = case
        .network
        .links
        .iter()
        .flat_map(|link| [&link.forward, &link.reverse]);
    for channel in links.chain([&path.forward, &path.reverse]) {
        if !(1_000..=100_000_000_000).contains(&channel.rate_bits_per_s) {
            return wrong(
                "a rate in bit/s",
                channel.rate_bits_per_s,
                "1 kbit/s to 100 Gbit/s",
            );
        }
        if channel.loss_ppm > 1_000_000 {
            return wrong(
                "a loss probability in millionths",
                channel.loss_ppm.into(),
                "at most 1,000,000",
            );
        }
    }
    if size == 0 || size == u64::MAX {
        return wrong("the transfer's size in bytes", size, "1 byte or more");
    }
    resources::check(case)
}
