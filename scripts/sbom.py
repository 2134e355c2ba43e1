#!/usr/bin/env python3
"""Write the software bill of materials (SBOM) of a package, in the format CycloneDX 1.6 (JSON).

    scripts/sbom.py onramp|onramp-study FILE

It names what scripts/copyright.py names: each Rust crate that is linked, the libraries in C that
are linked statically, and the packages of npm in the playground. A result that does not follow
CycloneDX's schema is an error.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent))

import copyright as contents

LICENCES = LicenseFactory()


def component(kind, package, checksum=None):
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else []
    licences = [LICENCES.make_from_string(package["license"])] if package["license"] else []
    return Component(
        type=ComponentType.LIBRARY,
        name=package["name"],
        version=package["version"],
        licenses=licences,
        hashes=hashes,
        purl=PackageURL(kind, None, package["name"], package["version"]),
        bom_ref=f"{kind}:{package['name']}@{package['version']}",
    )


def library(package):
    printed = subprocess.check_output(package["version_of"], text=True)
    version = re.search(r"\d[\d.]*", printed).group()
    return component("generic", package | {"version": version})


def checksums():
    lock = tomllib.loads((contents.ROOT / "Cargo.lock").read_text())
    return {(row["name"], row["version"]): row.get("checksum") for row in lock["package"]}


def bill(name):
    workspace = tomllib.loads((contents.ROOT / "Cargo.toml").read_text())["workspace"]
    version = workspace["package"]["version"]
    bom = Bom()
    root = Component(
        type=ComponentType.APPLICATION,
        name=name,
        version=version,
        licenses=[LICENCES.make_from_string("(MIT OR Apache-2.0) AND GPL-2.0-only")],
        bom_ref=f"{name}@{version}",
    )
    bom.metadata.component = root
    known = checksums()
    parts = [
        component("cargo", crate, known.get((crate["name"], crate["version"])))
        for crate in contents.linked_crates(contents.BUILT[name])
    ]
    parts += [library(row) for row in contents.LIBRARIES]
    if name == "onramp-study":
        parts += [component("npm", package) for package in contents.page_packages()]
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(root, parts)
    return bom


def main(name, file):
    bom = bill(name)
    # The same source gives the same file.
    bom.serial_number = None
    bom.metadata.timestamp = None
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        raise SystemExit(f"scripts/sbom.py: {file}: {wrong}")
    Path(file).write_text(text + "\n")
    print(f"{file}: {len(bom.components)} components")


if __name__ == "__main__":
    os.chdir(contents.ROOT)
    main(*sys.argv[1:])
