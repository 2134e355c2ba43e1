//! Names that a text may have meant, and texts as messages show them.

/// The candidate most similar to `found`, if it is similar enough to be meant.
pub(crate) fn nearest<'a>(
    found: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // The comparison takes time in proportion to the square of the length, and nobody misspells a
    // short word at such length.
    if found.len() > 64 {
        return None;
    }
    let found = found.to_lowercase();
    let similarity =
        |name: &str| strsim::normalized_damerau_levenshtein(&found, &name.to_lowercase());
    let scored = candidates.into_iter().map(|name| (similarity(name), name));
    let best = scored.fold(None, |best: Option<(f64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    best.filter(|(similarity, _)| *similarity >= 0.5)
        .map(|(_, name)| name)
}

/// The text as a message may show it: one short line with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
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
