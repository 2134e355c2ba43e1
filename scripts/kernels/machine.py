"""A machine in an emulator: its first file system, its disk, and how it runs."""

import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

MODULES = ("tun", "veth", "tcp_bbr", "sch_fq", "sch_netem", "inet_diag", "tcp_diag")
# A disk and its bus; ext4 is part of the kernels of distributions.
DISK_MODULES = ("virtio", "virtio_ring", "virtio_pci", "virtio_pci_modern_dev",
                "virtio_pci_legacy_dev", "virtio_blk")
TOOLS = ("ip", "tc", "ss")
# The slowest kernel takes twenty seconds for each of 57 combinations on a quiet host.
LIMIT_S = 60 * 60
# Without cmpxchg16b: after this instruction qemu 7.2 has bits of RAX in the flags, and Linux 6.12,
# whose allocator uses it, stops with a double fault (without Onramp too).
CPU = ("-cpu", "Nehalem,-cx16", "-m", "1024")
MACHINE = ("-accel", "tcg,thread=multi", "-smp", "2", *CPU)
# The guest's clock counts instructions, one a nanosecond, while its processor has work: times that
# are measured in the guest do not depend on other work of the host.
CLOCK = ("-rtc", "clock=vm", "-smp", "1", *CPU)
COUNTED = ("-accel", "tcg", "-icount", "shift=0,sleep=on", *CLOCK)
# The same, but the clock jumps to the next timer where the guest waits: a wait costs no time.
JUMPING = ("-accel", "tcg", "-icount", "shift=0,sleep=off", *CLOCK)
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


def copy_programs(programs, root):
    """Copies busybox, iproute2 and these programs, a dictionary by their places."""
    programs = programs | {"bin/busybox": program("busybox")}
    programs |= {f"usr/bin/{tool}": program(tool) for tool in TOOLS}
    for name, file in programs.items():
        copy(file.resolve(), root / name)
        for library in libraries(file):
            copy(library, root / library.relative_to("/"))


def copy_modules(kernel, root, names):
    """Copies these modules, uncompressed. A missing one may be part of the kernel."""
    for file in kernel.glob("**/kernel/**/*.ko*"):
        if file.name.split(".")[0] not in names:
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


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def pack(root, image):
    """Makes the first file system of a kernel from a folder."""
    with image.open("wb") as file:
        names = subprocess.run(["find", "."], cwd=root, capture_output=True, check=True).stdout
        cpio = [program("busybox"), "cpio", "-o", "-H", "newc"]
        subprocess.run(cpio, input=names, stdout=file, cwd=root, check=True,
                       stderr=subprocess.DEVNULL)
    return image


def ours(onramp):
    """Onramp's programs, by their places in a guest."""
    return {f"usr/bin/{name}": onramp.with_name(name) for name in ("onramp", "onramp-study")}


def initramfs(kernel, programs, folder, files, texts=None):
    """A guest's file system: these programs, iproute2, busybox, modules, and these files.

    `programs` and `files` are copied by their names there, and `texts` are written.
    """
    root = empty(folder / "root")
    copy_programs(programs, root)
    subprocess.run([program("strip"), *(root / name for name in programs)], check=True)
    copy_modules(kernel, root, MODULES)
    files = {"report.sh": HERE / "report.sh", "set-up.sh": HERE / "set-up.sh"} | files
    for name, file in files.items():
        copy(file, root / name)
    for name, text in (texts or {}).items():
        (root / name).write_text(text)
    return pack(root, folder / "initramfs")


def disk_initramfs(kernel, folder):
    """A first file system that mounts the disk and goes on there."""
    root = empty(folder / "first")
    copy(program("busybox"), root / "bin/busybox")
    copy_modules(kernel, root, DISK_MODULES)
    copy(HERE / "disk.sh", root / "init")
    return pack(root, folder / "initramfs")


def disk(root, image, size):
    """Makes a disk with the files of a folder."""
    image.unlink(missing_ok=True)
    subprocess.run([program("mke2fs"), "-q", "-t", "ext4", "-d", root, image, size], check=True)
    return image


def boot(kernel, image, folder, machine=MACHINE, drive=None):
    """Runs the guest to its end, and returns the lines of its second serial port."""
    (vmlinuz,) = kernel.glob("**/vmlinuz*")
    results = folder / "results"
    command = [
        program("qemu-system-x86_64"),
        *machine,
        *("-display", "none", "-nic", "none", "-no-reboot"),
        *("-kernel", vmlinuz, "-initrd", image),
        *("-append", "console=ttyS0 loglevel=5 panic=-1 mitigations=off"),
        *("-serial", f"file:{folder / 'console'}", "-serial", f"file:{results}"),
    ]
    if drive:
        command += ["-drive", f"file={drive},format=raw,if=virtio,cache=unsafe"]
    results.write_text("")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as guest:
        try:
            guest.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            print(f"kernels: stopped after {LIMIT_S // 60} minutes", flush=True)
        finally:
            guest.kill()
    return results.read_text(errors="replace").splitlines()
