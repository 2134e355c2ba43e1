//! `onramp sim` with transfers that do not complete.

use crate::common::*;

/// From two seconds on, the delay is an hour.
const BROKEN: &str = "[[path.change]]\nat = \"2 s\"\nrtt = \"3600 s\"\n";

#[test]
fn a_transfer_that_gave_up_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(
        dir.path(),
        "broken",
        BROKEN,
        "[[transfer]]\nsize = \"100 MB\"\n",
    );
    let ran = onramp(["sim", file.to_str().unwrap(), "--json"]).code(1);
    let ran =
        ran.warns(&["failed: broken: 100 MB, standard + cubic, run 1: the peer no longer answers"]);
    assert_eq!(ran.json()[0]["finished"], false);
}

#[test]
fn a_transfer_that_the_duration_cuts_off_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(
        dir.path(),
        "short",
        "[run]\nduration = \"2 s\"\n",
        "[[transfer]]\nsize = \"100 MB\"\n",
    );
    let ran = onramp(["sim", file.to_str().unwrap(), "--json"]).code(0);
    assert_eq!(ran.json()[0]["finished"], false);
}
