#!/usr/bin/env python3
"""Check that prose has the field's words, and no sentence that readers must read twice.

Reads the Markdown files, and the comments and messages of code. Prints FILE:LINE, the words that
are found and what to write, and exits with 1 then: scripts/check-words.py [FILE...].
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Where a sentence begins.
SENTENCE = r"(?:^|(?<=[.:!?] )|(?<=[.:!?]\*\* ))"
VERBS = ("adds can causes costs does ends gives had has holds is keeps leaves lets makes matters "
         "may means must needs of replaces shows takes voids was will would").replace(" ", "|")

# Words, what to write, and the files: a name is that word for other readers too, so words beside
# `-` and `_` are left alone.
ANY, MARKDOWN = "", ".md"
WORDS = [
    (r"(?<![-\w])[Bb]unch(?:es|ed)?(?![-\w])",
     "`ACK aggregation`, `aggregate` or `burst`: the field's words", ANY),
    (r"\b[Ww]ay back\b", "`return path`: the field's word", ANY),
    (r"\b(?:sends?|sent|sending) again\b",
     "`retransmit`, or `sending resumes` after an idle time: two things", ANY),
    (r"\b(?:path|pipe) holds\b", "`BDP`: the field's word", ANY),
    (SENTENCE + rf"That (?:{VERBS})\b", "the noun for which `That` stands", ANY),
    (r"^Of [^,.;:]*(?:[.:]|$)", "the noun that is missing before `Of`", ANY),
    # A question may begin with it.
    (r"(?:(?<=[.!?] )|(?<=[.!?]\*\* ))What (?![^.]*\?)", "the noun for which `What` stands",
     MARKDOWN),
    (r"\b(?:e\.g|i\.e|viz)\.", "`for example`, `that is`: words", ANY),
    (r"\b(?:whilst|hereby|thereof|utili[sz]e[sd]?|leverage[sd]?|in order to)\b",
     "`while`, `this`, `its`, `use`, `to`: short words", ANY),
]
FOUND = re.compile("|".join(f"(?:{pattern})" for pattern, _, _ in WORDS))

# What is not read: what was, texts of others, what programs write.
LEFT_OUT = re.compile(r"^CHANGELOG|^LICENSES/|/snapshots/|/bindings\.rs|check.words\.py$")
# Output that snapshots have.
KEPT = {("crates/onramp-study/src/commands/model/text.rs", "path holds"): "the output of `model`"}

SLASHES = re.compile(r"^\s*(?:/\*+|\*/?|//[/!]?)(?: |$)(.*?)(?:\*/)?$"
                     r"|^.*?\s(?:/\*+|//) (.*?)(?:\*/)?$")
HASHES = re.compile(r"^\s*#+(?: |$)(.*)$|^.*?\s# (.*)$")
COMMENTS = {**dict.fromkeys((".rs", ".c", ".h", ".cc", ".ts", ".tsx", ".mjs", ".go", ".css"),
                            (SLASHES, ("//", "/*", " *"))),
            **dict.fromkeys((".py", ".sh", ".toml"), (HASHES, ("#",)))}
MESSAGE = re.compile(r'"((?:[^"\\]|\\.)*)"')


def blocks_of_markdown(lines):
    """Paragraphs, entries of lists and rows of tables: lists of (line number, text). No code."""
    block, is_code = [], False
    for number, line in enumerate(lines, 1):
        is_fence = re.match(r"\s*(?:```|~~~)", line)
        if is_fence or is_code or re.match(r"\s*(?:[-*>|#]|\d+\.) |\s*$|    ", line):
            yield block
            block = []
        is_code ^= bool(is_fence)
        if not is_fence and not is_code and not line.startswith("    "):
            block.append((number, re.sub(r"^(?:[-*>|]|#+|\d+\.) ", "", line.strip())))
    yield block


def blocks_of_code(lines, comment, signs, has_messages):
    """Comments of successive lines, and messages: lists of (line number, text)."""
    block = []
    for number, line in enumerate(lines, 1):
        found = comment.match(line) if any(sign in line for sign in signs) else None
        whole, behind = (found[1], found[2]) if found else (None, None)
        if not whole:
            yield block
            block = []
        if whole or behind:
            block.append((number, (whole or behind).strip()))
        if not whole and has_messages and '"' in line:
            yield from ([(number, text[1])] for text in MESSAGE.finditer(line) if " " in text[1])
    yield block


def mistakes_in(name, text):
    """The mistakes of a file, as lines to print."""
    suffix, lines = pathlib.PurePath(name).suffix, text.split("\n")
    if suffix == MARKDOWN:
        blocks = blocks_of_markdown(lines)
    else:
        # Texts of scenarios and of ledgers are in results.
        blocks = blocks_of_code(lines, *COMMENTS[suffix], has_messages=suffix != ".toml")
    for block in blocks:
        prose = re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]),
                       " ".join(part for _, part in block))
        if not FOUND.search(prose):
            continue
        for pattern, instead, files in WORDS:
            for found in re.finditer(pattern, prose):
                at = found.start()
                for number, part in block:
                    if at <= len(part):
                        break
                    at -= len(part) + 1
                if suffix.endswith(files) and (name, found[0]) not in KEPT:
                    yield f"{name}:{number}: `{found[0].strip()}`: write {instead}"


def main():
    names = sys.argv[1:] or [
        name for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split()
        if pathlib.PurePath(name).suffix in (MARKDOWN, *COMMENTS) and not LEFT_OUT.search(name)]
    mistakes = [mistake for name in names if (ROOT / name).is_file()
                for mistake in mistakes_in(name, (ROOT / name).read_text())]
    print("\n".join(dict.fromkeys(mistakes)), end="\n" if mistakes else "")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
