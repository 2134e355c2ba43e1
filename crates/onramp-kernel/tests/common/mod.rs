//! What the tests against the kernel share.

use onramp_kernel::{Event, Input};

/// May this process load BPF programs? Says so where not, and fails where CI=true.
pub fn root() -> bool {
    let root = onramp_kernel::probe::check_permission().is_ok();
    assert!(root || std::env::var_os("CI").is_none(), "CI runs as root");
    if !root {
        eprintln!("skipped: loading BPF programs needs root");
    }
    root
}

/// Compares what the kernel decided with the native build of a start-up; the number of events.
pub fn decisions_match(startup: &str, events: &[Event]) -> usize {
    let mut native = onramp_core::Startup::new(startup).unwrap();
    for (index, event) in events.iter().enumerate() {
        let decision = match &event.input {
            Input::Start(start) => native.start(start),
            Input::Ack(ack) => native.ack(ack),
            Input::Loss(loss) => native.loss(loss),
        };
        assert_eq!(
            decision, event.decision,
            "{startup}, event {index}: {:?}",
            event.input
        );
    }
    events.len()
}
