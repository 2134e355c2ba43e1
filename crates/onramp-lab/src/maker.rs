//! Prepares the flows of a case, each with its sockets and its congestion control.

use crate::error::Error;
use crate::host::INITIAL_SEGMENTS;
use crate::layout::Ends;
use crate::startups::{Startups, Wanted};
use crate::supports::quic;
use crate::work::{Flow, Job, OpenSockets, Plan, PreparedFlow, QuicPlan, TcpFlow, NEVER_NS};
use onramp_host::Namespace;
use onramp_hq::{Congestion, Paths, TransportLimits};
use onramp_scenario::{
    header_bytes, Buffer, Case, Dscp, Given, InitialWindow, IpVersion, Requester, RequestsPlan,
    Transfer, Transport, NO_STARTUP,
};

/// How often in a round trip a receiver's progress is recorded.
const NOTES_PER_RTT: u64 = 50;
/// noq's default windows: 100 ms at 100 Mbit/s, and eight times as much to send.
const NOQ_RECEIVE_WINDOW_BYTES: u64 = 1_250_000;
const NOQ_SEND_WINDOW_BYTES: u64 = 8 * NOQ_RECEIVE_WINDOW_BYTES;

/// The properties that all flows of a case share.
pub struct Maker<'a> {
    /// The case.
    pub case: &'a Case,
    /// The namespace of the senders.
    pub sender: &'a Namespace,
    /// The namespace of the receivers.
    pub receiver: &'a Namespace,
    /// Every socket is registered here.
    pub open: &'a OpenSockets,
    /// Whether the copies are traced.
    pub trace: bool,
    /// The CPU of the link thread. The threads of flows do not use it.
    pub cpu: Option<usize>,
    /// The paths of senders over QUIC. Copies that start up at the same time count each other.
    pub paths: Paths,
}

impl Maker<'_> {
    /// Payload of a full segment of the transfer.
    pub fn mss_bytes(&self) -> u64 {
        let transfer = &self.case.transfer;
        payload_bytes(transfer.packet_bytes(self.case.path.mtu_bytes), transfer.ip)
    }

    /// Prepares a copy of the transfer, counted from 0, with this size and this congestion control.
    /// If its connection exchanges packet pairs, the receiver answers them with the same start-up.
    ///
    /// # Errors
    /// A socket cannot be made, or the start-up cannot reserve its rate.
    pub fn copy(
        &self,
        (copy, size_bytes): (u64, u64),
        control: &str,
        (hops, traced_hop): (Vec<Ends>, usize),
        exchanges_pairs: bool,
        startups: &mut dyn Startups,
    ) -> Result<PreparedFlow, Error> {
        let transfer = &self.case.transfer;
        let plan = RequestsPlan::of(transfer);
        let requests = match &plan {
            Some(plan) => Requester::new(plan, size_bytes, self.case.seed, copy),
            None => single_request(size_bytes),
        };
        let first_answer_bytes = plan.map_or(size_bytes, |plan| {
            plan.requests.payload_bytes(size_bytes, 1)
        });
        let first_write_bytes = transfer
            .application
            .as_ref()
            .map_or(size_bytes, |application| application.write_bytes[0]);
        let job = Job {
            size_bytes,
            initial_bytes: initial_bytes(transfer.initial_window, self.mss_bytes())
                .min(first_write_bytes)
                .min(first_answer_bytes),
            application: transfer.application.clone(),
            requests,
            stop_ns: NEVER_NS,
            note_ns: self.trace.then_some(note_ns(self.case)),
        };
        if transfer.transport == Transport::Quic {
            return self.quic(hops[0], job);
        }
        let receiver_control = exchanges_pairs.then_some(control);
        let flow = self.prepare(
            control,
            receiver_control,
            transfer.segment_bytes,
            transfer.dscp,
            (hops, traced_hop),
            job,
        )?;
        reserve(startups, &transfer.startup, control, &transfer.given, &flow)?;
        Ok(PreparedFlow::Tcp(flow))
    }

    /// Prepares a copy of a transfer over QUIC.
    fn quic(&self, ends: Ends, job: Job) -> Result<PreparedFlow, Error> {
        let transfer = &self.case.transfer;
        let udp_payload_bytes = quic::udp_payload_bytes(self.case);
        let receive_window_bytes = match self.case.receiver.buffer {
            Buffer::Bytes(bytes) => bytes,
            Buffer::LinuxDefault => NOQ_RECEIVE_WINDOW_BYTES,
        };
        let send_window_bytes = match self.case.sender.buffer {
            Buffer::Bytes(bytes) => bytes,
            Buffer::LinuxDefault => NOQ_SEND_WINDOW_BYTES,
        };
        let plan = QuicPlan {
            sender: self.sender,
            receiver: self.receiver,
            ends,
            congestion: congestion(transfer, udp_payload_bytes, &self.paths),
            transport: TransportLimits {
                receive_window_bytes: u32::try_from(receive_window_bytes).unwrap_or(u32::MAX),
                send_window_bytes,
                udp_payload_bytes: u16::try_from(udp_payload_bytes).ok(),
                ..TransportLimits::default()
            },
            job,
        };
        Ok(PreparedFlow::Quic(plan.prepare(self.open, self.cpu)?))
    }

    /// Prepares a transfer of the case's n-th traffic, which has transfers, of this size.
    ///
    /// # Errors
    /// As [`Maker::copy`].
    pub fn competing(
        &self,
        traffic: usize,
        control: &str,
        ends: Ends,
        size_bytes: u64,
        startups: &mut dyn Startups,
    ) -> Result<PreparedFlow, Error> {
        let (case, traffic) = (self.case, &self.case.traffic[traffic]);
        let transfers = traffic.transfers().expect("only transfers are prepared");
        let job = Job {
            size_bytes,
            initial_bytes: match transfers.sizes.are_endless() {
                true => 1,
                false => initial_bytes(
                    InitialWindow::Host,
                    payload_bytes(case.path.mtu_bytes, transfers.ip),
                )
                .min(size_bytes),
            },
            application: None,
            requests: single_request(size_bytes),
            stop_ns: traffic.stop_ns.unwrap_or(NEVER_NS),
            note_ns: (!traffic.measured).then_some(note_ns(case)),
        };
        let flow = self.prepare(control, None, None, traffic.dscp, (vec![ends], 0), job)?;
        reserve(
            startups,
            &transfers.startup,
            control,
            &transfers.given,
            &flow,
        )?;
        Ok(PreparedFlow::Tcp(flow))
    }

    fn prepare(
        &self,
        control: &str,
        receiver_control: Option<&str>,
        packet_bytes: Option<u32>,
        dscp: Dscp,
        (hops, traced_hop): (Vec<Ends>, usize),
        job: Job,
    ) -> Result<TcpFlow, Error> {
        let receive_buffer = match self.case.receiver.buffer {
            Buffer::Bytes(bytes) => Some(bytes),
            Buffer::LinuxDefault => None,
        };
        let split = self.case.transfer.split.as_ref();
        let plan = Plan {
            sender: self.sender,
            receiver: self.receiver,
            hops,
            traced_hop,
            relay_buffer: split.map_or(0, |split| split.buffer_bytes),
            control: control.to_owned(),
            receiver_control: receiver_control.map(str::to_owned),
            packet_bytes,
            dscp,
            receive_buffer,
            job,
        };
        Flow::prepare(plan, self.open, self.cpu)
    }
}

/// The name of a congestion control that does what is wanted.
pub fn control_of(startups: &mut dyn Startups, wanted: &Wanted) -> Result<String, Error> {
    startups
        .congestion_control(wanted)
        .map_err(|source| Error::Startup {
            startup: wanted.startup.into(),
            source,
        })
}

/// Minimum time between two records of what has arrived.
pub fn note_ns(case: &Case) -> u64 {
    case.path.rtt_ns / NOTES_PER_RTT
}

/// The payload of a packet with timestamps.
fn payload_bytes(packet_bytes: u32, ip: IpVersion) -> u64 {
    u64::from(packet_bytes) - header_bytes(ip, true)
}

/// One request for the whole payload.
fn single_request(size_bytes: u64) -> Requester {
    let mut requests = Requester::default();
    requests.assign(size_bytes);
    requests
}

/// The initial window in bytes of payload.
fn initial_bytes(window: InitialWindow, mss_bytes: u64) -> u64 {
    match window {
        InitialWindow::Host => INITIAL_SEGMENTS * mss_bytes,
        InitialWindow::Paper => {
            onramp_tcp::InitialWindow::Rfc3390.bytes(mss_bytes) / mss_bytes * mss_bytes
        }
        InitialWindow::Segments(segments) => u64::from(segments) * mss_bytes,
    }
}

/// The congestion control of a transfer over QUIC.
fn congestion(transfer: &Transfer, packet_bytes: u64, paths: &Paths) -> Congestion {
    Congestion {
        startup: Some(transfer.startup.clone()).filter(|name| name != NO_STARTUP),
        avoidance: quic::avoidance(transfer.avoidance).unwrap_or_default(),
        initial_window_bytes: match transfer.initial_window {
            InitialWindow::Host => None,
            other => Some(initial_bytes(other, packet_bytes)),
        },
        paths: paths.clone(),
        ..Congestion::default()
    }
}

/// Reserves the rate of a flow's start-up, if the scenario gives one.
fn reserve(
    startups: &mut dyn Startups,
    startup: &str,
    control: &str,
    given: &Given,
    flow: &TcpFlow,
) -> Result<(), Error> {
    let Some(reservation) = given.reservation() else {
        return Ok(());
    };
    let rate = reservation.bytes_per_s;
    let burst_bytes = reservation.burst_bytes.unwrap_or(0);
    flow.listeners().try_for_each(|listener| {
        let reserved = startups.reserve(control, listener, rate, burst_bytes);
        reserved.map_err(|source| Error::Startup {
            startup: startup.into(),
            source,
        })
    })
}
