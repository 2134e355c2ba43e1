#!/usr/bin/env python3
"""Find circles between the files of a crate, and crates that use a higher layer. Exit 1: found.

A file uses the files that define the items it names; re-exports are followed, tests do not count.
The parts of a module are its children, each with all files below it. Parts of one module must not
use each other in circles. A child may use the modules that contain it, and these may declare,
re-export and use the child: together they are one folder.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

# The layers of docs/architecture.md, from the bottom. A crate uses its own layer and those below.
LAYERS = """core net plot config | bpf kernel tcp quic hq | scenario results
    | host sim lab tun service | report trace theory comparison advise papers
    | onramp cli study web web-build python | testing"""
NOISE = re.compile(
    r"""(?s)//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\[^']+|[^\\'\n])'"""
)
TEST = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]")
MODULE = re.compile(r"\bmod\s+(\w+)\s*([;{])")
USE = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
BRANCH = re.compile(r"(?:[^,{}]|\{(?:[^{}]|\{[^{}]*\})*\})+")
ITEM = re.compile(r"\b(?:fn|struct|enum|union|trait|type|const|static|macro_rules!)\s+(\w+)")
PATH = re.compile(r"(?<![\w:.])\w+(?:\s*::\s*\w+)+")


def end_of_item(code, start, depth=0):
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth < 0 or depth == 0 and code[at] in "};":
            return at + 1
    return len(code)


def code_of(file):
    """The code of a file, without comments, strings and tests."""
    code = NOISE.sub('""', file.read_text())
    while test := TEST.search(code):
        code = code[: test.start()] + code[end_of_item(code, test.end()) :]
    return code


def used(tree, prefix=()):
    """The paths of a `use`, each with the name that it has here."""
    head, brace, rest = tree.strip().partition("{")
    path, _, alias = head.partition(" as ")
    names = prefix + tuple(re.findall(r"\w+|\*", re.sub(r"\bself$", "", path)))
    if not brace:
        yield names, alias.strip() or names[-1]
    for branch in filter(str.strip, BRANCH.findall(rest.rstrip()[:-1])):
        yield from used(branch, names)


class Module:
    """A module. `names` are the paths of items that its own code names."""
    def __init__(self, file, parent, code):
        self.file, self.parent = file, parent
        self.chain = [*parent.chain, self] if parent else [self]
        self.children, self.imports = {}, {}
        own_folder = file.parent if file.stem in ("lib", "main", "mod") else file.with_suffix("")
        while found := MODULE.search(code):
            name, end = found[1], end_of_item(code, found.start())
            files = [own_folder / f"{name}.rs", own_folder / name / "mod.rs"]
            if found[2] == "{":
                self.children[name] = Module(file, self, code[found.end() : end - 1])
            elif exists := next(filter(Path.exists, files), None):
                self.children[name] = Module(exists, self, code_of(exists))
            code = code[: found.start()] + code[end:]
        rest = USE.sub("", code)
        self.items = set(ITEM.findall(rest))
        self.names = {tuple(re.findall(r"\w+", path)) for path in PATH.findall(rest)}
        for is_public, tree in USE.findall(code):
            for path, name in used(tree):
                self.imports[name if name != "*" else path] = path
                if not is_public or name != "*" and re.search(rf"\b{name}\b", rest):
                    self.names.add(path)

    def all(self):
        return [self, *(module for child in self.children.values() for module in child.all())]

    def defines(self, path, following=()):
        """The module that defines what is named. `False`: a module is. `None`: not found."""
        name, rest = path[0], path[1:]
        around = {"crate": self.chain[0], "self": self, "super": self.parent}
        if inner := {**self.children, **around}.get(name):
            if rest in ((), ("*",)):
                return inner if rest else False
            found = inner.defines(rest, following)
            return inner if found is None else found  # A macro made what is not found.
        here, is_new = (*following, (self, name)), (self, name) not in following
        if name in self.imports and is_new:
            return self.defines(self.imports[name] + rest, here)
        globs = (self.defines(glob, here) for glob in self.imports if is_new and "*" in glob)
        found = (module.defines(path, here) for module in globs if module)
        return self if name in self.items else next(filter(None, found), None)


def shortest_circle(arrows, start):
    walks, reached = [[start]], set()
    for walk in walks:
        parts = [part for part in arrows.get(walk[-1], ()) if part not in reached]
        if start in parts:
            return walk
        walks += [[*walk, part] for part in parts]
        reached.update(parts)


def circles(root):
    arrows, found = {}, {}
    for module in Module(root, None, code_of(root)).all():
        for path in sorted(module.names):
            target = module.defines(path)
            chains = zip(module.chain, target.chain) if target else ()
            if parts := next((parts for parts in chains if parts[0] is not parts[1]), None):
                names = arrows.setdefault(parts[0], {}).setdefault(parts[1], {})
                names.setdefault(f"    {module.file} -> {target.file}: ", "::".join(path))
    for start in arrows:
        if circle := shortest_circle(arrows, start):
            found.setdefault(frozenset(circle), [*circle, start])
    for circle in found.values():
        yield " -> ".join(str(part.file) for part in circle)
        for one, other in zip(circle, circle[1:]):
            yield from (arrow + name for arrow, name in arrows[one][other].items())


def arrows_up(packages, layers):
    rows = enumerate(row.split() for row in layers.split("|"))
    layer = {f"onramp-{name}".replace("-onramp", ""): row for row, names in rows for name in names}
    for package in packages:
        name = package["name"]
        if name not in layer:
            yield f"{name} has no layer: add it to LAYERS in scripts/check-circles.py"
        for needed in package["dependencies"]:
            if needed["kind"] != "dev" and layer.get(needed["name"], 0) > layer.get(name, 99):
                yield f"{name} -> {needed['name']}: an arrow that points upwards"


if __name__ == "__main__":
    command = ["cargo", "metadata", "--no-deps", "--format-version=1"]
    packages = json.loads(subprocess.check_output(command))["packages"]
    wrong = list(arrows_up(packages, LAYERS))
    for package in packages:
        for target in package["targets"]:
            if not {"test", "bench", "example"} & set(target["kind"]):
                wrong += circles(Path(target["src_path"]))
    sys.exit("\n".join(wrong).replace(f"{Path.cwd()}/", "") or 0)
