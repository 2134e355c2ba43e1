//! `onramp tcp serve`.

use super::print::{complete, print, Style};
use super::sink::Sink;
use super::source::Source;
use super::{failed, Failed};
use crate::cli::ServeArguments;
use crate::commands::runs;
use onramp_cli::failure::{Failure, DONE, INTERRUPTED};
use onramp_cli::Answer;
use onramp_tun::transfer::{serve, ServeEnd, Transfer};
use onramp_tun::Driver;
use std::ops::ControlFlow;
use std::path::Path;

pub fn run(arguments: &ServeArguments, json: bool) -> Answer {
    let source = Source::choose(arguments.file.as_deref(), arguments.size, false)?;
    // Reports a file that cannot be written before the device is opened.
    Sink::choose(arguments.receive.as_deref())?;
    let mut driver: Driver<Transfer<Sink>> = arguments
        .device
        .settings()
        .open(|mtu_bytes| arguments.tcp.config(&arguments.device.address, mtu_bytes))
        .map_err(failed)?;
    let stop = runs::stop_flag();
    let style = Style {
        json,
        stdout_is_data: arguments.receive.as_deref() == Some(Path::new("-")),
    };
    eprintln!(
        "onramp: listening on {}:{}, behind {}",
        arguments.device.address, arguments.port, arguments.device.tun
    );

    let (once, receive) = (arguments.once, arguments.receive.clone());
    let mut accepted: u64 = 0;
    let accept = move |_peer| {
        if once && accepted > 0 {
            return None;
        }
        accepted += 1;
        let transfer = begin(source.as_ref(), receive.as_deref());
        transfer.inspect_err(|failure| failure.print(json)).ok()
    };
    let mut code = DONE;
    let end = serve::<Sink, Failed>(
        &mut driver,
        arguments.port,
        accept,
        &stop,
        |ended, counts| {
            let code_of_transfer = print(&complete(ended, counts)?, style);
            if once {
                code = code_of_transfer;
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        },
    )
    .map_err(|Failed(failure)| failure)?;
    driver.close().map_err(failed)?;
    Ok(match end {
        ServeEnd::Interrupted => INTERRUPTED,
        ServeEnd::Finished | ServeEnd::Stopped => code,
    })
}

fn begin(source: Option<&Source>, receive: Option<&Path>) -> Result<Transfer<Sink>, Failure> {
    Ok(Transfer::new(
        source.map(Source::open).transpose()?,
        Sink::choose(receive)?,
        receive.is_some(),
    ))
}
