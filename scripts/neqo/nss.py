"""NSS, the cryptography of neqo, and its bindings nss-rs."""

import os
import pathlib
import re
import subprocess
import sys

import edits
from foreign import Failed, Missing, call, require


def require_build_tools():
    """Check for what the build needs."""
    require({"pkg-config": "pkg-config", "ninja": "ninja-build", "c++": "g++"})
    for package, debian in {"nspr": "libnspr4-dev", "sqlite3": "libsqlite3-dev"}.items():
        if subprocess.run(["pkg-config", "--exists", package], check=False).returncode:
            raise Missing(f"the headers of {package} are missing: apt-get install {debian}")


class Nss:
    """NSS, built in a folder."""

    def __init__(self, folder):
        self.source = folder / "nss" / "nss"
        self.release = folder / "nss" / "dist" / "Release"
        self.gyp = folder / "gyp"

    def version(self):
        """NSS's version as nss-rs has it."""
        header = (self.source / "lib" / "nss" / "nss.h").read_text()
        parts = [re.search(rf"#define NSS_V{part} (\d+)", header) for part in ("MAJOR", "MINOR")]
        if not all(parts):
            raise edits.Changed("lib/nss/nss.h of NSS has no version")
        return ".".join(part[1] for part in parts)

    def build(self, source, log, jobs):
        """Build NSS with the host's NSPR and SQLite, once. Its gyp is that of PyPI."""
        headers = self.release / "include" / "nspr"
        if headers.exists():
            return
        edits.copy(source, self.source)
        if not (self.gyp / "bin" / "gyp").is_file():
            call([sys.executable, "-m", "venv", self.gyp], log)
            call([self.gyp / "bin" / "pip", "install", "--quiet", "gyp-next"], log)
        path = f"{self.gyp / 'bin'}{os.pathsep}{os.environ['PATH']}"
        call(["./build.sh", "--opt", "--system-nspr", "--system-sqlite", "-Ddisable_tests=1",
              "-Ddisable_dbm=1", "-Ddisable_libpkix=1", "-Ddisable_ckbi=1", "-Ddisable_fips=1",
              "-j", str(jobs)], log, self.source, {**os.environ, "PATH": path})
        if not (self.release / "lib" / "libssl3.so").is_file():
            raise Failed(f"NSS's build has made no libssl3.so in {self.release / 'lib'}")
        # nss-rs looks for NSPR's headers beside the libraries.
        of_nspr = subprocess.run(["pkg-config", "--variable=includedir", "nspr"], text=True,
                                 capture_output=True, check=True).stdout.strip()
        headers.parent.mkdir(exist_ok=True)
        headers.symlink_to(of_nspr)

    def environment(self):
        """The environment of a build, and of a program, that uses this NSS."""
        return {**os.environ, "NSS_DIR": str(self.source), "NSS_PREBUILT": "1",
                "LD_LIBRARY_PATH": str(self.release / "lib")}


def edits_of_nss_rs(source, crypto):
    """The edits of nss-rs for an NSS that is older than nss-rs asks for: the version, and the names
    of key agreements that NSS lacks, which neqo does not use."""
    source = pathlib.Path(source)
    manifest = (source / "Cargo.toml").read_text()
    wanted = re.search(r'^min-version = "(\d+)\.(\d+).*"$', manifest, re.MULTILINE)
    if not wanted:
        raise edits.Changed("Cargo.toml of nss-rs has no min-version of NSS")
    changes = []
    if tuple(map(int, crypto.version().split("."))) < (int(wanted[1]), int(wanted[2])):
        changes.append(edits.Edit("Cargo.toml", wanted[0], f'min-version = "{crypto.version()}"',
                                  "instead"))
    known = (crypto.source / "lib" / "ssl" / "sslt.h").read_text()
    constants = (source / "src" / "constants.rs").read_text()
    for line, name in re.findall(r"( *TLS_GRP_KEM_\w+ = (ssl_grp_kem_\w+),\n)", constants):
        if not re.search(rf"\b{name}\b", known):
            changes.append(edits.Edit("src/constants.rs", line, "", "instead"))
    return changes
