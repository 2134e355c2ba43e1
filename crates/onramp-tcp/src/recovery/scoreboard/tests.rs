//! Compares the scoreboard with a model that has one record per byte.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Byte {
    sacked: bool,
    lost: bool,
    /// Retransmitted, since it was marked lost if it is.
    resent: bool,
}

impl Byte {
    fn waits(self) -> bool {
        self.lost && !self.resent
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

    fn resend(&mut self, index: usize) {
        let segment = self.segments()[index].clone();
        self.of(&segment)
            .iter_mut()
            .for_each(|byte| byte.resent = true);
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
    Resend(usize),
    ResendNext,
    ForgetSacked,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1u32..20).prop_map(Step::Send),
        5 => (0u64..200, 0u64..60).prop_map(|(left, bytes)| Step::Sack(left, bytes)),
        3 => (0u64..40).prop_map(Step::Acknowledge),
        3 => any::<usize>().prop_map(Step::MarkLost),
        1 => Just(Step::MarkAllLost),
        2 => any::<usize>().prop_map(Step::Resend),
        4 => Just(Step::ResendNext),
        1 => Just(Step::ForgetSacked),
    ]
}

/// Applies a step to the scoreboard and the model, and compares their reports.
fn take(
    board: &mut Scoreboard,
    model: &mut Model,
    now_ns: u64,
    step: Step,
) -> Result<(), TestCaseError> {
    let mut delivery = board.delivery();
    match step {
        Step::Send(len) => {
            board.send(now_ns, len);
            model
                .bytes
                .resize(model.bytes.len() + len as usize, Byte::default());
            model.ends.push(model.bytes.len() as u64);
        }
        Step::Sack(left, bytes) => {
            board.sack(model.una + left, model.una + left + bytes, &mut delivery);
            let news = model.sack(model.una + left, model.una + left + bytes);
            prop_assert_eq!(
                (delivery.sacked_bytes, delivery.delivered_bytes),
                (news, news)
            );
        }
        Step::Acknowledge(bytes) => {
            let una = (model.una + bytes).min(model.bytes.len() as u64);
            board.acknowledge(una, &mut delivery);
            prop_assert_eq!(delivery.acked_bytes, una - model.una);
            prop_assert_eq!(delivery.delivered_bytes, model.acknowledge(una));
        }
        Step::MarkLost(index) if !board.is_empty() => {
            board.mark_lost(index % board.len());
            model.mark_lost(index % board.len());
        }
        Step::MarkAllLost => {
            board.mark_all_lost();
            (0..board.len()).for_each(|index| model.mark_lost(index));
        }
        Step::Resend(index)
            if !board.is_empty() && !board.segment(index % board.len()).is_sacked() =>
        {
            board.resend(now_ns, index % board.len());
            model.resend(index % board.len());
        }
        Step::ResendNext => {
            let next = board.next_lost();
            prop_assert_eq!(
                next,
                model
                    .segments()
                    .iter()
                    .position(|segment| model.first(segment).waits())
            );
            if let Some(index) = next {
                board.resend(now_ns, index);
                model.resend(index);
            }
        }
        Step::ForgetSacked => {
            board.forget_sacked();
            let taken_back = model.bytes.iter_mut().filter(|byte| byte.sacked);
            taken_back.for_each(|byte| {
                *byte = Byte {
                    lost: true,
                    ..Byte::default()
                }
            });
        }
        Step::MarkLost(_) | Step::Resend(_) => {}
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_scoreboard_agrees_with_the_bytes(steps in prop::collection::vec(step(), 1..80)) {
        let (mut board, mut model) = (Scoreboard::default(), Model::default());
        for (now_ns, step) in (0..).zip(steps) {
            take(&mut board, &mut model, now_ns, step)?;
            board.check();
            prop_assert_eq!((board.una(), board.nxt()), (model.una, model.bytes.len() as u64));
            prop_assert_eq!(board.sacked_bytes(), model.count(|byte| byte.sacked));
            prop_assert_eq!(board.lost_bytes(), model.count(|byte| byte.lost));
            prop_assert_eq!(board.waiting_bytes(), model.count(|byte| byte.waits()));
            // RFC 6675, section 4, SetPipe.
            let in_flight = model.count(|byte| !byte.sacked && !byte.lost);
            let pipe = in_flight + model.count(|byte| byte.resent);
            prop_assert_eq!(board.pipe_bytes(), pipe);
            let segments: Vec<_> = board
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
        let (mut board, mut model) = (Scoreboard::default(), Model::default());
        for (now_ns, step) in (0..).zip(steps) {
            take(&mut board, &mut model, now_ns, step)?;
            let is_late = |segment: &Sent| segment.sent_ns + age_ns <= now_ns;
            let is_out = |segment: &Sent| !segment.is_sacked() && !segment.waits();
            let is_due = |segment: &&Sent| is_out(segment) && is_late(segment);
            let due = board.segments().iter().any(|segment| is_due(&segment));
            prop_assert_eq!(board.mark_late(is_late), due);
            board.check();
            let left = board.segments().iter().find(is_due);
            prop_assert_eq!(left, None);
            let marked: Vec<_> = (0..board.len()).filter(|&i| board.segment(i).waits()).collect();
            marked.into_iter().for_each(|index| model.mark_lost(index));
        }
    }
}

#[test]
fn a_partial_acknowledgement_cuts_the_first_segment() {
    let mut board = Scoreboard::default();
    board.send(0, 1000);
    board.mark_lost(0);
    board.resend(1, 0);
    let mut delivery = board.delivery();
    board.acknowledge(400, &mut delivery);
    board.check();
    assert_eq!(
        (
            delivery.acked_bytes,
            board.segment(0).start,
            board.segment(0).len
        ),
        (400, 400, 600)
    );
    // RFC 8985, section 6.2, step 5: the loss of its retransmission is still detected.
    assert!(board.mark_late(|segment| segment.sent_ns <= 1));
}

#[test]
fn segments_reported_by_one_ack_are_not_reordered() {
    // RFC 8985, section 6.2, step 3.
    let mut board = Scoreboard::default();
    (0..4).for_each(|now_ns| board.send(now_ns, 1000));
    let mut delivery = board.delivery();
    board.sack(3000, 4000, &mut delivery);
    board.sack(1000, 2000, &mut delivery);
    board.acknowledge(1000, &mut delivery);
    assert_eq!(delivery.reordered, None);
    let mut delivery = board.delivery();
    board.acknowledge(4000, &mut delivery);
    assert_eq!(delivery.reordered, Some(2000));
}

#[test]
fn a_lost_retransmission_counts_again_and_going_back_does_not() {
    let mut board = Scoreboard::default();
    (0..4).for_each(|now_ns| board.send(now_ns, 1000));
    assert!(board.mark_lost(0) && !board.mark_lost(0));
    board.resend(5, 0);
    assert!(board.mark_lost(0));
    assert_eq!((board.lost_bytes(), board.total_lost_bytes()), (1000, 2000));
    board.sack(3000, 4000, &mut Delivery::default());
    board.go_back();
    board.check();
    assert_eq!(
        (board.waiting_bytes(), board.total_lost_bytes()),
        (3000, 2000)
    );
    board.acknowledge(4000, &mut Delivery::default());
    assert_eq!((board.lost_bytes(), board.total_lost_bytes()), (0, 2000));
}
