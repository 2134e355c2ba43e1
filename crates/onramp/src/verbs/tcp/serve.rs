//! `onramp tcp serve`.

use super::arguments::ServeArguments;
use super::content::ToSend;
use super::report::Report;
use super::sink::Sink;
use super::transfer::Transfer;
use crate::failure::{Failure, DONE, INTERRUPTED, MISSED};
use crate::verbs::{runs, Answer};
use onramp_tun::{Driver, Ended};
use std::path::Path;
use std::sync::atomic::Ordering;

type Serving = Transfer<Sink>;

pub fn run(arguments: &ServeArguments, json: bool) -> Answer {
    let content = ToSend::choose(arguments.file.as_deref(), arguments.size, false)?;
    Sink::choose(arguments.receive.as_deref())?; // is it possible?
    let mut driver: Driver<Serving> = super::open(&arguments.device, &arguments.tcp)?;
    let stop = runs::stop_flag();
    let is_stdout_free = arguments.receive.as_deref() != Some(Path::new("-"));
    let (once, receive) = (arguments.once, arguments.receive.clone());
    let mut accepted: u64 = 0;
    driver.endpoint.listen(arguments.port, move |_peer| {
        if once && accepted > 0 {
            return None;
        }
        accepted += 1;
        let transfer = begin(content.as_ref(), receive.as_deref());
        transfer.inspect_err(|failure| failure.print(json)).ok()
    });
    eprintln!(
        "onramp: listening on {}:{}, behind {}",
        arguments.device.address, arguments.port, arguments.device.tun
    );

    let mut answer = DONE;
    'serving: loop {
        driver.turn()?;
        while let Some(ended) = driver.endpoint.take_ended() {
            let code = conclude(ended, &driver, json, is_stdout_free)?;
            if once {
                answer = code;
                break 'serving;
            }
        }
        if stop.load(Ordering::Relaxed) {
            if driver.endpoint.has_applications() {
                answer = INTERRUPTED;
            }
            driver.endpoint.abort();
            break;
        }
    }
    driver.endpoint.stop_listening();
    super::close(driver)?;
    Ok(answer)
}

fn begin(content: Option<&ToSend>, receive: Option<&Path>) -> Result<Serving, Failure> {
    Ok(Transfer::new(
        content.map(ToSend::open).transpose()?,
        Sink::choose(receive)?,
        receive.is_some(),
    ))
}

/// Says what became of a connection.
fn conclude(
    ended: Ended<Serving>,
    driver: &Driver<Serving>,
    json: bool,
    is_stdout_free: bool,
) -> Answer {
    let report = Report::of(&ended, driver.endpoint.counts());
    if report.failure().is_none() {
        ended.application.sink.finish()?;
    }
    report.print(json, is_stdout_free);
    Ok(if report.failure().is_some() {
        MISSED
    } else {
        DONE
    })
}
