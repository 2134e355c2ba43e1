//! A server and clients in one process.

use onramp_hq::noq::{Endpoint, PathId};
use onramp_hq::{
    Client, ClientSettings, Event, Identity, Served, Server, ServerSettings, Session,
    TransportLimits, Trust,
};
use onramp_quic::noq::status;
use onramp_testing::HANG;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running server.
pub struct Running {
    pub address: SocketAddr,
    pub trust: Trust,
    pub endpoint: Endpoint,
    pub served: Arc<Mutex<Vec<Served>>>,
    /// For each request, the BDP that the start-up of its connection remembered.
    pub remembered: Arc<Mutex<Vec<u64>>>,
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Running {
    pub fn start(change: impl FnOnce(&mut ServerSettings)) -> Running {
        let identity = Identity::self_signed(vec!["localhost".into()]).unwrap();
        let trust = Trust::Certificate(identity.fingerprint());
        let mut settings = ServerSettings::new(identity);
        // A busy machine may need longer for a test than the default.
        settings.transport.idle_timeout = HANG;
        settings.grace = HANG;
        change(&mut settings);
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), settings).unwrap();
        let address = server.address().unwrap();
        let endpoint = server.endpoint().clone();
        let served = Arc::new(Mutex::new(Vec::new()));
        let log = served.clone();
        let remembered = Arc::new(Mutex::new(Vec::new()));
        let known = remembered.clone();
        let (end, ended) = oneshot::channel();
        let ended = async { drop(ended.await) };
        let report = move |event: Event<'_>| {
            if let Event::Served(connection, served) = event {
                let controller = connection.congestion_state(PathId::ZERO);
                let status = controller.and_then(|controller| status(&*controller));
                let bytes = status
                    .and_then(|status| status.remembered_bytes)
                    .unwrap_or(0);
                known.lock().unwrap().push(bytes);
                log.lock().unwrap().push(served);
            }
        };
        let task = tokio::spawn(server.run(ended, report));
        Running {
            address,
            trust,
            endpoint,
            served,
            remembered,
            end,
            task,
        }
    }

    pub fn client_settings(&self) -> ClientSettings {
        ClientSettings {
            trust: self.trust.clone(),
            transport: TransportLimits {
                idle_timeout: HANG,
                ..TransportLimits::default()
            },
            ..ClientSettings::default()
        }
    }

    pub fn client(&self) -> Client {
        let settings = self.client_settings();
        Client::new(settings, self.address).unwrap()
    }

    /// A client on a socket of its own.
    pub fn client_at(&self, address: &str) -> Client {
        let settings = self.client_settings();
        Client::on(settings, std::net::UdpSocket::bind(address).unwrap()).unwrap()
    }

    pub async fn session(&self, client: &Client) -> Session {
        client.connect(self.address, "localhost").await.unwrap()
    }

    /// Tells the server to end. The returned task completes when it has.
    pub fn end(self) -> JoinHandle<()> {
        let _ = self.end.send(());
        self.task
    }
}

/// Runs a test on one thread, with a limit for a test that hangs.
pub fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let limited = async {
        tokio::time::timeout(HANG, test)
            .await
            .expect("the test hangs")
    };
    runtime.unwrap().block_on(limited);
}

/// A writer that lets one wait for a number of bytes.
#[derive(Clone, Default)]
pub struct Counted(Arc<std::sync::atomic::AtomicU64>);

impl Counted {
    pub fn bytes(&self) -> u64 {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }

    pub async fn wait_for(&self, bytes: u64) {
        while self.bytes() < bytes {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }
}

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let length = bytes.len() as u64;
        self.0
            .fetch_add(length, std::sync::atomic::Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
