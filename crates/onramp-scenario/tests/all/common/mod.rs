//! Error messages as people see them.

use onramp_scenario::{parse, Error};

/// An error as a terminal shows it.
pub fn rendered(error: &Error) -> String {
    let text = error.report_of_width(110, false);
    // The renderer pads lines; a snapshot should not.
    let lines: String = text
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    without_startups(&lines)
}

/// The text without the names of all start-ups, so that a new start-up changes no snapshot.
fn without_startups(text: &str) -> String {
    const HELP: &str = "help: known names are `none`, ";
    let Some((before, rest)) = text.split_once(HELP) else {
        return text.to_owned();
    };
    // The names end where a line is not indented like a continued help text.
    let mut lines = rest.split_inclusive('\n').peekable();
    lines.next();
    while lines.next_if(|line| line.starts_with("        ")).is_some() {}
    let after: String = lines.collect();
    format!(
        "{before}{HELP}and the start-ups\n{}",
        without_startups(&after)
    )
}

/// The message about a bad file.
pub fn refused(text: &str) -> String {
    rendered(&parse("bad.toml", text).expect_err(text))
}

/// A file with one piece of it replaced.
pub fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replace(old, new)
}

/// The message about each change of a good file.
pub fn refusals(text: &str, changes: &[(&str, &str)]) -> String {
    changes
        .iter()
        .map(|(old, new)| format!("{old} -> {new}\n{}\n", refused(&replaced(text, old, new))))
        .collect()
}

/// A snapshot without the expression that made it, which is long.
macro_rules! assert_snapshot {
    ($($argument:expr),+ $(,)?) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!($($argument),+)
        })
    };
}
