//! A small SVG writer of our own.
//!
//! It stays our own, although there are libraries such as `plotters`, for these reasons:
//!
//! - The same data give the same bytes on every machine, so tests and diffs can compare figures.
//! - Colours come from the style sheet of the page as classes, so figures follow the light or dark
//!   scheme of the reader. `plotters` writes fixed colours into the file.
//! - Marks have a `<title>`, which browsers show as a tooltip. `plotters` cannot write it.
//! - It needs no dependency. Without a font library, other crates estimate the width of text no
//!   better than [`text_width`] does.

pub mod axes;
pub(crate) mod beside;
pub(crate) mod labels;
pub mod lines;
pub mod marks;

use std::fmt::Write;

/// Width of the plots of results, in pixels before the page scales it.
pub const WIDTH: f64 = 1000.0;
/// Width of the figures that other crates define as data: their text can be read where a document
/// shows them 700 pixels wide.
pub const PLOT_WIDTH: f64 = 800.0;
/// Width of the area for the y axis.
pub const LEFT: f64 = 72.0;
/// Width of the margin on the right.
pub const RIGHT: f64 = 16.0;

/// Font size of all text in plots, in pixels.
pub const FONT_PX: f64 = 12.0;

/// The point of a text that its position refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// An SVG element that is being written. [`escape`] escapes all text, `px` writes all numbers.
#[derive(Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    name: String,
    body: String,
}

impl Svg {
    /// An empty element of this size in pixels. `name` is the name for screen readers.
    pub fn new(width: f64, height: f64, name: &str) -> Svg {
        Svg {
            width,
            height,
            name: name.to_owned(),
            body: String::new(),
        }
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
        self.push(&format!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    /// A line through points in pixels; `tooltip` may be empty.
    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)], tooltip: &str) {
        let mut path = String::new();
        for (at, &(x, y)) in points.iter().enumerate() {
            let command = if at == 0 { "M" } else { "L" };
            let _ = write!(path, "{command}{} {}", px(x), px(y));
        }
        if !path.is_empty() {
            self.path(class, &path, tooltip);
        }
    }

    /// A path; `d` is its description in the language of SVG, `tooltip` may be empty.
    pub fn path(&mut self, class: &str, d: &str, tooltip: &str) {
        let title = title(tooltip);
        self.push(&format!("<path class=\"{class}\" d=\"{d}\">{title}</path>"));
    }

    /// A circle; `tooltip` may be empty.
    pub fn circle(&mut self, class: &str, center: (f64, f64), radius: f64, tooltip: &str) {
        let (x, y, r, title) = (px(center.0), px(center.1), px(radius), title(tooltip));
        self.push(&format!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\">{title}</circle>"
        ));
    }

    /// A rectangle; `tooltip` may be empty.
    pub fn rect(
        &mut self,
        class: &str,
        corner: (f64, f64),
        width: f64,
        height: f64,
        tooltip: &str,
    ) {
        let (x, y, title) = (px(corner.0), px(corner.1), title(tooltip));
        let (w, h) = (px(width.max(0.0)), px(height.max(0.0)));
        self.push(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\">\
             {title}</rect>"
        ));
    }

    /// A text with this point at its anchor, on its baseline.
    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = anchor_name(anchor);
        let (x, y, text) = (px(at.0), px(at.1), escape(text));
        self.push(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// A text that runs upwards, with its middle at this point.
    pub fn text_up(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y, text) = (px(at.0), px(at.1), escape(text));
        self.push(&format!(
            "<text class=\"{class}\" transform=\"translate({x} {y}) rotate(-90)\" \
             text-anchor=\"middle\">{text}</text>"
        ));
    }

    /// Clips everything until [`Svg::end_clip`] to this rectangle. This is a nested viewport: a
    /// clip path would need an identifier that is unique on the page.
    pub fn begin_clip(&mut self, corner: (f64, f64), width: f64, height: f64) {
        let (x, y, w, h) = (px(corner.0), px(corner.1), px(width), px(height));
        self.push(&format!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\">"
        ));
    }

    /// Ends the clipped part.
    pub fn end_clip(&mut self) {
        self.push("</svg>");
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// The element, for a page whose style sheet colours it.
    pub fn finish(self) -> String {
        self.element("", "")
    }

    /// The element as a file of its own: with its size in pixels and this style sheet.
    pub fn finish_file(self, style: &str) -> String {
        let size = format!(
            " width=\"{}\" height=\"{}\"",
            px(self.width),
            px(self.height)
        );
        self.element(&size, &format!("<style>\n{style}</style>\n"))
    }

    fn element(self, size: &str, style: &str) -> String {
        let (w, h, name) = (px(self.width), px(self.height), escape(&self.name));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"{size} viewBox=\"0 0 {w} {h}\" \
             role=\"img\" aria-label=\"{name}\">\n{style}{}</svg>\n",
            self.body
        )
    }
}

fn anchor_name(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

fn title(tooltip: &str) -> String {
    if tooltip.is_empty() {
        String::new()
    } else {
        format!("<title>{}</title>", escape(tooltip))
    }
}

/// A coordinate with one decimal. A number that is not finite becomes 0; others are kept within
/// ±100,000.
fn px(value: f64) -> String {
    let value = if value.is_finite() {
        value.clamp(-1e5, 1e5)
    } else {
        0.0
    };
    let rounded = (value * 10.0).round() / 10.0;
    // Adding zero turns -0 into 0.
    format!("{}", rounded + 0.0)
}

/// Text for SVG, in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::units::printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Width to reserve for a text, in pixels. The factor suits the wider ones of the common sans-serif
/// fonts.
pub fn text_width(text: &str) -> f64 {
    unicode_width::UnicodeWidthStr::width(text) as f64 * FONT_PX * 0.57
}

/// The text, or as much of it as fits into this width, with an ellipsis.
pub fn shortened(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if text_width(&short) + text_width("…") > width {
            short.pop();
            break;
        }
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_stays_text() {
        assert_eq!(escape("<script>'\"&"), "&lt;script&gt;&#39;&quot;&amp;");
        let mut svg = Svg::new(10.0, 10.0, "<b>");
        svg.text("t", (f64::NAN, f64::MAX), Anchor::Start, "</text>\u{0}");
        let svg = svg.finish();
        roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}: {svg}"));
    }

    #[test]
    fn shortened_text_fits() {
        assert_eq!(shortened("abc", 1000.0), "abc");
        let short = shortened(&"m".repeat(100), 100.0);
        assert!(text_width(&short) <= 100.0 && short.ends_with('…'));
    }
}
