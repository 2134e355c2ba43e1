//! A figure as a file of its own, for documents other than our pages.
//!
//! The file has its size, a background and the rules of the style sheet that it needs. Browsers
//! show it in the light or dark scheme of the reader. Programs that know neither media queries nor
//! variables of CSS, such as Inkscape and librsvg, show the light scheme: the values of all
//! variables are written out.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The variables of the style sheet: colours, in a light and a dark scheme.
pub const COLOURS: &str = include_str!("colours.css");
/// The rules of the style sheet, by the classes of the elements.
pub const RULES: &str = include_str!("figure.css");
const DARK: &str = "@media (prefers-color-scheme: dark)";
const BACKGROUND: &str = "<rect class=\"background\" width=\"100%\" height=\"100%\"/>\n";

/// The SVG element of a figure of this crate, as the contents of an SVG file. Anything else is
/// returned unchanged.
pub fn figure_file(svg: &str) -> String {
    let Some((open, body)) = svg.split_once(">\n") else {
        return svg.to_owned();
    };
    let Some((width, height)) = size(open) else {
        return svg.to_owned();
    };
    let body = format!("{BACKGROUND}{body}");
    let style = style(&body);
    format!("{open} width=\"{width}\" height=\"{height}\">\n<style>\n{style}</style>\n{body}")
}

/// Width and height of the view box.
pub fn size(open: &str) -> Option<(&str, &str)> {
    let (_, view_box) = open.split_once("viewBox=\"0 0 ")?;
    view_box.split_once('"')?.0.split_once(' ')
}

/// The rules for the classes of this body, in the light scheme, then those that differ in the dark
/// one.
fn style(body: &str) -> String {
    let classes = classes(body);
    let rules: Vec<(String, &str)> = RULES
        .split_terminator('}')
        .filter_map(|rule| rule.split_once('{'))
        .filter_map(|(selectors, rule)| Some((used(selectors, &classes)?, rule.trim())))
        .collect();
    let scheme = |is_dark: bool| {
        let colours = colours(is_dark);
        let rules = rules
            .iter()
            .filter(|(_, rule)| !is_dark || rule.contains("var("));
        rules.fold(String::new(), |mut style, (selectors, rule)| {
            let _ = writeln!(style, "{selectors} {{ {} }}", resolved(rule, &colours));
            style
        })
    };
    format!("{}{DARK} {{\n{}}}\n", scheme(false), scheme(true))
}

/// The names in all `class` attributes.
fn classes(body: &str) -> BTreeSet<&str> {
    let attributes = body.split("class=\"").skip(1);
    let names = attributes.filter_map(|rest| rest.split('"').next());
    names.flat_map(str::split_whitespace).collect()
}

/// Those of the selectors whose classes all occur; `None` where none does.
fn used(selectors: &str, classes: &BTreeSet<&str>) -> Option<String> {
    let ends_name = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let has_all = |selector: &&str| {
        let mut names = selector.split('.').skip(1);
        names.all(|rest| classes.contains(rest.split(ends_name).next().unwrap_or_default()))
    };
    let kept: Vec<&str> = selectors
        .split(',')
        .map(str::trim)
        .filter(has_all)
        .collect();
    (!kept.is_empty()).then(|| kept.join(", "))
}

/// Names and values of the variables of a scheme.
fn colours(is_dark: bool) -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    let from = match is_dark {
        true => COLOURS.find(DARK).expect("there is a dark scheme"),
        false => 0,
    };
    let scheme = COLOURS[from..].split('}').next().unwrap_or_default();
    let declarations = scheme
        .split(['{', ';'])
        .filter_map(|one| one.split_once(':'));
    declarations
        .map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, _)| name.starts_with("--"))
}

/// The rule with values in place of variables, on one line.
fn resolved(
    rule: &str,
    colours: &(impl Iterator<Item = (&'static str, &'static str)> + Clone),
) -> String {
    let line = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    colours.clone().fold(line, |line, (name, value)| {
        line.replace(&format!("var({name})"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat_map::{draw_heat_map, HeatMap};
    use crate::ladder::{draw_ladder, Ladder};
    use crate::plot::{draw_plot, Annotation, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
    use crate::trace_graph::{trace_graph, TraceGraph};

    fn plot() -> String {
        draw_plot(&Plot {
            title: "a > b".into(),
            x: Axis::new("time (s)"),
            y: Axis::new("rate"),
            series: vec![PlotSeries::new("one", PlotStyle::Line, vec![(0.0, 1.0)])],
            marks: vec![PlotMarks::new("paper", vec![(1.0, 2.0)])],
            annotations: vec![Annotation::Horizontal {
                y: 1.0,
                text: "one".into(),
            }],
            height: None,
        })
    }

    #[test]
    fn a_file_has_size_background_and_style_without_variables() {
        let file = figure_file(&plot());
        let document = roxmltree::Document::parse(&file).unwrap_or_else(|e| panic!("{e}: {file}"));
        let root = document.root_element();
        let view_box = root.attribute("viewBox").unwrap();
        let size = ["width", "height"].map(|name| root.attribute(name).unwrap());
        assert_eq!(view_box, format!("0 0 {} {}", size[0], size[1]));
        assert!(
            file.contains(BACKGROUND) && !file.contains("var("),
            "{file}"
        );
    }

    #[test]
    fn every_variable_of_the_rules_has_a_value_in_both_schemes() {
        for is_dark in [false, true] {
            let all = resolved(RULES, &colours(is_dark));
            assert!(!all.contains("var("), "{is_dark}: {all}");
        }
    }

    #[test]
    fn a_rule_is_there_for_each_class_that_occurs_and_for_no_other() {
        let graph = trace_graph("", &TraceGraph::default(), 0.0, 1.0);
        let ladder = draw_ladder("", &Ladder::default(), 0.0, 1.0);
        let map = draw_heat_map(&HeatMap::default());
        for svg in [plot(), graph, ladder, map] {
            let file = figure_file(&svg);
            let (style, body) = file.split_once("</style>").unwrap();
            let has = |text: &str, class: &str| {
                let rules = text.split('.').skip(1);
                let names = rules.map(|rest| rest.split([' ', ',']).next().unwrap_or_default());
                names.into_iter().any(|name| name == class)
            };
            for class in classes(body) {
                assert_eq!(has(RULES, class), has(style, class), "{class}: {style}");
            }
            assert!(!has(style, "bar"), "no figure here has bars: {style}");
        }
    }

    #[test]
    fn what_is_no_figure_stays_as_it_is() {
        for text in ["", "<svg>", "<svg>\n</svg>\n"] {
            assert_eq!(figure_file(text), text);
        }
    }
}
