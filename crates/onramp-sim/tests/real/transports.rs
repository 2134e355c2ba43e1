//! `onramp` over QUIC beside `onramp` over TCP: wasted round trips of the same paths and seeds.

use crate::cell::Cell;
use crate::set::Family;
use onramp_comparison::statistics::median;
use std::fmt::Write;

/// The side of a cell that has the start-up.
const ONRAMP: usize = 1;

/// A row for each family: the medians of both transports, the largest difference of two cells, and
/// the cells in which QUIC wastes more than 0.3 round trips more.
pub fn table(families: &[Family], over_tcp: &[Vec<Cell>], over_quic: &[Vec<Cell>]) -> String {
    let mut table =
        "family | cells | wasted over TCP | over QUIC | largest difference\n".to_owned();
    let mut far = String::new();
    for ((family, tcp), quic) in families.iter().zip(over_tcp).zip(over_quic) {
        let pairs: Vec<(&Cell, [f64; 2])> = quic
            .iter()
            .filter_map(|cell| Some((cell, [wasted(find(tcp, cell)?)?, wasted(cell)?])))
            .collect();
        let of = |side: usize| median(pairs.iter().map(|(_, wasted)| wasted[side]).collect());
        if pairs.is_empty() {
            continue;
        }
        let differences = pairs.iter().map(|(_, [tcp, quic])| quic - tcp);
        let largest = differences.fold(f64::MIN, f64::max);
        let (name, cells) = (&family.name, pairs.len());
        let [tcp_rtts, quic_rtts] = [of(0), of(1)];
        writeln!(
            table,
            "{name} | {cells} | {tcp_rtts:.2} | {quic_rtts:.2} | {largest:+.2}"
        )
        .unwrap();
        for (cell, [tcp, quic]) in pairs.iter().filter(|(_, [tcp, quic])| quic - tcp > 0.3) {
            writeln!(far, "{name}: {tcp:.2} {quic:.2} | {}", cell.line()).unwrap();
        }
    }
    format!("{table}\nQUIC wastes more than 0.3 round trips more:\n{far}")
}

/// The cell over TCP with the same path and size.
fn find<'a>(tcp: &'a [Cell], quic: &Cell) -> Option<&'a Cell> {
    let is_same = |cell: &&Cell| {
        let (a, b) = (&cell.case, &quic.case);
        a.scenario == b.scenario && a.number == b.number
    };
    tcp.iter().find(is_same)
}

fn wasted(cell: &Cell) -> Option<f64> {
    let all = cell.wasted(ONRAMP);
    (!all.is_empty()).then(|| median(all))
}
