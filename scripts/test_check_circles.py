"""What counts as a circle, and as an arrow upwards, in made-up crates."""

import importlib.util
import pathlib

SCRIPT = pathlib.Path(__file__).resolve().parent / "check-circles.py"
spec = importlib.util.spec_from_file_location("check_circles", SCRIPT)
check_circles = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_circles)


def circles(folder, **files):
    """The circles of a crate with these files. `a__b` is a/b.rs."""
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.rs"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    lines = check_circles.circles(folder / "lib.rs")
    return [line.replace(f"{folder}/", "") for line in lines]


def test_two_files_that_use_each_other_are_a_circle_with_its_names(tmp_path):
    found = circles(
        tmp_path,
        lib="mod a;\nmod b;",
        a="use crate::b::{Two, self};\npub struct One;",
        b="pub struct Two;\nfn f() { super::a::One; }",
    )
    assert found == [
        "a.rs -> b.rs -> a.rs",
        "    a.rs -> b.rs: crate::b::Two",
        "    b.rs -> a.rs: super::a::One",
    ]


def test_a_circle_may_have_more_files_and_aliases_of_modules(tmp_path):
    found = circles(
        tmp_path,
        lib="mod a;\nmod b;\nmod c;",
        a="use crate::b as other;\npub fn f() { other::f(); }",
        b="use super::c::*;\npub fn f() {}",
        c="pub fn g() { crate::a::f(); }",
    )
    assert found[0] == "a.rs -> b.rs -> c.rs -> a.rs"


def test_a_re_exported_item_belongs_to_its_own_file(tmp_path):
    files = {
        "lib": "mod a;\nmod b;\npub use a::*;\npub(crate) use b::Two as Second;",
        "a": "pub struct One;\nuse crate::Second;",
        "b": "pub struct Two;",
    }
    assert circles(tmp_path, **files) == []
    found = circles(tmp_path, **{**files, "b": "pub struct Two;\nuse crate::One;"})
    assert found[0] == "a.rs -> b.rs -> a.rs"


def test_a_module_and_its_children_are_one_folder(tmp_path):
    files = {
        "lib": "mod a;\nmod b;",
        "a__mod": "mod one;\nmod two;\nuse one::One;\npub struct A(One);",
        "a__one": "use super::A;\npub struct One;",
        "a__two": "use super::one::One;",
        "b": "",
    }
    assert circles(tmp_path, **files) == []
    # Seen from outside, the folder is one part: a file of it uses b, and b uses another one.
    files["a__one"] = "use crate::b::B;\npub struct One;"
    files["b"] = "use crate::a::two::Two;\npub struct B;"
    files["a__two"] = "pub struct Two;"
    assert circles(tmp_path, **files) == [
        "a/mod.rs -> b.rs -> a/mod.rs",
        "    a/one.rs -> b.rs: crate::b::B",
        "    b.rs -> a/two.rs: crate::a::two::Two",
    ]


def test_tests_comments_and_texts_do_not_count(tmp_path):
    found = circles(
        tmp_path,
        lib="mod a;\nmod b;",
        a="use crate::b::Two;\npub struct One;",
        b="""pub struct Two; // crate::a::One
/* crate::a::One */
const TEXT: (&str, char) = ("crate::a::One \\" { ", '"');
#[cfg(test)]
use crate::a::One;
#[cfg(test)]
mod tests { fn f() { crate::a::One; } }
""",
    )
    assert found == []


def test_an_item_that_a_macro_makes_belongs_to_its_module(tmp_path):
    found = circles(
        tmp_path,
        lib="mod a;\nmod b;",
        a="use crate::b::MADE;\npub struct One;",
        b="make! { MADE }\nuse crate::a::One;",
    )
    assert found[0] == "a.rs -> b.rs -> a.rs"


def package(name, *needs, kind=None):
    return {"name": name, "dependencies": [{"name": need, "kind": kind} for need in needs]}


def test_crates_use_their_own_layer_and_those_below():
    layers = "core net | sim lab | onramp"
    packages = [
        package("onramp-core", "onramp-net", "serde"),
        package("onramp-sim", "onramp-core", "onramp-lab"),
        package("onramp", "onramp-sim"),
        package("onramp-net", "onramp-sim", kind="dev"),
    ]
    assert list(check_circles.arrows_up(packages, layers)) == []
    wrong = [package("onramp-net", "onramp-sim"), package("onramp-new")]
    assert list(check_circles.arrows_up(wrong, layers)) == [
        "onramp-net -> onramp-sim: an arrow that points upwards",
        "onramp-new has no layer: add it to LAYERS in scripts/check-circles.py",
    ]
