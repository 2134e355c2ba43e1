//! Text tables for a terminal.

use onramp_report::{text_table, TableOptions};

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

fn text(width: usize) -> String {
    let head = row(&[
        "bandwidth",
        "start-up",
        "completion, s",
        "resent",
        "loss, %",
    ]);
    let rows = [
        row(&["500 kbit/s", "none", "16.25", "0", "–"]),
        row(&["10 Mbit/s", "paced", "1.5", "12", "0.25"]),
    ];
    text_table(
        &head,
        &rows,
        &TableOptions {
            width,
            colour: false,
        },
    )
}

#[test]
fn numbers_are_flush_right_and_words_left() {
    insta::assert_snapshot!(text(80));
}

#[test]
fn columns_that_do_not_fit_go_below_with_the_first_repeated() {
    let narrow = text(36);
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 36),
        "{narrow}"
    );
    insta::assert_snapshot!(narrow);
    assert_eq!(
        text(1).lines().count(),
        4 * 3,
        "nothing is cut off, however narrow it is"
    );
}

#[test]
fn missing_cells_are_empty_and_control_characters_are_visible() {
    let options = TableOptions::default();
    assert_eq!(text_table(&[], &[], &options), "");
    assert_eq!(
        text_table(&row(&["a"]), &[row(&["1", "x"]), row(&[])], &options),
        "a\n1  x\n\n"
    );
    assert_eq!(text_table(&row(&["a\n"]), &[], &options), "a\u{fffd}\n");
}
