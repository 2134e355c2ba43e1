#!/usr/bin/env python3
"""Build the documents as a static site: target/site/index.html, which works from the disk too.

    scripts/site/site.py [--zensical PROGRAM] [--web FOLDER] [--doc FOLDER] [--out FOLDER]

The pages keep their places in the repository, so links between them hold. A linked file that is no
page, such as a C header, becomes a page with its text. The navigation is docs/README.md: a group
for each of its headings. The reference of the Python package is made from its docstrings. The
playground of `make web` and the crates' documents of `make doc` are included where they are built:
the first figure of the playground then stands on the front page.

Exits with 1 where a link, an anchor or an image of the built site leads nowhere, a page loads
something from elsewhere, or a page of docs/ is missing in docs/README.md.
"""

import argparse
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME, INDEX, PLAYGROUND, RUSTDOC = "README.md", "docs/README.md", "play", "rustdoc"
# Pages of the site alone. The docstrings' links are those of a page in this folder.
PYTHON, CRATES = "docs/reference/python.md", "docs/reference/crates.md"
PYTHON_MODULES = ["onramp", "onramp.axes", "onramp.plot", "onramp.papers", "onramp.model"]
# The figure of the front page, as an address of the playground: crates/onramp-web/page.
FIGURE = "embed/preset/geostationary"
# As high as the figure with its button, on a phone too.
FRAME = """<style>.onramp-figure { border: 0; height: 580px; width: 100%; }</style>
<iframe class="onramp-figure" loading="lazy" title="Two downloads over a satellite, simulated: \
packets on their path" src="SOURCE"></iframe>"""
# What the generator's pages would load from elsewhere, for their search from the disk.
SHIM = "https://unpkg.com/iframe-worker/shim"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
LANGUAGES = {".h": "c", ".c": "c", ".rs": "rust", ".toml": "toml", ".py": "python", ".go": "go",
             ".sh": "sh", ".yml": "yaml", ".json": "json", ".ipynb": "json"}
COPIED = {".svg", ".png", ".csv"}


def texts(source):
    """The text of a page in parts: (is a block of code, part)."""
    for part in re.split(r"((?:^|\n) *```.*?\n *```)", source, flags=re.DOTALL):
        yield bool(re.match(r"\n? *```", part)), part


def target_of(page, link):
    """The path in the repository to which a link of a page leads, and its anchor; None: outside."""
    if re.match(r"[a-z]+:|#", link) or "::" in link:
        return None
    path, _, anchor = link.partition("#")
    return os.path.normpath(os.path.join(os.path.dirname(page), path)), anchor


class Pages:
    """The pages of the site, from README.md on: each page that one of them leads to."""

    def __init__(self, root, out):
        self.root, self.out = root, out
        self.done, self.waiting = set(), [HOME]

    def write_all(self):
        while self.waiting:
            path = self.waiting.pop()
            if path in self.done:
                continue
            self.done.add(path)
            source = self.root / path
            if source.suffix == ".md":
                self.write(path, self.converted(path, source.read_text()))
            elif source.suffix in COPIED:
                self.place(path).write_bytes(source.read_bytes())
            elif source.is_dir():
                self.write(f"{path}/index.md", self.listing(path))
            else:
                language = LANGUAGES.get(source.suffix, "text")
                text = source.read_text()
                self.write(f"{path}.md", "---\nsearch:\n  exclude: true\n---\n\n"
                           f"# {source.name}\n\n`{path}`\n\n````{language}\n{text}````\n")

    def place(self, path):
        place = self.out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def write(self, path, text):
        self.place(path).write_text(text)

    def listing(self, path):
        """A page for a folder: the names of its tracked files."""
        names = subprocess.check_output(["git", "ls-files", path], cwd=self.root, text=True)
        return f"# {path}\n\n" + "".join(f"- `{name}`\n" for name in names.split())

    def converted(self, page, source):
        """A page, with links to other pages than Markdown, as Python-Markdown reads it."""
        def replace(match):
            is_image, words, link = match.groups()
            words = LINK.sub(replace, words)
            found = target_of(page, link)
            if found and not (self.root / found[0]).exists():
                raise SystemExit(f"{page}: no file {found[0]}")
            if found:
                path, anchor = found
                self.waiting.append(path)
                if (self.root / path).is_dir():
                    link = link.partition("#")[0].rstrip("/") + "/index.md"
                elif pathlib.PurePath(path).suffix not in {".md", *COPIED}:
                    link = link.partition("#")[0] + ".md"
            return f"{is_image}[{words}]({link})"

        # Links of code are left alone.
        parts = [part if is_code else LINK.sub(replace, part) for is_code, part in texts(source)]
        # Its lists of lists are indented by four columns.
        return re.sub(r"^ {2}(?=- )", "    ", "".join(parts), flags=re.MULTILINE)


def add_playground(pages, web):
    """Copy the playground, lead to it, and put one of its figures on the front page."""
    shutil.copytree(web, pages / PLAYGROUND)
    for page, up in ((HOME, ""), ("docs/playground.md", "../")):
        add_button(pages / page, "Open the playground", f"{up}{PLAYGROUND}/index.html")
    frame = FRAME.replace("SOURCE", f"{PLAYGROUND}/index.html#{FIGURE}")
    home = pages / HOME
    # Before the first picture.
    text, found = re.subn(r"^!\[", lambda match: f"<div>{frame}</div>\n\n{match[0]}",
                          home.read_text(), count=1, flags=re.MULTILINE)
    if not found:
        raise SystemExit(f"{HOME} has no picture before which the figure of the playground stands")
    home.write_text(text)


def add_button(page, words, link):
    """Put a link behind the first paragraph or heading of a page."""
    button = f'<p><a class="md-button md-button--primary" href="{link}">{words}</a></p>'
    page.write_text(page.read_text().replace("\n\n", f"\n\n{button}\n\n", 1))


def add_python(root, work):
    """Add the reference of the Python package, which the generator makes of its sources."""
    package = work / "python/onramp"
    package.mkdir(parents=True)
    for source in (root / "python/onramp").iterdir():
        if source.suffix in (".py", ".pyi"):
            # Sphinx' roles are code here.
            text = re.sub(r":[a-z]+:`~?([^`]+)`", r"`\1`", source.read_text())
            (package / source.name).write_text(text)
    blocks = "".join(f"\n::: {name}\n" for name in PYTHON_MODULES)
    (work / "pages" / PYTHON).write_text(f"# Python reference\n{blocks}")
    add_button(work / "pages/docs/python.md", "All functions and classes", "reference/python.html")


def add_crates(root, pages, doc):
    """Add a page that leads to what rustdoc made of each library."""
    rows = []
    for manifest in sorted([*root.glob("*/Cargo.toml"), *root.glob("crates/*/Cargo.toml")]):
        package = tomllib.loads(manifest.read_text()).get("package", {})
        name = package.get("name", "")
        place = f"{name.replace('-', '_')}/index.html"
        if "description" in package and (doc / place).is_file():
            rows.append(f'| <a href="../../{RUSTDOC}/{place}">{name}</a> | '
                        f'{package["description"]} |\n')
    (pages / CRATES).write_text("# Crates\n\nThe documents of the crates, by rustdoc.\n\n"
                                "| crate | |\n|---|---|\n" + "".join(rows))
    add_button(pages / "docs/architecture.md", "The crates' documents", "reference/crates.html")


def navigation(root):
    """The groups of docs/README.md with their pages: [{title: [{title: page}]}]."""
    groups, listed = [{"Home": HOME}], {INDEX}
    for line in (root / INDEX).read_text().split("\n"):
        if heading := re.match(r"## (.*)", line):
            groups.append({heading[1]: []})
        for match in LINK.finditer(line) if len(groups) > 1 else []:
            found = target_of(INDEX, match[3])
            if found and found[0].endswith(".md") and found[0] not in listed:
                listed.add(found[0])
                next(iter(groups[-1].values())).append({match[2].replace("`", ""): found[0]})
    pages = {str(path.relative_to(root)) for path in (root / "docs").rglob("*.md")}
    if missing := sorted(pages - listed):
        raise SystemExit(f"{INDEX} does not name {', '.join(missing)}")
    groups.append({"All pages": INDEX})
    return groups


def as_toml(nav):
    """A value of TOML: JSON, but for its objects."""
    if isinstance(nav, list):
        return "[" + ", ".join(map(as_toml, nav)) + "]"
    if isinstance(nav, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {as_toml(value)}"
                                for key, value in nav.items()) + " }"
    return json.dumps(nav)


def use_own_worker(site):
    """Let the pages load worker.js of this folder in place of the script from elsewhere."""
    shutil.copy(pathlib.Path(__file__).with_name("worker.js"), site / "assets/worker.js")
    for path in site.rglob("*.html"):
        up = "../" * (len(path.relative_to(site).parts) - 1)
        path.write_text(path.read_text().replace(SHIM, f"{up}assets/worker.js"))


class Built(html.parser.HTMLParser):
    """A page of the built site: its anchors, and what it leads to and loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded, self.mistakes = {""}, [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") != "canonical" and values.get("href"):
            self.loaded.append(values["href"])
        elif tag in ("img", "script", "iframe") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "img" and not values.get("alt"):
            self.mistakes.append("an image without a text")


def mistakes_in(site):
    """What is wrong with the built site, as lines to print, and the number of links."""
    pages = {path: Built(path.read_text()) for path in sorted(site.rglob("*.html"))
             if path.relative_to(site).parts[0] not in (PLAYGROUND, RUSTDOC)}
    mistakes, count = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        mistakes += [f"{name}: {mistake}" for mistake in page.mistakes]
        mistakes += [f"{name} loads {url}" for url in page.loaded if re.match(r"(https?:)?//", url)]
        if name.name == "404.html":  # its links are those of the server's root
            continue
        for link in page.links + page.loaded:
            count += 1
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path.parent / urllib.parse.unquote(parts.path) if parts.path else path
            target = pathlib.Path(os.path.normpath(target))
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                mistakes.append(f"{name}: no file {link}")
            elif target in pages and urllib.parse.unquote(parts.fragment) not in (
                    pages[target].anchors):
                mistakes.append(f"{name}: no anchor {link}")
    return mistakes, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--zensical", default="zensical")
    parser.add_argument("--web", type=pathlib.Path, default=ROOT / "target/web")
    parser.add_argument("--doc", type=pathlib.Path, default=ROOT / "target/doc")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "target/site")
    arguments = parser.parse_args()
    work = arguments.out.with_name(arguments.out.name + "-work").resolve()
    shutil.rmtree(work, ignore_errors=True)
    pages = Pages(ROOT, work / "pages")
    nav = navigation(ROOT)
    pages.write_all()
    reference = next(group["Reference"] for group in nav if "Reference" in group)
    reference.append({"Python reference": PYTHON})
    add_python(ROOT, work)
    if (arguments.web / "index.html").is_file():
        add_playground(work / "pages", arguments.web)
    has_doc = (arguments.doc / "onramp_core/index.html").is_file()
    if has_doc:
        reference.append({"Crates": CRATES})
        add_crates(ROOT, work / "pages", arguments.doc)
    config = (ROOT / "scripts/site/zensical.toml").read_text()
    (work / "zensical.toml").write_text(
        config.replace("[project]\n", f"[project]\nnav = {as_toml(nav)}\n", 1))
    built = subprocess.run([str(arguments.zensical), "build", "--strict"], cwd=work, check=False)
    if built.returncode:
        return 1
    use_own_worker(work / "site")
    if has_doc:
        shutil.copytree(arguments.doc, work / "site" / RUSTDOC)
    mistakes, count = mistakes_in(work / "site")
    print("\n".join(mistakes or [f"{count} links of the site lead somewhere"]))
    if not mistakes:
        shutil.rmtree(arguments.out, ignore_errors=True)
        shutil.move(work / "site", arguments.out)
        shutil.rmtree(work)
        print(f"{arguments.out}/index.html")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
