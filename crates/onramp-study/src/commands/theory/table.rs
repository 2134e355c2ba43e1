//! The table that `onramp theory` prints.

use onramp_cli::text::{columns, wrapped};
use onramp_report::head;
use onramp_theory::Row;

/// Width of the lines of text.
const WIDTH: usize = 100;

/// The rows by section. Each section has its formula, its unit and the reason for its tolerances.
pub fn table(rows: &[Row]) -> String {
    let heading = head("| MEASURED | ERROR | FORMULA | RATIO | ALLOWED | VERDICT");
    let mut text = String::new();
    for section in rows.chunk_by(|a, b| a.section == b.section) {
        let Row {
            section: title,
            formula,
            unit,
            reason,
            ..
        } = &section[0];
        text += title;
        text.push('\n');
        for (label, value) in [("formula:", formula), ("unit:", unit), ("allowed:", reason)] {
            text += &wrapped(label, 8, value, WIDTH);
        }
        let cells: Vec<_> = std::iter::once(heading.clone())
            .chain(section.iter().map(cells))
            .collect();
        text += &columns(&cells);
        text.push('\n');
    }
    let judged = rows.iter().filter(|row| row.holds.is_some()).count();
    let missed = rows.iter().filter(|row| row.misses()).count();
    text + &format!("{} rows, {judged} judged, {missed} missed\n", rows.len())
}

fn cells(row: &Row) -> Vec<String> {
    let allowed = row.allowed.map_or("-".to_owned(), |[min, max]| {
        format!("{} to {}", digits(min), digits(max))
    });
    let verdict = match row.holds {
        Some(true) => "holds",
        Some(false) => "MISSES",
        None => "-",
    };
    vec![
        row.what.clone(),
        digits(row.measured),
        format!("{:.1} %", row.error / row.measured * 100.0),
        digits(row.predicted),
        format!("{:.3}", row.ratio),
        allowed,
        verdict.to_owned(),
    ]
}

/// A value with four digits, or with more if its integer part has more.
fn digits(value: f64) -> String {
    let whole = value.abs().log10().floor().max(0.0) as usize;
    format!("{value:.*}", 3usize.saturating_sub(whole))
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn values_have_four_digits() {
        assert_eq!(
            [0.7859, 12.247, 187.4, 1053.83].map(digits),
            ["0.786", "12.25", "187.4", "1054"]
        );
    }
}
