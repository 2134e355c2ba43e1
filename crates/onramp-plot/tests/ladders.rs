//! Ladders: their look, and that any data give a figure of bounded size.

use onramp_plot::ladder::{draw_ladder, Ladder, LadderMarks, Rung, RungKind};
use proptest::prelude::*;
use roxmltree::Document;

const KINDS: [RungKind; 5] = [
    RungKind::Data,
    RungKind::Pair,
    RungKind::Paced,
    RungKind::Ack,
    RungKind::DelayedAck,
];

fn ladder(rungs: Vec<Rung>) -> Ladder {
    Ladder {
        left: "sender".into(),
        right: "receiver".into(),
        rungs,
        ..Ladder::default()
    }
}

fn rung(text: &str, from_left: bool, sent_s: f64, arrived_s: Option<f64>, kind: RungKind) -> Rung {
    Rung {
        from_left,
        sent_s,
        arrived_s,
        text: text.into(),
        kind,
    }
}

#[test]
fn a_small_ladder() {
    insta::assert_snapshot!(draw_ladder(
        "A title",
        &ladder(vec![
            rung("segment 1", true, 0.0, Some(0.14), RungKind::Data),
            rung("ACK 1", false, 0.2, Some(0.3), RungKind::DelayedAck),
            rung("segment 2, pair 1", true, 0.3, Some(0.44), RungKind::Pair),
            rung("segment 3, pair 2", true, 0.3, Some(0.48), RungKind::Pair),
            rung("segment 4", true, 0.31, None, RungKind::Paced),
            rung("ACK 2", false, 0.44, Some(0.54), RungKind::Ack),
        ]),
        0.0,
        0.5,
    ));
}

#[test]
fn the_legend_explains_what_is_shown() {
    let rungs = |kinds: &[RungKind]| {
        kinds
            .iter()
            .map(|&kind| rung("", true, 0.1, Some(0.2), kind))
            .collect::<Vec<_>>()
    };
    let texts = |rungs: Vec<Rung>| {
        let svg = draw_ladder("", &ladder(rungs), 0.0, 1.0);
        let document = Document::parse(&svg).unwrap();
        let legend = document
            .descendants()
            .filter(|n| n.attribute("class") == Some("legend"));
        legend
            .filter_map(|n| n.text().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let all = [
        "segment",
        "segment of a packet pair",
        "paced segment",
        "ACK",
        "delayed ACK",
        "lost on the way",
    ];
    let lost = rung("", true, 0.1, None, RungKind::Data);
    assert_eq!(texts([rungs(&KINDS), vec![lost]].concat()), all);
    assert_eq!(texts(rungs(&[RungKind::Ack])), ["ACK"]);
    assert!(texts(Vec::new()).is_empty());
}

#[test]
fn thirty_thousand_segments_stay_below_500_kb() {
    let segment = |at: u32| {
        let (sent_s, kind) = (f64::from(at) / 1e3, KINDS[at as usize % 5]);
        let delay_s = 0.1 + f64::from(at * 7919 % 1009) / 1e3;
        let arrived_s = (at % 7 != 3).then_some(sent_s + delay_s);
        rung(
            &format!("segment {at}"),
            at.is_multiple_of(2),
            sent_s,
            arrived_s,
            kind,
        )
    };
    let svg = draw_ladder("", &ladder((0..30_000).map(segment).collect()), 0.0, 30.0);
    assert!(svg.len() < 500_000, "{}", svg.len());
    Document::parse(&svg).unwrap();
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..10.0, prop::num::f64::ANY, Just(0.0)]
}

prop_compose! {
    fn a_rung()(
        from_left: bool,
        sent_s in float(),
        arrived_s in prop::option::of(float()),
        text: String,
        kind in prop::sample::select(KINDS.to_vec()),
    ) -> Rung {
        Rung { from_left, sent_s, arrived_s, text, kind }
    }
}

proptest! {
    #[test]
    fn ladders_accept_any_rungs(
        rungs in prop::collection::vec(a_rung(), 0..30),
        texts in prop::array::uniform3(any::<String>()),
        range in (float(), float()),
        times in prop::collection::vec(float(), 0..5),
    ) {
        let [title, left, right] = texts;
        let marks = LadderMarks {
            label: left.clone(),
            left_s: times.clone(),
            right_s: times,
        };
        let ladder = Ladder { left, right, rungs, marks };
        let svg = draw_ladder(&title, &ladder, range.0, range.1);
        prop_assert!(Document::parse(&svg).is_ok(), "{}", svg);
    }
}
