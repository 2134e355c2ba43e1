//! Numbers as people read them: few digits, a unit, and a dash for what is not a number.

/// Stands where there is no value.
pub(crate) const NOTHING: &str = "–";

/// Decimals that give `value` this many significant digits, at most six.
pub(crate) fn decimals(value: f64, significant: i32) -> usize {
    if !value.is_finite() || value == 0.0 {
        return (significant - 1).max(0) as usize;
    }
    let magnitude = value.abs().log10().floor() as i32;
    (significant - 1 - magnitude).clamp(0, 6) as usize
}

/// A number with this many decimals; exponents from ten million on.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        NOTHING.to_owned()
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

/// A number with so many significant digits and no zeros at its end.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    let text = fixed(value, decimals(value, digits));
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A decimal prefix and what it stands for, so that `largest` has one to three digits before the
/// point.
pub(crate) fn prefix(largest: f64) -> (f64, &'static str) {
    match largest.abs() {
        x if x >= 1e12 => (1e12, "T"),
        x if x >= 1e9 => (1e9, "G"),
        x if x >= 1e6 => (1e6, "M"),
        x if x >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    }
}

/// `50 Mbit/s`.
pub(crate) fn bit_rate(bits_per_s: f64) -> String {
    let (scale, prefix) = prefix(bits_per_s);
    format!("{} {prefix}bit/s", significant(bits_per_s / scale, 3))
}

/// `1 MB`, or `64 KiB` where the number is round in powers of two only.
pub(crate) fn byte_count(bytes: u64) -> String {
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

/// Text of unknown origin for a terminal or a page: control characters, which could move the cursor
/// or make a page ill-formed, become visible replacement characters.
pub(crate) fn printable(text: &str) -> String {
    let bad = |c: char| {
        c.is_control()
            || matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars()
        .map(|c| if bad(c) { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        assert_eq!(significant(4.2149, 3), "4.21");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(1234.5, 3), "1234");
        assert_eq!(significant(f64::NAN, 3), NOTHING);
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
}
