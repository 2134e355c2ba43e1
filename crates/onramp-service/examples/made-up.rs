//! Serves made-up counts, for a look at the dashboard without a kernel: `cargo run -p
//! onramp-service --example made-up 127.0.0.1:9464`. The counts grow with the seconds.

use onramp_service::metrics::{Endpoint, Latest};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let address = arguments
        .next()
        .unwrap_or_else(|| "127.0.0.1:9464".to_owned());
    let address: SocketAddr = address.parse().expect("an address and a port");
    let socket = arguments.next().map(PathBuf::from);
    let latest = Arc::new(Latest::new(onramp_testing::samples::counts(1)));
    let endpoint = Endpoint::start(&[address], socket.as_deref(), Arc::clone(&latest));
    let endpoint = endpoint.expect("the address is free");
    println!("http://{}/metrics", endpoint.addresses()[0]);
    for size in 2.. {
        std::thread::sleep(Duration::from_secs(1));
        let mut counts = onramp_testing::samples::counts(size);
        counts.time_s = std::time::UNIX_EPOCH
            .elapsed()
            .expect("after 1970")
            .as_secs_f64();
        latest.set(counts);
    }
}
