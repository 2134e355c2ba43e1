//! `onramp tcp`: transfers with Onramp's own TCP, over a TUN device, to and from this machine's
//! kernel.

mod get;
mod print;
mod serve;
mod sink;
mod source;

pub use sink::Sink;

use crate::cli::{TcpArguments, TcpCommand};
use onramp_cli::failure::{Failure, BAD_INPUT, HOST_LACKS};
use onramp_cli::Answer;

pub fn run(arguments: &TcpArguments, json: bool) -> Answer {
    match &arguments.command {
        TcpCommand::Serve(arguments) => serve::run(arguments, json),
        TcpCommand::Get(arguments) => get::run(arguments, json),
    }
}

fn failed(error: onramp_tun::Error) -> Failure {
    let code = match error.is_of_host() {
        true => HOST_LACKS,
        false => BAD_INPUT,
    };
    let advice = match &error {
        onramp_tun::Error::Missing { .. } => {
            ", or use --host ADDRESS, which creates it while the command runs"
        }
        _ => "",
    };
    Failure::new(code, format!("{error}{advice}"))
}

/// A failure of the device or of this program.
struct Failed(Failure);

impl From<onramp_tun::Error> for Failed {
    fn from(error: onramp_tun::Error) -> Failed {
        Failed(failed(error))
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Failed {
        Failed(failure)
    }
}
