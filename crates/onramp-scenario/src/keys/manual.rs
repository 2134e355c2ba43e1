//! The keys as the manual has them.

use super::declared::own_keys;
use super::{Fallback, Key, List, PATH_CHANNEL};

/// The two Markdown tables of `docs/scenarios.md`: every key that is not of a channel, and every
/// key of a channel.
pub fn reference_tables() -> (String, String) {
    let mut own = String::from(
        "| Key | Type | Default | Range | List | Meaning |\n|---|---|---|---|---|---|\n",
    );
    for key in own_keys() {
        let list = match key.list {
            List::No => "",
            List::Factor => "yes",
            List::Several => "several",
            List::Chain => "in order",
        };
        let (path, kind, range, meaning) = (key.path(), key.kind.name(), key.range(), key.meaning);
        own += &format!(
            "| `{path}` | {kind} | {} | {range} | {list} | {meaning} |\n",
            default(key)
        );
    }
    let mut channel =
        String::from("| Key | Type | Default | Range | Meaning |\n|---|---|---|---|---|\n");
    for key in PATH_CHANNEL.all() {
        let path = key.path();
        let path = path.strip_prefix("path.").unwrap_or(&path);
        let (kind, range, meaning) = (key.kind.name(), key.range(), key.meaning);
        channel += &format!(
            "| `{path}` | {kind} | {} | {range} | {meaning} |\n",
            default(key)
        );
    }
    (own, channel)
}

fn default(key: &Key) -> String {
    match key.default {
        Fallback::Required => "required".to_owned(),
        Fallback::Text("") => "empty".to_owned(),
        Fallback::Text(text) => format!("`{text}`"),
        Fallback::Other(words) => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_every_key_and_default() {
        let manual = include_str!("../../../../docs/scenarios.md");
        let between = |name: &str| {
            let (_, rest) = manual
                .split_once(&format!("<!-- {name} -->\n"))
                .expect(name);
            rest.split_once(&format!("<!-- /{name} -->"))
                .expect(name)
                .0
                .trim()
        };
        let (own, channel) = reference_tables();
        assert!(
            between("keys") == own.trim(),
            "put this into docs/scenarios.md:\n\n{own}"
        );
        assert!(
            between("channel keys") == channel.trim(),
            "put this into docs/scenarios.md:\n\n{channel}"
        );
    }
}
