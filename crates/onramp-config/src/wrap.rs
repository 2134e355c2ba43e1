//! Texts in lines of a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The lines of a text, each of at most `columns`.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in words(paragraph) {
            let word_columns = word.trim_end_matches(' ').width();
            if !line.is_empty() && line.width() + word_columns > columns {
                lines.push(std::mem::take(&mut line));
            }
            // Only a word that is longer than a line is cut.
            for char in word.chars() {
                let is_full = line.width() + char.width().unwrap_or(0) > columns;
                if is_full && word_columns > columns && char != ' ' {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(char);
            }
        }
        lines.push(line);
    }
    for line in &mut lines {
        line.truncate(line.trim_end_matches(' ').len());
    }
    lines
}

/// The pieces of a text between which a line may end, with the blanks behind them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let mut has_opened = false;
        while let Some((_, char)) = chars.next() {
            let Some(&(at, next)) = chars.peek() else {
                break;
            };
            has_opened = "([{".contains(char) || (has_opened && char == ' ');
            if may_end(char, next) && !has_opened {
                let word = &text[start..at];
                start = at;
                return Some(word);
            }
        }
        let rest = &text[start..];
        start = text.len();
        (!rest.is_empty()).then_some(rest)
    })
}

/// May a line end between these two characters? The rules of Unicode (UAX 14) that texts of our
/// messages need.
fn may_end(char: char, next: char) -> bool {
    if ")]}!?/,.:; ".contains(next) {
        return false;
    }
    match char {
        ' ' => true,
        '-' => !next.is_numeric() && !"\"'".contains(next),
        '/' => next.is_alphabetic(),
        _ => false,
    }
}
