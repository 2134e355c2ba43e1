//! `onramp serve`: the service, for systemd and on a terminal.

mod check;
mod console;
mod replacement;

use crate::cli::ServiceArguments;
use console::Console;
use onramp_cli::failure::{Failure, DONE, HOST_LACKS};
use onramp_cli::text::say;
use onramp_cli::Answer;
use onramp_kernel::Policies;
use onramp_service::config;
use onramp_service::run::{self, Ended, Options};

pub fn run(arguments: &ServiceArguments, json: bool) -> Answer {
    if arguments.check {
        return check::run(&arguments.config, json);
    }
    if arguments.undo {
        let restored = Policies::open(&arguments.pins, None)?.stop()?;
        say!("Nothing of a service is left in the kernel.");
        restored
            .iter()
            .for_each(|restored| say!("{}", console::restored(restored)));
        return Ok(DONE);
    }
    if let Some(directory) = arguments.socket.parent() {
        // Under systemd it exists. If it cannot be made, the socket's error says more.
        let _ = std::fs::create_dir(directory);
    }
    let options = Options {
        config: arguments.config.clone(),
        pins: arguments.pins.clone(),
        socket: Some(arguments.socket.clone()),
        lock: replacement::inherited_lock(),
    };
    let mut console = Console::new(json)?;
    match run::run(options, &mut console) {
        Ok(Ended::Stopped) => Ok(DONE),
        Ok(Ended::Replace { lock }) => Err(replacement::execute(lock)),
        Err(run::Error::Config(error)) => {
            // A log has no room for the lines of the file.
            if console.is_log() {
                error.lines().iter().for_each(|line| console.error(line));
                return Ok(onramp_cli::failure::BAD_INPUT);
            }
            Err(refused(error))
        }
        Err(run::Error::Kernel(error)) => Err(error.into()),
        Err(error) => Err(Failure::new(HOST_LACKS, error.to_string())),
    }
}

/// The failure for a configuration that was refused.
fn refused(error: config::Error) -> Failure {
    Failure::of_file(&error, |colour| error.report(colour), error.lines().into())
}
