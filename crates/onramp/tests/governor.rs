//! The governor on emulated paths: one on which start-ups retransmit too much, and ordinary ones.

use crate::common::machine;
use crate::governed::{Governed, ORDINARY, POLICER, TRANSFERS};
use onramp_core::governor::{DESTINATION_STARTUPS, TRY_INTERVAL};

#[test]
#[ignore = "takes long: make test-kernel"]
fn start_ups_that_hurt_give_way_to_slow_start() {
    let Some(_machine) = machine() else { return };
    let mut startups = Governed::new("onramp");
    startups.transfers(POLICER);
    let (governor, totals) = (startups.governor(), startups.totals());
    assert_eq!(governor.held_destinations(), 1, "{governor:?} {totals:?}");
    // Eight have shown it. Some had begun before the eighth ended, and one of sixteen tries.
    let held_back = TRANSFERS - u64::from(DESTINATION_STARTUPS + TRANSFERS as u32 / TRY_INTERVAL);
    assert!(totals.governed >= held_back, "{totals:?}");
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn start_ups_on_an_ordinary_path_are_never_held_back() {
    let Some(_machine) = machine() else { return };
    let mut startups = Governed::new("onramp");
    startups.transfers(ORDINARY);
    let governor = startups.governor();
    // Enough for a decision. The run ends with its last transfer, which others may outlive.
    assert!(
        governor.host.startups >= DESTINATION_STARTUPS,
        "{governor:?}"
    );
    assert!(governor.host.average < Some(governor.bound), "{governor:?}");
    assert_eq!(
        (startups.totals().governed, governor.held_destinations()),
        (0, 0)
    );
}
