//! Downloads with quinn, and the hand-over to quinn's CUBIC.

// Each adapter has its own library under it.
#[allow(clippy::duplicate_mod)]
#[path = "../../download/mod.rs"]
mod download;
mod library;

use super::*;
use crate::path_control::tests as hand_over;
use crate::{Avoidance, Exit};
use download::{Application, LONG_PATH};
use quinn_proto::congestion::{Cubic, CubicConfig};
use quinn_proto::RttEstimator;
use std::any::Any;
use std::sync::Mutex;
use std::time::Duration;

const MTU: u16 = 1_200;
const MTU_BYTES: u64 = 1_200;
const RTT: Duration = Duration::from_millis(100);

/// Catches an RTT estimator, which only quinn can make.
#[derive(Clone)]
struct Catcher(Arc<Mutex<Option<RttEstimator>>>);

impl ControllerFactory for Catcher {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        self.clone_box()
    }
}

impl Controller for Catcher {
    fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, rtt: &RttEstimator) {
        *self.0.lock().unwrap() = Some(*rtt);
    }
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}
    fn on_mtu_update(&mut self, _: u16) {}
    fn window(&self) -> u64 {
        10 * MTU_BYTES
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
    fn initial_window(&self) -> u64 {
        self.window()
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn rtt() -> RttEstimator {
    let caught = Arc::<Mutex<Option<RttEstimator>>>::default();
    let catcher = Arc::new(Catcher(caught.clone()));
    LONG_PATH.download(Application::default(), catcher, 50_000);
    let rtt = caught.lock().unwrap().take();
    rtt.expect("packets were acknowledged")
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

/// A controller whose handshake is over, and the time at which `packets` have left.
fn started(startup: &str, packets: u64, rtt: &RttEstimator) -> (Box<dyn Controller>, Instant) {
    started_with(StartupConfig::named(startup).unwrap(), packets, rtt)
}

fn started_with(
    config: StartupConfig,
    packets: u64,
    rtt: &RttEstimator,
) -> (Box<dyn Controller>, Instant) {
    let begin = Instant::now();
    let mut controller = Arc::new(config).build(begin, MTU);
    controller.on_sent(begin, MTU_BYTES, 0);
    let now = begin + RTT;
    controller.on_ack(now, begin, MTU_BYTES, false, rtt);
    controller.on_end_acks(now, 0, false, Some(0));
    controller.on_sent(now, packets * MTU_BYTES, packets);
    (controller, now)
}

/// How many bytes cwnd has grown by after a frame that acknowledges one of these packets.
fn growth_with_inflight(packets: u64, rtt: &RttEstimator) -> u64 {
    let (mut controller, sent) = started("standard", packets, rtt);
    let (before, now) = (controller.window(), sent + RTT);
    controller.on_ack(now, sent, MTU_BYTES, false, rtt);
    controller.on_end_acks(now, (packets - 1) * MTU_BYTES, false, Some(1));
    controller.window() - before
}

#[test]
fn a_window_grows_only_where_it_holds_the_sender_back() {
    let rtt = rtt();
    assert_eq!(growth_with_inflight(10, &rtt), MTU_BYTES);
    assert_eq!(growth_with_inflight(4, &rtt), 0);
}

#[test]
fn a_mark_reduces_the_window_and_loses_no_bytes() {
    let rtt = rtt();
    let (mut controller, sent) = started("standard", 10, &rtt);
    let before = controller.window();
    controller.on_congestion_event(sent + RTT, sent, false, 0);
    assert_eq!(controller.window(), before * 7 / 10);
    // The reduction is answered once: this loss is of the same recovery.
    controller.on_congestion_event(sent + RTT, sent, false, MTU_BYTES);
    assert_eq!(controller.window(), before * 7 / 10);
    let decision = status(controller.as_ref()).unwrap().decision.unwrap();
    assert_eq!(decision.exit(), Some(Exit::Loss));
}

#[test]
fn bbr_takes_over_at_the_first_loss_and_keeps_its_window() {
    let rtt = rtt();
    let config = StartupConfig::named("onramp").unwrap();
    let (mut controller, sent) = started_with(config.avoidance(Avoidance::Bbr), 10, &rtt);
    controller.on_congestion_event(sent + RTT, sent, false, MTU_BYTES);
    let decision = status(controller.as_ref()).unwrap().decision.unwrap();
    assert!(decision.is_over());
    assert_eq!(decision.exit(), Some(Exit::Loss));
    // CUBIC would have reduced it to 0.7 of the initial window. quinn's BBR counts packets.
    assert!(controller.window() >= 10 * MTU_BYTES);
    assert!(controller.metrics().ssthresh.is_none());
}

#[test]
fn persistent_congestion_leaves_two_datagrams() {
    let rtt = rtt();
    let (mut controller, sent) = started("onramp", 10, &rtt);
    controller.on_congestion_event(sent + 20 * RTT, sent, true, 10 * MTU_BYTES);
    assert_eq!(controller.window(), 2 * MTU_BYTES);
}

#[test]
fn the_status_is_that_of_start_ups_only() {
    let cubic = Arc::new(CubicConfig::default()).build(Instant::now(), MTU);
    assert!(status(cubic.as_ref()).is_none());
    let (startup, _) = started("onramp", 1, &rtt());
    assert!(status(startup.as_ref()).unwrap().decision.is_some());
}
