"""What check-words.py finds and what it leaves alone: pytest scripts/test_check_words.py."""

import importlib.util
import pathlib

import pytest

SCRIPT = pathlib.Path(__file__).with_name("check-words.py")
spec = importlib.util.spec_from_file_location("check_words", SCRIPT)
words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(words)


def found(name, text):
    """Line and words of each mistake."""
    return [(int(mistake.split(":")[1]), mistake.split("`")[1])
            for mistake in words.mistakes_in(name, text)]


@pytest.mark.parametrize(("name", "text", "mistakes"), [
    ("a.md", "ACKs in bunches.\n", [(1, "bunches")]),
    ("a.md", "Two lines, and the\nway back is full.\n", [(2, "way back")]),
    ("a.md", "A loss is\nrepaired. That is slow.\n", [(2, "That is")]),
    ("a.md", "- **Cost.** What is sent counts.\n", [(1, "What")]),
    ("a.md", "| what | A round. That of TCP |\n", [(1, "That of")]),
    ("a.rs", "/// The rate.\n/// It is sent again.\nfn f() {}\n", [(2, "sent again")]),
    ("a.rs", "    x, // Of the sender.\n", [(1, "Of the sender.")]),
    ("a.rs", 'panic!("what the path holds is {n}");\n', [(1, "path holds")]),
    ("a.h", "/* One.\n * That holds. */\n", [(2, "That holds")]),
    ("a.py", "x = 1  # e.g. one\n", [(1, "e.g.")]),
    ("a.toml", "# A bunch.\n", [(1, "bunch")]),
])
def test_words_are_found_with_their_line(name, text, mistakes):
    assert found(name, text) == mistakes


@pytest.mark.parametrize(("name", "text"), [
    ("a.md", "The scenario `wifi-bunches`, or lte-bunches.\n"),
    ("a.md", "```\nway back\n```\n\n    sent again\n"),
    ("a.md", "That loss is repaired. What if it is slow? It says that that is so.\n"),
    ("a.md", "# What it costs\n\n| What | Of the sender, the rate |\n"),
    ("a.md", "Of five runs, one was longer. Of 54 cases the slowest took 1.05.\n"),
    ("a.md", "The pipe is full, and the governor holds back.\n"),
    ("a.rs", "fn in_bunches(bunches: u64) {}\n"),
    ("a.rs", '    url("http://host/bunches");\n'),
    ("a.rs", "/// One.\nfn f() {}\n/// Two.\n"),
    ("a.rs", "// A question. What is it\n"),
    ("a.toml", 'description = "bunches of 2 ms"\n'),
])
def test_names_code_and_other_sentences_are_left_alone(name, text):
    assert found(name, text) == []
