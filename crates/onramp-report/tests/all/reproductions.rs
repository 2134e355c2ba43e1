//! The page of a reproduced paper.

use onramp_plot::plot::{draw_plot, Plot};
use onramp_report::reproduction::{
    reproduction_page, PageCell, PageFigure, PageTable, PageTone, ReproductionPage, Section,
};
use onramp_report::Meta;
use roxmltree::Document;

fn page(text: &str) -> ReproductionPage {
    let all = || text.to_owned();
    let cell = |tone| PageCell::new(text, tone);
    let table = PageTable {
        caption: all(),
        head: vec![all(), all(), all(), all(), "five".to_owned()],
        rows: vec![
            vec![
                cell(PageTone::Plain),
                cell(PageTone::Good),
                cell(PageTone::Bad),
                cell(PageTone::Muted),
            ],
            vec![
                "30.5".into(),
                "1".into(),
                "2".into(),
                "3".into(),
                "4".into(),
                "beyond the head".into(),
            ],
        ],
    };
    let section = Section {
        heading: all(),
        paragraphs: vec![all(), String::new()],
        tables: vec![table, PageTable::default()],
        figures: vec![PageFigure {
            svg: draw_plot(&Plot::default()),
            caption: all(),
        }],
    };
    ReproductionPage {
        title: all(),
        citation: all(),
        intro: vec![all()],
        sections: vec![section.clone(), section],
        meta: Meta {
            command: all(),
            date: all(),
            ..Meta::default()
        },
    }
}

/// Parses a page. It is XML but for the parts that are replaced here.
fn parse(html: &str) {
    let xml = html.replace("<!DOCTYPE html>\n", "");
    let xml = xml
        .replace("<meta charset=\"utf-8\">", "")
        .replace("scale=1\">", "scale=1\"/>");
    Document::parse(&xml).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_page_is_well_formed_and_complete() {
    let html = reproduction_page(&page("a text"));
    parse(&html);
    assert_eq!(html.matches("<svg xmlns").count(), 2);
    assert_eq!(html.matches("<h2 id=").count(), 2);
    assert!(html.contains("<a href=\"#g1\">a text</a>"));
    assert!(
        html.contains("<td class=\"left\">beyond the head</td>"),
        "cells without a head are shown"
    );
    assert_eq!(
        html.matches("<table").count(),
        2,
        "a table without columns is none"
    );
    assert!(!html.contains("<p></p>") && !html.contains("<dt>kernel"));
    parse(&reproduction_page(&ReproductionPage::default()));
}

#[test]
fn a_tone_is_a_sign_too() {
    let html = reproduction_page(&page("a text"));
    assert!(html.contains("<td class=\"left better\">✓ a text</td>"));
    assert!(html.contains("<td class=\"left worse\">✗ a text</td>"));
    assert!(html.contains("<td class=\"left faint\">a text</td>"));
}

#[test]
fn markup_stays_text_and_nothing_is_fetched() {
    let html = reproduction_page(&page("<script>alert('x')</script>\"&\u{1b}"));
    parse(&html);
    assert!(!html.contains("<script") && !html.contains('\u{1b}'));
    let html = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for reference in ["http:", "https:", "url(", "@import", "src=", "<link"] {
        assert!(!html.contains(reference), "{reference}");
    }
}

#[test]
fn long_tables_scroll_by_themselves() {
    let with = |rows| {
        let table = PageTable {
            rows: vec![vec!["1".into()]; rows],
            ..PageTable::default()
        };
        let sections = vec![Section {
            tables: vec![table],
            ..Section::default()
        }];
        reproduction_page(&ReproductionPage {
            sections,
            ..ReproductionPage::default()
        })
    };
    assert!(with(40).contains("class=\"scroll long\" tabindex=\"0\""));
    assert!(with(4).contains("class=\"scroll\" tabindex=\"0\""));
}
