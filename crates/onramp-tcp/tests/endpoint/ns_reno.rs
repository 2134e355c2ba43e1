//! Reno of the simulator ns, with its `bugFix_`.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::Recovery;

/// Ten segments are in flight. The first is lost, and so is the fifth.
fn after_a_partial_ack(recovery: Recovery) -> Script {
    let mut script = Script::new(plain(recovery));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    (0..8).for_each(|_| drop(script.ack(0)));
    assert_eq!(script.end.stats().recoveries, 1, "{recovery:?}");
    script.now_ns = 300 * MS_NS;
    script.ack(4000);
    script
}

#[test]
fn a_second_loss_in_one_window_waits_for_the_timer() {
    for (recovery, recoveries) in [
        (Recovery::Reno, 2),
        (Recovery::CarefulReno, 2),
        (Recovery::NsReno, 1),
    ] {
        let mut script = after_a_partial_ack(recovery);
        (0..3).for_each(|_| drop(script.ack(4000)));
        assert_eq!(script.end.stats().recoveries, recoveries, "{recovery:?}");
    }
}

#[test]
fn ignored_duplicates_let_new_data_go() {
    let mut script = after_a_partial_ack(Recovery::NsReno);
    let cwnd = script.window().0;
    let sent: Vec<String> = (0..20).flat_map(|_| script.ack(4000)).collect();
    assert_eq!(script.window().0, cwnd, "the inflation is not in cwnd");
    assert!(
        !sent.is_empty() && sent.iter().all(|one| !one.contains("rexmt")),
        "{sent:?}"
    );
}
