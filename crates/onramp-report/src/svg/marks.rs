//! Colours, marker shapes and legends: what tells the start-ups apart.
//!
//! The colours are those of Okabe and Ito, chosen to be told apart by colour-blind readers; each series
//! has a marker shape too, so that a print in grey still tells them apart. The style sheet holds the
//! colours themselves, as `s0` to `s6`.

use super::{text_width, Anchor, Svg};

const COLOURS: usize = 7;
const SHAPES: usize = 5;

/// Class of the series with this position: its colour.
pub(crate) fn colour(series: usize) -> String {
    format!("s{}", series % COLOURS)
}

/// The series' marker, filled, around a point. Seven colours and five shapes make 35 pairs before one repeats.
pub(crate) fn marker(svg: &mut Svg, series: usize, (x, y): (f64, f64), tooltip: &str) {
    let class = format!("marker {}", colour(series));
    let polygon = |corners: &[(f64, f64)]| {
        let corner = |&(dx, dy): &(f64, f64)| format!("{} {}", super::px(x + dx), super::px(y + dy));
        format!("M{}Z", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
    };
    match series % SHAPES {
        0 => svg.circle(&class, (x, y), 4.0, tooltip),
        1 => svg.rect(&class, (x - 3.6, y - 3.6), 7.2, 7.2, tooltip),
        2 => svg.path(&class, &polygon(&[(0.0, -5.0), (4.8, 3.6), (-4.8, 3.6)]), tooltip),
        3 => svg.path(&class, &polygon(&[(0.0, -5.4), (5.0, 0.0), (0.0, 5.4), (-5.0, 0.0)]), tooltip),
        _ => svg.path(&class, &polygon(&[(0.0, 5.0), (4.8, -3.6), (-4.8, -3.6)]), tooltip),
    }
}

/// A dropped packet: a cross.
pub(crate) fn cross(svg: &mut Svg, series: usize, (x, y): (f64, f64), tooltip: &str) {
    let p = super::px;
    let (l, r, t, b) = (p(x - 3.5), p(x + 3.5), p(y - 3.5), p(y + 3.5));
    svg.path(&format!("mark {}", colour(series)), &format!("M{l} {t}L{r} {b}M{l} {b}L{r} {t}"), tooltip);
}

/// A retransmission: a ring.
pub(crate) fn ring(svg: &mut Svg, series: usize, at: (f64, f64), tooltip: &str) {
    svg.circle(&format!("mark {}", colour(series)), at, 4.2, tooltip);
}

/// How a legend's entry is drawn before its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    /// A start-up: its line and marker.
    Series(usize),
    /// A line of this class in the colour of text.
    Line(&'static str),
    /// A ring.
    Ring,
    /// A cross.
    Cross,
}

const KEY_WIDTH: f64 = 30.0;
const ROW_HEIGHT: f64 = 18.0;

/// Where each entry of a legend goes, in rows no wider than `width`.
pub(crate) fn legend_places(entries: &[(Key, String)], width: f64) -> (Vec<(f64, f64)>, f64) {
    let (mut x, mut y) = (0.0, 0.0);
    let mut places = Vec::new();
    for (_, text) in entries {
        let needed = KEY_WIDTH + text_width(text) + 18.0;
        if x > 0.0 && x + needed > width {
            x = 0.0;
            y += ROW_HEIGHT;
        }
        places.push((x, y));
        x += needed;
    }
    (places, if entries.is_empty() { 0.0 } else { y + ROW_HEIGHT })
}

/// Draws a legend whose places were computed, its corner at this point.
pub(crate) fn legend(svg: &mut Svg, corner: (f64, f64), entries: &[(Key, String)], places: &[(f64, f64)]) {
    for ((key, text), place) in entries.iter().zip(places) {
        let (x, y) = (corner.0 + place.0, corner.1 + place.1 + ROW_HEIGHT / 2.0);
        let (from, to, middle) = ((x, y), (x + 24.0, y), (x + 12.0, y));
        match *key {
            Key::Series(series) => {
                svg.line(&format!("main {}", colour(series)), from, to);
                marker(svg, series, middle, "");
            }
            Key::Line(class) => svg.line(&format!("{class} ink"), from, to),
            Key::Ring => svg.circle("mark ink", middle, 4.2, ""),
            Key::Cross => {
                let p = super::px;
                let (l, r, t, b) = (p(x + 8.5), p(x + 15.5), p(y - 3.5), p(y + 3.5));
                svg.path("mark ink", &format!("M{l} {t}L{r} {b}M{l} {b}L{r} {t}"), "");
            }
        }
        svg.text("legend", (x + KEY_WIDTH, y + 4.0), Anchor::Start, text);
    }
}
