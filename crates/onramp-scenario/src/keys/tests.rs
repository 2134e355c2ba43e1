use super::reference::key_reference;
use super::top::TOP;
use onramp_config::key::{Fallback, Key};
use std::path::Path;

#[test]
fn every_default_and_limit_can_be_read() {
    for (path, table) in TOP.tree() {
        for key in table.keys() {
            let facts = key.facts();
            let limits = facts.ranges.iter().flat_map(|(min, max)| [*min, *max]);
            let default = match facts.default {
                // The names of start-ups are known at run time.
                Fallback::Text(_) if key.kind_name() == "start-up" => None,
                Fallback::Text(text) => Some(text),
                Fallback::Required | Fallback::Other(_) => None,
            };
            for text in limits.chain(default) {
                let read = key.check(text);
                assert!(read.is_ok(), "{path}.{}: {read:?}", facts.name);
            }
        }
    }
}

#[test]
fn names_of_a_table_are_unique() {
    for (path, table) in TOP.tree() {
        let mut names = table.names();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{path}");
    }
}

#[test]
fn a_table_has_its_own_keys_first_and_then_those_of_a_channel() {
    let tree = TOP.tree();
    let table = |path: &str| tree.iter().find(|(of, _)| of == path).unwrap().1;
    let path = table("path");
    assert_eq!(
        path.key_names()[..6],
        ["rtt", "mtu", "rate", "trace", "delay_trace", "trace_offset"]
    );
    assert_eq!(
        path.table_names(),
        ["reverse", "change", "steps", "red", "codel", "dualpi2", "bursts"]
    );
    assert_eq!(
        table("link.reverse.red").names(),
        ["min", "max", "probability", "weight", "gentle"]
    );
}

/// `ONRAMP_UPDATE_DOCS=1` writes the reference instead.
#[test]
fn the_reference_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/scenario-keys.md");
    let wanted = key_reference();
    if std::env::var_os("ONRAMP_UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/reference/scenario-keys.md differs from the keys: run \
         ONRAMP_UPDATE_DOCS=1 cargo test -p onramp-scenario reference"
    );
}

#[test]
fn a_list_of_names_reads_as_a_sentence() {
    let key = &super::traffic::DSCP;
    let meaning = <Key<_> as onramp_config::key::AnyKey>::meaning(key);
    assert!(meaning.ends_with("`best-effort` or `ef`."), "{meaning}");
}
