//! Downloads with noq, and the hand-over to noq's CUBIC.

#[path = "../../../benches/cost/captured_rtt.rs"]
mod captured_rtt;
// Each adapter has its own library under it.
#[allow(clippy::duplicate_mod)]
#[path = "../../download/mod.rs"]
mod download;
mod library;

use crate::path_control::tests as hand_over;
use noq_proto::congestion::Cubic;
use noq_proto::RttEstimator;
use std::time::Duration;

fn rtt() -> RttEstimator {
    captured_rtt::capture(Duration::from_millis(100))
}

#[test]
fn cubic_takes_over_cwnd_and_ssthresh_without_a_loss() {
    hand_over::check_hand_over_without_loss::<Cubic>(&rtt());
}

#[test]
fn cubic_takes_over_cwnd_and_ssthresh_after_a_loss() {
    hand_over::check_hand_over_after_a_loss::<Cubic>(&rtt());
}

#[test]
fn cubic_rises_to_w_max_from_a_cwnd_that_a_start_up_has_reduced() {
    hand_over::check_rise_to_w_max::<Cubic>(&rtt());
    hand_over::check_losses_before_the_rise::<Cubic>();
}

#[test]
fn cubic_takes_over_in_slow_start_without_an_ssthresh() {
    hand_over::check_hand_over_without_an_ssthresh::<Cubic>(&rtt());
}
