#!/usr/bin/env python3
"""Print the copyright file of a package, in Debian's machine-readable format.

    scripts/copyright.py onramp|onramp-study

It names everything that the program contains: Onramp, the libraries in C that are linked
statically, and each Rust crate, with the licences that cargo knows and the copyright lines of the
crates' own files. For onramp-study it names what the playground contains likewise: crates, and
packages of npm.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "crates" / "onramp-web" / "page"

# Ours: LICENSE.md.
OWN = [
    ("*", "MIT or Apache-2.0"),
    ("core/*", "MIT or Apache-2.0 or GPL-2"),
    ("bpf/*", "GPL-2"),
    ("bpf/intf.h bpf/include/onramp/tcp_qos.h", "MIT or Apache-2.0 or GPL-2"),
    ("bpf/src/* bpf/build.rs bpf/tests/*", "MIT or Apache-2.0"),
]

# Linked statically, as cargo describes crates; libbpf-sys, which has libbpf's sources, is a crate.
LIBRARIES = [
    {
        "name": "elfutils/libelf",
        "version_of": ["pkg-config", "--modversion", "libelf"],
        "authors": ["Red Hat, Inc. and others"],
        "license": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    },
    {
        "name": "zlib",
        "version_of": ["pkg-config", "--modversion", "zlib"],
        "authors": ["1995-2022 Jean-loup Gailly and Mark Adler"],
        "license": "Zlib",
    },
    {
        "name": "rust/std",
        "version_of": ["rustc", "--version"],
        "authors": ["The Rust Project contributors"],
        "license": "MIT OR Apache-2.0",
    },
]

# Licences whose text every Debian system has, and its file there.
COMMON = {
    "Apache-2.0": "Apache-2.0",
    "GPL-2": "GPL-2",
    "GPL-2+": "GPL-2",
    "LGPL-2.1": "LGPL-2.1",
    "LGPL-3+": "LGPL-3",
    "MPL-2.0": "MPL-2.0",
}

ZLIB = """\
This software is provided 'as-is', without any express or implied warranty. In no event will the
authors be held liable for any damages arising from the use of this software.

Permission is granted to anyone to use this software for any purpose, including commercial
applications, and to alter it and redistribute it freely, subject to the following restrictions:

1. The origin of this software must not be misrepresented; you must not claim that you wrote the
original software. If you use this software in a product, an acknowledgment in the product
documentation would be appreciated but is not required.
2. Altered source versions must be plainly marked as such, and must not be misrepresented as being
the original software.
3. This notice may not be removed or altered from any source distribution."""

# Where a crate's file has more than one licence, or another name.
TEXT_FILES = ("LICENSE-{0}", "LICENSE.{0}", "LICENSE_{0}", "LICENSE-{0}.txt", "LICENSE-{0}.md")


LINUX = "x86_64-unknown-linux-gnu"
# What each package has that is made of Rust crates, and for which target.
BUILT = {
    "onramp": [("onramp", LINUX)],
    "onramp-study": [("onramp-study", LINUX), ("onramp-web", "wasm32-unknown-unknown")],
}


def metadata(target):
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.check_output(command, cwd=ROOT))


def linked_crates(built):
    """The crates of others that become part of the program or the page."""
    crates = {crate["id"]: crate for root, target in built for crate in linked_into(root, target)}
    return sorted(crates.values(), key=lambda package: (package["name"], package["version"]))


def linked_into(name, target):
    """The crates of others that become part of this crate: no build scripts, no macros."""
    graph = metadata(target)
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    [root] = [i for i, package in packages.items() if package["name"] == name]
    found, waiting = {root}, [root]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            package = packages[dependency["pkg"]]
            is_macro = any("proc-macro" in target["kind"] for target in package["targets"])
            if is_linked and not is_macro and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return [packages[i] for i in found if packages[i]["source"] is not None]


def page_packages():
    """The packages of npm in the page, as cargo describes crates."""
    lock = json.loads((PAGE / "package-lock.json").read_text())
    packages = [
        {
            "name": place.removeprefix("node_modules/"),
            "version": package["version"],
            "license": package.get("license"),
            "authors": [],
            "manifest_path": str(PAGE / place / "package.json"),
        }
        for place, package in lock["packages"].items()
        if place and not package.get("dev") and not package.get("devOptional")
    ]
    return sorted(packages, key=lambda package: package["name"])


def licence(package):
    """The licence in Debian's words."""
    text = package["license"] or "see-file"
    for spdx, debian in [
        (r"\bAND\b", "and"),
        (r"\bOR\b|/", "or"),
        (r"Apache-2.0 WITH LLVM-exception", "Apache-2.0-with-LLVM-exception"),
        (r"LGPL-2.1-only", "LGPL-2.1"),
        (r"LGPL-3.0-or-later", "LGPL-3+"),
        (r"GPL-2.0-or-later", "GPL-2+"),
        (r"GPL-2.0-only", "GPL-2"),
        (r"[()]", ""),
    ]:
        text = re.sub(spdx, f" {debian} " if debian in ("and", "or") else debian, text)
    # Debian writes `A or B, and C`.
    text = " ".join(text.split())
    return re.sub(r"^(\S+ or \S+) and ", r"\1, and ", text)


def licence_files(package):
    folder = Path(package["manifest_path"]).parent
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and re.match(r"(?i)(licen[sc]e|copying|copyright|unlicense)", path.name)
    )


def holders(package):
    lines = []
    for path in licence_files(package):
        for line in path.read_text(errors="replace").splitlines():
            found = re.match(
                r"\s*Copyright(?: \(c\)| ©|:)? +(\d{4}.*)|\s*Copyright (?:\(c\)|©|by) +(\S.*)",
                line,
                re.IGNORECASE,
            )
            # Apache's appendix and its definitions have such lines too.
            if found and not re.search(r"\[yyyy\]|owner|license|notice|law", line, re.IGNORECASE):
                name = (found[1] or found[2]).strip().rstrip(".")
                if name not in lines:
                    lines.append(name)
    return lines or package["authors"] or [f"The {package['name']} developers"]


def full_text(name, crates):
    """The text of a licence, from a crate that has no other."""
    if name == "MIT":
        return (ROOT / "LICENSES" / "MIT.txt").read_text()
    if name == "Zlib":
        return ZLIB
    if name == "Apache-2.0-with-LLVM-exception":
        return (
            "The Apache License 2.0, see /usr/share/common-licenses/Apache-2.0, with the exception "
            "of LLVM:\nportions of the software that a compiler embeds in an object form of your "
            "sources may be redistributed\nwithout complying with sections 4(a), 4(b) and 4(d) of "
            "the licence."
        )
    short = {"BSL-1.0": "BOOST"}.get(name, name.split("-")[0].upper())
    for package in crates:
        names = [form.format(short) for form in TEXT_FILES] + [short, short.capitalize()]
        for path in licence_files(package):
            is_only = licence(package) == name
            if is_only or (name in licence(package) and path.name in names):
                return path.read_text(errors="replace")
    raise SystemExit(f"scripts/copyright.py: no crate has the text of the licence {name}")


def paragraph(text):
    """The lines of a text as the lines of a field."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return "\n".join(f" {line}" if line else " ." for line in lines)


def main(package):
    crates = linked_crates(BUILT[package])
    pages = page_packages() if package == "onramp-study" else []
    print("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/")
    print("Upstream-Name: onramp")
    print("Comment: Files below rust/ and npm/ and of elfutils and zlib are not in the source of")
    print(" Onramp. The program was linked with them, and the page contains those of npm.")
    licences = set()

    def files(pattern, copyright_lines, text):
        licences.update(re.findall(r"[^\s,]+", re.sub(r"\b(and|or)\b", " ", text)))
        print(f"\nFiles: {pattern}")
        print("Copyright: " + "\n ".join(copyright_lines))
        print(f"License: {text}")

    for pattern, text in OWN:
        files(pattern, ["The Onramp developers"], text)
    for library in LIBRARIES:
        files(f"{library['name']}/*", library["authors"], licence(library))
    for package in crates:
        pattern = f"rust/{package['name']}-{package['version']}/*"
        files(pattern, holders(package), licence(package))
    for package in pages:
        pattern = f"npm/{package['name']}-{package['version']}/*"
        files(pattern, holders(package), licence(package))
    for name in sorted(licences):
        print(f"\nLicense: {name}")
        if name in COMMON:
            place = f"/usr/share/common-licenses/{COMMON[name]}"
            print(f" On Debian systems the text of this licence is in {place}.")
        else:
            print(paragraph(full_text(name, crates + pages)))


if __name__ == "__main__":
    main(sys.argv[1])
