//! A network that tests of shared state use.

/// Nodes and links in TOML: from `a` by `m` to `b` and to `c`.
pub fn fork() -> String {
    let node = |name| format!("[[node]]\nname = \"{name}\"\n");
    let link = |from, to| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"50 Mbit/s\"\n\
            delay = \"25 ms\"\nqueue = \"0.5 bdp\"\n"
        )
    };
    ["a", "m", "b", "c"].map(node).concat() + &link("a", "m") + &link("m", "b") + &link("m", "c")
}
