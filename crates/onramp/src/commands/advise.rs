//! `onramp advise`: observes the connections of this host, changes nothing, and lets `onramp-study`
//! judge what a start-up would gain.

use crate::cli::AdviseArguments;
use crate::study;
use nix::sys::memfd::{memfd_create, MFdFlags};
use onramp_cli::failure::{Failure, DONE, HOST_LACKS, INTERRUPTED};
use onramp_cli::signals::{system, Signals};
use onramp_cli::text::count;
use onramp_cli::Answer;
use onramp_kernel::{probe, Observations, Observer};
use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::time::Instant;

pub fn run(arguments: &AdviseArguments, json: bool) -> Answer {
    if !arguments.saved().is_empty() {
        return judge(arguments.saved(), arguments, json);
    }
    let observations = observe(arguments)?;
    if let Some(path) = &arguments.save {
        let file = File::create(path);
        let written = file.and_then(|file| observations.write(BufWriter::new(file)));
        written.map_err(|error| Failure::at("write", path, error))?;
        return match judge(std::slice::from_ref(path), arguments, json) {
            // The observations are there, which is what was asked for.
            Err(failure) if failure.code() == HOST_LACKS => {
                eprintln!("onramp: {failure}");
                eprintln!(
                    "onramp: the observations are in {}: `onramp judge` judges them on any host",
                    path.display()
                );
                Ok(DONE)
            }
            answer => answer,
        };
    }
    // A file without a name: nothing of it can be left.
    let file = memfd_create(c"observations", MFdFlags::empty())
        .map(File::from)
        .map_err(|error| system("make a file in memory", error))?;
    observations
        .write(BufWriter::new(&file))
        .map_err(|error| system("write the observations", error))?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    judge(&[PathBuf::from(path)], arguments, json)
}

/// Observes until the time is over, or a signal comes.
fn observe(arguments: &AdviseArguments) -> Result<Observations, Failure> {
    let mut signals = Signals::block()?;
    let observer = Observer::new(arguments.most.get())?;
    let begin = Instant::now();
    eprintln!(
        "onramp: observing this host for {} s; nothing changes. Ctrl-C ends it earlier.",
        arguments.duration.as_secs_f64().round()
    );
    let mut is_ended = false;
    while !is_ended && begin.elapsed() < arguments.duration {
        // At most 100 ms, in which the kernel's ring does not get full
        let mut is_signalled = false;
        is_ended = signals.wait(|_| is_signalled = true)? || is_signalled;
        observer.look();
    }
    let for_s = begin.elapsed().as_secs_f64();
    let (connections, observed) = (observer.take(), observer.observed());
    eprintln!(
        "onramp: {} in {for_s:.0} s, {} of them ended, {} sent no payload.",
        count(observed.opened as usize, "new connection"),
        observed.ended,
        observed.idle
    );
    if is_ended && connections.is_empty() {
        return Err(Failure::new(
            INTERRUPTED,
            "interrupted before a connection ended",
        ));
    }
    Ok(Observations {
        kernel: probe::kernel_release(),
        for_s,
        observed,
        connections,
    })
}

/// Replaces this process by `onramp judge`. Returns only if that fails.
fn judge(files: &[PathBuf], arguments: &AdviseArguments, json: bool) -> Answer {
    let mut options: Vec<OsString> = vec!["judge".into()];
    options.extend(json.then(|| "--json".into()));
    if let Some(config) = &arguments.config {
        options.extend(["--config".into(), config.into()]);
    }
    if let Some(page) = &arguments.page {
        options.extend(["--page".into(), page.into()]);
    }
    for file in &arguments.compare {
        options.extend(["--compare".into(), file.into()]);
    }
    options.push("--".into());
    options.extend(files.iter().map(|file| file.into()));
    let error = study::program().args(options).exec();
    Err(study::not_started("judge", &error))
}
