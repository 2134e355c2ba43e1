//! A figure of a paper, drawn from the runs.

use crate::study_table::is_kebab_case;
use crate::Ledger;
use onramp_plot::figure_file;
use onramp_plot::plot::{draw_plot, Plot};
use onramp_report::reproduction::PageFigure;
use std::collections::BTreeSet;

/// A figure, drawn.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name in kebab case, unique in the paper, such as `figure-3`. It is also the name of its
    /// file.
    pub name: String,
    /// The figure as SVG, for a page.
    pub svg: String,
    /// The sentence below it.
    pub caption: String,
}

impl Figure {
    /// A figure of this name.
    pub fn new(name: impl Into<String>, svg: String, caption: impl Into<String>) -> Figure {
        Figure {
            name: name.into(),
            svg,
            caption: caption.into(),
        }
    }

    /// The figure for a page.
    pub fn page_figure(&self) -> PageFigure {
        PageFigure {
            svg: self.svg.clone(),
            caption: self.caption.clone(),
        }
    }

    /// The figure as an SVG file.
    pub fn file(&self) -> String {
        figure_file(&self.svg)
    }
}

impl Ledger {
    /// The plot of this name. `fill` gets it with its title and axes, without data.
    ///
    /// # Panics
    /// If there is no such figure. A test draws all figures.
    pub(crate) fn plot(&self, name: &str, fill: impl FnOnce(Plot) -> Plot) -> Figure {
        self.figure(name, |plot| draw_plot(&fill(plot)))
    }

    /// The figure of this name. `draw` gets a plot with its title and axes, without data.
    ///
    /// # Panics
    /// As [`Ledger::plot`].
    pub(crate) fn figure(&self, name: &str, draw: impl FnOnce(Plot) -> String) -> Figure {
        let about = self.figures.iter().find(|about| about.name == name);
        let about = about.unwrap_or_else(|| panic!("no figure {name} in {}", self.id));
        let plot = Plot {
            title: about.title.clone(),
            x: about.x.clone(),
            y: about.y.clone(),
            ..Plot::default()
        };
        Figure::new(name, draw(plot), about.caption.clone())
    }
}

/// # Panics
/// If two of a paper's figures have one name, or a name is not in kebab case.
pub(crate) fn check<'a>(figures: impl IntoIterator<Item = &'a Figure>) {
    let mut names = BTreeSet::new();
    for Figure { name, .. } in figures {
        assert!(
            is_kebab_case(name),
            "the name of figure {name:?} is not in kebab case"
        );
        assert!(names.insert(name), "two figures are named {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "two figures are named figure-3")]
    fn no_two_figures_are_one_file() {
        let named = |name| Figure::new(name, String::new(), "");
        check(&[named("figure-3"), named("figure-4"), named("figure-3")]);
    }
}
