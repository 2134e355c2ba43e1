//! Text inside a plot: each label where it covers the least.

use super::axes::Frame;
use super::{text_width, Anchor, Svg, FONT_PX};

/// Distance of the points by which lines are known, in pixels.
const STEP_PX: f64 = 5.0;

/// Labels that are drawn last, on top of everything.
pub(crate) struct Labels {
    frame: Frame,
    /// Where lines and marks are.
    obstacles: Vec<(f64, f64)>,
    placed: Vec<(Room, Anchor, (f64, f64), String)>,
}

/// A label's room: left, top, right, bottom.
#[derive(Clone, Copy)]
struct Room(f64, f64, f64, f64);

impl Room {
    fn new((x, y): (f64, f64), anchor: Anchor, text: &str) -> Room {
        let width = text_width(text);
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Room(left, y - FONT_PX, left + width, y + 3.0)
    }

    fn overlaps(&self, other: &Room) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }
}

impl Labels {
    pub(crate) fn new(frame: Frame) -> Labels {
        Labels {
            frame,
            obstacles: Vec::new(),
            placed: Vec::new(),
        }
    }

    /// A mark to keep clear of.
    pub(crate) fn avoid(&mut self, at: (f64, f64)) {
        if at.0.is_finite() && at.1.is_finite() {
            self.obstacles.push(at);
        }
    }

    /// A line to keep clear of, from point to point.
    pub(crate) fn avoid_line(&mut self, pixels: &[(f64, f64)]) {
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

    /// The same for a line that keeps each value until the next one.
    pub(crate) fn avoid_steps(&mut self, pixels: &[(f64, f64)]) {
        for pair in pixels.windows(2) {
            self.avoid_line(&[pair[0], (pair[1].0, pair[0].1), pair[1]]);
        }
    }

    /// Puts the text where it covers the least: at the first of the best of these places (baseline
    /// and anchor). Nowhere if each is taken by a label or leaves the plot.
    pub(crate) fn place(
        &mut self,
        text: &str,
        places: impl IntoIterator<Item = ((f64, f64), Anchor)>,
    ) {
        let frame = self.frame;
        let free = places.into_iter().filter_map(|(at, anchor)| {
            let room = Room::new(at, anchor, text);
            let is_inside =
                room.0 >= frame.left && room.2 <= frame.right() && room.1 >= frame.top - 1.0;
            let is_inside = is_inside && room.3 <= frame.bottom() + 1.0;
            let is_free = !self.placed.iter().any(|(other, ..)| room.overlaps(other));
            (is_inside && is_free).then_some((room, anchor, at))
        });
        let covered = |room: &Room| {
            self.obstacles
                .iter()
                .filter(|(x, y)| *x > room.0 && *x < room.2 && *y > room.1 && *y < room.3)
                .count()
        };
        if let Some((room, anchor, at)) = free.min_by_key(|(room, ..)| covered(room)) {
            self.placed.push((room, anchor, at, text.to_owned()));
        }
    }

    pub(crate) fn draw(&self, svg: &mut Svg) {
        for (_, anchor, at, text) in &self.placed {
            svg.text("note", *at, *anchor, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_keeps_clear_of_lines_and_of_other_labels() {
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
