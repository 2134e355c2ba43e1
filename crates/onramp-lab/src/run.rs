//! One case from beginning to end.

use crate::clock::{now_ns, sleep_until};
use crate::host::{hosts_of, Host};
use crate::layout::{Ends, Layout};
use crate::link::{CpuLease, LinkPlan, LinkReport, LinkThread, SegmentLogs};
use crate::result::{self, Measured, Observed};
use crate::supports::{rival, supports};
use crate::work::{Flow, FlowState, OpenSockets, Plan, PreparedFlow, Role, Sample, Sampler, TcpInfo};
use crate::{resources, ConnectionEvent, Error, Outcome, RunOptions, Startups};
use onramp_scenario::{Avoidance, Buffer, Case, Given, InitialWindow, PacketPair, HEADER_BYTES, TRAFFIC_RTTS};
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// How often the run's progress is looked at.
const WATCH_NS: u64 = 5_000_000;

/// Runs a case on this machine's kernel. Takes as long as the transfer takes, and the competing traffic's lead.
pub fn run(case: &Case, startups: &mut dyn Startups, options: &RunOptions) -> Result<Outcome, Error> {
    check(case)?;
    let transfer = &case.transfer;
    let control = control_of(startups, &transfer.startup, transfer.avoidance, transfer.initial_window)?;
    let mut rival_controls = Vec::new();
    for traffic in case.traffic.iter() {
        let transfers = rival(traffic)?;
        let control = control_of(startups, &transfers.startup, transfers.avoidance, InitialWindow::Host)?;
        rival_controls.push((control, transfers.count.unwrap_or(1)));
    }
    let layout = Layout::of(case);
    let (sender, receiver) = hosts_of(case, &layout)?;
    let pairs = match case.receiver.packet_pair {
        PacketPair::None => None,
        _ => {
            let namespaces = [sender.namespace.cookie()?, receiver.namespace.cookie()?];
            let exchange = startups.exchange_pairs(&control, namespaces);
            exchange.map_err(|source| Error::Startup { startup: transfer.startup.clone(), source })?
        }
    };
    let lease = CpuLease::take();
    let cpu = lease.as_ref().map(CpuLease::cpu);
    let open = OpenSockets::default();

    let receive_buffer = match case.receiver.buffer {
        Buffer::Bytes(bytes) => Some(bytes),
        Buffer::LinuxDefault => None,
    };
    let prepare = |control: &str, packet_bytes, dscp, ends: Ends, role| {
        // Who measures pairs answers them through the same start-up.
        let answers = pairs.is_some() && matches!(role, Role::Transfer { .. });
        let receiver_control = answers.then(|| control.to_owned());
        let (sender, receiver, control) = ((&sender, ends.sender), (&receiver, ends.receiver), control.to_owned());
        let plan = Plan { sender, receiver, control, receiver_control, packet_bytes, dscp, receive_buffer, role };
        Flow::prepare(plan, &open, cpu)
    };
    let mss_bytes = u64::from(transfer.packet_bytes(case.path.mtu_bytes)) - HEADER_BYTES;
    let role = Role::Transfer {
        size_bytes: transfer.size_bytes,
        initial_bytes: initial_bytes(transfer.initial_window, mss_bytes),
        application: transfer.application,
    };
    let copy = |copy| prepare(&control, transfer.segment_bytes, transfer.dscp, layout.copy(copy), role);
    let copies = (0..transfer.count as usize).map(copy);
    let copies = copies.collect::<Result<Vec<_>, _>>()?;
    for flow in &copies {
        reserve(startups, &transfer.startup, &control, &transfer.given, flow)?;
    }
    let note_ns = case.path.rtt_ns / 50;
    let mut rivals = Vec::new();
    for (place, (traffic, (control, count))) in case.traffic.iter().zip(rival_controls).enumerate() {
        let role = Role::Rival { note_ns, stop_ns: traffic.stop_ns };
        for _ in 0..count {
            let flow = prepare(&control, None, traffic.dscp, layout.rival(place), role)?;
            let transfers = rival(traffic)?;
            reserve(startups, &transfers.startup, &control, &transfers.given, &flow)?;
            rivals.push((flow, case.traffic_start_ns(traffic)));
        }
    }

    let senders = copies.iter().enumerate().map(|(copy, flow)| (flow.sender, layout.bottleneck(copy)));
    let senders: Vec<_> = senders.collect();
    let logs = options.trace.then(|| SegmentLogs::new(&senders, transfer.size_bytes, mss_bytes));
    let (Host { tun: sender, namespace: _sender }, Host { tun: receiver, namespace: _receiver }) = (sender, receiver);
    let flows = copies.len();
    let link = LinkThread::start(LinkPlan { wiring: layout.wiring(case), sender, receiver, flows, logs, cpu });
    let begin_ns = link.begin_ns;
    let mut running = Running::start(case, copies, rivals, link, options, cpu);
    let watched = running.watch(case, startups, options);
    let rivals = running.rivals.iter().map(|rival| rival.state.clone()).collect();
    let finished = running.finish(&open);
    // A broken link is why everything else failed.
    let (report, samples) = finished?;
    let Watched { copies, end_ns, mut events } = watched?;
    events.extend(startups.take_events());
    let observed = Observed { layout, begin_ns, end_ns, copies, rivals, events, samples, report };
    Ok(result::outcome(case, observed, options))
}

/// The flows of a run and who looks after them.
struct Running {
    copies: Vec<Flow>,
    rivals: Vec<Flow>,
    sampler: Option<Sampler>,
    link: LinkThread,
    /// When each copy starts.
    starts_ns: Vec<u64>,
}

/// What was seen until the run's end.
struct Watched {
    copies: Vec<Measured>,
    /// When the run ended, where that was not its transfers' doing.
    end_ns: Option<u64>,
    events: Vec<ConnectionEvent>,
}

/// A copy that is under way.
struct Progress {
    received_bytes: u64,
    /// When that last grew.
    moved_ns: u64,
    /// The sender's account when the copy was complete.
    info: Option<TcpInfo>,
}

impl Running {
    fn start(
        case: &Case,
        copies: Vec<PreparedFlow>,
        rivals: Vec<(PreparedFlow, u64)>,
        link: LinkThread,
        options: &RunOptions,
        cpu: Option<usize>,
    ) -> Running {
        let start = |(flow, start_ns): (PreparedFlow, u64)| flow.start(link.begin_ns, start_ns);
        let rivals = rivals.into_iter().map(start).collect();
        let (first_ns, spacing_ns) = (case.transfer_start_ns(), case.transfer.spacing_ns);
        let starts = (0..copies.len() as u64).map(|copy| first_ns.saturating_add(copy.saturating_mul(spacing_ns)));
        let starts: Vec<u64> = starts.collect();
        let starts_ns = starts.iter().map(|start_ns| link.begin_ns.saturating_add(*start_ns)).collect();
        let copies: Vec<Flow> = copies.into_iter().zip(starts).map(start).collect();
        // As many looks a second as at eight senders, however many there are.
        let interval_ns = (case.path.rtt_ns / 200).max(1_000_000) * copies.len().div_ceil(8) as u64;
        let states = || copies.iter().map(|copy| copy.state.clone()).collect();
        let sampler = options.trace.then(|| Sampler::start(states(), interval_ns, cpu));
        Running { copies, rivals, sampler, link, starts_ns }
    }

    /// Waits for the end of all copies or of the run, or for what prevents it.
    fn watch(&mut self, case: &Case, startups: &mut dyn Startups, options: &RunOptions) -> Result<Watched, Error> {
        let mut events = startups.take_events();
        // Nothing arrives while the application has nothing to send.
        let pause_ns = case.transfer.application.map_or(0, |application| application.every_ns);
        let patience_ns = (options.patience.as_nanos() as u64).max(20 * case.path.rtt_ns).saturating_add(pause_ns);
        let last_start_ns = self.starts_ns.iter().copied().max().unwrap_or(0);
        let traffic_until_ns = match case.traffic.is_empty() {
            true => 0,
            false => last_start_ns + (TRAFFIC_RTTS + 1) * case.path.rtt_ns,
        };
        let end_ns = case.duration_ns.map(|duration_ns| self.link.begin_ns.saturating_add(duration_ns));
        let starts = self.starts_ns.iter();
        let mut progress: Vec<Progress> =
            starts.map(|at_ns| Progress { received_bytes: 0, moved_ns: *at_ns, info: None }).collect();
        loop {
            let next_ns = now_ns() + WATCH_NS;
            sleep_until(end_ns.map_or(next_ns, |end_ns| next_ns.min(end_ns)));
            if let Some(end_ns) = end_ns.filter(|end_ns| *end_ns <= now_ns()) {
                let copies = self.measured(progress, end_ns);
                return Ok(Watched { copies, end_ns: Some(end_ns), events });
            }
            if options.stop.load(Ordering::Relaxed) || self.link.has_failed() {
                return Err(Error::Stopped);
            }
            if let Some(error) = self.copies.iter_mut().chain(&mut self.rivals).find_map(Flow::take_error) {
                return Err(error);
            }
            events.extend(startups.take_events());
            let now = now_ns();
            for (copy, progress) in self.copies.iter().zip(&mut progress) {
                let state = &copy.state;
                if state.completed_ns() != 0 {
                    // Taken once: the numbers are those of the transfer's end, whatever the others do then.
                    if progress.info.is_none() {
                        progress.info = Some(sender_info(state)?);
                    }
                    continue;
                }
                if state.received_bytes() != progress.received_bytes {
                    (progress.received_bytes, progress.moved_ns) = (state.received_bytes(), now);
                }
                if now.saturating_sub(progress.moved_ns) > patience_ns {
                    let (received_bytes, size_bytes) = (progress.received_bytes, case.transfer.size_bytes);
                    return Err(Error::Stalled { received_bytes, size_bytes, waited_s: patience_ns as f64 / 1e9 });
                }
            }
            if progress.iter().all(|progress| progress.info.is_some()) && now >= traffic_until_ns {
                return Ok(Watched { copies: self.measured(progress, u64::MAX), end_ns: None, events });
            }
        }
    }

    /// What has become of the copies until now, the end of the run.
    fn measured(&self, progress: Vec<Progress>, end_ns: u64) -> Vec<Measured> {
        let measured = |((copy, progress), start_ns): ((&Flow, Progress), &u64)| {
            let state = copy.state.clone();
            let completed_ns = Some(state.completed_ns()).filter(|at_ns| *at_ns != 0 && *at_ns <= end_ns);
            let delivered_bytes = state.received_bytes();
            // One that has no connection yet has sent nothing.
            let info = progress.info.or_else(|| sender_info(&state).ok()).unwrap_or_default();
            let start_ns = Some(state.connect_ns()).filter(|at_ns| *at_ns != 0).unwrap_or(*start_ns);
            Measured { state, start_ns, completed_ns, delivered_bytes, info }
        };
        self.copies.iter().zip(progress).zip(&self.starts_ns).map(measured).collect()
    }

    /// Ends all threads. The link's report and looks at the senders, or why the link failed.
    fn finish(self, open: &OpenSockets) -> Result<(LinkReport, Vec<Vec<Sample>>), Error> {
        let samples = self.sampler.map(Sampler::finish).unwrap_or_default();
        open.shut_all();
        self.copies.into_iter().chain(self.rivals).for_each(Flow::finish);
        Ok((self.link.finish()?, samples))
    }
}

fn sender_info(flow: &FlowState) -> Result<TcpInfo, Error> {
    let what = "asking the sender its state";
    let socket: Arc<_> = flow
        .sender()
        .ok_or(std::io::ErrorKind::NotConnected)
        .map_err(|kind| Error::Socket { what, source: kind.into() })?;
    TcpInfo::of(&*socket).map_err(|source| Error::Socket { what, source })
}

/// What a sender sends before the first acknowledgement.
fn initial_bytes(window: InitialWindow, mss_bytes: u64) -> u64 {
    match window {
        InitialWindow::Host => 10 * mss_bytes,
        InitialWindow::Paper => (4 * mss_bytes).min(4380.max(2 * mss_bytes)) / mss_bytes * mss_bytes,
        InitialWindow::Segments(segments) => u64::from(segments) * mss_bytes,
    }
}

fn control_of(
    startups: &mut dyn Startups,
    startup: &str,
    avoidance: Avoidance,
    window: InitialWindow,
) -> Result<String, Error> {
    startups
        .congestion_control(startup, avoidance, window)
        .map_err(|source| Error::Startup { startup: startup.into(), source })
}

/// Has a flow's sender reserve what the file says, as any program would.
fn reserve(
    startups: &mut dyn Startups,
    startup: &str,
    control: &str,
    given: &Given,
    flow: &PreparedFlow,
) -> Result<(), Error> {
    let Some(reservation) = given.reservation() else { return Ok(()) };
    startups
        .reserve(control, flow.listener(), reservation.bytes_per_s, reservation.burst_bytes.unwrap_or(0))
        .map_err(|source| Error::Startup { startup: startup.into(), source })
}

/// Refuses what a TUN device, the arithmetic or this process cannot carry; a scenario file has been checked more
/// strictly.
fn check(case: &Case) -> Result<(), Error> {
    supports(case)?;
    let (path, size) = (&case.path, case.transfer.size_bytes);
    let wrong = |what, found, expected| Err(Error::Case { what, found, expected });
    if !(296..=65_000).contains(&path.mtu_bytes) {
        return wrong("the MTU", path.mtu_bytes.into(), "296 to 65,000 bytes");
    }
    if let Some(bytes) = case.transfer.segment_bytes.filter(|bytes| !(296..=9000).contains(bytes)) {
        return wrong("the largest segment's packet", bytes.into(), "296 to 9,000 bytes");
    }
    let links = case.network.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
    for channel in links.chain([&path.forward, &path.reverse]) {
        if !(1_000..=100_000_000_000).contains(&channel.rate_bits_per_s) {
            return wrong("a rate in bit/s", channel.rate_bits_per_s, "1 kbit/s to 100 Gbit/s");
        }
        if channel.loss_ppm > 1_000_000 {
            return wrong("a loss probability in millionths", channel.loss_ppm.into(), "at most 1,000,000");
        }
    }
    if size == 0 || size == u64::MAX {
        return wrong("the transfer's size in bytes", size, "1 byte or more");
    }
    resources::check(case)
}
