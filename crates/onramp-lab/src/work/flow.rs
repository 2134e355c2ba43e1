//! A flow: one TCP connection, its sockets and its two threads. A split connection has a hop more,
//! and a thread more, for each relay.

use super::ends::{download, serve};
use super::job::Job;
use super::relay::Relay;
use super::sockets::{self, failed, OpenSockets};
use super::state::FlowState;
use crate::error::Error;
use crate::layout::Ends;
use crate::realtime::pin_away_from;
use onramp_host::Namespace;
use onramp_scenario::Dscp;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A flow and its threads. The receiver's socket is closed when it is dropped, as are those of
/// relays.
pub struct Flow {
    /// The state of the flow.
    pub state: Arc<FlowState>,
    threads: Vec<JoinHandle<Result<(), Error>>>,
    _clients: Vec<Arc<TcpStream>>,
}

/// The plan of a flow.
pub struct Plan<'a> {
    /// Namespace of the sender, and of relays where they send.
    pub sender: &'a Namespace,
    /// Namespace of the receiver, and of relays where they receive.
    pub receiver: &'a Namespace,
    /// The ends of each hop, from the sender on: one without relays.
    pub hops: Vec<Ends>,
    /// The hop whose sender is traced.
    pub traced_hop: usize,
    /// Receive buffer and send buffer of a relay, in bytes.
    pub relay_buffer: u64,
    /// Congestion control of the sender.
    pub control: String,
    /// Congestion control of the receiver; `None`: the namespace's default.
    pub receiver_control: Option<String>,
    /// Maximum IP packet of the sender; `None`: the MTU of the device.
    pub packet_bytes: Option<u32>,
    /// DSCP of the sender's packets.
    pub dscp: Dscp,
    /// Receive buffer in bytes; `None`: auto-tuning.
    pub receive_buffer: Option<u64>,
    /// The task.
    pub job: Job,
}

impl Flow {
    /// Makes the sockets. Nothing is sent yet.
    ///
    /// # Errors
    /// A socket cannot be made.
    pub fn prepare(
        plan: Plan<'_>,
        open: &OpenSockets,
        link_cpu: Option<usize>,
    ) -> Result<TcpFlow, Error> {
        let hops = (0..plan.hops.len()).map(|hop| Hop::prepare(&plan, hop, open));
        Ok(TcpFlow {
            hops: hops.collect::<Result<_, _>>()?,
            traced_hop: plan.traced_hop,
            relay_buffer: plan.relay_buffer,
            control: plan.control,
            job: plan.job,
            open: open.clone(),
            link_cpu,
        })
    }

    /// A flow with these threads, and sockets that close with it.
    pub(super) fn of(
        state: Arc<FlowState>,
        threads: Vec<JoinHandle<Result<(), Error>>>,
        clients: Vec<Arc<TcpStream>>,
    ) -> Flow {
        Flow {
            state,
            threads,
            _clients: clients,
        }
    }

    /// The error of a thread that has ended with one, if there is any.
    pub fn take_error(&mut self) -> Option<Error> {
        let ended = self
            .threads
            .iter()
            .position(|thread| thread.is_finished())?;
        let thread = self.threads.swap_remove(ended);
        join(thread).err().or_else(|| self.take_error())
    }

    /// Whether [`take_error`](Flow::take_error) has found all threads ended.
    pub fn has_ended(&self) -> bool {
        self.threads.is_empty()
    }

    /// Closes the sockets of a flow that has ended. Its state stays.
    pub fn close(self) {
        self.state.close();
    }

    /// Waits for the threads, which the caller has stopped by shutting their sockets.
    pub fn join(&mut self) {
        self.threads.drain(..).for_each(|thread| drop(join(thread)));
    }
}

fn join(thread: JoinHandle<Result<(), Error>>) -> Result<(), Error> {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The sockets of a hop.
struct Hop {
    /// At its sending end.
    listener: Arc<TcpListener>,
    /// At its receiving end.
    client: Arc<TcpStream>,
    /// The address and port of its sending end.
    sender: SocketAddr,
}

impl Hop {
    fn prepare(plan: &Plan<'_>, hop: usize, open: &OpenSockets) -> Result<Hop, Error> {
        let Ends { sender, receiver } = plan.hops[hop];
        let listener = sockets::listener(
            plan.sender,
            SocketAddr::new(sender, 0),
            &plan.control,
            plan.packet_bytes,
            plan.dscp,
        )?;
        let sender = listener
            .local_addr()
            .map_err(failed("reading the address of a socket"))?;
        let receive_buffer = match hop + 1 == plan.hops.len() {
            true => plan.receive_buffer,
            false => Some(plan.relay_buffer),
        };
        let receiver = SocketAddr::new(receiver, 0);
        let client = sockets::client(plan.receiver, receiver, receive_buffer)?;
        if let Some(control) = &plan.receiver_control {
            sockets::set_control(&client, control)?;
        }
        let (listener, client) = (Arc::new(listener), Arc::new(client));
        open.add(&listener);
        open.add(&client);
        Ok(Hop {
            listener,
            client,
            sender,
        })
    }
}

/// A flow over TCP before its start.
pub struct TcpFlow {
    /// From the sender on.
    hops: Vec<Hop>,
    traced_hop: usize,
    relay_buffer: u64,
    control: String,
    job: Job,
    open: OpenSockets,
    link_cpu: Option<usize>,
}

impl TcpFlow {
    /// The sockets that accept the connections of the hops.
    pub fn listeners(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.hops.iter().map(|hop| hop.listener.as_fd())
    }

    /// The address and port of the sender that is traced.
    pub fn traced_sender(&self) -> SocketAddr {
        self.hops[self.traced_hop].sender
    }

    /// Starts the threads. The receiver connects `start_ns` after the beginning of the run, unless
    /// the flow stops before.
    pub fn start(self, begin_ns: u64, start_ns: u64) -> Flow {
        let at_ns = begin_ns.saturating_add(start_ns);
        let job = Job {
            stop_ns: begin_ns.saturating_add(self.job.stop_ns),
            ..self.job
        };
        let state = Arc::new(FlowState::of(self.traced_hop, job.requests.clone()));
        let clients = self.hops.iter().map(|hop| hop.client.clone()).collect();
        let mut threads = Vec::with_capacity(self.hops.len() + 1);
        let mut spawn = |name: &str, work: Box<dyn FnOnce() -> Result<(), Error> + Send>| {
            threads.push(spawned(name, self.link_cpu, work));
        };
        // The hop before the one that a relay begins.
        let mut before: Option<(Arc<TcpStream>, SocketAddr)> = None;
        for (number, hop) in self.hops.into_iter().enumerate() {
            let (control, open, job) = (self.control.clone(), self.open.clone(), job.clone());
            let (state, buffer_bytes) = (state.clone(), self.relay_buffer);
            let listener = hop.listener;
            match before.replace((hop.client, hop.sender)) {
                None => spawn(
                    "onramp-sender",
                    Box::new(move || serve(&listener, &control, &open, &job, &state)),
                ),
                Some((client, from)) => spawn(
                    "onramp-relay",
                    Box::new(move || {
                        let relay = Relay {
                            hop: number,
                            listener: &listener,
                            client: &client,
                            from,
                            control: &control,
                            buffer_bytes,
                        };
                        relay.run(&open, &state)
                    }),
                ),
            }
        }
        let (client, sender) = before.expect("a flow has a hop");
        let (open, receiver_state) = (self.open, state.clone());
        spawn(
            "onramp-receiver",
            Box::new(
                move || match at_ns < job.stop_ns && open.sleep_until(at_ns) {
                    true => download(&client, sender, &open, &job, &receiver_state),
                    false => Ok(()),
                },
            ),
        );
        Flow::of(state, threads, clients)
    }
}

/// Starts a thread of a flow. It stays away from the CPU of the link thread.
pub(super) fn spawned(
    name: &str,
    link_cpu: Option<usize>,
    work: impl FnOnce() -> Result<(), Error> + Send + 'static,
) -> JoinHandle<Result<(), Error>> {
    let work = move || {
        pin_away_from(link_cpu);
        work()
    };
    let thread = std::thread::Builder::new().name(name.into()).spawn(work);
    thread.expect("the system can start a thread")
}
