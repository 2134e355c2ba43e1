//! The table of the overview: a row for each start-up.

use super::figures::AxisValue;
use super::{Contestant, Overview, Ratio};
use crate::reproduction::{PageCell, PageTable, PageTone};
use crate::statistics::quantile;
use crate::text_table::{text_table, TableOptions};
use onramp_plot::heat_map::HeatMap;
use onramp_plot::units::fixed;

/// The table of a page.
pub(super) fn ranking_table(overview: &Overview<'_>) -> PageTable {
    let baseline = overview.baseline();
    let head = [
        "start-up".to_owned(),
        "ratio".to_owned(),
        "paths".to_owned(),
        "faster".to_owned(),
        "slower".to_owned(),
        "resent".to_owned(),
        format!("resent by {baseline}"),
        "highest ratio".to_owned(),
        "where".to_owned(),
    ];
    let row = |one: &Contestant| {
        let [faster, slower] = one.faster_and_slower();
        let estimate = one.overall();
        let mean = estimate.map_or(f64::NAN, |estimate| estimate.mean);
        let tone = match mean {
            mean if mean < *onramp_plot::heat_map::EVEN.start() => PageTone::Good,
            mean if mean > *onramp_plot::heat_map::EVEN.end() => PageTone::Bad,
            _ => PageTone::Plain,
        };
        let highest = one.extremes().map(|[_, highest]| highest);
        let place = |ratio: &Ratio| overview.names.name(&overview.groups[ratio.group]);
        vec![
            one.label.clone().into(),
            PageCell::new(estimate.map_or(String::new(), |e| e.text()), tone),
            one.ratios.len().to_string().into(),
            faster.to_string().into(),
            slower.to_string().into(),
            fixed(one.retransmitted[0], 0).into(),
            fixed(one.retransmitted[1], 0).into(),
            highest
                .map_or(String::new(), |one| fixed(one.value, 2))
                .into(),
            highest.map_or(String::new(), place).into(),
        ]
    };
    PageTable {
        caption: String::new(),
        head: head.to_vec(),
        rows: overview.ranking().into_iter().map(row).collect(),
    }
}

/// The same as text for a terminal.
pub(crate) fn text_overview(overview: &Overview<'_>, options: &TableOptions) -> String {
    let table = ranking_table(overview);
    let texts = |row: &Vec<PageCell>| row.iter().map(|cell| cell.text.clone()).collect();
    let rows: Vec<Vec<String>> = table.rows.iter().map(texts).collect();
    text_table(&table.head, &rows, options)
}

/// The numbers of a heat map.
pub(super) fn heat_map_table(map: &HeatMap) -> PageTable {
    let corner = format!("{} \\ {}", map.y_label, map.x_label);
    let number = |value: &Option<f64>| value.map_or("–".to_owned(), |ratio| fixed(ratio, 3));
    let row = |(name, values): (&String, &Vec<Option<f64>>)| {
        let numbers = values.iter().map(|value| number(value).into());
        std::iter::once(name.clone().into())
            .chain(numbers)
            .collect()
    };
    PageTable {
        caption: map.title.clone(),
        head: std::iter::once(corner)
            .chain(map.columns.iter().cloned())
            .collect(),
        rows: map.rows.iter().zip(&map.values).map(row).collect(),
    }
}

/// The numbers of the figure of an axis.
pub(super) fn axis_table(
    overview: &Overview<'_>,
    name: &str,
    values: &[AxisValue<'_>],
) -> PageTable {
    let labels = overview.contestants.iter().map(|one| one.label.clone());
    let row = |value: &AxisValue<'_>| {
        let cell = |one: &Contestant| {
            let own = value
                .estimates
                .iter()
                .find(|(other, _)| other.label == one.label);
            own.map_or("–".to_owned(), |(_, estimate)| estimate.text())
                .into()
        };
        let cells = overview.contestants.iter().map(cell);
        std::iter::once(value.name.into()).chain(cells).collect()
    };
    PageTable {
        caption: String::new(),
        head: std::iter::once(name.to_owned()).chain(labels).collect(),
        rows: values.iter().map(row).collect(),
    }
}

/// Quantiles of the ratios, which are those of the figure of their distribution.
pub(super) fn quantile_table(overview: &Overview<'_>) -> PageTable {
    const SHARES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];
    let heads = SHARES.iter().map(|share| match share {
        0.0 => "least".to_owned(),
        1.0 => "most".to_owned(),
        share => format!("{} %", share * 100.0),
    });
    let row = |one: &Contestant| {
        let values: Vec<f64> = one.ratios.iter().map(|ratio| ratio.value).collect();
        let cell = |share: &f64| fixed(quantile(values.clone(), *share), 2).into();
        std::iter::once(one.label.clone().into())
            .chain(SHARES.iter().map(cell))
            .collect()
    };
    PageTable {
        caption: "Quantiles of the ratio over paths and sizes".to_owned(),
        head: std::iter::once("start-up".to_owned())
            .chain(heads)
            .collect(),
        rows: overview.contestants.iter().map(row).collect(),
    }
}
