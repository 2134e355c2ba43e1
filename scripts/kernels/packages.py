"""Kernels from the archives of Debian and Ubuntu, unpacked into a cache folder.

apt runs with its own lists and sources in that folder: the host's packages stay as they are. The
address of an archive comes from the host's own apt, or from ONRAMP_DEBIAN_ARCHIVE and
ONRAMP_UBUNTU_ARCHIVE.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

KEYRINGS = Path("usr/share/keyrings")
KEYRING_FILES = {"Debian": "debian-archive-keyring.gpg", "Ubuntu": "ubuntu-archive-keyring.gpg"}
# A meta package depends on the image, and an image may be divided into several packages.
PARTS = re.compile(r"linux-(image|binary|modules)-\d")


class Unavailable(Exception):
    """A package cannot be had; the message says why."""


def run(command, **options):
    """The standard output of a command."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise Unavailable(f"{' '.join(map(str, command[:1]))}: {last}")
    return done.stdout


def host_archive(origin):
    """The archive from which this host installs, or None if it is none of this origin."""
    fields = ["--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"]
    for line in run(["apt-get", "indextargets", *fields]).splitlines():
        found, _, address = line.partition(" ")
        if found == origin and "security" not in urlsplit(address).path:
            return address
    return None


def archive(origin):
    """The address of an origin's archive."""
    variable = f"ONRAMP_{origin.upper()}_ARCHIVE"
    address = os.environ.get(variable) or host_archive(origin)
    if not address:
        raise Unavailable(f"apt of this host knows no archive of {origin}: set {variable}")
    return address


class Apt:
    """apt with lists of its own, for one suite of an archive."""

    def __init__(self, origin, suite, cache):
        self.folder = cache / f"apt-{suite}"
        self.origin, self.suite, self.cache = origin, suite, cache

    def options(self):
        settings = {
            "Dir::Etc::SourceList": self.folder / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State::Lists": self.folder / "lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": self.folder / "cache",
            "APT::Sandbox::User": "root",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            "Acquire::Languages": "none",
        }
        return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def call(self, *words, **options):
        return run([words[0], *self.options(), *words[1:]], **options)

    def update(self):
        """Fetches the suite's list; an older one from the cache suffices without a network."""
        for folder in ("lists/partial", "cache/archives/partial"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        line = f"deb [arch=amd64 signed-by={keyring(self.origin, self.cache)}]"
        line += f" {archive(self.origin)} {self.suite} main\n"
        (self.folder / "sources.list").write_text(line)
        self.call("apt-get", "update", "--error-on=any")

    def download(self, package, into):
        """Unpacks a package."""
        into.mkdir(parents=True, exist_ok=True)
        self.call("apt-get", "download", package, cwd=into)
        (file,) = into.glob(f"{package}_*.deb")
        run(["dpkg-deb", "-x", file, into])
        file.unlink()

    def parts(self, package):
        """The packages that make a kernel, from the one that depends on them."""
        found = [package] if PARTS.match(package) else []
        for line in self.call("apt-cache", "depends", package).splitlines():
            name = line.strip().removeprefix("Depends: ")
            if line.startswith("  Depends: ") and PARTS.match(name):
                found += self.parts(name)
        return found

    def version(self, package):
        policy = self.call("apt-cache", "policy", package)
        return re.search(r"Candidate: (\S+)", policy).group(1)


def keyring(origin, cache):
    """The keys of an origin: the host's, or, for Ubuntu's, those of a package of Debian."""
    for root in (Path("/"), cache / "keyrings"):
        file = root / KEYRINGS / KEYRING_FILES[origin]
        if file.exists():
            return file
    if origin == "Debian":
        raise Unavailable("the keys of Debian are missing: install debian-archive-keyring")
    debian = Apt("Debian", "trixie", cache)
    debian.update()
    debian.download("ubuntu-keyring", cache / "keyrings")
    return cache / "keyrings" / KEYRINGS / KEYRING_FILES[origin]


def unpack_kernel(origin, suite, package, cache):
    """The folder of an unpacked kernel, and the version of its package."""
    if not shutil.which("apt-get"):
        raise Unavailable("apt-get is not installed")
    apt = Apt(origin, suite, cache)
    apt.update()
    parts = apt.parts(package)
    if not parts:
        raise Unavailable(f"{suite} has no {package}")
    folder = cache / parts[0]
    version = f"{parts[0]} {apt.version(parts[0])}"
    complete = folder / "complete"
    if not complete.exists() or complete.read_text() != version:
        shutil.rmtree(folder, ignore_errors=True)
        for part in parts:
            apt.download(part, folder)
        complete.write_text(version)
    return folder, version
