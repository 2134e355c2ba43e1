//! `onramp quic get`.

use super::Signals;
use crate::cli::QuicGetArguments;
use crate::commands::tcp::Sink;
use crate::commands::Answer;
use crate::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED};
use crate::text;
use onramp_hq::{Client, ClientSettings, QlogFolder, Session, TransportLimits, Trust, Url};
use serde::Serialize;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

pub async fn run(arguments: &QuicGetArguments, json: bool) -> Answer {
    if arguments.output.is_some() && arguments.urls.len() > 1 {
        let message = "--output takes one download: give one URL, or call the command for each";
        return Err(Failure::new(BAD_INPUT, message));
    }
    let mut signals = Signals::new()?;
    let settings = settings(arguments)?;
    for urls in arguments.urls.chunk_by(is_same_server) {
        let address = urls[0].address()?;
        let client = Client::new(settings.clone(), address)?;
        let result = tokio::select! {
            result = download_all(&client, address, urls, arguments, json) => result.map(|()| DONE),
            _ = signals.wait() => Ok(INTERRUPTED),
        };
        client.finish().await;
        if result? == INTERRUPTED {
            return Ok(INTERRUPTED);
        }
    }
    Ok(DONE)
}

/// Downloads from one server.
async fn download_all(
    client: &Client,
    address: SocketAddr,
    urls: &[Url],
    arguments: &QuicGetArguments,
    json: bool,
) -> Result<(), Failure> {
    let session = client.connect(address, &urls[0].host).await?;
    for url in urls {
        let mut sink = Sink::choose(arguments.output.as_deref())?;
        let report = download(&session, url, address, &mut sink).await?;
        sink.finish()?;
        print(
            &report,
            arguments.output.as_deref() == Some(Path::new("-")),
            json,
        );
    }
    Ok(())
}

fn is_same_server(a: &Url, b: &Url) -> bool {
    (&a.host, a.port) == (&b.host, b.port)
}

fn settings(arguments: &QuicGetArguments) -> Result<ClientSettings, Failure> {
    let trust = match (&arguments.pin, &arguments.ca, arguments.insecure) {
        (Some(hash), ..) => Trust::Certificate(*hash),
        (_, Some(file), _) => Trust::Authorities(file.clone()),
        (_, _, true) => Trust::Anyone,
        _ => Trust::Host,
    };
    let qlog = arguments.qlog.as_deref().map(QlogFolder::create);
    Ok(ClientSettings {
        trust,
        transport: TransportLimits {
            receive_window_bytes: arguments.receive_window,
            idle_timeout: Duration::from_nanos(arguments.silence),
            ..TransportLimits::default()
        },
        qlog: qlog.transpose()?,
    })
}

/// A download. The serialised names are an interface (`--json`).
#[derive(Serialize)]
struct Report {
    host: String,
    address: String,
    path: String,
    bytes: u64,
    /// From the first packet of the connection to the end of its handshake.
    handshake_s: f64,
    /// From the request to its first byte.
    first_byte_s: f64,
    /// From the request to its last byte.
    time_s: f64,
    goodput_bytes_per_s: u64,
    /// The content was generated, and each byte is as it was sent.
    verified: bool,
}

async fn download(
    session: &Session,
    url: &Url,
    address: SocketAddr,
    sink: &mut Sink,
) -> Result<Report, Failure> {
    let download = session.get(&url.path, sink).await?;
    let time_s = download.time.as_secs_f64();
    Ok(Report {
        host: url.host.clone(),
        address: address.to_string(),
        path: download.path,
        bytes: download.bytes,
        handshake_s: session.handshake.unwrap_or_default().as_secs_f64(),
        first_byte_s: download.first_byte.as_secs_f64(),
        time_s,
        goodput_bytes_per_s: (download.bytes as f64 / time_s.max(1e-9)) as u64,
        verified: download.is_verified,
    })
}

/// Prints the report: on standard error if standard output receives the data.
fn print(report: &Report, stdout_is_data: bool, json: bool) {
    let text = match json {
        true => serde_json::to_string(report).expect("the keys of our records are strings"),
        false => format!(
            "{}{}: {} in {:.3} s, {}; handshake {:.3} s, first byte after {:.3} s{}",
            report.address,
            report.path,
            text::bytes(report.bytes),
            report.time_s,
            text::rate(report.goodput_bytes_per_s),
            report.handshake_s,
            report.first_byte_s,
            if report.verified {
                "; each byte verified"
            } else {
                ""
            },
        ),
    };
    match stdout_is_data {
        false => text::out(format_args!("{text}\n")),
        true => eprintln!("{text}"),
    }
}
