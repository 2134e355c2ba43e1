// SPDX-License-Identifier: MIT OR Apache-2.0
//! Uploads of neqo in neqo's own simulator: `uploads MBIT_PER_S RTT_MS QUEUE_TENTHS_BDP BYTES
//! SLOW_START...` prints a line of `name=value` for each slow start.

use std::{
    cell::RefCell,
    env,
    fmt::{self, Debug, Formatter},
    process::ExitCode,
    rc::Rc,
    time::{Duration, Instant},
};

use neqo_common::Datagram;
use neqo_transport::{ConnectionParameters, Output, SlowStart, State, StreamType};
use test_fixture::{
    boxed, fixture_init,
    sim::{
        self, Simulator,
        connection::{Node, ReachState, ReceiveData, SendData},
        network::{Aqm, Mtu, TailDrop},
    },
};

/// Bytes of the IP packets on the path, as Ethernet has them.
const PATH_MTU: usize = 1_500;
/// The receiver's windows. neqo's 1 MiB would limit the longest of the paths.
const RECEIVER_WINDOW: u64 = 16 << 20;
/// The queue for ACKs never overflows.
const ACK_QUEUE: usize = 1 << 20;
/// What the simulator's link adds to each datagram.
const OVERHEAD: usize = 80;

/// Counts what passes.
struct Counter {
    packets: Rc<RefCell<u64>>,
}

impl sim::Node for Counter {
    fn init(&mut self, _rng: Rc<RefCell<sim::rng::Random>>, _now: Instant) {}

    fn process(&mut self, datagram: Option<Datagram>, _now: Instant) -> Output {
        *self.packets.borrow_mut() += u64::from(datagram.is_some());
        datagram.into()
    }

    fn prepare(&mut self, _now: Instant) {
        *self.packets.borrow_mut() = 0;
    }
}

impl Debug for Counter {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str("counter")
    }
}

struct Path {
    bytes_per_s: usize,
    rtt: Duration,
    queue_bytes: usize,
}

impl Path {
    fn link(&self, queue_bytes: usize) -> TailDrop {
        TailDrop::new(self.bytes_per_s, queue_bytes, Aqm::None, self.rtt / 2)
    }
}

/// The time of an upload behind the handshake, and how many packets left and were dropped.
fn upload(path: &Path, bytes: usize, slow_start: SlowStart) -> (Duration, u64, u64) {
    let parameters = || {
        ConnectionParameters::default()
            .pmtud(true)
            .mlkem(false)
            .slow_start(slow_start)
            .max_data(RECEIVER_WINDOW)
            .max_stream_data(StreamType::UniDi, true, RECEIVER_WINDOW)
    };
    let [sent, passed] = [(); 2].map(|()| Rc::new(RefCell::new(0)));
    let counter = |packets: &Rc<RefCell<u64>>| Counter {
        packets: Rc::clone(packets),
    };
    let time = Simulator::new(
        "upload",
        boxed![
            Node::new_client(
                parameters(),
                boxed![ReachState::new(State::Confirmed)],
                boxed![SendData::new(bytes)]
            ),
            Mtu::new(PATH_MTU),
            counter(&sent),
            path.link(path.queue_bytes),
            counter(&passed),
            Node::new_server(
                parameters(),
                boxed![ReachState::new(State::Confirmed)],
                boxed![ReceiveData::new(bytes)]
            ),
            Mtu::new(PATH_MTU),
            path.link(ACK_QUEUE),
        ],
    )
    .setup()
    .run();
    let (sent, passed) = (*sent.borrow(), *passed.borrow());
    (time, sent, passed)
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [mbit_per_s, rtt_ms, queue_tenths, bytes, slow_starts @ ..] = arguments else {
        return Err("usage: uploads MBIT_PER_S RTT_MS QUEUE_TENTHS_BDP BYTES SLOW_START...".into());
    };
    let number = |text: &String| {
        text.parse::<usize>()
            .map_err(|error| format!("`{text}`: {error}"))
    };
    let bytes_per_s = number(mbit_per_s)? * 125_000;
    let rtt = Duration::from_millis(u64::try_from(number(rtt_ms)?).map_err(|e| e.to_string())?);
    let bdp_bytes = bytes_per_s * number(rtt_ms)? / 1_000;
    let path = Path {
        bytes_per_s,
        rtt,
        queue_bytes: (bdp_bytes * number(queue_tenths)? / 10).max(PATH_MTU + OVERHEAD),
    };
    for name in slow_starts {
        let slow_start = name
            .parse()
            .map_err(|_| format!("neqo has no slow start `{name}`"))?;
        let (time, sent, passed) = upload(&path, number(bytes)?, slow_start);
        println!(
            "slow_start={name} time_us={} sent={sent} passed={passed}",
            time.as_micros()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    fixture_init();
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("uploads: {reason}");
            ExitCode::from(2)
        }
    }
}
