//! Numbers as people read them: few digits, a unit, and a dash where there is no number.

/// Stands where there is no value.
pub const NO_VALUE: &str = "–";
/// A longer text that begins with a digit is a sentence and no number.
const MAX_NUMBER_CHARS: usize = 24;

/// The number of decimals with which `value` has this many significant digits; at most six.
pub fn decimals(value: f64, significant: i32) -> usize {
    if !value.is_finite() || value == 0.0 {
        return (significant - 1).max(0) as usize;
    }
    let magnitude = value.abs().log10().floor() as i32;
    (significant - 1 - magnitude).clamp(0, 6) as usize
}

/// A number with this many decimals; from ten million on, with an exponent.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        NO_VALUE.to_owned()
    } else if value.abs() >= 1e7 {
        format!("{value:.2e}")
    } else {
        let text = format!("{value:.decimals$}");
        let is_minus_zero =
            text.starts_with('-') && text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.'));
        if is_minus_zero {
            text[1..].to_owned()
        } else {
            text
        }
    }
}

/// A number with this many significant digits, without zeros at its end.
pub fn significant(value: f64, digits: i32) -> String {
    let text = fixed(value, decimals(value, digits));
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A decimal prefix and its factor, with which `largest` has one to three digits before the point.
pub fn prefix(largest: f64) -> (f64, &'static str) {
    match largest.abs() {
        x if x >= 1e12 => (1e12, "T"),
        x if x >= 1e9 => (1e9, "G"),
        x if x >= 1e6 => (1e6, "M"),
        x if x >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    }
}

/// `50 Mbit/s`.
pub fn bit_rate(bits_per_s: f64) -> String {
    let (scale, prefix) = prefix(bits_per_s);
    format!("{} {prefix}bit/s", significant(bits_per_s / scale, 3))
}

/// `1 MB`, or `64 KiB` where the number is round in powers of two alone.
pub fn byte_count(bytes: u64) -> String {
    if bytes >= 1024 && bytes.is_multiple_of(1024) && !bytes.is_multiple_of(1000) {
        return match bytes {
            b if b.is_multiple_of(1 << 30) => format!("{} GiB", b >> 30),
            b if b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
            b => format!("{} KiB", b >> 10),
        };
    }
    let (scale, prefix) = prefix(bytes as f64);
    format!("{} {prefix}B", significant(bytes as f64 / scale, 4))
}

/// Text of unknown origin, made safe for a terminal and a page. Control characters become U+FFFD:
/// they could move the cursor, reverse the direction of text or make a page ill-formed.
pub fn printable(text: &str) -> String {
    let is_unsafe = |c: char| {
        let is_direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c.is_control() || is_direction || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars()
        .map(|c| if is_unsafe(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Whether a column holds numbers: at least one cell begins like a number, and every other one does
/// too, is empty, or stands for a missing number.
pub fn is_numeric<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> bool {
    let begins = |text: &str| {
        let signs = ['+', '-', '−', '±', '~', '≈', '<', '>', '≤', '≥', '.', ' '];
        let digits = text.trim_start_matches(signs);
        text.chars().count() <= MAX_NUMBER_CHARS && digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_number_or_none =
        |text: &str| text.is_empty() || matches!(text, "–" | "—" | "-" | "n/a") || begins(text);
    let mut cells = cells.map(str::trim);
    cells.clone().any(begins) && cells.all(is_number_or_none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        assert_eq!(significant(4.2149, 3), "4.21");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(1234.5, 3), "1234");
        assert_eq!(significant(f64::NAN, 3), NO_VALUE);
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(f64::MAX, 1), "1.80e308");
    }

    #[test]
    fn sizes_and_rates_have_the_unit_in_which_they_are_round() {
        assert_eq!(byte_count(1_000_000), "1 MB");
        assert_eq!(byte_count(65_536), "64 KiB");
        assert_eq!(byte_count(64 << 20), "64 MiB");
        assert_eq!(byte_count(0), "0 B");
        assert_eq!(bit_rate(50e6), "50 Mbit/s");
        assert_eq!(bit_rate(1.544e6), "1.54 Mbit/s");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
    }

    #[test]
    fn columns_of_numbers_are_flush_right_and_others_left() {
        let column = |texts: &[&str]| is_numeric(texts.iter().copied());
        assert!(column(&["30.52", "−4 %", "", "–", "≥ 2"]));
        assert!(!column(&["30.52", "none"]) && !column(&["", "–"]) && !column(&[]));
        assert!(
            !column(&["8 senders each over the whole of the path"]),
            "a sentence"
        );
    }
}
