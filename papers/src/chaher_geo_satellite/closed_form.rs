//! The model's own numbers, and figure 2 (sections 2 to 4).

use super::setup::ledger;
use crate::{Bench, Error, Figure, Measured, Value};
use onramp_plot::plot::{Annotation, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_theory::formulas::double_slow_start::Path;

/// Normalised buffers of figure 2, without background. The paper's text does not name the networks
/// of its figure.
const BETAS: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];
/// The satellite link of section 5 and its background, in packets per second.
const RATE: f64 = 366.0;
const BACKGROUND: f64 = 100.0;
/// Steps of rho in figure 2.
const STEPS: u32 = 99;

/// The value with `places` decimals, truncated as the paper prints it.
fn cut(value: f64, places: i32) -> Value {
    let unit = 10f64.powi(places);
    Value::Text(format!(
        "{:.*}",
        places as usize,
        (value * unit).floor() / unit
    ))
}

/// The value with `places` decimals, rounded.
fn rounded(value: f64, places: usize) -> Value {
    Value::Text(format!("{value:.places$}"))
}

/// A path with this normalised buffer without background, and with the share `rho` of background.
fn path(beta: f64, rho: f64) -> Path {
    let round_trip_s = 0.56;
    let buffer = beta * (round_trip_s * RATE + 1.0);
    Path::new(RATE, rho * RATE, buffer, round_trip_s).expect("rho is below 1")
}

/// The satellite link of section 5, with this background in packets per second.
fn satellite(background: f64) -> Path {
    Path::new(RATE, background, 40.0, 0.56).expect("the background is below the rate")
}

/// Eq. (7) as the paper prints it.
fn printed(path: &Path) -> f64 {
    let (beta, rho) = (path.beta(), path.rho());
    beta * (2.0 - rho) / (beta * (1.0 - rho) + 1.0)
}

/// Eq. (5) as the paper prints it: is there a double slow start?
fn condition(path: &Path) -> bool {
    path.beta() <= 1.0 / (3.0 - path.rho())
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let satellite = satellite(BACKGROUND);
    let mut measured = Measured::default();
    measured.exactly("C.eq.beta", rounded(satellite.beta(), 3));
    measured.exactly("C.eq.overflow", rounded(satellite.overflow_window(), 1));
    measured.exactly("C.eq.max", rounded(satellite.max_window(), 1));
    measured.exactly("C.eq.gamma-max", cut(satellite.gamma_max(), 2));
    let spaced = satellite.max_spaced_rate().expect("the buffer is small");
    measured.exactly("C.eq.rate-max", cut(spaced, 0));
    measured.exactly("C.eq.twice", Value::yes_no(condition(&satellite)));
    let rhos = || (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS + 1));
    let grid = || {
        BETAS
            .into_iter()
            .flat_map(|beta| rhos().map(move |rho| (beta, rho)))
    };
    let agrees = grid().all(|(beta, rho)| {
        let path = path(beta, rho);
        (path.gamma_max() / printed(&path) - 1.0).abs() < 1e-9
    });
    measured.exactly("C.fig2.equation", Value::yes_no(agrees));
    // "this condition": the double slow start ends where gamma_max is a half.
    let twice = grid()
        .all(|(beta, rho)| condition(&path(beta, rho)) == (path(beta, rho).gamma_max() <= 0.5));
    measured.exactly("C.fig2.half", Value::yes_no(twice));
    if bench.draws() {
        measured.figures.push(figure_2(rhos));
    }
    Ok(measured)
}

fn figure_2<I: Iterator<Item = f64>>(rhos: impl Fn() -> I) -> Figure {
    let curve = |beta: f64| {
        let points = rhos()
            .map(|rho| (rho, path(beta, rho).gamma_max()))
            .collect();
        PlotSeries::new(format!("beta = {beta}"), PlotStyle::Line, points)
    };
    let of_section_5 = rhos().map(|rho| (rho, satellite(rho * RATE).gamma_max()));
    let of_section_5 = PlotSeries::new(
        "section 5's link, 40 packets",
        PlotStyle::Dashed,
        of_section_5.collect(),
    );
    let paper = ledger().number("C.eq.gamma-max");
    let line = |y: f64, text: &str| Annotation::Horizontal {
        y,
        text: text.to_owned(),
    };
    let mark = PlotMarks::new(
        format!("paper: {paper} in section 5"),
        vec![(BACKGROUND / RATE, paper)],
    );
    ledger().plot("figure-2", |plot| Plot {
        series: BETAS.map(curve).into_iter().chain([of_section_5]).collect(),
        marks: vec![mark.look(BETAS.len()).texts([paper.to_string()])],
        annotations: vec![
            line(0.5, "above: no double slow start"),
            line(0.25, "below: no gamma helps"),
        ],
        ..plot
    })
}
