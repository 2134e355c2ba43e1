#!/usr/bin/env python3
"""Two requests over HTTPS on one connection: nginx and curl over an emulated path.

nginx has Debian's `sendfile on; tcp_nopush on`, and a certificate of RSA with 2048 bits. curl has
Linux's default receive buffer. The second request begins five seconds after the first. Prints a
table in Markdown: medians of the seconds that curl measured, the first with its handshakes.

Exit codes: 0 measured, 1 a download failed, 3 this host lacks something.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

import nginx
from controls import Controls, Failed, Missing, require

PORT = 8443
PATHS = [(50, 100), (100, 300)]  # Mbit/s, ms
SIZES = {"100-kB": 100_000, "1-MB": 1_000_000, "5-MB": 5_000_000}
SCENARIO = """
name = "https"
[path]
rate = "{rate} Mbit/s"
rtt = "{rtt} ms"
queue = "1 bdp"
[receiver]
buffer = "6 MiB"
[[transfer]]
size = "1 B"
startup = "none"
initial_window = "{window} segments"
"""
# Name, options of `onramp lab shell`, initial window, version of HTTP
SENDERS = [
    ("CUBIC", ["--avoidance", "cubic"], 10, "2"),
    ("CUBIC, `initcwnd 32`", ["--avoidance", "cubic"], 32, "2"),
    ("CUBIC, `initcwnd 100`", ["--avoidance", "cubic"], 100, "2"),
    ("BBR", ["--avoidance", "bbr"], 10, "2"),
    ("`onramp`, then CUBIC", ["--startup", "onramp", "--avoidance", "cubic"], 10, "2"),
    ("the same over HTTP/1.1", ["--startup", "onramp", "--avoidance", "cubic"], 10, "1.1"),
]


def certificate(folder):
    """Make a certificate and its key."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=server", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(command, check=True, capture_output=True)


def two_requests(onramp, folder, server, options, http, name):
    """The seconds of the first and of the second request for a file."""
    shell = [onramp, "lab", "shell", folder / "path.toml", *options, "--server", server, "--"]
    url = f"https://server:{PORT}/{name}"
    curl = ["curl", "-sk", f"--http{http}", "--rate", "12/m"]
    curl += ["-w", "%{time_total} %{num_connects} %{size_download}\\n"]
    curl += ["-o", "/dev/null", url, "-o", "/dev/null", url]
    done = subprocess.run(shell + curl, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    expected = [["1", str(SIZES[name])], ["0", str(SIZES[name])]]
    if done.returncode or [row[1:] for row in rows] != expected:
        raise Failed(
            f"{name}: two whole downloads on one connection expected, found {rows}:\n{done.stderr}"
        )
    return [float(row[0]) for row in rows]


def run(arguments, folder):
    """All cells, each so many times."""
    ssl = f"listen {PORT} ssl http2; ssl_certificate cert.pem; ssl_certificate_key key.pem;"
    server = nginx.configure(folder, ssl, "sendfile on; tcp_nopush on;")
    certificate(folder)
    for name, size in SIZES.items():
        (folder / "files" / name).write_bytes(bytes(size))
    onramp = arguments.onramp.resolve()
    with Controls(["cubic", "bbr"], onramp):
        for rate, rtt in PATHS:
            head = [f"{name.replace('-', ' ')}: first; second" for name in SIZES]
            print(f"\n| {rate} Mbit/s, {rtt} ms | {' | '.join(head)} |")
            print("|---" * (1 + len(SIZES)) + "|")
            for label, options, window, http in SENDERS:
                scenario = SCENARIO.format(rate=rate, rtt=rtt, window=window)
                (folder / "path.toml").write_text(scenario)
                row = [label]
                for name in SIZES:
                    runs = [
                        two_requests(onramp, folder, server, options, http, name)
                        for _ in range(arguments.runs)
                    ]
                    medians = [statistics.median(times) for times in zip(*runs)]
                    row.append("; ".join(f"{median:.2f}" for median in medians))
                print(f"| {' | '.join(row)} |", flush=True)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onramp", type=pathlib.Path, required=True, help="the command line")
    parser.add_argument("--runs", type=int, default=5, help="of each cell (default 5)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            require({"nginx": "nginx-light", "curl": "curl", "openssl": "openssl"})
            run(arguments, pathlib.Path(folder))
            return 0
        except Missing as error:
            print(error)
            return 3
        except Failed as error:
            print(f"error: {error}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
