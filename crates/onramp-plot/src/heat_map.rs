//! A heat map: the time of something by two conditions, of the time of something else.
//!
//! A field has a colour and its number, so that colour is not the only difference.

use crate::svg::{shortened, text_width, Anchor, Svg};
use std::ops::RangeInclusive;

/// Width of a heat map, that of plots.
const WIDTH: f64 = crate::svg::WIDTH;
const TITLE_HEIGHT: f64 = 30.0;
const FIELD_HEIGHT: f64 = 34.0;
/// A field is at most this wide, or as wide as the names of the columns, so that few columns do not
/// fill the page.
const MAX_FIELD_WIDTH: f64 = 110.0;
const FOOT_HEIGHT: f64 = 46.0;
/// Distance of texts from fields.
const GAP: f64 = 8.0;
/// Width of the label of the rows, which runs upwards.
const LABEL_WIDTH: f64 = 22.0;

/// Ratios by column and row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// The title, which is its name for screen readers, too.
    pub title: String,
    /// What the columns are.
    pub x_label: String,
    /// What the rows are.
    pub y_label: String,
    /// Names of the columns, from left to right.
    pub columns: Vec<String>,
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// For each row its ratios, in the order of the columns. Below 1 is better. `None`, a missing
    /// one and one that is not finite leave the field empty.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Ratios that make no difference.
pub const EVEN: RangeInclusive<f64> = 0.97..=1.03;

/// Classes of the style sheet, from the best to the worst, each up to this ratio.
const SHADES: [(f64, &str); 8] = [
    (0.50, "heat better4"),
    (0.65, "heat better3"),
    (0.80, "heat better2"),
    (*EVEN.start(), "heat better1"),
    (*EVEN.end(), "heat even"),
    (1.25, "heat worse1"),
    (1.60, "heat worse2"),
    (f64::INFINITY, "heat worse3"),
];

fn shade(ratio: f64) -> &'static str {
    let found = SHADES.iter().find(|(limit, _)| ratio <= *limit);
    found.map_or("heat even", |(_, class)| class)
}

/// The heat map as an SVG element, coloured by the style sheet of the page that it is for.
pub fn draw_heat_map(map: &HeatMap) -> String {
    let widest = map
        .rows
        .iter()
        .map(|name| text_width(name))
        .fold(0.0, f64::max);
    let left = LABEL_WIDTH + widest + GAP;
    let columns = map.columns.len().max(1) as f64;
    let name_width = |name: &String| text_width(name) + GAP;
    let widest_column = map.columns.iter().map(name_width).fold(0.0, f64::max);
    let field = ((WIDTH - left) / columns).min(MAX_FIELD_WIDTH.max(widest_column));
    let bottom = TITLE_HEIGHT + FIELD_HEIGHT * map.rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + FOOT_HEIGHT, &map.title);
    svg.text("lane", (left, 15.0), Anchor::Start, &map.title);
    for (row, name) in map.rows.iter().enumerate() {
        let top = TITLE_HEIGHT + FIELD_HEIGHT * row as f64;
        let baseline = top + FIELD_HEIGHT / 2.0 + 4.0;
        svg.text("tick", (left - GAP, baseline), Anchor::End, name);
        for column in 0..map.columns.len() {
            let value = map.values.get(row).and_then(|values| *values.get(column)?);
            let Some(ratio) = value.filter(|ratio| ratio.is_finite()) else {
                continue;
            };
            let x = left + field * column as f64;
            let tooltip = format!("{}, {name}: {ratio:.3}", map.columns[column]);
            svg.rect(shade(ratio), (x, top), field, FIELD_HEIGHT, &tooltip);
            let middle = (x + field / 2.0, baseline);
            svg.text("tick", middle, Anchor::Middle, &format!("{ratio:.2}"));
        }
    }
    for (column, name) in map.columns.iter().enumerate() {
        let middle = left + field * (column as f64 + 0.5);
        let name = shortened(name, field - GAP / 2.0);
        svg.text("tick", (middle, bottom + 18.0), Anchor::Middle, &name);
    }
    let middle = left + field * columns / 2.0;
    svg.text(
        "label",
        (middle, bottom + 38.0),
        Anchor::Middle,
        &map.x_label,
    );
    let middle = (TITLE_HEIGHT + bottom) / 2.0;
    svg.text_up("label", (14.0, middle), &map.y_label);
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ratio_has_its_shade_and_its_number() {
        let svg = draw_heat_map(&HeatMap {
            title: "gain".to_owned(),
            columns: vec!["10 Mbit/s".to_owned(), "50 Mbit/s".to_owned()],
            rows: vec!["<20 ms>".to_owned(), "100 ms".to_owned()],
            values: vec![vec![Some(0.4), Some(1.0)], vec![Some(2.0), None], vec![]],
            ..HeatMap::default()
        });
        roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
        for (class, number) in [("better4", "0.40"), ("even", "1.00"), ("worse3", "2.00")] {
            assert!(
                svg.contains(class) && svg.contains(number),
                "{class}: {svg}"
            );
        }
        assert_eq!(svg.matches("<rect").count(), 3);
    }

    #[test]
    fn names_of_columns_do_not_overlap() {
        let columns: Vec<String> = (0..12)
            .map(|at| format!("{at} Mbit/s to {at}5 Mbit/s"))
            .collect();
        let svg = draw_heat_map(&HeatMap {
            columns: columns.clone(),
            ..HeatMap::default()
        });
        assert!(
            svg.contains("…</text>") && !svg.contains(&columns[0]),
            "{svg}"
        );
        let svg = draw_heat_map(&HeatMap {
            columns: columns[..2].to_vec(),
            ..HeatMap::default()
        });
        assert!(
            svg.contains(&columns[0]) && svg.contains(&columns[1]),
            "{svg}"
        );
    }

    #[test]
    fn a_map_without_fields_is_still_an_image() {
        assert!(draw_heat_map(&HeatMap::default()).starts_with("<svg"));
    }
}
