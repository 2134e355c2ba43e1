"""A machine in an emulator: its first file system, and how it runs."""

import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

MODULES = ("tun", "veth", "tcp_bbr", "sch_fq", "inet_diag", "tcp_diag")
TOOLS = ("ip", "tc", "ss")
# The slowest kernel takes twenty seconds for each of 57 combinations on a quiet host.
LIMIT_S = 60 * 60
# Without cmpxchg16b: after this instruction qemu 7.2 has bits of RAX in the flags, and Linux 6.12,
# whose allocator uses it, stops with a double fault (without Onramp too).
MACHINE = ("-accel", "tcg,thread=multi", "-cpu", "Nehalem,-cx16", "-smp", "2", "-m", "1024")
HERE = Path(__file__).parent


class Unusable(Exception):
    """The host lacks a program; the message names it."""


def program(name):
    """The path of a program of this host."""
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not path:
        raise Unusable(f"{name} is not installed")
    return Path(path)


def libraries(file):
    """The shared libraries and the loader of a program."""
    listed = subprocess.run(["ldd", file], capture_output=True, text=True, check=False).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]


def copy(file, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, to)
    to.chmod(0o755)


def copy_modules(kernel, root):
    """Copies the modules of the guest, uncompressed. A missing one may be part of the kernel."""
    for file in kernel.glob("**/kernel/**/*.ko*"):
        if file.name.split(".")[0] not in MODULES:
            continue
        release = file.parts[file.parts.index("modules") + 1]
        to = root / "lib/modules" / release / "kernel" / file.name.split(".")[0]
        to = to.with_suffix(".ko")
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".xz":
            to.write_bytes(lzma.decompress(file.read_bytes()))
        elif file.suffix == ".zst":
            subprocess.run([program("zstd"), "-dqf", file, "-o", to], check=True)
        else:
            shutil.copyfile(file, to)


def initramfs(kernel, onramp, startups, folder):
    """The guest's file system: Onramp's programs, iproute2, busybox, modules and the checks."""
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    ours = {f"usr/bin/{name}": onramp.with_name(name) for name in ("onramp", "onramp-study")}
    programs = ours | {"bin/busybox": program("busybox")}
    programs |= {f"usr/bin/{tool}": program(tool) for tool in TOOLS}
    for name, file in programs.items():
        copy(file.resolve(), root / name)
        for library in libraries(file):
            copy(library, root / library.relative_to("/"))
    subprocess.run([program("strip"), *(root / name for name in ours)], check=True)
    copy_modules(kernel, root)
    copy(HERE / "guest.sh", root / "init")
    copy(HERE / "lab.toml", root / "lab.toml")
    (root / "startups").write_text(startups)
    image = folder / "initramfs"
    with image.open("wb") as file:
        names = subprocess.run(["find", "."], cwd=root, capture_output=True, check=True).stdout
        cpio = [program("busybox"), "cpio", "-o", "-H", "newc"]
        subprocess.run(cpio, input=names, stdout=file, cwd=root, check=True,
                       stderr=subprocess.DEVNULL)
    return image


def boot(kernel, image, folder):
    """Runs the guest to its end, and returns the lines of its second serial port."""
    (vmlinuz,) = kernel.glob("**/vmlinuz*")
    results = folder / "results"
    command = [
        program("qemu-system-x86_64"),
        *MACHINE,
        *("-display", "none", "-nic", "none", "-no-reboot"),
        *("-kernel", vmlinuz, "-initrd", image),
        *("-append", "console=ttyS0 loglevel=5 panic=-1 mitigations=off"),
        *("-serial", f"file:{folder / 'console'}", "-serial", f"file:{results}"),
    ]
    results.write_text("")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as machine:
        try:
            machine.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            print(f"kernels: stopped after {LIMIT_S // 60} minutes", flush=True)
        finally:
            machine.kill()
    return results.read_text(errors="replace").splitlines()
