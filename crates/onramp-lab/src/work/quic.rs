//! A flow over QUIC: two UDP sockets, and a runtime of its own for each end.

use super::cpu_wait::CpuWait;
use super::flow::{spawned, Flow};
use super::job::Job;
use super::sockets::{self, failed, OpenSockets};
use super::state::FlowState;
use crate::error::Error;
use crate::layout::Ends;
use crate::realtime::run_before_ordinary_threads;
use onramp_host::{now_ns, Namespace};
use onramp_hq::{
    Client, ClientSettings, Congestion, Event, Identity, Observer, Server, ServerSettings,
    TransportLimits, Trust,
};
use onramp_results::StartupWatch;
use onramp_scenario::quic_stream_bytes;
use parking_lot::Mutex;
use std::future::Future;
use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// The name in the certificate of every sender.
const SERVER_NAME: &str = "sender";
/// How often an end looks whether the run is over.
const LOOK: Duration = Duration::from_millis(20);

/// The plan of a flow.
pub struct QuicPlan<'a> {
    /// Namespace of the sender.
    pub sender: &'a Namespace,
    /// Namespace of the receiver.
    pub receiver: &'a Namespace,
    /// Its addresses.
    pub ends: Ends,
    /// Congestion control of the sender.
    pub congestion: Congestion,
    /// Windows of both ends, and the size of packets.
    pub transport: TransportLimits,
    /// The task.
    pub job: Job,
}

/// A flow before its start.
pub struct QuicFlow {
    server: UdpSocket,
    client: UdpSocket,
    sender: SocketAddr,
    congestion: Congestion,
    transport: TransportLimits,
    job: Job,
    open: OpenSockets,
    link_cpu: Option<usize>,
}

impl QuicPlan<'_> {
    /// Makes the sockets. Nothing is sent yet.
    ///
    /// # Errors
    /// A socket cannot be made.
    pub fn prepare(self, open: &OpenSockets, link_cpu: Option<usize>) -> Result<QuicFlow, Error> {
        let server = sockets::udp(self.sender, self.ends.sender)?;
        let client = sockets::udp(self.receiver, self.ends.receiver)?;
        let sender = server
            .local_addr()
            .map_err(failed("reading the address of a socket"))?;
        Ok(QuicFlow {
            server,
            client,
            sender,
            congestion: self.congestion,
            transport: self.transport,
            job: self.job,
            open: open.clone(),
            link_cpu,
        })
    }
}

impl QuicFlow {
    /// The address and port of the sender.
    pub fn sender(&self) -> SocketAddr {
        self.sender
    }

    /// Starts both threads. The receiver connects at this time.
    pub fn start(self, at_ns: u64) -> Flow {
        let QuicFlow {
            server,
            client,
            sender,
            congestion,
            transport,
            job,
            open,
            link_cpu,
        } = self;
        let state = Arc::new(FlowState::default());
        let (sending, receiving) = (state.clone(), state.clone());
        let serving = (open.clone(), sender);
        let serve = move || serve(server, serving, congestion, transport, &sending);
        let receive = move || match open.sleep_until(at_ns) {
            true => download(client, sender, transport, &open, &job, &receiving),
            false => Ok(()),
        };
        let threads = vec![
            spawned("onramp-sender", link_cpu, serve),
            spawned("onramp-receiver", link_cpu, receive),
        ];
        Flow::of(state, threads, Vec::new())
    }
}

/// The sender: serves one download, and goes on until the run is over.
fn serve(
    socket: UdpSocket,
    (open, own): (OpenSockets, SocketAddr),
    congestion: Congestion,
    transport: TransportLimits,
    state: &Arc<FlowState>,
) -> Result<(), Error> {
    let (runtime, wait) = runtime()?;
    let congestion = Congestion {
        observer: Some(observer(state.clone(), transport.udp_payload_bytes)),
        ..congestion
    };
    let seen = state.clone();
    let report = move |event: Event<'_>| match event {
        Event::Connected(connection) => {
            let path = connection.path(onramp_hq::noq::PathId::ZERO);
            if let Some(peer) = path.and_then(|path| path.remote_address().ok()) {
                seen.set_quic_sender(connection.clone(), own, peer);
            }
        }
        Event::Served(..) => {
            seen.set_sender_wait(wait.lock().longest_ns());
        }
    };
    let served = runtime.block_on(async {
        let identity = Identity::self_signed(vec![SERVER_NAME.to_owned()])?;
        let settings = ServerSettings {
            congestion,
            transport,
            ..ServerSettings::new(identity)
        };
        let server = Server::on(socket, settings)?;
        until_shut(&open, server.run(std::future::pending(), report)).await;
        Ok::<_, Error>(())
    });
    // Closing connections are not waited for: their link has stopped.
    runtime.shutdown_background();
    served
}

/// The receiver: connects, downloads, checks the content, and closes the connection.
fn download(
    socket: UdpSocket,
    from: SocketAddr,
    transport: TransportLimits,
    open: &OpenSockets,
    job: &Job,
    state: &FlowState,
) -> Result<(), Error> {
    let (runtime, wait) = runtime()?;
    let result = runtime.block_on(until_shut(open, async {
        let settings = ClientSettings {
            trust: Trust::Anyone,
            transport,
            qlog: None,
        };
        let client = Client::on(settings, socket)?;
        state.set_connect_time(now_ns());
        let session = client.connect(from, SERVER_NAME).await?;
        let mut out = Progress {
            state,
            job,
            received_bytes: 0,
            noted_ns: 0,
            wait: &wait,
        };
        session.get(&path_of(job), &mut out).await?;
        session.close();
        client.finish().await;
        Ok(())
    }));
    runtime.shutdown_background();
    result.unwrap_or(Ok(()))
}

/// The request of a job.
fn path_of(job: &Job) -> String {
    let size_bytes = job.size_bytes;
    match &job.application {
        None => format!("/bytes/{size_bytes}"),
        Some(writes) => {
            let (bytes, interval_us) = (writes.write_bytes[0], writes.every_ns[0] / 1000);
            format!("/bytes/{size_bytes}/{bytes}/{interval_us}")
        }
    }
}

/// A runtime for one thread, which is the calling one, and the longest time for which that thread
/// waited for a CPU. The thread does what the kernel does for TCP: it acknowledges packets as they
/// come, also while other programs keep the CPUs busy.
fn runtime() -> Result<(Runtime, Arc<Mutex<CpuWait>>), Error> {
    run_before_ordinary_threads();
    let wait = Arc::new(Mutex::new(CpuWait::of_this_thread()));
    let checked = wait.clone();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .on_thread_unpark(move || checked.lock().check())
        .build()
        .map_err(failed("starting the runtime of a QUIC flow"))?;
    Ok((runtime, wait))
}

/// Records the decisions of the sender's start-up as events. `udp_payload_bytes` is that of a full
/// packet.
fn observer(state: Arc<FlowState>, udp_payload_bytes: Option<u16>) -> Arc<Observer> {
    let watch = udp_payload_bytes.map_or_else(StartupWatch::default, |bytes| {
        StartupWatch::of_quic(bytes.into(), quic_stream_bytes(bytes.into()))
    });
    let watch = Mutex::new(watch);
    Arc::new(move |_, decision| {
        let mut watch = watch.lock();
        let now = now_ns();
        watch
            .look(0.0, decision.record())
            .for_each(|event| state.add_event(now, event));
    })
}

/// The result of some work; `None` if the run was over first.
async fn until_shut<T>(open: &OpenSockets, work: impl Future<Output = T>) -> Option<T> {
    let shut = async {
        while !open.is_shut() {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        result = work => Some(result),
        () = shut => None,
    }
}

/// Records the receiver's progress.
struct Progress<'a> {
    state: &'a FlowState,
    job: &'a Job,
    received_bytes: u64,
    noted_ns: u64,
    wait: &'a Mutex<CpuWait>,
}

impl Write for Progress<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = now_ns();
        self.received_bytes += bytes.len() as u64;
        self.state.set_received(self.received_bytes);
        let is_complete = self.received_bytes == self.job.size_bytes;
        if is_complete {
            self.state.set_receiver_wait(self.wait.lock().longest_ns());
            self.state.set_completed(now);
        }
        let is_due = |note_ns| is_complete || now >= self.noted_ns + note_ns;
        if self.job.note_ns.is_some_and(is_due) {
            self.noted_ns = now;
            self.state.note(now, self.received_bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
