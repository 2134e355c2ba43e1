//! The overview on a page.

use super::figures::{axis_figure, by_value, distributions, heat_map_figure, heat_maps};
use super::table::{axis_table, heat_map_table, quantile_table, ranking_table};
use super::{Axis, Contestant, Overview, MAX_LOOKS};
use crate::figure::Figure;
use crate::html;
use crate::reproduction::{draw_table, PageTable};
use maud::{html, Markup};
use onramp_plot::heat_map::{HeatMap, EVEN};

/// So many heat maps are open. The others open on demand.
const OPEN_HEAT_MAPS: usize = 1;

/// The part of a page that shows the overview.
pub(crate) fn section(overview: &Overview<'_>) -> Markup {
    let maps = heat_maps(overview);
    let (open, closed) = maps.split_at(maps.len().min(OPEN_HEAT_MAPS));
    html! {
        h2 { "Overview" } "\n"
        @for sentence in sentences(overview) {
            (html::paragraph(None, &sentence))
        }
        (draw_table(&ranking_table(overview)))
        (html::paragraph(Some("note"), &explanation(overview)))
        @for map in open {
            (heat_map(overview, map))
        }
        @if !closed.is_empty() {
            (html::details("Heat maps of the other start-ups", &html! {
                @for map in closed { (heat_map(overview, map)) }
            }))
        }
        @for (at, figure) in distributions(overview).iter().enumerate() {
            (html::figure(&figure.svg, &figure.caption))
            @if at == 0 {
                (numbers(&quantile_table(overview)))
            }
        }
        @for axis in &overview.axes {
            (of_axis(overview, axis))
        }
    }
}

/// What stands first: the fastest start-up, and where it is slower than the baseline.
fn sentences(overview: &Overview<'_>) -> Vec<String> {
    let ranking = overview.ranking();
    // A start-up that ran over some of the paths only cannot be compared with the others.
    let most = ranking.iter().map(|one| one.ratios.len()).max();
    let is_whole = |one: &&&Contestant| Some(one.ratios.len()) == most;
    let best = ranking.iter().find(is_whole);
    let Some((best, estimate)) = best.and_then(|one| Some((one, one.overall()?))) else {
        return Vec::new();
    };
    let baseline = overview.baseline();
    let [faster, slower] = best.faster_and_slower();
    let mut sentences = vec![format!(
        "{} took {} of {baseline}'s time: the geometric mean over {} combinations of path and \
         size. It was faster on {faster} of them and slower on {slower}.",
        best.label,
        estimate.text(),
        estimate.count
    )];
    if let Some([_, highest]) = best.extremes().filter(|_| slower > 0) {
        let place = overview.names.name(&overview.groups[highest.group]);
        let ratio = onramp_plot::units::fixed(highest.value, 2);
        sentences.push(format!("Its highest ratio was {ratio}, on {place}."));
    }
    if overview.contestants.len() > MAX_LOOKS {
        sentences.push(format!(
            "Figures show the {MAX_LOOKS} fastest start-ups, tables show all of them."
        ));
    }
    sentences
}

/// What the columns of the table mean.
fn explanation(overview: &Overview<'_>) -> String {
    let baseline = overview.baseline();
    let interval = match overview.has_intervals() {
        true => {
            ", and the interval of 95 % over seeds: a bootstrap of 1000 resamples, each of which \
             takes the same seeds for all paths and start-ups"
        }
        false => "",
    };
    format!(
        "Ratio: completion time divided by that of {baseline} on the same path, the geometric mean \
         of all paths and sizes{interval}. Faster and slower: number of paths and sizes with a \
         ratio below {} and above {}. Resent: sum over them of the mean of retransmitted \
         segments.",
        EVEN.start(),
        EVEN.end()
    )
}

fn heat_map(overview: &Overview<'_>, map: &HeatMap) -> Markup {
    let figure = heat_map_figure(map, overview.baseline());
    with_numbers(&figure, &heat_map_table(map))
}

fn of_axis(overview: &Overview<'_>, axis: &Axis) -> Markup {
    let values = by_value(overview, axis);
    let figure = axis_figure(overview, axis, &values);
    with_numbers(&figure, &axis_table(overview, &axis.name, &values))
}

/// A figure, and its numbers for those who cannot see it or want to copy them.
fn with_numbers(figure: &Figure, table: &PageTable) -> Markup {
    html! {
        (html::figure(&figure.svg, &figure.caption))
        (numbers(table))
    }
}

fn numbers(table: &PageTable) -> Markup {
    html::details("These numbers as a table", &draw_table(table))
}
