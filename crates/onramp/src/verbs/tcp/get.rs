//! `onramp tcp get`.

use super::arguments::GetArguments;
use super::content::ToSend;
use super::report::Report;
use super::sink::Sink;
use super::transfer::Transfer;
use crate::failure::{Failure, DONE, INTERRUPTED, MISSED};
use crate::verbs::{runs, Answer};
use onramp_tun::{now_ns, Driver, Ended};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// After so long without any packet from the peer, it is said that there was none.
const SILENCE_NS: u64 = 3_000_000_000;

pub fn run(arguments: &GetArguments, json: bool) -> Answer {
    let content = ToSend::choose(arguments.send.as_deref(), arguments.size, true)?;
    let sink = Sink::choose(arguments.output.as_deref())?;
    let mut driver: Driver<Transfer<Sink>> = super::open(&arguments.device, &arguments.tcp)?;
    let stop = runs::stop_flag();
    let source = content.as_ref().map(ToSend::open).transpose()?;
    driver
        .endpoint
        .connect(now_ns(), arguments.from, Transfer::new(source, sink, true));

    let ended = match until_its_end(&mut driver, arguments, &stop)? {
        Some(ended) => ended,
        None => {
            driver.endpoint.abort();
            super::close(driver)?;
            return Ok(INTERRUPTED);
        }
    };
    let report = Report::of(&ended, driver.endpoint.counts());
    if report.failure().is_none() {
        ended.application.sink.finish()?;
    }
    super::close(driver)?;
    // Standard output may be what was received.
    let is_stdout_free = arguments.output.as_deref() != Some(Path::new("-"));
    report.print(json, is_stdout_free);
    Ok(if report.failure().is_some() {
        MISSED
    } else {
        DONE
    })
}

/// Goes on until the transfer has ended; `None` where the user would not wait.
fn until_its_end(
    driver: &mut Driver<Transfer<Sink>>,
    arguments: &GetArguments,
    stop: &AtomicBool,
) -> Result<Option<Ended<Transfer<Sink>>>, Failure> {
    let mut silence_until = Some(now_ns() + SILENCE_NS);
    while !stop.load(Ordering::Relaxed) {
        driver.turn()?;
        if let Some(ended) = driver.endpoint.take_ended() {
            return Ok(Some(ended));
        }
        let counts = driver.endpoint.counts();
        if counts.received > counts.foreign + counts.damaged {
            silence_until = None;
        }
        if silence_until.is_some_and(|until| until < now_ns()) {
            silence_until = None;
            let (peer, ours, tun) = (
                arguments.from,
                arguments.device.address,
                &arguments.device.tun,
            );
            eprintln!("onramp: no answer from {peer} yet; `ip route get {ours}` should name {tun}");
        }
    }
    Ok(None)
}
