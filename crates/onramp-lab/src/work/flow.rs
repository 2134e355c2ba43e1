//! One TCP connection: its sockets and its two threads.

use super::ends::{download, serve};
use super::sockets::{self, failed, OpenSockets};
use super::state::FlowState;
use crate::host::Namespace;
use crate::link::pin_away_from;
use crate::Error;
use onramp_scenario::{Application, Dscp};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::thread::JoinHandle;

/// What a flow has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Payload, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Payload of the sender's initial window, or of the application's first write where that is
    /// less. The receiver sleeps until so much has come: a reader that runs while the first train
    /// of segments arrives holds the socket's lock at moments of its own, and ACKs due then go out
    /// some tens of microseconds late, just when start-ups measure their spacing.
    pub initial_bytes: u64,
    /// What limits the sending application.
    pub application: Option<Application>,
    /// When its sender stops and resets the connection, since the beginning of the run;
    /// [`NEVER_NS`](super::NEVER_NS).
    pub stop_ns: u64,
    /// Least time between two notes of its progress, the last of which is at its end; `None`:
    /// nobody asks.
    pub note_ns: Option<u64>,
}

/// A flow and its two threads. The receiver's socket goes with it.
pub struct Flow {
    /// What is known of it.
    pub state: Arc<FlowState>,
    threads: Vec<JoinHandle<Result<(), Error>>>,
    _client: Arc<TcpStream>,
}

/// What both ends of a flow are given.
pub struct Plan<'a> {
    /// Where the sender is.
    pub sender: (&'a Namespace, Ipv4Addr),
    /// Where the receiver is.
    pub receiver: (&'a Namespace, Ipv4Addr),
    /// Congestion control of the sender.
    pub control: String,
    /// That of the receiver, where it matters.
    pub receiver_control: Option<String>,
    /// The sender's largest IP packet; `None`: as the device takes.
    pub packet_bytes: Option<u32>,
    /// How the sender marks its packets.
    pub dscp: Dscp,
    /// Receive buffer, or auto-tuning.
    pub receive_buffer: Option<u64>,
    /// What it has to do.
    pub job: Job,
}

impl Flow {
    /// Makes the sockets; nothing is sent yet.
    pub fn prepare(
        plan: Plan<'_>,
        open: &OpenSockets,
        link_cpu: Option<usize>,
    ) -> Result<PreparedFlow, Error> {
        let (namespace, address) = plan.sender;
        let address = SocketAddrV4::new(address, 0);
        let listener = sockets::listener(
            namespace,
            address,
            &plan.control,
            plan.packet_bytes,
            plan.dscp,
        )?;
        let sender = match listener
            .local_addr()
            .map_err(failed("asking a socket its address"))?
        {
            SocketAddr::V4(address) => address,
            SocketAddr::V6(_) => unreachable!("the socket is of IPv4"),
        };
        let (namespace, address) = plan.receiver;
        let client = sockets::client(
            namespace,
            SocketAddrV4::new(address, 0),
            plan.receive_buffer,
        )?;
        if let Some(control) = &plan.receiver_control {
            sockets::set_control(&client, control)?;
        }
        let (listener, client) = (Arc::new(listener), Arc::new(client));
        open.add(&listener);
        open.add(&client);
        let (control, job, open) = (plan.control, plan.job, open.clone());
        Ok(PreparedFlow {
            listener,
            client,
            sender,
            control,
            job,
            open,
            link_cpu,
        })
    }

    /// The error of a thread that has ended with one.
    pub fn take_error(&mut self) -> Option<Error> {
        let ended = self
            .threads
            .iter()
            .position(|thread| thread.is_finished())?;
        let thread = self.threads.swap_remove(ended);
        join(thread).err().or_else(|| self.take_error())
    }

    /// Neither end has anything to do any more: [`take_error`](Flow::take_error) has seen both
    /// ended.
    pub fn is_over(&self) -> bool {
        self.threads.is_empty()
    }

    /// Closes the sockets of one that is over. What is known of it stays.
    pub fn close(self) {
        self.state.close();
    }

    /// Waits for its threads, which the caller has told to end.
    pub fn join(&mut self) {
        self.threads.drain(..).for_each(|thread| drop(join(thread)));
    }
}

fn join(thread: JoinHandle<Result<(), Error>>) -> Result<(), Error> {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A flow before its start.
pub struct PreparedFlow {
    listener: Arc<TcpListener>,
    client: Arc<TcpStream>,
    /// The sender's address and port.
    pub sender: SocketAddrV4,
    control: String,
    job: Job,
    open: OpenSockets,
    link_cpu: Option<usize>,
}

impl PreparedFlow {
    /// The sender's socket, which accepts the connection.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Lets the receiver connect so long after the beginning of the run, if that is not after the
    /// flow's stop.
    pub fn start(self, begin_ns: u64, start_ns: u64) -> Flow {
        let at_ns = begin_ns.saturating_add(start_ns);
        let job = Job {
            stop_ns: begin_ns.saturating_add(self.job.stop_ns),
            ..self.job
        };
        let state = Arc::new(FlowState::default());
        let (serving, asking) = (state.clone(), state.clone());
        let cpu = self.link_cpu;
        let (listener, control, open) = (self.listener, self.control, self.open);
        let (opened, client) = (open.clone(), self.client.clone());
        let send = move || {
            pin_away_from(cpu);
            serve(&listener, &control, &open, &job, &serving)
        };
        let receive = move || {
            pin_away_from(cpu);
            match at_ns < job.stop_ns && opened.sleep_until(at_ns) {
                true => download(&client, self.sender, &job, &asking),
                false => Ok(()),
            }
        };
        let spawn = |name: &str, work: Box<dyn FnOnce() -> Result<(), Error> + Send>| {
            std::thread::Builder::new()
                .name(name.into())
                .spawn(work)
                .expect("threads can be made")
        };
        let threads = vec![
            spawn("onramp-sender", Box::new(send)),
            spawn("onramp-receiver", Box::new(receive)),
        ];
        Flow {
            state,
            threads,
            _client: self.client,
        }
    }
}
