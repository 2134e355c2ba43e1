//! `onramp quic get`.

use super::{failed, Signals};
use crate::cli::QuicGetArguments;
use crate::commands::tcp::Sink;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED};
use onramp_cli::text;
use onramp_cli::Answer;
use onramp_hq::{Client, ClientSettings, QlogFolder, Session, TransportLimits, Trust, Url};
use serde::Serialize;
use std::cell::Cell;
use std::io::{self, Write};
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
        let address = urls[0].address().map_err(failed)?;
        let client = Client::new(settings.clone(), address).map_err(failed)?;
        let received_bytes = Cell::new(0);
        let downloads = download_all(&client, address, urls, arguments, json, &received_bytes);
        let result = tokio::select! {
            result = downloads => result,
            () = signals.wait() => Err(interrupted(received_bytes.get())),
        };
        client.finish().await;
        result?;
    }
    Ok(DONE)
}

/// A signal came in the middle of a download, or before one.
fn interrupted(received_bytes: u64) -> Failure {
    let received = text::bytes(received_bytes);
    Failure::new(INTERRUPTED, format!("interrupted after {received}"))
}

/// Downloads from one server. `received_bytes` counts what has arrived of the present download.
async fn download_all(
    client: &Client,
    address: SocketAddr,
    urls: &[Url],
    arguments: &QuicGetArguments,
    json: bool,
    received_bytes: &Cell<u64>,
) -> Result<(), Failure> {
    let session = client
        .connect(address, &urls[0].host)
        .await
        .map_err(failed)?;
    for url in urls {
        received_bytes.set(0);
        let mut counted = Counted {
            sink: Sink::choose(arguments.output.as_deref())?,
            received_bytes,
        };
        let report = download(&session, url, address, &mut counted).await?;
        counted.sink.finish()?;
        print(
            &report,
            arguments.output.as_deref() == Some(Path::new("-")),
            json,
        );
    }
    Ok(())
}

/// A sink that counts what it takes.
struct Counted<'a> {
    sink: Sink,
    received_bytes: &'a Cell<u64>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.received_bytes
            .set(self.received_bytes.get() + written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
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
        qlog: qlog.transpose().map_err(failed)?,
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
    sink: &mut Counted<'_>,
) -> Result<Report, Failure> {
    let download = session.get(&url.path, sink).await.map_err(failed)?;
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
