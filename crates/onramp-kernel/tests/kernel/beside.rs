//! Onramp beside congestion controls of others.

use crate::common::{connection_of, listener_on, machine, row};
use crate::foreign;
use onramp_kernel::{loaded, registered_names, Options, Registration};

#[test]
fn only_our_registrations_and_their_connections_are_listed() {
    let Some(_machine) = machine() else { return };
    let others = foreign::register("other", 20);
    let registration = Registration::new(&Options::new("standard")).unwrap();
    let names = registered_names().unwrap();
    assert!((1..=20).all(|number| names.contains(&format!("other{number}"))));
    let (sender, _receiver) = connection_of(&listener_on(registration.name()));
    let _others_connection = connection_of(&listener_on("other20"));

    let all = loaded().unwrap();
    let own = all.iter().find(|loaded| loaded.name == registration.name());
    assert_eq!(own.map(|loaded| loaded.connections), Some(1), "{all:#?}");
    assert!(
        all.iter().all(|loaded| loaded.name.starts_with("onramp")),
        "{all:#?}"
    );
    assert_eq!(row(&sender).congestion_control, registration.name());
    drop(others);
}
