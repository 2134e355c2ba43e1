//! An RTT estimator of noq. Only noq can make one, so a controller catches that of a handshake.

use bytes::BytesMut;
use noq_proto::congestion::{Controller, ControllerFactory};
use noq_proto::crypto::rustls::QuicClientConfig;
use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, FourTuple,
    RttEstimator, ServerConfig, TransportConfig,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::any::Any;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The estimator of a connection whose handshake took this long.
pub fn capture(rtt: Duration) -> RttEstimator {
    let caught = Arc::<Mutex<Option<RttEstimator>>>::default();
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(Catcher(caught.clone())));
    let transport = Arc::new(transport);
    let (server_config, client_config) = tls(&transport);
    let endpoint = |server| Endpoint::new(Arc::new(EndpointConfig::default()), server, false);
    let (mut server, mut client) = (endpoint(Some(Arc::new(server_config))), endpoint(None));
    let address: SocketAddr = ([127, 0, 0, 1], 4433).into();
    let mut now = Instant::now();
    let connecting = client.connect(now, client_config, address, "localhost");
    let mut client_end = Some(connecting.expect("a client configuration"));
    let mut server_end = None;
    loop {
        carry(now, address, &mut client_end, &mut server, &mut server_end);
        now += rtt;
        carry(now, address, &mut server_end, &mut client, &mut client_end);
        if let Some(estimator) = *caught.lock().expect("no panic") {
            return estimator;
        }
    }
}

type End = Option<(ConnectionHandle, Connection)>;

/// Carries all datagrams of one end to the other.
fn carry(now: Instant, from: SocketAddr, end: &mut End, peer: &mut Endpoint, peer_end: &mut End) {
    let Some((_, connection)) = end else { return };
    let mut buffer = Vec::new();
    while let Some(transmit) = connection.poll_transmit(now, NonZeroUsize::MIN, &mut buffer) {
        let datagram = BytesMut::from(&buffer[..transmit.size]);
        let four_tuple = FourTuple::from_remote(from);
        let mut response = Vec::new();
        match peer.handle(now, four_tuple, None, datagram, &mut response) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                *peer_end = peer.accept(incoming, now, &mut response, None).ok();
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = peer_end {
                    connection.handle_event(event);
                }
            }
            _ => {}
        }
        buffer.clear();
    }
}

fn tls(transport: &Arc<TransportConfig>) -> (ServerConfig, ClientConfig) {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let certificate = CertificateDer::from(own.cert);
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
    let server = ServerConfig::with_single_cert(vec![certificate.clone()], key);
    let mut server = server.expect("the key belongs to the certificate");
    server.transport_config(transport.clone());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let crypto = rustls::ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let crypto = QuicClientConfig::try_from(crypto).expect("TLS 1.3");
    let mut client = ClientConfig::new(Arc::new(crypto));
    client.transport_config(transport.clone());
    (server, client)
}

/// Catches the second estimator, which has an RTT sample.
#[derive(Clone, Debug)]
struct Catcher(Arc<Mutex<Option<RttEstimator>>>);

impl ControllerFactory for Catcher {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Catcher(self.0.clone()))
    }
}

impl Controller for Catcher {
    fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: u64, _: bool, rtt: &RttEstimator) {
        *self.0.lock().expect("no panic") = Some(*rtt);
    }
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: bool, _: u64, _: u64) {}
    fn on_mtu_update(&mut self, _: u16) {}
    fn window(&self) -> u64 {
        100_000
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
    fn initial_window(&self) -> u64 {
        self.window()
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
