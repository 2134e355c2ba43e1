#!/usr/bin/env python3
"""A canary on this machine: nginx and curl over an emulated path.

Half of the downloads get onramp.

Part 1: downloads of 1 MB, one after the other. The metrics of `onramp serve` are compared with the
times that curl measured. Part 2: the policy gets `suss`, and after 100 downloads the path has only
a short queue. The start-up then retransmits more than its control group, and is switched off.

Exit codes: 0 as expected, 1 not, 3 this host lacks something.
"""

import argparse
import contextlib
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import nginx
from controls import Controls, Failed, Missing, require

PORT = 8080
SIZE_BYTES = 1_000_000
# Downloads over the path with the short queue, if nothing is switched off
MOST_DOWNLOADS = 1000
TOLERANCE = 0.05
# A path with a usual queue, or with a short one: then slow start meets losses.
PATH = """
name = "canary"
[path]
rate = "100 Mbit/s"
rtt = "50 ms"
queue = "{queue}"
[[transfer]]
size = "1 MB"
"""
USUAL_QUEUE = "1 bdp"
SHORT_QUEUE = "20 packets"
CONFIG = """
[service]
metrics = "127.0.0.1:{port}"
interval = "1 s"
min_connections = 100

[[policy]]
name = "canary"
destination = "198.18.0.0/15"
startup = "{startup}"
avoidance = "cubic"
percent = 50
"""
# One curl for each download, so that each has a connection of its own. The path must carry the last
# acknowledgements too.
CLIENT = (
    "i=0; while [ $i -lt {downloads} ]; do i=$((i+1)); "
    "curl -s -o /dev/null -w '%{{time_total}} %{{time_connect}} %{{size_download}}\\n' "
    "http://server:{port}/file; done; sleep 1"
)


def read_metrics(port):
    """The samples of the service: a dictionary from name and labels to value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    samples = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([a-z0-9_]+)(?:\{(.*)\})? (\S+)", line)
        if match:
            labels = tuple(sorted(re.findall(r'([a-z_]+)="([^"]*)"', match[2] or "")))
            samples[match[1], labels] = float(match[3])
    return samples


def of_group(samples, name, group):
    """The value of a metric of one group."""
    return samples.get((name, (("group", group), ("policy", "canary"))), 0.0)


@contextlib.contextmanager
def service(onramp, folder, port):
    """`onramp serve` with the canary and a BPF file system of its own, ended at the end."""
    bpffs = folder / "bpf"
    bpffs.mkdir()
    subprocess.run(["mount", "-t", "bpf", "bpf", bpffs], check=True)
    config = folder / "config.toml"
    config.write_text(CONFIG.format(port=port, startup="onramp"))
    command = [onramp, "serve", "--config", config, "--pins", bpffs / "onramp"]
    log = open(folder / "serve.log", "w+", encoding="utf-8")
    process = subprocess.Popen(
        [*command, "--socket", folder / "onramp.sock"], stdout=log, stderr=subprocess.STDOUT
    )
    try:
        deadline = time.monotonic() + 60
        # The metrics answer before the policies are in force.
        while "in force: canary" not in read(log):
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"`onramp serve` did not start:\n{read(log)}")
            time.sleep(0.1)
        yield process, log
    finally:
        process.terminate()
        process.wait()
        log.close()
        subprocess.run(["umount", bpffs], check=True)


def read(log):
    """All of a log so far."""
    log.seek(0)
    return log.read()


def download(onramp, folder, server, queue, downloads):
    """Downloads over a path. Returns the time of each, from the established connection on."""
    path = folder / "path.toml"
    path.write_text(PATH.format(queue=queue))
    client = CLIENT.format(downloads=downloads, port=PORT)
    shell = [onramp, "lab", "shell", path, "--avoidance", "cubic", "--server", server]
    done = subprocess.run([*shell, "--", "sh", "-c", client], capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    whole = [row for row in rows if len(row) == 3 and int(row[2]) == SIZE_BYTES]
    if done.returncode or len(whole) != downloads:
        raise Failed(f"{len(whole)} of {downloads} downloads were whole:\n{done.stderr}")
    return [float(total) - float(connect) for total, connect, _ in whole]


def compare(times_s, samples):
    """Prints what client and service measured. Returns whether they agree."""
    name = "onramp_time_to_1m_seconds"
    sums = {group: of_group(samples, f"{name}_sum", group) for group in ("startup", "control")}
    counts = {group: of_group(samples, f"{name}_count", group) for group in sums}
    for group in sums:
        mean_s = sums[group] / counts[group] if counts[group] else float("nan")
        print(f"{group:8} {counts[group]:5.0f} downloads, mean time to 1 MB {mean_s:.3f} s")
    service_s = sum(sums.values()) / max(1, sum(counts.values()))
    client_s = statistics.mean(times_s)
    print(f"both     {sum(counts.values()):5.0f} downloads, mean by metrics {service_s:.3f} s,")
    print(f"         {len(times_s):5} downloads, mean by curl    {client_s:.3f} s", end="")
    print(f", {100 * (service_s / client_s - 1):+.1f} %")
    if sum(counts.values()) != len(times_s):
        # Which connections were missed: those that began, ended, or were measured too early?
        for name in ("connections_total", "live_connections", "measured_connections_total"):
            both = [of_group(samples, f"onramp_{name}", group) for group in sums]
            print(f"onramp_{name}: {both[0]:.0f} with the start-up, {both[1]:.0f} without")
    return (
        sum(counts.values()) == len(times_s)
        and abs(service_s / client_s - 1) <= TOLERANCE
        and sums["startup"] / counts["startup"] < sums["control"] / counts["control"]
    )


def await_switch_off(onramp, folder, server, port):
    """Download over the path with the short queue until the canary is switched off."""
    for done in range(50, MOST_DOWNLOADS + 1, 50):
        download(onramp, folder, server, SHORT_QUEUE, 50)
        time.sleep(2)  # until the counts were read again
        samples = read_metrics(port)
        state = ("onramp_policy_state", (("policy", "canary"), ("state", "switched-off")))
        if samples.get(state) == 1:
            return done
    return None


def run(arguments, folder):
    """Both parts. Returns whether all is as expected."""
    server = nginx.configure(folder, f"listen {PORT};", "keepalive_timeout 0;")
    (folder / "files" / "file").write_bytes(bytes(SIZE_BYTES))
    onramp = arguments.onramp.resolve()
    serves = service(onramp, folder, arguments.port)
    # The default of the namespaces is CUBIC, also where the host's is another one.
    with Controls(["cubic"], onramp), serves as (process, log):
        times_s = download(onramp, folder, server, USUAL_QUEUE, arguments.downloads)
        time.sleep(3)  # until the counts were read again
        agree = compare(times_s, read_metrics(arguments.port))
        changed = CONFIG.format(port=arguments.port, startup="suss")
        (folder / "config.toml").write_text(changed)
        process.send_signal(signal.SIGHUP)
        download(onramp, folder, server, USUAL_QUEUE, 100)
        after = await_switch_off(onramp, folder, server, arguments.port)
        print(
            "suss, short queue:", f"switched off after {after} downloads" if after else "still on"
        )
        print(read(log))
    return agree and after is not None


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onramp", type=pathlib.Path, required=True, help="the command line")
    parser.add_argument("--downloads", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--port", type=int, default=9469, help="of the metrics (default 9469)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            require({"nginx": "nginx-light", "curl": "curl"})
            return 0 if run(arguments, pathlib.Path(folder)) else 1
        except Missing as error:
            print(error)
            return 3
        except Failed as error:
            print(f"error: {error}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
