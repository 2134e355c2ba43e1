//! What all pages have in common: HTML that needs nothing else, style and plots in it and no
//! scripts.

use crate::svg::escape;
use crate::Meta;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// Everything up to and with the heading.
pub(crate) fn begin(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// The end of a page.
pub(crate) fn end(html: String) -> String {
    html + "</body>\n</html>\n"
}

/// A paragraph of plain text; nothing for an empty one.
pub(crate) fn paragraph(html: &mut String, class: &str, text: &str) {
    if !text.is_empty() {
        let class = class_attribute(class);
        let _ = writeln!(html, "<p{class}>{}</p>", escape(text));
    }
}

/// Where and how a page's results were made.
pub(crate) fn facts(html: &mut String, meta: &Meta) {
    let cpus = if meta.cpus > 0 {
        meta.cpus.to_string()
    } else {
        String::new()
    };
    let facts = [
        ("command", &meta.command),
        ("date", &meta.date),
        ("Onramp", &meta.version),
        ("kernel", &meta.kernel_release),
        ("CPUs", &cpus),
    ];
    html.push_str("<dl class=\"meta\">\n");
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", escape(value));
    }
    html.push_str("</dl>\n");
}

/// Links to the headings of a page that has several.
pub(crate) fn contents(html: &mut String, headings: &[String]) {
    if headings.len() < 2 {
        return;
    }
    html.push_str("<nav><ol>\n");
    for (at, heading) in headings.iter().enumerate() {
        let _ = writeln!(html, "<li><a href=\"#g{at}\">{}</a></li>", escape(heading));
    }
    html.push_str("</ol></nav>\n");
}

/// The heading to which the contents' link of this number leads.
pub(crate) fn heading(html: &mut String, at: usize, text: &str) {
    let _ = writeln!(html, "<h2 id=\"g{at}\">{}</h2>", escape(text));
}

/// A plot and the sentence below it.
pub(crate) fn figure(html: &mut String, svg: &str, caption: &str) {
    let _ = writeln!(
        html,
        "<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>",
        escape(caption)
    );
}

/// ` class="..."`, or nothing.
pub(crate) fn class_attribute(class: &str) -> String {
    match class.trim() {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    }
}
