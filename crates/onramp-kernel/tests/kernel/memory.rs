//! Path memory: what the kernel host remembers of paths, and which connection may use it.

use crate::common::{assert_decisions_match, connection_of, drop_arrivals, listener_on, machine};
use crate::cubic::Row;
use crate::hand_over::send_until;
use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use nix::libc;
use nix::time::{clock_gettime, ClockId};
use onramp_bpf::bindings;
use onramp_core::memory::{fits, Memory, LIFETIME_NS};
use onramp_core::{Start, OPTION_RESUME_AT_ONCE};
use onramp_kernel::{
    loaded, Avoidance, Error, Event, Input, Options, PathsMap, Registration, RememberedPath,
};
use onramp_testing::{undisturbed, wait_for, wait_until};
use std::io::{Read, Write};
use std::mem::offset_of;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// The BDP in the entries that these tests write.
const BDP_BYTES: u64 = 4_000_000;

/// The idle time after which a connection loses its hold on a path (core/parts/path_memory.h).
const IDLE: Duration = Duration::from_secs(1);

/// An ACK renews the hold if this time has passed since the last renewal.
const RENEWAL: Duration = Duration::from_millis(125);

/// A pause in which a connection keeps its hold.
const PAUSE: Duration = Duration::from_millis(700);

/// A registered start-up with path memory, and its map.
struct Host {
    registration: Registration,
    memory: PathsMap,
    map: MapHandle,
    /// The RTT in the entries that these tests write. Most handshakes over loopback fit it.
    rtt_ns: u64,
    _machine: MutexGuard<'static, ()>,
}

impl Host {
    /// `None` if this process may not load BPF programs.
    fn new(memory: Memory, memory_lifetime_ns: u64) -> Option<Host> {
        let options = Options {
            memory,
            memory_lifetime_ns,
            ..recording()
        };
        Host::with(&options).map(Result::unwrap)
    }

    fn with(options: &Options) -> Option<Result<Host, Error>> {
        let machine = machine()?;
        let before = memory_maps();
        let registration = match Registration::new(options) {
            Ok(registration) => registration,
            Err(error) => return Some(Err(error)),
        };
        let memory = registration
            .memory()
            .unwrap()
            .expect("the options ask for it");
        let id = memory_maps()
            .into_iter()
            .find(|id| !before.contains(id))
            .expect("the registration has a map");
        let map = MapHandle::from_map_id(id).unwrap();
        assert_eq!((memory.paths().unwrap(), map.max_entries()), (vec![], 4096));
        let mut host = Host {
            registration,
            memory,
            map,
            rtt_ns: 0,
            _machine: machine,
        };
        host.rtt_ns = (0..20)
            .map(|_| host.connect().start.srtt_ns)
            .min()
            .expect("twenty");
        Some(Ok(host))
    }

    /// Writes an entry for the loopback path, as if saved and confirmed some time ago.
    fn remember(&self, age_ns: u64) {
        // struct onramp_path and struct onramp_path_entry of bpf/intf.h
        let address = Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets();
        let key = [
            &network_namespace_cookie().to_ne_bytes()[..],
            &address,
            &address,
        ]
        .concat();
        let saved_ns = boot_ns() - age_ns;
        let entry = [
            BDP_BYTES,
            self.rtt_ns,
            saved_ns,
            0,
            0,
            0,
            BDP_BYTES,
            saved_ns,
            0,
        ];
        let value: Vec<u8> = entry
            .iter()
            .flat_map(|number| number.to_ne_bytes())
            .collect();
        self.map.update(&key, &value, MapFlags::ANY).unwrap();
    }

    /// The only path that is remembered, if there is one.
    fn path(&self) -> Option<RememberedPath> {
        let paths = self.memory.paths().unwrap();
        assert!(paths.len() <= 1, "{paths:?}");
        paths.into_iter().next()
    }

    fn path_is_in_use(&self) -> bool {
        self.path().unwrap().in_use
    }

    /// The connection that has the path, by its own number; 0: none. An idle connection that has
    /// lost its hold stays here until another one uses the path.
    fn user(&self) -> u64 {
        const USER: usize = 24; // struct path_memory_entry
        let key = self.map.keys().next().expect("a path is remembered");
        let value = self.map.lookup(&key, MapFlags::ANY).unwrap().unwrap();
        u64::from_ne_bytes(value[USER..USER + 8].try_into().unwrap())
    }

    /// Lets a connection hold the remembered path, as if it had saved it.
    fn hold_path(&self, socket: &TcpStream) {
        const USER: usize = 24; // struct path_memory_entry
        let conns = MapInfoIter::default().filter(|info| info.name == "onramp_conns");
        let fd = socket.as_raw_fd().to_ne_bytes();
        let (conns, mut record) = conns
            .filter_map(|info| MapHandle::from_map_id(info.id).ok())
            .find_map(|map| Some((map.lookup(&fd, MapFlags::ANY).ok()??, map)))
            .map(|(record, map)| (map, record))
            .expect("the connection has a record");
        let at = offset_of!(bindings::Connection, path_refreshed_ns);
        record[at..at + 8].copy_from_slice(&boot_ns().to_ne_bytes());
        conns.update(&fd, &record, MapFlags::ANY).unwrap();
        let id = offset_of!(bindings::Connection, id);
        let key = self.map.keys().next().expect("a path is remembered");
        let mut entry = self.map.lookup(&key, MapFlags::ANY).unwrap().unwrap();
        entry[USER..USER + 8].copy_from_slice(&record[id..id + 8]);
        self.map.update(&key, &entry, MapFlags::ANY).unwrap();
    }

    /// Waits until the connection that had the path has given it back.
    #[track_caller]
    fn wait_until_given_back(&self) {
        wait_until("closing the connection frees the path", || self.user() == 0);
    }

    /// A connection over loopback whose sender uses the start-up.
    fn connect(&self) -> Connection {
        let listener = listener_on(self.registration.name());
        let (sender, receiver) = connection_of(&listener);
        // Earlier connections may have reported events in the meantime.
        let port = sender.local_addr().unwrap().port();
        let events = self.registration.take_events().into_iter();
        let events: Vec<Event> = events.filter(|event| event.local.port() == port).collect();
        assert_decisions_match("onramp", &events);
        let start = |event: &Event| match event.input {
            Input::Start(start) => Some(start),
            _ => None,
        };
        let starts: Vec<Start> = events.iter().filter_map(start).collect();
        let [start] = starts[..] else {
            panic!("one connection starts: {starts:?}")
        };
        Connection {
            sender,
            receiver,
            start,
        }
    }

    /// A connection that uses the remembered path. A handshake that is too short or too long for it
    /// uses nothing, so this tries again.
    fn connect_resuming(&self) -> Connection {
        wait_for("a handshake fits the remembered RTT", || {
            let connection = self.connect();
            let Start {
                srtt_ns,
                remembered_bytes,
                remembered_rtt_ns,
                ..
            } = connection.start;
            let fits = fits(self.rtt_ns, srtt_ns);
            let expected = if fits {
                (BDP_BYTES, self.rtt_ns)
            } else {
                (0, 0)
            };
            assert_eq!(
                (remembered_bytes, remembered_rtt_ns),
                expected,
                "{srtt_ns} ns"
            );
            fits.then_some(connection)
        })
    }
}

/// `onramp` with all events recorded.
fn recording() -> Options {
    Options {
        record: true,
        ..Options::new("onramp")
    }
}

struct Connection {
    sender: TcpStream,
    receiver: TcpStream,
    start: Start,
}

impl Connection {
    /// Sends a byte, so that the sender receives an ACK.
    fn send(&mut self) {
        self.sender.write_all(&[1]).unwrap();
        self.receiver.read_exact(&mut [0]).unwrap();
    }

    /// Waits until everything is acknowledged, and what CUBIC keeps no longer changes.
    fn wait_until_idle(&mut self) {
        let mut last = Vec::new();
        wait_until("nothing is in flight", || {
            let now = Row::of(&self.sender).cubic();
            std::mem::replace(&mut last, now.clone()) == now
        });
    }
}

fn memory_maps() -> Vec<u32> {
    MapInfoIter::default()
        .filter(|info| info.name == "onramp_memory")
        .map(|info| info.id)
        .collect()
}

fn network_namespace_cookie() -> u64 {
    const SO_NETNS_COOKIE: i32 = 71;
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut cookie, mut length) = (0u64, size_of::<u64>() as libc::socklen_t);
    // SAFETY: the kernel writes at most `length` bytes.
    let result = unsafe {
        let value = (&raw mut cookie).cast();
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_NETNS_COOKIE,
            value,
            &mut length,
        )
    };
    assert_eq!(result, 0);
    cookie
}

fn boot_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_BOOTTIME).unwrap();
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

#[test]
fn one_connection_at_a_time_uses_a_remembered_path() {
    for memory in [Memory::Careful, Memory::AtOnce] {
        let Some(host) = Host::new(memory, LIFETIME_NS) else {
            return;
        };
        let remembered = Instant::now();
        host.remember(1_000_000_000);
        let path = host.path().unwrap();
        let max_age_s = 1.0 + remembered.elapsed().as_secs_f64();
        let localhost = IpAddr::from(Ipv4Addr::LOCALHOST);
        assert_eq!((path.local, path.remote), (localhost, localhost));
        assert_eq!((path.carried_bytes, path.in_use), (BDP_BYTES, false));
        assert_eq!(path.confirmed_bytes, BDP_BYTES);
        assert!(
            (path.rtt_s * 1e9 - host.rtt_ns as f64).abs() < 1.0,
            "{path:?}"
        );
        assert!(
            (1.0..=max_age_s).contains(&path.age_s)
                && (path.age_s + path.left_s - 600.0).abs() < 1e-6,
            "{path:?}"
        );

        let connect_beside_it = || {
            let mut first = host.connect_resuming();
            assert_eq!(
                first.start.options & OPTION_RESUME_AT_ONCE,
                memory.options()
            );
            let mut longest = Duration::ZERO;
            let others_got = (0..5).map(|_| {
                first.send();
                let sent = Instant::now();
                let other = host.connect();
                longest = longest.max(sent.elapsed());
                other.start.remembered_bytes
            });
            let others_got: Vec<u64> = others_got.collect();
            drop(first);
            host.wait_until_given_back();
            (others_got, longest)
        };
        let (others_got, _) =
            undisturbed(connect_beside_it, |(_, longest)| *longest < IDLE - RENEWAL);
        assert_eq!(others_got, [0; 5], "the path is in use");
        drop(host.connect_resuming());
    }
}

#[test]
fn a_path_is_remembered_with_every_avoidance() {
    for &avoidance in Avoidance::ALL {
        let options = Options {
            avoidance,
            memory: Memory::AtOnce,
            ..recording()
        };
        let host = match Host::with(&options) {
            None => return,
            Some(Err(Error::NoAvoidance {
                avoidance: "bbr", ..
            })) => continue,
            Some(host) => host.unwrap(),
        };
        host.remember(0);
        let pauses = || {
            let mut connection = host.connect_resuming();
            connection.send();
            let begin = Instant::now();
            // Together these pauses are longer than the idle time; each is shorter.
            std::thread::sleep(PAUSE);
            let sending = Instant::now();
            connection.send();
            let first = begin.elapsed();
            std::thread::sleep(PAUSE);
            let is_in_use = host.path_is_in_use();
            let longest = first.max(sending.elapsed());
            drop(connection);
            host.wait_until_given_back();
            (is_in_use, longest)
        };
        let (is_in_use, _) = undisturbed(pauses, |(_, longest)| *longest < IDLE - RENEWAL);
        assert!(
            is_in_use,
            "{}: the ACK in between keeps the hold on the path",
            avoidance.name()
        );
    }
}

#[test]
fn a_connection_is_handed_over_when_it_loses_its_path_and_cubic_goes_on_as_it_was() {
    let options = Options {
        memory: Memory::Careful,
        governor_bound_ppm: 0,
        ..Options::new("onramp")
    };
    let Some(host) = Host::with(&options).map(Result::unwrap) else {
        return;
    };
    let hand_over = || {
        let mut connection = host.connect();
        host.remember(0);
        host.hold_path(&connection.sender);
        let before = wait_for("CUBIC is on its curve", || {
            let Connection {
                sender, receiver, ..
            } = &connection;
            // A loss sets W_max, and growth after it sets where CUBIC is on its curve.
            drop_arrivals(receiver, 13);
            send_until(sender, receiver, || {
                let cubic = Row::of(sender);
                cubic.member("last_max_cwnd") != 0 && cubic.member("epoch_start") != 0
            });
            drop_arrivals(receiver, 0);
            connection.wait_until_idle();
            // A timeout for the last of the losses begins the curve anew: once more.
            let before = Row::of(&connection.sender);
            (before.member("last_max_cwnd") != 0).then_some(before)
        });
        assert_eq!(before.congestion_control(), host.registration.name());

        host.memory.forget(None).unwrap();
        let after = wait_for("the connection is handed over", || {
            connection.send();
            let after = Row::of(&connection.sender);
            (after.congestion_control() == "cubic").then_some(after)
        });
        (before, after)
    };
    // On a busy machine a timeout may lower cwnd meanwhile.
    let cwnd_is_kept = |(before, after): &(Row, Row)| {
        let [cwnd, cwnd_before] = [after, before].map(|row| row.windows()[0].min(10));
        cwnd == cwnd_before
    };
    let (before, after) = undisturbed(hand_over, cwnd_is_kept);
    // After an idle time the kernel lowers a larger cwnd to the initial window, and raises
    // ssthresh to three quarters of cwnd. With every congestion control.
    let ([cwnd, ssthresh], [cwnd_before, ssthresh_before]) = (after.windows(), before.windows());
    assert_eq!(cwnd.min(10), cwnd_before.min(10));
    assert!(ssthresh >= ssthresh_before, "{before:?} {after:?}");
    for (name, value) in before.cubic() {
        match name {
            // Each ACK may lower the minimum RTT, and a pause moves the curve, as ever.
            "delay_min" => assert!(after.member(name) <= value && after.member(name) > 0),
            // A curve that has not begun (0) may begin.
            "epoch_start" => assert!(after.member(name) >= value, "{before:?} {after:?}"),
            _ => assert_eq!(after.member(name), value, "{name}: {before:?} {after:?}"),
        }
    }
}

#[test]
fn remembered_paths_can_be_forgotten() {
    let Some(host) = Host::new(Memory::Careful, LIFETIME_NS) else {
        return;
    };
    host.remember(0);
    let forget = |remote| host.memory.forget(remote).unwrap();
    assert_eq!(forget(Some(IpAddr::from([192, 0, 2, 1]))), 0);
    assert_eq!(forget(Some(IpAddr::from(Ipv6Addr::LOCALHOST))), 0);
    assert_eq!(forget(Some(IpAddr::from(Ipv4Addr::LOCALHOST))), 1);
    host.remember(0);
    assert_eq!((forget(None), forget(None)), (1, 0));
    assert_eq!(
        (host.path(), host.connect().start.remembered_bytes),
        (None, 0)
    );
    // A connection that uses the path when it is forgotten goes on.
    host.remember(0);
    let mut connection = host.connect_resuming();
    assert_eq!(forget(None), 1);
    std::thread::sleep(Duration::from_millis(200));
    connection.send();
    drop(connection);
    assert_eq!(host.path(), None);
}

#[test]
fn without_path_memory_there_is_no_map() {
    let Some(machine) = machine() else { return };
    let before = memory_maps();
    let registration = Registration::new(&Options::new("onramp")).unwrap();
    // Maps of earlier tests may still disappear.
    assert!(memory_maps().iter().all(|id| before.contains(id)));
    assert!(registration.memory().unwrap().is_none());
    let own = loaded()
        .unwrap()
        .into_iter()
        .find(|loaded| loaded.name == registration.name())
        .unwrap();
    assert_eq!((own.memory, own.memory_lifetime_s), ("off", None));
    assert!(own.memory().unwrap().is_none());

    let options = Options {
        memory: Memory::Careful,
        ..Options::new("paced")
    };
    let refused = Registration::new(&options).err().unwrap();
    assert!(matches!(refused, Error::NoMemory { .. }) && refused.is_bad_request());
    let message = refused.to_string();
    assert!(
        message.starts_with("start-up paced uses no memory of paths; these do: "),
        "{message}"
    );
    assert!(message.contains("onramp"), "{message}");
    drop(machine);
}

#[test]
fn a_registration_with_path_memory_is_listed_and_leaves_no_map() {
    let Some(host) = Host::new(Memory::AtOnce, 700_000_000_000) else {
        return;
    };
    host.remember(0);
    let own = loaded()
        .unwrap()
        .into_iter()
        .find(|loaded| loaded.name == host.registration.name())
        .unwrap();
    assert_eq!(
        (own.memory, own.memory_lifetime_s),
        ("at-once", Some(700.0))
    );
    assert_eq!(own.memory().unwrap().unwrap().paths().unwrap().len(), 1);
    let id = host.map.info().unwrap().info.id;
    drop((own, host));
    // The kernel frees programs and maps a little later.
    wait_until("the map is gone", || !memory_maps().contains(&id));
}
