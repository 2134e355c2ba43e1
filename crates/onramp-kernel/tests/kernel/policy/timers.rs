//! The timers of a policy's connections.

use super::common::{policy, port_of, with_pins, InForce};
use crate::common::{connection_of, listener, machine};
use crate::timers::{exchange, options, rto_us};
use onramp_kernel::policy::Start;
use onramp_testing::wait_until;

#[test]
fn a_policy_sets_the_timers_of_its_connections_but_not_of_the_control_group() {
    let Some(_machine) = machine() else { return };
    let (web, control) = (listener(), listener());
    let rule = |name, listener, share| {
        let mut rule = policy(name, port_of(listener), share);
        rule.start = Some(Start {
            options: options(),
            share,
        });
        rule
    };
    with_pins(|pins| {
        let rules = [rule("web", &web, 1.0), rule("control", &control, 0.0)];
        let _policies = InForce::new(pins, &rules);
        let (accepted, connecting) = connection_of(&web);
        wait_until("the timeout has shrunk", || {
            exchange(&accepted, &connecting);
            rto_us(&accepted) < 100_000
        });
        let (accepted, connecting) = connection_of(&control);
        for _ in 0..20 {
            exchange(&accepted, &connecting);
        }
        assert!(rto_us(&accepted) >= 200_000);
    });
}
