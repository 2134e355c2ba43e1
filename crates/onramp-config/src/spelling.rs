//! Names that a text may have meant, and texts as messages show them.

/// Names of this similarity are suggested, from 0 (nothing in common) to 1.
const MIN_SIMILARITY: f64 = 0.5;

/// The same for the first part of a name, as `aron` of `aron-druschel-1998`.
const MIN_SIMILARITY_OF_PART: f64 = 0.75;

/// The candidate most similar to `found`, if it is similar enough to be meant.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The comparison takes time in proportion to the square of the length, and nobody misspells a
    // short word at such length.
    if found.len() > 64 {
        return None;
    }
    let found = found.to_lowercase();
    let similarity = |name: &str| strsim::normalized_damerau_levenshtein(&found, name);
    let mut best: Option<(f64, &str)> = None;
    for name in candidates {
        let lower = name.to_lowercase();
        let part = lower.split('-').next().unwrap_or_default();
        let score = match (similarity(&lower), similarity(part)) {
            // A similar name precedes every similar part.
            (of_name, _) if of_name >= MIN_SIMILARITY => 1.0 + of_name,
            (_, of_part) if of_part >= MIN_SIMILARITY_OF_PART => of_part,
            _ => continue,
        };
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The end of a sentence about an unknown name.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest
        .map(|nearest| format!("; did you mean `{nearest}`?"))
        .unwrap_or_default()
}

/// The text as a message may show it: one short line with control characters escaped.
pub fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut shown = String::new();
    for (i, c) in text.trim().chars().enumerate() {
        if i == MAX_CHARS {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelt_name_or_its_first_part_is_recognised() {
        let names = ["none", "paced", "onramp", "aron-druschel-1998"];
        let of = |found| nearest(found, names);
        assert_eq!(of("pacde"), Some("paced"));
        assert_eq!(of("OnRmp"), Some("onramp"));
        assert_eq!(of("aron"), Some("aron-druschel-1998"));
        assert_eq!(of("cubic"), None);
        assert_eq!(of(&"onramp".repeat(11)), None);
    }
}
