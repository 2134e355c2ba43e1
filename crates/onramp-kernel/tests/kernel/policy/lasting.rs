//! What outlives a process, what a change keeps, and what the end removes.

use super::common::{gets_it, next_control, policy, port_of, with_pins, InForce};
use crate::common::{connection_of, listener, machine};
use libbpf_rs::query::{LinkInfoIter, MapInfoIter, ProgInfoIter};
use onramp_kernel::policy::{Snapshot, SwitchedOff};
use onramp_kernel::{loaded, registered_names, unload, Connections, Error, Options, Policies};
use onramp_testing::wait_until;
use std::collections::BTreeSet;
use std::net::TcpStream;

/// The ids of everything of BPF in the kernel that has one of our names.
fn ours() -> BTreeSet<(char, u32)> {
    let programs: Vec<u32> = ProgInfoIter::default()
        .filter(|program| program.name.to_string_lossy().starts_with("onramp_"))
        .map(|program| program.id)
        .collect();
    let maps = MapInfoIter::default()
        .filter(|map| map.name.to_string_lossy().starts_with("onramp_"))
        .map(|map| ('m', map.id));
    let links = LinkInfoIter::default()
        .filter(|link| programs.contains(&link.prog_id))
        .map(|link| ('l', link.id));
    let programs = programs.iter().map(|&id| ('p', id));
    programs.chain(maps).chain(links).collect()
}

#[test]
fn the_end_leaves_nothing() {
    let Some(_machine) = machine() else { return };
    let before = ours();
    let listener = listener();
    with_pins(|pins| {
        let policies = InForce::new(pins, &[policy("web", port_of(&listener), 1.0)]);
        let name = next_control(&listener);
        assert!(registered_names().unwrap().contains(&name));
        policies.stop();
        assert!(!pins.exists());
        assert!(!registered_names().unwrap().contains(&name));
        assert!(!gets_it(&listener));
        assert!(matches!(Snapshot::read(pins), Err(Error::NoService)));
    });
    // The kernel frees programs a moment after their last use.
    wait_until("nothing is left in the kernel", || {
        ours().is_subset(&before)
    });
}

/// A BPF file system of all users has mode 1777 where it is mounted without one.
#[test]
fn a_directory_that_a_user_has_planted_is_neither_used_nor_removed() {
    let Some(_machine) = machine() else { return };
    with_pins(|pins| {
        let user = Some(nix::unistd::Uid::from_raw(65534));
        let precious = std::env::temp_dir().join(format!("onramp-kept-{}", std::process::id()));
        std::fs::create_dir(&precious).unwrap();
        std::fs::write(precious.join("file"), "").unwrap();
        std::fs::create_dir(pins).unwrap();
        std::os::unix::fs::symlink(&precious, pins.join("maps")).unwrap();
        nix::unistd::chown(pins, user, None).unwrap();
        let is_refused = |result: Option<Error>| matches!(result, Some(Error::ForeignPins { .. }));
        assert!(is_refused(Policies::open(pins, None).err()));
        assert!(is_refused(Snapshot::read(pins).err()));
        assert!(pins.join("maps").is_symlink());
        // The directory is root's, and the link in it is still not followed.
        nix::unistd::chown(pins, Some(nix::unistd::Uid::from_raw(0)), None).unwrap();
        assert!(is_refused(Policies::open(pins, None).err()));
        assert!(precious.join("file").exists());
        std::fs::remove_dir_all(precious).unwrap();
    });
}

#[test]
fn a_connection_outlives_the_end_with_its_start_up() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let policies = InForce::new(pins, &[policy("web", port_of(&listener), 1.0)]);
        let (accepted, client) = connection_of(&listener);
        policies.stop();
        use std::io::{Read, Write};
        let (mut accepted, mut client) = (accepted, client);
        accepted.write_all(&[1; 50_000]).unwrap();
        client.read_exact(&mut [0; 50_000]).unwrap();
    });
}

#[test]
fn policies_work_on_after_a_crash_and_the_next_service_takes_them_over() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let rules = [policy("web", port_of(&listener), 1.0)];
        let mut policies = InForce::new(pins, &rules);
        let name = next_control(&listener);
        policies.get().switch_off("web", why()).unwrap();
        assert!(!gets_it(&listener));
        policies.crash();
        assert!(
            !gets_it(&listener),
            "the policy is in force, and switched off"
        );
        let mut policies = InForce(Some(Policies::open(pins, None).unwrap()));
        let applied = policies.get().apply(&rules).unwrap();
        assert_eq!(
            (applied.kept, applied.registered),
            (vec![name.clone()], vec![])
        );
        assert_eq!(policies.connections(), (1, 2));
        assert!(!gets_it(&listener), "it is still switched off");
        assert_eq!(
            policies.snapshot().state.policies[0].switched_off,
            Some(why())
        );
        // Another share is another policy.
        policies
            .get()
            .apply(&[policy("web", port_of(&listener), 0.999_999)])
            .unwrap();
        assert_eq!(next_control(&listener), name);
        assert_eq!(policies.connections(), (2, 3));
    });
}

fn why() -> SwitchedOff {
    SwitchedOff {
        reason: "a test".to_owned(),
        time_s: 1.0,
    }
}

#[test]
fn a_change_keeps_counts_by_name_and_registrations_by_their_options() {
    let Some(_machine) = machine() else { return };
    let (one, other) = (listener(), listener());
    with_pins(|pins| {
        let web = || policy("web", port_of(&one), 1.0);
        let mut bulk = policy("bulk", port_of(&other), 1.0);
        let mut policies = InForce::new(pins, &[web(), bulk.clone()]);
        let name = next_control(&one);
        assert_eq!(
            next_control(&other),
            name,
            "equal options need one registration"
        );
        bulk.start.as_mut().unwrap().options = Options::new("standard");
        let applied = policies.get().apply(&[bulk.clone(), web()]).unwrap();
        assert_eq!(applied.kept, std::slice::from_ref(&name));
        assert_eq!(applied.registered, [next_control(&other)]);
        assert_eq!(next_control(&one), name);
        let snapshot = policies.snapshot();
        let connections = |at: usize| snapshot.groups[at].unwrap()[0].connections;
        assert_eq!(
            (connections(0), connections(1)),
            (1, 2),
            "{:?}",
            snapshot.state
        );
        let applied = policies.get().apply(&[bulk]).unwrap();
        assert_eq!(applied.retired, std::slice::from_ref(&name));
        assert!(!registered_names().unwrap().contains(&name));
        assert!(!gets_it(&one));
    });
}

#[test]
fn more_policies_than_there_is_room_for_get_new_maps_and_the_old_ones_stay_until_then() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let port = || port_of(&listener);
        let mut policies = InForce::new(pins, &[policy("web", port(), 1.0)]);
        assert!(gets_it(&listener));
        let many: Vec<_> = (0..20)
            .map(|at| policy(&format!("p{at}"), port(), 1.0))
            .collect();
        policies.get().apply(&many).unwrap();
        assert!(gets_it(&listener));
        assert_eq!(policies.connections(), (1, 0));
        let too_many = vec![many[0].clone(); 65];
        let refused = policies.get().apply(&too_many);
        assert!(matches!(
            refused,
            Err(Error::TooManyPolicies { found: 65, max: 64 })
        ));
        assert!(gets_it(&listener));
    });
}

#[test]
fn a_start_up_is_not_judged_by_the_connections_of_the_one_before() {
    use std::io::{Read, Write};
    let Some(_machine) = machine() else { return };
    let listener = listener();
    let transfer = |(mut sender, mut receiver): (TcpStream, TcpStream)| {
        sender.write_all(&[1; 150_000]).unwrap();
        receiver.read_exact(&mut [0; 150_000]).unwrap();
    };
    with_pins(|pins| {
        let mut web = policy("web", port_of(&listener), 1.0);
        let mut policies = InForce::new(pins, &[web.clone()]);
        let earlier = connection_of(&listener);
        assert_eq!(policies.connections(), (1, 0));
        let start = web.start.as_mut().unwrap();
        start.options.startup = "standard".to_owned();
        policies.get().apply(&[web.clone()]).unwrap();
        assert_eq!(policies.connections(), (0, 0));
        // The earlier connection ends first, then one of the start-up that is in force.
        transfer(earlier);
        transfer(connection_of(&listener));
        wait_until("the second one has ended", || {
            policies.groups()[0].ended > 0
        });
        let [startup, _] = policies.groups();
        assert_eq!(
            (
                startup.connections,
                startup.ended,
                startup.segments.connections
            ),
            (1, 1, 1)
        );
        // A change of the share alone is no other start-up: its counts go on.
        web.start.as_mut().unwrap().share = 0.5;
        policies.get().apply(&[web]).unwrap();
        assert_eq!(policies.connections(), (1, 0));
    });
}

#[test]
fn a_start_up_that_cannot_be_registered_leaves_the_policies_in_force() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 1.0)]);
        let names = registered_names().unwrap();
        let mut fresh = policy("fresh", port_of(&listener), 1.0);
        fresh.start.as_mut().unwrap().options = Options::new("standard");
        let mut wrong = policy("wrong", port_of(&listener), 1.0);
        wrong.start.as_mut().unwrap().options = Options::new("warp");
        let refused = policies.get().apply(&[fresh, wrong]);
        assert!(matches!(refused, Err(Error::UnknownStartup { .. })));
        assert_eq!(registered_names().unwrap(), names);
        assert!(gets_it(&listener));
    });
}

#[test]
fn a_second_service_is_refused_and_unload_leaves_the_service_alone() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let mut policies = InForce::new(pins, &[policy("web", port_of(&listener), 1.0)]);
        policies.get().state().pid = 7;
        policies.get().write_state().unwrap();
        let refused = Policies::open(pins, None).err();
        assert!(
            matches!(refused, Some(Error::ServiceRuns { pid: Some(7) })),
            "{refused:?}"
        );
        let name = next_control(&listener);
        let all = loaded().unwrap();
        let held = all.iter().find(|loaded| loaded.name == name).unwrap();
        assert!(held.service && held.registered && held.owner_pid.is_none());
        let refused = unload(&name, &Connections::Keep);
        assert!(
            matches!(refused, Err(Error::HeldByService { .. })),
            "{refused:?}"
        );
        assert!(gets_it(&listener));
    });
    with_pins(|pins| {
        let beside = pins
            .parent()
            .unwrap()
            .with_file_name("nowhere")
            .join("onramp");
        let refused = Policies::open(&beside, None).err();
        assert!(
            matches!(refused, Some(Error::NoBpffs { .. })),
            "{refused:?}"
        );
    });
}

#[test]
fn programs_of_another_build_are_replaced_without_a_gap_and_counts_go_on() {
    let Some(_machine) = machine() else { return };
    let listener = listener();
    with_pins(|pins| {
        let rules = [policy("web", port_of(&listener), 1.0)];
        let policies = InForce::new(pins, &rules);
        let name = next_control(&listener);
        let (live, _client) = connection_of(&listener);
        policies.crash();
        // Without these pins nobody knows which build made the programs.
        let registration = pins.join("registrations").join(name.replace('.', "-"));
        std::fs::remove_file(pins.join("maps/build")).unwrap();
        std::fs::remove_file(registration.join("config")).unwrap();
        let mut policies = InForce(Some(Policies::open(pins, None).unwrap()));
        assert_eq!(next_control(&listener), name);
        let applied = policies.get().apply(&rules).unwrap();
        let next = next_control(&listener);
        assert_ne!(next, name);
        assert_eq!(
            (applied.registered, applied.retired),
            (vec![next], vec![name.clone()])
        );
        assert_eq!(policies.connections(), (4, 0));
        assert_eq!(
            crate::common::control_of(&live),
            name,
            "it keeps what it has"
        );
    });
}
