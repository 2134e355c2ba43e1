//! The page: well-formed, self-contained, with all names escaped.

use crate::sweep;

use onramp_report::{page, Meta, Run};
use onramp_results::Record;
use onramp_testing::samples::{record, run, SATELLITE, SHALLOW};
use roxmltree::Document;

fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for setup in [SATELLITE, SHALLOW] {
        for startup in ["none", "paced", "gamma"] {
            for repeat in 1..=2 {
                let (record, trace) = run(&setup, startup, "cubic", repeat);
                runs.push(Run {
                    record,
                    trace: Some(trace),
                });
            }
        }
    }
    runs
}

fn meta() -> Meta {
    Meta {
        title: "A title".into(),
        what: "What was run.".into(),
        scenarios: vec![("geo-download".into(), "A description.".into())],
        version: "0.1.0".into(),
        command: "onramp sim".into(),
        date: "2031-05-04".into(),
        kernel_release: "6.18".into(),
        cpus: 2,
    }
}

/// The figures of a page, each an SVG element.
fn svgs(html: &str) -> Vec<&str> {
    html.split("<figure>\n")
        .skip(1)
        .map(|rest| rest.split("<figcaption>").next().unwrap().trim())
        .collect()
}

fn count(svg: &str, class: &str) -> usize {
    let document = Document::parse(svg).unwrap();
    let has_class = |n: &roxmltree::Node<'_, '_>| {
        n.attribute("class")
            .is_some_and(|c| c.split(' ').any(|c| c == class))
    };
    document.descendants().filter(has_class).count()
}

#[test]
fn every_group_has_its_plots_and_each_is_well_formed() {
    let html = page(&meta(), &runs());
    let svgs = svgs(&html);
    // Completion, events, sequence, window and rate, of two groups.
    assert_eq!(svgs.len(), 10);
    for svg in &svgs {
        Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg}"));
    }
}

#[test]
fn the_sequence_plot_shows_each_start_up_and_its_losses() {
    let html = page(&meta(), &runs());
    let sequence = svgs(&html)[7];
    for series in ["s0", "s1", "s2"] {
        assert!(count(sequence, series) >= 2, "{series}");
    }
    assert!(sequence.contains("<title>cubic (run 1): enters the bottleneck</title>"));
    assert!(sequence.contains("retransmitted at") && sequence.contains("dropped at"));
    assert_eq!(
        count(sequence, "ideal"),
        2,
        "the line and its key in the legend"
    );
    assert_eq!(
        count(sequence, "exit"),
        3,
        "two of three have a start-up that ends; and the legend"
    );
}

#[test]
fn the_page_as_a_whole_nests_properly() {
    let html = page(&meta(), &runs());
    // The page is XML but for the void elements of HTML and its doctype.
    let xml = html
        .replace("<!DOCTYPE html>\n", "")
        .replace("\"utf-8\">", "\"utf-8\"/>")
        .replace("scale=1\">", "scale=1\"/>");
    let xml = xml.replace("<br>", "<br/>");
    Document::parse(&xml).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let html = page(&meta(), &runs()).replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for reference in [
        "http:", "https:", "url(", "@import", "src=", "<link", "<script",
    ] {
        assert!(!html.contains(reference), "{reference}");
    }
}

#[test]
fn markup_in_names_stays_text() {
    let evil = "<script>alert('x')</script>\"&\u{1b}";
    let (mut record, mut trace) = run(&SATELLITE, "paced", "cubic", 1);
    for text in [
        &mut record.scenario,
        &mut record.host,
        &mut record.queue,
        &mut record.receiver_buffer,
        &mut record.startup,
        &mut record.avoidance,
        &mut record.initial_window,
        &mut record.exit_reason,
    ] {
        *text = evil.to_owned();
    }
    for event in &mut trace.events {
        event.kind = evil.to_owned();
        event.what = evil.to_owned();
    }
    let all = || evil.to_owned();
    let meta = Meta {
        title: all(),
        what: all(),
        scenarios: vec![(all(), all())],
        version: all(),
        command: all(),
        date: all(),
        kernel_release: all(),
        cpus: 1,
    };
    let html = page(
        &meta,
        &[Run {
            record,
            trace: Some(trace),
        }],
    );
    assert!(!html.contains("<script") && !html.contains('\u{1b}'));
    assert!(html.contains("&lt;script&gt;"));
    for svg in svgs(&html) {
        Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg}"));
    }
}

#[test]
fn groups_are_named_by_what_differs_and_what_they_share_stands_once() {
    let mut runs = Vec::new();
    for size_bytes in [100_000, 1_000_000] {
        let record = Record {
            size_bytes,
            ..record("geo", "none", "cubic", 1)
        };
        runs.push(Run {
            record,
            trace: None,
        });
    }
    let html = page(&meta(), &runs);
    assert!(html.contains("<h2 id=\"g0\">100 kB</h2>"), "{html}");
    let shared = "<p class=\"conditions\">50 Mbit/s · 600 ms · queue 0.5 bdp";
    assert!(html.contains(shared), "{html}");
}

#[test]
fn columns_are_explained_on_the_page() {
    let html = page(&meta(), &runs());
    let (_, meanings) = html.split_once("What the columns mean").unwrap();
    for column in [
        "start-up",
        "completion, s",
        "ratio",
        "wasted, RTT",
        "resent, segments",
        "exit",
    ] {
        assert!(
            meanings.contains(&format!("<dt>{column}</dt>")),
            "{column}: {meanings}"
        );
    }
}

#[test]
fn a_start_up_that_outlived_its_transfer_is_still_starting() {
    let exit = |finished: bool| {
        let mut record = record("a", "paced", "cubic", 1);
        record.exit_reason = "unfinished".to_owned();
        record.finished = finished;
        page(
            &meta(),
            &[Run {
                record,
                trace: None,
            }],
        )
    };
    assert!(exit(true).contains("<td class=\"left\">complete</td>"));
    assert!(exit(false).contains("<td class=\"left\">unfinished</td>"));
}

#[test]
fn a_sweep_has_an_overview_and_a_page_of_bounded_size() {
    let html = page(&sweep::meta(), &sweep::runs(5_040));
    assert!(html.len() < 3_000_000, "{}", html.len());
    for part in [
        "<h2>Overview</h2>",
        "onramp + cubic: time / cubic&#39;s time",
        "Ratio by RTT",
        "Completion time",
        "<h2>Every path and size</h2>",
        "<summary>size 10 kB: 126 paths and sizes; ",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("bootstrap"), "nothing is random");
    let more = page(&sweep::meta(), &sweep::runs(4 * 5_040));
    assert!(more.len() < 3_000_000, "{}", more.len());
    assert!(more.contains("95 % over seeds"), "four repeats that differ");
}

#[test]
fn so_many_traces_that_not_all_have_plots() {
    let traced = || sweep::traced().into_iter();
    let mut runs: Vec<Run> = Vec::new();
    for rate in 1..=40 {
        runs.extend(traced().map(|mut run| {
            run.record.rate_bits_per_s += rate;
            run
        }));
    }
    let html = page(&sweep::meta(), &runs);
    assert!(html.len() < 3_000_000, "{}", html.len());
    assert!(
        html.contains("paths and sizes have plots here"),
        "{}",
        html.len()
    );
}

#[test]
fn without_traces_there_is_still_the_comparison() {
    let html = page(
        &meta(),
        &[Run {
            record: record("a", "none", "cubic", 1),
            trace: None,
        }],
    );
    assert_eq!(svgs(&html).len(), 1);
    assert!(page(&Meta::default(), &[]).contains("No results."));
}

#[test]
fn a_long_trace_makes_a_page_of_bounded_size() {
    let (record, mut trace) = run(&SHALLOW, "none", "cubic", 1);
    let (sender, segments) = (trace.sender.clone(), trace.segments.clone());
    for round in 1..100 {
        let later = f64::from(round) * 3.0;
        trace
            .sender
            .extend(sender.iter().map(|s| onramp_results::SenderSample {
                time_s: s.time_s + later,
                ..*s
            }));
        trace
            .segments
            .extend(segments.iter().map(|s| onramp_results::SegmentSample {
                time_s: s.time_s + later,
                ..*s
            }));
    }
    assert!(trace.segments.len() > 100_000);
    let html = page(
        &meta(),
        &[Run {
            record,
            trace: Some(trace),
        }],
    );
    assert!(html.len() < 1_500_000, "{}", html.len());
}
