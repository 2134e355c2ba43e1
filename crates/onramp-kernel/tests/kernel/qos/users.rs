//! The limit of each user.

use super::cgroups::{asked_in, Cgroup};
use super::{ask, in_force, rate, MEGABYTE};
use crate::common::{connection_of, listener, machine};
use nix::errno::Errno;
use nix::libc;
use onramp_kernel::{
    cgroup2_mount, own_cgroup, Options, QosOption, Registration, Reservations, UserInForce,
};
use onramp_testing::wait_until;
use std::sync::MutexGuard;

const ALICE: u32 = 61_001;
const BOB: u32 = 61_002;

/// This process's cgroup with the option. Only the host has a limit.
struct Host {
    reservations: Reservations,
    _option: QosOption,
    _registration: Registration,
    _machine: MutexGuard<'static, ()>,
}

impl Host {
    fn new(total: u64, per_user: u64) -> Option<Host> {
        let machine = machine()?;
        let registration = Registration::new(&Options::new("qos")).unwrap();
        let reservations = registration.reservations().unwrap().expect("qos reserves");
        reservations
            .set_limit(&cgroup2_mount().unwrap(), total)
            .unwrap();
        reservations.set_user_limit(per_user).unwrap();
        let option = QosOption::new(&own_cgroup().unwrap(), &reservations, None).unwrap();
        Some(Host {
            reservations,
            _option: option,
            _registration: registration,
            _machine: machine,
        })
    }

    /// The users and what they have reserved.
    fn reserved(&self) -> Vec<(u32, u64)> {
        let users = self.reservations.users();
        users
            .iter()
            .map(|user| (user.uid, user.reserved_bytes_per_s))
            .collect()
    }
}

/// Runs this as another user: the real user id of a thread alone changes.
fn as_user<T: Send>(uid: u32, work: impl FnOnce() -> T + Send) -> T {
    let run = || {
        // SAFETY: the system call changes the credentials of this thread, which then ends.
        let result = unsafe { libc::syscall(libc::SYS_setresuid, uid, -1, -1) };
        Errno::result(result).unwrap();
        work()
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

#[test]
fn one_user_cannot_take_the_whole_of_the_host() {
    let Some(host) = Host::new(4 * MEGABYTE, MEGABYTE) else {
        return;
    };
    let listener = listener();
    let ends: Vec<_> = (0..5).map(|_| connection_of(&listener)).collect();
    let reserve = |uid, at: usize, bytes| as_user(uid, || ask(&ends[at].0, rate(bytes)));
    assert_eq!(reserve(ALICE, 0, MEGABYTE + 1), Err(Errno::EPERM));
    assert_eq!(reserve(ALICE, 0, MEGABYTE), Ok(()));
    assert_eq!(reserve(ALICE, 1, 1000), Err(Errno::EBUSY));
    assert_eq!(reserve(BOB, 2, MEGABYTE / 2), Ok(()));
    assert_eq!(
        host.reserved(),
        [(ALICE, MEGABYTE), (BOB, MEGABYTE / 2)],
        "each has its own"
    );
    let limit = Some(MEGABYTE);
    let alice = UserInForce {
        uid: ALICE,
        limit_bytes_per_s: limit,
        reserved_bytes_per_s: MEGABYTE,
    };
    assert_eq!(host.reservations.users()[0], alice);
    // A change counts the difference, whoever makes it: the reservation is Alice's.
    assert_eq!(reserve(BOB, 0, MEGABYTE + 1), Err(Errno::EPERM));
    assert_eq!(reserve(BOB, 0, MEGABYTE / 4), Ok(()));
    assert_eq!(reserve(ALICE, 1, MEGABYTE * 3 / 4), Ok(()));
    assert_eq!(reserve(ALICE, 3, 1000), Err(Errno::EBUSY));
    // The limit of the host has room for what was refused.
    assert_eq!(host.reserved()[0], (ALICE, MEGABYTE));
    drop(ends);
    wait_until("nothing is reserved", || host.reserved().is_empty());
}

#[test]
fn connections_of_a_listening_socket_count_for_the_user_who_asked() {
    let Some(host) = Host::new(4 * MEGABYTE, MEGABYTE) else {
        return;
    };
    let listener = listener();
    as_user(ALICE, || ask(&listener, rate(600_000))).unwrap();
    let (first, _client) = connection_of(&listener);
    let (second, _other) = connection_of(&listener);
    assert_eq!((in_force(&first), in_force(&second)), (rate(600_000), None));
    assert_eq!(host.reserved(), [(ALICE, 600_000)]);
}

#[test]
fn a_cgroup_with_a_limit_of_its_own_takes_the_user_s_place() {
    let Some(host) = Host::new(4 * MEGABYTE, MEGABYTE) else {
        return;
    };
    let own = own_cgroup().unwrap();
    let [with, without] = ["with", "without"].map(|name| Cgroup::below(&own, name));
    host.reservations.set_limit(&with.0, 3 * MEGABYTE).unwrap();
    let rates = [2 * MEGABYTE, 2 * MEGABYTE, MEGABYTE];
    assert_eq!(asked_in(&with, &rates), ["granted", "EBUSY", "granted"]);
    assert_eq!(asked_in(&without, &rates), ["EPERM", "EPERM", "granted"]);
    let max = |cgroup: &Cgroup| host.reservations.max_bytes_per_s(&cgroup.0).unwrap();
    assert_eq!((max(&with), max(&without)), (3 * MEGABYTE, MEGABYTE));
}
