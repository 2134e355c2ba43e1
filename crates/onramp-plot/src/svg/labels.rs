//! Places labels inside a plot where they cover as little as possible.

use super::axes::Frame;
use super::{text_width, Anchor, Svg, FONT_PX};

/// Distance of the points that stand for a line, in pixels.
const STEP_PX: f64 = 5.0;

/// Labels of a plot. They are drawn last, on top of everything.
pub struct Labels {
    frame: Frame,
    /// Points of lines and marks.
    obstacles: Vec<(f64, f64)>,
    placed: Vec<(Area, Anchor, (f64, f64), String)>,
}

/// The rectangle of a label: left, top, right, bottom.
#[derive(Clone, Copy)]
struct Area(f64, f64, f64, f64);

impl Area {
    fn new((x, y): (f64, f64), anchor: Anchor, text: &str) -> Area {
        let width = text_width(text);
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Area(left, y - FONT_PX, left + width, y + 3.0)
    }

    fn overlaps(&self, other: &Area) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }
}

impl Labels {
    pub fn new(frame: Frame) -> Labels {
        Labels {
            frame,
            obstacles: Vec::new(),
            placed: Vec::new(),
        }
    }

    /// Adds a mark that labels avoid.
    pub fn avoid(&mut self, at: (f64, f64)) {
        if at.0.is_finite() && at.1.is_finite() {
            self.obstacles.push(at);
        }
    }

    /// Adds a line from point to point that labels avoid.
    pub fn avoid_line(&mut self, pixels: &[(f64, f64)]) {
        for pair in pixels.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let steps = if length.is_finite() {
                (length / STEP_PX).ceil().min(400.0)
            } else {
                0.0
            };
            for step in 0..steps as usize {
                let share = step as f64 / steps;
                self.avoid((
                    from.0 + (to.0 - from.0) * share,
                    from.1 + (to.1 - from.1) * share,
                ));
            }
        }
    }

    /// The same for a line of steps, which keeps each value until the next one.
    pub fn avoid_steps(&mut self, pixels: &[(f64, f64)]) {
        for pair in pixels.windows(2) {
            self.avoid_line(&[pair[0], (pair[1].0, pair[0].1), pair[1]]);
        }
    }

    /// Puts the text where it covers the fewest obstacles: at the first of the best of these
    /// places, each a point on the baseline and an anchor. The text is left out if every place
    /// overlaps a label or the edge of the plot.
    pub fn place(&mut self, text: &str, places: impl IntoIterator<Item = ((f64, f64), Anchor)>) {
        let frame = self.frame;
        let free = places.into_iter().filter_map(|(at, anchor)| {
            let area = Area::new(at, anchor, text);
            let is_inside =
                area.0 >= frame.left && area.2 <= frame.right() && area.1 >= frame.top - 1.0;
            let is_inside = is_inside && area.3 <= frame.bottom() + 1.0;
            let is_free = !self.placed.iter().any(|(other, ..)| area.overlaps(other));
            (is_inside && is_free).then_some((area, anchor, at))
        });
        let covered = |area: &Area| {
            self.obstacles
                .iter()
                .filter(|(x, y)| *x > area.0 && *x < area.2 && *y > area.1 && *y < area.3)
                .count()
        };
        if let Some((area, anchor, at)) = free.min_by_key(|(area, ..)| covered(area)) {
            self.placed.push((area, anchor, at, text.to_owned()));
        }
    }

    /// Draws the labels that have a place.
    pub fn draw(&self, svg: &mut Svg) {
        for (_, anchor, at, text) in &self.placed {
            svg.text("note", *at, *anchor, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_avoids_lines_and_other_labels() {
        let frame = Frame::new((0.0, 0.0), 400.0, 100.0, (0.0, 1.0), (0.0, 1.0));
        let mut labels = Labels::new(frame);
        labels.avoid_steps(&[(0.0, 45.0), (200.0, 90.0)]);
        let places = [((10.0, 50.0), Anchor::Start), ((390.0, 50.0), Anchor::End)];
        for text in ["first", "second", "third finds no place"] {
            labels.place(text, places);
        }
        let placed: Vec<(&str, Anchor)> =
            labels.placed.iter().map(|p| (p.3.as_str(), p.1)).collect();
        assert_eq!(placed, [("first", Anchor::End), ("second", Anchor::Start)]);
    }
}
