//! `onramp` over QUIC beside noq's CUBIC, and beside `onramp` over TCP: the same paths and seeds.

use crate::cell::Cell;
use crate::set::Family;
use onramp_comparison::statistics::{geometric_mean, median};
use std::fmt::Write;

/// The side of a cell that has the start-up.
const ONRAMP: usize = 1;
/// By how many round trips QUIC may waste more than TCP.
const TOLERATED_RTTS: f64 = 0.3;

/// The cells of a family with their wasted round trips over TCP and over QUIC.
fn pairs<'a>(tcp: &[Cell], quic: &'a [Cell]) -> Vec<(&'a Cell, [f64; 2])> {
    let pair = |cell: &'a Cell| Some((cell, [wasted(find(tcp, cell)?)?, wasted(cell)?]));
    quic.iter().filter_map(pair).collect()
}

/// A row for each family that QUIC supports.
pub fn table(families: &[Family], over_tcp: &[Vec<Cell>], over_quic: &[Vec<Cell>]) -> String {
    let mut table = "| family | cells | of noq's CUBIC | slowest cell | slow cells | waste, noq's \
                     CUBIC | waste, QUIC | waste, TCP |\n|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for ((family, tcp), quic) in families.iter().zip(over_tcp).zip(over_quic) {
        let pairs = pairs(tcp, quic);
        if pairs.is_empty() {
            continue;
        }
        let of = |side: usize| median(pairs.iter().map(|(_, wasted)| wasted[side]));
        let cubic = quic.iter().flat_map(|cell| cell.wasted(1 - ONRAMP));
        let ratios: Vec<f64> = quic.iter().map(Cell::ratio).collect();
        let slowest = ratios.iter().copied().fold(0.0, f64::max);
        let slow = quic.iter().filter(|cell| cell.is_slow()).count();
        writeln!(
            table,
            "| {} | {} | {:.2} | {slowest:.2} | {slow} | {:.1} | {:.2} | {:.2} |",
            family.name,
            pairs.len(),
            geometric_mean(ratios).unwrap_or(f64::NAN),
            median(cubic),
            of(1),
            of(0),
        )
        .unwrap();
    }
    table
}

/// The cells in which `onramp` over QUIC wastes more than over TCP.
pub fn misses(families: &[Family], over_tcp: &[Vec<Cell>], over_quic: &[Vec<Cell>]) -> String {
    let mut misses = "Waste over TCP and over QUIC, where it is more:\n".to_owned();
    for ((family, tcp), quic) in families.iter().zip(over_tcp).zip(over_quic) {
        let is_more = |(_, [tcp, quic]): &(&Cell, [f64; 2])| quic - tcp > TOLERATED_RTTS;
        for (cell, [tcp, quic]) in pairs(tcp, quic).into_iter().filter(is_more) {
            writeln!(
                misses,
                "{}: {tcp:.2} {quic:.2} | {}",
                family.name,
                cell.line()
            )
            .unwrap();
        }
    }
    misses
}

/// The cell over TCP with the same path and size.
fn find<'a>(tcp: &'a [Cell], quic: &Cell) -> Option<&'a Cell> {
    let is_same = |cell: &&Cell| {
        let (a, b) = (&cell.case, &quic.case);
        a.scenario == b.scenario && a.number == b.number && a.transfer.spacing == b.transfer.spacing
    };
    tcp.iter().find(is_same)
}

fn wasted(cell: &Cell) -> Option<f64> {
    let all = cell.wasted(ONRAMP);
    (!all.is_empty()).then(|| median(all))
}
