//! A connection whose client moves to another address.

use super::end::address;
use super::{ConnectionParams, Quic, QuicPlan};
use noq_proto::{FourTuple, PathId};
use onramp_tcp::EcnField;
use std::collections::BTreeMap;

const SIZE_BYTES: u64 = 5_000_000;
const ONE_WAY_NS: u64 = 20_000_000;
/// 50 Mbit/s.
const NS_PER_BYTE: u64 = 160;

/// A connection over a path of 50 Mbit/s and 40 ms without a limit of its queue.
struct Path {
    quic: Quic,
    now_ns: u64,
    free_ns: [u64; 2],
    /// Datagrams by the time and order of their arrival, with the end that gets them.
    arrivals: BTreeMap<(u64, u64), (bool, Vec<u8>)>,
    sent: u64,
    timers_ns: [u64; 2],
    read_bytes: u64,
}

impl Path {
    fn new() -> Path {
        let text = "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"40 ms\"\n\
                    [receiver]\nbuffer = \"64 MiB\"\n\
                    [[transfer]]\nsize = \"5 MB\"\ntransport = \"quic\"\nstartup = \"onramp\"\n";
        let case = onramp_scenario::parse("x.toml", text)
            .unwrap()
            .cases
            .remove(0);
        let params = ConnectionParams {
            datagram_bytes: 1472,
            memory_key: 1,
        };
        let plan = QuicPlan::of(&case).unwrap();
        let mut path = Path {
            quic: Quic::connect(&plan, &params, 7, 0, SIZE_BYTES, None),
            now_ns: 0,
            free_ns: [0; 2],
            arrivals: BTreeMap::new(),
            sent: 0,
            timers_ns: [u64::MAX; 2],
            read_bytes: 0,
        };
        path.drive(false);
        path
    }

    fn drive(&mut self, is_server: bool) {
        let (free_ns, now_ns) = (&mut self.free_ns[usize::from(is_server)], self.now_ns);
        let (arrivals, sent) = (&mut self.arrivals, &mut self.sent);
        let send = |bytes: &[u8], _: EcnField| {
            *free_ns = now_ns.max(*free_ns) + bytes.len() as u64 * NS_PER_BYTE;
            *sent += 1;
            arrivals.insert((*free_ns + ONE_WAY_NS, *sent), (!is_server, bytes.to_vec()));
        };
        let progress = self.quic.drive(is_server, now_ns, send);
        self.read_bytes += progress.read_bytes;
        self.timers_ns[usize::from(is_server)] = progress.next_ns.max(now_ns + 1);
    }

    /// Runs until the client has read this much.
    fn run_until_read(&mut self, bytes: u64) {
        while self.read_bytes < bytes {
            let arrival_ns = self.arrivals.keys().next().map_or(u64::MAX, |key| key.0);
            let timer_ns = self.timers_ns[0].min(self.timers_ns[1]);
            self.now_ns = arrival_ns.min(timer_ns);
            assert!(self.now_ns < 60_000_000_000, "{}", self.read_bytes);
            let is_server = if arrival_ns <= timer_ns {
                let (_, (is_server, bytes)) = self.arrivals.pop_first().unwrap();
                self.quic
                    .receive(is_server, self.now_ns, &bytes, EcnField::NotEct);
                is_server
            } else {
                let is_server = self.timers_ns[1] == timer_ns;
                self.quic.on_timer(is_server, self.now_ns);
                is_server
            };
            self.drive(is_server);
        }
    }

    /// The server sees the client's datagrams come from another host from now on.
    fn move_client(&mut self) {
        self.quic.server.0.peer = FourTuple::from_remote(address(3));
    }

    fn server_window_bytes(&mut self) -> u64 {
        let connection = self.quic.server.0.connection().unwrap();
        connection.congestion_state(PathId::ZERO).unwrap().window()
    }
}

#[test]
fn a_client_that_moves_gets_the_rest_from_a_start_up_that_begins_again() {
    let mut path = Path::new();
    path.run_until_read(2_000_000);
    let before = path.quic.take_decisions().0;
    assert!(before
        .iter()
        .any(|(_, decision)| decision.estimate_bytes_per_s > 0));
    let window_bytes = path.server_window_bytes();
    path.move_client();
    let moved_ns = path.now_ns;
    // The old path's flight still arrives. The first packets of the new path follow it.
    let mut least_bytes = window_bytes;
    while path.now_ns < moved_ns + 4 * ONE_WAY_NS {
        path.run_until_read(path.read_bytes + 1);
        least_bytes = least_bytes.min(path.server_window_bytes());
    }
    assert!(
        window_bytes > 200_000 && least_bytes < 20_000,
        "{window_bytes} {least_bytes}"
    );
    path.run_until_read(SIZE_BYTES);
    assert_eq!(path.quic.failure(), None);
    let after = path.quic.take_decisions().0;
    assert!(
        after
            .iter()
            .any(|(time_ns, decision)| *time_ns > moved_ns && decision.estimate_bytes_per_s > 0),
        "the new path is measured"
    );
}
