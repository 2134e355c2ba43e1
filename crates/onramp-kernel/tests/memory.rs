//! What the kernel host remembers of paths, and who may use it. As root; without, it says so and
//! passes, but fails where CI=true.

mod common;

use common::{decisions_match, root};
use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use nix::libc;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::time::{clock_gettime, ClockId};
use onramp_core::memory::{fits, Memory, LIFETIME_NS};
use onramp_core::Start;
use onramp_kernel::{
    loaded, Avoidance, Error, Event, Input, Options, PathsMap, Registration, RememberedPath,
};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A map is found by its name: one test at a time has one.
static MACHINE: Mutex<()> = Mutex::new(());

const CARRIED_BYTES: u64 = 1_000_000;

/// A start-up that remembers, and its map.
struct Host {
    registration: Registration,
    memory: PathsMap,
    map: MapHandle,
    /// Of the path over loopback: most handshakes take from half of it to ten times as long.
    rtt_ns: u64,
    _machine: MutexGuard<'static, ()>,
}

impl Host {
    fn new(memory: Memory, memory_lifetime_ns: u64) -> Host {
        Host::with(&Options {
            memory,
            memory_lifetime_ns,
            record: true,
            ..Options::new("onramp")
        })
        .unwrap()
    }

    fn with(options: &Options) -> Result<Host, Error> {
        let machine = MACHINE
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = memory_maps();
        let registration = Registration::new(options)?;
        let memory = registration.memory().unwrap().expect("it was asked for");
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
            .expect("twenty of them");
        Ok(host)
    }

    /// Has loopback's path remembered, as if saved so long ago.
    fn remember(&self, age_ns: u64) {
        // struct onramp_path and struct onramp_remembered of bpf/intf.h.
        let address = Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets();
        let key = [
            &network_namespace_cookie().to_ne_bytes()[..],
            &address,
            &address,
        ]
        .concat();
        let entry = [CARRIED_BYTES, self.rtt_ns, boot_ns() - age_ns, 0, 0, 0];
        let value: Vec<u8> = entry
            .iter()
            .flat_map(|number| number.to_ne_bytes())
            .collect();
        self.map.update(&key, &value, MapFlags::ANY).unwrap();
    }

    fn path(&self) -> Option<RememberedPath> {
        let paths = self.memory.paths().unwrap();
        assert!(paths.len() <= 1, "{paths:?}");
        paths.into_iter().next()
    }

    /// A connection over loopback whose sender uses the start-up.
    fn connect(&self) -> Connection {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        setsockopt(
            &listener,
            TcpCongestion,
            &OsString::from(self.registration.name()),
        )
        .unwrap();
        let receiver = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (sender, _) = listener.accept().unwrap();
        // Others may still have heard of their ends.
        let port = sender.local_addr().unwrap().port();
        let events = self
            .registration
            .take_events()
            .into_iter()
            .filter(|event| event.local.port() == port);
        let events: Vec<Event> = events.collect();
        decisions_match("onramp", &events);
        let start = |event: &Event| match event.input {
            Input::Start(start) => Some(start),
            _ => None,
        };
        let starts: Vec<Start> = events.iter().filter_map(start).collect();
        let [start] = starts[..] else {
            panic!("one connection begins: {starts:?}")
        };
        Connection {
            sender,
            receiver,
            start,
        }
    }

    /// One that has the remembered path: handshakes that take too short or too long a time are no
    /// such, and say nothing.
    fn connect_remembering(&self) -> Connection {
        for _ in 0..200 {
            let connection = self.connect();
            let Start {
                srtt_ns,
                remembered_bytes,
                remembered_rtt_ns,
                ..
            } = connection.start;
            match fits(self.rtt_ns, srtt_ns) {
                true => {
                    assert_eq!(
                        (remembered_bytes, remembered_rtt_ns),
                        (CARRIED_BYTES, self.rtt_ns),
                        "{srtt_ns} ns"
                    );
                    return connection;
                }
                false => assert_eq!(
                    (remembered_bytes, remembered_rtt_ns),
                    (0, 0),
                    "{srtt_ns} ns"
                ),
            }
        }
        panic!(
            "no handshake of 200 took {} ns, or about as long",
            self.rtt_ns
        );
    }
}

struct Connection {
    sender: TcpStream,
    receiver: TcpStream,
    start: Start,
}

impl Connection {
    /// The sender hears from its peer.
    fn send(&mut self) {
        self.sender.write_all(&[1]).unwrap();
        self.receiver.read_exact(&mut [0]).unwrap();
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

/// Soon, or the test fails.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        // Less than what makes an idle connection lose the path.
        assert!(begin.elapsed() < Duration::from_millis(700), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn one_connection_at_a_time_uses_a_remembered_path() {
    if !root() {
        return;
    }
    for memory in [Memory::Careful, Memory::AtOnce] {
        let host = Host::new(memory, LIFETIME_NS);
        host.remember(1_000_000_000);
        let path = host.path().unwrap();
        assert_eq!(
            (path.local, path.remote),
            (
                IpAddr::from(Ipv4Addr::LOCALHOST),
                IpAddr::from(Ipv4Addr::LOCALHOST)
            )
        );
        assert_eq!((path.carried_bytes, path.in_use), (CARRIED_BYTES, false));
        assert!(
            (path.rtt_s * 1e9 - host.rtt_ns as f64).abs() < 1.0,
            "{path:?}"
        );
        assert!(
            (1.0..1.5).contains(&path.age_s) && (598.0..599.1).contains(&path.left_s),
            "{path:?}"
        );

        let mut first = host.connect_remembering();
        first.send();
        assert_eq!(first.start.options, memory.options());
        assert!(host.path().unwrap().in_use);
        for _ in 0..5 {
            assert_eq!(host.connect().start.remembered_bytes, 0, "it is in use");
        }
        drop(first);
        wait_until("it is given back when the connection is closed", || {
            !host.path().unwrap().in_use
        });
        drop(host.connect_remembering());
    }
}

#[test]
fn a_path_is_remembered_with_every_avoidance() {
    if !root() {
        return;
    }
    for &avoidance in Avoidance::ALL {
        let memory = Memory::AtOnce;
        let host = match Host::with(&Options {
            avoidance,
            memory,
            record: true,
            ..Options::new("onramp")
        }) {
            Err(Error::NoAvoidance {
                avoidance: "bbr", ..
            }) => continue,
            host => host.unwrap(),
        };
        host.remember(0);
        let mut connection = host.connect_remembering();
        std::thread::sleep(Duration::from_millis(700));
        connection.send();
        std::thread::sleep(Duration::from_millis(700));
        assert!(
            host.path().unwrap().in_use,
            "{}: it has heard from its peer in between",
            avoidance.name()
        );
        drop(connection);
        wait_until("it is given back when the connection is closed", || {
            !host.path().unwrap().in_use
        });
    }
}

#[test]
fn who_goes_over_to_another_congestion_control_or_is_idle_has_the_path_no_longer() {
    if !root() {
        return;
    }
    let host = Host::new(Memory::Careful, LIFETIME_NS);
    host.remember(0);
    let first = host.connect_remembering();
    setsockopt(&first.sender, TcpCongestion, &OsString::from("cubic")).unwrap();
    assert!(!host.path().unwrap().in_use);

    let mut second = host.connect_remembering();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1500) {
        std::thread::sleep(Duration::from_millis(100));
        second.send();
    }
    assert!(host.path().unwrap().in_use, "it hears from its peer");
    std::thread::sleep(Duration::from_millis(1100));
    assert!(
        !host.path().unwrap().in_use,
        "it has heard nothing for a second"
    );
    let third = host.connect_remembering();
    drop(second);
    std::thread::sleep(Duration::from_millis(50));
    assert!(
        host.path().unwrap().in_use,
        "what the second gives back is not its own any more"
    );
    drop(third);
}

#[test]
fn what_is_too_old_is_not_used_and_goes() {
    if !root() {
        return;
    }
    let host = Host::new(Memory::Careful, 5_000_000_000);
    host.remember(5_000_000_001);
    assert_eq!((host.path(), host.map.keys().count()), (None, 1));
    assert_eq!(host.connect().start.remembered_bytes, 0);
    assert_eq!(host.map.keys().count(), 0);
    host.remember(1_000_000_000);
    drop(host.connect_remembering());
}

#[test]
fn what_is_remembered_can_be_forgotten() {
    if !root() {
        return;
    }
    let host = Host::new(Memory::Careful, LIFETIME_NS);
    host.remember(0);
    assert_eq!(
        host.memory
            .forget(Some(IpAddr::from([192, 0, 2, 1])))
            .unwrap(),
        0
    );
    assert_eq!(
        host.memory
            .forget(Some(IpAddr::from(Ipv6Addr::LOCALHOST)))
            .unwrap(),
        0
    );
    assert_eq!(
        host.memory
            .forget(Some(IpAddr::from(Ipv4Addr::LOCALHOST)))
            .unwrap(),
        1
    );
    host.remember(0);
    assert_eq!(
        (
            host.memory.forget(None).unwrap(),
            host.memory.forget(None).unwrap()
        ),
        (1, 0)
    );
    assert_eq!(
        (host.path(), host.connect().start.remembered_bytes),
        (None, 0)
    );
    // A connection whose path is forgotten while it has it goes on.
    host.remember(0);
    let mut connection = host.connect_remembering();
    assert_eq!(host.memory.forget(None).unwrap(), 1);
    std::thread::sleep(Duration::from_millis(200));
    connection.send();
    drop(connection);
    assert_eq!(host.path(), None);
}

#[test]
fn without_a_memory_there_is_no_map_and_nothing_is_left_of_one() {
    if !root() {
        return;
    }
    let before = {
        let _machine = MACHINE
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = memory_maps();
        let registration = Registration::new(&Options::new("onramp")).unwrap();
        // Those of other tests may be about to go.
        assert!(
            memory_maps().iter().all(|id| before.contains(id))
                && registration.memory().unwrap().is_none()
        );
        let own = loaded()
            .unwrap()
            .into_iter()
            .find(|loaded| loaded.name == registration.name())
            .unwrap();
        assert_eq!(
            (
                own.memory,
                own.memory_lifetime_s,
                own.memory().unwrap().is_none()
            ),
            ("off", None, true)
        );
        let refused = Registration::new(&Options {
            memory: Memory::Careful,
            ..Options::new("paced")
        })
        .err()
        .unwrap();
        assert!(matches!(refused, Error::NoMemory { .. }) && refused.is_bad_request());
        assert_eq!(
            refused.to_string(),
            "start-up paced uses no memory of paths; these do: onramp"
        );
        before
    };
    let host = Host::new(Memory::AtOnce, 7_000_000_000);
    host.remember(0);
    let own = loaded()
        .unwrap()
        .into_iter()
        .find(|loaded| loaded.name == host.registration.name())
        .unwrap();
    assert_eq!((own.memory, own.memory_lifetime_s), ("at-once", Some(7.0)));
    assert_eq!(own.memory().unwrap().unwrap().paths().unwrap().len(), 1);
    drop((own, host));
    // The kernel takes programs and maps away a little later.
    wait_until("the map is gone", || {
        memory_maps().iter().all(|id| before.contains(id))
    });
}
