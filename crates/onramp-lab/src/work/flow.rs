//! A flow: one TCP connection, its sockets and its two threads.

use super::ends::{download, serve};
use super::job::Job;
use super::sockets::{self, failed, OpenSockets};
use super::state::FlowState;
use crate::error::Error;
use crate::host::Namespace;
use crate::link::pin_away_from;
use onramp_scenario::Dscp;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A flow and its two threads. The receiver's socket is closed when it is dropped.
pub struct Flow {
    /// The state of the flow.
    pub state: Arc<FlowState>,
    threads: Vec<JoinHandle<Result<(), Error>>>,
    _client: Arc<TcpStream>,
}

/// The plan of a flow.
pub struct Plan<'a> {
    /// Namespace and address of the sender.
    pub sender: (&'a Namespace, IpAddr),
    /// Namespace and address of the receiver.
    pub receiver: (&'a Namespace, IpAddr),
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
    ) -> Result<PreparedFlow, Error> {
        let (namespace, address) = plan.sender;
        let address = SocketAddr::new(address, 0);
        let listener = sockets::listener(
            namespace,
            address,
            &plan.control,
            plan.packet_bytes,
            plan.dscp,
        )?;
        let sender = listener
            .local_addr()
            .map_err(failed("reading the address of a socket"))?;
        let (namespace, address) = plan.receiver;
        let client = sockets::client(namespace, SocketAddr::new(address, 0), plan.receive_buffer)?;
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

    /// The error of a thread that has ended with one, if there is any.
    pub fn take_error(&mut self) -> Option<Error> {
        let ended = self
            .threads
            .iter()
            .position(|thread| thread.is_finished())?;
        let thread = self.threads.swap_remove(ended);
        join(thread).err().or_else(|| self.take_error())
    }

    /// Whether [`take_error`](Flow::take_error) has found both threads ended.
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

/// A flow before its start.
pub struct PreparedFlow {
    listener: Arc<TcpListener>,
    client: Arc<TcpStream>,
    /// The sender's address and port.
    pub sender: SocketAddr,
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

    /// Starts the threads. The receiver connects `start_ns` after the beginning of the run, unless
    /// the flow stops before.
    pub fn start(self, begin_ns: u64, start_ns: u64) -> Flow {
        let at_ns = begin_ns.saturating_add(start_ns);
        let job = Job {
            stop_ns: begin_ns.saturating_add(self.job.stop_ns),
            ..self.job
        };
        let state = Arc::new(FlowState::default());
        let (sender_state, receiver_state) = (state.clone(), state.clone());
        let cpu = self.link_cpu;
        let (listener, control, open) = (self.listener, self.control, self.open);
        let (opened, client) = (open.clone(), self.client.clone());
        let send = move || {
            pin_away_from(cpu);
            serve(&listener, &control, &open, &job, &sender_state)
        };
        let receive = move || {
            pin_away_from(cpu);
            match at_ns < job.stop_ns && opened.sleep_until(at_ns) {
                true => download(&client, self.sender, &job, &receiver_state),
                false => Ok(()),
            }
        };
        let spawn = |name: &str, work: Box<dyn FnOnce() -> Result<(), Error> + Send>| {
            std::thread::Builder::new()
                .name(name.into())
                .spawn(work)
                .expect("the system can start a thread")
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
