//! A plot of anything over anything, defined as data: series, a paper's own numbers beside them,
//! and lines with a text.
//!
//! ```
//! use onramp_report::plot::{draw_plot, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
//!
//! let svg = draw_plot(&Plot {
//!     title: "Throughput by transfer time".into(),
//!     x: Axis::new("time (s)"),
//!     y: Axis::new("effective throughput (%)").range(0.0, 100.0),
//!     series: vec![PlotSeries::new("TCP Lite", PlotStyle::Line, vec![(1.0, 6.8), (10.0, 30.1), (30.0, 68.2)])],
//!     marks: vec![PlotMarks::new("paper, Figure 3", vec![(10.0, 30.52), (30.0, 68.65)])],
//!     ..Plot::default()
//! });
//! assert!(svg.starts_with("<svg"));
//! ```

mod draw;
mod range;

pub use draw::draw_plot;

/// One plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Stands above the plot, and is what a screen reader says. May be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What was measured. The order decides the looks, unless [`PlotSeries::look`] does.
    pub series: Vec<PlotSeries>,
    /// Numbers from elsewhere to compare with, such as a paper's own.
    pub marks: Vec<PlotMarks>,
    /// Lines across the whole plot.
    pub annotations: Vec<Annotation>,
    /// Height of the area in which data is drawn, in pixels, between 80 and 1000; 300 if `None`.
    /// All plots are 1000 pixels wide before the page scales them.
    pub height: Option<f64>,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit: `time (s)`.
    pub label: String,
    /// First and last value shown. Without it, or where it makes no sense (empty, not finite, or
    /// not above zero on a logarithmic axis), everything is shown, and zero with it unless it is
    /// far off.
    pub range: Option<(f64, f64)>,
    /// Logarithmic. Values up to zero are then left out, and the plot says how many.
    pub log: bool,
}

impl Axis {
    /// A linear axis that shows everything.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            range: None,
            log: false,
        }
    }

    /// The same axis from `first` to `last`.
    pub fn range(self, first: f64, last: f64) -> Axis {
        Axis {
            range: Some((first, last)),
            ..self
        }
    }

    /// The same axis with a logarithmic scale.
    pub fn log(self) -> Axis {
        Axis { log: true, ..self }
    }
}

/// How a series' points are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotStyle {
    /// Straight from point to point.
    #[default]
    Line,
    /// The same, dashed: a theory, a limit, a second quantity of a series.
    Dashed,
    /// Each value holds until the next one: windows, states.
    Steps,
    /// Not at all: one mark a point.
    Points,
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSeries {
    /// Its name in the legend and in tooltips.
    pub label: String,
    /// (x, y) in the units of the axes. Those that are not finite are left out; lines go through
    /// them in order of x. Long series are thinned: extremes stay, marks closer than a pixel merge.
    pub points: Vec<(f64, f64)>,
    /// How they are joined.
    pub style: PlotStyle,
    /// Colour and marker, from 0: seven colours and eight markers, 56 pairs. Without it the series'
    /// place in the plot. To be given where the same thing shall look the same in several plots, or
    /// where two series differ in style only.
    pub look: Option<usize>,
}

impl PlotSeries {
    /// A series whose look is its place in the plot.
    pub fn new(label: impl Into<String>, style: PlotStyle, points: Vec<(f64, f64)>) -> PlotSeries {
        PlotSeries {
            label: label.into(),
            points,
            style,
            look: None,
        }
    }

    /// The same series with this colour and marker.
    pub fn look(self, look: usize) -> PlotSeries {
        PlotSeries {
            look: Some(look),
            ..self
        }
    }
}

/// Numbers to compare with: hollow diamonds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotMarks {
    /// Their name in the legend and in tooltips, such as `paper, Table 2`. Marks of one name share
    /// one entry.
    pub label: String,
    /// (x, y) in the units of the axes.
    pub points: Vec<(f64, f64)>,
    /// The look of the series that they are to be compared with; in the colour of text if `None`.
    pub look: Option<usize>,
}

impl PlotMarks {
    /// Marks in the colour of text.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> PlotMarks {
        PlotMarks {
            label: label.into(),
            points,
            look: None,
        }
    }

    /// The same marks in the colour of the series with this look.
    pub fn look(self, look: usize) -> PlotMarks {
        PlotMarks {
            look: Some(look),
            ..self
        }
    }
}

/// A line across the whole plot, with a text where there is room for it, and in the tooltip in any
/// case.
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// An upright line.
    Vertical {
        /// Where, in the unit of the x axis.
        x: f64,
        /// What is there. May be empty.
        text: String,
    },
    /// A level line.
    Horizontal {
        /// Where, in the unit of the y axis.
        y: f64,
        /// What is there. May be empty.
        text: String,
    },
}
