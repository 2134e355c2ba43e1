//! `onramp quic serve`.

use super::{failed, memory, Signals};
use crate::cli::QuicServeArguments;
use onramp_cli::failure::{Failure, DONE};
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::Answer;
use onramp_hq::noq::{Connection, PathId};
use onramp_hq::{
    Congestion, Event, Identity, Paths, QlogFolder, Served, Server, ServerSettings, TransportLimits,
};
use onramp_quic::Exit;
use onramp_scenario::NO_STARTUP;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

pub async fn run(arguments: &QuicServeArguments, json: bool) -> Answer {
    let paths = Paths::new();
    if let Some(file) = &arguments.memory_file {
        memory::restore(&paths, file)?;
    }
    let mut signals = Signals::new()?;
    let settings = settings(arguments, paths.clone())?;
    let fingerprint = settings.identity.fingerprint();
    let certificate = settings.identity.to_pem().to_owned();
    let server = Server::bind(arguments.listen, settings).map_err(failed)?;
    if let Some(file) = &arguments.identity.write_certificate {
        write_certificate(file, &certificate)?;
    }
    eprintln!(
        "onramp: listening on {} (UDP), certificate SHA-256 {fingerprint}",
        server.address().map_err(failed)?
    );
    let (ending, ended) = tokio::sync::oneshot::channel::<()>();
    let end = async { drop(ended.await) };
    let report = move |event: Event<'_>| {
        if let Event::Served(connection, served) = event {
            print(&Line::of(connection, &served), json);
        }
    };
    let endpoint = server.endpoint().clone();
    let serving = server.run(end, report);
    let signalled = async {
        signals.wait().await;
        drop(ending);
        // A second signal ends the grace time: a server whose endpoint is closed ends.
        signals.wait().await;
        endpoint.close(0_u8.into(), b"the server was stopped");
        std::future::pending().await
    };
    tokio::select! {
        () = serving => {}
        () = signalled => {}
    }
    if let Some(file) = &arguments.memory_file {
        memory::save(&paths, file)?;
    }
    Ok(DONE)
}

fn settings(arguments: &QuicServeArguments, paths: Paths) -> Result<ServerSettings, Failure> {
    let congestion = Congestion {
        startup: Some(arguments.startup.clone()).filter(|name| name != NO_STARTUP),
        avoidance: arguments.avoidance,
        initial_window_bytes: arguments.initial_window,
        paths,
        memory: arguments.memory.unwrap_or_default(),
        observer: None,
    };
    let qlog = arguments.qlog.as_deref().map(QlogFolder::create);
    Ok(ServerSettings {
        folder: arguments.folder.clone(),
        congestion,
        transport: TransportLimits {
            streams: arguments.streams,
            ..TransportLimits::default()
        },
        connections: arguments.connections as usize,
        connections_per_prefix: arguments.connections_per_prefix as usize,
        grace: Duration::from_nanos(arguments.grace),
        qlog: qlog.transpose().map_err(failed)?,
        ..ServerSettings::new(identity(arguments)?)
    })
}

fn identity(arguments: &QuicServeArguments) -> Result<Identity, Failure> {
    let options = &arguments.identity;
    if let (Some(certificate), Some(key)) = (&options.certificate, &options.key) {
        return Identity::from_files(certificate, key).map_err(failed);
    }
    Identity::self_signed(options.name.clone()).map_err(failed)
}

fn write_certificate(file: &Path, pem: &str) -> Result<(), Failure> {
    std::fs::write(file, pem).map_err(|error| Failure::at("write the certificate", file, error))
}

/// A request that was answered. The serialised names are an interface (`--json`).
#[derive(Serialize)]
struct Line {
    peer: String,
    path: String,
    /// Bytes that the client acknowledged.
    bytes: u64,
    time_s: f64,
    goodput_bytes_per_s: u64,
    lost_packets: u64,
    sent_packets: u64,
    rtt_ms: f64,
    /// The phase of the start-up; `None` without one.
    phase: Option<&'static str>,
    /// Why it ended; `None` if it did not.
    exit: Option<&'static str>,
    estimate_bytes_per_s: Option<u64>,
    /// Why there is no whole answer.
    failure: Option<String>,
}

impl Line {
    fn of(connection: &Connection, served: &Served) -> Line {
        let path = connection.path_stats(PathId::ZERO).unwrap_or_default();
        let controller = connection.congestion_state(PathId::ZERO);
        let decision = controller
            .and_then(|controller| onramp_quic::noq::status(&*controller))
            .and_then(|status| status.decision);
        let bytes = *served.outcome.as_ref().unwrap_or(&0);
        let time_s = served.time.as_secs_f64();
        Line {
            peer: served.peer.to_string(),
            path: served.path.clone(),
            bytes,
            time_s,
            goodput_bytes_per_s: (bytes as f64 / time_s.max(1e-9)) as u64,
            lost_packets: path.lost_packets - path.lost_plpmtud_probes,
            sent_packets: path.sent_packets,
            rtt_ms: path.rtt.as_secs_f64() * 1e3,
            phase: decision.map(|decision| decision.phase().name()),
            exit: decision
                .filter(|decision| decision.is_over())
                .and_then(|decision| decision.exit())
                .map(Exit::name),
            estimate_bytes_per_s: decision.and_then(|decision| decision.estimate_bytes_per_s()),
            failure: served.outcome.as_ref().err().map(ToString::to_string),
        }
    }
}

fn print(line: &Line, json: bool) {
    if json {
        say!(
            "{}",
            serde_json::to_string(line).expect("the keys of our records are strings")
        );
        return;
    }
    if let Some(failure) = &line.failure {
        say!("{} {}: {failure}", line.peer, line.path);
        return;
    }
    let startup = match (line.phase, line.exit) {
        (None, _) => String::new(),
        (Some(_), Some(exit)) => format!("; start-up ended: {exit}"),
        (Some(phase), None) => format!("; start-up in phase {phase}"),
    };
    say!(
        "{} {}: {} in {:.3} s, {}; {} of {} lost{startup}",
        line.peer,
        line.path,
        text::bytes(line.bytes),
        line.time_s,
        text::rate(line.goodput_bytes_per_s),
        line.lost_packets,
        text::count(line.sent_packets as usize, "packet"),
    );
}
