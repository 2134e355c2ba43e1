//! Compares the scoreboard with a model that has one record per byte.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Byte {
    sacked: bool,
    lost: bool,
    /// Retransmitted, since it was marked lost if it is.
    retransmitted: bool,
}

impl Byte {
    fn awaits_retransmission(self) -> bool {
        self.lost && !self.retransmitted
    }
}

/// The model: all bytes of the stream, and the ends of its segments.
#[derive(Debug, Default)]
struct Model {
    bytes: Vec<Byte>,
    ends: Vec<u64>,
    una: u64,
}

impl Model {
    /// The ranges of the segments in flight.
    fn segments(&self) -> Vec<std::ops::Range<u64>> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let all = starts.zip(&self.ends).filter(|(_, &end)| end > self.una);
        all.map(|(&start, &end)| start.max(self.una)..end).collect()
    }

    fn of(&mut self, segment: &std::ops::Range<u64>) -> &mut [Byte] {
        &mut self.bytes[segment.start as usize..segment.end as usize]
    }

    fn first(&self, segment: &std::ops::Range<u64>) -> Byte {
        self.bytes[segment.start as usize]
    }

    /// Returns the number of bytes that were not reported before.
    fn sack(&mut self, left: u64, right: u64) -> u64 {
        let mut news = 0;
        for segment in self.segments() {
            if left <= segment.start && segment.end <= right && !self.first(&segment).sacked {
                self.of(&segment).fill(Byte {
                    sacked: true,
                    ..Byte::default()
                });
                news += segment.end - segment.start;
            }
        }
        news
    }

    fn acknowledge(&mut self, una: u64) -> u64 {
        let news = self.bytes[self.una as usize..una as usize]
            .iter()
            .filter(|byte| !byte.sacked)
            .count();
        self.una = una;
        news as u64
    }

    fn mark_lost(&mut self, index: usize) {
        let segment = self.segments()[index].clone();
        if !self.first(&segment).sacked {
            self.of(&segment).fill(Byte {
                lost: true,
                ..Byte::default()
            });
        }
    }

    fn unmark_lost(&mut self) {
        self.bytes.iter_mut().for_each(|byte| byte.lost = false);
    }

    fn retransmit(&mut self, index: usize) {
        let segment = self.segments()[index].clone();
        self.of(&segment)
            .iter_mut()
            .for_each(|byte| byte.retransmitted = true);
    }

    fn forget_sacked(&mut self) {
        let lost = Byte {
            lost: true,
            ..Byte::default()
        };
        let sacked = self.bytes.iter_mut().filter(|byte| byte.sacked);
        sacked.for_each(|byte| *byte = lost);
    }

    fn count(&self, is: impl Fn(&Byte) -> bool) -> u64 {
        self.bytes[self.una as usize..]
            .iter()
            .filter(|byte| is(byte))
            .count() as u64
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Send(u32),
    Sack(u64, u64),
    Acknowledge(u64),
    MarkLost(usize),
    MarkAllLost,
    UnmarkLost,
    Retransmit(usize),
    RetransmitNext,
    ForgetSacked,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1u32..20).prop_map(Step::Send),
        5 => (0u64..200, 0u64..60).prop_map(|(left, bytes)| Step::Sack(left, bytes)),
        3 => (0u64..40).prop_map(Step::Acknowledge),
        3 => any::<usize>().prop_map(Step::MarkLost),
        1 => Just(Step::MarkAllLost),
        1 => Just(Step::UnmarkLost),
        2 => any::<usize>().prop_map(Step::Retransmit),
        4 => Just(Step::RetransmitNext),
        1 => Just(Step::ForgetSacked),
    ]
}

/// Applies a step to the scoreboard and the model, and compares their reports.
fn take(
    scoreboard: &mut Scoreboard,
    model: &mut Model,
    now_ns: u64,
    step: Step,
) -> Result<(), TestCaseError> {
    let mut delivery = scoreboard.delivery();
    match step {
        Step::Send(len) => {
            scoreboard.send(now_ns, len);
            model
                .bytes
                .resize(model.bytes.len() + len as usize, Byte::default());
            model.ends.push(model.bytes.len() as u64);
        }
        Step::Sack(left, bytes) => {
            scoreboard.sack(model.una + left, model.una + left + bytes, &mut delivery);
            let news = model.sack(model.una + left, model.una + left + bytes);
            prop_assert_eq!(
                (delivery.sacked_bytes, delivery.delivered_bytes),
                (news, news)
            );
        }
        Step::Acknowledge(bytes) => {
            let una = (model.una + bytes).min(model.bytes.len() as u64);
            scoreboard.acknowledge(una, &mut delivery);
            prop_assert_eq!(delivery.acked_bytes, una - model.una);
            prop_assert_eq!(delivery.delivered_bytes, model.acknowledge(una));
        }
        Step::MarkLost(index) if !scoreboard.is_empty() => {
            scoreboard.mark_lost(index % scoreboard.len());
            model.mark_lost(index % scoreboard.len());
        }
        Step::MarkAllLost => {
            scoreboard.mark_all_lost();
            (0..scoreboard.len()).for_each(|index| model.mark_lost(index));
        }
        Step::UnmarkLost => {
            scoreboard.unmark_lost();
            model.unmark_lost();
        }
        Step::Retransmit(index)
            if !scoreboard.is_empty()
                && !scoreboard.segment(index % scoreboard.len()).is_sacked() =>
        {
            scoreboard.retransmit(now_ns, index % scoreboard.len());
            model.retransmit(index % scoreboard.len());
        }
        Step::RetransmitNext => {
            let next = scoreboard.next_lost();
            prop_assert_eq!(
                next,
                model
                    .segments()
                    .iter()
                    .position(|segment| model.first(segment).awaits_retransmission())
            );
            if let Some(index) = next {
                scoreboard.retransmit(now_ns, index);
                model.retransmit(index);
            }
        }
        Step::ForgetSacked => {
            scoreboard.forget_sacked();
            model.forget_sacked();
        }
        Step::MarkLost(_) | Step::Retransmit(_) => {}
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_scoreboard_agrees_with_the_bytes(steps in prop::collection::vec(step(), 1..80)) {
        let (mut scoreboard, mut model) = (Scoreboard::default(), Model::default());
        for (now_ns, step) in (0..).zip(steps) {
            take(&mut scoreboard, &mut model, now_ns, step)?;
            scoreboard.check();
            let ends = (model.una, model.bytes.len() as u64);
            prop_assert_eq!((scoreboard.una(), scoreboard.nxt()), ends);
            prop_assert_eq!(scoreboard.sacked_bytes(), model.count(|byte| byte.sacked));
            prop_assert_eq!(scoreboard.lost_bytes(), model.count(|byte| byte.lost));
            let pending_retransmit_bytes = model.count(|byte| byte.awaits_retransmission());
            prop_assert_eq!(scoreboard.pending_retransmit_bytes(), pending_retransmit_bytes);
            // RFC 6675, section 4, SetPipe.
            let in_flight = model.count(|byte| !byte.sacked && !byte.lost);
            let pipe = in_flight + model.count(|byte| byte.retransmitted);
            prop_assert_eq!(scoreboard.pipe_bytes(), pipe);
            let segments: Vec<_> = scoreboard
                .segments()
                .iter()
                .map(|segment| segment.start..segment.end())
                .collect();
            prop_assert_eq!(segments, model.segments());
        }
    }

    /// All late segments are found, in whatever order they were sent.
    #[test]
    fn all_late_segments_are_marked_lost(
        steps in prop::collection::vec(step(), 1..60),
        age_ns in 1u64..30,
    ) {
        let (mut scoreboard, mut model) = (Scoreboard::default(), Model::default());
        for (now_ns, step) in (0..).zip(steps) {
            take(&mut scoreboard, &mut model, now_ns, step)?;
            let is_late = |segment: &Sent| segment.sent_ns + age_ns <= now_ns;
            let is_out = |segment: &Sent| !segment.is_sacked() && !segment.awaits_retransmission();
            let is_due = |segment: &&Sent| is_out(segment) && is_late(segment);
            let due = scoreboard.segments().iter().any(|segment| is_due(&segment));
            prop_assert_eq!(scoreboard.mark_late(is_late), due);
            scoreboard.check();
            let left = scoreboard.segments().iter().find(is_due);
            prop_assert_eq!(left, None);
            let marked: Vec<_> = (0..scoreboard.len())
                .filter(|&i| scoreboard.segment(i).awaits_retransmission())
                .collect();
            marked.into_iter().for_each(|index| model.mark_lost(index));
        }
    }
}

#[test]
fn a_partial_acknowledgement_cuts_the_first_segment() {
    let mut scoreboard = Scoreboard::default();
    scoreboard.send(0, 1000);
    scoreboard.mark_lost(0);
    scoreboard.retransmit(1, 0);
    let mut delivery = scoreboard.delivery();
    scoreboard.acknowledge(400, &mut delivery);
    scoreboard.check();
    assert_eq!(
        (
            delivery.acked_bytes,
            scoreboard.segment(0).start,
            scoreboard.segment(0).len
        ),
        (400, 400, 600)
    );
    // RFC 8985, section 6.2, step 5: the loss of its retransmission is still detected.
    assert!(scoreboard.mark_late(|segment| segment.sent_ns <= 1));
}

#[test]
fn segments_reported_by_one_ack_are_not_reordered() {
    // RFC 8985, section 6.2, step 3.
    let mut scoreboard = Scoreboard::default();
    (0..4).for_each(|now_ns| scoreboard.send(now_ns, 1000));
    let mut delivery = scoreboard.delivery();
    scoreboard.sack(3000, 4000, &mut delivery);
    scoreboard.sack(1000, 2000, &mut delivery);
    scoreboard.acknowledge(1000, &mut delivery);
    assert_eq!(delivery.reordered, None);
    let mut delivery = scoreboard.delivery();
    scoreboard.acknowledge(4000, &mut delivery);
    assert_eq!(delivery.reordered, Some(2000));
}

#[test]
fn a_lost_retransmission_counts_again_and_going_back_does_not() {
    let mut scoreboard = Scoreboard::default();
    (0..4).for_each(|now_ns| scoreboard.send(now_ns, 1000));
    assert!(scoreboard.mark_lost(0) && !scoreboard.mark_lost(0));
    scoreboard.retransmit(5, 0);
    assert!(scoreboard.mark_lost(0));
    assert_eq!(
        (scoreboard.lost_bytes(), scoreboard.total_lost_bytes()),
        (1000, 2000)
    );
    scoreboard.sack(3000, 4000, &mut Delivery::default());
    scoreboard.go_back_n();
    scoreboard.check();
    assert_eq!(
        (
            scoreboard.pending_retransmit_bytes(),
            scoreboard.total_lost_bytes()
        ),
        (3000, 2000)
    );
    scoreboard.acknowledge(4000, &mut Delivery::default());
    assert_eq!(
        (scoreboard.lost_bytes(), scoreboard.total_lost_bytes()),
        (0, 2000)
    );
}
