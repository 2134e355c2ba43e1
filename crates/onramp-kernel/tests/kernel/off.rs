//! The end of everything. These tests run while no other does (.config/nextest.toml).

use crate::common::{choose, connection_of, control_of, listener, machine};
use crate::foreign;
use crate::policy::common::with_pins;
use libbpf_rs::query::ProgInfoIter;
use onramp_kernel::{loaded, off, registered_names};
use onramp_testing::{is_true_soon, wait_until};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;

#[test]
fn what_another_version_left_is_ended_and_its_connections_go_on() {
    let Some(_machine) = machine() else { return };
    let is_ours = |name: &str| name.starts_with("onramp_");
    let uses_none =
        || !ProgInfoIter::default().any(|program| is_ours(&program.name.to_string_lossy()));
    if !is_true_soon(uses_none) {
        assert!(
            std::env::var_os("CI").is_none(),
            "nothing else uses it in CI"
        );
        eprintln!("left out: Onramp is in use on this host");
        return;
    }
    with_pins(|pins| {
        let registration = pins.join("registrations/onramp-9");
        let mut private = std::fs::DirBuilder::new();
        private.recursive(true).mode(0o700);
        private.create(&registration).unwrap();
        foreign::pin_as_other_version("onramp.9", &registration.join("link"));
        let listener = listener();
        let before = control_of(&listener);
        choose(&listener, "onramp.9");
        let (mut sender, mut receiver) = connection_of(&listener);
        let all = loaded().unwrap();
        assert_eq!((all.len(), all[0].name.as_str()), (1, "onramp.9"));
        assert!(all[0].registered && all[0].other_version);

        let off = off(pins).unwrap();
        assert_eq!(off.left, [""; 0]);
        assert!(!pins.exists());
        assert!(!registered_names().unwrap().contains(&"onramp.9".to_owned()));
        assert_eq!(
            [control_of(&listener), control_of(&sender)],
            [&before[..]; 2]
        );
        sender.write_all(&[1; 50_000]).unwrap();
        receiver.read_exact(&mut [0; 50_000]).unwrap();
    });
    wait_until("its programs are gone", || loaded().unwrap().is_empty());
}
