//! Colours, marker shapes and legends, by which a reader distinguishes the start-ups.
//!
//! The colours are those of Okabe and Ito, which colour-blind readers can distinguish. Each series
//! has a marker shape, too, for prints in grey. The style sheet defines the colours as the classes
//! `s0` to `s6`.

use super::{text_width, Anchor, Svg};

const COLOURS: usize = 7;
const SHAPES: usize = 8;

/// The class of a series, which is its colour.
pub fn colour(series: usize) -> String {
    format!("s{}", series % COLOURS)
}

/// The filled marker of a series. Seven colours and eight shapes give 56 different pairs.
pub fn marker(svg: &mut Svg, series: usize, (x, y): (f64, f64), tooltip: &str) {
    let class = format!("marker {}", colour(series));
    let mut polygon = |corners: &[(f64, f64)]| svg.path(&class, &shape((x, y), corners), tooltip);
    match series % SHAPES {
        1 => polygon(&[(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)]),
        2 => polygon(&[(0.0, -5.0), (4.8, 3.6), (-4.8, 3.6)]),
        3 => polygon(&[(0.0, -5.4), (5.0, 0.0), (0.0, 5.4), (-5.0, 0.0)]),
        4 => polygon(&[(0.0, 5.0), (4.8, -3.6), (-4.8, -3.6)]),
        5 => polygon(&PLUS),
        6 => polygon(&PLUS.map(|(dx, dy)| ((dx - dy) * 0.74, (dx + dy) * 0.74))),
        7 => polygon(&[(-4.6, -4.6), (4.6, -4.6), (-4.6, 4.6), (4.6, 4.6)]),
        _ => svg.circle(&class, (x, y), 4.0, tooltip),
    }
}

/// A cross with thick arms. Turned by 45 degrees, it is another shape.
const PLUS: [(f64, f64); 12] = [
    (-1.7, -5.2),
    (1.7, -5.2),
    (1.7, -1.7),
    (5.2, -1.7),
    (5.2, 1.7),
    (1.7, 1.7),
    (1.7, 5.2),
    (-1.7, 5.2),
    (-1.7, 1.7),
    (-5.2, 1.7),
    (-5.2, -1.7),
    (-1.7, -1.7),
];

/// The closed path through these corners, which are relative to a point.
fn shape((x, y): (f64, f64), corners: &[(f64, f64)]) -> String {
    let corner = |&(dx, dy): &(f64, f64)| format!("{} {}", super::px(x + dx), super::px(y + dy));
    format!(
        "M{}Z",
        corners.iter().map(corner).collect::<Vec<_>>().join("L")
    )
}

/// A reference value, such as a number from a paper: a hollow diamond in the colour of the series
/// that it is compared with. A marker of that series at the same point is visible inside it.
pub fn reference(svg: &mut Svg, series: Option<usize>, at: (f64, f64), tooltip: &str) {
    let class = format!("paper {}", series.map_or("ink".to_owned(), colour));
    svg.path(
        &class,
        &shape(at, &[(0.0, -8.0), (7.4, 0.0), (0.0, 8.0), (-7.4, 0.0)]),
        tooltip,
    );
}

/// The path of a diamond of the trace graph. Many of them can share an element.
pub fn diamond(at: (f64, f64)) -> String {
    shape(at, &[(0.0, -4.6), (4.0, 0.0), (0.0, 4.6), (-4.0, 0.0)])
}

/// A cross, which marks a dropped packet.
pub fn cross(svg: &mut Svg, series: usize, at: (f64, f64), tooltip: &str) {
    svg.path(
        &format!("mark {}", colour(series)),
        &cross_path(at),
        tooltip,
    );
}

/// The path of a cross.
pub fn cross_path((x, y): (f64, f64)) -> String {
    let p = super::px;
    let (l, r, t, b) = (p(x - 3.5), p(x + 3.5), p(y - 3.5), p(y + 3.5));
    format!("M{l} {t}L{r} {b}M{l} {b}L{r} {t}")
}

/// A ring, which marks a retransmission.
pub fn ring(svg: &mut Svg, series: usize, at: (f64, f64), tooltip: &str) {
    svg.circle(&format!("mark {}", colour(series)), at, 4.2, tooltip);
}

/// Half of the width of a circle or square around a point.
const AROUND_PX: f64 = 6.5;

/// A circle around a point.
pub fn circled(svg: &mut Svg, class: &str, at: (f64, f64), tooltip: &str) {
    svg.circle(class, at, AROUND_PX + 0.5, tooltip);
}

/// A square around a point.
pub fn squared(svg: &mut Svg, class: &str, (x, y): (f64, f64), tooltip: &str) {
    svg.rect(
        class,
        (x - AROUND_PX, y - AROUND_PX),
        2.0 * AROUND_PX,
        2.0 * AROUND_PX,
        tooltip,
    );
}

/// The path of the head of an arrow from one point to its tip.
pub fn arrowhead(from: (f64, f64), tip: (f64, f64)) -> String {
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = dx.hypot(dy);
    let (along, across) = if length > 0.0 {
        (dx / length, dy / length)
    } else {
        (1.0, 0.0)
    };
    let corner =
        |back: f64, side: f64| (-back * along - side * across, -back * across + side * along);
    shape(tip, &[(0.0, 0.0), corner(8.0, 3.2), corner(8.0, -3.2)])
}

/// The symbol before the text of a legend's entry.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    /// The line and the marker of a series.
    Series(usize),
    /// A line of this class in the colour of text.
    Line(&'static str),
    /// The same, with a dashed line.
    Dashed(usize),
    /// The marker of a series without a line.
    Marker(usize),
    /// A reference value for one series, or for several.
    Reference(Option<usize>),
    /// A vertical line of this class and height in pixels.
    Upright(&'static str, f64),
    /// A number.
    Number(&'static str),
    /// A hollow diamond.
    Diamond,
    /// A filled circle.
    Disc,
    /// A ring.
    Ring,
    /// A cross.
    Cross,
    /// A line of this class that begins in a circle.
    Circled(&'static str),
    /// A line of this class that begins in a square.
    Squared(&'static str),
}

const KEY_WIDTH: f64 = 30.0;
const ROW_HEIGHT: f64 = 18.0;

/// The place of each entry of a legend, in rows of at most this width, and the height of the
/// legend.
pub fn legend_places(entries: &[(Key, String)], width: f64) -> (Vec<(f64, f64)>, f64) {
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
    (
        places,
        if entries.is_empty() {
            0.0
        } else {
            y + ROW_HEIGHT
        },
    )
}

/// Draws a legend with its upper left corner at this point. [`legend_places`] computes the places.
pub fn legend(svg: &mut Svg, corner: (f64, f64), entries: &[(Key, String)], places: &[(f64, f64)]) {
    for ((key, text), place) in entries.iter().zip(places) {
        let (x, y) = (corner.0 + place.0, corner.1 + place.1 + ROW_HEIGHT / 2.0);
        let (from, to, middle) = ((x, y), (x + 24.0, y), (x + 12.0, y));
        match *key {
            Key::Series(series) => {
                svg.line(&format!("main {}", colour(series)), from, to);
                marker(svg, series, middle, "");
            }
            Key::Dashed(series) => {
                svg.line(&format!("dashed {}", colour(series)), from, to);
                marker(svg, series, middle, "");
            }
            Key::Marker(series) => marker(svg, series, middle, ""),
            Key::Reference(series) => reference(svg, series, middle, ""),
            Key::Upright(class, height) => {
                svg.line(
                    &format!("{class} ink"),
                    (middle.0, y - height / 2.0),
                    (middle.0, y + height / 2.0),
                );
            }
            Key::Number(number) => svg.text("tick", (middle.0, y + 4.0), Anchor::Middle, number),
            Key::Diamond => svg.path("check ink", &diamond(middle), ""),
            Key::Disc => svg.circle("disc ink", middle, 5.0, ""),
            Key::Line(class) => svg.line(&format!("{class} ink"), from, to),
            Key::Ring => svg.circle("mark ink", middle, 4.2, ""),
            Key::Cross => svg.path("mark ink", &cross_path(middle), ""),
            Key::Circled(class) => {
                svg.line(&format!("{class} ink"), from, to);
                circled(svg, &format!("{class} ink"), (x + AROUND_PX, y), "");
            }
            Key::Squared(class) => {
                svg.line(&format!("{class} ink"), from, to);
                squared(svg, &format!("{class} ink"), (x + AROUND_PX, y), "");
            }
        }
        svg.text("legend", (x + KEY_WIDTH, y + 4.0), Anchor::Start, text);
    }
}
