//! `onramp quic`: downloads over QUIC, in user space, without root.

mod get;
mod memory;
mod serve;

use crate::cli::{QuicArguments, QuicCommand};
use onramp_cli::failure::{Failure, BAD_INPUT, HOST_LACKS};
use onramp_cli::Answer;
use std::future::Future;
use tokio::runtime::Builder;
use tokio::signal::unix::{signal, Signal, SignalKind};

pub fn run(arguments: &QuicArguments, json: bool) -> Answer {
    match &arguments.command {
        QuicCommand::Serve(arguments) => block_on(serve::run(arguments, json)),
        QuicCommand::Get(arguments) => block_on(get::run(arguments, json)),
    }
}

/// Runs a command on one thread, which sends and receives all packets.
fn block_on(command: impl Future<Output = Answer>) -> Answer {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        let message = format!("cannot start the runtime of a QUIC endpoint: {error}");
        Failure::new(HOST_LACKS, message)
    })?;
    runtime.block_on(command)
}

/// The signals that end a command.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> Result<Signals, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                Failure::new(HOST_LACKS, format!("cannot wait for signals: {error}"))
            })
        };
        Ok(Signals {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for one.
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

fn failed(error: onramp_hq::Error) -> Failure {
    let code = match error.is_of_host() {
        true => HOST_LACKS,
        false => BAD_INPUT,
    };
    Failure::new(code, error.to_string())
}
