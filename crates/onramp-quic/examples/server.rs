//! A server with noq whose downloads start with `onramp`, and that remembers the paths of clients.
//!
//! It answers each stream with the number of bytes that the stream asks for, as text:
//! `cargo run -p onramp-quic --features noq --example server`.

use noq::{Endpoint, Incoming, ServerConfig, TransportConfig};
use onramp_core::memory::Memory;
use onramp_quic::noq::StartupConfig;
use onramp_quic::{Paths, Startup};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use std::error::Error;
use std::sync::Arc;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let config = ServerConfig::with_single_cert(vec![CertificateDer::from(own.cert)], key.into())?;
    let endpoint = Endpoint::server(config.clone(), "127.0.0.1:4433".parse()?)?;
    let paths = Paths::new();
    while let Some(incoming) = endpoint.accept().await {
        let config = config_of(&incoming, &config, &paths)?;
        tokio::spawn(async move {
            if let Err(error) = serve(incoming, config).await {
                eprintln!("a connection ended: {error}");
            }
        });
    }
    Ok(())
}

/// Each connection has its own start-up, which knows the path to its client.
fn config_of(
    incoming: &Incoming,
    config: &ServerConfig,
    paths: &Paths,
) -> Result<ServerConfig, Failure> {
    let path = paths.path(None, incoming.remote_address().ip(), Memory::Careful);
    let startup = StartupConfig::new(Startup::Onramp).path(path);
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(startup));
    let mut config = config.clone();
    config.transport_config(Arc::new(transport));
    Ok(config)
}

async fn serve(incoming: Incoming, config: ServerConfig) -> Result<(), Failure> {
    let connection = incoming.accept_with(Arc::new(config))?.await?;
    loop {
        let (mut answer, mut request) = connection.accept_bi().await?;
        let bytes = String::from_utf8(request.read_to_end(20).await?)?
            .trim()
            .parse()?;
        answer.write_all(&vec![b'x'; bytes]).await?;
        answer.finish()?;
    }
}
