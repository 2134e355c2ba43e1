#!/usr/bin/env python3
"""Boots a Debian 12 with systemd in an emulator, and takes the package through its life there.

    scripts/systemd/run.py --deb target/deb/onramp_VERSION_amd64.deb --cache target/systemd

docs/kernels.md says what is checked, and gets the measured times. Exit codes: 0 all checks
succeeded, 1 some did not, 3 no machine can be made here.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent / "kernels"
sys.path.append(str(KERNELS))

import machine
import packages

PAGE = HERE.parent.parent / "docs" / "kernels.md"
MANIFEST = HERE.parent.parent / "packaging" / "kubernetes" / "onramp.yaml"
SUITE = "bookworm"
INCLUDED = ("systemd-sysv", "udev", "dbus", "kmod", "iproute2", "procps", "nginx-light", "curl",
            "bpftool", "runc")
# origin, suite, package: of the first boot, and after the reboot
FIRST = ("Debian", "bookworm", "linux-image-cloud-amd64")
SECOND = ("Debian", "trixie", "linux-image-cloud-amd64")
MODULES = (*machine.MODULES, "sch_netem", "unix_diag", "autofs4")
DISK_SIZE = "2G"
PAGES = {"small": b"small\n", "100k": bytes(100_000), "slow": bytes(1_000_000)}
# What apt and systemd would do by the clock, between two snapshots.
MASKED = ("apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer",
          "fstrim.timer", "logrotate.timer", "man-db.timer", "systemd-tmpfiles-clean.timer",
          "serial-getty@ttyS0.service", "getty@tty1.service")
# nginx.conf is Debian's. Here idle connections stay, and one file takes twenty seconds.
NGINX = """\
keepalive_timeout 3600;
map $uri $limit { default 0; /slow 50k; }
limit_rate $limit;
"""
SERVICE = """\
[Unit]
Description=Checks of Onramp
After=multi-user.target
[Service]
ExecStart=/test/guest.sh
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
[Install]
WantedBy=multi-user.target
"""
# The checks in their order, and what each does.
CHECKS = {
    "kernel:first": None,
    "systemd": None,
    "install": "`apt-get install`: nothing is enabled, nothing runs, nothing is in the kernel",
    "doctor": None,
    "enable": "`systemctl enable --now onramp` until the service is ready, without a restart",
    "as-shipped": None,
    "canary": "40 downloads from nginx with `percent = 50`: both groups are counted",
    "reload": "`systemctl reload` with another percentage",
    "wrong-configuration": "a wrong configuration: the reload fails, is counted, and the running "
                           "one stays in force",
    "killed": "`kill -9` until the service runs again; connections in between have the start-up",
    "watchdog": "SIGSTOP until the watchdog has started another process",
    "upgrade": "`apt-get install` of a newer package during 20 downloads; the process goes on "
               "with the new program",
    "off": "`onramp off` with 50 idle connections on the start-up",
    "off:frozen": "the same, with the cgroup of the service frozen",
    "off:killed": "the same, and the service was killed",
    "container": "`onramp serve` in a container (runc) with the capabilities and mounts of the "
                 "DaemonSet",
    "stop": "`systemctl stop`: nothing is left once the connections have ended",
    "remove": "`apt-get remove` with 50 idle connections on the start-up",
    "purge": "`apt-get purge`",
    "as-before": "the host beside a snapshot from before the installation: sysctls, routes, BPF "
                 "objects, pins, cgroups, units, sockets, modules, processes, files",
    "again": None,
    "log:first": None,
    "end:first": None,
    "kernel:second": None,
    "boot": "reboot with the newer kernel: the service is ready before nginx starts",
    "purge:live": "`apt-get purge` of the running service with 50 idle connections",
    "files-as-before": "files, units and pins beside the snapshot",
    "log:second": None,
    "end:second": None,
}


def base(cache):
    """The archive of a Debian with the packages of the guest; made once."""
    digest = hashlib.sha256(" ".join(INCLUDED).encode()).hexdigest()[:8]
    file = cache / f"base-{digest}.tar"
    if not file.exists():
        unfinished = cache / "unfinished.tar"
        command = [machine.program("mmdebstrap"), "--quiet", "--variant=apt",
                   f"--include={','.join(INCLUDED)}", SUITE, unfinished,
                   packages.archive("Debian")]
        packages.run(command)
        unfinished.rename(file)
    return file


def newer(deb, folder):
    """The same package with a higher version."""
    root = folder / "newer"
    shutil.rmtree(root, ignore_errors=True)
    packages.run(["dpkg-deb", "--raw-extract", deb, root])
    control = root / "DEBIAN/control"
    text = re.sub(r"^(Version: .*)$", r"\1+newer", control.read_text(), flags=re.MULTILINE)
    control.write_text(text)
    file = folder / "newer.deb"
    packages.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", root, file])
    return file


def container():
    """A container as the DaemonSet describes it, in the words of the Open Container Initiative."""
    manifest = MANIFEST.read_text()
    capabilities = re.search(r'add: \[("[A-Z_", ]+")\]', manifest).group(1)
    capabilities = ["CAP_" + name.strip('" ') for name in capabilities.split(",")]
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid"]},
        {"destination": "/sys", "type": "none", "source": "/sys", "options": ["rbind", "ro"]},
        {"destination": "/run/onramp", "type": "tmpfs", "source": "tmpfs"},
    ]
    paths = re.findall(r"mountPath: (/sys\S+)(\s+readOnly: true)?", manifest)
    paths += [(path, " ") for path in ("/usr", "/lib", "/lib64", "/etc/onramp")]
    for path, read_only in paths:
        options = ["bind", "ro" if read_only else "rw"]
        mounts.append({"destination": path, "type": "none", "source": path, "options": options})
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": ["/usr/bin/onramp", "serve"],
            "env": ["PATH=/usr/bin"],
            "cwd": "/",
            "capabilities": {kind: capabilities for kind in ("bounding", "effective", "permitted")},
            "noNewPrivileges": "allowPrivilegeEscalation: false" in manifest,
        },
        "root": {"path": "rootfs", "readonly": True},
        "mounts": mounts,
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts",
                                                             "cgroup")]},
    }


def root_folder(cache, deb, kernels, folder):
    """The files of the guest's disk."""
    root = machine.empty(folder / "disk-root")
    packages.run(["tar", "-xf", base(cache), "-C", root])
    for kernel in kernels:
        machine.copy_modules(kernel, root, MODULES)
    for release in (root / "lib/modules").iterdir():
        packages.run(["chroot", root, "/sbin/depmod", release.name])
    for name, content in PAGES.items():
        (root / "var/www/html" / name).write_bytes(content)
    (root / "etc/nginx/conf.d/guest.conf").write_text(NGINX)
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
    (root / "etc/hostname").write_text("guest\n")
    tests = root / "test"
    for file in (*HERE.glob("*.sh"), KERNELS / "report.sh"):
        machine.copy(file, tests / file.name)
    shutil.copyfile(deb, tests / "onramp.deb")
    shutil.copyfile(newer(deb, folder), tests / "newer.deb")
    for path in ("proc", "dev", "sys", "run/onramp", "usr", "lib", "lib64", "etc/onramp"):
        (tests / "container/rootfs" / path).mkdir(parents=True)
    (tests / "container/config.json").write_text(json.dumps(container(), indent=1))
    units = root / "etc/systemd/system"
    (units / "onramp-checks.service").write_text(SERVICE)
    wants = units / "multi-user.target.wants"
    (wants / "onramp-checks.service").symlink_to("../onramp-checks.service")
    for unit in MASKED:
        (units / unit).unlink(missing_ok=True)
        (units / unit).symlink_to("/dev/null")
    return root


def boot_twice(arguments):
    """What the checks reported, in two boots of one disk."""
    kernels = [packages.unpack_kernel(*which, arguments.cache)[0] for which in (FIRST, SECOND)]
    work = arguments.cache / "run"
    work.mkdir(parents=True, exist_ok=True)
    root = root_folder(arguments.cache, arguments.deb, kernels, work)
    drive = machine.disk(root, work / "disk", DISK_SIZE)
    lines = []
    for name, kernel in zip(("first", "second"), kernels, strict=True):
        folder = work / name
        folder.mkdir(exist_ok=True)
        print(f"systemd: booting {kernel.name}", flush=True)
        image = machine.disk_initramfs(kernel, folder)
        found = machine.boot(kernel, image, folder, machine.COUNTED, drive)
        lines += found
        if not any(line.startswith(f"end:{name}\t") for line in found):
            break
    return {line.split("\t")[0]: line.strip().split("\t")[1:] for line in lines if "\t" in line}


def failures(reports):
    """Each check that did not succeed, as a sentence."""
    return [f"{check}: {': '.join(reports.get(check, ['did not report']))}" for check in CHECKS
            if reports.get(check, [""])[0] != "ok"]


def table(reports):
    """The measured times, as a table of the page."""
    def detail(check):
        return " ".join(reports[check][1:])
    lines = [
        f"{date.today()}, {detail('systemd')}, Linux {detail('kernel:first')}.",
        f"After the reboot: Linux {detail('kernel:second')}.",
        "",
        "| what | found |",
        "|---|---|",
    ]
    lines += [f"| {what} | {detail(check) or 'yes'} |" for check, what in CHECKS.items() if what]
    return "\n".join(lines)


def record(text):
    """Puts the table into the page, between its marks."""
    begin, end = "<!-- systemd -->", "<!-- end of systemd -->"
    page = PAGE.read_text()
    pattern = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", page))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deb", type=Path, required=True, help="the package onramp")
    parser.add_argument("--cache", type=Path, required=True, help="folder for images and logs")
    arguments = parser.parse_args()
    arguments.cache = arguments.cache.resolve()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:
        print("systemd: a disk with files of root can be made by root only")
        return 3
    start = time.monotonic()
    try:
        reports = boot_twice(arguments)
    except (packages.Unavailable, machine.Unusable) as reason:
        print(f"systemd: no machine can be made here: {reason}")
        return 3
    failed = failures(reports)
    for check in CHECKS:
        print(f"  {check:<20} {' '.join(reports.get(check, ['-']))}"[:160])
    for failure in failed:
        print(f"  FAILED: {failure}")
    print(f"systemd: {len(CHECKS) - len(failed)} of {len(CHECKS)} checks succeeded, "
          f"{time.monotonic() - start:.0f} s")
    if not failed:
        record(table(reports))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
