//! Registrations: their names, their owners, and how they end.

use crate::common::{connection_of, listener_on, machine};
use onramp_kernel::{
    loaded, registered_names, unload, Connections, Error, Lifetime, Loaded, Options, Registration,
};
use onramp_testing::{wait_for, wait_until};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

#[test]
fn a_second_registration_of_a_process_gets_a_number() {
    let Some(_machine) = machine() else { return };
    let first = Registration::new(&Options::new("paced")).unwrap();
    let second = Registration::new(&Options::new("paced")).unwrap();
    assert_ne!(first.name(), second.name());
    assert!(
        second.name().starts_with("onramp_paced."),
        "{}",
        second.name()
    );
    let until_unloaded = Options {
        lifetime: Lifetime::UntilUnloaded,
        ..Options::new("paced")
    };
    let error = Registration::new(&until_unloaded)
        .err()
        .expect("the name is taken");
    assert!(
        matches!(error, Error::NameTaken { .. }) && error.to_string().contains("by process"),
        "{error}"
    );
    let own = std::process::id();
    let refused = unload(second.name(), &Connections::Keep);
    assert!(matches!(refused, Err(Error::OwnedByProcess { pid, .. }) if pid == own));
}

/// Registers `paced` until it is unloaded, and returns its name.
fn load_paced() -> String {
    let _ = unload("paced", &Connections::Keep); // An earlier run of this test may have failed.
    let options = Options {
        lifetime: Lifetime::UntilUnloaded,
        ..Options::new("paced")
    };
    // Another process of this machine may have the name for a while.
    wait_for("the name is free", || match Registration::new(&options) {
        Err(Error::NameTaken { .. }) => None,
        result => Some(result.unwrap().name().to_owned()),
    })
}

#[test]
fn unloading_leaves_live_connections_running() {
    let Some(_machine) = machine() else { return };
    let name = load_paced();
    assert!(
        registered_names().unwrap().contains(&name),
        "it outlives its Registration"
    );

    let listener = listener_on(&name);
    let mut ends: Vec<_> = (0..1000).map(|_| connection_of(&listener)).collect();
    let without_owner = || -> Vec<Loaded> {
        loaded()
            .unwrap()
            .into_iter()
            .filter(|loaded| loaded.owner_pid.is_none() && loaded.name == name)
            .collect()
    };
    // The listener has chosen it too, but only connections have a start-up.
    assert_eq!(
        (without_owner().len(), without_owner()[0].connections),
        (1, 1000)
    );
    drop(listener);

    unload("paced", &Connections::Keep).unwrap();
    assert!(!registered_names().unwrap().contains(&name));
    let left = without_owner();
    assert_eq!(
        (left.len(), left[0].registered, left[0].connections),
        (1, false, 1000)
    );
    for (sender, receiver) in &mut ends {
        sender.write_all(&[7; 100_000]).unwrap();
        receiver.read_exact(&mut [0; 100_000]).unwrap();
    }
    assert!(matches!(
        unload("paced", &Connections::Keep),
        Err(Error::NotLoaded { .. })
    ));
    drop(ends);
    wait_until("the programs go with their last connection", || {
        without_owner().is_empty()
    });
}

#[test]
fn without_links_the_next_process_cleans_up_after_a_killed_one() {
    const HOLD: &str = "ONRAMP_TEST_HOLD";
    if std::env::var_os(HOLD).is_some() {
        let options = Options {
            without_link: true,
            ..Options::new("standard")
        };
        let _held = Registration::new(&options).unwrap();
        // Until this process is killed, or the test that started it has ended.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        return;
    }
    let Some(_machine) = machine() else { return };
    let own_name = "registration::without_links_the_next_process_cleans_up_after_a_killed_one";
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", own_name, "--nocapture"])
        .env(HOLD, "1")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let is_registered = || {
        registered_names()
            .unwrap()
            .iter()
            .any(|name| name == "onramp_standard")
    };
    wait_until("the other process registers", is_registered);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(
        is_registered(),
        "the kernel keeps a registration without a link"
    );
    drop(Registration::new(&Options::new("paced")).unwrap());
    assert!(!is_registered());
}
