//! `onramp tcp get`.

use super::failed;
use super::print::{complete, print, Style};
use super::sink::Sink;
use super::source::Source;
use crate::cli::GetArguments;
use crate::commands::runs;
use onramp_cli::failure::INTERRUPTED;
use onramp_cli::Answer;
use onramp_tun::transfer::{get, Transfer};
use onramp_tun::Driver;
use std::path::Path;

pub fn run(arguments: &GetArguments, json: bool) -> Answer {
    let (from, address) = (arguments.from.ip(), arguments.device.address);
    if from.is_ipv4() != address.is_ipv4() {
        let error = onramp_tun::Error::MixedVersions {
            option: "--from",
            found: from,
            address,
        };
        return Err(failed(error));
    }
    let source = Source::choose(arguments.send.as_deref(), arguments.size, true)?;
    let sink = Sink::choose(arguments.output.as_deref())?;
    let mut driver: Driver<Transfer<Sink>> = arguments
        .device
        .settings()
        .open(|mtu_bytes| arguments.tcp.config(&arguments.device.address, mtu_bytes))
        .map_err(failed)?;
    let stop = runs::stop_flag();
    let reader = source.as_ref().map(Source::open).transpose()?;
    let transfer = Transfer::new(reader, sink, true);
    let style = Style {
        json,
        stdout_is_data: arguments.output.as_deref() == Some(Path::new("-")),
    };

    let warn_of_silence = || {
        let (peer, ours, tun) = (
            arguments.from,
            arguments.device.address,
            &arguments.device.tun,
        );
        eprintln!(
            "onramp: no answer from {peer} yet; check that `ip route get {ours}` names {tun}"
        );
    };
    let ended = get(
        &mut driver,
        arguments.from,
        transfer,
        &stop,
        warn_of_silence,
    )
    .map_err(failed)?;
    let counts = driver.endpoint.counts();
    let report = ended.map(|ended| complete(ended, counts)).transpose()?;
    driver.close().map_err(failed)?;
    Ok(report.map_or(INTERRUPTED, |report| print(&report, style)))
}
