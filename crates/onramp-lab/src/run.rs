//! One case from beginning to end.

use crate::clock::now_ns;
use crate::host::{hosts_of, Addresses, Host};
use crate::link::{CpuLease, LinkReport, LinkThread, Path, SegmentLog};
use crate::result::{self, Observed};
use crate::supports::{rival, supports};
use crate::work::{Flow, FlowState, OpenSockets, Plan, PreparedFlow, Role, Sampler, TcpInfo};
use crate::{ConnectionEvent, Error, Outcome, RunOptions, Startups};
use onramp_scenario::{Avoidance, Buffer, Case, InitialWindow, HEADER_BYTES, TRAFFIC_RTTS};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How often the run's progress is looked at.
const WATCH: Duration = Duration::from_millis(5);

/// Runs a case on this machine's kernel. Takes as long as the transfer takes, and the competing traffic's lead.
pub fn run(case: &Case, startups: &mut dyn Startups, options: &RunOptions) -> Result<Outcome, Error> {
    check(case)?;
    let transfer = &case.transfer;
    let control = control_of(startups, &transfer.startup, transfer.avoidance, transfer.initial_window)?;
    let mut rival_controls = Vec::new();
    for traffic in case.traffic.iter() {
        let rival = rival(traffic)?;
        let control = control_of(startups, &rival.transfers.startup, rival.transfers.avoidance, InitialWindow::Host)?;
        rival_controls.push((control, rival.lead_ns));
    }
    let addresses = Addresses::fresh();
    let (sender, receiver) = hosts_of(case, &addresses)?;
    let lease = CpuLease::take();
    let cpu = lease.as_ref().map(CpuLease::cpu);
    let open = OpenSockets::default();

    let prepare = |control: String, to, role| {
        let receive_buffer = match case.receiver.buffer {
            Buffer::Bytes(bytes) => Some(bytes),
            Buffer::LinuxDefault => None,
        };
        let plan =
            Plan { sender: (&sender, addresses.sender), receiver: (&receiver, to), control, receive_buffer, role };
        Flow::prepare(plan, &open, cpu)
    };
    let mss_bytes = u64::from(case.path.mtu_bytes) - HEADER_BYTES;
    let role = Role::Transfer {
        size_bytes: transfer.size_bytes,
        initial_bytes: initial_bytes(transfer.initial_window, mss_bytes),
    };
    let measured = prepare(control, addresses.receiver, role)?;
    let mut rivals = Vec::new();
    for (control, lead_ns) in rival_controls {
        let note_ns = case.path.rtt_ns / 50;
        rivals.push((prepare(control, addresses.rival, Role::Rival { note_ns })?, lead_ns));
    }

    let log = options
        .trace
        .then(|| SegmentLog::new(measured.sender.port(), addresses.receiver.octets(), transfer.size_bytes, mss_bytes));
    let (Host { tun: sender_tun, namespace: _sender }, Host { tun: receiver_tun, namespace: _receiver }) =
        (sender, receiver);
    let link = LinkThread::start(Path::of(case), sender_tun, receiver_tun, log, cpu);
    let mut running = Running::start(case, measured, rivals, link, options, cpu);
    let watched = running.watch(case, startups, options);
    let finished = running.finish(&open);
    // A broken link is why everything else failed.
    let (report, samples) = finished?;
    let (flow, info, mut events) = watched?;
    events.extend(startups.take_events());
    let observed = Observed { flow: &flow.0, rivals: &flow.1, info, events, samples, report };
    Ok(result::outcome(case, observed, options))
}

/// The flows of a run and who looks after them.
struct Running {
    measured: Flow,
    rivals: Vec<Flow>,
    sampler: Option<Sampler>,
    link: LinkThread,
    start_ns: u64,
}

type States = (Arc<FlowState>, Vec<Arc<FlowState>>);

impl Running {
    fn start(
        case: &Case,
        measured: PreparedFlow,
        rivals: Vec<(PreparedFlow, u64)>,
        link: LinkThread,
        options: &RunOptions,
        cpu: Option<usize>,
    ) -> Running {
        let lead_ns = rivals.iter().map(|(_, lead_ns)| *lead_ns).max().unwrap_or(0);
        let start_ns = link.begin_ns + lead_ns;
        let rivals = rivals.into_iter().map(|(rival, lead_ns)| rival.start(start_ns - lead_ns)).collect();
        let measured = measured.start(start_ns);
        let interval_ns = (case.path.rtt_ns / 200).max(1_000_000);
        let sampler = options.trace.then(|| Sampler::start(measured.state.clone(), interval_ns, cpu));
        Running { measured, rivals, sampler, link, start_ns }
    }

    /// Waits for the end of the transfer, or for what prevents it.
    fn watch(
        &mut self,
        case: &Case,
        startups: &mut dyn Startups,
        options: &RunOptions,
    ) -> Result<(States, TcpInfo, Vec<ConnectionEvent>), Error> {
        let mut events = startups.take_events();
        let patience_ns = (options.patience.as_nanos() as u64).max(20 * case.path.rtt_ns);
        let traffic_until = match case.traffic.is_empty() {
            true => 0,
            false => self.start_ns + (TRAFFIC_RTTS + 1) * case.path.rtt_ns,
        };
        let (mut received_bytes, mut moved_ns) = (0, self.start_ns);
        let mut info = None;
        loop {
            thread::sleep(WATCH);
            if options.stop.load(Ordering::Relaxed) || self.link.has_failed() {
                return Err(Error::Stopped);
            }
            let mut flows = std::iter::once(&mut self.measured).chain(&mut self.rivals);
            if let Some(error) = flows.find_map(Flow::take_error) {
                return Err(error);
            }
            events.extend(startups.take_events());
            let (state, now) = (&self.measured.state, now_ns());
            if state.completed_ns() != 0 {
                // Taken once: the numbers are those of the transfer's end, whatever the traffic does then.
                let info = match info {
                    Some(info) => info,
                    None => *info.insert(self.sender_info()?),
                };
                if now >= traffic_until {
                    let rivals = self.rivals.iter().map(|rival| rival.state.clone()).collect();
                    return Ok(((state.clone(), rivals), info, events));
                }
                continue;
            }
            if state.received_bytes() != received_bytes {
                (received_bytes, moved_ns) = (state.received_bytes(), now);
            }
            if now.saturating_sub(moved_ns) > patience_ns {
                let waited_s = patience_ns as f64 / 1e9;
                return Err(Error::Stalled { received_bytes, size_bytes: case.transfer.size_bytes, waited_s });
            }
        }
    }

    fn sender_info(&self) -> Result<TcpInfo, Error> {
        let socket = self.measured.state.sender().expect("a transfer that is complete had a sender");
        TcpInfo::of(&*socket).map_err(|source| Error::Socket { what: "asking the sender its state", source })
    }

    /// Ends all threads. The link's report, or why it failed.
    fn finish(self, open: &OpenSockets) -> Result<(LinkReport, Vec<crate::work::Sample>), Error> {
        let samples = self.sampler.map(Sampler::finish).unwrap_or_default();
        open.shut_all();
        self.measured.finish();
        self.rivals.into_iter().for_each(Flow::finish);
        Ok((self.link.finish()?, samples))
    }
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

/// Refuses what a TUN device or the arithmetic cannot carry; a scenario file has been checked more strictly.
fn check(case: &Case) -> Result<(), Error> {
    supports(case)?;
    let (path, size) = (&case.path, case.transfer.size_bytes);
    let wrong = |what, found, expected| Err(Error::Case { what, found, expected });
    if !(576..=65_000).contains(&path.mtu_bytes) {
        return wrong("the MTU", path.mtu_bytes.into(), "576 to 65,000 bytes");
    }
    for channel in [&path.forward, &path.reverse] {
        if !(1_000..=100_000_000_000).contains(&channel.rate_bits_per_s) {
            return wrong("a rate in bit/s", channel.rate_bits_per_s, "1 kbit/s to 100 Gbit/s");
        }
        if channel.loss_ppm > 1_000_000 {
            return wrong("a loss probability in millionths", channel.loss_ppm.into(), "at most 1,000,000");
        }
    }
    match size {
        0 | u64::MAX => wrong("the transfer's size in bytes", size, "1 byte or more"),
        _ => Ok(()),
    }
}
