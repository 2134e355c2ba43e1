//! A plot that is defined as data: series, reference values such as a paper's numbers, and lines
//! with a text.
//!
//! ```
//! use onramp_plot::plot::{draw_plot, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
//!
//! let svg = draw_plot(&Plot {
//!     title: "Throughput by transfer time".into(),
//!     x: Axis::new("time (s)"),
//!     y: Axis::new("effective throughput (%)").range(0.0, 100.0),
//!     series: vec![PlotSeries::new(
//!         "TCP Lite",
//!         PlotStyle::Line,
//!         vec![(1.0, 6.8), (10.0, 30.1), (30.0, 68.2)],
//!     )],
//!     marks: vec![PlotMarks::new("paper, Figure 3", vec![(10.0, 30.52), (30.0, 68.65)])],
//!     ..Plot::default()
//! });
//! assert!(svg.starts_with("<svg"));
//! ```

mod draw;
mod range;

pub use draw::draw_plot;

use serde::Deserialize;

/// One plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The title above the plot, which is its name for screen readers, too. May be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The measured data. Their order selects colours and markers, unless [`PlotSeries::look`]
    /// does.
    pub series: Vec<PlotSeries>,
    /// Reference values, such as the numbers of a paper.
    pub marks: Vec<PlotMarks>,
    /// Lines across the whole plot.
    pub annotations: Vec<Annotation>,
    /// Height of the area in which data are drawn, from 80 to 1000 pixels; `None`: 300. All plots
    /// are 800 pixels wide before the page scales them.
    pub height: Option<f64>,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Axis {
    /// Quantity and unit: `time (s)`.
    pub label: String,
    /// The first and the last value. Without a range, or with an impossible one, all values are
    /// shown, and zero unless it is far away. A range is impossible if it is empty, not finite, or
    /// not above zero on a logarithmic axis.
    pub range: Option<(f64, f64)>,
    /// Whether the axis is logarithmic. Values that are not above zero are left out, and the plot
    /// has a note with their number.
    pub log: bool,
}

impl Axis {
    /// A linear axis that shows all values.
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

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotStyle {
    /// Straight from point to point.
    #[default]
    Line,
    /// The same, dashed: for a theory, a limit, or a second quantity of a series.
    Dashed,
    /// Steps: each value holds until the next one. For windows and states.
    Steps,
    /// Not joined: one marker for each point.
    Points,
}

/// A series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSeries {
    /// Its name in the legend and in tooltips.
    pub label: String,
    /// (x, y) in the units of the axes. Points that are not finite are left out. Lines go through
    /// the points in order of x. Long series are thinned: extremes stay, and markers that are
    /// closer than a pixel merge.
    pub points: Vec<(f64, f64)>,
    /// How the points are joined.
    pub style: PlotStyle,
    /// Colour and marker, from 0: seven colours and eight markers give 56 pairs. `None`: the
    /// position of the series in the plot. Set it where a series must look the same in several
    /// plots, or where two series must differ in style only.
    pub look: Option<usize>,
}

impl PlotSeries {
    /// A series whose look is its position in the plot.
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

/// Reference values, shown as hollow diamonds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotMarks {
    /// Their name in the legend and in tooltips, such as `paper, Table 2`. Marks with the same name
    /// share an entry.
    pub label: String,
    /// (x, y) in the units of the axes.
    pub points: Vec<(f64, f64)>,
    /// The look of the series that they are compared with; `None`: the colour of text.
    pub look: Option<usize>,
    /// Texts beside the points, in their order, where there is room. There may be fewer of them.
    pub texts: Vec<String>,
}

impl PlotMarks {
    /// Marks in the colour of text.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> PlotMarks {
        PlotMarks {
            label: label.into(),
            points,
            look: None,
            texts: Vec::new(),
        }
    }

    /// The same marks with a text beside each point.
    pub fn texts(self, texts: impl IntoIterator<Item = impl Into<String>>) -> PlotMarks {
        PlotMarks {
            texts: texts.into_iter().map(Into::into).collect(),
            ..self
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

/// A line across the whole plot. Its text stands beside the line where there is room, and always in
/// the tooltip.
#[derive(Clone, Debug, PartialEq)]
pub enum Annotation {
    /// A vertical line.
    Vertical {
        /// The position in the unit of the x axis.
        x: f64,
        /// The text. May be empty.
        text: String,
    },
    /// A horizontal line.
    Horizontal {
        /// The position in the unit of the y axis.
        y: f64,
        /// The text. May be empty.
        text: String,
    },
}
