//! What all pages have in common. The template library `maud` writes and escapes them.
//!
//! A page is one HTML file: style and plots are in it, it has no scripts and fetches nothing. Line
//! breaks stand after each block, so that two pages can be compared line by line.

use crate::run::Meta;
use maud::{html, Markup, PreEscaped, DOCTYPE};
use onramp_plot::units::printable;
use onramp_plot::{COLOURS, RULES};

const STYLE: &str = include_str!("page.css");

/// Text of unknown origin. `maud` escapes it; control characters, which HTML does not allow, become
/// U+FFFD first.
pub(crate) fn text(text: &str) -> Markup {
    html! { (printable(text)) }
}

/// A page with this heading above its body.
pub(crate) fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" { "\n"
            head { "\n"
                meta charset="utf-8"; "\n"
                meta name="viewport" content="width=device-width, initial-scale=1"; "\n"
                title { (text(title)) } "\n"
                // The style sheet is ours: text in it needs no escaping.
                style { "\n" (PreEscaped(COLOURS)) (PreEscaped(STYLE)) (PreEscaped(RULES)) } "\n"
            } "\n"
            body { "\n"
                h1 { (text(title)) } "\n"
                (body)
            } "\n"
        } "\n"
    };
    page.into_string()
}

/// A paragraph of plain text; nothing for an empty one.
pub(crate) fn paragraph(class: Option<&str>, content: &str) -> Markup {
    html! {
        @if !content.is_empty() {
            p class=[class] { (text(content)) } "\n"
        }
    }
}

/// Where and how the results of a page were made, as far as that is known.
pub(crate) fn facts(meta: &Meta) -> Markup {
    let cpus = Some(meta.cpus).filter(|cpus| *cpus > 0);
    let cpus = cpus.map_or(String::new(), |cpus| cpus.to_string());
    let facts = [
        ("command", &meta.command),
        ("date", &meta.date),
        ("Onramp", &meta.version),
        ("kernel", &meta.kernel_release),
        ("CPUs", &cpus),
    ];
    html! {
        dl.meta { "\n"
            @for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
                dt { (name) } dd { (text(value)) } "\n"
            }
        } "\n"
    }
}

/// Links to the headings of a page that has several.
pub(crate) fn contents(headings: &[String]) -> Markup {
    html! {
        @if headings.len() > 1 {
            nav { ol { "\n"
                @for (number, heading) in headings.iter().enumerate() {
                    li { a href={ "#g" (number) } { (text(heading)) } } "\n"
                }
            } } "\n"
        }
    }
}

/// The heading to which the link with this number leads, from 0.
pub(crate) fn heading(number: usize, content: &str) -> Markup {
    html! {
        h2 id={ "g" (number) } { (text(content)) } "\n"
    }
}

/// A plot and the sentence below it. The SVG goes into the page unchanged: it comes from
/// [`onramp_plot::svg`], which escapes all text itself.
pub(crate) fn figure(svg: &str, caption: &str) -> Markup {
    html! {
        figure { "\n"
            (PreEscaped(svg))
            figcaption { (text(caption)) } "\n"
        } "\n"
    }
}

/// A part that opens on demand, by mouse and by keyboard. A browser draws it only then.
pub(crate) fn details(summary: &str, content: &Markup) -> Markup {
    html! {
        details { "\n"
            summary { (text(summary)) } "\n"
            (content)
        } "\n"
    }
}

/// The value of a `class` attribute: the names that are not empty, or `None` where all are.
pub(crate) fn classes(names: &[&str]) -> Option<String> {
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !name.is_empty())
        .collect();
    (!names.is_empty()).then(|| names.join(" "))
}
